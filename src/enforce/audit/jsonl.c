#include "enforce/audit/audit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include "enforce/audit/chain.h"
#include "enforce/audit/place.h"

#define FIRST_WAIT_NS 20000L
#define MOST_WAIT_NS  4000000L
#define NS_PER_MS     1000000L

struct jsonl {
	struct cdn_sink sink;
	pthread_mutex_t mutex;
	struct cdn_chain chain;
	struct cdn_buf line; /* has all its room from the start */
	char *file;
	pid_t owner; /* a lock is shared with a child, so it may not write */
};

/* ----- Taking turns ----------------------------------------------------- */

/* -1 and errno.  Waits in steps: the kernel's own wait knows no end. */
static int
lock(int fd)
{
	struct flock range = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	long waited = 0, wait = FIRST_WAIT_NS;

	for (;;) {
		struct timespec pause = { .tv_nsec = wait };

		if (fcntl(fd, F_OFD_SETLK, &range) == 0)
			return 0;
		if (errno != EAGAIN && errno != EACCES && errno != EINTR)
			return -1;
		if (waited > CDN_AUDIT_WAIT_MS * NS_PER_MS) {
			errno = ETIMEDOUT;
			return -1;
		}
		(void)nanosleep(&pause, NULL);
		waited += wait;
		if (wait < MOST_WAIT_NS)
			wait *= 2;
	}
}

static void
unlock(int fd)
{
	struct flock range = { .l_type = F_UNLCK, .l_whence = SEEK_SET };

	(void)fcntl(fd, F_OFD_SETLK, &range);
}

static int
cannot_lock(const struct jsonl *j, int error, struct cordon_error *err)
{
	if (error == ETIMEDOUT)
		return cdn_err_sys(err, error,
		    "audit file '%s' was held by another process for too long",
		    j->file);
	return cdn_err_sys(err, error, "cannot lock audit file '%s'", j->file);
}

/* ----- Writing ---------------------------------------------------------- */

/* With the lock. */
static int
write_locked(struct jsonl *j, const struct cdn_event *event,
    struct cordon_error *err)
{
	struct timespec now = { 0 };
	struct cdn_link link;
	int r = cdn_chain_refresh(&j->chain, err);

	if (r != 0)
		return r;
	link = j->chain.last;
	link.seq++;
	(void)clock_gettime(CLOCK_REALTIME, &now);
	r = cdn_line_format(event, &link, &now, &j->line, err);
	if (r != 0)
		return r;
	return cdn_chain_append(&j->chain, (cdn_str){ j->line.p, j->line.n },
	    err);
}

static int
write_alone(struct jsonl *j, const struct cdn_event *event,
    struct cordon_error *err)
{
	int r;

	if (lock(j->chain.headfd) != 0)
		return cannot_lock(j, errno, err);
	r = write_locked(j, event, err);
	unlock(j->chain.headfd);
	return r;
}

static int
jsonl_write(struct cdn_sink *sink, const struct cdn_event *event,
    struct cordon_error *err)
{
	struct jsonl *j = (struct jsonl *)(void *)sink;
	int r;

	if (getpid() != j->owner)
		return cdn_err(err, CORDON_E_INVALID,
		    "audit file '%s' was opened by another process; a child "
		    "opens it anew", j->file);
	pthread_mutex_lock(&j->mutex);
	r = write_alone(j, event, err);
	pthread_mutex_unlock(&j->mutex);
	return r;
}

/* ----- Opening and closing ---------------------------------------------- */

static void
jsonl_close(struct cdn_sink *sink)
{
	struct jsonl *j = (struct jsonl *)(void *)sink;

	if (j->chain.fd >= 0)
		close(j->chain.fd);
	if (j->chain.headfd >= 0)
		close(j->chain.headfd);
	pthread_mutex_destroy(&j->mutex);
	free(j->line.p);
	free(j->file);
	free(j);
}

static const struct cdn_sink_ops ops = { jsonl_write, jsonl_close };

static struct jsonl *
new_jsonl(const char *file)
{
	struct jsonl *j = calloc(1, sizeof(*j));

	if (j == NULL)
		return NULL;
	j->sink.ops = &ops;
	j->chain.fd = j->chain.headfd = -1;
	j->owner = getpid();
	pthread_mutex_init(&j->mutex, NULL);
	j->file = strdup(file);
	cdn_buf_init(&j->line, CDN_AUDIT_LINE_MAX);
	j->line.room = CDN_AUDIT_LINE_MAX + 1;
	j->line.p = malloc(j->line.room);
	if (j->file == NULL || j->line.p == NULL) {
		jsonl_close(&j->sink);
		return NULL;
	}
	/* The end of the file is read before the line is written. */
	j->chain.space = j->line.p;
	j->chain.file = j->file;
	return j;
}

static int
open_files(struct jsonl *j, struct cordon_error *err)
{
	char head[CDN_PATH_MAX + sizeof(".head")];

	if (strlen(j->file) > CDN_PATH_MAX)
		return cdn_err_sys(err, ENAMETOOLONG, "audit file '%s'",
		    j->file);
	snprintf(head, sizeof(head), "%s.head", j->file);
	j->chain.fd = cdn_place_open(j->file, O_APPEND, err);
	if (j->chain.fd < 0)
		return j->chain.fd;
	j->chain.headfd = cdn_place_open(head, 0, err);
	if (j->chain.headfd < 0)
		return j->chain.headfd;
	return cdn_place_check_dir(j->file, err);
}

int
cdn_audit_open(const char *file, struct cdn_sink **ret,
    struct cordon_error *err)
{
	struct jsonl *j = new_jsonl(file);
	int r;

	if (j == NULL)
		return cdn_err_nomem(err);
	r = open_files(j, err);
	if (r != 0) {
		jsonl_close(&j->sink);
		return r;
	}
	*ret = &j->sink;
	return 0;
}
