/*
 * line - an event as one line of JSON, never longer than CDN_AUDIT_LINE_MAX.
 *
 *	{"schema":1,"seq":7,"prev":"64 hex","time":"...","run":"...","kind":...
 *
 * The order of these six is part of the format: what links a line to the one
 * before it stands at a fixed place and is read without a JSON parser.
 */
#ifndef CDN_AUDIT_LINE_H
#define CDN_AUDIT_LINE_H

#include "base/buf.h"
#include "enforce/audit/audit.h"

#define CDN_HASH_SIZE 65 /* SHA-256 in lower-case hex, and a NUL */

/* A line and what is said of the one before it. */
struct cdn_link {
	uint64_t seq; /* 1 for the first line */
	char hash[CDN_HASH_SIZE];
};

/*
 * Into buf, newline included.  buf must have room for CDN_AUDIT_LINE_MAX bytes
 * already: then nothing is allocated, and full means too long.  link: the
 * number of this line and the hash of the one before.
 */
CDN_MUST_USE int cdn_line_format(const struct cdn_event *event,
    const struct cdn_link *link, const struct timespec *now,
    struct cdn_buf *buf, struct cordon_error *err);

/* The same link from a line without its newline; false when it has none. */
CDN_MUST_USE bool cdn_line_link(cdn_str line, struct cdn_link *ret);

/* One hash in hex, and what follows it. */
CDN_MUST_USE bool cdn_line_take_hash(cdn_str *rest, char ret[CDN_HASH_SIZE]);
/* Digits without a leading zero, and what follows them. */
CDN_MUST_USE bool cdn_line_take_number(cdn_str *rest, uint64_t *ret);

#endif
