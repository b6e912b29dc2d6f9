/*
 * guests - the runs inside of one, each with a thread that has no other rights
 * than the process: threads of the broker are confined, and all they make.
 */
#include "enforce/launch/nested.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "enforce/launch/agent.h"
#include "enforce/session/handover.h"
#include "enforce/session/own.h"

struct guest {
	struct cdn_guests *guests;
	int fd; /* -1: nobody is here */
	bool let_in; /* it has a thread */
	bool done;   /* which only waits to be joined */
	pthread_t thread;
};

struct cdn_guests {
	struct cordon_process *outer;
	int wake_fd;
	pthread_mutex_t mutex; /* for what follows */
	bool closing;
	unsigned running; /* how many of them have processes */
	pthread_cond_t less; /* of those */
	struct guest v[CDN_NESTED_MAX];
};

/* ----- One of them --------------------------------------------------------------- */

/* What it asks for, while it is here. */
struct stay {
	struct guest *guest;
	struct cdn_buf bytes;
	struct cdn_nested_wish wish;
	struct cordon_session *session;
	struct cordon_run_options options;
	struct cdn_run_place cwd_is; /* of options.cwd, which is real */
	char run[CDN_NESTED_ID + 1];
	struct cdn_buf notices; /* in lines; the first is the id */
	bool untold; /* there was no room for all of them */
	int stdio[3];
	struct cordon_process *process;
};

static int
read_request(struct stay *stay)
{
	struct cdn_nested_head head;
	char room[4096];
	int r = cdn_nested_receive(stay->guest->fd, &head, sizeof(head));

	if (r == 0 && (head.magic != CDN_NESTED_MAGIC ||
		head.size > CDN_NESTED_BYTES))
		r = -EBADMSG;
	for (size_t left = r == 0 ? head.size : 0; left > 0 && r == 0;) {
		size_t n = left < sizeof(room) ? left : sizeof(room);

		r = cdn_nested_receive(stay->guest->fd, room, n);
		if (r == 0)
			cdn_buf_add(&stay->bytes, room, n);
		left -= n;
	}
	return r == 0 && cdn_buf_failed(&stay->bytes) ? -ENOMEM : r;
}

static int
understand(struct stay *stay, struct cordon_error *err)
{
	const struct cordon_process *outer = stay->guest->guests->outer;
	struct cdn_form form = { .reading = true,
		.in = { stay->bytes.p, stay->bytes.n } };
	int code = cdn_session_take_over(&form, outer->session,
	    &stay->session, err);

	if (code != 0)
		return code;
	stay->session->outer_terms = &outer->terms;
	stay->session->outer_plan = outer->plan->plan;
	cdn_nested_form(&form, &stay->wish);
	if (cdn_form_is_whole(&form))
		return 0;
	return cdn_err(err, CORDON_E_INVALID,
	    "what an inner run handed over is not understood");
}

#define MORE "and more ('cordon plan' lists it)"

/* One line of a text for the inner one. */
static void
notice(const char *text, void *arg)
{
	struct stay *stay = arg;

	stay->untold |= stay->notices.n + strlen(text) + sizeof("\n" MORE "\n") >
	    CDN_NESTED_TEXT;
	if (!stay->untold)
		cdn_buf_printf(&stay->notices, "%s\n", text);
}

static void
fill_options(struct stay *stay)
{
	static const enum cordon_enforcement enforcements[] = {
		[CDN_ENFORCEMENT_UNSET] = CORDON_ENFORCEMENT_REQUIRED,
		[CDN_ENFORCEMENT_BEST_EFFORT] = CORDON_ENFORCEMENT_BEST_EFFORT,
		[CDN_ENFORCEMENT_DEGRADED] = CORDON_ENFORCEMENT_DEGRADED,
		[CDN_ENFORCEMENT_REQUIRED] = CORDON_ENFORCEMENT_REQUIRED,
	};
	const struct cordon_run_options *outer =
	    stay->guest->guests->outer->options;

	stay->options = (struct cordon_run_options){
		.size = sizeof(stay->options),
		.argv = stay->wish.argv,
		.stdin_mode = CORDON_STDIN_INHERIT,
		.output = CORDON_OUTPUT_PASS,
		.environment = CORDON_ENV_EXACT,
		.env = stay->wish.env,
		.env_count = stay->wish.env_count,
		.backend = CORDON_BACKEND_NATIVE,
		.enforcement = enforcements[stay->wish.enforcement],
		.isolation = stay->wish.isolation ==
			CDN_ISOLATION_NAMESPACES ?
		    CORDON_ISOLATION_NAMESPACES : CORDON_ISOLATION_NONE,
		.audit = outer->audit,
		.denied = outer->denied,
		.denied_arg = outer->denied_arg,
		.notice = notice,
		.notice_arg = stay,
		.trace = stay->wish.trace,
	};
}

/*
 * The process of the run goes there before it is in the cage: to what is found
 * now, or nowhere.  What the inner policy says of it does not matter, as for
 * every run.
 */
static int
find_cwd(struct stay *stay, struct cordon_error *err)
{
	const struct cordon_session *outer =
	    stay->guest->guests->outer->session;
	const struct cdn_run_place *is = &stay->wish.cwd_is;
	const char *given = stay->wish.cwd;
	struct cordon_verdict verdict;
	struct cdn_real real;
	int code;

	if (given[0] != '/')
		return cdn_err(err, CORDON_E_INVALID,
		    "'%s' is no absolute path", given);
	code = cdn_session_find(outer, "/", cdn_str_of(given), &real, err);
	if (code == 0)
		code = cdn_session_judge(outer, CORDON_AS_PROCESS,
		    CORDON_READ, &real, &verdict, err);
	if (code != 0)
		return code;
	if (!verdict.allowed || !real.exists || (stay->wish.placed &&
		(real.dev != is->dev || real.ino != is->ino)))
		return cdn_err(err, CORDON_E_ENFORCE, "an inner run starts "
		    "where the outer policy lets it read, and '%s' is not such "
		    "a place", given);
	stay->cwd_is = (struct cdn_run_place){ real.dev, real.ino };
	stay->options.cwd = cdn_arena_dup(stay->session->arena, real.path,
	    real.len);
	return stay->options.cwd == NULL ? cdn_err_nomem(err) : 0;
}

static void
tell(struct stay *stay, const struct cordon_plan *plan)
{
	notice(stay->run, stay);
	cdn_launch_tell(plan, &stay->options);
	cdn_launch_tell_network(plan, &stay->options);
	if (stay->untold)
		cdn_buf_puts(&stay->notices, MORE "\n");
}

/* Nothing is started yet; but what can be refused is refused now. */
static int
consider(struct stay *stay, struct cordon_error *err)
{
	struct cordon_plan *plan = NULL;
	int code = find_cwd(stay, err);

	if (code == 0)
		code = cdn_launch_plan(stay->session, &stay->options, &plan,
		    err);
	if (code == 0 && !plan->plan->caged)
		code = cdn_err(err, CORDON_E_ENFORCE,
		    "there is no sandbox here any more");
	if (code == 0)
		code = cdn_launch_accept(plan, err);
	if (code == 0)
		code = cdn_own_make_id(stay->run, err);
	if (code == 0)
		tell(stay, plan);
	cdn_launch_plan_free(plan);
	return code;
}

/* ----- Its run ------------------------------------------------------------------- */

static void
close_stdio(struct stay *stay)
{
	for (size_t i = 0; i < CDN_LEN(stay->stdio); i++) {
		if (stay->stdio[i] >= 0)
			cdn_nested_close(stay->stdio[i]);
		stay->stdio[i] = -1;
	}
}

static bool
await_go(struct stay *stay)
{
	unsigned char byte = 0xff;

	return cdn_nested_take(stay->guest->fd, &byte, 1, 0, stay->stdio) ==
	    1 && stay->stdio[0] >= 0 && byte == CDN_NESTED_GO;
}

/* False: it is to end, because nobody waits for it any more. */
static bool
obey(const struct stay *stay)
{
	unsigned char signal = 0;
	ssize_t n = cdn_nested_take(stay->guest->fd, &signal, 1, MSG_DONTWAIT,
	    NULL);

	if (n < 0)
		return n == -EAGAIN;
	if (n == 1 && signal != 0)
		(void)!cdn_run_signal(cdn_launch_running(stay->process),
		    signal, NULL);
	return n == 1;
}

static void
attend(struct stay *stay)
{
	struct cdn_running *running = cdn_launch_running(stay->process);
	struct pollfd on[2] = { { cdn_run_fd(running), POLLIN, 0 },
		{ stay->guest->fd, POLLIN, 0 } };

	while (!cdn_run_step(running)) {
		(void)poll(on, CDN_LEN(on), -1);
		if (on[1].revents != 0 && !obey(stay)) {
			cdn_run_kill(running);
			on[1].fd = -1; /* the end is near */
		}
		on[1].revents = 0;
	}
}

static void
tell_end(const struct stay *stay, const struct cordon_run_result *result)
{
	int fd = stay->guest->fd;

	if (result->signal != 0)
		(void)!cdn_nested_say(fd, CDN_NESTED_KILLED, result->signal,
		    "");
	else
		(void)!cdn_nested_say(fd, CDN_NESTED_EXITED,
		    result->has_exit_code ? result->exit_code : 1, "");
}

static bool
begin(struct cdn_guests *guests)
{
	bool may;

	pthread_mutex_lock(&guests->mutex);
	may = !guests->closing;
	guests->running += may;
	pthread_mutex_unlock(&guests->mutex);
	return may;
}

static void
end(struct cdn_guests *guests)
{
	pthread_mutex_lock(&guests->mutex);
	guests->running--;
	pthread_cond_signal(&guests->less);
	pthread_mutex_unlock(&guests->mutex);
}

static int
run(struct stay *stay, struct cordon_error *err)
{
	struct cordon_run_result result = { 0 };
	struct cdn_guests *guests = stay->guest->guests;
	const struct cdn_handed handed = {
		.outer = guests->outer,
		.run = stay->run,
		.program = stay->wish.program,
		.cwd_is = &stay->cwd_is,
		.stdio = stay->stdio,
	};
	int code;

	if (!await_go(stay))
		return cdn_err(err, CORDON_E_INVALID,
		    "an inner run gave no descriptors");
	stay->options.notice = NULL; /* all is told */
	/* Its broker cannot look everywhere where ours could. */
	cdn_broker_look(guests->outer->broker);
	if (!begin(guests))
		return cdn_err(err, CORDON_E_SYSTEM,
		    "the run around this one ends");
	code = cdn_launch_start_handed(stay->session, &stay->options, &handed,
	    &stay->process, err);
	close_stdio(stay);
	if (code == 0) {
		attend(stay);
		code = cdn_launch_wait(stay->process, &result, err);
	}
	end(guests);
	if (code == 0) {
		__atomic_fetch_add(&guests->outer->denials, result.denials,
		    __ATOMIC_RELAXED);
		tell_end(stay, &result);
	}
	cordon_run_result_done(&result);
	return code;
}

static void
host(struct stay *stay)
{
	struct cordon_error err = { 0 };
	int fd = stay->guest->fd;
	int code = understand(stay, &err);

	if (code == 0) {
		fill_options(stay);
		code = consider(stay, &err);
	}
	if (code == 0 && cdn_buf_failed(&stay->notices))
		code = cdn_err_nomem(&err);
	if (code == 0 && cdn_nested_say(fd, CDN_NESTED_ACCEPTED, 0,
		stay->notices.p) == 0)
		code = run(stay, &err);
	if (code != 0)
		(void)!cdn_nested_say(fd, CDN_NESTED_REFUSED, code, err.text);
}

/* The slot is free again when it was joined. */
static void *
guest_main(void *arg)
{
	struct guest *guest = arg;
	struct stay stay = { .guest = guest, .stdio = { -1, -1, -1 } };

	cdn_buf_init(&stay.bytes, CDN_NESTED_BYTES);
	cdn_buf_init(&stay.notices, CDN_NESTED_TEXT - 1);
	if (read_request(&stay) == 0)
		host(&stay);
	close_stdio(&stay);
	cdn_session_free(stay.session);
	cdn_buf_done(&stay.notices);
	cdn_buf_done(&stay.bytes);
	pthread_mutex_lock(&guest->guests->mutex);
	(void)shutdown(guest->fd, SHUT_RDWR);
	guest->done = true;
	pthread_mutex_unlock(&guest->guests->mutex);
	(void)eventfd_write(guest->guests->wake_fd, 1);
	return NULL;
}

/* ----- All of them --------------------------------------------------------------- */

static unsigned
depth_of(const struct cordon_session *session)
{
	unsigned n = 1;

	while ((session = session->outer) != NULL)
		n++;
	return n;
}

bool
cdn_guests_are_offered(const struct cordon_process *p)
{
	const struct cdn_limits *limits = &p->terms.limits;

	return p->spaces == NULL && p->inside == NULL &&
	    (limits->cpu_ms | limits->memory_bytes | limits->processes) == 0 &&
	    depth_of(p->session) < CDN_NESTED_DEPTH;
}

int
cdn_guests_open(struct cordon_process *outer, struct cdn_guests **ret,
    struct cordon_error *err)
{
	struct cdn_guests *guests;

	*ret = NULL;
	if (!cdn_guests_are_offered(outer))
		return 0;
	guests = cdn_arena_alloc(outer->arena, sizeof(*guests));
	if (guests == NULL)
		return cdn_err_nomem(err);
	guests->outer = outer;
	for (size_t i = 0; i < CDN_LEN(guests->v); i++) {
		guests->v[i].guests = guests;
		guests->v[i].fd = -1;
	}
	guests->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (guests->wake_fd < 0)
		return cdn_err_sys(err, errno, "failed to make an eventfd");
	pthread_mutex_init(&guests->mutex, NULL);
	pthread_cond_init(&guests->less, NULL);
	*ret = guests;
	return 0;
}

int
cdn_guests_fd(const struct cdn_guests *guests)
{
	return guests->wake_fd;
}

/* Confined: the thread is made by somebody else. */
int
cdn_guests_knock(int fd, void *arg)
{
	struct cdn_guests *guests = arg;
	int r = -EAGAIN;

	pthread_mutex_lock(&guests->mutex);
	for (size_t i = 0; i < CDN_LEN(guests->v) && !guests->closing; i++)
		if (guests->v[i].fd < 0) {
			guests->v[i].fd = fd;
			(void)eventfd_write(guests->wake_fd, 1);
			r = 0;
			break;
		}
	pthread_mutex_unlock(&guests->mutex);
	return r;
}

/* With the lock; a thread that is done does not need it any more. */
static void
see_off(struct guest *guest)
{
	if (guest->let_in)
		(void)pthread_join(guest->thread, NULL);
	if (guest->fd >= 0)
		close(guest->fd);
	guest->fd = -1;
	guest->let_in = guest->done = false;
}

void
cdn_guests_let_in(void *arg)
{
	struct cdn_guests *guests = arg;
	eventfd_t n;

	(void)eventfd_read(guests->wake_fd, &n);
	pthread_mutex_lock(&guests->mutex);
	for (size_t i = 0; i < CDN_LEN(guests->v); i++) {
		struct guest *guest = &guests->v[i];

		if (guest->done)
			see_off(guest);
		if (guest->fd < 0 || guest->let_in)
			continue;
		guest->let_in = pthread_create(&guest->thread, NULL,
		    guest_main, guest) == 0;
		if (!guest->let_in)
			see_off(guest);
	}
	pthread_mutex_unlock(&guests->mutex);
}

/* Each sees that nobody is at the other end, and ends its run. */
void
cdn_guests_end(void *arg)
{
	struct cdn_guests *guests = arg;

	pthread_mutex_lock(&guests->mutex);
	guests->closing = true;
	for (size_t i = 0; i < CDN_LEN(guests->v); i++)
		if (guests->v[i].fd >= 0)
			(void)shutdown(guests->v[i].fd, SHUT_RDWR);
	while (guests->running > 0)
		pthread_cond_wait(&guests->less, &guests->mutex);
	pthread_mutex_unlock(&guests->mutex);
}

void
cdn_guests_close(struct cdn_guests *guests)
{
	if (guests == NULL)
		return;
	cdn_guests_end(guests);
	for (size_t i = 0; i < CDN_LEN(guests->v); i++)
		see_off(&guests->v[i]);
	close(guests->wake_fd);
	pthread_cond_destroy(&guests->less);
	pthread_mutex_destroy(&guests->mutex);
}
