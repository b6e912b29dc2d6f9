/*
 * clock - the one that every row of the bench is measured by.
 */
#ifndef CDN_BENCH_CLOCK_H
#define CDN_BENCH_CLOCK_H

#include <time.h>

/* Microseconds since some moment; never backwards. */
static inline double
now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

#endif
