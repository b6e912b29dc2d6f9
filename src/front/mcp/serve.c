#include "front/mcp/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "front/mcp/server.h"

#define GRACE_MS 2000 /* for calls to end by themselves, at the end of input */
#define TICK_MS	 1000 /* to tell of progress */
#define STUCK_MS 3000 /* at the end: the client took no byte for so long */

uint64_t
mcp_now_ms(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

void
mcp_send(struct mcp_server *server, struct cdn_buf *line)
{
	if (cdn_buf_failed(line))
		server->failed = true;
	else
		cdn_outlet_put(&server->out, (cdn_str){ line->p, line->n });
	server->failed |= server->out.failed;
	cdn_buf_done(line);
}

/* ----- Signals ------------------------------------------------------------- */

static volatile sig_atomic_t caught;
static volatile sig_atomic_t wake_fd = -1;

static void
on_signal(int number)
{
	int saved = errno;

	caught = number;
	/* A full pipe is as good as one more byte in it. */
	(void)!write(wake_fd, "", 1);
	errno = saved;
}

static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

static void
catch_signals(const struct mcp_server *s,
    struct sigaction before[CDN_LEN(signals)])
{
	struct sigaction action = { .sa_handler = on_signal,
		.sa_flags = SA_RESTART };

	caught = 0;
	wake_fd = s->calls.wake[1];
	for (size_t i = 0; i < CDN_LEN(signals); i++)
		sigaction(signals[i], &action, &before[i]);
}

static void
release_signals(const struct sigaction before[CDN_LEN(signals)])
{
	for (size_t i = 0; i < CDN_LEN(signals); i++)
		sigaction(signals[i], &before[i], NULL);
	wake_fd = -1;
}

/* ----- The loop ------------------------------------------------------------- */

static void
read_line(struct mcp_server *s, cdn_str line, bool too_long)
{
	struct cdn_arena *arena = cdn_arena_new();
	struct mcp_message m = { .kind = MCP_BAD,
		.code = MCP_INVALID_REQUEST };

	snprintf(m.what, sizeof(m.what), "a message of more than %lu bytes",
	    CDN_RPC_LINE_MAX);
	line.n -= too_long ? 0 : 1;
	if (arena == NULL || (!too_long && !mcp_message_read(line, arena, &m)))
		s->failed = true;
	else
		mcp_handle(s, &m, arena);
	cdn_arena_free(arena);
}

static void
read_lines(struct mcp_server *s)
{
	enum cdn_line found;
	cdn_str line;

	while (!s->failed && !cdn_outlet_is_full(&s->out)) {
		found = cdn_lines_next(&s->in, &line);
		if (found == CDN_LINE_NONE)
			return;
		read_line(s, line, found == CDN_LINE_TOO_LONG);
	}
}

static void
cancel_all(struct mcp_server *s)
{
	for (struct mcp_call *c = s->calls.v; c != NULL; c = c->next)
		if (!c->cancelled)
			mcp_call_cancel(c);
}

/* Nobody hears us any more, or nobody shall. */
static bool
is_cut_off(const struct mcp_server *s)
{
	return s->failed || caught != 0 || s->out.fd < 0;
}

/* Whoever does not read gets no more to read. */
static void
look_after_calls(struct mcp_server *s)
{
	struct mcp_call *call = NULL;

	mcp_calls_woken(&s->calls);
	while ((is_cut_off(s) || !cdn_outlet_is_full(&s->out)) &&
	    (call = mcp_calls_take_over(&s->calls)) != NULL) {
		mcp_conclude(s, call);
		mcp_call_free(call);
	}
	if (!is_cut_off(s))
		mcp_calls_start(&s->calls, mcp_now_ms());
	mcp_attend(s, mcp_now_ms());
}

enum end { IN, OUT, WAKE, END_MAX };

static void
wait_for_more(struct mcp_server *s)
{
	bool full = cdn_outlet_is_full(&s->out);
	struct pollfd fds[END_MAX] = {
		[IN] = { .fd = full ? -1 : s->in.fd, .events = POLLIN },
		/* Without events: that nobody reads there is seen, too. */
		[OUT] = { .fd = s->out.fd,
		    .events = cdn_outlet_is_empty(&s->out) ? 0 : POLLOUT },
		[WAKE] = { .fd = s->calls.wake[0], .events = POLLIN },
	};
	bool ticks = s->calls.count > 0 || s->in.fd < 0;

	if (poll(fds, END_MAX, ticks ? TICK_MS : -1) < 0)
		return; /* a signal: it has left a byte */
	if (fds[OUT].revents != 0) {
		cdn_outlet_flush(&s->out);
		if ((fds[OUT].revents & (POLLERR | POLLHUP | POLLNVAL)) != 0)
			cdn_outlet_done(&s->out);
	}
	if (fds[IN].revents != 0 && !cdn_lines_fill(&s->in))
		s->failed = true;
}

/* The end of a conversation: when it is to be over, and whether it goes on. */
struct ending {
	uint64_t deadline_ms; /* of calls that run; 0: there is none yet */
	uint64_t taken;	      /* bytes that the client took, */
	uint64_t moved_ms;    /* and when that was; 0: nobody looked */
};

static bool
is_stuck(const struct mcp_server *s, struct ending *e, uint64_t now)
{
	if (e->moved_ms == 0 || e->taken != s->out.taken ||
	    cdn_outlet_is_empty(&s->out)) {
		e->taken = s->out.taken;
		e->moved_ms = now;
	}
	return now >= e->moved_ms + STUCK_MS;
}

/*
 * True while there is somebody to answer, or a call to wait for.  A client that
 * says no more, and does not read what it is told, is none.
 */
static bool
goes_on(struct mcp_server *s, struct ending *e)
{
	uint64_t now = mcp_now_ms();

	if (!is_cut_off(s) && s->in.fd >= 0)
		return true;
	if (!is_cut_off(s) && is_stuck(s, e, now))
		cdn_outlet_done(&s->out);
	if (!is_cut_off(s) && cdn_outlet_is_full(&s->out))
		return true; /* there may be whole lines left to read */
	if (e->deadline_ms == 0)
		e->deadline_ms = now + GRACE_MS;
	if (is_cut_off(s) || now >= e->deadline_ms)
		cancel_all(s);
	return s->calls.count > 0 ||
	    (!is_cut_off(s) && !cdn_outlet_is_empty(&s->out));
}

static void
loop(struct mcp_server *s)
{
	struct ending ending = { .deadline_ms = 0 };

	while (goes_on(s, &ending)) {
		wait_for_more(s);
		if (!is_cut_off(s))
			read_lines(s);
		look_after_calls(s);
	}
	if (cdn_lines_rest(&s->in) > 0 && caught == 0)
		s->options->note(s->out.fd < 0 ?
		    "nobody reads the answers: the client's last messages are "
		    "dropped" :
		    "the client's last message has no end: it is dropped");
}

/* ----- From beginning to end -------------------------------------------------- */

static int
prepare(struct mcp_server *s, int flags[2], struct cordon_error *err)
{
	struct cordon_tools_options tools = s->options->tools;
	int in = -1, out = -1;
	int code = mcp_calls_init(&s->calls, err);

	if (code == 0)
		code = mcp_catalog_init(&s->catalog, err);
	if (code == 0 && !mcp_states_init(&s->states))
		code = cdn_err_sys(err, errno, "no randomness for approvals");
	if (code == 0) {
		tools.approve = mcp_approve;
		tools.approve_arg = &s->calls;
		tools.approve_ms = CDN_MCP_APPROVAL_MS;
		code = cordon_tools_new(&tools, &s->calls.tools, err);
	}
	if (code == 0)
		code = cdn_end_open(s->options->in_fd, O_RDONLY, &flags[0],
		    &in, err);
	if (code == 0)
		cdn_lines_init(&s->in, in);
	if (code == 0)
		code = cdn_end_open(s->options->out_fd, O_WRONLY, &flags[1],
		    &out, err);
	if (code == 0)
		cdn_outlet_init(&s->out, out);
	return code;
}

static void
converse(struct mcp_server *s)
{
	struct sigaction before[CDN_LEN(signals)];
	struct cdn_pipe_signal signal;

	cdn_pipe_signal_off(&signal);
	s->calls.mask = signal.old;
	catch_signals(s, before);
	loop(s);
	release_signals(before);
	cdn_pipe_signal_back(&signal);
}

static void
clean_up(struct mcp_server *s, const int flags[2])
{
	const int fds[2] = { s->options->in_fd, s->options->out_fd };

	for (int i = 0; i < 2; i++)
		if (flags[i] >= 0)
			(void)fcntl(fds[i], F_SETFL, flags[i]);
	cdn_lines_done(&s->in);
	cdn_outlet_done(&s->out);
	if (s->calls.tools != NULL)
		cordon_tools_free(s->calls.tools);
	mcp_states_done(&s->states);
	mcp_catalog_done(&s->catalog);
	mcp_calls_done(&s->calls);
}

int
mcp_serve(const struct mcp_serve_options *options, int *ret_signal,
    struct cordon_error *err)
{
	struct mcp_server s = { .options = options, .in.fd = -1, .out.fd = -1,
		.calls.wake = { -1, -1 } };
	int flags[2] = { -1, -1 };
	int code = prepare(&s, flags, err);

	if (code == 0) {
		converse(&s);
		*ret_signal = caught;
		if (s.failed)
			code = cdn_err_nomem(err);
	}
	clean_up(&s, flags);
	return code;
}
