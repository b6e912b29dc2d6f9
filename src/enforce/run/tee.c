#include "enforce/run/tee.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#define STUCK_MS 1000 /* without a byte taken: nobody looks */

/* A broken pipe signals the thread that writes: it is taken back there. */
ssize_t
cdn_write_quietly(int fd, const void *p, size_t n)
{
	const struct timespec now = { 0, 0 };
	sigset_t broken, old, pending;
	ssize_t written;
	int error;

	sigemptyset(&broken);
	sigaddset(&broken, SIGPIPE);
	sigemptyset(&pending);
	(void)sigpending(&pending);
	pthread_sigmask(SIG_BLOCK, &broken, &old);
	written = write(fd, p, n);
	error = errno;
	if (written < 0 && error == EPIPE && sigismember(&pending, SIGPIPE) == 0)
		while (sigtimedwait(&broken, NULL, &now) < 0 && errno == EINTR)
			;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return written < 0 ? -error : written;
}

void
cdn_tee_init(struct cdn_tee *tee, int fd)
{
	tee->fd = fd;
	cdn_buf_init(&tee->line, SIZE_MAX);
	cdn_buf_init(&tee->shown, SIZE_MAX);
}

void
cdn_tee_done(struct cdn_tee *tee)
{
	cdn_buf_done(&tee->line);
	cdn_buf_done(&tee->shown);
}

/* Whoever reads there must not hold up the run, nor its deadline. */
static bool
is_stuck(int fd)
{
	struct pollfd on = { .fd = fd, .events = POLLOUT };
	int r;

	do
		r = poll(&on, 1, STUCK_MS);
	while (r < 0 && errno == EINTR);
	return r <= 0;
}

/* A pipe that says it has room has it for this much. */
static void
write_all(struct cdn_tee *tee)
{
	size_t done = 0;

	while (tee->fd >= 0 && done < tee->shown.n) {
		size_t part = tee->shown.n - done;
		ssize_t n = is_stuck(tee->fd) ? 0
		    : cdn_write_quietly(tee->fd, tee->shown.p + done,
			part < PIPE_BUF ? part : PIPE_BUF);

		if (n == -EINTR || n == -EAGAIN)
			continue;
		if (n <= 0)
			tee->fd = -1; /* nobody looks any more */
		else
			done += (size_t)n;
	}
}

/* Shows the first n bytes of what is held back, or a few more. */
static void
show(struct cdn_tee *tee, const struct cdn_secrets *secrets, size_t n)
{
	cdn_str line = { tee->line.p, tee->line.n };

	if (n == 0)
		return;
	cdn_buf_reset(&tee->shown);
	n = cdn_redact_text(&tee->shown, secrets, line, n);
	if (!cdn_buf_failed(&tee->shown))
		write_all(tee);
	tee->line.n -= n;
	memmove(tee->line.p, tee->line.p + n, tee->line.n + 1);
}

/* How much can be shown now: whole lines, or a long one but for its end. */
static size_t
ripe(const struct cdn_tee *tee, const struct cdn_secrets *secrets)
{
	const char *end = tee->line.n == 0 ? NULL
	    : memrchr(tee->line.p, '\n', tee->line.n);

	if (end != NULL)
		return (size_t)(end - tee->line.p) + 1;
	if (tee->line.n < CDN_TEE_LINE + secrets->longest)
		return 0;
	return tee->line.n - secrets->longest;
}

void
cdn_tee_add(struct cdn_tee *tee, const struct cdn_secrets *secrets,
    cdn_str text)
{
	if (tee->fd < 0)
		return;
	cdn_buf_str(&tee->line, text);
	if (cdn_buf_failed(&tee->line)) {
		cdn_buf_reset(&tee->line);
		return;
	}
	show(tee, secrets, ripe(tee, secrets));
}

void
cdn_tee_flush(struct cdn_tee *tee, const struct cdn_secrets *secrets)
{
	show(tee, secrets, tee->line.n);
}
