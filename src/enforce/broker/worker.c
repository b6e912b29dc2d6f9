/*
 * The threads that answer.  Each waits on an epoll of its own, in which the
 * listener is exclusive: a call wakes one of them and not all.
 */
#include "enforce/broker/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <sys/epoll.h>
#include <unistd.h>

/* Two paths, an object and a status fit in it twice. */
#define STACK_SIZE (256UL * 1024UL)

/* ----- One call ------------------------------------------------------------------ */

static void
give(int listener, uint64_t id, const struct cdn_call_answer *answer)
{
	unsigned flags = answer->cloexec ? O_CLOEXEC : 0;
	int r = answer->alone ?
	    cdn_sys_notify_lend(listener, id, answer->fd, flags) :
	    cdn_sys_notify_give(listener, id, answer->fd, flags);

	close(answer->fd);
	/* His table may be full: EMFILE is his error, too. */
	if (r < 0 && r != -ENOENT)
		(void)cdn_sys_notify_answer(listener, id, 0, -r);
	else if (r >= 0 && answer->alone)
		(void)cdn_sys_notify_answer(listener, id, r, 0);
}

static void
send_answer(int listener, uint64_t id, const struct cdn_call_answer *answer)
{
	switch (answer->kind) {
	case CDN_ANSWER_ERROR:
		(void)cdn_sys_notify_answer(listener, id, 0, answer->error);
		break;
	case CDN_ANSWER_VALUE:
		(void)cdn_sys_notify_answer(listener, id, answer->value, 0);
		break;
	case CDN_ANSWER_FD:
		give(listener, id, answer);
		break;
	case CDN_ANSWER_CONTINUE:
		(void)cdn_sys_notify_continue(listener, id);
		break;
	}
}

static void
serve(struct cdn_broker *broker, const struct cdn_notif *notif)
{
	struct cdn_call call = { .broker = broker, .notif = notif,
		.tid = (pid_t)notif->pid };
	struct cdn_call_answer answer = { .kind = CDN_ANSWER_ERROR,
		.error = ENOSYS };
	cdn_handler_fn *handler = cdn_handler_find(notif->data.nr, &call.name);

	if (handler != NULL)
		handler(&call, &answer);
	send_answer(broker->listener, notif->id, &answer);
}

/* ----- The pool ------------------------------------------------------------------ */

/* Somebody must be left to answer while this one is busy. */
static void
become_busy(struct cdn_broker *broker)
{
	bool more;

	pthread_mutex_lock(&broker->mutex);
	more = --broker->idle == 0 && broker->threads < CDN_BROKER_THREADS &&
	    broker->state != CDN_BROKER_CLOSING;
	pthread_mutex_unlock(&broker->mutex);
	if (more)
		(void)cdn_worker_start(broker);
}

static void
become_idle(struct cdn_broker *broker)
{
	pthread_mutex_lock(&broker->mutex);
	broker->idle++;
	pthread_mutex_unlock(&broker->mutex);
}

/*
 * The kernel knows no way to receive without waiting.  One at a time, and only
 * when there is something: then it does not wait, and nobody hangs in it when
 * all are to leave.  A caller that died meanwhile is -ENOENT, at once.
 */
static bool
receive(struct cdn_broker *broker, struct cdn_notif *notif)
{
	struct pollfd fd = { broker->listener, POLLIN, 0 };
	bool got = false;

	pthread_mutex_lock(&broker->receiving);
	if (poll(&fd, 1, 0) == 1 && (fd.revents & POLLIN) != 0)
		got = cdn_sys_notify_receive(broker->listener, notif) == 0;
	pthread_mutex_unlock(&broker->receiving);
	return got;
}

static int
make_epoll(const struct cdn_broker *broker)
{
	struct epoll_event stop = { .events = EPOLLIN, .data.fd = -1 };
	struct epoll_event call = { .events = EPOLLIN | EPOLLEXCLUSIVE };
	int fd = epoll_create1(EPOLL_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (epoll_ctl(fd, EPOLL_CTL_ADD, broker->stop_fd, &stop) == 0 &&
	    epoll_ctl(fd, EPOLL_CTL_ADD, broker->listener, &call) == 0)
		return fd;
	close(fd);
	return -errno;
}

/* Until all are to leave, or the last of the callers is gone. */
static void
answer_calls(struct cdn_broker *broker, int epoll)
{
	struct epoll_event event;
	struct cdn_notif notif;

	for (;;) {
		int n = epoll_wait(epoll, &event, 1, -1);

		if (n < 0 && errno == EINTR)
			continue;
		if (n != 1 || event.data.fd == -1 ||
		    (event.events & EPOLLIN) == 0)
			return;
		if (!receive(broker, &notif))
			continue;
		become_busy(broker);
		serve(broker, &notif);
		become_idle(broker);
	}
}

static void
leave(struct cdn_broker *broker)
{
	pthread_mutex_lock(&broker->mutex);
	broker->threads--;
	broker->idle--;
	pthread_cond_broadcast(&broker->changed);
	pthread_mutex_unlock(&broker->mutex);
	cdn_broker_leave(broker);
}

/*
 * A umask and a working directory of its own: what a call makes gets the mask
 * of the caller, and the process we live in keeps its.
 */
static int
prepare(void)
{
	return unshare(CLONE_FS) == 0 ? 0 : -errno;
}

static void *
worker_main(void *arg)
{
	struct cdn_broker *broker = arg;
	int epoll = prepare() == 0 ? make_epoll(broker) : -1;

	if (epoll >= 0) {
		answer_calls(broker, epoll);
		close(epoll);
	}
	leave(broker);
	return NULL;
}

static int
start_thread(struct cdn_broker *broker, void *(*main)(void *))
{
	pthread_attr_t attr;
	pthread_t thread;
	int r = pthread_attr_init(&attr);

	if (r != 0)
		return -r;
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_mutex_lock(&broker->mutex);
	broker->holders++;
	broker->threads++;
	broker->idle++;
	pthread_mutex_unlock(&broker->mutex);
	r = pthread_create(&thread, &attr, main, broker);
	pthread_attr_destroy(&attr);
	if (r != 0)
		leave(broker);
	return -r;
}

int
cdn_worker_start(struct cdn_broker *broker)
{
	return start_thread(broker, worker_main);
}

/* ----- The first of them --------------------------------------------------------- */

/* The number in the child, or -2. */
static int
await_offer(struct cdn_offer *where)
{
	int listener;

	while ((listener = __atomic_load_n(&where->listener,
		    __ATOMIC_ACQUIRE)) == -1)
		(void)cdn_raw(SYS_futex, &where->listener, FUTEX_WAIT_PRIVATE,
		    -1, NULL);
	return listener;
}

static int
take_listener(const struct cdn_offer *where, int theirs)
{
	cdn_cleanup_fd int own = where->pidfd >= 0 ? -1 :
	    cdn_sys_pidfd_open(where->pid);

	if (where->pidfd < 0 && own < 0)
		return own;
	return cdn_sys_pidfd_getfd(where->pidfd >= 0 ? where->pidfd : own,
	    theirs);
}

static void
tell_taken(struct cdn_offer *where, bool taken)
{
	__atomic_store_n(&where->taken, taken ? 1U : 2U, __ATOMIC_RELEASE);
	(void)cdn_raw(SYS_futex, &where->taken, FUTEX_WAKE_PRIVATE, 1);
}

/* As many as there are processors, this one and one in reserve. */
static void
start_others(struct cdn_broker *broker)
{
	unsigned n = broker->processors;

	if (n > CDN_BROKER_THREADS - 1)
		n = CDN_BROKER_THREADS - 1;
	for (unsigned i = 0; i < n; i++)
		if (cdn_worker_start(broker) < 0)
			break;
}

static void
settle(struct cdn_broker *broker)
{
	pthread_mutex_lock(&broker->mutex);
	broker->order.settled = true;
	pthread_cond_broadcast(&broker->changed);
	pthread_mutex_unlock(&broker->mutex);
}

/* An epoll of the listener, which is ours then; or -errno. */
static int
take(struct cdn_broker *broker)
{
	struct cdn_offer *where = broker->order.where;
	int theirs = await_offer(where), r = prepare();

	if (theirs >= 0 && r == 0)
		r = broker->listener = take_listener(where, theirs);
	if (theirs >= 0 && r >= 0) {
		(void)cdn_sys_notify_sync(broker->listener);
		r = make_epoll(broker);
	}
	if (theirs >= 0)
		tell_taken(where, r >= 0);
	settle(broker);
	return theirs >= 0 ? r : -ENOENT;
}

static void *
taker_main(void *arg)
{
	struct cdn_broker *broker = arg;
	int epoll = take(broker);

	if (epoll >= 0) {
		start_others(broker);
		answer_calls(broker, epoll);
		close(epoll);
	}
	leave(broker);
	return NULL;
}

int
cdn_worker_start_taker(struct cdn_broker *broker)
{
	return start_thread(broker, taker_main);
}
