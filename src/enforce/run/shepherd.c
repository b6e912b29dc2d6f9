/*
 * One small process per run, between the caller and the command.  It is what
 * orphans fall back to, so the descendants of one run are exactly its own.  It
 * shares the caller's memory, blocks every signal, has no descriptor but the
 * socket to the caller, and outlives the caller just long enough to end what
 * is left.
 */
#include "enforce/run/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>

#include "enforce/sys/forgo.h"

#define CONTROL	    0	    /* what its descriptor becomes */
#define CALLER_GONE SIGTERM /* perhaps; see has_caller() */

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

/* A group of its own: who kills the caller's group must not kill it. */
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
	(void)cdn_raw(SYS_prctl, PR_SET_NAME, "cordon-shepherd");
	(void)cdn_raw(SYS_setpgid, 0, 0);
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
	long r = 0;

	if (shepherd->control_fd != CONTROL)
		r = cdn_raw(SYS_dup3, shepherd->control_fd, CONTROL, O_CLOEXEC);
	if (r >= 0)
		r = cdn_sys_close_range(CONTROL + 1, 0);
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

/* The descriptor of its signals, or -errno: then nothing runs. */
CDN_BARE static int
begin(struct cdn_shepherd *shepherd)
{
	uint64_t signals = CDN_SIGNAL_BIT(SIGCHLD) |
	    CDN_SIGNAL_BIT(CALLER_GONE);
	int r = enter_spaces(shepherd->launch.request);

	if (r >= 0)
		r = become_shepherd(shepherd);
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

/* False: end it all.  So does a caller that is gone. */
CDN_BARE static bool
listen_to_caller(struct cdn_shepherd *shepherd)
{
	struct cdn_order order = { 0, 0 };
	long n = cdn_raw(SYS_read, CONTROL, &order, sizeof(order));

	return n == (long)sizeof(order) && cdn_shepherd_obey(shepherd, &order);
}

CDN_BARE static void
child_changed(struct cdn_shepherd *shepherd, int signal_fd)
{
	struct signalfd_siginfo *seen = (void *)shepherd->tree.scratch;

	(void)cdn_raw(SYS_read, signal_fd, seen, sizeof(*seen));
	cdn_tree_tend(&shepherd->tree);
	if (shepherd->watch_stops) {
		int signal = cdn_tree_stopped(&shepherd->tree);

		if (signal == 0)
			return;
		shepherd->stop_signal = signal;
		report(CDN_REPORT_STOPPED);
	}
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
	struct pollfd on[2];

	on[0].fd = CONTROL;
	on[0].events = POLLIN;
	on[1].fd = signal_fd;
	on[1].events = POLLIN;
	while (has_caller(shepherd) && !cdn_shepherd_is_over(shepherd)) {
		on[0].revents = 0;
		on[1].revents = 0;
		(void)cdn_raw(SYS_ppoll, on, 2, NULL, NULL, 0);
		if (on[1].revents != 0)
			child_changed(shepherd, signal_fd);
		if (on[0].revents != 0 && !listen_to_caller(shepherd))
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
	cdn_tree_end(&shepherd->tree);
	return 0;
}
