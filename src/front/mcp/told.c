#include "front/mcp/told.h"

#include <errno.h>
#include <time.h>

void
mcp_told_init(pthread_cond_t *told)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(told, &attr);
	pthread_condattr_destroy(&attr);
}

bool
mcp_told_wait(pthread_cond_t *told, pthread_mutex_t *lock, uint64_t until_ms)
{
	const struct timespec until = {
		.tv_sec = (time_t)(until_ms / 1000),
		.tv_nsec = (long)(until_ms % 1000) * 1000000,
	};

	return pthread_cond_timedwait(told, lock, &until) != ETIMEDOUT;
}
