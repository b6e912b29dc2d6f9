#include "enforce/bubble/relay.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#define CHUNK (64UL * 1024UL)

/* Devices of which nobody has more by opening them again. */
#define MEMORY_MAJOR 1
static const unsigned memory_minors[] = { 3 /* null */, 5 /* zero */,
	7 /* full */, 8 /* random */, 9 /* urandom */ };

struct copy {
	int from, to;	 /* both ours; -1: there is nothing to copy */
	int error;	 /* errno of the file, not of the pipe */
	bool running;
	pthread_t thread;
};

struct cdn_relay {
	struct copy copies[3]; /* by descriptor */
	int theirs[3];	       /* the run's ends, until it has them */
	char chunks[3][CHUNK];
};

/* ----- Copying ------------------------------------------------------------- */

struct work {
	struct copy *copy;
	char *chunk;
};

static bool
write_all(int fd, const char *p, size_t n, int *ret_error)
{
	while (n > 0) {
		ssize_t done = write(fd, p, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0) {
			*ret_error = errno;
			return false;
		}
		p += done;
		n -= (size_t)done;
	}
	return true;
}

/* Who reads no more needs no more, and that is no error. */
static void
copy_all(struct copy *copy, char *chunk)
{
	for (;;) {
		ssize_t n = read(copy->from, chunk, CHUNK);
		int error = 0;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			copy->error = errno;
		if (n <= 0)
			break;
		if (!write_all(copy->to, chunk, (size_t)n, &error)) {
			copy->error = error == EPIPE ? 0 : error;
			break;
		}
	}
	close(copy->from);
	close(copy->to);
	copy->from = copy->to = -1;
}

static void *
copy_thread(void *arg)
{
	struct work work = *(struct work *)arg;

	free(arg);
	copy_all(work.copy, work.chunk);
	return NULL;
}

/* A thread with every signal blocked: SIGPIPE is EPIPE for it. */
static int
start(struct cdn_relay *relay, int which)
{
	struct copy *copy = &relay->copies[which];
	struct work *work = malloc(sizeof(*work));
	sigset_t all, old;
	int r;

	if (work == NULL)
		return ENOMEM;
	*work = (struct work){ copy, relay->chunks[which] };
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	r = pthread_create(&copy->thread, NULL, copy_thread, work);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	copy->running = r == 0;
	if (r != 0)
		free(work);
	return r;
}

/* ----- What is given ------------------------------------------------------- */

static const char *const names[] = { "standard input", "standard output",
	"standard error" };

enum given { AS_IT_IS, AS_A_PIPE, REFUSED };

/*
 * A named pipe has a mode and another end, both outside of all mounts.  Who
 * copies one may wait for its other side longer than the run lasts.
 */
static bool
has_name(int fd)
{
	struct statfs system;

	return fstatfs(fd, &system) != 0 ||
	    (unsigned long)system.f_type != PIPEFS_MAGIC;
}

static enum given
judge(int fd, const struct stat *st)
{
	if (S_ISREG(st->st_mode))
		return AS_A_PIPE;
	if (S_ISFIFO(st->st_mode))
		return has_name(fd) ? REFUSED : AS_IT_IS;
	return S_ISSOCK(st->st_mode) || S_ISCHR(st->st_mode) ? AS_IT_IS :
							       REFUSED;
}

/* Not kmsg, nor mem: they are of the same driver. */
static bool
is_like_null(const struct stat *st)
{
	for (size_t i = 0; i < CDN_LEN(memory_minors); i++)
		if (st->st_rdev == makedev(MEMORY_MAJOR, memory_minors[i]))
			return true;
	return false;
}

/* A terminal is opened again with no more than it is given. */
static bool
is_harmless_device(int fd, const struct stat *st)
{
	return !S_ISCHR(st->st_mode) || isatty(fd) == 1 || is_like_null(st);
}

bool
cdn_relay_gives_device(int fd)
{
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && S_ISCHR(st.st_mode) &&
	    is_harmless_device(fd, &st);
}

static int
make_pipe(struct cdn_relay *relay, int which, int fd, struct cordon_error *err)
{
	struct copy *copy = &relay->copies[which];
	int pair[2], own = fcntl(fd, F_DUPFD_CLOEXEC, 3);

	if (own < 0 || pipe2(pair, O_CLOEXEC) != 0) {
		if (own >= 0)
			close(own);
		return cdn_err_sys(err, errno, "failed to make a pipe");
	}
	copy->from = which == 0 ? own : pair[0];
	copy->to = which == 0 ? pair[1] : own;
	relay->theirs[which] = pair[which == 0 ? 0 : 1];
	return 0;
}

/* Both outputs to one file stay in order: they are one pipe. */
static bool
is_like_output(const int fds[3], const struct stat *st)
{
	struct stat out;

	return fstat(fds[1], &out) == 0 && out.st_dev == st->st_dev &&
	    out.st_ino == st->st_ino;
}

static int
give(struct cdn_relay *relay, int which, const int fds[3],
    struct cordon_error *err)
{
	enum given given;
	struct stat st;

	if (fstat(fds[which], &st) != 0)
		return 0; /* it is closed: the run gets /dev/null */
	given = judge(fds[which], &st);
	if (given == REFUSED || !is_harmless_device(fds[which], &st))
		return cdn_err(err, CORDON_E_ENFORCE, "%s is a directory, a "
		    "device or a named pipe: with '--backend bwrap' the run "
		    "could open it again, without any rule (give it a pipe, "
		    "as 'cat' makes one)", names[which]);
	if (given == AS_IT_IS)
		return 0;
	if (which == 2 && relay->theirs[1] >= 0 && is_like_output(fds, &st)) {
		relay->theirs[2] = fcntl(relay->theirs[1], F_DUPFD_CLOEXEC, 3);
		return relay->theirs[2] >= 0 ? 0 :
		    cdn_err_sys(err, errno, "failed to make a pipe");
	}
	return make_pipe(relay, which, fds[which], err);
}

/* ----- Life ---------------------------------------------------------------- */

static void
close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static struct cdn_relay *
relay_new(void)
{
	struct cdn_relay *relay = calloc(1, sizeof(*relay));

	for (int i = 0; relay != NULL && i < 3; i++)
		relay->copies[i].from = relay->copies[i].to =
		    relay->theirs[i] = -1;
	return relay;
}

int
cdn_relay_open(const int stdio[3], struct cdn_relay **ret, int ret_stdio[3],
    struct cordon_error *err)
{
	struct cdn_relay *relay = relay_new();
	int fds[3], code = 0;

	if (relay == NULL)
		return cdn_err_nomem(err);
	for (int i = 0; i < 3; i++)
		fds[i] = cdn_relay_fd(stdio, i);
	for (int i = 0; i < 3 && code == 0; i++)
		if (fds[i] >= 0)
			code = give(relay, i, fds, err);
	for (int i = 0; i < 3 && code == 0; i++)
		ret_stdio[i] = relay->theirs[i] >= 0 ? relay->theirs[i] :
		    stdio[i] == CDN_RELAY_NONE ? -1 : stdio[i];
	if (code != 0) {
		(void)!cdn_relay_close(relay, NULL);
		return code;
	}
	*ret = relay;
	return 0;
}

int
cdn_relay_started(struct cdn_relay *relay, struct cordon_error *err)
{
	int r = 0;

	for (int i = 0; i < 3; i++) {
		close_fd(&relay->theirs[i]);
		if (relay->copies[i].from >= 0 && r == 0)
			r = start(relay, i);
	}
	return r == 0 ? 0 : cdn_err_sys(err, r, "failed to start a thread");
}

int
cdn_relay_close(struct cdn_relay *relay, struct cordon_error *err)
{
	int code = 0;

	for (int i = 0; relay != NULL && i < 3; i++) {
		struct copy *copy = &relay->copies[i];

		close_fd(&relay->theirs[i]);
		if (copy->running)
			pthread_join(copy->thread, NULL);
		close_fd(&copy->from);
		close_fd(&copy->to);
		if (copy->error != 0 && code == 0)
			code = cdn_err_sys(err, copy->error, "failed to copy "
			    "the %s of the run", names[i]);
	}
	free(relay);
	return code;
}
