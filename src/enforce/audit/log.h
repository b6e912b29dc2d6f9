/*
 * log - reading a log line by line, through all its parts, oldest first.
 *
 * Whoever wrote it, it is input: a line has a maximum, nothing in it is
 * believed, and what is no event is given to the caller as what it is.  No lock
 * is held while lines are read, so the writers never wait for a reader.
 */
#ifndef CDN_AUDIT_LOG_H
#define CDN_AUDIT_LOG_H

#include "base/json.h"
#include "enforce/audit/line.h"

struct cdn_log;

struct cdn_log_line {
	cdn_str text;	  /* without its newline; until the next call */
	const char *file; /* where it stands; as long as the log */
	uint64_t number;  /* of the line in that file, from 1 */
	bool too_long;	  /* more than CDN_AUDIT_LINE_MAX: text is empty */
};

/* CORDON_E_NOT_FOUND when neither the file nor a part of it is there. */
CDN_MUST_USE int cdn_log_open(const char *file, struct cdn_log **ret,
    struct cordon_error *err);
void cdn_log_free(struct cdn_log *log); /* NULL is fine */

/*
 * 1, 0 at the end, or a negative code.  After the end it may be asked again:
 * then it gives what was added meanwhile, also when the file was put away.
 */
CDN_MUST_USE int cdn_log_next(struct cdn_log *log, struct cdn_log_line *ret,
    struct cordon_error *err);

/* At the end: bytes behind the last newline.  Somebody writes, or was killed. */
size_t cdn_log_unfinished(const struct cdn_log *log);

/* What the head said at one moment, and how long the last file was then. */
struct cdn_log_head {
	bool there;
	bool damaged;
	bool many; /* several lines may stand behind that one */
	struct cdn_link link;
	int64_t size;
};

/*
 * Under the lock of the writers, which is held for a moment.  From then on the
 * log ends where it ended then.  Before the first line is read.
 */
CDN_MUST_USE int cdn_log_freeze(struct cdn_log *log, struct cdn_log_head *ret,
    struct cordon_error *err);

/* ----- One line as an event (entry.c) ------------------------------------- */

struct cdn_entry {
	struct cdn_link link;
	struct cdn_json json; /* one object */
	cdn_str time;
	cdn_str run;
	cdn_str kind;
};

/*
 * False when the line is no event of ours.  The text is borrowed, the rest lies
 * in the arena.  ret_nomem, when it is not NULL, tells an error of ours apart.
 */
CDN_MUST_USE bool cdn_entry_parse(cdn_str text, struct cdn_arena *arena,
    struct cdn_entry *ret, bool *ret_nomem);

/* A field that is a text; empty when it is none. */
cdn_str cdn_entry_text(const struct cdn_entry *entry, struct cdn_arena *arena,
    const char *name);
/* A field that is a number; fallback when it is none. */
int64_t cdn_entry_number(const struct cdn_entry *entry, const char *name,
    int64_t fallback);
bool cdn_entry_is_true(const struct cdn_entry *entry, const char *name);
/* Does any text or number in it hold these bytes? */
CDN_MUST_USE bool cdn_entry_holds(const struct cdn_entry *entry,
    struct cdn_arena *arena, cdn_str text);

/* RFC 3339, UTC, as it is written here -> nanoseconds since 1970. */
CDN_MUST_USE bool cdn_entry_time(cdn_str time, int64_t *ret_ns);

#endif
