/*
 * Calls that wait for somebody: a FIFO has two ends, and so has a connection.
 *
 * For the caller any signal ends them.  In a thread of ours only one with a
 * handler would, and those are not ours to set; nor can we be the other end of
 * a FIFO for a moment, because whoever else waits for that would be let in.  So
 * a process waits, which has our memory and nothing else, and is killed when
 *
 *	the caller is gone, or all is over
 *	a signal came for him, which he sees only when we answer
 *
 *	worker			helper
 *	clone		->	closes all but this one descriptor
 *	looks, waits		open(2) or connect(2) ...
 *	fetches it	<-	... result
 *	kills, reaps
 */
#include "enforce/broker/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "enforce/sys/process.h"
#include "enforce/sys/sys.h"

#ifndef SYS_close_range
#define SYS_close_range 436 /* the same on every architecture */
#endif
#define LOOK_NS	   10000000L /* between two looks at the caller */
#define STACK_SIZE 8192
#define WAITING	   INT32_MIN

struct helper {
	int fd;	   /* O_PATH of a FIFO, or a socket */
	int other; /* that it needs besides, or the same */
	int flags;
	char name[32];			/* of the FIFO */
	const struct sockaddr *address; /* NULL: it is opened */
	socklen_t size;
	int32_t result; /* futex: WAITING, then what the call returned */
	_Alignas(16) char stack[STACK_SIZE];
};

/* ----- How many ------------------------------------------------------------------- */

int
cdn_slow_begin(struct cdn_call *call)
{
	struct cdn_broker *broker = call->broker;
	bool room;

	pthread_mutex_lock(&broker->mutex);
	room = broker->slow < CDN_BROKER_SLOW &&
	    broker->state != CDN_BROKER_CLOSING;
	broker->slow += room;
	pthread_mutex_unlock(&broker->mutex);
	return room ? 0 : -ENFILE;
}

void
cdn_slow_end(struct cdn_call *call)
{
	pthread_mutex_lock(&call->broker->mutex);
	call->broker->slow--;
	pthread_mutex_unlock(&call->broker->mutex);
}

/* ----- The helper ---------------------------------------------------------------- */

/* Nobody must wait for what is open only because of us. */
CDN_BARE static void
close_all_but(int a, int b)
{
	int low = a < b ? a : b, high = a < b ? b : a;

	if (low > 0)
		(void)cdn_raw(SYS_close_range, 0, low - 1, 0);
	if (high - low > 1)
		(void)cdn_raw(SYS_close_range, low + 1, high - 1, 0);
	(void)cdn_raw(SYS_close_range, high + 1, ~0U, 0);
}

CDN_BARE static int
helper_main(void *arg)
{
	struct helper *helper = arg;
	long r;

	(void)cdn_raw(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	close_all_but(helper->fd, helper->other);
	r = helper->address != NULL ?
	    cdn_raw(SYS_connect, helper->fd, helper->address, helper->size) :
	    cdn_raw(SYS_openat, AT_FDCWD, helper->name, helper->flags, 0);
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
			return -CDN_ERESTARTSYS;
	}
	return r;
}

static int
run_helper(struct cdn_call *call, struct helper *helper)
{
	int pidfd = -1, r;
	pid_t pid = cdn_sys_clone(helper_main, helper->stack + STACK_SIZE,
	    CLONE_VM | CLONE_PIDFD, helper, &pidfd);

	if (pid < 0)
		return -ENFILE;
	r = await(call, helper);
	/* It may have come while we thought of leaving. */
	if (r == -CDN_ERESTARTSYS &&
	    __atomic_load_n(&helper->result, __ATOMIC_ACQUIRE) != WAITING)
		r = helper->result;
	if (r >= 0 && helper->address == NULL)
		r = cdn_sys_pidfd_getfd(pidfd, r);
	end_helper(pidfd);
	return r;
}

static int
wait_by_helper(struct cdn_call *call, struct helper *helper)
{
	int r = cdn_slow_begin(call);

	if (r < 0)
		return r;
	helper->result = WAITING;
	r = run_helper(call, helper);
	cdn_slow_end(call);
	return r;
}

int
cdn_slow_open(struct cdn_call *call, const struct cdn_object *object, int flags)
{
	CDN_UNINITIALIZED struct helper helper;

	snprintf(helper.name, sizeof(helper.name), "/proc/self/fd/%d",
	    object->fd);
	helper.fd = helper.other = object->fd;
	helper.flags = flags;
	helper.address = NULL;
	helper.size = 0;
	return wait_by_helper(call, &helper);
}

int
cdn_slow_connect(struct cdn_call *call, int fd, int held,
    const struct sockaddr *address, socklen_t size)
{
	CDN_UNINITIALIZED struct helper helper;

	helper.fd = fd;
	helper.other = held < 0 ? fd : held;
	helper.flags = 0;
	helper.address = address;
	helper.size = size;
	return wait_by_helper(call, &helper);
}
