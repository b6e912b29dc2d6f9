/*
 * str - a slice of text that somebody else owns.
 *
 * A cdn_str is a value: pass it by copy.  It need not end in NUL and may hold
 * any byte.  The text lives as long as its owner says (usually an arena).
 */
#ifndef CDN_BASE_STR_H
#define CDN_BASE_STR_H

#include <limits.h>

#include "base/base.h"

typedef struct cdn_str {
	const char *p; /* never NULL for a non-empty slice */
	size_t n;      /* bytes */
} cdn_str;

#define CDN_STR(literal) ((cdn_str){ "" literal, sizeof(literal) - 1 })

/* For printf("%.*s", CDN_STR_ARG(s)).  s is evaluated more than once. */
#define CDN_STR_ARG(s) cdn_str_width(s), ((s).p ? (s).p : "")

/* A negative precision would mean "up to the NUL", so it must not wrap. */
static inline int
cdn_str_width(cdn_str s)
{
	return s.n > INT_MAX ? INT_MAX : (int)s.n;
}

/* Short, and asked everywhere: so they are here. */

/* NULL gives the empty slice. */
static inline cdn_str
cdn_str_of(const char *cstring)
{
	return cstring == NULL ? (cdn_str){ "", 0 } :
				 (cdn_str){ cstring, strlen(cstring) };
}

static inline bool
cdn_str_eq(cdn_str a, cdn_str b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

static inline bool
cdn_str_is(cdn_str a, const char *cstring)
{
	return cdn_str_eq(a, cdn_str_of(cstring));
}

static inline bool
cdn_str_starts(cdn_str s, cdn_str prefix)
{
	return s.n >= prefix.n &&
	    (prefix.n == 0 || memcmp(s.p, prefix.p, prefix.n) == 0);
}

static inline bool
cdn_str_ends(cdn_str s, cdn_str suffix)
{
	return s.n >= suffix.n && (suffix.n == 0 ||
	    memcmp(s.p + (s.n - suffix.n), suffix.p, suffix.n) == 0);
}

int cdn_str_cmp(cdn_str a, cdn_str b); /* byte order, as strcmp */

/* The slice from byte `from` on (empty when past the end). */
static inline cdn_str
cdn_str_from(cdn_str s, size_t from)
{
	return from >= s.n ? (cdn_str){ "", 0 } :
			     (cdn_str){ s.p + from, s.n - from };
}

/* Without leading and trailing Unicode white space of ASCII (" \t\n\v\f\r"). */
cdn_str cdn_str_trim(cdn_str s);

/*
 * Splits off the part before the first `sep`: n separators give n+1 parts.
 * False when used up, which *rest shows as p == NULL; so an empty slice has
 * one empty part when its p is "" and none when its p is NULL.
 */
bool cdn_str_next(cdn_str *rest, char sep, cdn_str *ret_part);

/* A decimal number, digits only, without overflow. */
CDN_MUST_USE bool cdn_str_parse_u64(cdn_str s, uint64_t *ret);

/* Of a hexadecimal digit, or -1. */
static inline int
cdn_hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/*
 * Bytes of the character at p: 1 to 4 for well-formed UTF-8 (no overlong
 * forms, no surrogates, at most U+10FFFF), otherwise 1: an invalid byte
 * counts as one character.  p < end.
 */
size_t cdn_utf8_len(const char *p, const char *end);

/* Offset of the first byte that is not well-formed UTF-8, or s.n. */
size_t cdn_utf8_bad(cdn_str s);

/*
 * Edit distance for "did you mean", bounded: more than `limit` is limit+1, and
 * so is anything about a slice of more than CDN_NAME_MAX bytes.
 */
unsigned cdn_str_distance(cdn_str a, cdn_str b, unsigned limit);

#endif
