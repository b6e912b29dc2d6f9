#include "enforce/bubble/talk.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "enforce/backend/wrapper.h"
#include "enforce/bubble/fds.h"

#define READY_BYTES 4096 /* in the socket; the kernel takes some more */
#define STATUS_MAX  4096

/* ----- Both ends ----------------------------------------------------------- */

void
cdn_talk_init(struct cdn_talk *talk)
{
	*talk = (struct cdn_talk){ .status_fd = -1, .ready_fd = -1,
		.their_status = -1, .their_ready = -1 };
}

/* Full towards bwrap, and one byte from there. */
static bool
fill_ready(const struct cdn_talk *talk)
{
	static const char full[READY_BYTES];
	int size = READY_BYTES;

	if (fcntl(talk->ready_fd, F_SETFL, O_NONBLOCK) != 0 ||
	    setsockopt(talk->ready_fd, SOL_SOCKET, SO_SNDBUF, &size,
		sizeof(size)) != 0 ||
	    write(talk->their_ready, full, 1) != 1)
		return false;
	while (write(talk->ready_fd, full, sizeof(full)) > 0)
		;
	return errno == EAGAIN;
}

static bool
note_places(struct cdn_talk *talk)
{
	struct stat theirs, ours;

	if (fstat(talk->their_ready, &theirs) != 0 ||
	    fstat(talk->ready_fd, &ours) != 0)
		return false;
	talk->theirs = (struct cdn_run_place){ theirs.st_dev, theirs.st_ino };
	talk->ours = (struct cdn_run_place){ ours.st_dev, ours.st_ino };
	return true;
}

static bool
make_both(struct cdn_talk *talk)
{
	int status[2], ready[2];

	if (pipe2(status, O_CLOEXEC) != 0)
		return false;
	talk->status_fd = cdn_fds_high(status[0]);
	talk->their_status = cdn_fds_high(status[1]);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ready) != 0)
		return false;
	talk->their_ready = cdn_fds_high(ready[0]);
	talk->ready_fd = cdn_fds_high(ready[1]);
	return talk->status_fd >= 0 && talk->their_status >= 0 &&
	    talk->their_ready >= 0 && talk->ready_fd >= 0;
}

int
cdn_talk_open(struct cdn_talk *talk, struct cordon_error *err)
{
	return make_both(talk) && note_places(talk) && fill_ready(talk) ? 0 :
	    cdn_err_sys(err, errno, "failed to make a pipe");
}

void
cdn_talk_given(struct cdn_talk *talk)
{
	cdn_fds_close(&talk->their_status);
	cdn_fds_close(&talk->their_ready);
}

void
cdn_talk_close(struct cdn_talk *talk)
{
	cdn_talk_given(talk);
	cdn_fds_close(&talk->status_fd);
	cdn_fds_close(&talk->ready_fd);
}

/* ----- While it begins ----------------------------------------------------- */

/*
 * It said something, or all mounts are there; or it ended, or takes too long.
 * When it fails it may leave a child behind that has all its descriptors: the
 * end of the run counts.
 */
static int
await(int fd, short events, struct cdn_running *running,
    struct cordon_error *err)
{
	struct pollfd on[] = {
		{ .fd = fd, .events = events },
		{ .fd = cdn_run_fd(running), .events = POLLIN },
	};
	bool over = false;
	int r;

	do {
		r = poll(on, CDN_LEN(on), CDN_BWRAP_START_MS);
		if (r > 0 && on[0].revents == events)
			return 0;
		if (r > 0 && on[1].revents != 0)
			over = cdn_run_step(running);
	} while (!over && (r > 0 || (r < 0 && errno == EINTR)) &&
	    (on[0].revents & (POLLERR | POLLHUP)) == 0);
	return cdn_err(err, CORDON_E_ENFORCE, "OS sandbox required but "
	    "unavailable: '" CDN_WRAPPER_BWRAP "' %s",
	    r == 0 ? "does not go on" : "could not make a sandbox");
}

/* {"child-pid": 12, ...}: the first process of the sandbox, as we see it. */
static pid_t
find_pid(const char *text)
{
	static const char key[] = "\"child-pid\": ";
	const char *at = strstr(text, key);
	long pid = at == NULL ? 0 : strtol(at + strlen(key), NULL, 10);

	return pid > 0 && pid < INT32_MAX ? (pid_t)pid : 0;
}

/* A line that it writes piece by piece. */
int
cdn_talk_hear_first(const struct cdn_talk *talk, struct cdn_running *running,
    pid_t *ret, struct cordon_error *err)
{
	int fd = talk->status_fd;
	char text[STATUS_MAX];
	bool is_whole = false;
	size_t n = 0;
	pid_t pid;

	while (!is_whole && n < sizeof(text) - 1) {
		int code = await(fd, POLLIN, running, err);
		ssize_t r = code != 0 ? 0 :
		    read(fd, text + n, sizeof(text) - 1 - n);

		if (code != 0)
			return code;
		if (r <= 0)
			break;
		is_whole = memchr(text + n, '\n', (size_t)r) != NULL;
		n += (size_t)r;
	}
	text[n] = '\0';
	pid = find_pid(text);
	if (pid == 0)
		return cdn_err(err, CORDON_E_ENFORCE, "'" CDN_WRAPPER_BWRAP
		    "' does not say which process it made (use "
		    "'--backend native')");
	*ret = pid;
	return 0;
}

int
cdn_talk_await_ready(const struct cdn_talk *talk, struct cdn_running *running,
    struct cordon_error *err)
{
	return await(talk->ready_fd, POLLOUT, running, err);
}

int
cdn_talk_let_go(struct cdn_talk *talk, struct cordon_error *err)
{
	char owed;

	if (read(talk->ready_fd, &owed, 1) != 1)
		return cdn_err_sys(err, errno, "bwrap cannot be told to go on");
	cdn_fds_close(&talk->ready_fd);
	return 0;
}

/* ----- When it ended ------------------------------------------------------- */

bool
cdn_talk_was_started(const struct cdn_talk *talk)
{
	char text[STATUS_MAX];
	size_t n = 0;
	ssize_t r;

	while (n < sizeof(text) - 1 &&
	    ((r = read(talk->status_fd, text + n, sizeof(text) - 1 - n)) > 0 ||
		(r < 0 && errno == EINTR)))
		n += r > 0 ? (size_t)r : 0;
	text[n] = '\0';
	return strstr(text, "\"exit-code\"") != NULL;
}
