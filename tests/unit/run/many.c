/* Many runs at once and many in a row: each its own, nothing left of any. */
#include "runs.h"

#include <pthread.h>

#define THREADS 8
#define RUNS	25 /* of each thread, at least 200 in all */
#define IN_A_ROW 2000

/* ----- What is left ------------------------------------------------------- */

static long
address_space_kb(void)
{
	FILE *file = fopen("/proc/self/status", "re");
	char line[128];
	long kb = -1;

	while (file != NULL && fgets(line, sizeof(line), file) != NULL)
		if (sscanf(line, "VmSize: %ld kB", &kb) == 1)
			break;
	if (file != NULL)
		fclose(file);
	return kb;
}

/* ----- At once ------------------------------------------------------------ */

struct worker {
	pthread_t thread;
	int number;
	int good;
};

/* Says its own name, on both ways, and leaves somebody behind. */
static bool
run_one(int number)
{
	char command[256], want[64], bytes[64];
	struct cdn_run_request request;
	struct cdn_run_result result;
	bool good;

	snprintf(command, sizeof(command), "(setsid sleep 60 &); sleep 61 & "
	    "echo %d; cat >&2; exit %d", number, number % 100);
	snprintf(want, sizeof(want), "%d\n", number);
	snprintf(bytes, sizeof(bytes), "in %d", number);
	request = request_of(SHELL(command));
	request.stdin_mode = CDN_STDIN_BYTES;
	request.stdin_bytes = cdn_str_of(bytes);
	request.forward_signals = number % 2 == 0;
	result = must_run(&request);
	good = is_text(&result.out, want) && is_text(&result.err, bytes) &&
	    result.exit_code == number % 100;
	cdn_run_result_done(&result);
	return good;
}

/* All are there before the first runs: so many arenas are made, and no more. */
static pthread_barrier_t start;

static void *
work(void *arg)
{
	struct worker *worker = arg;

	free(malloc(1));
	pthread_barrier_wait(&start);
	for (int i = 0; i < RUNS; i++)
		worker->good += run_one(worker->number * RUNS + i);
	return NULL;
}

static int
work_together(void)
{
	struct worker workers[THREADS];
	int good = 0;

	tmp_need(pthread_barrier_init(&start, NULL, THREADS) == 0, "barrier",
	    "");
	for (int i = 0; i < THREADS; i++) {
		workers[i] = (struct worker){ .number = i };
		tmp_need(pthread_create(&workers[i].thread, NULL, work,
		    &workers[i]) == 0, "thread", "");
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(workers[i].thread, NULL);
		good += workers[i].good;
	}
	pthread_barrier_destroy(&start);
	return good;
}

/* The second time nothing is new: threads have their stacks and arenas. */
static void
test_at_once(void)
{
	int before = tmp_open_fds();
	long first, second;
	int good = work_together();

	ok_f(good == THREADS * RUNS, "%d of %d runs gave their own result",
	    good, THREADS * RUNS);
	first = address_space_kb();
	good = work_together();
	second = address_space_kb();
	ok_f(good == THREADS * RUNS, "again %d", good);
	ok_f(tmp_open_fds() == before, "%d descriptors before, %d after",
	    before, tmp_open_fds());
	ok(no_children(), "no children, no zombies");
	/* Were the stacks left, it would be 200 kB for each run. */
	ok_f(second - first < 20L * 200, "%ld kB in use, then %ld", first,
	    second);
}

/* ----- In a row ----------------------------------------------------------- */

static void
test_in_a_row(enum cdn_reaper reaper)
{
	static const char *const args[] = { "/bin/true", NULL };
	struct cdn_run_request request = request_of(vector_of(args));
	int before = tmp_open_fds();
	long first = address_space_kb();
	int good = 0;

	request.reaper = reaper;
	for (int i = 0; i < IN_A_ROW; i++) {
		struct cdn_run_result result = must_run(&request);

		good += result.success;
		cdn_run_result_done(&result);
	}
	ok_f(good == IN_A_ROW && tmp_open_fds() == before && no_children() &&
	    address_space_kb() - first < 20L * 200,
	    "%s: %d in a row", reaper_names[reaper], good);
}

/* Two at once would end each other's children. */
static void
test_one_self(void)
{
	struct cdn_run_request request = request_of(SHELL("sleep 0.1"));
	struct cdn_run_result result;
	struct cdn_running *running;
	struct cordon_error err;

	request.reaper = CDN_REAPER_SELF;
	tmp_need(cdn_run_start(&request, &running, &err) == 0, "start", "");
	ok(cdn_run(&request, &result, &err) == CORDON_E_INVALID,
	    "self: one at a time");
	ok(cdn_run_wait(running, &result, &err) == 0 && result.success,
	    "which is not disturbed");
	cdn_run_result_done(&result);
	result = must_run(&request);
	ok(result.success, "and then the next");
	cdn_run_result_done(&result);
}

int
main(int argc, char **argv)
{
	(void)argc;
	if (!become(argv[1]))
		return done_testing();
	test_at_once();
	test_in_a_row(CDN_REAPER_SHEPHERD);
	test_in_a_row(CDN_REAPER_SELF);
	test_one_self();
	return done_testing();
}
