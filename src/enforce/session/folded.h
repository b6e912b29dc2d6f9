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

#endif
