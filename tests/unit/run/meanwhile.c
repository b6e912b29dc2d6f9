/* What must be done before anything is executed, and who waits for it. */
#include "actor.h"

#include <pthread.h>

/* Makes the process on a thread of its own, which stays until it is told. */
struct maker {
	int (*start)(void *arg);
	void *arg;
	int result;
	bool done, leave;
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
};

static void *
maker_main(void *arg)
{
	struct maker *maker = arg;
	int result = maker->start(maker->arg);

	pthread_mutex_lock(&maker->mutex);
	maker->result = result;
	maker->done = true;
	pthread_cond_broadcast(&maker->changed);
	while (!maker->leave) /* the command dies with this thread */
		pthread_cond_wait(&maker->changed, &maker->mutex);
	pthread_mutex_unlock(&maker->mutex);
	return NULL;
}

static int
via(void *arg, int (*start)(void *start_arg), void (*beside)(void *start_arg),
    void *start_arg)
{
	struct maker *maker = arg;

	maker->start = start;
	maker->arg = start_arg;
	tmp_need(pthread_create(&maker->thread, NULL, maker_main, maker) == 0,
	    "pthread_create", "");
	if (beside != NULL)
		beside(start_arg);
	pthread_mutex_lock(&maker->mutex);
	while (!maker->done)
		pthread_cond_wait(&maker->changed, &maker->mutex);
	pthread_mutex_unlock(&maker->mutex);
	return maker->result;
}

static void
end_maker(struct maker *maker)
{
	if (maker->start == NULL)
		return;
	pthread_mutex_lock(&maker->mutex);
	maker->leave = true;
	pthread_cond_broadcast(&maker->changed);
	pthread_mutex_unlock(&maker->mutex);
	pthread_join(maker->thread, NULL);
}

/* What is done meanwhile: it takes its time, looks, and says what it is told. */
struct work {
	const char *executed; /* the file that the command makes */
	int times;
	bool early; /* the command had made it by then */
	int code;
};

static int
work(void *arg, struct cordon_error *err)
{
	struct work *w = arg;
	struct timespec pause = { .tv_nsec = 30000000 };

	/* A command that does not wait gets its chance. */
	nanosleep(&pause, NULL);
	w->times++;
	w->early |= access(w->executed, F_OK) == 0;
	return w->code == 0 ? 0 : cdn_err(err, w->code, "it may not begin");
}

struct way {
	const char *name;
	enum cdn_reaper reaper;
	bool via;
	int code;
};

static const struct way ways[] = {
	{ "shepherd", CDN_REAPER_SHEPHERD, false, 0 },
	{ "shepherd, refused", CDN_REAPER_SHEPHERD, false, CORDON_E_SYSTEM },
	{ "shepherd, a thread", CDN_REAPER_SHEPHERD, true, 0 },
	{ "shepherd, a thread, refused", CDN_REAPER_SHEPHERD, true,
	    CORDON_E_SYSTEM },
	{ "self", CDN_REAPER_SELF, false, 0 },
	{ "self, refused", CDN_REAPER_SELF, false, CORDON_E_SYSTEM },
	{ "self, a thread", CDN_REAPER_SELF, true, 0 },
	{ "self, a thread, refused", CDN_REAPER_SELF, true, CORDON_E_SYSTEM },
};

static void
try(const struct way *way, const char *file)
{
	struct maker maker = { .mutex = PTHREAD_MUTEX_INITIALIZER,
		.changed = PTHREAD_COND_INITIALIZER };
	struct work w = { .executed = file, .code = way->code };
	char command[CDN_PATH_MAX + 16];
	struct cdn_run_request request;
	struct cdn_run_result result;
	struct cordon_error err = { 0 };
	int before = tmp_open_fds();
	int code;

	snprintf(command, sizeof(command), ": > '%s'", file);
	request = request_of(SHELL(command));
	request.reaper = way->reaper;
	request.meanwhile = work;
	request.meanwhile_arg = &w;
	request.via = way->via ? via : NULL;
	request.via_arg = &maker;
	code = cdn_run(&request, &result, &err);
	end_maker(&maker);
	ok_f(code == way->code && w.times == 1, "%s: %d, done once (%d)",
	    way->name, code, w.times);
	ok_f(!w.early, "%s: nothing was executed before", way->name);
	ok_f((access(file, F_OK) == 0) == (way->code == 0), "%s: executed if "
	    "it may be", way->name);
	ok_f(code == 0 || strcmp(err.text, "it may not begin") == 0,
	    "%s: and the reason is told: '%s'", way->name, err.text);
	if (code == 0)
		cdn_run_result_done(&result);
	ok_f(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD &&
	    tmp_open_fds() == before, "%s: nothing is left", way->name);
	(void)unlink(file);
}

/* ----- What the caller ignores ---------------------------------------------------- */

static const int deaf_to[] = { SIGHUP, SIGPIPE, SIGCHLD, SIGTSTP, 40, 64 };

static void
on_signal(int number)
{
	(void)number;
}

static int
do_nothing(void *arg, struct cordon_error *err)
{
	(void)arg;
	(void)err;
	return 0;
}

/* In a process of its own, with handlers besides: 0, the command has neither. */
static int
run_deaf(const struct way *way)
{
	struct maker maker = { .mutex = PTHREAD_MUTEX_INITIALIZER,
		.changed = PTHREAD_COND_INITIALIZER };
	struct cdn_run_request request =
	    request_of(SHELL("exec cat /proc/self/status"));
	struct cdn_run_result result;
	struct cordon_error err = { 0 };
	int code;

	for (size_t i = 0; i < CDN_LEN(deaf_to); i++)
		signal(deaf_to[i], SIG_IGN);
	signal(SIGUSR1, on_signal);
	request.reaper = way->reaper;
	request.forward_signals = true;
	request.output_mode = CDN_OUTPUT_CAPTURE;
	request.meanwhile = do_nothing;
	request.via = way->via ? via : NULL;
	request.via_arg = &maker;
	code = cdn_run(&request, &result, &err);
	end_maker(&maker);
	return code == 0 && strstr(result.out.p, "\nSigIgn:\t"
	    "0000000000000000\nSigCgt:\t0000000000000000\n") != NULL ? 0 : 1;
}

static void
try_deaf(const struct way *way)
{
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0)
		_exit(run_deaf(way));
	tmp_need(pid > 0 && waitpid(pid, &status, 0) == pid, "fork", "");
	ok_f(WIFEXITED(status) && WEXITSTATUS(status) == 0,
	    "%s: the command is deaf to nothing (%#x)", way->name,
	    (unsigned)status);
}

/* ----- A signal comes meanwhile -------------------------------------------------- */

static int
be_ended(void *arg, struct cordon_error *err)
{
	(void)arg;
	(void)err;
	kill(getpid(), SIGTERM);
	return 0;
}

/* In a process of its own: signals are passed on, but to nobody yet. */
static int
run_ended(const struct way *way, char *command)
{
	struct maker maker = { .mutex = PTHREAD_MUTEX_INITIALIZER,
		.changed = PTHREAD_COND_INITIALIZER };
	struct cdn_run_request request = request_of(SHELL(command));
	struct cdn_run_result result;
	struct cordon_error err = { 0 };

	request.reaper = way->reaper;
	request.forward_signals = true;
	request.meanwhile = be_ended;
	request.via = way->via ? via : NULL;
	request.via_arg = &maker;
	return cdn_run(&request, &result, &err) == 0 ? 0 : 1;
}

static void
try_ended(const struct way *way, const char *file)
{
	char command[CDN_PATH_MAX + 16];
	int status = 0;
	pid_t pid;

	snprintf(command, sizeof(command), ": > '%s'", file);
	fflush(stdout);
	pid = fork();
	if (pid == 0)
		_exit(run_ended(way, command));
	tmp_need(pid > 0 && waitpid(pid, &status, 0) == pid, "fork", "");
	ok_f(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM,
	    "%s: a signal that comes before ends us (%#x)", way->name,
	    (unsigned)status);
	ok_f(access(file, F_OK) != 0, "%s: and nothing is executed",
	    way->name);
	(void)unlink(file);
}

/* ----- A program that waits itself ------------------------------------------------ */

#define LOOKS_MAX 6000 /* of a hundredth of a second: nothing is decided by it */

/* Goes on until the program has begun, unless it is not to have by then. */
struct beside {
	const char *begun; /* the file that it makes */
	bool expected;
	bool seen;
	int code;
};

static int
look_for_it(void *arg, struct cordon_error *err)
{
	struct beside *b = arg;
	struct timespec pause = { .tv_nsec = 10000000 };

	for (int i = 0; i < (b->expected ? LOOKS_MAX : 3) && !b->seen; i++) {
		nanosleep(&pause, NULL);
		b->seen = access(b->begun, F_OK) == 0;
	}
	return b->code == 0 ? 0 : cdn_err(err, b->code, "it may not go on");
}

static void
let_wait(struct cdn_run_request *r, struct beside *b)
{
	r->reaper = CDN_REAPER_SHEPHERD;
	r->forward_signals = true;
	r->meanwhile = look_for_it;
	r->meanwhile_arg = b;
	r->waits = true;
}

static void
try_waiting(const char *what, const char *file, bool expected, int code)
{
	struct beside b = { file, expected, false, code };
	char command[CDN_PATH_MAX + 32];
	struct cdn_run_request request;
	struct cdn_running *running = NULL;
	struct cdn_run_result result;
	struct cordon_error err = { 0 };
	int got;

	snprintf(command, sizeof(command), ": > '%s'; exec sleep 600", file);
	request = request_of(SHELL(command));
	let_wait(&request, &b);
	got = cdn_run_start(&request, &running, &err);
	ok_f(got == code && b.seen == expected, "%s: %d, begun by then: %d "
	    "(%s)", what, got, b.seen, err.text);
	if (got == 0) {
		cdn_run_kill(running);
		if (cdn_run_wait(running, &result, &err) == 0)
			cdn_run_result_done(&result);
	}
	(void)unlink(file);
}

/* Its signals are for another run, too: they would not end us. */
static void
try_waiting_beside(const char *file)
{
	struct cdn_run_request other = request_of(SHELL("exec sleep 600"));
	struct cdn_running *running = NULL;
	struct cdn_run_result result;
	struct cordon_error err = { 0 };

	other.reaper = CDN_REAPER_SHEPHERD;
	other.forward_signals = true;
	if (!ok(cdn_run_start(&other, &running, &err) == 0, "another run"))
		return;
	try_waiting("a program that waits, beside another run", file, false, 0);
	cdn_run_kill(running);
	if (cdn_run_wait(running, &result, &err) == 0)
		cdn_run_result_done(&result);
}

static int
see_and_be_ended(void *arg, struct cordon_error *err)
{
	int code = look_for_it(arg, err);

	kill(getpid(), SIGTERM);
	return code;
}

/* What has begun ends with us: it is alive as long as it has the pipe. */
static void
try_waiting_ended(const char *file)
{
	struct beside b = { file, true, false, 0 };
	char command[CDN_PATH_MAX + 32], byte;
	int status = 0, ends[2];
	pid_t pid;

	tmp_need(pipe(ends) == 0, "pipe", "");
	snprintf(command, sizeof(command), ": > '%s'; exec sleep 600", file);
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		struct cdn_run_request request = request_of(SHELL(command));
		const int stdio[3] = { -1, ends[1], -1 };
		struct cdn_run_result result;

		close(ends[0]);
		let_wait(&request, &b);
		request.meanwhile = see_and_be_ended;
		request.stdio = stdio;
		_exit(cdn_run(&request, &result, NULL) == 0 ? 0 : 1);
	}
	close(ends[1]);
	tmp_need(pid > 0 && waitpid(pid, &status, 0) == pid, "fork", "");
	ok_f(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM &&
	    access(file, F_OK) == 0, "a program that waits had begun, and a "
	    "signal ends us at once (%#x)", (unsigned)status);
	ok(read(ends[0], &byte, 1) == 0, "and nobody is left");
	close(ends[0]);
	(void)unlink(file);
}

int
main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "actor") == 0)
		return play(argv + 2);
	if (!become(argv[1]))
		return done_testing();
	tmp_begin();
	for (size_t i = 0; i < CDN_LEN(ways); i++)
		try(&ways[i], tmp_path("executed"));
	for (size_t i = 0; i < CDN_LEN(ways); i++)
		if (ways[i].code == 0)
			try_ended(&ways[i], tmp_path("executed"));
	for (size_t i = 0; i < CDN_LEN(ways); i++)
		if (ways[i].code == 0)
			try_deaf(&ways[i]);
	try_waiting("a program that waits", tmp_path("begun"), true, 0);
	try_waiting("a program that waits, refused", tmp_path("begun"), true,
	    CORDON_E_SYSTEM);
	try_waiting_beside(tmp_path("begun"));
	try_waiting_ended(tmp_path("begun"));
	tmp_end();
	return done_testing();
}
