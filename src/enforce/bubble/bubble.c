#include "enforce/bubble/bubble.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>

#include "base/arena.h"
#include "enforce/backend/wrapper.h"
#include "enforce/bubble/command.h"
#include "enforce/bubble/fds.h"
#include "enforce/bubble/helper.h"
#include "enforce/bubble/mounted.h"
#include "enforce/bubble/orphans.h"
#include "enforce/bubble/relay.h"
#include "enforce/bubble/talk.h"
#include "enforce/sys/raw.h"

#define OWN_PROCESSES 2 /* of bwrap's, which count as the run's */

struct cdn_bubble {
	struct cdn_bubble *self; /* for enter() */
	struct cdn_bubble_input input;
	struct cdn_arena *arena;
	struct cdn_run_request *request;
	bool helped; /* bwrap is told only what it must be */
	struct cdn_talk talk;
	struct cdn_command command;
	int first_fd; /* of the first process in the sandbox, or -1 */
	struct cdn_helper *helper; /* who mounts in it, or NULL */
	int *fds;     /* of the host's objects, by mount */
	struct cdn_relay *relay;
	int stdio[3];
};

/* ----- Before it begins ---------------------------------------------------- */

/* One that will be refused is not opened: some do something then. */
int
cdn_bubble_seal(struct cdn_arena *arena, const int stdio[3],
    struct cdn_sealing **ret, struct cordon_error *err)
{
	struct cdn_sealing *sealing = cdn_arena_alloc(arena, sizeof(*sealing));
	int fds[3];

	if (sealing == NULL)
		return cdn_err_nomem(err);
	for (int i = 0; i < 3; i++) {
		int fd = cdn_relay_fd(stdio, i);

		fds[i] = cdn_relay_gives_device(fd) ? fd : -1;
	}
	cdn_sealing_open(sealing, CDN_WRAPPER_BWRAP);
	cdn_sealing_begin(sealing, fds);
	*ret = sealing;
	return 0;
}

/* All others close at exec. */
CDN_BARE static int
enter(const void *arg, pid_t pid)
{
	struct cdn_bubble *b = *(struct cdn_bubble *const *)arg;
	int given[4];
	long r = 0;

	(void)pid;
	given[0] = b->command.words_fd;
	given[1] = b->command.filter_fd;
	given[2] = b->talk.their_status;
	given[3] = b->talk.their_ready;
	for (unsigned i = 0; i < CDN_LEN(given) && r >= 0; i++)
		r = cdn_raw(SYS_fcntl, given[i], F_SETFD, 0);
	if (r >= 0)
		cdn_sealing_do(b->input.sealing);
	if (r >= 0 && b->input.sealing->error != 0)
		r = cdn_command_be_strict(&b->command);
	return (int)r;
}

static int
make_command(struct cdn_bubble *b, struct cordon_error *err)
{
	struct cdn_run_request *r = b->request;
	const struct cdn_bwrap_command how = {
		.cwd = b->input.cwd,
		.envp = r->envp,
		.terminal = r->terminal != NULL ||
		    r->output_mode == CDN_OUTPUT_PTY,
		.status_fd = b->talk.their_status,
		.ready_fd = b->talk.their_ready,
		.helped = b->helped,
	};
	int code = cdn_command_filter(&b->command, b->input.plan,
	    b->input.host, err);

	if (code == 0)
		code = cdn_command_words(&b->command, b->arena,
		    b->input.mounts, how, err);
	return code != 0 ? code : cdn_command_argv(&b->command, b->arena,
	    r->program, r->argv, &r->argv, err);
}

/* By its descriptor, where that is a sealed one by then. */
static int
choose_program(struct cdn_bubble *b, struct cordon_error *err)
{
	struct cdn_sealing *s = b->input.sealing;

	b->request->program = CDN_WRAPPER_BWRAP;
	if (!b->helped)
		cdn_sealing_close(s);
	if (s->program_fd < 0)
		return 0;
	b->request->program = cdn_arena_printf(b->arena, "/proc/self/fd/%d",
	    s->program_fd);
	return b->request->program == NULL ? cdn_err_nomem(err) : 0;
}

static void
fill_request(struct cdn_bubble *b)
{
	static char *const nothing[] = { NULL };
	struct cdn_run_request *r = b->request;

	r->envp = nothing;
	r->cwd = "/";
	r->cwd_is = NULL; /* asked of the sandbox: cdn_mounted_is_in() */
	r->stdio = b->stdio;
	/*
	 * bwrap's child waits for its parent before it asks to die with it:
	 * were we killed meanwhile, it would wait for ever.
	 */
	r->reaper = CDN_REAPER_SHEPHERD;
	if (r->limits.processes > 0)
		r->limits.processes += OWN_PROCESSES;
	r->entry = (struct cdn_entry){ .enter = enter, .arg = &b->self,
		.wraps = true };
}

static struct cdn_bubble *
bubble_new(struct cdn_arena *arena, const struct cdn_bubble_input *input,
    struct cdn_run_request *request)
{
	size_t mounts = input->mounts->count;
	struct cdn_bubble *b = calloc(1, sizeof(*b));

	if (b == NULL)
		return NULL;
	b->fds = calloc(mounts + 1, sizeof(*b->fds));
	if (b->fds == NULL) {
		free(b);
		return NULL;
	}
	for (size_t i = 0; i < mounts; i++)
		b->fds[i] = -1;
	b->self = b;
	b->input = *input;
	b->arena = arena;
	b->request = request;
	b->helped = cdn_helper_is_possible(input->host);
	cdn_talk_init(&b->talk);
	cdn_command_init(&b->command);
	b->first_fd = -1;
	return b;
}

int
cdn_bubble_open(struct cdn_arena *arena, const struct cdn_bubble_input *input,
    struct cdn_run_request *request, struct cdn_bubble **ret,
    struct cordon_error *err)
{
	struct cdn_bubble *b = bubble_new(arena, input, request);
	int code;

	if (b == NULL)
		return cdn_err_nomem(err);
	code = cdn_talk_open(&b->talk, err);
	if (code == 0)
		code = make_command(b, err);
	if (code == 0)
		code = cdn_relay_open(input->stdio, &b->relay, b->stdio, err);
	if (code == 0)
		code = cdn_mounted_open(input->mounts, b->helped, b->fds, err);
	if (code == 0)
		code = choose_program(b, err);
	if (code != 0) {
		cdn_bubble_free(b);
		return code;
	}
	fill_request(b);
	*ret = b;
	return 0;
}

/* ----- While it waits ------------------------------------------------------ */

/* What is a pipe by now was no device. */
static void
take_sealed(struct cdn_bubble *b)
{
	struct cdn_sealing *s = b->input.sealing;

	cdn_sealing_await(s);
	for (int i = 0; i < 3; i++) {
		int fd = cdn_relay_fd(b->input.stdio, i);
		int sealed = fd < 0 ? fd : cdn_sealing_take(s, i, fd);

		if (sealed != fd)
			b->stdio[i] = sealed;
	}
}

/* The shepherd does it, unless it was killed, too. */
void
cdn_bubble_failed(const struct cdn_bubble *b)
{
	cdn_orphans_end(&b->talk.theirs, &b->talk.ours);
}

int
cdn_bubble_start(struct cdn_bubble *b, struct cdn_running **ret,
    struct cordon_error *err)
{
	take_sealed(b);
	return cdn_run_start(b->request, ret, err);
}

/* It is at work still, and will wait for us. */
static int
meet_first(struct cdn_bubble *b, struct cdn_running *running, pid_t *ret,
    struct cordon_error *err)
{
	int code = cdn_talk_hear_first(&b->talk, running, ret, err);

	if (code != 0)
		return code;
	b->first_fd = (int)cdn_raw(SYS_pidfd_open, *ret, 0);
	if (b->first_fd < 0)
		return cdn_err_sys(err, -b->first_fd, "the process that '"
		    CDN_WRAPPER_BWRAP "' made is gone");
	return !b->helped ? 0 : cdn_helper_start(b->arena, b->input.mounts,
	    b->input.cwd, *ret, b->talk.ready_fd, &b->helper, err);
}

/* It waits. */
static int
look_and_help(struct cdn_bubble *b, pid_t pid, struct cordon_error *err)
{
	const struct cdn_bubble_input *in = &b->input;
	struct cdn_helper *helper = b->helper;
	int code = cdn_mounted_check(in->mounts, b->helped, b->fds, pid, err);

	if (code == 0 && helper != NULL) {
		b->helper = NULL;
		code = cdn_helper_finish(helper, err);
	}
	if (code == 0 && in->cwd_is != NULL)
		code = cdn_mounted_is_in(in->cwd, in->cwd_is, pid, err);
	return code;
}

static int
let_go(struct cdn_bubble *b, struct cdn_running *running,
    struct cordon_error *err)
{
	pid_t pid;
	int code;

	cdn_talk_given(&b->talk);
	cdn_command_close(&b->command);
	cdn_sealing_close(b->input.sealing);
	code = cdn_relay_started(b->relay, err);
	if (code == 0)
		code = meet_first(b, running, &pid, err);
	if (code == 0)
		code = cdn_talk_await_ready(&b->talk, running, err);
	if (code == 0)
		code = look_and_help(b, pid, err);
	if (code != 0)
		return code;
	cdn_run_wraps(running, pid);
	return cdn_talk_let_go(&b->talk, err);
}

/* Who is not told to go on never began. */
int
cdn_bubble_go_on(struct cdn_bubble *b, struct cdn_running *running,
    struct cordon_error *err)
{
	struct cdn_run_result result;
	int code = let_go(b, running, err);

	if (code == 0)
		return 0;
	cdn_helper_stop(b->helper);
	b->helper = NULL;
	(void)!cdn_run_signal(running, SIGKILL, NULL);
	cdn_bubble_failed(b);
	if (cdn_run_wait(running, &result, NULL) == 0)
		cdn_run_result_done(&result);
	return code;
}

/* ----- The end ------------------------------------------------------------- */

/*
 * All in the sandbox end with it.  The shepherd has seen to that; but when it
 * was killed itself, who asked too late to die with his parent is still there.
 */
static void
end_first(const struct cdn_bubble *b)
{
	struct pollfd gone = { .fd = b->first_fd, .events = POLLIN };

	if (b->first_fd < 0 || poll(&gone, 1, 0) != 0)
		return;
	(void)cdn_raw(SYS_pidfd_send_signal, b->first_fd, SIGKILL, NULL, 0);
	while (poll(&gone, 1, -1) < 0 && errno == EINTR)
		;
}

int
cdn_bubble_end(struct cdn_bubble *b, struct cordon_error *err)
{
	int code;

	end_first(b);
	code = cdn_relay_close(b->relay, err);
	b->relay = NULL;
	return code;
}

bool
cdn_bubble_was_started(const struct cdn_bubble *b)
{
	return cdn_talk_was_started(&b->talk);
}

void
cdn_bubble_free(struct cdn_bubble *b)
{
	if (b == NULL)
		return;
	end_first(b);
	cdn_talk_close(&b->talk);
	cdn_command_close(&b->command);
	cdn_fds_close(&b->first_fd);
	for (size_t i = 0; i < b->input.mounts->count; i++)
		cdn_fds_close(&b->fds[i]);
	free(b->fds);
	(void)!cdn_relay_close(b->relay, NULL);
	free(b);
}
