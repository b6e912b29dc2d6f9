/*
 * run_bench - what a launch costs, beside the bare system calls in the same run.
 *
 *	run_bench [LAUNCHES PER FIGURE]
 *
 * Each way starts /bin/true and waits for its end, once from a small process
 * and once from one with 200 MiB in use.  The ways take turns, so that a busy
 * moment hits them all; the median and its ratio to vfork+exec are printed.
 * fork+exec comes alone, last: who follows it pays for what it copied.
 */
#include "enforce/run/run.h"
#include "clock.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define BALLAST (200UL * 1024UL * 1024UL)

static char program[] = "/bin/true";
static char *const argv_true[] = { program, NULL };
static char *const envp_none[] = { NULL };

/* ----- The ways ----------------------------------------------------------- */

static bool
wait_for(pid_t pid)
{
	int status;

	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

static bool
by_vfork(void)
{
	pid_t pid = vfork();

	if (pid == 0) {
		execve(argv_true[0], argv_true, envp_none);
		_exit(127);
	}
	return wait_for(pid);
}

static bool
by_fork(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		execve(argv_true[0], argv_true, envp_none);
		_exit(127);
	}
	return wait_for(pid);
}

static bool
by_posix_spawn(void)
{
	pid_t pid;

	return posix_spawn(&pid, argv_true[0], NULL, NULL, argv_true,
	    envp_none) == 0 && wait_for(pid);
}

static struct cdn_run_request
request_of(enum cdn_reaper reaper, enum cdn_output_mode output)
{
	return (struct cdn_run_request){ .program = argv_true[0],
		.argv = argv_true, .envp = envp_none, .reaper = reaper,
		.output_mode = output };
}

static bool
by_request(const struct cdn_run_request *request)
{
	struct cdn_run_result result;
	bool good;

	if (cdn_run(request, &result, NULL) != 0)
		return false;
	good = result.success;
	cdn_run_result_done(&result);
	return good;
}

static bool
by_run(enum cdn_reaper reaper, enum cdn_output_mode output)
{
	struct cdn_run_request request = request_of(reaper, output);

	return by_request(&request);
}

static bool
by_shepherd(void)
{
	return by_run(CDN_REAPER_SHEPHERD, CDN_OUTPUT_PASS);
}

static bool
by_shepherd_captured(void)
{
	return by_run(CDN_REAPER_SHEPHERD, CDN_OUTPUT_CAPTURE);
}

static bool
by_self(void)
{
	return by_run(CDN_REAPER_SELF, CDN_OUTPUT_PASS);
}

static int
enter_nothing(const void *arg, pid_t pid)
{
	(void)pid;
	(void)arg;
	return 0;
}

/* All that a cage costs but the cage. */
static bool
by_self_caged(void)
{
	struct cdn_run_request request = request_of(CDN_REAPER_SELF,
	    CDN_OUTPUT_PASS);

	request.entry.enter = enter_nothing;
	return by_request(&request);
}

/* With a control group, where one can be had. */
static bool
by_self_limited(void)
{
	struct cdn_run_request request = request_of(CDN_REAPER_SELF,
	    CDN_OUTPUT_PASS);

	request.limits.cpu_ms = 60000;
	return by_request(&request);
}

/* The first is what the others are compared with; SELF leaves us a reaper. */
static const struct {
	const char *name;
	bool (*launch)(void);
} ways[] = {
	{ "vfork+exec", by_vfork },
	{ "posix_spawn", by_posix_spawn },
	{ "run, shepherd", by_shepherd },
	{ "run, shepherd, captured", by_shepherd_captured },
	{ "run, self", by_self },
	{ "run, self, caged", by_self_caged },
	{ "run, self, limited", by_self_limited },
	{ "fork+exec", by_fork },
};

#define WAYS CDN_LEN(ways)

/* ----- Measuring ---------------------------------------------------------- */

static int
by_value(const void *a, const void *b)
{
	double x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return (x > y) - (x < y);
}

/* Some of the ways, in turn; the medians in microseconds. */
static bool
measure_some(size_t launches, size_t from, size_t to, double *took,
    double *ret)
{
	for (size_t i = 0; i < launches; i++)
		for (size_t way = from; way < to; way++) {
			double begun = now_us();

			if (!ways[way].launch())
				return false;
			took[way * launches + i] = now_us() - begun;
		}
	for (size_t way = from; way < to; way++) {
		qsort(took + way * launches, launches, sizeof(*took), by_value);
		ret[way] = took[way * launches + launches / 2];
	}
	return true;
}

static bool
measure(size_t launches, double *ret)
{
	double *took = calloc(launches * WAYS, sizeof(*took));
	bool good = took != NULL &&
	    measure_some(launches, 0, WAYS - 1, took, ret) &&
	    measure_some(launches, WAYS - 1, WAYS, took, ret);

	free(took);
	return good;
}

int
main(int argc, char **argv)
{
	size_t launches = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 200;
	double small[WAYS], big[WAYS];
	void *ballast;

	if (launches == 0 || !measure(10, small) || !measure(launches, small))
		return 1;
	ballast = mmap(NULL, BALLAST, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (ballast == MAP_FAILED)
		return 1;
	(void)madvise(ballast, BALLAST, MADV_NOHUGEPAGE);
	memset(ballast, 1, BALLAST);
	if (!measure(launches, big))
		return 1;
	printf("%-24s  %8s %6s  %8s %6s\n%-24s  %8s %6s  %8s %6s\n",
	    "/bin/true, median", "small", "", "200 MiB", "", "", "us", "ratio",
	    "us", "ratio");
	for (size_t way = 0; way < WAYS; way++)
		printf("%-24s  %8.0f %6.2f  %8.0f %6.2f\n", ways[way].name,
		    small[way], small[way] / small[0], big[way],
		    big[way] / big[0]);
	return 0;
}
