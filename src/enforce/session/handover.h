/*
 * handover - a session as bytes, for the run that this process lies in.
 *
 * Inside of a cage no other one can be built, so an inner run hands what it was
 * asked for to the outer one, as plain data: its documents as they were read,
 * and the places that it found.  The outer one parses and compiles all of it
 * anew, with its own code, and puts it below its own authority.  So the bytes
 * may say what they like: they can only take away.
 */
#ifndef CDN_SESSION_HANDOVER_H
#define CDN_SESSION_HANDOVER_H

#include "base/form.h"
#include "enforce/session/session.h"

/* Inside: failure is the form's. */
void cdn_session_hand_over(const struct cordon_session *session,
    struct cdn_form *form);

/*
 * Outside: *ret asks outer first, which must outlive it; it has no home of its
 * own.  Nothing of the file system is looked at.  CORDON_E_INVALID.
 */
CDN_MUST_USE int cdn_session_take_over(struct cdn_form *form,
    const struct cordon_session *outer, struct cordon_session **ret,
    struct cordon_error *err);

/* session.c: an empty one; and its workers, as documents behind the others. */
CDN_MUST_USE struct cordon_session *cdn_session_alloc(void);
CDN_MUST_USE int cdn_session_add_workers(struct cordon_session *session,
    struct cordon_error *err);

#endif
