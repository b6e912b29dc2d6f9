/*
 * git_safety - does the user's git refuse repositories that it merely finds?
 *
 * safe.bareRepository=explicit: git does not take the current directory for a
 * repository because it has the parts of one, so that core.fsmonitor and hooks
 * of such a directory are not executed.  Git takes the setting from the
 * system's and the user's files only, never from a repository.
 */
#ifndef CDN_SESSION_GIT_SAFETY_H
#define CDN_SESSION_GIT_SAFETY_H

#include "enforce/store/places.h"

/*
 * What an included file sets is not looked up: false then.  0, or
 * CORDON_E_NOMEM.
 */
CDN_MUST_USE int cdn_git_refuses_bare(const struct cdn_places *places,
    bool *ret);

#endif
