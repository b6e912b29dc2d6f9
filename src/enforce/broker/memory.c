/*
 * The caller's memory.  Whatever is read from it is read once: he, or a thread
 * of his, may change it at any time.  And it was his only if he still waits
 * afterwards: his number may have been given away.
 */
#include "enforce/broker/call.h"

#include <errno.h>

#define PAGE  4096U /* the smallest there is; larger ones only take longer */
#define SHORT 256U  /* most paths are; the rest of the page is not copied */

static int
peek(const struct cdn_call *call, uint64_t from, void *to, size_t size)
{
	ssize_t n = cdn_sys_peek(call->tid, from, to, size);

	if (n == (ssize_t)size)
		return 0;
	return n < 0 && n != -ESRCH ? (int)n : -EFAULT;
}

int
cdn_call_copy(const struct cdn_call *call, uint64_t from, void *to,
    size_t size)
{
	int r = size == 0 ? 0 : peek(call, from, to, size);

	return r == 0 && !cdn_call_waits(call) ? -ESRCH : r;
}

/* Never over the end of a page: the next one may not be there. */
int
cdn_call_path(const struct cdn_call *call, uint64_t from,
    char to[CDN_PATH_MAX + 1])
{
	size_t n = 0;

	while (n < CDN_PATH_MAX) {
		size_t part = PAGE - (size_t)((from + n) % PAGE);
		const char *end;
		int r;

		if (n == 0 && part > SHORT)
			part = SHORT;
		if (part > CDN_PATH_MAX - n)
			part = CDN_PATH_MAX - n;
		r = peek(call, from + n, to + n, part);
		if (r < 0)
			return r;
		end = memchr(to + n, '\0', part);
		if (end != NULL)
			return (int)(end - to);
		n += part;
	}
	return -ENAMETOOLONG;
}

int
cdn_call_text(const struct cdn_call *call, uint64_t from,
    char to[CDN_PATH_MAX + 1])
{
	int n = cdn_call_path(call, from, to);

	return n >= 0 && !cdn_call_waits(call) ? -ESRCH : n;
}

int
cdn_call_put(const struct cdn_call *call, uint64_t to, const void *from,
    size_t size)
{
	ssize_t n;

	if (!cdn_call_waits(call))
		return -ESRCH;
	n = size == 0 ? 0 : cdn_sys_poke(call->tid, to, from, size);

	if (n == (ssize_t)size)
		return 0;
	return n < 0 && n != -ESRCH ? (int)n : -EFAULT;
}
