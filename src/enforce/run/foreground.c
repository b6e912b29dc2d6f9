/*
 * Job control of a run with a terminal of its own (terminal.h), on two levels:
 *
 *	the user's terminal	caller in the foreground?  decided by the shell
 *	the run's pty		run in the foreground?     decided here
 *
 * The run is in the foreground of its pty only while the caller is in that of
 * the user's terminal and relays keys.  Otherwise the kernel stops a process of
 * the run that reads, as it would on the user's terminal; the shepherd reports
 * that, and the caller stops with it.
 */
#include "enforce/run/running.h"

#include <errno.h>
#include <signal.h>
#include <sys/epoll.h>

/* ----- What is watched ----------------------------------------------------- */

static uint32_t
events_of(bool reads, bool writes)
{
	return (reads ? (uint32_t)EPOLLIN : 0) |
	    (writes ? (uint32_t)EPOLLOUT : 0);
}

/* Without an event it is not watched at all: a hangup would wake us for ever. */
static void
watch(struct cdn_running *running, int which, int fd, uint32_t events)
{
	struct epoll_event event = { .events = events,
		.data = { .u32 = (uint32_t)(CDN_SOURCE_USER + which) } };
	uint32_t *now = &running->watched[which];

	if (events == *now)
		return;
	if (epoll_ctl(running->epoll_fd, *now == 0 ? EPOLL_CTL_ADD :
		events == 0 ? EPOLL_CTL_DEL : EPOLL_CTL_MOD, fd, &event) == 0)
		*now = events;
}

/* No more is read than can be written. */
static void
watch_both(struct cdn_running *running)
{
	const struct cdn_terminal *t = running->terminal;
	bool keys = t->keys.at < t->keys.n, shown = t->shown.at < t->shown.n;

	watch(running, 0, t->user_fd, t->gone ? 0 :
	    events_of(t->front && !keys, shown));
	watch(running, 1, t->master_fd, events_of(!shown, keys));
}

/* ----- To the foreground and back ------------------------------------------ */

static void
order(struct cdn_running *running, enum cdn_order_kind kind, int signal)
{
	(void)cdn_spawn_order(&running->spawn, kind, signal);
}

static void
give(struct cdn_running *running)
{
	cdn_terminal_enter(running->terminal);
	order(running, CDN_ORDER_FRONT, 0);
}

static void
take(struct cdn_running *running)
{
	cdn_terminal_leave(running->terminal);
	order(running, CDN_ORDER_BACK, 0);
}

void
cdn_foreground_started(struct cdn_running *running)
{
	if (running->terminal == NULL)
		return;
	if (running->spawn.shepherd.launch.front)
		cdn_terminal_enter(running->terminal);
	watch_both(running);
}

static bool
was_continued(struct cdn_running *running)
{
	return cdn_signals_take(&running->signals, CDN_SIGNAL_CONT);
}

/*
 * What a program shows when it stops comes before the shell's prompt.  A run
 * that wants the terminal and can never have it gets SIGHUP.
 */
static void
stop_with_it(struct cdn_running *running, bool wants, int signal)
{
	struct cdn_terminal *t = running->terminal;
	bool had = t->front, went_on;

	cdn_terminal_show(t);
	if (had)
		take(running);
	(void)was_continued(running);
	cdn_terminal_suspend(wants ? signal : SIGTSTP);
	went_on = was_continued(running);
	if ((had || wants) && t->owner && cdn_terminal_is_ours(t))
		give(running);
	if (wants && !went_on && !t->front)
		order(running, CDN_ORDER_SIGNAL, SIGHUP);
	order(running, CDN_ORDER_SIGNAL, SIGCONT);
}

void
cdn_foreground_stopped(struct cdn_running *running)
{
	struct cdn_terminal *t = running->terminal;
	int signal = running->spawn.shepherd.stop_signal;
	bool wants = signal == SIGTTIN || signal == SIGTTOU;

	if (t == NULL)
		return;
	if (wants && !t->front && t->owner && cdn_terminal_is_ours(t)) {
		give(running);
		order(running, CDN_ORDER_SIGNAL, SIGCONT);
	} else if (wants || t->front || t->foreground) {
		stop_with_it(running, wants, signal);
	} /* else it was stopped by a process that may let it go on */
	watch_both(running);
}

/*
 * We may have been stopped by SIGSTOP, with the terminal raw: whoever had it
 * meanwhile has set it as it likes.
 */
void
cdn_foreground_continued(struct cdn_running *running)
{
	struct cdn_terminal *t = running->terminal;

	if (t == NULL || !t->front)
		return;
	if (cdn_terminal_is_ours(t))
		cdn_terminal_enter(t);
	else
		take(running);
	watch_both(running);
}

/* ----- Bytes ---------------------------------------------------------------- */

void
cdn_foreground_relay(struct cdn_running *running)
{
	struct cdn_terminal *t = running->terminal;
	bool was_gone = t->gone;

	cdn_terminal_show(t);
	cdn_terminal_type(t);
	if (t->front && !cdn_terminal_is_ours(t))
		take(running);
	if (t->gone && !was_gone) {
		order(running, CDN_ORDER_SIGNAL, SIGHUP);
		order(running, CDN_ORDER_SIGNAL, SIGCONT);
	}
	watch_both(running);
}

void
cdn_foreground_end(struct cdn_running *running)
{
	if (running->terminal == NULL)
		return;
	cdn_terminal_flush(running->terminal);
	cdn_terminal_leave(running->terminal);
	cdn_terminal_free(running->own_terminal);
	running->terminal = running->own_terminal = NULL;
}
