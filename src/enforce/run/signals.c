#include "enforce/run/signals.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "enforce/sys/process.h"

static const struct {
	int number;
	bool if_ignored; /* wanted even then */
	bool ends;	 /* a process that does nothing about it */
} rows[CDN_SIGNAL_MAX] = {
	[CDN_SIGNAL_INT] = { SIGINT, false, true },
	[CDN_SIGNAL_TERM] = { SIGTERM, false, true },
	[CDN_SIGNAL_HUP] = { SIGHUP, false, true },
	[CDN_SIGNAL_QUIT] = { SIGQUIT, false, true },
	[CDN_SIGNAL_USR1] = { SIGUSR1, false, true },
	[CDN_SIGNAL_USR2] = { SIGUSR2, false, true },
	[CDN_SIGNAL_TSTP] = { SIGTSTP, false, false },
	[CDN_SIGNAL_CONT] = { SIGCONT, true, false },
	[CDN_SIGNAL_WINCH] = { SIGWINCH, true, false },
	[CDN_SIGNAL_CHLD] = { SIGCHLD, true, false },
};

static struct {
	pthread_mutex_t lock;
	pid_t owner;   /* a child made by fork() has the handler, but no run */
	int fd;	       /* eventfd; -1 = no run */
	unsigned waking; /* handlers about to write to it */
	unsigned runs;
	bool early; /* the only one has not executed anything yet */
	struct {
		unsigned users;
		unsigned count; /* how many came */
		bool installed;
		struct cdn_sigaction before;
	} of[CDN_SIGNAL_MAX];
} state = { .lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1 };

int
cdn_signals_number(enum cdn_signal which)
{
	return rows[which].number;
}

/* Who closes the descriptor waits for those who are in here. */
static void
wake_runs(void)
{
	const uint64_t one = 1;
	ssize_t n = 0; /* whatever it says, the descriptor is readable */
	int fd;

	__atomic_add_fetch(&state.waking, 1, __ATOMIC_SEQ_CST);
	fd = __atomic_load_n(&state.fd, __ATOMIC_SEQ_CST);
	if (fd >= 0)
		n = write(fd, &one, sizeof(one));
	(void)n;
	__atomic_sub_fetch(&state.waking, 1, __ATOMIC_SEQ_CST);
}

/*
 * There is nobody yet to pass it on to, and without us it would have ended the
 * process: it does, as soon as the handler returns.
 */
static bool
is_for_us(size_t which)
{
	const struct cdn_sigaction *before = &state.of[which].before;

	return rows[which].ends && before->handler == (uintptr_t)SIG_DFL &&
	    __atomic_load_n(&state.early, __ATOMIC_ACQUIRE) &&
	    cdn_sys_sigaction(rows[which].number, before, NULL) == 0 &&
	    raise(rows[which].number) == 0;
}

static void
handle(int number)
{
	int saved = errno;

	if (getpid() != __atomic_load_n(&state.owner, __ATOMIC_RELAXED))
		return;
	for (size_t i = 0; i < CDN_SIGNAL_MAX; i++)
		if (rows[i].number == number && !is_for_us(i))
			__atomic_add_fetch(&state.of[i].count, 1,
			    __ATOMIC_RELEASE);
	wake_runs();
	errno = saved;
}

static void
install(enum cdn_signal which)
{
	struct sigaction action = { .sa_flags = SA_RESTART | SA_ONSTACK };
	struct cdn_sigaction *before = &state.of[which].before;

	action.sa_handler = handle;
	sigfillset(&action.sa_mask);
	if (cdn_sys_sigaction(rows[which].number, NULL, before) != 0)
		return;
	if (before->handler == (uintptr_t)SIG_IGN && !rows[which].if_ignored)
		return;
	state.of[which].installed =
	    sigaction(rows[which].number, &action, NULL) == 0;
}

/* Unless somebody put his own in its place meanwhile. */
static void
uninstall(enum cdn_signal which)
{
	struct cdn_sigaction now;

	if (!state.of[which].installed)
		return;
	state.of[which].installed = false;
	if (cdn_sys_sigaction(rows[which].number, NULL, &now) == 0 &&
	    now.handler == (uintptr_t)handle)
		cdn_sys_sigaction(rows[which].number, &state.of[which].before,
		    NULL);
}

/* ----- With the lock held ------------------------------------------------- */

/* What fork() brought along belongs to the parent's runs: drop it. */
static void
forget_parent(void)
{
	if (state.owner == getpid())
		return;
	for (int i = 0; i < CDN_SIGNAL_MAX; i++) {
		uninstall((enum cdn_signal)i);
		state.of[i].users = 0;
	}
	if (state.fd >= 0)
		close(state.fd);
	state.fd = -1;
	state.runs = 0;
	__atomic_store_n(&state.owner, getpid(), __ATOMIC_RELAXED);
}

static bool
begin(struct cdn_signals *signals)
{
	forget_parent();
	if (state.fd < 0) {
		int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

		if (fd < 0)
			return false;
		__atomic_store_n(&state.fd, fd, __ATOMIC_SEQ_CST);
	}
	if (++state.runs > 1)
		__atomic_store_n(&state.early, false, __ATOMIC_RELEASE);
	for (unsigned i = 0; i < CDN_SIGNAL_MAX; i++) {
		if ((signals->wanted >> i & 1) == 0)
			continue;
		signals->seen[i] = state.of[i].count;
		if (state.of[i].users++ == 0)
			install((enum cdn_signal)i);
	}
	return true;
}

static void
end(const struct cdn_signals *signals)
{
	int fd = state.fd;

	for (unsigned i = 0; i < CDN_SIGNAL_MAX; i++)
		if ((signals->wanted >> i & 1) != 0 &&
		    --state.of[i].users == 0)
			uninstall((enum cdn_signal)i);
	if (--state.runs > 0)
		return;
	__atomic_store_n(&state.fd, -1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&state.waking, __ATOMIC_SEQ_CST) > 0)
		sched_yield();
	close(fd);
}

/* ----- From outside ------------------------------------------------------- */

int
cdn_signals_begin(struct cdn_signals *signals, unsigned wanted,
    struct cordon_error *err)
{
	bool begun;
	int error;

	*signals = (struct cdn_signals){ .wanted = wanted };
	if (wanted == 0)
		return 0;
	pthread_mutex_lock(&state.lock);
	begun = begin(signals);
	error = errno;
	pthread_mutex_unlock(&state.lock);
	if (begun)
		return 0;
	signals->wanted = 0;
	return cdn_err_sys(err, error, "failed to listen for signals");
}

void
cdn_signals_end(struct cdn_signals *signals)
{
	if (signals->wanted == 0)
		return;
	pthread_mutex_lock(&state.lock);
	end(signals);
	pthread_mutex_unlock(&state.lock);
	signals->wanted = 0;
}

void
cdn_signals_early(bool early)
{
	pthread_mutex_lock(&state.lock);
	__atomic_store_n(&state.early, early && state.runs == 1,
	    __ATOMIC_RELEASE);
	pthread_mutex_unlock(&state.lock);
}

bool
cdn_signals_are_for_one(void)
{
	bool one;

	pthread_mutex_lock(&state.lock);
	one = state.runs <= 1;
	pthread_mutex_unlock(&state.lock);
	return one;
}

int
cdn_signals_fd(void)
{
	return __atomic_load_n(&state.fd, __ATOMIC_ACQUIRE);
}

bool
cdn_signals_take(struct cdn_signals *signals, enum cdn_signal which)
{
	unsigned count = __atomic_load_n(&state.of[which].count,
	    __ATOMIC_ACQUIRE);
	bool came = count != signals->seen[which] &&
	    (signals->wanted >> which & 1) != 0;

	signals->seen[which] = count;
	return came;
}
