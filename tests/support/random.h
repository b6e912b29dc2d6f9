/*
 * random - a generator whose seed is printed: always the same one, so that who
 * changes something is told of that and of nothing else.  CORDON_SEED=random
 * makes others, and CORDON_SEED=N is a failure of those had again.
 */
#ifndef CDN_TESTS_RANDOM_H
#define CDN_TESTS_RANDOM_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static uint64_t random_state;

/* Any 64 bits (splitmix64). */
static inline uint64_t
random_next(void)
{
	uint64_t x = random_state += UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

/* 0 to n - 1. */
static inline size_t
random_below(size_t n)
{
	return (size_t)(random_next() % n);
}

static inline void
random_start(void)
{
	const char *given = getenv("CORDON_SEED");

	if (given == NULL || given[0] == '\0')
		random_state = 20261116;
	else if (strcmp(given, "random") == 0)
		random_state = (unsigned long long)time(NULL) << 20 ^
		    (unsigned)getpid();
	else
		random_state = strtoull(given, NULL, 10);
	printf("# CORDON_SEED=%llu\n", (unsigned long long)random_state);
}

/* How many times as long as usual: CORDON_TRIES. */
static inline size_t
random_tries(void)
{
	const char *given = getenv("CORDON_TRIES");
	size_t tries = given == NULL ? 1 : strtoul(given, NULL, 10);

	return tries == 0 ? 1 : tries;
}

#endif
