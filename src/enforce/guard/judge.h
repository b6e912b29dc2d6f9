/*
 * judge - the paths of a message become questions of a session.
 *
 * Asked as an agent asks that names a path to a tool.  A form that cannot be
 * judged, or of which no verdict could be had, is refused.  This is a courtesy
 * with a good message: what the server really opens, its cage decides.
 */
#ifndef CDN_GUARD_JUDGE_H
#define CDN_GUARD_JUDGE_H

#include "enforce/session/session.h"
#include "engine/rpc/arguments.h"

struct cdn_guard_judge {
	const struct cordon_session *session;
	struct cdn_rpc_settings settings;
	cdn_str tool; /* of the call at hand, for the remedy */
	unsigned asked; /* paths that somebody would have to approve, so far */
	/*
	 * Filled when something is refused, or with the first that was asked;
	 * valid until the next walk.
	 */
	struct cordon_mcp_refusal refusal;
};

/* What `spec.mcp` of all documents settles lies in the arena. */
CDN_MUST_USE int cdn_guard_judge_init(struct cdn_guard_judge *judge,
    const struct cordon_session *session, struct cdn_arena *arena,
    struct cordon_error *err);

/*
 * For one walk of engine/rpc; borrows judge.  What has to be approved ends no
 * walk: what is refused outright may stand behind it.
 */
struct cdn_rpc_judge cdn_guard_judge_of(struct cdn_guard_judge *judge);

/* One call of one tool, all in memory: cordon_mcp_check(). */
CDN_MUST_USE int cdn_guard_check(const struct cordon_session *session,
    const struct cordon_mcp_call *call, struct cordon_mcp_refusal *ret,
    struct cordon_error *err);

#endif
