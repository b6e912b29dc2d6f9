/*
 * The events of one run and what follows from them.
 *
 *	running ──deadline, SIGINT, SIGTERM──> ending ──grace──> killing
 *	   │  └───────── too much output, failure ───────────────┘  │
 *	   └── the command ended ──> over <── nobody is left ───────┘
 */
#include "enforce/run/running.h"

#include <errno.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define CPU_STEP_US  10000 /* between two looks at the least */
#define CPU_GRACE_MS 1000

/* ----- The end ------------------------------------------------------------ */

static void
set_over(struct cdn_running *running)
{
	running->over = true;
}

void
cdn_loop_kill(struct cdn_running *running)
{
	if (running->killing)
		return;
	running->killing = true;
	cdn_cgroup_kill(&running->cgroup); /* all at once, also who runs */
	if (running->request.spaces != NULL) /* likewise */
		cdn_spaces_kill(running->request.spaces);
	cdn_spawn_order(&running->spawn, CDN_ORDER_KILL, SIGKILL);
	if (running->spawn.reaper == CDN_REAPER_SELF)
		set_over(running);
}

void
cdn_loop_fail(struct cdn_running *running, int code,
    const struct cordon_error *err)
{
	if (running->failure == 0) {
		running->failure = code;
		if (err != NULL)
			running->error = *err;
		else
			cdn_err_nomem(&running->error);
	}
	cdn_loop_kill(running);
}

static int
watch(struct cdn_running *running, enum cdn_source source, int fd,
    uint32_t events)
{
	struct epoll_event event = { .events = events,
		.data = { .u32 = (uint32_t)source } };

	if (fd < 0)
		return 0;
	return epoll_ctl(running->epoll_fd, EPOLL_CTL_ADD, fd, &event);
}

/* Most runs end without ever needing a clock: *fd is made when it is. */
static bool
arm_one(struct cdn_running *running, enum cdn_source source, int *fd,
    uint64_t us)
{
	const struct itimerspec spec = { .it_value = {
		.tv_sec = (time_t)(us / 1000000),
		.tv_nsec = (long)(us % 1000000) * 1000 } };

	if (*fd < 0) {
		*fd = timerfd_create(CLOCK_MONOTONIC,
		    TFD_CLOEXEC | TFD_NONBLOCK);
		if (*fd < 0 || watch(running, source, *fd, EPOLLIN) != 0)
			return false;
	}
	return timerfd_settime(*fd, 0, &spec, NULL) == 0;
}

static bool
arm(struct cdn_running *running, uint64_t ms)
{
	return arm_one(running, CDN_SOURCE_TIMER, &running->timer_fd,
	    ms * 1000);
}

/* Asked once; asked again, or when nobody would remind us, it is an order. */
static void
end(struct cdn_running *running, int signal, uint64_t grace_ms)
{
	bool again = running->ending;

	running->ending = true;
	if (again || cdn_spawn_order(&running->spawn, CDN_ORDER_END,
	    signal) != 0 || !arm(running, grace_ms))
		cdn_loop_kill(running);
}

/* Ended by itself, and only not yet noticed? */
static bool
has_ended(struct cdn_running *running)
{
	if (running->spawn.reaper == CDN_REAPER_SELF && running->spawn.running)
		(void)cdn_tree_tend(&running->spawn.shepherd.tree);
	return cdn_tree_leader_done(&running->spawn.shepherd.tree);
}

/* ----- Events ------------------------------------------------------------- */

static void
on_control(struct cdn_running *running)
{
	char report;
	ssize_t n = read(running->spawn.control_fd, &report, 1);

	if (n == 1 && report == CDN_REPORT_STOPPED)
		cdn_foreground_stopped(running);
	if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN)) {
		(void)cdn_spawn_over(&running->spawn);
		running->timed_out |= __atomic_load_n(
		    &running->spawn.shepherd.timed_out, __ATOMIC_ACQUIRE);
		set_over(running);
	}
}

static void
on_leader(struct cdn_running *running)
{
	if (cdn_spawn_over(&running->spawn))
		set_over(running);
	else /* its zombie would wake us for ever; from here on SIGCHLD does */
		(void)epoll_ctl(running->epoll_fd, EPOLL_CTL_DEL,
		    running->spawn.keeper_fd, NULL);
}

static void
on_in(struct cdn_running *running)
{
	if (running->in_fd >= 0)
		cdn_drain_write(running);
}

static void
on_out(struct cdn_running *running)
{
	cdn_drain_read(running, &running->out);
}

static void
on_err(struct cdn_running *running)
{
	cdn_drain_read(running, &running->err);
}

static void
on_timer(struct cdn_running *running)
{
	uint64_t expirations;

	if (read(running->timer_fd, &expirations, sizeof(expirations)) < 0)
		return;
	if (running->ending) {
		cdn_loop_kill(running);
	} else if (!has_ended(running)) {
		running->timed_out = true;
		end(running, SIGTERM, running->request.grace_ms);
	}
}

/*
 * With all processors at work the tree cannot have used up its time before
 * then; nobody looks earlier.
 */
static bool
arm_cpu(struct cdn_running *running, uint64_t left_us)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t us = left_us / (processors < 1 ? 1 : (uint64_t)processors);

	return arm_one(running, CDN_SOURCE_CPU, &running->cpu_fd,
	    us < CPU_STEP_US ? CPU_STEP_US : us);
}

/* As RLIMIT_CPU does it with one process. */
static void
on_cpu(struct cdn_running *running)
{
	uint64_t limit_us = running->request.limits.cpu_ms * 1000;
	uint64_t used_us = cdn_cgroup_cpu_us(&running->cgroup);
	uint64_t expirations;

	if (read(running->cpu_fd, &expirations, sizeof(expirations)) < 0 ||
	    running->ending || has_ended(running))
		return;
	if (used_us >= limit_us)
		end(running, SIGXCPU, CPU_GRACE_MS);
	else if (!arm_cpu(running, limit_us - used_us))
		cdn_loop_kill(running);
}

/* What would end us ends the run first, or it would go on without us. */
static const enum cdn_signal ends[] = { CDN_SIGNAL_INT, CDN_SIGNAL_TERM,
	CDN_SIGNAL_HUP, CDN_SIGNAL_QUIT };
static const enum cdn_signal passed_on[] = { CDN_SIGNAL_USR1,
	CDN_SIGNAL_USR2 };

static void
on_interrupt(struct cdn_running *running, enum cdn_signal which)
{
	int signal = cdn_signals_number(which);

	if (!running->ending && has_ended(running))
		return;
	if (running->interrupted == 0 && !running->timed_out)
		running->interrupted = signal;
	end(running, signal, running->request.grace_ms);
}

static void
on_child(struct cdn_running *running)
{
	if (cdn_spawn_over(&running->spawn))
		set_over(running);
}

/* A key meant for us all, while the command is not in front. */
static void
on_suspend(struct cdn_running *running)
{
	cdn_spawn_order(&running->spawn, CDN_ORDER_SIGNAL, SIGTSTP);
}

static void
resize(struct cdn_running *running)
{
	if (running->pty_fd >= 0)
		cdn_pty_resize(running->pty_fd);
	if (running->terminal != NULL)
		cdn_terminal_resize(running->terminal);
}

static void
on_signals(struct cdn_running *running)
{
	struct cdn_signals *signals = &running->signals;

	for (size_t i = 0; i < CDN_LEN(ends); i++)
		if (cdn_signals_take(signals, ends[i]))
			on_interrupt(running, ends[i]);
	for (size_t i = 0; i < CDN_LEN(passed_on); i++)
		if (cdn_signals_take(signals, passed_on[i]))
			cdn_spawn_order(&running->spawn, CDN_ORDER_SIGNAL,
			    cdn_signals_number(passed_on[i]));
	if (cdn_signals_take(signals, CDN_SIGNAL_TSTP))
		on_suspend(running);
	if (cdn_signals_take(signals, CDN_SIGNAL_CONT))
		cdn_foreground_continued(running);
	if (cdn_signals_take(signals, CDN_SIGNAL_WINCH))
		resize(running);
	if (cdn_signals_take(signals, CDN_SIGNAL_CHLD))
		on_child(running);
}

static void
on_wake(struct cdn_running *running)
{
	running->request.woken(running->request.woken_arg);
}

/* In the order of their weight: an end that came first is seen first. */
static void (*const handlers[CDN_SOURCE_MAX])(struct cdn_running *running) = {
	[CDN_SOURCE_CONTROL] = on_control,
	[CDN_SOURCE_LEADER] = on_leader,
	[CDN_SOURCE_IN] = on_in,
	[CDN_SOURCE_OUT] = on_out,
	[CDN_SOURCE_ERR] = on_err,
	[CDN_SOURCE_TIMER] = on_timer,
	[CDN_SOURCE_CPU] = on_cpu,
	[CDN_SOURCE_USER] = cdn_foreground_relay,
	[CDN_SOURCE_MASTER] = cdn_foreground_relay,
	[CDN_SOURCE_SIGNALS] = on_signals,
	[CDN_SOURCE_STOP] = cdn_loop_kill,
	[CDN_SOURCE_WAKE] = on_wake,
};

/* ----- The loop ----------------------------------------------------------- */

/* Which of the caller's signals matter to this run. */
static unsigned
wanted_signals(const struct cdn_running *running)
{
	const struct cdn_run_request *request = &running->request;
	unsigned wanted = 0;

	for (size_t i = 0; request->forward_signals && i < CDN_LEN(ends); i++)
		wanted |= 1U << ends[i];
	for (size_t i = 0;
	     request->forward_signals && i < CDN_LEN(passed_on); i++)
		wanted |= 1U << passed_on[i];
	if (request->reaper == CDN_REAPER_SELF)
		wanted |= 1U << CDN_SIGNAL_CHLD;
	if (request->foreground && request->output_mode == CDN_OUTPUT_PTY)
		wanted |= 1U << CDN_SIGNAL_WINCH;
	if (running->terminal != NULL)
		wanted |= 1U << CDN_SIGNAL_CONT | 1U << CDN_SIGNAL_WINCH;
	if (running->terminal != NULL && request->foreground)
		wanted |= 1U << CDN_SIGNAL_TSTP;
	return wanted;
}

int
cdn_loop_open(struct cdn_running *running, struct cordon_error *err)
{
	int r = cdn_signals_begin(&running->signals,
	    wanted_signals(running), err);

	if (r < 0)
		return r;
	running->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (running->epoll_fd < 0 ||
	    watch(running, CDN_SOURCE_CONTROL, running->spawn.control_fd,
		EPOLLIN) != 0 ||
	    watch(running, CDN_SOURCE_IN, running->in_fd, EPOLLOUT) != 0 ||
	    watch(running, CDN_SOURCE_OUT, running->out.fd, EPOLLIN) != 0 ||
	    watch(running, CDN_SOURCE_ERR, running->err.fd, EPOLLIN) != 0 ||
	    (running->signals.wanted != 0 && watch(running,
		CDN_SOURCE_SIGNALS, cdn_signals_fd(), EPOLLIN | EPOLLET) != 0) ||
	    (running->request.stop_fd > 0 && watch(running, CDN_SOURCE_STOP,
		running->request.stop_fd, EPOLLIN | EPOLLET) != 0) ||
	    (running->request.wake_fd > 0 && watch(running, CDN_SOURCE_WAKE,
		running->request.wake_fd, EPOLLIN | EPOLLET) != 0))
		return cdn_err_sys(err, errno, "failed to watch the run");
	return 0;
}

int
cdn_loop_started(struct cdn_running *running, struct cordon_error *err)
{
	const struct cdn_run_request *request = &running->request;

	if (running->spawn.reaper == CDN_REAPER_SELF &&
	    watch(running, CDN_SOURCE_LEADER, running->spawn.keeper_fd,
		EPOLLIN) != 0)
		return cdn_err_sys(err, errno, "failed to watch the run");
	if (request->wall_ms > 0 && !arm(running, request->wall_ms))
		return cdn_err_sys(err, errno, "failed to set a timer");
	if (!cdn_cgroup_started(&running->cgroup, &request->limits))
		return cdn_err_sys(err, errno, "failed to limit the memory");
	if ((running->cgroup.held & CDN_TREE_CPU) != 0 &&
	    !arm_cpu(running, request->limits.cpu_ms * 1000))
		return cdn_err_sys(err, errno, "failed to set a timer");
	return 0;
}

/* SELF lives on SIGCHLD, which the caller may have blocked. */
static int
wait_events(struct cdn_running *running, struct epoll_event *events, int count,
    int timeout_ms)
{
	sigset_t mask;

	if (running->spawn.reaper == CDN_REAPER_SHEPHERD)
		return epoll_wait(running->epoll_fd, events, count, timeout_ms);
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	sigdelset(&mask, SIGCHLD);
	return epoll_pwait(running->epoll_fd, events, count, timeout_ms, &mask);
}

void
cdn_loop_step(struct cdn_running *running, int timeout_ms)
{
	struct epoll_event events[CDN_SOURCE_MAX];
	bool ready[CDN_SOURCE_MAX] = { false };
	int n = wait_events(running, events, CDN_SOURCE_MAX, timeout_ms);
	struct cordon_error err;

	if (n < 0 && errno != EINTR) {
		cdn_err_sys(&err, errno, "failed to watch the run");
		cdn_loop_fail(running, CORDON_E_SYSTEM, &err);
		set_over(running); /* what is left ends with cdn_spawn_close */
	}
	for (int i = 0; i < n; i++)
		ready[events[i].data.u32] = true;
	for (size_t i = 0; i < CDN_SOURCE_MAX && !running->over; i++)
		if (ready[i])
			handlers[i](running);
}

void
cdn_loop_close(struct cdn_running *running)
{
	if (running->epoll_fd >= 0 && running->signals.wanted != 0)
		(void)epoll_ctl(running->epoll_fd, EPOLL_CTL_DEL,
		    cdn_signals_fd(), NULL);
	cdn_signals_end(&running->signals);
	if (running->epoll_fd >= 0)
		close(running->epoll_fd);
	if (running->timer_fd >= 0)
		close(running->timer_fd);
	if (running->cpu_fd >= 0)
		close(running->cpu_fd);
	running->epoll_fd = -1;
	running->timer_fd = -1;
	running->cpu_fd = -1;
}
