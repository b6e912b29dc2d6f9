/*
 * folded - the same authority for directories that ignore case.
 *
 * Few sessions ever meet one, so it is made at the first need, once, under a
 * lock; afterwards it is as immutable as the session itself.
 */
#ifndef CDN_SESSION_FOLDED_H
#define CDN_SESSION_FOLDED_H

#include "enforce/session/session.h"

struct cdn_folded;

/* NULL: out of memory. */
CDN_MUST_USE struct cdn_folded *cdn_folded_new(void);
void cdn_folded_free(struct cdn_folded *folded); /* NULL is fine */

/* Borrowed until the session goes; any thread may ask. */
CDN_MUST_USE int cdn_folded_authority(const struct cordon_session *session,
    const struct cdn_authority **ret, struct cordon_error *err);

/*
 * What a process may do with two names that are allowed as they are spelled
 * (cdn_decide_compound); *verdict is written unless the answer is ALLOW.
 */
CDN_MUST_USE enum cdn_compound_result cdn_folded_compound(
    const struct cordon_session *session, enum cdn_compound what,
    cdn_str from, cdn_str to, struct cordon_verdict *verdict);

#endif
