/*
 * gate - the paths that an agent may name, and the one way to open them.
 *
 *	raw ─► find (session) ─► judge ─► open ─► is it what was judged? ─► fd
 *
 * Tools, the MCP guard and hooks come through here; a tool cannot open a path
 * by itself because it is given descriptors only.  Asked is always "as agent"
 * of the one decision function, and what is judged is the real path of the
 * object that is then used.
 *
 * A path policy is immutable; threads may share it.
 */
#ifndef CDN_GATE_GATE_H
#define CDN_GATE_GATE_H

#include "enforce/session/session.h"

struct cordon_path_policy {
	const struct cordon_session *session;
	const char *base; /* real path that relative names start at */
};

/* Does either contain the other?  Both absolute; missing tails are fine. */
CDN_MUST_USE int cdn_gate_apart(const struct cordon_session *session,
    const char *const *private_dirs, size_t n, struct cordon_error *err);

/*
 * Finds and judges.  *real is what was judged.  Otherwise a code of cordon.h,
 * err and *refused say why.  base: see cdn_session_find().
 */
CDN_MUST_USE int cdn_gate_enforce(const struct cordon_path_policy *policy,
    const char *base, enum cordon_op op, cdn_str raw, struct cdn_real *real,
    struct cordon_refused *refused, struct cordon_error *err);

/* The same for an object that was found already. */
CDN_MUST_USE int cdn_gate_judge(const struct cordon_path_policy *policy,
    enum cordon_op op, const struct cdn_real *real,
    struct cordon_refused *refused, struct cordon_error *err);

/* See cordon_path_open(). */
CDN_MUST_USE int cdn_gate_open(const struct cordon_path_policy *policy,
    cdn_str raw, int flags, unsigned mode, int *ret_fd, struct cdn_real *real,
    struct cordon_refused *refused, struct cordon_error *err);

CDN_MUST_USE int cdn_gate_join(const struct cordon_path_policy *policy,
    const char *dir, cdn_str name, struct cdn_real *real,
    struct cordon_refused *refused, struct cordon_error *err);

/* Fills *refused (may be NULL) for a failure that no verdict gave. */
void cdn_gate_refuse(struct cordon_refused *refused, enum cordon_refusal why);

CDN_MUST_USE int cdn_gate_shell(const struct cordon_path_policy *policy,
    const struct cordon_shell_query *query, struct cordon_shell_verdict *ret,
    struct cordon_error *err);

#endif
