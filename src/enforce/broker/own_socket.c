/*
 * Which sockets of the file system the run made itself.  To connect to one of
 * its own is talking to itself; to anybody else's must be allowed by name.
 *
 * Those that were forgotten, because there were too many, are refused.
 */
#include "enforce/broker/inside.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

static bool
identify(int fd, struct cdn_made *ret)
{
	struct statx st;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &st) != 0)
		return false;
	*ret = (struct cdn_made){
		.dev = makedev(st.stx_dev_major, st.stx_dev_minor),
		.ino = st.stx_ino,
	};
	if ((st.stx_mask & STATX_BTIME) != 0) {
		ret->second = st.stx_btime.tv_sec;
		ret->nanosecond = st.stx_btime.tv_nsec;
	}
	return true;
}

static bool
is_same(const struct cdn_made *a, const struct cdn_made *b)
{
	return a->ino == b->ino && a->dev == b->dev &&
	    a->second == b->second && a->nanosecond == b->nanosecond;
}

void
cdn_own_socket_add(struct cdn_call *call, int fd)
{
	struct cdn_broker *broker = call->broker;
	struct cdn_made made;

	if (!identify(fd, &made))
		return;
	pthread_mutex_lock(&broker->making);
	broker->sockets[broker->socket_count++ % CDN_BROKER_SOCKETS] = made;
	pthread_mutex_unlock(&broker->making);
}

bool
cdn_own_socket_is(struct cdn_call *call, const struct cdn_object *object)
{
	struct cdn_broker *broker = call->broker;
	struct cdn_made asked;
	bool found = false;
	size_t n;

	if (cdn_call_is_own(call, object))
		return true;
	if (!identify(object->fd, &asked))
		return false;
	pthread_mutex_lock(&broker->making);
	n = broker->socket_count < CDN_BROKER_SOCKETS ? broker->socket_count :
							CDN_BROKER_SOCKETS;
	for (size_t i = 0; !found && i < n; i++)
		found = is_same(&broker->sockets[i], &asked);
	pthread_mutex_unlock(&broker->making);
	return found;
}
