/*
 * Calls that wait for somebody: a FIFO has two ends, and so has a connection.
 * They wait on the worker, there are always others; what must not happen is
 * that one waits for a caller that is gone, or when all is over.
 */
#include "enforce/broker/inside.h"

#include <errno.h>
#include <sys/socket.h>

static void
free_one(const struct cdn_slow *slow)
{
	if (slow->kind == CDN_SLOW_CONNECT)
		(void)shutdown(slow->fd, SHUT_RDWR); /* gives it up */
}

void
cdn_slow_sweep(struct cdn_broker *broker, bool all)
{
	pthread_mutex_lock(&broker->mutex);
	for (const struct cdn_slow *slow = broker->slow; slow != NULL;
	    slow = slow->next)
		if (all || !cdn_sys_notify_waits(broker->listener, slow->id))
			free_one(slow);
	pthread_mutex_unlock(&broker->mutex);
}

static bool
enlist(struct cdn_broker *broker, struct cdn_slow *slow)
{
	bool room;

	pthread_mutex_lock(&broker->mutex);
	room = broker->slow_count < CDN_BROKER_SLOW &&
	    broker->state != CDN_BROKER_CLOSING;
	if (room) {
		slow->next = broker->slow;
		broker->slow = slow;
		broker->slow_count++;
	}
	pthread_mutex_unlock(&broker->mutex);
	return room;
}

static void
delist(struct cdn_broker *broker, const struct cdn_slow *slow)
{
	struct cdn_slow **at = &broker->slow;

	pthread_mutex_lock(&broker->mutex);
	while (*at != slow)
		at = &(*at)->next;
	*at = slow->next;
	broker->slow_count--;
	pthread_mutex_unlock(&broker->mutex);
}

int
cdn_slow_begin(struct cdn_call *call, struct cdn_slow *slow)
{
	slow->id = call->notif->id;
	cdn_slow_sweep(call->broker, false);
	return enlist(call->broker, slow) ? 0 : -ENFILE;
}

void
cdn_slow_end(struct cdn_call *call, const struct cdn_slow *slow)
{
	delist(call->broker, slow);
}
