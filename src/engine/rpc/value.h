/*
 * value - is this string a path, and which?
 *
 * Two doors.  A field that is known to hold paths (schema.h) is asked with
 * CDN_RPC_KNOWN: everything in it is a path, relative ones too.  Any other
 * string is asked with CDN_RPC_GUESS: it is a path when it looks like one, and
 * text otherwise.
 *
 * What a string means depends on who reads it: a server may take "..%2f" or
 * "..\" for a way up, or not.  So a value has several forms, and a guard that
 * lets it pass must have allowed each of them.
 */
#ifndef CDN_RPC_VALUE_H
#define CDN_RPC_VALUE_H

#include "base/arena.h"

enum cdn_rpc_door { CDN_RPC_KNOWN, CDN_RPC_GUESS };

enum cdn_rpc_form_kind {
	CDN_RPC_PATH,	 /* absolute, or relative to where the server runs */
	CDN_RPC_HOME,	 /* "~" or "~/...": text is what follows the '~' */
	CDN_RPC_FOREIGN, /* nothing that could be judged here; why says it */
};

struct cdn_rpc_form {
	enum cdn_rpc_form_kind kind;
	cdn_str text;	 /* in the arena, or of the value; no NUL in it */
	const char *why; /* FOREIGN: "is a Windows path" */
};

/*
 * With tabs and without, with quotes and without, with a query and without,
 * decoded, '\' turned.
 */
#define CDN_RPC_FORMS_MAX (12 * (CDN_RPC_DECODE_MAX + 1) + 2)

struct cdn_rpc_value {
	struct cdn_rpc_form forms[CDN_RPC_FORMS_MAX];
	size_t count; /* 0: it is text */
	/*
	 * A guess of one part, such as "/help": when nothing of that name is
	 * there it is a word and no path.
	 */
	bool word;
};

/*
 * Without what some reader removes at both ends: the white space of JavaScript
 * and Python, and characters that cannot be seen.
 */
cdn_str cdn_rpc_value_trim(cdn_str text);

/*
 * Can a long string be a path or hold JSON?  raw: between its quotes, escapes
 * not decoded.  False: it is text, and need not be decoded to know that.
 */
bool cdn_rpc_value_may_matter(cdn_str raw);

/* False when memory ran out. */
CDN_MUST_USE bool cdn_rpc_value_read(cdn_str text, enum cdn_rpc_door door,
    struct cdn_arena *arena, struct cdn_rpc_value *ret);

#endif
