/*
 * audit - what happened, one JSON object per line, in a chain.
 *
 *	event -> line -> {"schema":1,"seq":N,"prev":"hash of the line before",...}
 *
 * One event type, one sink interface.  The JSONL sink appends under a lock
 * with one write per line; FILE.head keeps the number and hash of the last
 * line, so that a cut tail is seen.  A sink never blocks the run for long and
 * never loses a denial silently: a failed write is an error the caller gets,
 * and audit.onFailure says what becomes of the run.
 */
#ifndef CDN_AUDIT_AUDIT_H
#define CDN_AUDIT_AUDIT_H

#include "base/err.h"

enum cdn_event_kind {
	CDN_EVENT_RUN_START,
	CDN_EVENT_RUN_END,
	CDN_EVENT_RUN_REFUSED,
	CDN_EVENT_FALLBACK, /* "sandbox.fallback" */
	CDN_EVENT_FS_REQUEST,
	CDN_EVENT_FS_RESULT,
	CDN_EVENT_FS_DENIED,
	CDN_EVENT_NET_DENIED,
	CDN_EVENT_EXEC_DENIED,
	CDN_EVENT_CALL_DENIED,
	CDN_EVENT_KIND_MAX
};

/* One field; the first that is set says what it is. */
struct cdn_event_field {
	const char *name;
	enum {
		CDN_FIELD_TEXT,	   /* any bytes; made UTF-8 */
		CDN_FIELD_NUMBER,
		CDN_FIELD_BOOL,
		CDN_FIELD_NULL,
		CDN_FIELD_JSON,	   /* a finished value, passed on as it is */
		CDN_FIELD_STRINGS, /* NULL-terminated list */
	} type;
	union {
		cdn_str text; /* TEXT, JSON */
		int64_t number;
		bool boolean;
		char *const *strings;
	};
};

struct cdn_event {
	enum cdn_event_kind kind;
	const char *run; /* id of the run */
	const struct cdn_event_field *fields;
	size_t field_count;
};

struct cdn_sink;
struct cdn_sink_ops {
	CDN_MUST_USE int (*write)(struct cdn_sink *sink,
	    const struct cdn_event *event, struct cordon_error *err);
	void (*close)(struct cdn_sink *sink);
};
struct cdn_sink {
	const struct cdn_sink_ops *ops;
};

/*
 * The file is made 0600 when it is missing, its directory 0700; a link, a
 * file of somebody else or one that others may write is refused.  Any thread
 * may write; processes with the same file take turns (a lock).
 */
CDN_MUST_USE int cdn_audit_open(const char *file, struct cdn_sink **ret,
    struct cordon_error *err);

CDN_MUST_USE int cdn_audit_write(struct cdn_sink *sink,
    const struct cdn_event *event, struct cordon_error *err);
void cdn_audit_close(struct cdn_sink *sink); /* NULL is fine */

/* "run.start" and so on. */
const char *cdn_event_kind_name(enum cdn_event_kind kind);

#endif
