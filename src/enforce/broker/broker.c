/*
 * The life of a broker: its launch thread, and the end of all.
 */
#include "enforce/broker/broker.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "enforce/broker/inside.h"
#include "enforce/sys/forgo.h"
#include "enforce/sys/landlock.h"
#include "enforce/sys/process.h"
#include "enforce/sys/sys.h"

#define OFFER_LOOK_NS 20000000L /* how often a child looks for us */
#define UNSAID	      (-2)	/* of a ruleset */

/* ----- The launch thread --------------------------------------------------------- */

/*
 * What needs no domain yet.  Keys are the caller's: what is performed here uses
 * none, and the child has none from us.  If that cannot be, it says so itself.
 */
static int
begin(struct cdn_broker *broker)
{
	int r = cdn_sys_no_new_privs();

	broker->keyless = cdn_sys_forgo_keyring() == 0;
	if (r == 0)
		r = cdn_sys_forgo_capabilities();
	return r == 0 ? cdn_worker_prepare(broker) : r;
}

static int
restrict_itself(const struct cdn_broker *broker)
{
	return broker->ruleset < 0 ? 0 :
	    cdn_sys_landlock_restrict(broker->ruleset);
}

static void
set_state(struct cdn_broker *broker, enum cdn_broker_state state)
{
	pthread_mutex_lock(&broker->mutex);
	if (broker->state != CDN_BROKER_CLOSING)
		__atomic_store_n(&broker->state, state, __ATOMIC_RELEASE);
	pthread_cond_broadcast(&broker->changed);
	pthread_mutex_unlock(&broker->mutex);
}

/* Until it is one of these two. */
static enum cdn_broker_state
wait_state(struct cdn_broker *broker, enum cdn_broker_state a,
    enum cdn_broker_state b)
{
	enum cdn_broker_state now;

	pthread_mutex_lock(&broker->mutex);
	while (broker->state != a && broker->state != b)
		pthread_cond_wait(&broker->changed, &broker->mutex);
	now = broker->state;
	pthread_mutex_unlock(&broker->mutex);
	return now;
}

/*
 * The order comes soon: to sleep and to be woken, on another processor, takes
 * longer than the rest of what is prepared for it.
 */
static enum cdn_broker_state
await_order(struct cdn_broker *broker)
{
	for (unsigned i = 0; i < CDN_SPINS && __atomic_load_n(&broker->state,
		__ATOMIC_ACQUIRE) == CDN_BROKER_NEW; i++)
		cdn_sys_relax();
	return wait_state(broker, CDN_BROKER_ORDERED, CDN_BROKER_CLOSING);
}

/* Whoever waits for the listener in vain is told. */
static void
end_offer(struct cdn_offer *where)
{
	int none = -1;

	if (__atomic_compare_exchange_n(&where->listener, &none, -2, false,
		__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		(void)cdn_raw(SYS_futex, &where->listener, FUTEX_WAKE_PRIVATE,
		    1);
}

/*
 * The start returns when the child executes its program.  Where even that is a
 * call to be answered somebody else must be there to do it.
 */
static int
carry_out(struct cdn_broker *broker)
{
	bool judges_exec = broker->spec.reads || broker->spec.trace ||
	    broker->spec.at_once;
	int r = -broker->error;
	sigset_t all;

	if (r == 0)
		r = restrict_itself(broker);
	if (r == 0 && judges_exec)
		r = cdn_worker_start(broker);
	if (r == 0) {
		pthread_sigmask(SIG_SETMASK, &broker->order.mask, &all);
		r = broker->order.start(broker->order.arg);
		pthread_sigmask(SIG_SETMASK, &all, NULL);
	}
	if (broker->order.where->shared)
		return cdn_worker_have(broker, r);
	end_offer(broker->order.where);
	return r;
}

static void
close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/*
 * It stays to the end: the child dies with this very thread.  With the last
 * descriptor of a ruleset its rules go: better now, while the program runs.
 */
static void *
launch_main(void *arg)
{
	struct cdn_broker *broker = arg;

	broker->error = -begin(broker);
	if (await_order(broker) == CDN_BROKER_ORDERED) {
		broker->order.result = carry_out(broker);
		set_state(broker, CDN_BROKER_STARTED);
		close_fd(&broker->ruleset);
		/* Who closes has one to wait for less. */
		if (!cdn_worker_attend(broker) || !broker->spec.own_child)
			(void)wait_state(broker, CDN_BROKER_CLOSING,
			    CDN_BROKER_CLOSING);
	}
	cdn_broker_leave(broker);
	return NULL;
}

static int
start_launcher(struct cdn_broker *broker)
{
	pthread_attr_t attr;
	sigset_t all, old;
	int r;

	/* Not those that libc keeps for itself: setuid() waits for them. */
	sigfillset(&all);
	if ((r = pthread_attr_init(&attr)) != 0)
		return -r;
	pthread_attr_setstacksize(&attr, CDN_BROKER_STACK);
	broker->holders++;
	pthread_sigmask(SIG_SETMASK, &all, &old);
	r = pthread_create(&broker->launcher, &attr, launch_main, broker);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	if (r != 0)
		broker->holders--;
	return -r;
}

/* ----- Opening ------------------------------------------------------------------- */

static int
open_places(struct cdn_broker *broker, struct cordon_error *err)
{
	struct cdn_open_how how = { .flags = O_PATH | O_DIRECTORY };
	struct stat st;
	int r = broker->spec.spaces != NULL ?
	    cdn_sys_openat2(broker->spec.spaces->root_fd, ".", &how) :
	    cdn_sys_openat2(AT_FDCWD, "/", &how);

	if (r < 0)
		return cdn_err_sys(err, -r, "the broker needs openat2 "
		    "(Linux 5.6, and no filter that takes it away)");
	broker->root_fd = r;
	r = broker->fds_fd = cdn_sys_openat2(AT_FDCWD, "/proc/self/fd", &how);
	if (r < 0 || fstatat(broker->root_fd, "proc", &st, 0) != 0)
		return cdn_err_sys(err, r < 0 ? -r : errno,
		    "the broker needs /proc (mount it)");
	broker->proc_dev = st.st_dev;
	broker->stop_fd = eventfd(0, EFD_CLOEXEC);
	return broker->stop_fd >= 0 ? 0 :
	    cdn_err_sys(err, errno, "failed to make an eventfd");
}

static struct cdn_broker *
new_broker(const struct cdn_broker_spec *spec)
{
	struct cdn_broker *broker = calloc(1, sizeof(*broker));

	if (broker == NULL)
		return NULL;
	broker->spec = *spec;
	broker->left = calloc(spec->region_count + 1, sizeof(*broker->left));
	if (broker->left == NULL || cdn_family_join(broker) < 0) {
		free(broker->left);
		free(broker);
		return NULL;
	}
	broker->ruleset = UNSAID;
	broker->listener = broker->stop_fd = -1;
	broker->root_fd = broker->fds_fd = broker->gate = -1;
	broker->holders = 1;
	pthread_mutex_init(&broker->mutex, NULL);
	pthread_mutex_init(&broker->making, NULL);
	pthread_mutex_init(&broker->receiving, NULL);
	pthread_mutex_init(&broker->asking, NULL);
	pthread_mutex_init(&broker->leaving, NULL);
	pthread_rwlock_init(&broker->judging, NULL);
	pthread_cond_init(&broker->changed, NULL);
	return broker;
}

int
cdn_broker_open(const struct cdn_broker_spec *spec, struct cdn_broker **ret,
    struct cordon_error *err)
{
	struct cdn_broker *broker = new_broker(spec);
	int r;

	if (broker == NULL)
		return cdn_err_nomem(err);
	r = open_places(broker, err);
	if (r == 0 && (r = start_launcher(broker)) < 0)
		r = cdn_err_sys(err, -r, "failed to start a thread");
	if (r == 0)
		*ret = broker;
	else
		cdn_broker_leave(broker);
	return r;
}

void
cdn_broker_bound(struct cdn_broker *broker, int ruleset)
{
	if (broker->ruleset != UNSAID)
		cdn_bug("a broker has one domain");
	broker->ruleset = ruleset < 0 ? -1 : ruleset;
}

int
cdn_broker_via(struct cdn_broker *broker, struct cdn_offer *where,
    int (*start)(void *arg), void (*beside)(void *arg), void *arg)
{
	if (broker->order.start != NULL || broker->ruleset == UNSAID)
		cdn_bug("a broker starts once, in its domain");
	broker->order.where = where;
	broker->order.start = start;
	broker->order.arg = arg;
	pthread_sigmask(SIG_BLOCK, NULL, &broker->order.mask);
	set_state(broker, CDN_BROKER_ORDERED);
	if (!where->shared)
		cdn_worker_take(broker, where);
	if (beside != NULL)
		beside(arg);
	(void)wait_state(broker, CDN_BROKER_STARTED, CDN_BROKER_STARTED);
	return broker->order.result;
}

void
cdn_broker_look(struct cdn_broker *broker)
{
	pthread_mutex_lock(&broker->family->naming);
	if (broker->spec.last_look != NULL)
		broker->spec.last_look(broker->spec.other_names_arg);
	pthread_mutex_unlock(&broker->family->naming);
}

/* ----- For the child ------------------------------------------------------------- */

CDN_BARE int
cdn_broker_offer(struct cdn_offer *where, int listener)
{
	struct timespec pause;
	uint32_t taken;

	if (where->shared) {
		where->listener = listener;
		return 0;
	}
	pause.tv_sec = 0;
	pause.tv_nsec = OFFER_LOOK_NS;
	if (where->pid == 0)
		where->pid = (pid_t)cdn_raw(SYS_getpid);
	__atomic_store_n(&where->listener, listener, __ATOMIC_RELEASE);
	(void)cdn_raw(SYS_futex, &where->listener, FUTEX_WAKE_PRIVATE, 1);
	while ((taken = __atomic_load_n(&where->taken, __ATOMIC_ACQUIRE)) ==
	    0) {
		if (where->caller_fd >= 0 &&
		    cdn_sys_has_ended(where->caller_fd))
			return -ESRCH;
		(void)cdn_raw(SYS_futex, &where->taken, FUTEX_WAIT_PRIVATE, 0,
		    where->caller_fd < 0 ? NULL : &pause);
	}
	return taken == 1 ? 0 : -EIO;
}

/* ----- The end ------------------------------------------------------------------- */

static void
free_broker(struct cdn_broker *broker)
{
	close_fd(&broker->listener);
	close_fd(&broker->stop_fd);
	close_fd(&broker->root_fd);
	close_fd(&broker->fds_fd);
	close_fd(&broker->gate);
	close_fd(&broker->ruleset);
	cdn_family_leave(broker);
	cdn_pty_done(broker);
	pthread_cond_destroy(&broker->changed);
	pthread_rwlock_destroy(&broker->judging);
	pthread_mutex_destroy(&broker->asking);
	pthread_mutex_destroy(&broker->leaving);
	pthread_mutex_destroy(&broker->receiving);
	pthread_mutex_destroy(&broker->making);
	pthread_mutex_destroy(&broker->mutex);
	free(broker->left);
	free(broker);
}

void
cdn_broker_leave(struct cdn_broker *broker)
{
	bool last;

	pthread_mutex_lock(&broker->mutex);
	last = --broker->holders == 0;
	pthread_mutex_unlock(&broker->mutex);
	if (last)
		free_broker(broker);
}

/* Those that can leave do so at once; one that hangs is not waited for. */
static void
wait_threads(struct cdn_broker *broker)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += CDN_BROKER_GRACE_MS * 1000000L;
	until.tv_sec += until.tv_nsec / 1000000000L;
	until.tv_nsec %= 1000000000L;
	if (pthread_timedjoin_np(broker->launcher, NULL, &until) != 0)
		pthread_detach(broker->launcher);
	pthread_mutex_lock(&broker->mutex);
	while (broker->threads > 0)
		if (pthread_cond_timedwait(&broker->changed, &broker->mutex,
			&until) != 0)
			break;
	pthread_mutex_unlock(&broker->mutex);
}

/*
 * The number of the listener stays taken, by something that answers nothing,
 * as long as a worker that hangs may still use it.
 */
static void
close_listener(struct cdn_broker *broker)
{
	if (broker->listener >= 0)
		(void)dup3(broker->stop_fd, broker->listener, O_CLOEXEC);
}

/*
 * The only thread there is has nothing to tell, and the process ends with the
 * run: what it still closes it closes beside us.
 */
static bool
is_quiet(struct cdn_broker *broker)
{
	bool quiet;

	pthread_mutex_lock(&broker->mutex);
	quiet = broker->quiet && broker->spec.own_child;
	pthread_mutex_unlock(&broker->mutex);
	return quiet;
}

void
cdn_broker_close(struct cdn_broker *broker)
{
	bool quiet;

	if (broker == NULL)
		return;
	set_state(broker, CDN_BROKER_CLOSING);
	(void)eventfd_write(broker->stop_fd, 1);
	quiet = is_quiet(broker);
	if (quiet)
		pthread_detach(broker->launcher);
	else
		wait_threads(broker); /* also for what they still tell */
	pthread_rwlock_wrlock(&broker->judging);
	broker->closed = true;
	pthread_rwlock_unlock(&broker->judging);
	if (!quiet)
		close_listener(broker);
	cdn_broker_leave(broker);
}

const bool *
cdn_broker_keyless(const struct cdn_broker *broker)
{
	return &broker->keyless;
}
