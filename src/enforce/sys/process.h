/*
 * process - making processes that share our memory, and what they need.
 *
 * The house rules of sys.h; besides, all of it is CDN_BARE (raw.h).
 */
#ifndef CDN_SYS_PROCESS_H
#define CDN_SYS_PROCESS_H

#include <sys/types.h>

#include "enforce/sys/raw.h"

#define CDN_CLOSE_RANGE_UNSHARE 0x02U /* of its own before, if shared */
#define CDN_CLOSE_RANGE_CLOEXEC 0x04U /* since 5.11 */

/* Signals as the kernel has them: bit N-1 is signal N. */
#define CDN_SIGNALS_ALL	  UINT64_MAX
#define CDN_SIGNAL_BIT(n) (UINT64_C(1) << ((n) - 1))
#define CDN_SIGNAL_LAST	  64

/* A disposition as the kernel has it; all zero is SIG_DFL. */
struct cdn_sigaction {
	uintptr_t handler;
	unsigned long flags;
	uintptr_t restorer;
	uint64_t mask;
};

/*
 * clone(2): fn(arg) runs on the stack that ends at stack_top (16 bytes
 * aligned) and its result is the exit status.  The pid, or -errno.  With
 * CLONE_PIDFD *pidfd becomes a descriptor of the process, with
 * CLONE_PARENT_SETTID its number, before it runs.  On failure the errno of the
 * calling thread is lost.
 */
CDN_MUST_USE int cdn_sys_clone(int (*fn)(void *arg), void *stack_top,
    int flags, void *arg, int *pidfd);

/*
 * The same with clone3(2), which has a place for each of them, and can do more:
 *
 *	cgroup_fd	the directory (v2) of the cgroup that the process is a
 *			member of from the start, since 5.7; -1: the caller's.
 *			Moving it there afterwards makes all processors of the
 *			machine wait for each other, which takes milliseconds.
 *	cleared		no handler of the caller is left, since 5.5; what he
 *			ignores the process does, too
 */
CDN_MUST_USE int cdn_sys_clone_more(int cgroup_fd, bool cleared,
    int (*fn)(void *arg), void *stack_top, int flags, void *arg, int *pidfd,
    pid_t *pid);

/*
 * While waiting for what another processor does at once: as often as this at
 * most, some ten to a hundred microseconds.
 */
#define CDN_SPINS 6000U

CDN_BARE static inline void
cdn_sys_relax(void)
{
#if defined(__x86_64__)
	__asm__ volatile("pause" ::: "memory");
#elif defined(__aarch64__)
	__asm__ volatile("yield" ::: "memory");
#endif
}

/* Did the process of this pidfd end?  Does not wait. */
bool cdn_sys_has_ended(int pidfd);

/*
 * In a new process: it is killed when the thread that made it ends, also while
 * it is stopped.  parent: the process of that one; -ESRCH: it was too late.
 */
CDN_MUST_USE int cdn_sys_die_with(pid_t parent);
/*
 * Until that child ended.  Who is stopped meanwhile is continued: it works for
 * us, and nobody else would do that.
 */
void cdn_sys_reap(pid_t pid);

/* Since 5.9.  Every descriptor from `first` on: closed, or what flags say. */
CDN_MUST_USE int cdn_sys_close_range(unsigned first, unsigned flags);
/* Every one from `first` to `last`, and no other. */
CDN_MUST_USE int cdn_sys_close_to(unsigned first, unsigned last);

/* The calling thread's mask; old may be NULL.  Really all: also those that
 * libc keeps for itself. */
void cdn_sys_set_mask(uint64_t mask, uint64_t *old);

/* Either may be NULL.  Byte for byte what the kernel has. */
int cdn_sys_sigaction(int signal, const struct cdn_sigaction *action,
    struct cdn_sigaction *old);

/* The signals that are ignored. */
uint64_t cdn_sys_ignored(void);
/* These, and what else they may be, are as for a new process: SIG_DFL. */
void cdn_sys_reset_signals(uint64_t signals);

#endif
