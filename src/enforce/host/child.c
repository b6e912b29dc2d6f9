#include "enforce/host/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "enforce/sys/process.h"

#define STACK_BYTES 16384

struct stack {
	_Alignas(16) char bytes[STACK_BYTES];
};

/* Without SIGCHLD, so only a wait that asks for such children sees it. */
static void
reap(int pid, int *status)
{
	while (waitpid(pid, status, __WALL) < 0 && errno == EINTR)
		;
}

/* ----- A function ------------------------------------------------------- */

struct attempt {
	int (*fn)(void *arg);
	void *arg;
	int result;
};

CDN_BARE static int
attempt_main(void *arg)
{
	struct attempt *attempt = arg;

	attempt->result = attempt->fn(attempt->arg);
	return 0;
}

/* Handlers of ours must not run in it: no signal reaches it. */
CDN_BARE static int
clone_quietly(int (*fn)(void *arg), struct stack *stack, int flags, void *arg,
    int *pidfd)
{
	uint64_t mask;
	int pid;

	cdn_sys_set_mask(CDN_SIGNALS_ALL, &mask);
	pid = cdn_sys_clone(fn, stack->bytes + STACK_BYTES,
	    flags | CLONE_VM | CLONE_VFORK, arg, pidfd);
	cdn_sys_set_mask(mask, NULL);
	return pid;
}

int
cdn_child_try(int (*fn)(void *arg), void *arg, int flags)
{
	CDN_UNINITIALIZED struct stack stack;
	struct attempt attempt = { fn, arg, -ECHILD };
	int error = errno, pid, status;

	pid = clone_quietly(attempt_main, &stack, flags, &attempt, NULL);
	if (pid > 0)
		reap(pid, &status);
	errno = error;
	return pid < 0 ? pid : attempt.result;
}

/* ----- A program -------------------------------------------------------- */

struct program {
	const char *file;
	char *const *argv;
	int timeout_ms;
	struct stack *stack; /* for the program's own process */
};

CDN_BARE static int
program_main(void *arg)
{
	static const char null[] = "/dev/null";
	const struct program *program = arg;
	const struct cdn_sigaction deflt = { 0 };
	const char *env[] = { NULL };
	long fd = cdn_raw(SYS_openat, AT_FDCWD, null, O_RDWR, 0);

	for (int i = 0; i <= 2; i++)
		if (fd < 0 || (fd != i && cdn_raw(SYS_dup3, fd, i, 0) < 0))
			return 1;
	if (cdn_sys_close_range(3, 0) < 0)
		return 1;
	for (int i = 1; i <= CDN_SIGNAL_LAST; i++)
		(void)cdn_sys_sigaction(i, &deflt, NULL);
	cdn_sys_set_mask(0, NULL);
	(void)cdn_raw(SYS_execve, program->file, program->argv, env);
	return 1;
}

static bool
ended_well(int pid, int pidfd, int timeout_ms)
{
	struct pollfd wait = { .fd = pidfd, .events = POLLIN };
	int r, status = 1;

	do
		r = poll(&wait, 1, timeout_ms);
	while (r < 0 && errno == EINTR);
	if (r <= 0)
		kill(pid, SIGKILL);
	reap(pid, &status);
	return r > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* exec makes the end of a child heard again: so it is one of a child's. */
static int
run_program(void *arg)
{
	struct program *program = arg;
	int pidfd = -1;
	int pid = clone_quietly(program_main, program->stack, CLONE_PIDFD,
	    program, &pidfd);

	if (pid < 0)
		return pid;
	return ended_well(pid, pidfd, program->timeout_ms) ? 0 : -EIO;
}

bool
cdn_child_runs(const char *file, char *const argv[], int timeout_ms)
{
	CDN_UNINITIALIZED struct stack stack;
	struct program program = { file, argv, timeout_ms, &stack };

	return cdn_child_try(run_program, &program, 0) == 0;
}
