#include "start_phases.h"
#include "clock.h"

#include <cordon/cordon.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "enforce/launch/launch.h"

/*
 * What a process tells, in microseconds.  PROGRAM: what is left of it when the
 * spawn has returned; on a busy machine it may be over by then.
 */
enum phase { SESSION, PREPARE, SPAWN, PROGRAM, END, PLAN, CAGE, PHASES };

static const char *const names[PHASES] = {
	[SESSION] = "session: documents, floor",
	[PLAN] = "plan: regions, report",
	[CAGE] = "cage: rules, filter",
	[PREPARE] = "home, record, broker",
	[SPAWN] = "clone, cage, exec",
	[PROGRAM] = "the program",
	[END] = "the end",
};

static const enum phase order[] = { SESSION, PLAN, CAGE, PREPARE, SPAWN,
	PROGRAM, END };

extern char **environ;

/* ----- In the new process -------------------------------------------------------- */

static void
fail(const char *what, const struct cordon_error *err)
{
	fprintf(stderr, "start_bench: %s: %s\n", what, err->text);
	exit(1);
}

static struct cordon_session *
open_session(const char *policy)
{
	struct cordon_session_options options = {
		.size = sizeof(options),
		.policies = policy == NULL ? NULL : &policy,
		.policy_count = policy != NULL,
		.profile = policy == NULL ? NULL : "dev",
		.command = "/bin/true",
	};
	struct cordon_session *session;
	struct cordon_error err;

	if (cordon_session_new(&options, NULL, &session, &err) != 0)
		fail("session", &err);
	return session;
}

static int
stamp(const char *program, const char *const *argv, void *arg,
    struct cordon_error *err)
{
	(void)program;
	(void)argv;
	(void)err;
	*(double *)arg = now_us();
	return CORDON_GO;
}

static struct cordon_run_options
run_options(double *prepared)
{
	static const char *const argv[] = { "/bin/true", NULL };

	return (struct cordon_run_options){ .size = sizeof(
					       struct cordon_run_options),
		.argv = argv, .output = CORDON_OUTPUT_PASS,
		.forward_signals = true, .sole = true, .validate = stamp,
		.validate_arg = prepared };
}

static void
run_once(const char *policy, double us[PHASES])
{
	double begun = now_us(), opened, prepared, spawned, ended;
	struct cordon_session *session = open_session(policy);
	struct cordon_run_options options = run_options(&prepared);
	struct cordon_process *process;
	struct cordon_run_result result;
	struct cordon_error err;
	struct pollfd over;

	opened = now_us();
	if (cordon_spawn(session, &options, &process, &err) != 0)
		fail("spawn", &err);
	spawned = now_us();
	over = (struct pollfd){ cordon_process_fd(process), POLLIN, 0 };
	poll(&over, 1, -1);
	ended = now_us();
	if (cordon_wait(process, &result, &err) != 0)
		fail("wait", &err);
	cordon_run_result_done(&result);
	cordon_session_free(session);
	us[END] = now_us() - ended;
	us[PROGRAM] = ended - spawned;
	us[SPAWN] = spawned - prepared;
	us[PREPARE] = prepared - opened;
	us[SESSION] = opened - begun;
}

/* Two parts of what is prepared, alone. */
static void
build_once(const char *policy, double us[PHASES])
{
	struct cordon_session *session = open_session(policy);
	struct cordon_run_options options = run_options(NULL);
	double opened = now_us(), planned;
	struct cordon_plan *plan;
	struct cdn_cage *cage;
	struct cordon_error err;

	if (cordon_plan_new(session, &options, &plan, &err) != 0)
		fail("plan", &err);
	planned = now_us();
	if (cdn_backend_native.build(plan->plan, &plan->host, -1, &cage,
		&err) != 0)
		fail("cage", &err);
	us[CAGE] = now_us() - planned;
	us[PLAN] = planned - opened;
	cage->backend->free(cage);
	cordon_plan_free(plan);
	cordon_session_free(session);
}

int
phases_main(int argc, char **argv)
{
	const char *policy = argc > 3 ? argv[3] : NULL;
	double us[PHASES] = { 0 };

	if (argc > 2 && strcmp(argv[2], "run") == 0)
		run_once(policy, us);
	else
		build_once(policy, us);
	return write(STDOUT_FILENO, us, sizeof(us)) == (ssize_t)sizeof(us) ?
	    0 : 1;
}

/* ----- From outside ---------------------------------------------------------------- */

static bool
ask(const char *self, const char *what, const char *policy, double us[PHASES])
{
	const char *argv[] = { self, PHASES_WORD, what, policy, NULL };
	posix_spawn_file_actions_t actions;
	int status = -1, pipe_fd[2];
	bool good;
	pid_t pid;

	if (pipe(pipe_fd) != 0)
		return false;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, pipe_fd[1], 1);
	posix_spawn_file_actions_addclose(&actions, pipe_fd[0]);
	good = posix_spawn(&pid, self, &actions, NULL,
	    (char *const *)(uintptr_t)argv, environ) == 0;
	posix_spawn_file_actions_destroy(&actions);
	close(pipe_fd[1]);
	good = good && read(pipe_fd[0], us, PHASES * sizeof(*us)) ==
	    (ssize_t)(PHASES * sizeof(*us));
	close(pipe_fd[0]);
	return good && waitpid(pid, &status, 0) == pid && status == 0;
}

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The i-th of each process. */
static double
middle(double (*all)[PHASES], size_t n, enum phase phase, double *room)
{
	for (size_t i = 0; i < n; i++)
		room[i] = all[i][phase];
	qsort(room, n, sizeof(*room), by_value);
	return room[n / 2];
}

void
phases_print(const char *self, const char *policy, size_t rounds)
{
	double(*all)[PHASES] = calloc(rounds, sizeof(*all));
	double *room = calloc(rounds, sizeof(*room));
	double us[PHASES] = { 0 };

	if (all == NULL || room == NULL)
		exit(1);
	for (size_t i = 0; i < rounds; i++) {
		double parts[PHASES];

		if (!ask(self, "run", policy, all[i]) ||
		    !ask(self, "build", policy, parts))
			exit(1);
		all[i][PLAN] = parts[PLAN];
		all[i][CAGE] = parts[CAGE];
	}
	for (enum phase p = 0; p < PHASES; p++)
		us[p] = middle(all, rounds, p, room);
	us[PREPARE] -= us[PLAN] + us[CAGE];
	printf("  where it goes%s%s\n", policy == NULL ? "" : ", ",
	    policy == NULL ? "" : policy);
	for (size_t i = 0; i < CDN_LEN(order); i++)
		printf("    %-26s %8.0f us\n", names[order[i]], us[order[i]]);
	free(all);
	free(room);
}
