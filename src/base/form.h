/*
 * form - plain data as bytes, for another process of the same version.
 *
 * One function describes a thing for both ways: written, it reads what is
 * there; read, it fills it, from bytes that may be anybody's.  Failure is
 * sticky, and a form that was read is whole only if cdn_form_is_whole() says
 * so.  Everything that is read lies in the arena.
 */
#ifndef CDN_BASE_FORM_H
#define CDN_BASE_FORM_H

#include "base/arena.h"
#include "base/buf.h"

struct cdn_form {
	bool reading;
	struct cdn_buf *out;	 /* written to */
	cdn_str in;		 /* what is left to be read */
	struct cdn_arena *arena; /* of what is read */
	bool bad;		 /* the bytes are no such form, or no memory */
};

/* Below 2^32; past max it is bad. */
void cdn_form_number(struct cdn_form *form, unsigned *n, unsigned max);
void cdn_form_bool(struct cdn_form *form, bool *value);
/* Any bytes; NUL-terminated when read. */
void cdn_form_bytes(struct cdn_form *form, cdn_str *bytes);
/* Without NUL inside; NULL stays NULL. */
void cdn_form_string(struct cdn_form *form, const char **string);
/*
 * How many of something follow, each of which takes at least four bytes; and
 * room for them (size bytes each, zeroed) when it is read.  NULL: bad.
 */
void *cdn_form_array(struct cdn_form *form, size_t *n, size_t max,
    size_t size);
/*
 * The strings of v, none of which is NULL.  When they are read: those, with a
 * NULL behind them; else NULL.
 */
const char **cdn_form_strings(struct cdn_form *form, const char *const *v,
    size_t *n, size_t max);

/* Nothing is bad, and nothing is left. */
bool cdn_form_is_whole(const struct cdn_form *form);

#endif
