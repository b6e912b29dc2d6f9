#include "enforce/run/run.h"

#include <errno.h>
#include <signal.h>

#include "enforce/run/running.h"

#define GRACE_MS 5000

/* ----- The request -------------------------------------------------------- */

static int
bad(struct cordon_error *err, const char *what)
{
	return cdn_err(err, CORDON_E_INVALID, "run: %s", what);
}

static int
check_request(const struct cdn_run_request *request, struct cordon_error *err)
{
	if (request->program == NULL || request->program[0] == '\0')
		return bad(err, "no program");
	if (request->argv == NULL || request->argv[0] == NULL)
		return bad(err, "no arguments, not even the first");
	if (request->stdin_mode > CDN_STDIN_BYTES ||
	    request->output_mode > CDN_OUTPUT_PTY ||
	    request->reaper > CDN_REAPER_SELF)
		return bad(err, "unknown mode");
	if (request->wall_ms > CDN_DURATION_MAX ||
	    request->grace_ms > CDN_DURATION_MAX ||
	    request->limits.cpu_ms > CDN_DURATION_MAX)
		return bad(err, "the time limit is too large");
	if (request->output_max > CDN_RUN_OUTPUT_MAX)
		return bad(err, "the output limit is too large");
	if (request->foreground && request->output_mode == CDN_OUTPUT_CAPTURE)
		return bad(err, "captured output is not for the foreground");
	return 0;
}

/* A copy with the defaults filled in; NULL when memory ran out. */
static struct cdn_running *
new_running(const struct cdn_run_request *request)
{
	struct cdn_running *running = malloc(sizeof(*running));

	if (running == NULL)
		return NULL;
	/* The buffer behind the rest is often never touched. */
	memset(running, 0, offsetof(struct cdn_running, bytes));
	running->request = *request;
	if (request->grace_ms == 0)
		running->request.grace_ms = GRACE_MS;
	if (request->output_max == 0)
		running->request.output_max = CDN_RUN_OUTPUT;
	running->spawn.control_fd = running->spawn.their_fd = -1;
	running->spawn.keeper_fd = -1;
	running->spawn.shepherd.launch.terminal_fd = -1;
	running->spawn.shepherd.launch.cgroup_fd = -1;
	running->spawn.shepherd.launch.procs_fd = -1;
	running->spawn.shepherd.launch.parent_fd = -1;
	running->cgroup = (struct cdn_cgroup)CDN_CGROUP_NONE;
	running->in_fd = running->pty_fd = -1;
	running->out.fd = running->err.fd = -1;
	running->out.tee.fd = running->err.tee.fd = -1;
	running->epoll_fd = running->timer_fd = running->cpu_fd = -1;
	for (int i = 0; i < 3; i++)
		running->theirs[i] = -1;
	return running;
}

/* Ends whatever still runs, and puts everything back where it was. */
static void
free_running(struct cdn_running *running)
{
	cdn_spawn_close(&running->spawn);
	cdn_cgroup_close(&running->cgroup);
	cdn_foreground_end(running);
	cdn_loop_close(running);
	cdn_drain_close(running);
	free(running);
}

/* ----- Start and end ------------------------------------------------------ */

static uint64_t
now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

void
cdn_run_inherits(enum cdn_stdin_mode stdin_mode,
    enum cdn_output_mode output_mode, const int *given, int ret[3])
{
	const bool passes = output_mode == CDN_OUTPUT_PASS;

	ret[0] = stdin_mode == CDN_STDIN_INHERIT &&
		output_mode != CDN_OUTPUT_PTY ? 0 : -1;
	ret[1] = passes ? 1 : -1;
	ret[2] = passes ? 2 : -1;
	for (int i = 0; i < 3 && given != NULL; i++)
		if (given[i] >= 0)
			ret[i] = given[i];
}

/* Unless who asks made one already. */
static int
open_terminal(struct cdn_running *running, struct cordon_error *err)
{
	struct cdn_run_request *request = &running->request;
	int stdio[3];
	int r;

	if (request->terminal == NULL) {
		cdn_run_inherits(request->stdin_mode, request->output_mode,
		    request->stdio, stdio);
		r = cdn_terminal_open(stdio, request->foreground,
		    &running->own_terminal, err);
		if (r < 0)
			return r;
		request->terminal = running->own_terminal;
	}
	running->terminal = request->terminal;
	if (running->terminal != NULL)
		request->reaper = CDN_REAPER_SHEPHERD;
	return 0;
}

/* See cdn_terminal_offers(): which are taken on demand is known by a stop. */
static void
give_terminal(struct cdn_running *running)
{
	struct cdn_shepherd *shepherd = &running->spawn.shepherd;

	if (running->terminal == NULL)
		return;
	for (int i = 0; i < 3 && running->own_terminal != NULL; i++)
		if (running->own_terminal->is[i])
			shepherd->launch.stdio[i] =
			    running->own_terminal->slave_fd;
	shepherd->watch_stops = true;
	shepherd->launch.led = true;
	shepherd->launch.terminal_fd = running->terminal->slave_fd;
	shepherd->launch.front = cdn_terminal_offers(running->terminal);
}

static void
set_deadline(struct cdn_running *running)
{
	struct cdn_shepherd *shepherd = &running->spawn.shepherd;

	shepherd->grace_ns = running->request.grace_ms * 1000000U;
	if (running->request.wall_ms > 0)
		shepherd->deadline_ns = running->begun_ns +
		    running->request.wall_ms * 1000000U;
}

static void
open_cgroup(struct cdn_running *running)
{
	struct cdn_launch *launch = &running->spawn.shepherd.launch;

	cdn_cgroup_open(&running->cgroup, &running->request.limits);
	launch->cgroup_fd = running->cgroup.dir_fd;
	launch->procs_fd = running->cgroup.procs_fd;
	launch->tree_limits = running->cgroup.held;
}

static int
get_ready(void *arg, struct cordon_error *err)
{
	return cdn_loop_open(arg, err);
}

static int
start(struct cdn_running *running, struct cordon_error *err)
{
	int r;

	open_cgroup(running);
	r = open_terminal(running, err);
	if (r == 0)
		r = cdn_spawn_open(&running->spawn, &running->request, err);
	if (r == 0)
		r = cdn_drain_open(running, err);
	if (r < 0)
		return r;
	give_terminal(running);
	running->begun_ns = now_ns();
	set_deadline(running);
	running->spawn.ready = get_ready;
	running->spawn.ready_arg = running;
	r = cdn_spawn_start(&running->spawn, err);
	if (r == 0)
		r = cdn_loop_started(running, err);
	if (r < 0)
		return r;
	cdn_drain_started(running);
	cdn_foreground_started(running);
	return 0;
}

int
cdn_run_start(const struct cdn_run_request *request, struct cdn_running **ret,
    struct cordon_error *err)
{
	struct cdn_running *running;
	int r = check_request(request, err);

	if (r == 0 && request->validate != NULL)
		r = request->validate(request, request->validate_arg, err);
	if (r != 0)
		return r < 0 ? r : CORDON_E_INVALID;
	running = new_running(request);
	if (running == NULL)
		return cdn_err_nomem(err);
	r = start(running, err);
	if (r < 0) {
		free_running(running);
		return r;
	}
	*ret = running;
	return 0;
}

unsigned
cdn_run_limits_probe(const struct cdn_run_limits *limits)
{
	struct cdn_cgroup cgroup;
	unsigned held;

	cdn_cgroup_open(&cgroup, limits);
	held = cgroup.held;
	cdn_cgroup_close(&cgroup);
	return held;
}

enum cdn_run_scope
cdn_run_limits_scope(const struct cdn_run_limits *limits, unsigned held)
{
	unsigned asked = (limits->cpu_ms > 0 ? CDN_TREE_CPU : 0U) |
	    (limits->memory_bytes > 0 ? CDN_TREE_MEMORY : 0U) |
	    (limits->processes > 0 ? CDN_TREE_PROCESSES : 0U);

	return asked != 0 && (asked & ~held) == 0 ? CDN_SCOPE_TREE
	    : CDN_SCOPE_PROCESS;
}

int
cdn_run_fd(const struct cdn_running *running)
{
	return running->epoll_fd;
}

pid_t
cdn_run_pid(const struct cdn_running *running)
{
	return running->spawn.shepherd.tree.leader;
}

void
cdn_run_wraps(struct cdn_running *running, pid_t first)
{
	char *file = running->spawn.shepherd.tree.wrapped;
	size_t size = sizeof(running->spawn.shepherd.tree.wrapped);

	snprintf(file + 1, size - 1, "proc/%d/task/%d/children", (int)first,
	    (int)first);
	__atomic_store_n(file, '/', __ATOMIC_RELEASE);
}

int
cdn_run_signal(struct cdn_running *running, int signal,
    struct cordon_error *err)
{
	int r;

	if (signal < 1 || signal > CDN_SIGNAL_LAST)
		return cdn_err(err, CORDON_E_INVALID, "no signal has the "
		    "number %d", signal);
	r = cdn_spawn_order(&running->spawn, CDN_ORDER_SIGNAL, signal);
	return r == 0 ? 0 : cdn_err_sys(err, -r, "failed to signal `%s`",
	    running->request.program);
}

void
cdn_run_kill(struct cdn_running *running)
{
	if (!running->over)
		cdn_loop_kill(running);
}

bool
cdn_run_step(struct cdn_running *running)
{
	if (!running->over)
		cdn_loop_step(running, 0);
	return running->over;
}

int
cdn_run_wait(struct cdn_running *running, struct cdn_run_result *ret,
    struct cordon_error *err)
{
	int r;

	while (!running->over)
		cdn_loop_step(running, -1);
	cdn_drain_rest(running);
	running->ended_ns = now_ns();
	r = cdn_result_build(running, ret, err);
	free_running(running);
	return r;
}

int
cdn_run(const struct cdn_run_request *request, struct cdn_run_result *ret,
    struct cordon_error *err)
{
	struct cdn_running *running;
	int r = cdn_run_start(request, &running, err);

	return r < 0 ? r : cdn_run_wait(running, ret, err);
}
