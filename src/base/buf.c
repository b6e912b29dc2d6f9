#include "base/buf.h"

#include <stdarg.h>

#define FIRST_ROOM 256UL

void
cdn_buf_init(struct cdn_buf *buf, size_t max)
{
	if (max == SIZE_MAX)
		max--; /* there is always a NUL behind */
	*buf = (struct cdn_buf){ .max = max };
}

void
cdn_buf_done(struct cdn_buf *buf)
{
	free(buf->p);
	*buf = (struct cdn_buf){ .max = buf->max };
}

void
cdn_buf_reset(struct cdn_buf *buf)
{
	buf->n = 0;
	buf->failed = false;
	if (buf->p != NULL)
		buf->p[0] = '\0';
}

/* Doubles until `need` bytes fit, but never past what max can use. */
static size_t
wider(const struct cdn_buf *buf, size_t need)
{
	size_t room = buf->room == 0 ? FIRST_ROOM : buf->room;

	while (room < need)
		room = room > SIZE_MAX / 2 ? SIZE_MAX : room * 2;
	return room - 1 > buf->max ? buf->max + 1 : room;
}

static bool
reserve(struct cdn_buf *buf, size_t more)
{
	size_t room;
	char *p;

	if (buf->failed || more > buf->max - buf->n) {
		buf->failed = true;
		return false;
	}
	if (buf->n + more < buf->room) /* less than: the NUL */
		return true;
	room = wider(buf, buf->n + more + 1);
	p = realloc(buf->p, room);
	if (p == NULL) {
		buf->failed = true;
		return false;
	}
	buf->p = p;
	buf->room = room;
	return true;
}

void
cdn_buf_add(struct cdn_buf *buf, const void *p, size_t n)
{
	if (!reserve(buf, n))
		return;
	if (n > 0)
		memcpy(buf->p + buf->n, p, n);
	buf->n += n;
	buf->p[buf->n] = '\0';
}

void
cdn_buf_str(struct cdn_buf *buf, cdn_str s)
{
	cdn_buf_add(buf, s.p, s.n);
}

void
cdn_buf_puts(struct cdn_buf *buf, const char *cstring)
{
	cdn_buf_add(buf, cstring, strlen(cstring));
}

void
cdn_buf_putc(struct cdn_buf *buf, char c)
{
	cdn_buf_add(buf, &c, 1);
}

void
cdn_buf_printf(struct cdn_buf *buf, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0) {
		buf->failed = true;
		return;
	}
	if (!reserve(buf, (size_t)n))
		return;
	va_start(ap, fmt);
	vsnprintf(buf->p + buf->n, (size_t)n + 1, fmt, ap);
	va_end(ap);
	buf->n += (size_t)n;
}

bool
cdn_buf_failed(const struct cdn_buf *buf)
{
	return buf->failed;
}

char *
cdn_buf_take(struct cdn_buf *buf)
{
	char *p;

	cdn_buf_add(buf, "", 0);
	if (buf->failed)
		return NULL;
	p = buf->p;
	*buf = (struct cdn_buf){ .max = buf->max };
	return p;
}
