#include "enforce/audit/audit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include "enforce/audit/chain.h"
#include "enforce/audit/parts.h"
#include "enforce/audit/place.h"

struct jsonl {
	struct cdn_sink sink;
	pthread_mutex_t mutex;
	struct cdn_chain chain;
	struct cdn_buf line; /* has all its room from the start */
	char *file;
	pid_t owner; /* a lock is shared with a child, so it may not write */
};

/* ----- Taking turns ----------------------------------------------------- */

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

static int
write_line(struct jsonl *j, const struct cdn_event *event,
    struct cordon_error *err)
{
	struct cdn_link link = j->chain.last;
	struct timespec now = { 0 };
	int r;

	link.seq++;
	(void)clock_gettime(CLOCK_REALTIME, &now);
	r = cdn_line_format(event, &link, &now, &j->line, err);
	if (r != 0)
		return r;
	return cdn_chain_append(&j->chain, (cdn_str){ j->line.p, j->line.n },
	    err);
}

/* Somebody was killed while he wrote: what is left of his event is told. */
static int
write_torn(struct jsonl *j, const char *run, struct cordon_error *err)
{
	struct cdn_torn *torn = &j->chain.torn;
	const struct cdn_event_field fields[] = {
		{ .name = "bytes", .type = CDN_FIELD_NUMBER,
		    .number = (int64_t)torn->bytes },
		{ .name = "text", .type = CDN_FIELD_TEXT,
		    .text = { torn->text, torn->kept } },
	};
	const struct cdn_event event = { CDN_EVENT_AUDIT_TORN, run, fields,
		CDN_LEN(fields) };
	int r = write_line(j, &event, err);

	if (r == 0)
		torn->bytes = 0;
	return r;
}

/* With the lock. */
static int
write_locked(struct jsonl *j, const struct cdn_event *event,
    struct cordon_error *err)
{
	int r = cdn_chain_refresh(&j->chain, err);

	if (r == 0 && j->chain.torn.bytes > 0)
		r = write_torn(j, event->run, err);
	return r != 0 ? r : write_line(j, event, err);
}

static int
write_alone(struct jsonl *j, const struct cdn_event *event,
    struct cordon_error *err)
{
	int r;

	if (cdn_place_lock(j->chain.headfd, true) != 0)
		return cannot_lock(j, errno, err);
	r = write_locked(j, event, err);
	cdn_place_unlock(j->chain.headfd);
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
	j->chain.max = CDN_AUDIT_FILE_MAX;
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
	cdn_chain_use(j->chain.fd);
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

void
cdn_audit_part_size(struct cdn_sink *sink, size_t bytes)
{
	((struct jsonl *)(void *)sink)->chain.max = (off_t)bytes;
}
