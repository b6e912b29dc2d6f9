/*
 * widen - does one profile grant more than another?
 *
 * Purely syntactic and pessimistic: "no" is certain, "yes" may be a rule that
 * only looks different.  Used to report what a merge widened.
 */
#ifndef CDN_PROFILE_WIDEN_H
#define CDN_PROFILE_WIDEN_H

#include "engine/policy/policy.h"

bool cdn_profile_widens(const struct cdn_profile_def *old,
    const struct cdn_profile_def *new);

#endif
