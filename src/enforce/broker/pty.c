/*
 * Terminals of the run.  The user's others lie in the same directory, and new
 * ones come while the run goes on, so a number says nothing: a terminal is the
 * run's if it was made through us, or if the caller sits at it.
 *
 * TIOCGPTPEER: the other end of a terminal that the caller made himself.  It is
 * not opened by name, so Landlock in him would not allow it; and which one it
 * is, only the descriptor knows, so it is asked of ours.
 */
#include "enforce/broker/call.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "enforce/broker/inside.h"

#define PTS_MAJOR  136
#define PEER_FLAGS (O_ACCMODE | O_NONBLOCK | O_CLOEXEC)

/* ----- Which are the run's ------------------------------------------------------- */

/* Forgets those that are gone; call with the mutex held. */
static void
sweep(struct cdn_broker *broker)
{
	struct stat st;
	size_t n = 0;

	for (size_t i = 0; i < broker->terminal_count; i++) {
		int fd = broker->terminals[i];

		if (fstat(fd, &st) == 0 && st.st_nlink > 0)
			broker->terminals[n++] = fd;
		else
			close(fd);
	}
	broker->terminal_count = n;
}

/* Call with the mutex held, after a sweep. */
static bool
is_known(const struct cdn_broker *broker, dev_t dev, ino_t ino)
{
	struct stat st;

	for (size_t i = 0; i < broker->terminal_count; i++)
		if (fstat(broker->terminals[i], &st) == 0 &&
		    st.st_dev == dev && st.st_ino == ino)
			return true;
	return false;
}

/* Takes the descriptor over. */
static int
add(struct cdn_broker *broker, int fd)
{
	struct stat st;
	int r = 0;

	if (fstat(fd, &st) != 0 || major(st.st_rdev) != PTS_MAJOR) {
		close(fd);
		return -EIO;
	}
	pthread_mutex_lock(&broker->making);
	sweep(broker);
	if (is_known(broker, st.st_dev, st.st_ino)) {
		close(fd);
	} else if (broker->terminal_count == CDN_BROKER_TERMINALS) {
		close(fd);
		r = -ENOSPC;
	} else {
		broker->terminals[broker->terminal_count++] = fd;
	}
	pthread_mutex_unlock(&broker->making);
	return r;
}

/*
 * The master keeps the number as long as it is open, which it is here, in the
 * /dev/pts that is ours: one of another mount has other terminals.
 */
int
cdn_pty_made(struct cdn_call *call, int master)
{
	char path[64];
	unsigned number;
	int fd;

	if (ioctl(master, TIOCGPTN, &number) != 0)
		return -errno;
	snprintf(path, sizeof(path), "/dev/pts/%u", number);
	fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : add(call->broker, fd);
}

bool
cdn_pty_is_own(struct cdn_call *call, const struct cdn_object *object)
{
	struct cdn_broker *broker = call->broker;
	dev_t terminal;
	bool known;

	if (!S_ISCHR(object->mode) || major(object->rdev) != PTS_MAJOR ||
	    strncmp(object->path, "/dev/pts/", 9) != 0)
		return false;
	pthread_mutex_lock(&broker->making);
	sweep(broker);
	known = is_known(broker, object->dev, object->ino);
	pthread_mutex_unlock(&broker->making);
	return known || (cdn_call_terminal(call, &terminal) == 0 &&
			    terminal == object->rdev);
}

void
cdn_pty_done(struct cdn_broker *broker)
{
	for (size_t i = 0; i < broker->terminal_count; i++)
		close(broker->terminals[i]);
	broker->terminal_count = 0;
}

/* ----- The other end ------------------------------------------------------------- */

/* Never as our controlling terminal, and so not as his either. */
static int
open_peer(struct cdn_call *call, int master, int flags)
{
	int r = cdn_pty_made(call, master);

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
