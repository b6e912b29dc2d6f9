#include "enforce/sys/process.h"

#include <errno.h>
#include <sched.h>

#ifndef SYS_close_range
#define SYS_close_range 436 /* the same on every architecture */
#endif

/* libc's clone() is the few instructions that change stacks, and nothing else. */
CDN_BARE int
cdn_sys_clone(int (*fn)(void *arg), void *stack_top, int flags, void *arg,
    int *pidfd)
{
	int pid = clone(fn, stack_top, flags, arg, pidfd);

	return pid < 0 ? -errno : pid;
}

CDN_BARE int
cdn_sys_close_range(unsigned first, unsigned flags)
{
	return (int)cdn_raw(SYS_close_range, first, ~0U, flags);
}

CDN_BARE void
cdn_sys_set_mask(uint64_t mask, uint64_t *old)
{
	const int set = 2; /* SIG_SETMASK */

	(void)cdn_raw(SYS_rt_sigprocmask, set, &mask, old, sizeof(mask));
}

CDN_BARE int
cdn_sys_sigaction(int signal, const struct cdn_sigaction *action,
    struct cdn_sigaction *old)
{
	return (int)cdn_raw(SYS_rt_sigaction, signal, action, old,
	    sizeof(old->mask));
}
