/*
 * buf - a growing byte buffer with a hard maximum given at the start.
 *
 * Failure is sticky: after memory ran out or the maximum was reached every
 * further call does nothing, and cdn_buf_failed() tells.  So a long text can
 * be written without a check at each step and judged once at the end.  What
 * is added must not lie in the buffer itself: growing may move it.
 */
#ifndef CDN_BASE_BUF_H
#define CDN_BASE_BUF_H

#include "base/str.h"

struct cdn_buf {
	char *p;      /* owned; NUL-terminated when not NULL */
	size_t n;     /* bytes used, the NUL not counted */
	size_t room;  /* bytes allocated */
	size_t max;   /* n never exceeds it */
	bool failed;
};

void cdn_buf_init(struct cdn_buf *buf, size_t max);
void cdn_buf_done(struct cdn_buf *buf); /* zeroed or done is fine */
void cdn_buf_reset(struct cdn_buf *buf); /* empty again, memory kept */

/* p may be NULL when n is 0. */
void cdn_buf_add(struct cdn_buf *buf, const void *p, size_t n);
void cdn_buf_str(struct cdn_buf *buf, cdn_str s);
void cdn_buf_puts(struct cdn_buf *buf, const char *cstring);
void cdn_buf_putc(struct cdn_buf *buf, char c);
void cdn_buf_printf(struct cdn_buf *buf, const char *fmt, ...) CDN_PRINTF(2, 3);

bool cdn_buf_failed(const struct cdn_buf *buf);

/*
 * The bytes as a malloc'ed string the caller frees; the buffer is empty again
 * and ready.  NULL when failed: then the buffer keeps what it has.
 */
CDN_MUST_USE char *cdn_buf_take(struct cdn_buf *buf);

#endif
