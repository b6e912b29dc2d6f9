/*
 * granted - what a command with grants may be found as.
 */
#ifndef CDN_LAUNCH_GRANTED_H
#define CDN_LAUNCH_GRANTED_H

#include "enforce/session/session.h"

/* PATH without the directories that a run can write; only with grants. */
CDN_MUST_USE int cdn_granted_path(const struct cordon_session *session,
    struct cdn_arena *arena, char *const **envp, struct cordon_error *err);
/* CORDON_E_EXEC for such a file that was found by its name; likewise. */
CDN_MUST_USE int cdn_granted_program(const struct cordon_session *session,
    const struct cdn_real *real, const char *program,
    struct cordon_error *err);

#endif
