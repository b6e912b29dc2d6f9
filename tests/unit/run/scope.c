/*
 * What the shepherd of a sandboxed run kills: all of the run, at once, and
 * nothing else of the user's.
 */
#include "runs.h"

#include <time.h>

#include "enforce/sys/landlock.h"

#define RUNNERS	  40 /* processes at a time, of which each forks and ends */
#define RUN_S	  20 /* then they end by themselves, whatever became of us */
#define ENOUGH_MS 10000

/* ----- The command -------------------------------------------------------- */

static void
run_away(time_t until)
{
	while (time(NULL) < until) {
		pid_t pid = fork();

		if (pid > 0)
			_exit(0);
		if (pid == 0)
			setsid();
		else
			usleep(1000);
	}
	_exit(0);
}

/* Sessions that nobody has signalled before they are gone. */
static int
play_runners(void)
{
	time_t until = time(NULL) + RUN_S;

	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_IGN);
	for (int i = 0; i < RUNNERS; i++)
		if (fork() == 0)
			run_away(until);
	if (write(STDOUT_FILENO, "ready\n", 6) != 6)
		return 1;
	sleep(RUN_S);
	return 0;
}

/* ----- Runs ---------------------------------------------------------------- */

/* As a sandbox that adds nothing: the run is one with a cage. */
static int
enter_nothing(const void *arg, pid_t pid)
{
	(void)arg;
	(void)pid;
	return 0;
}

/* In no group, session or tree of the run; only the user is the same. */
static pid_t
start_bystander(void)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	setsid();
	prctl(PR_SET_PDEATHSIG, (long)SIGKILL);
	for (;;)
		pause();
}

static bool
is_alive(pid_t pid)
{
	int status;

	return pid > 0 && waitpid(pid, &status, WNOHANG) == 0;
}

static void
end_bystander(pid_t pid)
{
	int status;

	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
}

static void
test_runners(bool caged)
{
	const char *name = caged ? "sandboxed" : "without a sandbox";
	struct cdn_run_request request = request_of(ACTOR("runners"));
	pid_t bystander = start_bystander();
	struct cdn_run_result result;

	request.reaper = CDN_REAPER_SHEPHERD;
	request.wall_ms = 4000; /* enough to begin, on a busy machine */
	request.grace_ms = 100;
	if (caged)
		request.entry.enter = enter_nothing;
	result = must_run(&request);
	ok_f(result.timed_out && strncmp(text_of(&result.out), "ready", 5) == 0,
	    "%s: processes that run away end by the deadline", name);
	ok_f(result.duration_ms < ENOUGH_MS,
	    "%s: and not by themselves (%llu ms)", name,
	    (unsigned long long)result.duration_ms);
	ok_f(waitpid(-1, NULL, WNOHANG) == 0, "%s: nobody is left", name);
	ok_f(is_alive(bystander), "%s: who else is there lives", name);
	end_bystander(bystander);
	cdn_run_result_done(&result);
}

/* ----- A run that signals -------------------------------------------------- */

static int
play_kill(const char *pid)
{
	return kill((pid_t)strtol(pid, NULL, 10), 0) == 0 ? 0 : errno;
}

/* A command without a sandbox may signal what its caller may. */
static void
test_reach(bool caged)
{
	bool scopes = caged && cdn_sys_landlock_abi() >= 6;
	pid_t bystander = start_bystander();
	char number[16];
	struct cdn_run_request request;
	struct cdn_run_result result;

	snprintf(number, sizeof(number), "%d", (int)bystander);
	request = request_of(ACTOR("kill", number));
	request.reaper = CDN_REAPER_SHEPHERD;
	if (caged)
		request.entry.enter = enter_nothing;
	result = must_run(&request);
	ok_f(result.exit_code == (scopes ? EPERM : 0),
	    "%s: a signal to the outside %s", caged ? "sandboxed" :
	    "without a sandbox", scopes ? "is refused" : "arrives");
	end_bystander(bystander);
	cdn_run_result_done(&result);
}

int
main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[2], "runners") == 0)
		return play_runners();
	if (argc > 3 && strcmp(argv[2], "kill") == 0)
		return play_kill(argv[3]);
	if (!become(argv[1]))
		return done_testing();
	prctl(PR_SET_CHILD_SUBREAPER, 1L);
	for (int caged = 0; caged < 2; caged++) {
		test_runners(caged != 0);
		test_reach(caged != 0);
	}
	return done_testing();
}
