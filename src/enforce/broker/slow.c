/*
 * Calls that wait for somebody: a FIFO has two ends, and so has a connection.
 * They wait on the worker, there are always others; what must not happen is
 * that one waits for a caller that is gone, or when all is over.  Then we are
 * the other end of the FIFO for a moment, or give the connection up.
 */
#include "enforce/broker/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
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
	int fd;

	if (slow->kind == CDN_SLOW_CONNECT)
		(void)shutdown(slow->fd, SHUT_RDWR); /* gives it up */
	if (slow->kind != CDN_SLOW_READER && slow->kind != CDN_SLOW_WRITER)
		return;
	fd = open_own(broker, slow->fd, O_NONBLOCK |
		(slow->kind == CDN_SLOW_WRITER ? O_RDONLY : O_WRONLY));
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

int
cdn_slow_open(struct cdn_call *call, const struct cdn_object *object,
    int flags)
{
	struct cdn_slow slow = { .fd = object->fd,
		.kind = (flags & O_ACCMODE) == O_WRONLY ? CDN_SLOW_WRITER :
							  CDN_SLOW_READER };
	int r = cdn_slow_begin(call, &slow);

	if (r < 0)
		return r;
	r = open_own(call->broker, object->fd, flags);
	cdn_slow_end(call, &slow);
	return r;
}
