/*
 * wrap - a client's configuration whose servers run behind the guard.
 *
 * Only the bytes that must change do: the command becomes the guard's, and what
 * it was becomes the first of the arguments,
 *	"command": "node", "args": ["server.js"]
 *	"command": "cordon", "args": ["mcp", "guard", "--wrapped=args", "--",
 *	    "node", "server.js"]
 * (one line in the file).  --wrapped tells what we wrote from what a person
 * did, and "bare" that there were no arguments, so that it can be taken back to
 * the byte.  Servers that are reached by a URL, and those that are guarded, are
 * left alone.  A document may be hostile: what it says of a guard is believed
 * where it is word for word what we would write, and told otherwise.
 */
#ifndef CDN_WRAP_WRAP_H
#define CDN_WRAP_WRAP_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

enum cdn_wrap_language {
	CDN_WRAP_JSON, /* comments and a comma behind the last may be in it */
	CDN_WRAP_TOML,
};

struct cdn_wrap_options {
	enum cdn_wrap_language language;
	const char *command;	    /* the guard's program */
	const char *place;	    /* the same, absolute; or NULL */
	const char *const *options; /* of the guard, or NULL */
	bool undo;
};

/* Bytes of the text, and what stands there afterwards. */
struct cdn_wrap_edit {
	size_t start;
	size_t end;
	cdn_str text;
};

struct cdn_wrap_outcome {
	cdn_str name;
	const char *left; /* why it was left alone; NULL: it was changed */
	bool open; /* it may run without the guard that was asked for */
};

/* In the arena; edits are in order and do not touch each other. */
struct cdn_wrap_result {
	struct cdn_wrap_edit *edits;
	size_t n;
	struct cdn_wrap_outcome *servers;
	size_t server_count;
};

/*
 * CORDON_E_INVALID with the line when the text cannot be read, when it has no
 * place for servers, and when undoing it would not give the same bytes.
 */
CDN_MUST_USE int cdn_wrap(cdn_str text, const struct cdn_wrap_options *options,
    struct cdn_arena *arena, struct cdn_wrap_result *ret,
    struct cordon_error *err);

/* The text with the edits in it. */
void cdn_wrap_apply(cdn_str text, const struct cdn_wrap_result *result,
    struct cdn_buf *out);

/* The difference for people, as of "diff -U0"; nothing when there is none. */
void cdn_wrap_diff(cdn_str text, const struct cdn_wrap_result *result,
    const char *file, struct cdn_buf *out);

#endif
