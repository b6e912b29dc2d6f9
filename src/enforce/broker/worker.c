/*
 * The threads that answer.  One of them waits in front, at the listener itself:
 * whom the kernel finds there it wakes on the processor of the caller, who goes
 * on there as well, and no other processor has to be woken for a call.  While
 * that one is busy the others wait behind, at the gate, an epoll that tells one
 * of them of a call; as long as somebody is in front, or nobody behind, it tells
 * of none.
 *
 * Most programs make no call that must be answered, and a thread costs as much
 * as a few, so there is none before the first call.
 */
#include "enforce/broker/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "enforce/broker/plant.h"

#define APART_AGAIN_MS 10

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

/* Refused without a denial: because nothing can be known of the caller? */
static void
tell_hidden(struct cdn_call *call, const struct cdn_call_answer *answer)
{
	bool refused = answer->kind == CDN_ANSWER_ERROR &&
	    (answer->error == EPERM || answer->error == EACCES);

	if (refused && !call->told && cdn_call_is_hidden(call))
		cdn_call_tell_floor(call, "<not dumpable>", answer->error);
}

/* Who answers is done as soon as the caller is awake. */
static void
answer_him(struct cdn_broker *broker, const struct cdn_call *call,
    const struct cdn_call_answer *answer)
{
	pid_t *place;

	pthread_mutex_lock(&broker->mutex);
	place = cdn_answering_begin(&broker->answering, call->tid);
	pthread_mutex_unlock(&broker->mutex);
	send_answer(broker->listener, call->notif->id, answer);
	pthread_mutex_lock(&broker->mutex);
	cdn_answering_end(place);
	pthread_mutex_unlock(&broker->mutex);
}

/* ----- The pool ------------------------------------------------------------------ */

/* Where a thread waits for the next call. */
enum place {
	BEHIND, /* at the gate */
	FRONT,	/* at the listener */
	ALONE,	/* the same, and nobody else can receive */
};

/* What the gate is told of the listener; once: until somebody says so again. */
enum { SHUT = 0, OPEN_ONCE = EPOLLIN | EPOLLONESHOT };

/* With the mutex held, and the listener in it: then it cannot fail. */
static void
set_gate(struct cdn_broker *broker, uint32_t events)
{
	struct epoll_event call = { .events = events };

	broker->gate_open = events != SHUT;
	(void)epoll_ctl(broker->gate, EPOLL_CTL_MOD, broker->listener, &call);
}

/*
 * Somebody must be left to answer while this one is busy.  One caller alone
 * comes with its next call before we have left the answer to the last one: a
 * thread for each of these would be one for every call, and the kernel goes
 * through all that listen.
 */
static void
become_busy(struct cdn_broker *broker, enum place place, pid_t tid)
{
	bool more;

	pthread_mutex_lock(&broker->mutex);
	if (place != BEHIND)
		broker->fronted = false;
	broker->idle--;
	if (!broker->fronted && broker->idle > 0)
		set_gate(broker, OPEN_ONCE);
	more = broker->idle == 0 &&
	    !cdn_answering_enough(&broker->answering, tid) &&
	    broker->threads < CDN_BROKER_THREADS &&
	    broker->state != CDN_BROKER_CLOSING;
	pthread_mutex_unlock(&broker->mutex);
	if (more)
		(void)cdn_worker_start(broker);
}

/*
 * Before there is a listener nobody can be in front.  Those behind count as idle,
 * also who was told of a call just now and has not received it; and whoever comes
 * behind later is told of none.  So who is the only idle one when he steps forward
 * is the only one to receive until he is busy.
 */
static enum place
step_forward(struct cdn_broker *broker)
{
	if (broker->fronted || broker->listener < 0)
		return BEHIND;
	if (broker->gate_open)
		set_gate(broker, SHUT);
	broker->fronted = true;
	return broker->idle == 1 ? ALONE : FRONT;
}

/* Who leaves: those behind shall learn why by themselves. */
static void
step_back(struct cdn_broker *broker)
{
	pthread_mutex_lock(&broker->mutex);
	broker->fronted = false;
	set_gate(broker, OPEN_ONCE);
	pthread_mutex_unlock(&broker->mutex);
}

/* more: one that was busy. */
static enum place
become_idle(struct cdn_broker *broker, unsigned more)
{
	enum place place;

	pthread_mutex_lock(&broker->mutex);
	broker->idle += more;
	place = step_forward(broker);
	pthread_mutex_unlock(&broker->mutex);
	return place;
}

static bool
is_there(const struct cdn_broker *broker)
{
	struct pollfd fd = { broker->listener, POLLIN, 0 };

	return poll(&fd, 1, 0) == 1 && (fd.revents & POLLIN) != 0;
}

/*
 * The kernel knows no way to receive without waiting.  One at a time, and only
 * when there is something: then it does not wait, and nobody hangs in it when
 * all are to leave.  A caller that died meanwhile is -ENOENT, at once.  sure:
 * there is a call, and nobody else receives it.
 */
static bool
receive(struct cdn_broker *broker, bool sure, struct cdn_notif *notif)
{
	bool got = false;

	pthread_mutex_lock(&broker->receiving);
	if (sure || is_there(broker))
		got = cdn_sys_notify_receive(broker->listener, notif) == 0;
	pthread_mutex_unlock(&broker->receiving);
	return got;
}

static int
make_gate(const struct cdn_broker *broker)
{
	struct epoll_event stop = { .events = EPOLLIN, .data.fd = -1 };
	int fd = epoll_create1(EPOLL_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (epoll_ctl(fd, EPOLL_CTL_ADD, broker->stop_fd, &stop) == 0)
		return fd;
	close(fd);
	return -errno;
}

/*
 * Also when the kernel could not look: who is stopped (by SIGSTOP, a debugger)
 * while others hold the listener's lock gets an error.  It is no end, and whoever
 * left because of it would leave the gate shut for those behind him.
 */
enum { PERHAPS_CALL = EPOLLIN | EPOLLERR };

/* False when all are to leave, or the last of the callers is gone. */
static bool
await_behind(const struct cdn_broker *broker)
{
	struct epoll_event event;
	int n;

	do
		n = epoll_wait(broker->gate, &event, 1, -1);
	while (n < 0 && errno == EINTR);
	return n == 1 && event.data.fd != -1 &&
	    (event.events & PERHAPS_CALL) != 0;
}

/*
 * The same for who is in front; with no events for the end alone.  *ret_seen: it
 * is a call for sure.
 */
static bool
await_in_front(const struct cdn_broker *broker, short events, bool *ret_seen)
{
	struct pollfd fds[] = { { broker->listener, events, 0 },
		{ broker->stop_fd, POLLIN, 0 } };
	int n;

	do
		n = poll(fds, CDN_LEN(fds), -1);
	while (n < 0 && errno == EINTR);
	*ret_seen = n > 0 && (fds[0].revents & POLLIN) != 0;
	return n > 0 && fds[1].revents == 0 &&
	    (fds[0].revents & PERHAPS_CALL) != 0;
}

/*
 * Nothing is left to be done behind the answer, nor does it wait for anybody:
 * then we are in front again before the caller comes with his next call, and
 * nobody else is woken for it.
 */
static bool
is_last(const struct cdn_call *call, const struct cdn_call_answer *answer)
{
	return answer->kind != CDN_ANSWER_FD &&
	    !cdn_call_has_to_tell(call, answer);
}

static enum place
finish(struct cdn_broker *broker, struct cdn_call *call,
    const struct cdn_call_answer *answer)
{
	enum place place;

	if (is_last(call, answer)) {
		place = become_idle(broker, 1);
		send_answer(broker->listener, call->notif->id, answer);
		return place;
	}
	answer_him(broker, call, answer);
	cdn_call_tell_allowed(call, answer);
	return become_idle(broker, 1);
}

static enum place
serve(struct cdn_broker *broker, const struct cdn_notif *notif,
    struct cdn_kept *kept)
{
	CDN_UNINITIALIZED struct cdn_notes notes;
	struct cdn_call call = { .broker = broker, .kept = kept,
		.notif = notif, .tid = (pid_t)notif->pid };
	struct cdn_call_answer answer = { .kind = CDN_ANSWER_ERROR,
		.error = ENOSYS };
	cdn_handler_fn *handler = cdn_handler_find(notif->data.nr, &call.name);

	if (broker->spec.allowed != NULL)
		call.notes = &notes;
	cdn_call_forget(&call);
	if (cdn_plant_unjudged(handler))
		answer.kind = CDN_ANSWER_CONTINUE;
	else if (handler != NULL)
		handler(&call, &answer);
	tell_hidden(&call, &answer);
	return finish(broker, &call, &answer);
}

static void
answer_calls(struct cdn_broker *broker)
{
	struct cdn_kept kept = CDN_KEPT_INIT;
	struct cdn_notif notif;
	enum place place = become_idle(broker, 0);
	bool seen = false;

	while (place == BEHIND ? await_behind(broker) :
				 await_in_front(broker, POLLIN, &seen)) {
		if (receive(broker, place == ALONE && seen, &notif)) {
			become_busy(broker, place, (pid_t)notif.pid);
			place = serve(broker, &notif, &kept);
		} else if (place == BEHIND) { /* the gate has shut behind us */
			place = become_idle(broker, 0);
		}
	}
	cdn_kept_done(&kept);
	if (place != BEHIND)
		step_back(broker);
}

static void
count(struct cdn_broker *broker)
{
	pthread_mutex_lock(&broker->mutex);
	broker->threads++;
	broker->idle++;
	pthread_mutex_unlock(&broker->mutex);
}

static void
discount(struct cdn_broker *broker)
{
	pthread_mutex_lock(&broker->mutex);
	broker->threads--;
	broker->idle--;
	pthread_cond_broadcast(&broker->changed);
	pthread_mutex_unlock(&broker->mutex);
}

/*
 * A umask and a working directory of its own: what a call makes gets the mask
 * of the caller, and the process we live in keeps its.
 */
static int
be_apart(void)
{
	return unshare(CLONE_FS) == 0 ? 0 : -errno;
}

/* Memory is short, perhaps: who gave up would leave callers to nobody. */
static void
become_apart(struct cdn_broker *broker)
{
	struct pollfd stop = { broker->stop_fd, POLLIN, 0 };

	while (be_apart() != 0 && poll(&stop, 1, APART_AGAIN_MS) <= 0)
		;
}

static void *
worker_main(void *arg)
{
	struct cdn_broker *broker = arg;

	become_apart(broker);
	answer_calls(broker);
	discount(broker);
	cdn_broker_leave(broker);
	return NULL;
}

static void
hold(struct cdn_broker *broker)
{
	pthread_mutex_lock(&broker->mutex);
	broker->holders++;
	pthread_mutex_unlock(&broker->mutex);
}

int
cdn_worker_start(struct cdn_broker *broker)
{
	pthread_attr_t attr;
	pthread_t thread;
	int r = pthread_attr_init(&attr);

	if (r != 0)
		return -r;
	pthread_attr_setstacksize(&attr, CDN_BROKER_STACK);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	hold(broker);
	count(broker);
	r = pthread_create(&thread, &attr, worker_main, broker);
	pthread_attr_destroy(&attr);
	if (r != 0) {
		discount(broker);
		cdn_broker_leave(broker);
	}
	return -r;
}

/* ----- The first of them --------------------------------------------------------- */

int
cdn_worker_prepare(struct cdn_broker *broker)
{
	int r = be_apart();

	if (r == 0)
		r = broker->gate = make_gate(broker);
	return r < 0 ? r : 0;
}

/* As long as it is quiet who closes waits for nobody. */
static bool
await_first(struct cdn_broker *broker)
{
	bool call;

	pthread_mutex_lock(&broker->mutex);
	broker->quiet = true;
	pthread_mutex_unlock(&broker->mutex);
	call = await_behind(broker);
	pthread_mutex_lock(&broker->mutex);
	call = call && broker->state != CDN_BROKER_CLOSING;
	broker->quiet = !call;
	pthread_mutex_unlock(&broker->mutex);
	return call;
}

/* With the listener goes its filter, which takes a while. */
static void
let_go(struct cdn_broker *broker)
{
	if (broker->listener >= 0)
		close(broker->listener);
	close(broker->gate);
	broker->listener = broker->gate = -1;
}

static bool
has_workers(struct cdn_broker *broker)
{
	bool any;

	pthread_mutex_lock(&broker->mutex);
	any = broker->threads > 0;
	pthread_mutex_unlock(&broker->mutex);
	return any;
}

bool
cdn_worker_attend(struct cdn_broker *broker)
{
	bool seen;

	if (broker->gate < 0 || has_workers(broker))
		return false;
	if (!await_first(broker)) {
		let_go(broker);
		return true;
	}
	if (cdn_worker_start(broker) == 0) {
		while (await_in_front(broker, 0, &seen))
			; /* and the child dies with this thread */
		return true;
	}
	count(broker);
	answer_calls(broker);
	discount(broker);
	return true;
}

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

static int
have_listener(struct cdn_broker *broker, int listener)
{
	struct epoll_event call = { .events = OPEN_ONCE };
	int r;

	pthread_mutex_lock(&broker->mutex);
	broker->listener = listener;
	(void)cdn_sys_notify_sync(listener);
	broker->gate_open = true;
	r = epoll_ctl(broker->gate, EPOLL_CTL_ADD, listener, &call);
	pthread_mutex_unlock(&broker->mutex);
	return r == 0 ? 0 : -errno;
}

void
cdn_worker_take(struct cdn_broker *broker, struct cdn_offer *where)
{
	int theirs = await_offer(where);
	int r;

	if (theirs < 0)
		return;
	r = take_listener(where, theirs);
	if (r >= 0)
		r = have_listener(broker, r);
	tell_taken(where, r >= 0);
}

int
cdn_worker_have(struct cdn_broker *broker, int r)
{
	int listener = broker->order.where->listener;
	int added = listener < 0 ? 0 : have_listener(broker, listener);

	return added < 0 ? added : r;
}
