/*
 * install - an agent's settings with our hook in them, and without.
 *
 *	{ "hooks": { "PreToolUse": [ {"matcher":"*","hooks":[
 *	      {"type":"command","command":"'/usr/bin/cordon' hook claude
 *	       --installed=hooks || sh -c 'echo blocked by cordon >&2; exit 2'",
 *	       ...}]} ] } }
 *
 * (one line in the file).  Only the bytes that must change do.  --installed says
 * how much of what stands around it is ours as well, so that it can be taken
 * back to the byte.  What follows "||" is the shell's part of never failing open:
 * a program that is not there, or was killed, blocks too; in any shell.
 */
#ifndef CDN_DIALECT_INSTALL_H
#define CDN_DIALECT_INSTALL_H

#include "engine/dialect/dialect.h"
#include "engine/wrap/wrap.h"

/* What we put there: an item of a list, up to the whole file. */
enum cdn_install_level {
	CDN_INSTALL_ENTRY,
	CDN_INSTALL_EVENT,
	CDN_INSTALL_HOOKS,
	CDN_INSTALL_FILE,
	CDN_INSTALL_LEVELS
};

struct cdn_install_spec {
	const struct cdn_dialect *dialect;
	const char *program;	    /* absolute */
	const char *const *options; /* of the hook; NULL: none */
};

struct cdn_installed {
	size_t wanted; /* events that need it */
	size_t found;  /* those that have one of ours */
	size_t good;   /* and just as we would write it */
	enum cdn_install_level level; /* of the last of those */
	bool off;      /* a switch in the same file turns hooks off */
};

/* What is there.  CORDON_E_INVALID with the line when it cannot be read. */
CDN_MUST_USE int cdn_install_look(cdn_str text,
    const struct cdn_install_spec *spec, struct cdn_arena *arena,
    struct cdn_installed *ret, struct cordon_error *err);

/*
 * What Codex hashes to know a hook again that its user has trusted: the entry
 * as one line of JSON, keys in order.  False when memory ran out.
 */
CDN_MUST_USE bool cdn_install_identity(const struct cdn_install_spec *spec,
    enum cdn_install_level level, struct cdn_buf *out);

/*
 * The edits that put it there; none when it is.  An edit that cannot be undone
 * to the byte is refused.
 */
CDN_MUST_USE int cdn_install_add(cdn_str text,
    const struct cdn_install_spec *spec, struct cdn_arena *arena,
    struct cdn_wrap_result *ret, struct cordon_error *err);

/* The text of a file that was not there. */
CDN_MUST_USE bool cdn_install_new(const struct cdn_install_spec *spec,
    struct cdn_arena *arena, cdn_str *ret);

/* The edits that take it away; ret_gone: the file goes, it is all ours. */
CDN_MUST_USE int cdn_install_remove(cdn_str text,
    const struct cdn_install_spec *spec, struct cdn_arena *arena,
    struct cdn_wrap_result *ret, bool *ret_gone, struct cordon_error *err);

/* ----- settings.c: for install.c ------------------------------------------------ */

struct cdn_settings {
	cdn_str text; /* as it is */
	struct cdn_json json; /* comments blanked, every byte at its place */
	const struct cdn_json_node *hooks; /* an object, or NULL */
};

CDN_MUST_USE int cdn_settings_read(cdn_str text, struct cdn_arena *arena,
    struct cdn_settings *ret, struct cordon_error *err);

/* The list of an event; NULL when there is none. */
const struct cdn_json_node *cdn_settings_event(
    const struct cdn_settings *settings, const char *event);

/* Has an entry of ours, whatever its program; *ret: how much we put there. */
CDN_MUST_USE bool cdn_settings_is_ours(const struct cdn_settings *settings,
    const struct cdn_dialect *dialect, const struct cdn_json_node *entry,
    struct cdn_arena *arena, enum cdn_install_level *ret);

/* Do both say the same, whatever the order and the white space? */
CDN_MUST_USE bool cdn_json_same(const struct cdn_json *a,
    const struct cdn_json_node *x, const struct cdn_json *b,
    const struct cdn_json_node *y, struct cdn_arena *arena);

/* The entry as JSON; false when memory ran out. */
CDN_MUST_USE bool cdn_settings_entry(const struct cdn_install_spec *spec,
    enum cdn_install_level level, struct cdn_arena *arena, cdn_str *ret);

#endif
