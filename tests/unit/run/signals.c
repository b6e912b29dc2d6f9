/* The caller's own signals, and those he must never see. */
#include "actor.h"

#include <pthread.h>

#include "enforce/sys/process.h"

static const enum cdn_reaper reapers[] = { CDN_REAPER_SHEPHERD,
	CDN_REAPER_SELF };

static const char *
own_pid(void)
{
	static char text[32];

	snprintf(text, sizeof(text), "%d", (int)getpid());
	return text;
}

static const char *
number(int n)
{
	static char text[32];

	snprintf(text, sizeof(text), "%d", n);
	return text;
}

/* The command itself signals us: then it certainly runs. */
static struct cdn_run_request
kill_request(int signal)
{
	static const char *args[6];

	args[0] = SELF_EXE;
	args[1] = "actor";
	args[2] = "kill";
	args[3] = own_pid();
	args[4] = number(signal);
	return request_of(vector_of(args));
}

static void
test_forwarded(enum cdn_reaper reaper)
{
	static const struct {
		int signal;
		const char *err;
	} rows[] = {
		{ SIGINT, "process interrupted by signal SIGINT" },
		{ SIGTERM, "process interrupted by signal SIGTERM" },
	};

	for (size_t i = 0; i < CDN_LEN(rows); i++) {
		struct cdn_run_request request = kill_request(rows[i].signal);
		struct cdn_run_result result;

		request.reaper = reaper;
		request.forward_signals = true;
		result = must_run(&request);
		ok_f(result.has_exit_code && !result.timed_out &&
		    result.exit_code == 128 + rows[i].signal &&
		    result.signal == rows[i].signal && !result.success &&
		    is_text(&result.err, rows[i].err) && no_children(),
		    "%s: %s", reaper_names[reaper], rows[i].err);
		cdn_run_result_done(&result);
	}
}

/* The command ends by itself and says 0: it was interrupted all the same. */
static void
test_graceful(enum cdn_reaper reaper)
{
	char command[128];
	struct cdn_run_request request;
	struct cdn_run_result result;

	snprintf(command, sizeof(command), "trap 'echo bye; exit 0' INT; "
	    "echo e >&2; kill -INT %d; sleep 60 & wait", (int)getpid());
	request = request_of(SHELL(command));
	request.reaper = reaper;
	request.forward_signals = true;
	result = must_run(&request);
	ok_f(result.exit_code == 130 && !result.success &&
	    is_text(&result.out, "bye\n") &&
	    is_text(&result.err, "e\n\nprocess interrupted by signal SIGINT"),
	    "%s: time to say goodbye", reaper_names[reaper]);
	cdn_run_result_done(&result);
}

/* Whom a shell put into the background, SIGINT does not reach. */
static void
test_deaf(enum cdn_reaper reaper)
{
	char command[160];
	struct cdn_run_request request;
	struct cdn_run_result result;

	snprintf(command, sizeof(command), "sleep 60 & (trap 'echo bye; exit' "
	    "TERM; kill -INT %d; while :; do sleep 0.02; done) & wait",
	    (int)getpid());
	request = request_of(SHELL(command));
	request.reaper = reaper;
	request.forward_signals = true;
	request.grace_ms = 10UL * LONG_MS;
	request.wall_ms = 0;
	result = must_run(&request);
	ok_f(result.exit_code == 130 && result.duration_ms < LONG_MS &&
	    strstr(text_of(&result.out), "bye\n") != NULL,
	    "%s: those deaf to SIGINT are asked otherwise",
	    reaper_names[reaper]);
	cdn_run_result_done(&result);
}

/* Deaf to the first, it ends by the second, long before the grace is over. */
static void
test_twice(enum cdn_reaper reaper)
{
	char command[160];
	struct cdn_run_request request;
	struct cdn_run_result result;

	snprintf(command, sizeof(command), "trap 'kill -INT %d; trap \"\" INT' "
	    "INT; kill -INT %d; while :; do sleep 60 & wait; done",
	    (int)getpid(), (int)getpid());
	request = request_of(SHELL(command));
	request.reaper = reaper;
	request.forward_signals = true;
	request.wall_ms = 0;
	request.grace_ms = 10UL * LONG_MS;
	result = must_run(&request);
	ok_f(result.exit_code == 130 && result.duration_ms < LONG_MS,
	    "%s: asked twice, it ends at once", reaper_names[reaper]);
	cdn_run_result_done(&result);
}

static volatile sig_atomic_t handled;

static void
count(int signal)
{
	(void)signal;
	handled++;
}

/* Not asked to forward, the run is not concerned. */
static void
test_not_forwarded(void)
{
	static const char *const waiting[] = { "PATH=/usr/bin:/bin",
		"WAIT=sleep 60", NULL };
	char command[64];
	struct cdn_run_request request;
	struct cdn_run_result result;

	snprintf(command, sizeof(command), "kill -INT %d; echo ran; $WAIT",
	    (int)getpid());
	request = request_of(SHELL(command));
	signal(SIGINT, count);
	result = must_run(&request);
	ok(handled == 1 && result.success && is_text(&result.out, "ran\n"),
	    "not forwarded: the caller's own handler has it");
	cdn_run_result_done(&result);

	request.forward_signals = true;
	request.envp = vector_of(waiting);
	result = must_run(&request);
	ok(handled == 1 && result.exit_code == 130,
	    "forwarded: for so long it has not");
	cdn_run_result_done(&result);
	request.envp = vector_of(runs_env);
	raise(SIGINT);
	ok(handled == 2, "and then it has it again");

	signal(SIGINT, SIG_IGN);
	result = must_run(&request);
	ok(result.success && is_text(&result.out, "ran\n"),
	    "ignored: stays ignored");
	cdn_run_result_done(&result);
	signal(SIGINT, SIG_DFL);
}

/* ----- Many runs ---------------------------------------------------------- */

static void
test_fan_out(void)
{
	struct cdn_run_request waits = request_of(ACTOR("pause"));
	struct cdn_run_request kills = kill_request(SIGTERM);
	struct cdn_running *running[3];
	struct cdn_run_result result;
	struct cordon_error err;
	int ended = 0;

	waits.forward_signals = kills.forward_signals = true;
	for (int i = 0; i < 3; i++)
		tmp_need(cdn_run_start(i < 2 ? &waits : &kills, &running[i],
		    &err) == 0, "start", "");
	for (int i = 0; i < 3; i++) {
		tmp_need(cdn_run_wait(running[i], &result, &err) == 0, "wait",
		    "");
		ended += result.exit_code == 143;
		cdn_run_result_done(&result);
	}
	ok(ended == 3, "one signal ends all three runs");
	result = must_run(&(struct cdn_run_request){ .program = "/bin/true",
	    .argv = SHELL(""), .forward_signals = true });
	ok(result.success, "and none that begins later");
	cdn_run_result_done(&result);
}

static void *
run_until_signal(void *arg)
{
	struct cdn_run_request request = request_of(ACTOR("pause"));
	struct cdn_run_result result;
	int *ready = arg;

	request.forward_signals = true;
	request.output_mode = CDN_OUTPUT_PASS;
	__atomic_add_fetch(ready, 0, __ATOMIC_SEQ_CST);
	result = must_run(&request);
	if (result.exit_code == 130)
		__atomic_add_fetch(ready, 1, __ATOMIC_SEQ_CST);
	cdn_run_result_done(&result);
	return NULL;
}

/* Each says "ready" when its command is there; then the signal comes. */
static int
threads_end(void *arg)
{
	pthread_t threads[4];
	int ended = 0;
	int out[2];
	char byte;

	(void)arg;
	if (pipe(out) != 0 || dup2(out[1], 1) < 0)
		return 2;
	for (size_t i = 0; i < CDN_LEN(threads); i++)
		if (pthread_create(&threads[i], NULL, run_until_signal,
			&ended) != 0)
			return 3;
	for (size_t i = 0; i < CDN_LEN(threads) * strlen("ready\n"); i++)
		if (read(out[0], &byte, 1) != 1)
			return 4;
	kill(getpid(), SIGINT);
	for (size_t i = 0; i < CDN_LEN(threads); i++)
		pthread_join(threads[i], NULL);
	return ended == 4 && no_children() ? 0 : 1;
}

/* A child made by fork() has the handler, but is no part of the run. */
static void
test_fork(void)
{
	struct cdn_run_request request = request_of(ACTOR("pause"));
	struct cdn_run_result result;
	struct cdn_running *running;
	struct cordon_error err;
	struct cdn_run_request inner = kill_request(SIGINT);
	int status;
	pid_t pid;

	request.forward_signals = true;
	request.wall_ms = 300;
	request.grace_ms = 50;
	tmp_need(cdn_run_start(&request, &running, &err) == 0, "start", "");
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		inner = kill_request(SIGINT); /* our number, by now */
		inner.forward_signals = true;
		raise(SIGINT);
		result = must_run(&inner);
		_exit(result.exit_code == 130 ? 0 : 1);
	}
	ok(waitpid(pid, &status, 0) == pid && status == 0,
	    "a forked child runs and is interrupted by itself");
	ok(cdn_run_wait(running, &result, &err) == 0 && result.timed_out,
	    "its signal is not the parent's");
	cdn_run_result_done(&result);
}

/* ----- SIGPIPE ------------------------------------------------------------ */

/* One that was waiting already is still waiting afterwards. */
static void
test_pipe(void)
{
	static char bytes[1 << 20];
	struct cdn_run_request request = request_of(SHELL("exec true"));
	struct cdn_run_result result;
	sigset_t pipes, pending;

	request.stdin_mode = CDN_STDIN_BYTES;
	request.stdin_bytes = (cdn_str){ bytes, sizeof(bytes) };
	signal(SIGPIPE, count);
	handled = 0;
	result = must_run(&request);
	ok(result.success && handled == 0, "who does not read breaks no pipe");
	cdn_run_result_done(&result);

	sigemptyset(&pipes);
	sigaddset(&pipes, SIGPIPE);
	sigprocmask(SIG_BLOCK, &pipes, NULL);
	raise(SIGPIPE);
	result = must_run(&request);
	sigpending(&pending);
	ok(result.success && sigismember(&pending, SIGPIPE) == 1,
	    "and takes none that was there before");
	cdn_run_result_done(&result);
	sigprocmask(SIG_UNBLOCK, &pipes, NULL);
	ok(handled == 1, "which then arrives");
	signal(SIGPIPE, SIG_DFL);
}

/* ----- Blocked ------------------------------------------------------------ */

/* A caller who blocks everything: only the command's own mask is like that. */
static void
test_blocked(enum cdn_reaper reaper)
{
	struct cdn_run_request request = request_of(SHELL(
	    "(true &) ; sleep 60 & sleep 0; exit 3"));
	struct cdn_run_result result;
	uint64_t old, after;

	request.reaper = reaper;
	cdn_sys_set_mask(CDN_SIGNALS_ALL, &old);
	result = must_run(&request);
	cdn_sys_set_mask(old, &after);
	ok_f(result.exit_code == 3 && no_children(),
	    "%s: the caller blocks every signal", reaper_names[reaper]);
	cdn_run_result_done(&result);
}

int
main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "actor") == 0)
		return play(argv + 2);
	if (!become(argv[1]))
		return done_testing();
	for (size_t i = 0; i < CDN_LEN(reapers); i++) {
		test_forwarded(reapers[i]);
		test_graceful(reapers[i]);
		test_deaf(reapers[i]);
		test_twice(reapers[i]);
		test_blocked(reapers[i]);
	}
	test_not_forwarded();
	test_fan_out();
	ok(tmp_child(threads_end, NULL, false) == 0,
	    "four threads, one signal: all four end");
	test_fork();
	test_pipe();
	return done_testing();
}
