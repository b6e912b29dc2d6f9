/*
 * Opens that wait for somebody: a FIFO has two ends.  They wait on the worker,
 * there are always others; what must not happen is that one waits for a caller
 * that is gone, or when all is over.  Then we are the other end for a moment.
 */
#include "enforce/broker/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static int
open_own(const struct cdn_broker *broker, int fd, int flags)
{
	char name[16];
	int r;

	snprintf(name, sizeof(name), "%d", fd);
	r = openat(broker->fds_fd, name, flags | O_CLOEXEC | O_NOCTTY);
	return r < 0 ? -errno : r;
}

static void
free_one(const struct cdn_broker *broker, const struct cdn_slow *slow)
{
	int fd = open_own(broker, slow->fd,
	    (slow->writes ? O_RDONLY : O_WRONLY) | O_NONBLOCK);

	if (fd >= 0)
		close(fd);
}

void
cdn_slow_sweep(struct cdn_broker *broker, bool all)
{
	pthread_mutex_lock(&broker->mutex);
	for (const struct cdn_slow *slow = broker->slow; slow != NULL;
	    slow = slow->next)
		if (all || !cdn_sys_notify_waits(broker->listener, slow->id))
			free_one(broker, slow);
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
cdn_slow_open(struct cdn_call *call, const struct cdn_object *object,
    int flags)
{
	struct cdn_broker *broker = call->broker;
	struct cdn_slow slow = { .id = call->notif->id, .fd = object->fd,
		.writes = (flags & O_ACCMODE) == O_WRONLY };
	int r;

	cdn_slow_sweep(broker, false);
	if (!enlist(broker, &slow))
		return -ENFILE;
	r = open_own(broker, object->fd, flags);
	delist(broker, &slow);
	return r;
}
