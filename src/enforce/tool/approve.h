/*
 * approve - what somebody has to agree to, and who is asked how often.
 */
#ifndef CDN_TOOL_APPROVE_H
#define CDN_TOOL_APPROVE_H

#include <pthread.h>

#include "enforce/tool/tool.h"

/* When the last questions were asked; with a lock of its own. */
struct cdn_tool_limit {
	pthread_mutex_t lock;
	int64_t asked_ms[CDN_APPROVALS_MAX]; /* a ring; 0: never */
	size_t next;
};

CDN_MUST_USE int cdn_tool_limit_init(struct cdn_tool_limit *limit,
    struct cordon_error *err);
void cdn_tool_limit_done(struct cdn_tool_limit *limit);

struct cdn_tool_ask {
	const char *prompt; /* made by prompt.c */
	const char *const *argv; /* NULL: no command */
	const char *const *kept; /* words for the audit; NULL: argv */
	const char *cwd;	 /* the same */
	const struct cordon_grants *grants; /* never NULL */
	cdn_str arguments;	 /* of the call, where there is no command */
};

/*
 * Asks, and records question and answer.  0 when it was approved, just now;
 * otherwise it is refused as `approval`.
 */
CDN_MUST_USE int cdn_tool_approve(struct cdn_tool_call *call,
    const struct cdn_tool_ask *ask);

/* approve.c: a tool for files, if a worker's tool_rules want it. */
CDN_MUST_USE int cdn_tool_approve_files(struct cdn_tool_call *call);

/* prompt.c: words as one line of plain characters, then what is granted. */
void cdn_tool_prompt(const char *const *argv,
    const struct cordon_grants *grants, struct cdn_buf *out);
/* {"network":true,..}; what is not granted is not there. */
void cdn_tool_put_grants(struct cdn_json_writer *w,
    const struct cordon_grants *grants);
bool cdn_tool_grants_any(const struct cordon_grants *grants);

#endif
