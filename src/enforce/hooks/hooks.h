/*
 * hooks - the tool calls of an agent that asks before each of them.
 *
 *	event ─► dialect ─► questions ─► gate, guard ─► record ─► answer
 *
 * Nothing is judged here: names go to the gate, commands to its reading of
 * shells, everything that is not known to the guard, as a call of an MCP tool.
 * One refusal refuses the call.  What cannot be asked is refused, too.
 */
#ifndef CDN_HOOKS_HOOKS_H
#define CDN_HOOKS_HOOKS_H

#include "enforce/session/session.h"
#include "engine/dialect/dialect.h"

/* What came of one call. */
struct cdn_hook_verdict {
	bool refused;
	char reason[1024]; /* for the model; "" when it is allowed */
	const char *field; /* the argument that was refused, or NULL */
	/* The name that was judged last; "" when none was. */
	char path[CDN_PATH_MAX + 1];
	bool has_verdict;
	struct cordon_verdict verdict; /* of it; when it was refused */
};

/* judge.c */
CDN_MUST_USE int cdn_hook_judge(const struct cordon_session *session,
    const struct cdn_dialect_call *call, struct cdn_arena *arena,
    struct cdn_hook_verdict *ret, struct cordon_error *err);

/*
 * record.c: in the audit before anybody is answered.  An error means that the
 * call must not go on.
 */
CDN_MUST_USE int cdn_hook_record(const struct cordon_session *session,
    const char *audit, const struct cdn_dialect_call *call,
    const struct cdn_hook_verdict *verdict, struct cordon_error *err);

/* All of it: cordon_hook_judge(). */
CDN_MUST_USE int cdn_hook_answer(const struct cordon_session *session,
    const struct cordon_hook_event *event, struct cordon_hook_answer *ret,
    struct cordon_error *err);

/* config.c: the settings of agents; arguments were looked at. */
CDN_MUST_USE int cdn_hook_install(const struct cordon_hook_install *install,
    struct cordon_error *err);
CDN_MUST_USE int cdn_hook_status(const struct cordon_hook_install *install,
    struct cordon_hook_status *ret, struct cordon_error *err);
/* The same; *there: the agent has a directory for settings at all. */
CDN_MUST_USE int cdn_hook_look(const struct cordon_hook_install *install,
    struct cordon_hook_status *ret, bool *there, struct cordon_error *err);

struct cdn_doctor;
/* examine.c: what a doctor says of the agents of this user. */
CDN_MUST_USE int cdn_hooks_examine(const char *program,
    struct cdn_doctor *doctor, struct cordon_error *err);

#endif
