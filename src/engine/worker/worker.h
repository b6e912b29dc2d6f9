/*
 * worker - the document of one worker: which profile, which roots, what its
 * tools may do and who has to be asked.
 *
 * Plain data, read from YAML by tables like those of a policy: unknown keys,
 * keys twice, anchors and so on are errors with their place, all of them at
 * once.  Everything lies in the worker's arena and is immutable.
 *
 * Pure: roots are texts here; whoever uses them finds out what they are.
 */
#ifndef CDN_WORKER_WORKER_H
#define CDN_WORKER_WORKER_H

#include "base/buf.h"
#include "base/diag.h"
#include "engine/shell/rules.h"

struct cdn_worker_texts {
	cdn_str *v; /* NUL-terminated each */
	size_t n;
	bool given; /* the key is there, if only as [] */
};

/* true, false, or not said. */
enum cdn_said { CDN_UNSAID, CDN_SAID_NO, CDN_SAID_YES };

struct cdn_worker_number {
	uint64_t value;
	bool given;
};

struct cdn_worker_path {
	cdn_str id;
	struct cdn_pos pos;
	cdn_str root;
	bool write; /* mode: rw */
	struct cdn_worker_texts suffixes;
	struct cdn_worker_number max_file_bytes;
};

struct cdn_worker_grants {
	enum cdn_said network;
	struct cdn_worker_texts read;
	struct cdn_worker_texts write;
	struct cdn_worker_texts sockets;
};

struct cdn_worker_rule {
	cdn_str pattern;
	struct cdn_pos pos;
	enum cdn_said approval_required;
	struct cdn_worker_grants grants;
	struct cdn_shell_rule built;
};

struct cdn_worker_tool {
	cdn_str name;
	enum cdn_said approval_required;
};

struct cdn_worker_module {
	cdn_str name;
	enum cdn_said unrestricted;
	struct cdn_worker_texts allowed_paths;
};

enum cdn_worker_executor {
	CDN_EXECUTOR_AUTO,
	CDN_EXECUTOR_NONE,
	CDN_EXECUTOR_LINUX_NATIVE,
	CDN_EXECUTOR_LINUX_BWRAP,
	CDN_EXECUTOR_MACOS,
	CDN_EXECUTOR_MAX
};

struct cordon_worker {
	struct cdn_arena *arena;
	const char *source;
	bool is_file; /* source names one, which must stay as it is */
	char digest[65]; /* SHA-256 of the bytes, hex */
	cdn_str text;	 /* the bytes */
	cdn_str name;	 /* "" = none; so the other two */
	cdn_str description;
	cdn_str fs_profile;
	enum cdn_worker_executor executor;
	enum cdn_said allow_fallback;
	struct cdn_worker_path *paths;
	size_t path_count;
	bool has_paths; /* then these are the only roots */
	enum cdn_said network;
	enum cdn_said require_os_sandbox;
	struct cdn_worker_number max_count;
	struct cdn_worker_number max_total_bytes;
	struct cdn_worker_tool *tools;
	size_t tool_count;
	struct cdn_worker_rule *rules;
	size_t rule_count;
	bool has_rules; /* then what fits none follows the default */
	enum cdn_said default_approval; /* of shell_default */
	struct cdn_worker_texts programs;
	struct cdn_worker_module *modules;
	size_t module_count;
};

/* How a document is read. */
enum cdn_worker_mode {
	CDN_WORKER_NOW,
	CDN_WORKER_OLD /* the older form is understood, too: for migration */
};

CDN_MUST_USE int cdn_worker_parse(cdn_str text, const char *source,
    enum cdn_worker_mode mode, struct cordon_diags *diags,
    struct cordon_worker **ret, struct cordon_error *err);
void cdn_worker_free(struct cordon_worker *worker); /* NULL is fine */

/* One JSON object, which is YAML that loads again. */
CDN_MUST_USE int cdn_worker_format(const struct cordon_worker *worker,
    struct cdn_buf *out, struct cordon_error *err);

/* The JSON Schema (2020-12) of such documents, one line. */
CDN_MUST_USE int cdn_worker_schema(struct cdn_buf *out,
    struct cordon_error *err);

/* "linux-native" and so on; NULL out of range. */
const char *cdn_executor_name(enum cdn_worker_executor executor);

/*
 * The modules of an agent that take paths from a model.  Constraints of any
 * other are not merged: naming one is an error.
 */
#define CDN_WORKER_MODULES "filesystem workspace shell mcp"
bool cdn_worker_is_module(cdn_str name);

/* Does one of its modules ask for everything but the floor? */
bool cdn_worker_unrestricted(const struct cordon_worker *worker);

/*
 * Can the child work for the parent?  It can have less, never more; what it
 * does not say it inherits.  CORDON_E_INVALID names what is too much.  Roots
 * are compared as texts; one with ".." cannot be compared and is refused.
 */
CDN_MUST_USE int cdn_worker_fits_but_roots(const struct cordon_worker *parent,
    const struct cordon_worker *child, struct cordon_error *err);
CDN_MUST_USE int cdn_worker_fits(const struct cordon_worker *parent,
    const struct cordon_worker *child, struct cordon_error *err);

/*
 * The same where the caller is a session without a worker, which grants nothing
 * and enforces all of it.  Roots and the network are for its authority to judge.
 */
CDN_MUST_USE int cdn_worker_fits_session(const struct cordon_worker *child,
    struct cordon_error *err);

#endif
