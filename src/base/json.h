/*
 * json - writing JSON, and reading it strictly.
 *
 * Writing goes onto a cdn_buf, compact, and whatever the bytes are the result
 * is valid JSON.  Reading refuses everything two programs could understand
 * differently: a guard that reads one meaning while the server behind it reads
 * another is no guard.  What was accepted keeps its place in the text, so it
 * can be passed on byte for byte.
 */
#ifndef CDN_BASE_JSON_H
#define CDN_BASE_JSON_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

/* ----- Writing ----------------------------------------------------------- */

/*
 *	cdn_json_begin(&w, &buf);
 *	cdn_json_open(&w, '{');
 *	cdn_json_put_key(&w, "path");
 *	cdn_json_put_string(&w, path);
 *	cdn_json_close(&w);
 *	if (!cdn_json_end(&w))
 *		return cdn_err_nomem(err);
 *
 * Commas come by themselves.  Failure is the buffer's: sticky, asked once at
 * the end.  A value without its key, a key in an array, an end too early are
 * mistakes of the caller's code and stop the program (cdn_bug).
 */
struct cdn_json_writer {
	struct cdn_buf *buf; /* borrowed */
	uint64_t objects;    /* bit i: level i is an object */
	uint64_t filled;     /* bit i: level i has something in it */
	unsigned depth;	     /* levels open, at most CDN_JSON_LEVELS_MAX */
	bool due;	     /* a key was written, its value not yet */
	bool done;	     /* the outermost value is complete */
	bool replaced;	     /* some byte was not UTF-8 and became U+FFFD */
};

void cdn_json_begin(struct cdn_json_writer *w, struct cdn_buf *buf);

void cdn_json_open(struct cdn_json_writer *w, char bracket); /* '{' or '[' */
void cdn_json_close(struct cdn_json_writer *w); /* the innermost open one */

void cdn_json_put_key(struct cdn_json_writer *w, const char *key);
void cdn_json_put_string(struct cdn_json_writer *w, cdn_str s);
void cdn_json_put_cstring(struct cdn_json_writer *w, const char *s); /* NULL: null */
void cdn_json_put_int(struct cdn_json_writer *w, int64_t n);
void cdn_json_put_uint(struct cdn_json_writer *w, uint64_t n);
void cdn_json_put_bool(struct cdn_json_writer *w, bool b);
void cdn_json_put_null(struct cdn_json_writer *w);
/* A complete JSON value, written as it is. */
void cdn_json_put_raw(struct cdn_json_writer *w, cdn_str json);
/* A key and its text. */
void cdn_json_put_member(struct cdn_json_writer *w, const char *key,
    const char *text);

/*
 * True when one whole value lies in the buffer and nothing failed.  On false
 * memory ran out, the buffer is full, or the levels are too deep.
 */
CDN_MUST_USE bool cdn_json_end(const struct cdn_json_writer *w);

/* A message of one line: closes it and ends the line; failure is the buffer's. */
void cdn_json_end_line(struct cdn_json_writer *w);

/* ----- Reading ----------------------------------------------------------- */

enum cdn_json_type {
	CDN_JSON_NULL,
	CDN_JSON_BOOL,
	CDN_JSON_NUMBER,
	CDN_JSON_STRING,
	CDN_JSON_ARRAY,
	CDN_JSON_OBJECT,
	CDN_JSON_TYPE_MAX
};

/*
 * Nodes lie in one array in the order of the text: the root first, a parent
 * right before its first child.  Ranges are byte offsets, [start, end).
 */
struct cdn_json_node {
	uint32_t start; /* of the value: quotes and brackets included */
	uint32_t end;
	uint32_t key_start; /* of its key, quotes included */
	uint32_t key_end;   /* 0 = not a member of an object */
	uint32_t next;	    /* index of the next sibling; 0 = none */
	uint32_t count;	    /* children */
	uint8_t type;	    /* enum cdn_json_type */
	bool escaped;	    /* the string holds a backslash */
	bool key_escaped;
	bool integer; /* a number without fraction and exponent */
};

struct cdn_json {
	cdn_str text;		     /* borrowed */
	struct cdn_json_node *nodes; /* in the arena; nodes[0] is the root */
	uint32_t count;
};

struct cdn_json_options {
	const char *source; /* name for error positions, or NULL for none */
	size_t max_bytes;   /* 0: CDN_JSON_MAX; below 4 GiB */
	size_t max_nodes;   /* 0: CDN_JSON_NODES_MAX */
	unsigned max_depth; /* 0: CDN_DEPTH_MAX; levels of [ and { */
};

/*
 * Reads one whole text: RFC 8259, white space around it allowed, nothing else.
 * Refused besides are: a key twice in one object (however it is escaped), NUL
 * in any form, UTF-8 that is not well-formed, half a surrogate pair, a byte
 * order mark, and what exceeds the options (NULL: all defaults).
 *
 * The text is borrowed and must not change; nodes live in the arena.  Errors
 * are CORDON_E_INVALID, "invalid JSON at byte N: ...", N counted from 0, and
 * CORDON_E_NOMEM.  Time is linear (n log n for objects of many keys) and the
 * stack does not grow with the text.
 */
CDN_MUST_USE int cdn_json_parse(cdn_str text,
    const struct cdn_json_options *options, struct cdn_arena *arena,
    struct cdn_json *ret, struct cordon_error *err);

/* Walking: NULL when there is none.  A scalar has no children. */
const struct cdn_json_node *cdn_json_first(const struct cdn_json *json,
    const struct cdn_json_node *parent);
const struct cdn_json_node *cdn_json_next(const struct cdn_json *json,
    const struct cdn_json_node *node);

/* The value of a member; NULL when absent or when node is not an object. */
const struct cdn_json_node *cdn_json_find(const struct cdn_json *json,
    const struct cdn_json_node *object, const char *key);

/* The bytes themselves, to be passed on. */
cdn_str cdn_json_raw(const struct cdn_json *json,
    const struct cdn_json_node *node);

/*
 * The characters of a string or of a member's key.  Without a backslash they
 * are a slice of the text; otherwise they are made in the arena.  False when
 * memory ran out or when there is no string (or key).
 */
CDN_MUST_USE bool cdn_json_string(const struct cdn_json *json,
    const struct cdn_json_node *node, struct cdn_arena *arena, cdn_str *ret);
CDN_MUST_USE bool cdn_json_key(const struct cdn_json *json,
    const struct cdn_json_node *node, struct cdn_arena *arena, cdn_str *ret);

/* Is it this string?  Allocates nothing. */
bool cdn_json_is(const struct cdn_json *json, const struct cdn_json_node *node,
    cdn_str want);

/* False when the node is of another type or the number does not fit. */
CDN_MUST_USE bool cdn_json_int(const struct cdn_json *json,
    const struct cdn_json_node *node, int64_t *ret);
CDN_MUST_USE bool cdn_json_bool(const struct cdn_json *json,
    const struct cdn_json_node *node, bool *ret);

#endif
