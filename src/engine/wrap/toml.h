/*
 * toml - a reader of TOML 1.0 that says where things stand.
 *
 * Every key is told with its whole path, however it was written: below a
 * header, dotted, in an inline table.  What is read is not judged: that a key
 * stands there twice is for the caller to see, and of numbers and dates only the
 * extent is known.
 */
#ifndef CDN_WRAP_TOML_H
#define CDN_WRAP_TOML_H

#include "base/arena.h"
#include "base/err.h"

enum cdn_toml_type {
	CDN_TOML_STRING,
	CDN_TOML_ARRAY,
	CDN_TOML_TABLE, /* inline; its members were told before it */
	CDN_TOML_PLAIN, /* a number, a date, true, false */
	CDN_TOML_HEADER, /* [a.b]: no value */
	CDN_TOML_HEADER_MANY, /* [[a.b]] */
};

struct cdn_toml_value {
	enum cdn_toml_type type;
	size_t start; /* in the text */
	size_t end;
	cdn_str text;		      /* STRING: what it means */
	struct cdn_toml_value *items; /* ARRAY */
	size_t n;
};

struct cdn_toml_entry {
	const cdn_str *path; /* segments, from the root of the document */
	size_t n;
	size_t key;  /* where its key begins */
	size_t last; /* and the last segment of that */
	bool inlined; /* it is a member of an inline table */
	bool in_array; /* and that stands in an array */
	struct cdn_toml_value value;
};

/* What the visitor is given lives as long as the arena; path: the call. */
struct cdn_toml {
	cdn_str text;
	struct cdn_arena *arena;
	int (*visit)(const struct cdn_toml_entry *entry, void *arg,
	    struct cordon_error *err);
	void *arg;
};

/* An error of the visitor ends it.  "line 7: ..." when it is no TOML. */
CDN_MUST_USE int cdn_toml_read(const struct cdn_toml *toml,
    struct cordon_error *err);

/* ----- toml_text.c: for toml.c -------------------------------------------- */

/*
 * The string that begins at *at, which moves behind it.  NULL, or what is wrong
 * with it; "" when memory ran out.
 */
const char *cdn_toml_string(cdn_str text, size_t *at, bool lines,
    struct cdn_arena *arena, cdn_str *ret);

#endif
