/*
 * session_bench - what it costs to make a session.
 *
 *	session_bench [TIMES [PRESET]]
 *
 * In the current directory, with the caller's home and variables: the first,
 * which is what a command pays, and the median and the best of many, one after
 * the other in one process.  System calls are
 * counted from outside (strace -c), instructions too (valgrind
 * --tool=callgrind).
 */
#include "clock.h"

#include <cordon/cordon.h>

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#define TIMES	  2000
#define TIMES_MAX 1000000

static long
faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_minflt;
}

static int
compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double
once(const struct cordon_session_options *options)
{
	struct cordon_session *session;
	struct cordon_error error;
	double start = now_us(), end;

	if (cordon_session_new(options, NULL, &session, &error) != 0)
		errx(1, "%s", error.text);
	end = now_us();
	cordon_session_free(session);
	return end - start;
}

int
main(int argc, char **argv)
{
	long times = argc > 1 ? strtol(argv[1], NULL, 10) : TIMES;
	struct cordon_session_options options = { .size = sizeof(options),
		.preset = argc > 2 ? (enum cordon_preset)atoi(argv[2]) : 0 };
	double first, *us;
	long before;

	if (times < 1 || times > TIMES_MAX)
		errx(2, "1 to %d times", TIMES_MAX);
	us = calloc((size_t)times, sizeof(*us));
	if (us == NULL)
		err(1, "memory");
	before = faults();
	first = once(&options);
	before = faults() - before;
	for (long i = 0; i < times; i++)
		us[i] = once(&options);
	qsort(us, (size_t)times, sizeof(*us), compare);
	printf("session: first %.0f us with %ld page faults, then median "
	    "%.1f us, best %.1f us\n", first, before, us[times / 2], us[0]);
	free(us);
	return 0;
}
