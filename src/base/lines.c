#include "base/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK	   (256UL * 1024UL) /* read at a time */
#define PIPE_SIZE  (1024 * 1024)
#define FULL	   (1024UL * 1024UL) /* in a queue */
#define SHOWN_LONG 4096UL /* of a line that is too long */
/* A line that fills it, and what was read behind it. */
#define QUEUE_MAX (4 * CDN_RPC_LINE_MAX)

/* ----- In ------------------------------------------------------------------- */

void
cdn_lines_init(struct cdn_lines *lines, int fd)
{
	*lines = (struct cdn_lines){ .fd = fd };
}

static void
close_in(struct cdn_lines *lines)
{
	if (lines->fd >= 0)
		close(lines->fd);
	lines->fd = -1;
}

void
cdn_lines_done(struct cdn_lines *lines)
{
	close_in(lines);
	free(lines->p);
	lines->p = NULL;
}

/* Room for a chunk behind what is there. */
static bool
make_room(struct cdn_lines *lines)
{
	size_t kept = lines->end - lines->begin;
	size_t room = lines->room == 0 ? 2 * CHUNK : lines->room;
	char *p;

	if (lines->begin > 0 && lines->room - lines->end < CHUNK) {
		memmove(lines->p, lines->p + lines->begin, kept);
		lines->seen -= lines->begin;
		lines->begin = 0;
		lines->end = kept;
	}
	while (room - lines->end < CHUNK)
		room *= 2;
	if (room == lines->room)
		return true;
	p = realloc(lines->p, room);
	if (p == NULL)
		return false;
	lines->p = p;
	lines->room = room;
	return true;
}

bool
cdn_lines_fill(struct cdn_lines *lines)
{
	ssize_t n;

	if (lines->fd < 0)
		return true;
	if (!make_room(lines))
		return false;
	n = read(lines->fd, lines->p + lines->end, lines->room - lines->end);
	if (n > 0)
		lines->end += (size_t)n;
	else if (n == 0 || (errno != EAGAIN && errno != EINTR))
		close_in(lines);
	return true;
}

/* Gives n bytes and starts anew where nothing is left. */
static cdn_str
take(struct cdn_lines *lines, size_t n)
{
	cdn_str bytes = { lines->p + lines->begin, n };

	lines->begin += n;
	lines->seen = lines->begin;
	if (lines->begin == lines->end)
		lines->begin = lines->end = lines->seen = 0;
	return bytes;
}

static enum cdn_line
take_line(struct cdn_lines *lines, size_t n, cdn_str *ret)
{
	bool skipped = lines->skipping;
	cdn_str line = take(lines, n);

	lines->skipping = false;
	if (skipped)
		return cdn_lines_next(lines, ret);
	*ret = line;
	if (n - 1 <= CDN_RPC_LINE_MAX)
		return CDN_LINE_WHOLE;
	ret->n = SHOWN_LONG;
	return CDN_LINE_TOO_LONG;
}

enum cdn_line
cdn_lines_next(struct cdn_lines *lines, cdn_str *ret)
{
	const char *newline = lines->end == lines->seen ? NULL :
	    memchr(lines->p + lines->seen, '\n', lines->end - lines->seen);
	size_t n = lines->end - lines->begin;

	if (newline != NULL)
		return take_line(lines,
		    (size_t)(newline - lines->p) + 1 - lines->begin, ret);
	lines->seen = lines->end;
	if (n <= CDN_RPC_LINE_MAX && !lines->skipping)
		return CDN_LINE_NONE;
	/* Its end is not there yet, and will not be waited for. */
	*ret = take(lines, n);
	ret->n = n < SHOWN_LONG ? n : SHOWN_LONG;
	if (lines->skipping)
		return CDN_LINE_NONE;
	lines->skipping = true;
	return CDN_LINE_TOO_LONG;
}

size_t
cdn_lines_rest(const struct cdn_lines *lines)
{
	return lines->end - lines->begin;
}

/* ----- Out ------------------------------------------------------------------ */

void
cdn_outlet_init(struct cdn_outlet *outlet, int fd)
{
	*outlet = (struct cdn_outlet){ .fd = fd };
	cdn_buf_init(&outlet->queue, QUEUE_MAX);
}

/* Whoever read there is gone: nothing will be wanted any more. */
static void
close_out(struct cdn_outlet *outlet)
{
	if (outlet->fd >= 0)
		close(outlet->fd);
	outlet->fd = -1;
	outlet->done = 0;
	cdn_buf_reset(&outlet->queue);
}

void
cdn_outlet_done(struct cdn_outlet *outlet)
{
	close_out(outlet);
	cdn_buf_done(&outlet->queue);
}

/* How many of them the other side takes now. */
static size_t
write_some(struct cdn_outlet *outlet, cdn_str bytes)
{
	size_t done = 0;

	while (outlet->fd >= 0 && done < bytes.n) {
		ssize_t n = write(outlet->fd, bytes.p + done, bytes.n - done);

		if (n < 0 && errno == EAGAIN)
			break;
		if (n > 0)
			done += (size_t)n;
		else if (n == 0 || errno != EINTR)
			close_out(outlet);
	}
	outlet->taken += done;
	return done;
}

/* What was written makes room for what comes. */
static void
forget_done(struct cdn_outlet *outlet)
{
	struct cdn_buf *queue = &outlet->queue;

	if (outlet->done < FULL)
		return;
	memmove(queue->p, queue->p + outlet->done, queue->n - outlet->done);
	queue->n -= outlet->done;
	outlet->done = 0;
}

void
cdn_outlet_put(struct cdn_outlet *outlet, cdn_str bytes)
{
	size_t done = cdn_outlet_is_empty(outlet) ? write_some(outlet, bytes) :
						    0;

	if (outlet->fd < 0)
		return;
	forget_done(outlet);
	cdn_buf_str(&outlet->queue, cdn_str_from(bytes, done));
	outlet->failed |= cdn_buf_failed(&outlet->queue);
}

void
cdn_outlet_flush(struct cdn_outlet *outlet)
{
	if (cdn_outlet_is_empty(outlet))
		return;
	outlet->done += write_some(outlet, (cdn_str){
	    outlet->queue.p + outlet->done, outlet->queue.n - outlet->done });
	if (outlet->fd >= 0 && outlet->done < outlet->queue.n)
		return;
	outlet->done = 0;
	cdn_buf_reset(&outlet->queue);
}

bool
cdn_outlet_is_empty(const struct cdn_outlet *outlet)
{
	return outlet->queue.n == outlet->done;
}

bool
cdn_outlet_is_full(const struct cdn_outlet *outlet)
{
	return outlet->queue.n - outlet->done >= FULL;
}

/* ----- Around both ---------------------------------------------------------- */

void
cdn_pipe_signal_off(struct cdn_pipe_signal *ret)
{
	sigset_t broken, pending;

	sigemptyset(&broken);
	sigaddset(&broken, SIGPIPE);
	sigemptyset(&pending);
	(void)sigpending(&pending);
	ret->pending = sigismember(&pending, SIGPIPE) == 1;
	pthread_sigmask(SIG_BLOCK, &broken, &ret->old);
}

void
cdn_pipe_signal_back(const struct cdn_pipe_signal *signal)
{
	const struct timespec now = { 0, 0 };
	sigset_t broken;

	sigemptyset(&broken);
	sigaddset(&broken, SIGPIPE);
	if (!signal->pending)
		while (sigtimedwait(&broken, NULL, &now) < 0 && errno == EINTR)
			;
	pthread_sigmask(SIG_SETMASK, &signal->old, NULL);
}

int
cdn_end_open(int fd, int mode, int *ret_flags, int *ret, struct cordon_error *err)
{
	char name[32];
	struct stat st;
	int own = -1;

	*ret_flags = -1;
	if (fstat(fd, &st) != 0)
		return cdn_err_sys(err, errno, "descriptor %d of the client",
		    fd);
	if (S_ISFIFO(st.st_mode)) {
		snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
		own = open(name, mode | O_NONBLOCK | O_CLOEXEC);
	}
	if (own < 0) {
		own = fcntl(fd, F_DUPFD_CLOEXEC, 3);
		if (own >= 0 && (S_ISFIFO(st.st_mode) ||
		    S_ISSOCK(st.st_mode))) {
			*ret_flags = fcntl(own, F_GETFL);
			(void)fcntl(own, F_SETFL, *ret_flags | O_NONBLOCK);
		}
	}
	if (own < 0)
		return cdn_err_sys(err, errno, "descriptor %d of the client",
		    fd);
	if (S_ISFIFO(st.st_mode)) /* fewer turns for a long message */
		(void)fcntl(own, F_SETPIPE_SZ, PIPE_SIZE);
	*ret = own;
	return 0;
}
