/*
 * Which clock a question goes by.  Uptime is a small number beside the time of
 * day: a deadline of the one is long past, or years ahead, on the other.
 */
#include "front/mcp/told.h"

#include <time.h>

#include "support/tap.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t told;
static bool said;

static uint64_t
ms_of(clockid_t clock)
{
	struct timespec t;

	(void)clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* Comes to the lock only when the other waits. */
static void *
say(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	said = true;
	pthread_cond_broadcast(&told);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int
main(void)
{
	uint64_t now = ms_of(CLOCK_MONOTONIC);
	bool in_time = true;
	pthread_t thread;

	mcp_told_init(&told);
	pthread_mutex_lock(&lock);
	ok(!mcp_told_wait(&told, &lock, now), "what is past is too late");
	ok(!mcp_told_wait(&told, &lock, 0), "so is the beginning");
	ok(now + 3600000 < ms_of(CLOCK_REALTIME),
	    "an hour from now is past by the time of day");
	if (ok(pthread_create(&thread, NULL, say, NULL) == 0, "somebody")) {
		while (in_time && !said)
			in_time = mcp_told_wait(&told, &lock, now + 3600000);
		ok(in_time && said, "but not here: who speaks now is heard");
		pthread_mutex_unlock(&lock);
		pthread_join(thread, NULL);
	}
	pthread_cond_destroy(&told);
	return done_testing();
}
