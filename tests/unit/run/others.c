/*
 * What else the caller has: children that were there before, threads that
 * wait for any child, a SIGCHLD that is ignored.  None of it is touched, and
 * none of it disturbs a run.
 */
#include "actor.h"

#include <pthread.h>

static const enum cdn_reaper reapers[] = { CDN_REAPER_SHEPHERD,
	CDN_REAPER_SELF };

/* ----- Other children of the caller --------------------------------------- */

static int
others_are_spared(void *arg)
{
	enum cdn_reaper reaper = *(enum cdn_reaper *)arg;
	struct cdn_run_request request =
	    request_of(ACTOR("orphan", "daemon", tmp_path("lock"), "exit"));
	struct cdn_run_result result;
	pid_t own = fork();
	siginfo_t info = { 0 };
	int status;

	if (own == 0)
		for (;;)
			pause();
	request.reaper = reaper;
	result = must_run(&request);
	if (!result.success || waitid(P_PID, (id_t)own, &info,
	    WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0)
		return 1;
	cdn_run_result_done(&result);
	kill(own, SIGKILL);
	return waitpid(own, &status, 0) == own && no_children() ? 0 : 2;
}

/* A child that ended before is still his to wait for. */
static int
status_is_kept(void *arg)
{
	struct cdn_run_request request = request_of(SHELL("true"));
	struct cdn_run_result result;
	siginfo_t info;
	pid_t own = fork();
	int status;

	(void)arg;
	if (own == 0)
		_exit(42);
	waitid(P_PID, (id_t)own, &info, WEXITED | WNOWAIT);
	result = must_run(&request);
	cdn_run_result_done(&result);
	return waitpid(own, &status, 0) == own && WEXITSTATUS(status) == 42
	    ? 0 : 1;
}

static int
children_are_ignored(void *arg)
{
	struct cdn_run_request request = request_of(SHELL("exit 5"));
	struct cdn_run_result result;

	request.reaper = *(enum cdn_reaper *)arg;
	signal(SIGCHLD, SIG_IGN);
	result = must_run(&request);
	return result.exit_code == 5 && no_children() ? 0 : 1;
}

/* ----- Other threads of his ----------------------------------------------- */

static volatile int stop_waiting;

static void *
wait_for_any(void *arg)
{
	int *taken = arg;
	int status;

	while (!stop_waiting) {
		if (waitpid(-1, &status, WNOHANG) > 0)
			++*taken;
		sched_yield();
	}
	return NULL;
}

/* Somebody in the same process takes every child he can get. */
static int
nobody_steals(void *arg)
{
	struct cdn_run_request request = request_of(SHELL("exit 5"));
	pthread_t thread;
	int taken = 0;
	bool good = true;

	(void)arg;
	if (pthread_create(&thread, NULL, wait_for_any, &taken) != 0)
		return 2;
	for (int i = 0; i < 50; i++) {
		struct cdn_run_result result = must_run(&request);

		good &= result.exit_code == 5;
		cdn_run_result_done(&result);
	}
	stop_waiting = 1;
	pthread_join(thread, NULL);
	return good && taken == 0 ? 0 : 1;
}

static void *
start_and_end(void *arg)
{
	static const char *const words[] = { "/bin/sh", "-c",
		"sleep 0.1; exit 5", NULL };
	struct cdn_run_request request = request_of(vector_of(words));
	struct cdn_running **running = arg;
	struct cordon_error err;

	tmp_need(cdn_run_start(&request, running, &err) == 0, "start", "");
	return NULL;
}

/* The kernel counts threads as parents; a run is of the process. */
static int
starter_ends(void *arg)
{
	struct cdn_running *running = NULL;
	struct cdn_run_result result;
	struct cordon_error err;
	pthread_t thread;

	(void)arg;
	if (pthread_create(&thread, NULL, start_and_end, &running) != 0 ||
	    pthread_join(thread, NULL) != 0)
		return 2;
	return cdn_run_wait(running, &result, &err) == 0 &&
	    result.exit_code == 5 ? 0 : 1;
}

static void
test_others(void)
{
	for (size_t i = 0; i < CDN_LEN(reapers); i++) {
		enum cdn_reaper reaper = reapers[i];

		ok_f(tmp_child(others_are_spared, &reaper, false) == 0,
		    "%s: a child that was there before lives on",
		    reaper_names[reaper]);
		ok_f(tmp_child(children_are_ignored, &reaper, false) == 0,
		    "%s: the caller ignores his children",
		    reaper_names[reaper]);
	}
	ok(tmp_child(status_is_kept, NULL, false) == 0,
	    "shepherd: the caller's own zombies stay his");
	ok(tmp_child(starter_ends, NULL, false) == 0,
	    "shepherd: the thread that started it may end");
	ok(tmp_child(nobody_steals, NULL, false) == 0,
	    "shepherd: no other thread can take it");
}

int
main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "actor") == 0)
		return play(argv + 2);
	if (!become(argv[1]))
		return done_testing();
	tmp_begin();
	test_others();
	tmp_end();
	return done_testing();
}
