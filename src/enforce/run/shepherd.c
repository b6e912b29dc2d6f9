/*
 * One small process per run, between the caller and the command.  It is what
 * orphans fall back to, so the descendants of one run are exactly its own.  It
 * shares the caller's memory, blocks every signal, has no descriptor but the
 * socket to the caller and the run's pty, and outlives the caller just long
 * enough to end what is left.
 */
#include "enforce/run/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <time.h>

#include "enforce/sys/forgo.h"
#include "enforce/sys/landlock.h"

#define SCOPE_ABI   6 /* of Landlock, since when it scopes signals */
#define CONTROL	    0	    /* what its descriptor becomes */
#define TERMINAL    1	    /* and that of the run's pty, if it has one */
#define CALLER_GONE SIGTERM /* perhaps; see has_caller() */
#define SLACK_NS    UINT64_C(300000000) /* the caller acts first, if it can */

/* ----- Beginning ---------------------------------------------------------- */

/*
 * What is started from here on is in the run's PID namespace, this process is
 * not: the numbers of its children are the caller's.
 */
CDN_BARE static int
enter_spaces(const struct cdn_run_request *request)
{
	return request->spaces == NULL ? 0 : cdn_spaces_enter(request->spaces,
	    CDN_SPACE_USER, CDN_SPACE_MOUNT);
}

/*
 * A group of its own: who kills the caller's group must not kill it.  With a
 * pty it leads the session: were that the command, its group would be an
 * orphaned one, which no key and no read from the background can stop.
 */
CDN_BARE static long
make_group(const struct cdn_launch *launch)
{
	long r;

	if (!launch->led) {
		(void)cdn_raw(SYS_setpgid, 0, 0);
		return 0;
	}
	r = cdn_raw(SYS_setsid);
	return r < 0 ? r : cdn_raw(SYS_ioctl, launch->terminal_fd, TIOCSCTTY,
	    0);
}

CDN_BARE static int
become_shepherd(struct cdn_shepherd *shepherd)
{
	struct cdn_sigaction initial;
	long r = cdn_raw(SYS_prctl, PR_SET_CHILD_SUBREAPER, 1);

	if (r == 0)
		r = cdn_raw(SYS_prctl, PR_SET_PDEATHSIG, CALLER_GONE);
	initial.handler = 0; /* ignored, children would vanish unseen */
	initial.flags = 0;
	initial.restorer = 0;
	initial.mask = 0;
	(void)cdn_sys_sigaction(SIGCHLD, &initial, NULL);
	(void)cdn_raw(SYS_prctl, PR_SET_NAME, CDN_SHEPHERD_NAME);
	if (r == 0)
		r = make_group(&shepherd->launch);
	shepherd->launch.parent = (pid_t)cdn_raw(SYS_getpid);
	if (r == 0 && shepherd->launch.request->spaces != NULL)
		r = shepherd->launch.parent_fd = (int)cdn_raw(SYS_pidfd_open,
		    shepherd->launch.parent, 0);
	return (int)r;
}

/*
 * The child has what it needs by now.  Pipes held open here would never end
 * for the caller, and a directory could not be unmounted.
 */
CDN_BARE static int
let_go(const struct cdn_shepherd *shepherd)
{
	const struct cdn_launch *launch = &shepherd->launch;
	long control = shepherd->control_fd, r = 0;

	/* Above both numbers first: each may be what the other becomes. */
	if (launch->led && control <= TERMINAL)
		r = control = cdn_raw(SYS_fcntl, control, F_DUPFD_CLOEXEC,
		    TERMINAL + 1);
	if (r >= 0 && launch->led && launch->terminal_fd != TERMINAL)
		r = cdn_raw(SYS_dup3, launch->terminal_fd, TERMINAL, O_CLOEXEC);
	if (r >= 0 && control != CONTROL)
		r = cdn_raw(SYS_dup3, control, CONTROL, O_CLOEXEC);
	if (r >= 0)
		r = cdn_sys_close_range(launch->led ? TERMINAL + 1 :
		    CONTROL + 1, 0);
	(void)cdn_raw(SYS_chdir, "/");
	return (int)r;
}

CDN_BARE static void
report(enum cdn_report what)
{
	char byte = (char)what;

	(void)cdn_raw(SYS_write, CONTROL, &byte, 1);
}

/*
 * A caller that is gone most often closes the socket by that.  Not when a fork
 * of his has it, too.  The kernel tells us of each of his threads that ends.
 * From inside a new PID namespace (0) he cannot be seen.
 */
CDN_BARE static bool
has_caller(const struct cdn_shepherd *shepherd)
{
	long parent = cdn_raw(SYS_getppid);

	return parent == shepherd->caller || parent == 0;
}

/*
 * A layer that does not grant REFER refuses every rename and link between two
 * directories as soon as another layer handles files: this one grants it
 * everywhere, and so changes nothing.
 */
CDN_BARE static int
grant_refer(int ruleset)
{
	long r, root = cdn_raw(SYS_openat, AT_FDCWD, "/",
	    O_PATH | O_DIRECTORY | O_CLOEXEC, 0);

	if (root < 0)
		return (int)root;
	r = cdn_sys_landlock_add(ruleset, (int)root, CDN_LL_REFER);
	(void)cdn_raw(SYS_close, root);
	return (int)r;
}

CDN_BARE static int
restrict_signals(void)
{
	struct cdn_landlock_ruleset scope;
	int r, fd, abi = cdn_sys_landlock_abi();

	if (abi < SCOPE_ABI)
		return -EOPNOTSUPP;
	scope.fs = CDN_LL_REFER;
	scope.net = 0;
	scope.scoped = CDN_LL_SCOPE_SIGNAL;
	fd = cdn_sys_landlock_create(&scope, abi);
	if (fd < 0)
		return fd;
	r = grant_refer(fd);
	if (r == 0)
		r = (int)cdn_raw(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (r == 0)
		r = cdn_sys_landlock_restrict(fd);
	(void)cdn_raw(SYS_close, fd);
	return r;
}

/*
 * Threat:    a tree that forks faster than it is walked outlives its deadline;
 *            kill(-1) without a scope kills every process of the user.
 * Invariant: kill(-1) is called only where the kernel was seen to refuse a
 *            signal to the caller, which it had allowed just before.
 * Held by:   a Landlock domain that scopes signals, entered before the child
 *            exists: all of the run is in it, nothing else is.
 *
 * Best effort: where it cannot be entered (before Linux 6.12, inside another
 * sandbox), the tree is walked.  Not for a command without a sandbox, which
 * may signal whatever the caller may.  Not in namespaces, which end with their
 * first process.
 */
CDN_BARE static void
enter_scope(struct cdn_shepherd *shepherd)
{
	const struct cdn_run_request *request = shepherd->launch.request;

	shepherd->scoped = request->entry.enter != NULL &&
	    !request->entry.wraps && request->spaces == NULL &&
	    cdn_raw(SYS_kill, shepherd->caller, 0) == 0 &&
	    restrict_signals() == 0 &&
	    cdn_raw(SYS_kill, shepherd->caller, 0) == -EPERM;
}

/*
 * Kills the whole run in one hold of the kernel's lock on the process list, so
 * a fork in progress fails and no process is missed.  This process itself is
 * never a target of kill(-1).
 */
CDN_BARE static void
kill_scope(struct cdn_shepherd *shepherd)
{
	if (!shepherd->scoped)
		return;
	(void)cdn_raw(SYS_kill, -1, SIGKILL);
	cdn_tree_reap(&shepherd->tree);
}

/* The descriptor of its signals, or -errno: then nothing runs. */
CDN_BARE static int
begin(struct cdn_shepherd *shepherd)
{
	uint64_t signals = CDN_SIGNAL_BIT(SIGCHLD) |
	    CDN_SIGNAL_BIT(CALLER_GONE);
	int r = enter_spaces(shepherd->launch.request);

	if (shepherd->deadline_ns != 0)
		shepherd->deadline_ns += SLACK_NS;
	if (r >= 0)
		r = become_shepherd(shepherd);
	if (r >= 0)
		enter_scope(shepherd);
	if (r >= 0)
		r = cdn_child_start(&shepherd->launch, shepherd->child_stack,
		    NULL);
	if (r < 0)
		return r;
	shepherd->tree.leader = r;
	r = let_go(shepherd);
	if (r >= 0 && shepherd->launch.request->spaces != NULL)
		r = cdn_sys_forgo_capabilities();
	if (r >= 0)
		r = (int)cdn_raw(SYS_signalfd4, -1, &signals,
		    sizeof(signals), SFD_CLOEXEC | SFD_NONBLOCK);
	return r;
}

/* ----- Watching ----------------------------------------------------------- */

CDN_BARE bool
cdn_shepherd_obey(struct cdn_shepherd *shepherd, const struct cdn_order *order)
{
	if (order->kind == CDN_ORDER_KILL)
		return false;
	(void)cdn_tree_signal(&shepherd->tree, order->signal);
	if (order->kind == CDN_ORDER_END) {
		shepherd->ending = true;
		shepherd->urged |= order->signal == SIGTERM;
		/* Who is stopped would not hear it. */
		(void)cdn_tree_signal(&shepherd->tree, SIGCONT);
	}
	return true;
}

CDN_BARE static long
set_foreground(pid_t group)
{
	return cdn_raw(SYS_ioctl, TERMINAL, TIOCSPGRP, &group);
}

/* A shell of the run may have put a job there: that one comes back. */
CDN_BARE static void
put_in_front(struct cdn_shepherd *shepherd)
{
	if (shepherd->front <= 0 || set_foreground(shepherd->front) < 0)
		(void)set_foreground(shepherd->tree.leader);
	shepherd->front = 0;
}

/* Nothing is ever read by our own group, which is there instead. */
CDN_BARE static void
put_in_back(struct cdn_shepherd *shepherd)
{
	pid_t group = 0;

	if (cdn_raw(SYS_ioctl, TERMINAL, TIOCGPGRP, &group) == 0 &&
	    group != shepherd->launch.parent)
		shepherd->front = group;
	(void)set_foreground(shepherd->launch.parent);
}

CDN_BARE static uint64_t
now_ns(void)
{
	struct timespec now;

	now.tv_sec = 0;
	now.tv_nsec = 0;
	(void)cdn_raw(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

/* False: end it all.  So does a caller that is gone. */
CDN_BARE static bool
listen_to_caller(struct cdn_shepherd *shepherd)
{
	struct cdn_order order = { 0, 0 };
	long n = cdn_raw(SYS_read, CONTROL, &order, sizeof(order));

	if (n != (long)sizeof(order))
		return false;
	if (order.kind == CDN_ORDER_END && shepherd->grace_ns > 0)
		shepherd->deadline_ns = now_ns() + shepherd->grace_ns +
		    SLACK_NS;
	if (order.kind != CDN_ORDER_FRONT && order.kind != CDN_ORDER_BACK)
		return cdn_shepherd_obey(shepherd, &order);
	if (shepherd->launch.led && order.kind == CDN_ORDER_FRONT)
		put_in_front(shepherd);
	else if (shepherd->launch.led)
		put_in_back(shepherd);
	return true;
}

/*
 * The caller is stopped, or it would have acted.  False: the grace is over,
 * too.
 */
CDN_BARE static bool
meet_deadline(struct cdn_shepherd *shepherd)
{
	struct cdn_order end;

	if (shepherd->ending)
		return false;
	__atomic_store_n(&shepherd->timed_out, true, __ATOMIC_RELEASE);
	end.kind = CDN_ORDER_END;
	end.signal = SIGTERM;
	shepherd->deadline_ns = now_ns() + shepherd->grace_ns;
	return cdn_shepherd_obey(shepherd, &end);
}

CDN_BARE static bool
is_late(const struct cdn_shepherd *shepherd)
{
	return shepherd->deadline_ns != 0 && now_ns() >= shepherd->deadline_ns;
}

/* How long to wait; NULL: for ever. */
CDN_BARE static const struct timespec *
time_left(const struct cdn_shepherd *shepherd, struct timespec *ret)
{
	uint64_t now;

	if (shepherd->deadline_ns == 0)
		return NULL;
	now = now_ns();
	now = now < shepherd->deadline_ns ? shepherd->deadline_ns - now : 0;
	ret->tv_sec = (time_t)(now / 1000000000U);
	ret->tv_nsec = (long)(now % 1000000000U);
	return ret;
}

/* True: there may be more to reap. */
CDN_BARE static bool
child_changed(struct cdn_shepherd *shepherd, int signal_fd)
{
	struct signalfd_siginfo *seen = (void *)shepherd->tree.scratch;
	bool more;

	(void)cdn_raw(SYS_read, signal_fd, seen, sizeof(*seen));
	more = cdn_tree_tend(&shepherd->tree);
	if (shepherd->watch_stops) {
		int signal = cdn_tree_stopped(&shepherd->tree);

		if (signal != 0) {
			shepherd->stop_signal = signal;
			report(CDN_REPORT_STOPPED);
		}
	}
	return more;
}

/*
 * Told to end, those of the group that clean up have the grace to do so.  What
 * a shell put into the background is deaf to SIGINT: without its leader it is
 * told in another way.
 */
CDN_BARE bool
cdn_shepherd_is_over(struct cdn_shepherd *shepherd)
{
	if (!shepherd->tree.leader_done)
		return false;
	if (!shepherd->ending || !cdn_tree_has_member(&shepherd->tree))
		return true;
	if (!shepherd->urged)
		(void)cdn_tree_signal(&shepherd->tree, SIGTERM);
	shepherd->urged = true;
	return false;
}

CDN_BARE static void
watch(struct cdn_shepherd *shepherd, int signal_fd)
{
	struct timespec at_once, left;
	struct pollfd on[2];
	bool more = false;

	at_once.tv_sec = 0;
	at_once.tv_nsec = 0;
	on[0].fd = CONTROL;
	on[0].events = POLLIN;
	on[1].fd = signal_fd;
	on[1].events = POLLIN;
	while (has_caller(shepherd) && !cdn_shepherd_is_over(shepherd)) {
		on[0].revents = 0;
		on[1].revents = 0;
		(void)cdn_raw(SYS_ppoll, on, 2, more ? &at_once :
		    time_left(shepherd, &left), NULL, 0);
		if (on[0].revents != 0 && !listen_to_caller(shepherd))
			return;
		if (more || on[1].revents != 0)
			more = child_changed(shepherd, signal_fd);
		if (is_late(shepherd) && !cdn_shepherd_is_over(shepherd) &&
		    !meet_deadline(shepherd))
			return;
	}
}

CDN_BARE int
cdn_shepherd_main(void *arg)
{
	struct cdn_shepherd *shepherd = arg;
	int signal_fd = begin(shepherd);

	if (signal_fd < 0 && shepherd->launch.error == 0) {
		shepherd->launch.step = CDN_STEP_SHEPHERD;
		shepherd->launch.error = -signal_fd;
	}
	if (shepherd->launch.error == 0) {
		report(CDN_REPORT_STARTED);
		watch(shepherd, signal_fd);
	}
	kill_scope(shepherd);
	cdn_tree_end(&shepherd->tree);
	return 0;
}
