#include "enforce/audit/log.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "enforce/audit/parts.h"
#include "enforce/audit/place.h"

#define SPACE (2UL * CDN_AUDIT_LINE_MAX)

struct cdn_log {
	struct cdn_arena *arena; /* owns this struct, too */
	const char *file;
	struct cdn_parts parts;
	size_t next; /* of the parts; parts.n: the file itself is open */
	int fd;
	const char *name; /* of what is open */
	off_t offset;	  /* of what is read next */
	off_t until;	  /* the file itself ends there; -1: where it ends */
	uint64_t number;  /* of the last line given */
	uint64_t seq;	  /* of the last event given */
	char *space;	  /* SPACE bytes */
	size_t at, n;	  /* what of them is still to be given */
	bool skipping;	  /* up to the end of a line that is too long */
};

/* ----- Files -------------------------------------------------------------- */

static int
open_file(struct cdn_log *log, const char *name, struct cordon_error *err)
{
	int fd = cdn_part_open(name, err);

	if (fd < 0)
		return fd;
	if (log->fd >= 0)
		close(log->fd);
	log->fd = fd;
	log->name = name;
	log->offset = 0;
	log->number = 0;
	log->at = log->n = 0;
	log->skipping = false;
	return 0;
}

/* The file itself, or its newest part when there is none at this moment. */
static int
open_first(struct cdn_log *log, struct cordon_error *err)
{
	int r;

	if (log->parts.n > 0)
		return open_file(log, log->parts.v[0].name, err);
	r = open_file(log, log->file, err);
	return r;
}

int
cdn_log_open(const char *file, struct cdn_log **ret, struct cordon_error *err)
{
	struct cdn_arena *arena = cdn_arena_new();
	struct cdn_log *log = arena == NULL ? NULL :
	    cdn_arena_alloc(arena, sizeof(*log));
	int r;

	if (log == NULL) {
		cdn_arena_free(arena);
		return cdn_err_nomem(err);
	}
	log->arena = arena;
	log->fd = -1;
	log->until = -1;
	log->file = cdn_arena_dup(arena, file, strlen(file));
	log->space = cdn_arena_alloc(arena, SPACE);
	r = log->file == NULL || log->space == NULL ? cdn_err_nomem(err) :
	    cdn_parts_find(arena, log->file, &log->parts, err);
	if (r == 0)
		r = open_first(log, err);
	if (r != 0) {
		cdn_log_free(log);
		return r;
	}
	*ret = log;
	return 0;
}

void
cdn_log_free(struct cdn_log *log)
{
	if (log == NULL)
		return;
	if (log->fd >= 0)
		close(log->fd);
	cdn_arena_free(log->arena);
}

static bool
is_last(const struct cdn_log *log)
{
	return log->next >= log->parts.n;
}

/* Has the file that is open been put away meanwhile? */
static bool
was_put_away(const struct cdn_log *log)
{
	struct stat ours, there;

	return log->until < 0 && fstat(log->fd, &ours) == 0 &&
	    stat(log->file, &there) == 0 &&
	    (ours.st_dev != there.st_dev || ours.st_ino != there.st_ino);
}

/* Goes on with what begins behind the last event that was given. */
static int
follow(struct cdn_log *log, struct cordon_error *err)
{
	struct cdn_parts now;
	int r = cdn_parts_find(log->arena, log->file, &now, err);

	if (r != 0)
		return r;
	log->parts = now;
	log->next = now.n;
	for (size_t i = now.n; i > 0 && now.v[i - 1].first > log->seq; i--)
		log->next = i - 1;
	return open_file(log, is_last(log) ? log->file :
	    now.v[log->next].name, err);
}

/* 1 when there is something else to read now. */
static int
go_on(struct cdn_log *log, struct cordon_error *err)
{
	int r;

	if (!is_last(log)) {
		log->next++;
		r = open_file(log, is_last(log) ? log->file :
		    log->parts.v[log->next].name, err);
		if (r == CORDON_E_NOT_FOUND && is_last(log)) {
			log->next = log->parts.n - 1; /* it is not made yet */
			return 0;
		}
		return r == 0 ? 1 : r;
	}
	if (!was_put_away(log))
		return 0;
	r = follow(log, err);
	return r == 0 ? 1 : r;
}

/* ----- Lines -------------------------------------------------------------- */

/* More bytes behind those that are there; 0 at the end of this file. */
static int
fill(struct cdn_log *log, struct cordon_error *err)
{
	size_t room;
	ssize_t got;

	if (log->at > 0)
		memmove(log->space, log->space + log->at, log->n);
	log->at = 0;
	room = SPACE - log->n;
	if (log->until >= 0 && is_last(log) &&
	    (off_t)room > log->until - log->offset)
		room = (size_t)(log->until - log->offset);
	got = room == 0 ? 0 :
	    pread(log->fd, log->space + log->n, room, log->offset);
	if (got < 0)
		return cdn_err_sys(err, errno, "cannot read audit file '%s'",
		    log->name);
	log->offset += got;
	log->n += (size_t)got;
	return got > 0;
}

static void
give(struct cdn_log *log, size_t n, struct cdn_log_line *ret)
{
	struct cdn_link link;

	*ret = (struct cdn_log_line){ { log->space + log->at, n }, log->name,
		++log->number, log->skipping || n >= CDN_AUDIT_LINE_MAX };
	if (ret->too_long)
		ret->text.n = 0;
	else if (cdn_line_link(ret->text, &link))
		log->seq = link.seq;
	log->at += n + 1;
	log->n -= n + 1;
	log->skipping = false;
}

int
cdn_log_next(struct cdn_log *log, struct cdn_log_line *ret,
    struct cordon_error *err)
{
	int r;

	for (;;) {
		const char *from = log->space + log->at;
		const char *newline = log->n == 0 ? NULL :
		    memchr(from, '\n', log->n);

		if (newline != NULL) {
			give(log, (size_t)(newline - from), ret);
			return 1;
		}
		if (log->n >= CDN_AUDIT_LINE_MAX) {
			log->skipping = true;
			log->at = log->n = 0;
		}
		r = fill(log, err);
		if (r == 0)
			r = go_on(log, err);
		if (r <= 0)
			return r;
	}
}

size_t
cdn_log_unfinished(const struct cdn_log *log)
{
	return log->skipping ? SIZE_MAX : log->n;
}

/* ----- The head ----------------------------------------------------------- */

static int
read_head(const struct cdn_log *log, int fd, struct cdn_log_head *ret,
    struct cordon_error *err)
{
	char text[CDN_HEAD_SIZE];
	ssize_t n = pread(fd, text, sizeof(text), 0);

	if (n < 0)
		return cdn_err_sys(err, errno, "cannot read '%s.head'",
		    log->file);
	ret->there = true;
	ret->damaged = !cdn_head_parse((cdn_str){ text, (size_t)n },
	    &ret->link, &ret->many);
	return 0;
}

/* The parts and the size of the file, as they are together. */
static int
look(struct cdn_log *log, struct cdn_log_head *ret, struct cordon_error *err)
{
	struct stat st;
	int r = cdn_parts_find(log->arena, log->file, &log->parts, err);

	if (r == 0)
		r = open_first(log, err);
	if (r != 0)
		return r;
	ret->size = 0;
	if (stat(log->file, &st) == 0)
		ret->size = st.st_size;
	log->next = 0;
	log->until = ret->size;
	return 0;
}

int
cdn_log_freeze(struct cdn_log *log, struct cdn_log_head *ret,
    struct cordon_error *err)
{
	struct cdn_log_head head = { 0 };
	char name[CDN_PATH_MAX + sizeof(".head")];
	cdn_cleanup_fd int fd = -1;
	int r = 0;

	snprintf(name, sizeof(name), "%s.head", log->file);
	fd = cdn_part_open(name, err);
	if (fd < 0 && fd != CORDON_E_NOT_FOUND)
		return fd;
	if (fd >= 0 && cdn_place_lock(fd, false) != 0)
		return cdn_err_sys(err, errno, "cannot lock '%s'", name);
	if (fd >= 0)
		r = read_head(log, fd, &head, err);
	if (r == 0)
		r = look(log, &head, err);
	if (fd >= 0)
		cdn_place_unlock(fd);
	if (r == 0)
		*ret = head;
	return r;
}
