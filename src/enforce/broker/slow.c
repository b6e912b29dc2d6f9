/*
 * Calls that wait for somebody: a FIFO has two ends, and so has a connection.
 *
 * For the caller any signal ends them.  In a thread of ours only one with a
 * handler would, and those are not ours to set; nor can we be the other end of
 * a FIFO for a moment, because whoever else waits for that would be let in.  So
 * a process waits, which has our memory and nothing else.  It is killed when the
 * caller is gone or all is over.  When a signal came for him, which he sees only
 * when we answer, it is called back and not killed: the other end may have let
 * it in meanwhile, and then that is what the call came to, as in the kernel.
 *
 *	worker			helper
 *	clone		->	closes all but this one descriptor
 *	looks, waits		open(2) or connect(2) ...
 *	calls back	->	... is interrupted, or was done
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
#define STACK_SIZE 16384     /* a handler's frame with all registers is 3 K */
#define WAITING	   INT32_MIN
#define CALLED	   (INT32_MIN + 1) /* back, before it knew what came of it */
#define CALL_BACK  SIGUSR1
#define RESTORER   0x04000000UL /* SA_: what x86 wants to hear */

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

/* Says so once, and stays until it was fetched. */
CDN_BARE _Noreturn static void
come_to(struct helper *helper, int32_t result)
{
	int32_t waiting = WAITING;

	(void)__atomic_compare_exchange_n(&helper->result, &waiting, result,
	    false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
	(void)cdn_raw(SYS_futex, &helper->result, FUTEX_WAKE_PRIVATE, 1);
	for (;;)
		(void)cdn_raw(SYS_ppoll, NULL, 0, NULL, NULL, 0);
}

/* A handler that never returns. */
CDN_BARE static void
come_back(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	come_to(info->si_value.sival_ptr, CALLED);
}

/* The table of handlers is its own; nothing else of ours is blocked less. */
CDN_BARE static void
listen_for_call(void)
{
	struct cdn_sigaction action;

	action.handler = (uintptr_t)come_back;
	action.flags = SA_SIGINFO | RESTORER;
	action.restorer = (uintptr_t)come_back;
	action.mask = CDN_SIGNALS_ALL;
	(void)cdn_sys_sigaction(CALL_BACK, &action, NULL);
	cdn_sys_set_mask(CDN_SIGNALS_ALL & ~CDN_SIGNAL_BIT(CALL_BACK), NULL);
}

CDN_BARE static int
helper_main(void *arg)
{
	struct helper *helper = arg;
	long r;

	(void)cdn_raw(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	close_all_but(helper->fd, helper->other);
	listen_for_call(); /* not before: what is open then is the result's */
	r = helper->address != NULL ?
	    cdn_raw(SYS_connect, helper->fd, helper->address, helper->size) :
	    cdn_raw(SYS_openat, AT_FDCWD, helper->name, helper->flags, 0);
	come_to(helper, (int32_t)r);
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

/* For a moment.  WAITING, or what it came to. */
static int32_t
look_at(const struct helper *helper)
{
	struct timespec look = { 0, LOOK_NS };

	(void)cdn_raw(SYS_futex, &helper->result, FUTEX_WAIT_PRIVATE, WAITING,
	    &look);
	return __atomic_load_n(&helper->result, __ATOMIC_ACQUIRE);
}

/* What helper_main() came to, or why nobody waits for it any more. */
static int
await(struct cdn_call *call, const struct helper *helper)
{
	unsigned seen = 0;
	int32_t r;

	while ((r = look_at(helper)) == WAITING) {
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

/* Called back from a call: was that done, and nobody had heard of it yet? */
static int
find_result(const struct helper *helper, int pidfd)
{
	struct sockaddr_storage peer;
	socklen_t size = sizeof(peer);
	int lowest = helper->fd == 0 ? 1 : 0; /* where open(2) puts it */
	int fd;

	if (helper->address != NULL)
		return getpeername(helper->fd, (struct sockaddr *)&peer,
		    &size) == 0 ? 0 : -CDN_ERESTARTSYS;
	fd = cdn_sys_pidfd_getfd(pidfd, lowest);
	return fd >= 0 ? fd : -CDN_ERESTARTSYS;
}

static int
call_back(struct helper *helper, int pidfd)
{
	siginfo_t info = { .si_signo = CALL_BACK, .si_code = SI_QUEUE };
	int32_t r;

	info.si_value.sival_ptr = helper;
	(void)cdn_raw(SYS_pidfd_send_signal, pidfd, CALL_BACK, &info, 0);
	while ((r = look_at(helper)) == WAITING)
		if (cdn_sys_has_ended(pidfd))
			return -CDN_ERESTARTSYS;
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
	if (r == -CDN_ERESTARTSYS)
		r = call_back(helper, pidfd);
	if (r == CALLED)
		r = find_result(helper, pidfd);
	else if (r >= 0 && helper->address == NULL)
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
