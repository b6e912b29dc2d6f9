#include "enforce/guard/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "enforce/guard/linger.h"
#include "enforce/guard/pins.h"
#include "enforce/guard/relay.h"
#include "enforce/launch/launch.h"
#include "enforce/run/run.h"
#include "enforce/session/program.h"
#include "enforce/sys/sys.h"

#define PIPE_SIZE (1024 * 1024)

struct guard {
	const struct cordon_session *session;
	const struct cordon_run_options *run;
	const struct cordon_mcp_options *options;
	struct cdn_arena *arena;
	struct cdn_pins_server server;
	char name[CDN_PINS_NAME]; /* of the server */
	char program[CDN_PATH_MAX + 1];
	const char *state;	  /* where its pins are; "" = nowhere */
	struct cordon_process *process;
	int stdio[3];		  /* of the server, until it has them */
	struct cdn_lines from_client, from_server;
	struct cdn_outlet to_client, to_server;
	int flags[2];		  /* of the client's descriptors; -1: kept */
	struct cdn_relay relay;
	struct cdn_linger for_client, for_server;
	bool over;		  /* nobody of the server is left */
	bool audit_lost;
	unsigned urged;		  /* 0, then SIGTERM, then SIGKILL */
	uint64_t deadline_ms;	  /* of the next of these; 0 = none */
	uint64_t taken;		  /* bytes that both sides took, */
	uint64_t moved_ms;	  /* and when that was; 0: it goes on */
	int code;		  /* of ours, while it ran */
	struct cordon_error error;
};

static uint64_t
now_ms(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* ----- What the relay tells ---------------------------------------------------- */

static void
note(const char *text, void *arg)
{
	const struct guard *g = arg;

	if (g->run->notice != NULL)
		g->run->notice(text, g->run->notice_arg);
}

static int
write_event(const struct guard *g, const struct cdn_relay_event *event,
    struct cordon_error *err)
{
	const struct cordon_mcp_refusal *r = event->refusal;
	struct cdn_event_field fields[CDN_VERDICT_FIELDS + 5];
	size_t n = 0;

	fields[n++] = cdn_field_text("method", event->method);
	fields[n++] = cdn_field_text("tool", event->tool);
	fields[n++] = cdn_field_text("reason", event->reason);
	fields[n++] = cdn_field_text("field", r == NULL ? NULL : r->field);
	if (r != NULL && r->has_verdict) {
		cdn_fields_verdict(&r->verdict, cdn_str_of(r->path),
		    fields + n);
		n += CDN_VERDICT_FIELDS;
	} else {
		fields[n++] = cdn_field_bool("allowed", event->allowed);
	}
	return cdn_launch_event(g->process, CDN_EVENT_MCP_CALL, fields, n,
	    err);
}

/* As with denials of a run: what cannot be kept must not go on unseen. */
static int
record(const struct cdn_relay_event *event, void *arg,
    struct cordon_error *err)
{
	struct guard *g = arg;
	struct cordon_error why = { 0 };

	if (write_event(g, event, &why) == 0)
		return 0;
	if (!g->audit_lost)
		note(why.text, g);
	g->audit_lost = true;
	if (cdn_launch_audit_may_fail(g->process))
		return 0;
	return cdn_err(err, CORDON_E_SYSTEM, "cordon refused this call: it "
	    "could not be recorded: %s", why.text);
}

static bool
save(void *arg)
{
	struct guard *g = arg;
	struct cordon_error why = { 0 };
	bool merged = true;

	if (g->state[0] == '\0' || cdn_pins_save(g->state, g->name,
		&g->server, &g->relay.catalog, &merged, &why) == 0)
		g->relay.catalog.grown = false;
	else
		note(why.text, g);
	return merged;
}

/* ----- The client's ends --------------------------------------------------------- */

static int
open_client(struct guard *g, struct cordon_error *err)
{
	int in = -1, out = -1;
	int code = cdn_end_open(g->options->in_fd, O_RDONLY, &g->flags[0], &in,
	    err);

	if (code == 0)
		cdn_lines_init(&g->from_client, in);
	if (code == 0)
		code = cdn_end_open(g->options->out_fd, O_WRONLY, &g->flags[1],
		    &out, err);
	if (code == 0)
		cdn_outlet_init(&g->to_client, out);
	return code;
}

static void
restore_flags(const struct guard *g)
{
	const int fds[2] = { g->options->in_fd, g->options->out_fd };

	for (int i = 0; i < 2; i++)
		if (g->flags[i] >= 0)
			(void)fcntl(fds[i], F_SETFL, g->flags[i]);
}

/* ----- The server ------------------------------------------------------------------ */

static int
make_pipe(int ours, int ret[2], struct cordon_error *err)
{
	if (pipe2(ret, O_CLOEXEC) != 0)
		return cdn_err_sys(err, errno, "failed to make a pipe");
	(void)fcntl(ret[0], F_SETPIPE_SZ, PIPE_SIZE); /* only for speed */
	if (fcntl(ret[ours], F_SETFL, O_NONBLOCK) == 0)
		return 0;
	(void)cdn_err_sys(err, errno, "failed to make a pipe");
	close(ret[0]);
	close(ret[1]);
	return CORDON_E_SYSTEM;
}

static int
start_server(struct guard *g, struct cordon_error *err)
{
	int in[2], out[2];
	int code = make_pipe(1, in, err);

	if (code != 0)
		return code;
	cdn_outlet_init(&g->to_server, in[1]);
	g->stdio[0] = in[0];
	code = make_pipe(0, out, err);
	if (code == 0) {
		cdn_lines_init(&g->from_server, out[0]);
		g->stdio[1] = out[1];
		code = cdn_launch_start_with(g->session, g->run, g->stdio,
		    &g->process, err);
		close(out[1]);
	}
	close(in[0]);
	return code;
}

/* ----- The loop --------------------------------------------------------------------- */

static void
fail(struct guard *g, int code, const struct cordon_error *err)
{
	if (g->code == 0) {
		g->code = code;
		g->error = *err;
	}
}

/* What comes of a line of the client goes either way. */
static bool
is_full(const struct guard *g)
{
	return cdn_outlet_is_full(&g->to_client) ||
	    cdn_outlet_is_full(&g->to_server);
}

static bool
relay_line(struct guard *g, struct cdn_lines *lines,
    int (*handle)(struct cdn_relay *, cdn_str, bool, struct cordon_error *))
{
	struct cordon_error err = { 0 };
	cdn_str line;
	enum cdn_line found = cdn_lines_next(lines, &line);
	int code;

	if (found == CDN_LINE_NONE)
		return false;
	code = handle(&g->relay, line, found == CDN_LINE_TOO_LONG, &err);
	if (code != 0)
		fail(g, code, &err);
	return true;
}

/*
 * Lines as long as there are some, and somebody takes what comes of them.  The
 * server is heard while it does not listen itself: it may wait for that.
 */
static void
relay_lines(struct guard *g)
{
	while (g->code == 0 && !is_full(g) &&
	    relay_line(g, &g->from_client, cdn_relay_from_client))
		;
	while (g->code == 0 && !cdn_outlet_is_full(&g->to_client) &&
	    relay_line(g, &g->from_server, cdn_relay_from_server))
		;
}

static void
refuse_late(struct guard *g)
{
	struct cordon_error err = { 0 };
	int code = g->code == 0 ? cdn_relay_late(&g->relay, &err) : 0;

	if (code != 0)
		fail(g, code, &err);
}

static void
fill(struct guard *g, struct cdn_lines *lines)
{
	struct cordon_error err = { 0 };

	if (!cdn_lines_fill(lines))
		fail(g, cdn_err_nomem(&err), &err);
}

/* The client is gone, or we have to end: the server's input ends. */
static bool
is_ending(const struct guard *g)
{
	return g->code != 0 || g->to_client.fd < 0 || g->from_client.fd < 0;
}

/* At the end what was said is still told, while somebody takes any of it. */
static bool
is_stuck(struct guard *g)
{
	uint64_t taken = g->to_client.taken + g->to_server.taken;
	uint64_t now = now_ms();

	if (g->moved_ms == 0 || taken != g->taken) {
		g->taken = taken;
		g->moved_ms = now;
	}
	return now >= g->moved_ms + CDN_GUARD_STUCK_MS;
}

static void
end_input(struct guard *g)
{
	size_t rest = g->from_client.fd < 0 ? cdn_lines_rest(&g->from_client) :
					      0;
	bool stuck;

	if (g->to_server.fd < 0 || !is_ending(g))
		return;
	stuck = g->code != 0 || is_stuck(g);
	if (!stuck && (!cdn_outlet_is_empty(&g->to_server) ||
		(rest > 0 && is_full(g))))
		return; /* there may be whole lines among the rest */
	if (rest > 0)
		note(stuck ? "nobody takes the client's last messages: they "
			     "are dropped" :
			     "the client's last message has no end: it is "
			     "dropped", g);
	cdn_outlet_done(&g->to_server);
	g->deadline_ms = g->over ? 0 : now_ms() + CDN_GUARD_GRACE_MS;
}

/* Told once, then no longer asked. */
static void
urge(struct guard *g)
{
	if (g->over || g->deadline_ms == 0 || now_ms() < g->deadline_ms)
		return;
	(void)!cdn_run_signal(cdn_launch_running(g->process),
	    g->urged == 0 ? SIGTERM : SIGKILL, NULL);
	g->urged++;
	g->deadline_ms = now_ms() + CDN_GUARD_GRACE_MS;
}

enum end { CLIENT_IN, CLIENT_OUT, SERVER_IN, SERVER_OUT, PROCESS, END_MAX };

static void
watch(struct guard *g, struct pollfd fds[END_MAX])
{
	fds[CLIENT_IN] = (struct pollfd){ .events = POLLIN,
		.fd = is_full(g) || g->over || g->to_server.fd < 0 ? -1 :
						g->from_client.fd };
	/* Without events: that nobody reads there any more is seen, too. */
	fds[CLIENT_OUT] = (struct pollfd){ .fd = g->to_client.fd,
		.events = cdn_outlet_is_empty(&g->to_client) ? 0 : POLLOUT };
	fds[SERVER_IN] = (struct pollfd){ .events = POLLOUT,
		.fd = cdn_outlet_is_empty(&g->to_server) ? -1 :
							   g->to_server.fd };
	fds[SERVER_OUT] = (struct pollfd){ .events = POLLIN,
		.fd = cdn_outlet_is_full(&g->to_client) ? -1 :
							  g->from_server.fd };
	fds[PROCESS] = (struct pollfd){ .events = POLLIN,
		.fd = g->over ? -1 : cdn_run_fd(cdn_launch_running(g->process)) };
}

static int
wait_ms(const struct guard *g)
{
	uint64_t until = g->deadline_ms, now = now_ms();
	uint64_t late = cdn_asks_late_ms(&g->relay.asks);

	if (until == 0 && g->moved_ms != 0)
		until = g->moved_ms + CDN_GUARD_STUCK_MS;
	if (until == 0 || (late != 0 && late < until))
		until = late;
	if (until == 0)
		return -1;
	return until <= now ? 0 : (int)(until - now);
}

static void
handle_ready(struct guard *g, const struct pollfd fds[END_MAX])
{
	if (fds[CLIENT_OUT].revents != 0) {
		cdn_outlet_flush(&g->to_client);
		if ((fds[CLIENT_OUT].revents & (POLLERR | POLLHUP | POLLNVAL)) != 0)
			cdn_outlet_done(&g->to_client);
	}
	if (fds[SERVER_IN].revents != 0)
		cdn_outlet_flush(&g->to_server);
	if (fds[CLIENT_IN].revents != 0)
		fill(g, &g->from_client);
	if (fds[SERVER_OUT].revents != 0)
		fill(g, &g->from_server);
	if (fds[PROCESS].revents != 0 && cdn_run_step(
		cdn_launch_running(g->process))) {
		g->over = true;
		g->deadline_ms = g->moved_ms = 0;
	}
	relay_lines(g);
	refuse_late(g);
	end_input(g);
	urge(g);
}

/* Nobody is left, and all that was said is told, or nobody hears it. */
static bool
is_done(struct guard *g, const struct pollfd fds[END_MAX])
{
	if (!g->over)
		return false;
	if (g->code != 0 || g->to_client.fd < 0 || is_stuck(g))
		return true;
	return cdn_outlet_is_empty(&g->to_client) &&
	    (g->from_server.fd < 0 || (fds[SERVER_OUT].fd >= 0 &&
	    fds[SERVER_OUT].revents == 0));
}

/* Somebody was told something, and may answer before we are asleep. */
static bool
linger(struct guard *g, struct pollfd fds[END_MAX])
{
	bool client = cdn_linger_told(&g->for_client, g->to_client.taken);
	bool server = cdn_linger_told(&g->for_server, g->to_server.taken);

	if (server && g->relay.asked_by_client.count > 0)
		return cdn_linger(&g->for_server, fds, END_MAX);
	return client && cdn_linger(&g->for_client, fds, END_MAX);
}

static void
loop(struct guard *g)
{
	struct pollfd fds[END_MAX];
	struct cordon_error err = { 0 };
	struct cdn_pipe_signal signal;

	cdn_pipe_signal_off(&signal);
	do {
		watch(g, fds);
		if (!linger(g, fds) && poll(fds, END_MAX, wait_ms(g)) < 0) {
			if (errno != EINTR)
				fail(g, cdn_err_sys(&err, errno, "poll"), &err);
			for (int i = 0; i < END_MAX; i++)
				fds[i].revents = 0;
		}
		handle_ready(g, fds);
	} while (!is_done(g, fds));
	cdn_pipe_signal_back(&signal);
}

/* ----- From beginning to end ---------------------------------------------------------- */

/* The real path of the program; as it was given when it is not found. */
static void
find_server(struct guard *g)
{
	const char *cwd = g->run->cwd == NULL ? g->session->cwd : g->run->cwd;

	if (!cdn_program_real(g->run->argv[0], cwd, getenv("PATH"),
		g->program))
		snprintf(g->program, sizeof(g->program), "%s",
		    g->run->argv[0]);
	g->server = (struct cdn_pins_server){
		.workspace = g->session->workspace,
		.program = g->program,
		.argv = g->run->argv,
	};
}

static int
prepare(struct guard *g, struct cordon_error *err)
{
	int code = cdn_guard_judge_init(&g->relay.judge, g->session, g->arena,
	    err);

	find_server(g);
	if (code == 0)
		code = cdn_pins_name(&g->server, g->name, err);
	if (code == 0 && g->state[0] != '\0')
		code = cdn_pins_load(g->state, g->name, &g->relay.catalog,
		    err);
	if (code != 0)
		return code;
	g->relay.forget = cdn_arena_printf(g->arena,
	    "cordon mcp pins forget %s", g->name);
	if (g->relay.forget == NULL)
		return cdn_err_nomem(err);
	g->relay.to_client = &g->to_client;
	g->relay.to_server = &g->to_server;
	g->relay.record = record;
	g->relay.save = save;
	g->relay.note = note;
	g->relay.arg = g;
	return open_client(g, err);
}

static int
run_guard(struct guard *g, struct cordon_run_result *ret,
    struct cordon_error *err)
{
	int code = prepare(g, err);

	if (code == 0)
		code = start_server(g, err);
	if (code != 0)
		return code;
	loop(g);
	code = cdn_launch_wait(g->process, ret, err);
	if (code == 0 && g->code != 0) {
		cordon_run_result_done(ret);
		if (err != NULL)
			*err = g->error;
		return g->code;
	}
	if (code == 0 && g->audit_lost)
		ret->audit_lost = true;
	return code;
}

int
cdn_guard_run(const struct cordon_session *session,
    const struct cordon_run_options *run,
    const struct cordon_mcp_options *options, struct cordon_run_result *ret,
    struct cordon_error *err)
{
	struct guard g = {
		.session = session,
		.run = run,
		.options = options,
		.arena = cdn_arena_new(),
		.state = session->own.substitute ? "" : session->places.state,
		.flags = { -1, -1 },
		.stdio = { -1, -1, -1 },
		.from_client = { .fd = -1 },
		.from_server = { .fd = -1 },
		.to_client = { .fd = -1 },
		.to_server = { .fd = -1 },
	};
	int code = g.arena == NULL ? cdn_err_nomem(err) :
	    run_guard(&g, ret, err);

	restore_flags(&g);
	cdn_lines_done(&g.from_client);
	cdn_lines_done(&g.from_server);
	cdn_outlet_done(&g.to_client);
	cdn_outlet_done(&g.to_server);
	cdn_relay_done(&g.relay);
	cdn_arena_free(g.arena);
	return code;
}
