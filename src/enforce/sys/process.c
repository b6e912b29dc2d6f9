#include "enforce/sys/process.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#ifndef SYS_close_range
#define SYS_close_range 436 /* the same on every architecture */
#endif
#ifndef SYS_clone3
#define SYS_clone3 435
#endif

/* libc's clone() is the few instructions that change stacks, and nothing else. */
CDN_BARE int
cdn_sys_clone(int (*fn)(void *arg), void *stack_top, int flags, void *arg,
    int *pidfd)
{
	int pid = clone(fn, stack_top, flags, arg, pidfd);

	return pid < 0 ? -errno : pid;
}

/* The kernel's struct clone_args as of 5.7. */
struct clone_args_5_7 {
	uint64_t flags;
	uint64_t pidfd;
	uint64_t child_tid;
	uint64_t parent_tid;
	uint64_t exit_signal;
	uint64_t stack;
	uint64_t stack_size;
	uint64_t tls;
	uint64_t set_tid;
	uint64_t set_tid_size;
	uint64_t cgroup;
};

#define CLEAR_SIGHAND UINT64_C(0x100000000) /* CLONE_... */
#define INTO_CGROUP   UINT64_C(0x200000000)
#define STACK_CHECK   4096			    /* bytes of it that must be there */
#define EXIT_SIGNALS  0xff			    /* bits of clone's flags */

/* The child never comes back from here: its stack is another one. */
CDN_BARE static long
clone3_call(const struct clone_args_5_7 *args, int (*fn)(void *arg), void *arg)
{
#if defined(__x86_64__)
	register int (*r12)(void *) __asm__("r12") = fn;
	register void *r13 __asm__("r13") = arg;
	long result;

	__asm__ volatile("syscall\n\t"
			 "test %%rax, %%rax\n\t"
			 "jnz 1f\n\t"
			 "xor %%ebp, %%ebp\n\t"
			 "mov %%r13, %%rdi\n\t"
			 "call *%%r12\n\t"
			 "mov %%eax, %%edi\n\t"
			 "mov %[exit], %%eax\n\t"
			 "syscall\n\t"
			 "1:"
	    : "=a"(result)
	    : "a"((long)SYS_clone3), "D"(args), "S"(sizeof(*args)), "r"(r12),
	    "r"(r13), [exit] "i"(SYS_exit_group)
	    : "rcx", "r11", "memory");
	return result;
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = SYS_clone3;
	register long x0 __asm__("x0") = (long)args;
	register long x1 __asm__("x1") = (long)sizeof(*args);
	register int (*x10)(void *) __asm__("x10") = fn;
	register void *x11 __asm__("x11") = arg;

	__asm__ volatile("svc 0\n\t"
			 "cbnz x0, 1f\n\t"
			 "mov x29, 0\n\t"
			 "mov x0, x11\n\t"
			 "blr x10\n\t"
			 "mov x8, %[exit]\n\t"
			 "svc 0\n\t"
			 "1:"
	    : "+r"(x0)
	    : "r"(x8), "r"(x1), "r"(x10), "r"(x11), [exit] "i"(SYS_exit_group)
	    : "memory");
	return x0;
#else
#error "clone3_call is not written for this architecture"
#endif
}

CDN_BARE int
cdn_sys_clone_more(int cgroup_fd, bool cleared, int (*fn)(void *arg),
    void *stack_top, int flags, void *arg,
    /* NOLINTNEXTLINE(readability-non-const-parameter): the kernel writes */
    int *pidfd,
    /* NOLINTNEXTLINE(readability-non-const-parameter): the same */
    pid_t *pid)
{
	struct clone_args_5_7 args;

	args.flags = ((unsigned)flags & ~(unsigned)EXIT_SIGNALS) |
	    (cgroup_fd < 0 ? 0 : INTO_CGROUP) | (cleared ? CLEAR_SIGHAND : 0);
	args.pidfd = (uintptr_t)pidfd;
	args.child_tid = 0;
	args.parent_tid = (uintptr_t)pid;
	args.exit_signal = (unsigned)flags & EXIT_SIGNALS;
	args.stack = (uintptr_t)stack_top - STACK_CHECK;
	args.stack_size = STACK_CHECK;
	args.tls = 0;
	args.set_tid = 0;
	args.set_tid_size = 0;
	args.cgroup = cgroup_fd < 0 ? 0 : (uint64_t)cgroup_fd;
	return (int)clone3_call(&args, fn, arg);
}

CDN_BARE bool
cdn_sys_has_ended(int pidfd)
{
	struct pollfd ended;
	struct timespec none;

	ended.fd = pidfd;
	ended.events = POLLIN;
	ended.revents = 0;
	none.tv_sec = 0;
	none.tv_nsec = 0;
	return cdn_raw(SYS_ppoll, &ended, 1, &none, NULL, 0) != 0;
}

CDN_BARE int
cdn_sys_die_with(pid_t parent)
{
	int r = (int)cdn_raw(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);

	return r < 0 || cdn_raw(SYS_getppid) == parent ? r : -ESRCH;
}

CDN_BARE void
cdn_sys_reap(pid_t pid)
{
	int status = 0;
	long r;

	do {
		r = cdn_raw(SYS_wait4, pid, &status, __WALL | WUNTRACED, NULL);
		if (r == pid && WIFSTOPPED(status))
			(void)cdn_raw(SYS_kill, pid, SIGCONT);
	} while (r == -EINTR || (r == pid && WIFSTOPPED(status)));
}

CDN_BARE int
cdn_sys_close_range(unsigned first, unsigned flags)
{
	return (int)cdn_raw(SYS_close_range, first, ~0U, flags);
}

CDN_BARE int
cdn_sys_close_to(unsigned first, unsigned last)
{
	return (int)cdn_raw(SYS_close_range, first, last, 0);
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

CDN_BARE uint64_t
cdn_sys_ignored(void)
{
	struct cdn_sigaction now;
	uint64_t ignored = 0;

	now.handler = 0;
	for (int i = 1; i <= CDN_SIGNAL_LAST; i++)
		if (cdn_sys_sigaction(i, NULL, &now) == 0 &&
		    now.handler == (uintptr_t)SIG_IGN)
			ignored |= CDN_SIGNAL_BIT(i);
	return ignored;
}

CDN_BARE void
cdn_sys_reset_signals(uint64_t signals)
{
	struct cdn_sigaction initial;

	initial.handler = 0;
	initial.flags = 0;
	initial.restorer = 0;
	initial.mask = 0;
	signals &= ~(CDN_SIGNAL_BIT(SIGKILL) | CDN_SIGNAL_BIT(SIGSTOP));
	for (int i = 1; i <= CDN_SIGNAL_LAST; i++)
		if ((signals & CDN_SIGNAL_BIT(i)) != 0)
			(void)cdn_sys_sigaction(i, &initial, NULL);
}
