/*
 * attach - one thing that belongs to a session and is made when it is needed
 * first: the directories of its runs.  Any thread may ask; it is made once.
 */
#ifndef CDN_SESSION_ATTACH_H
#define CDN_SESSION_ATTACH_H

#include "enforce/session/session.h"

typedef int cdn_attach_fn(const struct cordon_session *session, void *arg,
    void **ret, struct cordon_error *err);

/*
 * Calls make() unless an earlier call succeeded; detach() gets the thing when
 * the session goes.  After a failure the next call tries again.
 */
CDN_MUST_USE int cdn_session_attach(const struct cordon_session *session,
    cdn_attach_fn *make, void *arg, void (*detach)(void *thing),
    struct cordon_error *err);

/* What was made, or NULL. */
void *cdn_session_attached(const struct cordon_session *session);

/* For session.c; NULL is out of memory, or fine to free. */
CDN_MUST_USE struct cdn_attached *cdn_attached_new(void);
void cdn_attached_free(struct cdn_attached *attached);

#endif
