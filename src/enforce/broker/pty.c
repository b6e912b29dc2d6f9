/*
 * TIOCGPTPEER: the other end of a terminal that the caller made himself.  It is
 * not opened by name, so Landlock in him would not allow it; and which one it
 * is, only the descriptor knows, so it is asked of ours.
 */
#include "enforce/broker/call.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "enforce/broker/inside.h"

#define PEER_FLAGS (O_ACCMODE | O_NONBLOCK | O_CLOEXEC)

static bool
is_foreign(const struct cdn_broker *broker, int number)
{
	for (size_t i = 0; i < broker->spec.foreign_pts_count; i++)
		if (broker->spec.foreign_pts[i] == number)
			return true;
	return false;
}

/* A master that was there before the run is nobody's in it. */
static int
check_master(struct cdn_call *call, int master)
{
	struct cdn_broker *broker = call->broker;
	unsigned number;
	int r;

	if (ioctl(master, TIOCGPTN, &number) != 0)
		return -errno;
	pthread_rwlock_rdlock(&broker->judging);
	r = broker->closed ? -ENOSYS :
	    is_foreign(broker, (int)number) ? -EACCES : 0;
	pthread_rwlock_unlock(&broker->judging);
	return r;
}

/* Never as our controlling terminal, and so not as his either. */
static int
open_peer(struct cdn_call *call, int master, int flags)
{
	int r = check_master(call, master);

	if (r < 0)
		return r;
	r = ioctl(master, TIOCGPTPEER,
	    (flags & PEER_FLAGS) | O_NOCTTY | O_CLOEXEC);
	return r < 0 ? -errno : r;
}

void
cdn_handle_pty(struct cdn_call *call, struct cdn_call_answer *answer)
{
	const uint64_t *args = call->notif->data.args;
	int flags = (int)args[2];
	int master = cdn_call_fetch(call, (int)args[0]);
	int r = master;

	if (master >= 0) {
		r = open_peer(call, master, flags);
		close(master);
	}
	if (r < 0) {
		cdn_answer_error(answer, r);
		return;
	}
	answer->kind = CDN_ANSWER_FD;
	answer->fd = r;
	answer->cloexec = (flags & O_CLOEXEC) != 0;
}
