/*
 * An open that waits for the other end of a FIFO.
 *
 * For the caller any signal ends it.  In a thread of ours only one with a
 * handler would, and those are not ours to set; nor can we be the other end for
 * a moment, because whoever else waits for that would be let in.  So a process
 * waits, which has our memory and nothing else, and is killed when
 *
 *	the caller is gone, or all is over
 *	a signal came for him, which he sees only when we answer
 *
 *	worker			helper
 *	clone		->	closes all but the FIFO
 *	looks, waits		open(2) ...
 *	fetches it	<-	... result
 *	kills, reaps
 */
#include "enforce/broker/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "enforce/sys/process.h"
#include "enforce/sys/sys.h"

#define LOOK_NS	   10000000L /* between two looks at the caller */
#define STACK_SIZE 8192
#define WAITING	   INT32_MIN
/*
 * Of the kernel: the call begins anew, or is EINTR, as the handler was asked
 * for.  Only for somebody who has a signal, else he would see it.
 */
#define RESTART 512

struct helper {
	int fifo; /* O_PATH */
	int flags;
	int32_t result; /* futex: WAITING, then a descriptor of its own */
	_Alignas(16) char stack[STACK_SIZE];
};

/* ----- The helper ---------------------------------------------------------------- */

CDN_BARE static int
helper_main(void *arg)
{
	struct helper *helper = arg;
	long r;

	(void)cdn_raw(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	/* Nobody must wait for what is open only because of us. */
	r = cdn_raw(SYS_dup3, helper->fifo, 0, O_CLOEXEC);
	if (r >= 0)
		r = cdn_sys_close_range(1, 0);
	if (r >= 0)
		r = cdn_raw(SYS_openat, AT_FDCWD, "/proc/self/fd/0",
		    helper->flags, 0);
	__atomic_store_n(&helper->result, (int32_t)r, __ATOMIC_RELEASE);
	(void)cdn_raw(SYS_futex, &helper->result, FUTEX_WAKE_PRIVATE, 1);
	for (;;) /* until it was fetched; every signal but one is blocked */
		(void)cdn_raw(SYS_ppoll, NULL, 0, NULL, NULL, 0);
	return 0;
}

static void
end_helper(int pidfd)
{
	siginfo_t info;

	(void)cdn_raw(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0);
	while (waitid(P_PIDFD, (id_t)pidfd, &info, WEXITED | __WALL) != 0 &&
	    errno == EINTR)
		;
	close(pidfd);
}

/* ----- The worker ---------------------------------------------------------------- */

static bool
is_closing(struct cdn_broker *broker)
{
	bool closing;

	pthread_mutex_lock(&broker->mutex);
	closing = broker->state == CDN_BROKER_CLOSING;
	pthread_mutex_unlock(&broker->mutex);
	return closing;
}

/* What helper_main() came to, or why nobody waits for it any more. */
static int
await(struct cdn_call *call, const struct helper *helper)
{
	struct timespec look = { 0, LOOK_NS };
	unsigned seen = 0;
	int32_t r;

	while ((r = __atomic_load_n(&helper->result, __ATOMIC_ACQUIRE)) ==
	    WAITING) {
		(void)cdn_raw(SYS_futex, &helper->result, FUTEX_WAIT_PRIVATE,
		    WAITING, &look);
		if (!cdn_call_waits(call))
			return -ESRCH;
		if (is_closing(call->broker))
			return -ENOSYS;
		/* Twice: one that is for another thread is gone by then. */
		seen = cdn_call_has_signal(call) ? seen + 1 : 0;
		if (seen > 1)
			return -RESTART;
	}
	return r;
}

static int
open_by_helper(struct cdn_call *call, struct helper *helper)
{
	int pidfd = -1, r;
	pid_t pid = cdn_sys_clone(helper_main, helper->stack + STACK_SIZE,
	    CLONE_VM | CLONE_PIDFD, helper, &pidfd);

	if (pid < 0)
		return -ENFILE;
	r = await(call, helper);
	/* It may have come while we thought of leaving. */
	if (r == -RESTART &&
	    __atomic_load_n(&helper->result, __ATOMIC_ACQUIRE) != WAITING)
		r = helper->result;
	if (r >= 0)
		r = cdn_sys_pidfd_getfd(pidfd, r);
	end_helper(pidfd);
	return r;
}

int
cdn_slow_open(struct cdn_call *call, const struct cdn_object *object, int flags)
{
	CDN_UNINITIALIZED struct helper helper;
	struct cdn_slow slow = { .fd = object->fd, .kind = CDN_SLOW_OPEN };
	int r = cdn_slow_begin(call, &slow);

	if (r < 0)
		return r;
	helper.fifo = object->fd;
	helper.flags = flags;
	helper.result = WAITING;
	r = open_by_helper(call, &helper);
	cdn_slow_end(call, &slow);
	return r;
}
