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
	CDN_EVENT_RUN_LEFT, /* what the host's git would run: leftover.c */
	CDN_EVENT_FALLBACK, /* "sandbox.fallback" */
	CDN_EVENT_FS_REQUEST,
	CDN_EVENT_FS_RESULT,
	CDN_EVENT_FS_DENIED,
	CDN_EVENT_NET_DENIED,
	CDN_EVENT_EXEC_DENIED,
	CDN_EVENT_CALL_DENIED,
	CDN_EVENT_TOOL_CALL,
	CDN_EVENT_GRANT_REQUESTED,
	CDN_EVENT_GRANT_APPROVED,
	CDN_EVENT_GRANT_DENIED,
	CDN_EVENT_GRANT_EXPIRED,
	CDN_EVENT_MCP_CALL,
	CDN_EVENT_HARNESS_DELEGATED, /* an agent keeps its own list of tools */
	CDN_EVENT_AUDIT_TORN, /* a writer was killed in the middle of a line */
	CDN_EVENT_AUDIT_ADOPTED, /* whole lines that the head did not know */
	CDN_EVENT_KIND_MAX
};

/*
 * One field.  What is too long for the line is cut, and the line then says
 * "cut":true: a text ends in "[+N bytes]", a list in "[+N more]", and JSON
 * becomes the text "[N bytes]".
 */
struct cdn_event_field {
	const char *name; /* none of schema seq prev time run kind cut */
	enum {
		CDN_FIELD_TEXT,	   /* any bytes; made UTF-8 */
		CDN_FIELD_NUMBER,
		CDN_FIELD_BOOL,
		CDN_FIELD_NULL,
		CDN_FIELD_JSON,	   /* a finished value without a newline */
		CDN_FIELD_STRINGS, /* NULL-terminated list */
	} type;
	union {
		cdn_str text; /* TEXT, JSON */
		int64_t number;
		bool boolean;
		const char *const *strings;
	};
};

struct cdn_event {
	enum cdn_event_kind kind;
	const char *run; /* id of the run */
	const struct cdn_event_field *fields;
	size_t field_count; /* at most CDN_AUDIT_FIELDS_MAX */
};

/* ----- What the fields of an event are made of ---------------------------- */

struct cdn_event_field cdn_field_text(const char *name,
    const char *value); /* NULL: null */
struct cdn_event_field cdn_field_str(const char *name, cdn_str value);
struct cdn_event_field cdn_field_number(const char *name, int64_t value);
struct cdn_event_field cdn_field_bool(const char *name, bool value);
struct cdn_event_field cdn_field_strings(const char *name,
    const char *const *values);
struct cdn_event_field cdn_field_json(const char *name, cdn_str value);

/*
 * What every event about a verdict says: profile op path allowed matched_rule,
 * by exactly these names, and what more there is to know of the rule.  Whether
 * a rule was negated is none of them: `allowed` says what came of it.
 */
#define CDN_VERDICT_FIELDS 10
void cdn_fields_verdict(const struct cordon_verdict *verdict, cdn_str path,
    struct cdn_event_field ret[CDN_VERDICT_FIELDS]);
/* fs.call.request, or the event of a denial of that operation. */
enum cdn_event_kind cdn_event_of_verdict(const struct cordon_verdict *verdict,
    bool is_socket);

/* ----- Where they go ------------------------------------------------------- */

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
 * The file is made 0600 when it is missing, its directory 0700 (and those above
 * it); a link, a file of somebody else, one that others may write, or one in a
 * directory where others may put another in its place is refused.
 *
 * Any thread may write; processes with the same file take turns (a lock), and
 * who waits for CDN_AUDIT_WAIT_MS in which nobody wrote gets an error.  A sink
 * belongs to the process that opened it: after fork() the child may only close
 * it.
 *
 * A line is written whole or not at all: after an error the file is as it was.
 * Lines without their head, or half a line at the end, are what a killed process
 * leaves behind; the next write mends it, and tells with an event of its own
 * ("audit.adopted", "audit.torn").  Where file and head disagree in any other
 * way nothing is written any more (CORDON_E_INVALID).  Nothing waits for the
 * disk.  A file of CDN_AUDIT_FILE_MAX bytes is put away (parts.h).
 */
CDN_MUST_USE int cdn_audit_open(const char *file, struct cdn_sink **ret,
    struct cordon_error *err);
/* For tests: a file is put away sooner. */
void cdn_audit_part_size(struct cdn_sink *sink, size_t bytes);

CDN_MUST_USE int cdn_audit_write(struct cdn_sink *sink,
    const struct cdn_event *event, struct cordon_error *err);
void cdn_audit_close(struct cdn_sink *sink); /* NULL is fine */

/* "run.start" and so on. */
const char *cdn_event_kind_name(enum cdn_event_kind kind);

#endif
