#include "enforce/guard/linger.h"

#include <time.h>

#include "base/limits.h"

static uint64_t
now_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

bool
cdn_linger_told(struct cdn_linger *linger, uint64_t taken)
{
	bool more = taken != linger->taken;

	linger->taken = taken;
	return more;
}

bool
cdn_linger_is_due(struct cdn_linger *linger)
{
	if (linger->left == 0)
		return true;
	linger->left--;
	return false;
}

void
cdn_linger_tell(struct cdn_linger *linger, bool came)
{
	unsigned more = linger->pause == 0 ? 1 : 2 * linger->pause;

	if (came)
		more = 0;
	else if (more > CDN_GUARD_LINGER_PAUSE)
		more = CDN_GUARD_LINGER_PAUSE;
	linger->pause = linger->left = more;
}

bool
cdn_linger(struct cdn_linger *linger, struct pollfd *fds, nfds_t n)
{
	uint64_t end;
	bool came;

	if (!cdn_linger_is_due(linger))
		return false;
	/* What is there already says nothing of who answers from where. */
	if (poll(fds, n, 0) > 0)
		return true;
	end = now_ns() + CDN_GUARD_LINGER_US * 1000;
	do {
		came = poll(fds, n, 0) > 0;
	} while (!came && now_ns() < end);
	cdn_linger_tell(linger, came);
	return came;
}
