/*
 * The three streams of the command: its stdin is written while its output is
 * read, whatever each of them waits for.  Our ends never block.
 */
#include "enforce/run/running.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

#define NOTE_ROOM 256UL /* for what we add to the text */
#define END_OF_FILE "\004"

/* ----- Opening ------------------------------------------------------------ */

static int
unblock(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	return flags < 0 ? -1 : fcntl(fd, F_SETFL, flags | O_NONBLOCK);
}

/* ours is the end we keep: 0 to read from it, 1 to write to it. */
static int
open_pipe(int ours, int *ret_ours, int *ret_theirs, struct cordon_error *err)
{
	int ends[2];
	int error;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return cdn_err_sys(err, errno, "failed to make a pipe");
	if (unblock(ends[ours]) != 0) {
		error = errno;
		close(ends[0]);
		close(ends[1]);
		return cdn_err_sys(err, error, "failed to make a pipe");
	}
	*ret_ours = ends[ours];
	*ret_theirs = ends[1 - ours];
	return 0;
}

/* Each of the child's descriptors is one of ours to close. */
static int
open_pty(struct cdn_running *running, struct cordon_error *err)
{
	int slave;
	int r = cdn_pty_open(&running->pty_fd, &slave, err);

	if (r < 0)
		return r;
	running->theirs[1] = slave;
	running->theirs[2] = fcntl(slave, F_DUPFD_CLOEXEC, 3);
	running->out.fd = fcntl(running->pty_fd, F_DUPFD_CLOEXEC, 3);
	if (running->theirs[2] < 0 || running->out.fd < 0 ||
	    unblock(running->pty_fd) != 0)
		return cdn_err_sys(err, errno, "failed to make a terminal");
	running->spawn.shepherd.launch.terminal_fd = slave;
	running->spawn.shepherd.launch.new_session = true;
	return 0;
}

static int
open_output(struct cdn_running *running, struct cordon_error *err)
{
	int r;

	switch (running->request.output_mode) {
	case CDN_OUTPUT_PASS:
		return 0;
	case CDN_OUTPUT_PTY:
		return open_pty(running, err);
	case CDN_OUTPUT_CAPTURE:
	default:
		r = open_pipe(0, &running->out.fd, &running->theirs[1], err);
		if (r < 0)
			return r;
		return open_pipe(0, &running->err.fd, &running->theirs[2],
		    err);
	}
}

/* In a terminal, bytes are typed. */
static int
open_typed(struct cdn_running *running, struct cordon_error *err)
{
	running->in_fd = fcntl(running->pty_fd, F_DUPFD_CLOEXEC, 3);
	running->theirs[0] = fcntl(running->theirs[1], F_DUPFD_CLOEXEC, 3);
	if (running->in_fd < 0 || running->theirs[0] < 0)
		return cdn_err_sys(err, errno, "failed to make a terminal");
	return 0;
}

static int
open_input(struct cdn_running *running, struct cordon_error *err)
{
	switch (running->request.stdin_mode) {
	case CDN_STDIN_INHERIT:
		if (running->pty_fd < 0 || isatty(STDIN_FILENO) != 1)
			return 0;
		break;
	case CDN_STDIN_BYTES:
		if (running->pty_fd >= 0)
			return open_typed(running, err);
		return open_pipe(1, &running->in_fd, &running->theirs[0], err);
	case CDN_STDIN_NULL:
	default:
		break;
	}
	running->theirs[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	return running->theirs[0] >= 0 ? 0
	    : cdn_err_sys(err, errno, "failed to open '/dev/null'");
}

static bool
given(const struct cdn_run_request *request, int i)
{
	return request->stdio != NULL && request->stdio[i] >= 0;
}

int
cdn_drain_open(struct cdn_running *running, struct cordon_error *err)
{
	int r = open_output(running, err);

	if (r == 0)
		r = open_input(running, err);
	if (r < 0)
		return r;
	for (int i = 0; i < 3; i++)
		running->spawn.shepherd.launch.stdio[i] =
		    given(&running->request, i) ? running->request.stdio[i] :
						  running->theirs[i];
	cdn_buf_init(&running->out.text, running->request.output_max +
	    NOTE_ROOM);
	cdn_buf_init(&running->err.text, running->request.output_max +
	    NOTE_ROOM);
	if (!running->request.tee)
		return 0;
	cdn_tee_init(&running->out.tee, STDERR_FILENO);
	cdn_tee_init(&running->err.tee, STDERR_FILENO);
	return cdn_secrets_build(&running->secrets, running->request.envp, err);
}

static void
close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Somebody else may have it open, too: then epoll would not forget it. */
static void
close_watched(const struct cdn_running *running, int *fd)
{
	(void)epoll_ctl(running->epoll_fd, EPOLL_CTL_DEL, *fd, NULL);
	close_fd(fd);
}

void
cdn_drain_started(struct cdn_running *running)
{
	for (int i = 0; i < 3; i++)
		close_fd(&running->theirs[i]);
	if (running->in_fd >= 0)
		cdn_drain_write(running);
}

/* ----- Writing ------------------------------------------------------------ */

/* A terminal has no end of file: it is typed, twice when a line is open. */
static void
finish_input(struct cdn_running *running)
{
	cdn_str bytes = running->request.stdin_bytes;
	bool open_line = bytes.n > 0 && bytes.p[bytes.n - 1] != '\n';

	if (running->pty_fd >= 0)
		(void)cdn_write_quietly(running->in_fd,
		    END_OF_FILE END_OF_FILE, open_line ? 2 : 1);
	close_watched(running, &running->in_fd);
}

/* A command that does not want it all is no failure. */
void
cdn_drain_write(struct cdn_running *running)
{
	cdn_str bytes = running->request.stdin_bytes;

	while (running->in_fd >= 0 && running->in_done < bytes.n) {
		ssize_t n = cdn_write_quietly(running->in_fd,
		    bytes.p + running->in_done, bytes.n - running->in_done);

		if (n == -EAGAIN)
			return;
		if (n > 0)
			running->in_done += (size_t)n;
		else if (n != -EINTR)
			running->in_done = bytes.n;
	}
	finish_input(running);
}

/* ----- Reading ------------------------------------------------------------ */

/* What was too much is read and thrown away until the tree has ended. */
static void
keep(struct cdn_running *running, struct cdn_output *output, cdn_str bytes)
{
	size_t room = running->request.output_max - output->text.n;
	bool too_much = bytes.n > room;

	if (output->cut)
		return;
	if (too_much)
		bytes.n = room;
	if (bytes.n > 0)
		cdn_buf_str(&output->text, bytes);
	if (cdn_buf_failed(&output->text)) {
		cdn_loop_fail(running, CORDON_E_NOMEM, NULL);
		return;
	}
	cdn_tee_add(&output->tee, &running->secrets, bytes);
	if (!too_much)
		return;
	output->cut = true;
	cdn_loop_kill(running);
}

/* False: nothing more for now, or for good. */
static bool
read_some(struct cdn_running *running, struct cdn_output *output)
{
	ssize_t n = read(output->fd, running->bytes, sizeof(running->bytes));

	if (n > 0) {
		keep(running, output,
		    (cdn_str){ running->bytes, (size_t)n });
		return true;
	}
	if (n < 0 && errno == EINTR)
		return true;
	/* EIO is how a terminal says that nobody has it open. */
	if (n == 0 || errno != EAGAIN)
		close_watched(running, &output->fd);
	return false;
}

/* One event, one read: the others shall not wait for a chatterbox. */
void
cdn_drain_read(struct cdn_running *running, struct cdn_output *output)
{
	if (output->fd >= 0)
		(void)read_some(running, output);
}

/* What is in the pipes now is all there will be. */
void
cdn_drain_rest(struct cdn_running *running)
{
	struct cdn_output *both[] = { &running->out, &running->err };

	for (size_t i = 0; i < CDN_LEN(both); i++) {
		while (both[i]->fd >= 0 && !both[i]->cut &&
		    read_some(running, both[i]))
			;
		cdn_tee_flush(&both[i]->tee, &running->secrets);
	}
}

void
cdn_drain_close(struct cdn_running *running)
{
	for (int i = 0; i < 3; i++)
		close_fd(&running->theirs[i]);
	close_fd(&running->in_fd);
	close_fd(&running->out.fd);
	close_fd(&running->err.fd);
	close_fd(&running->pty_fd);
	cdn_buf_done(&running->out.text);
	cdn_buf_done(&running->err.text);
	cdn_tee_done(&running->out.tee);
	cdn_tee_done(&running->err.tee);
	cdn_secrets_done(&running->secrets);
}
