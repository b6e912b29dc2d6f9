/*
 * shadow - which rule of a list has the last word about another.
 */
#ifndef CDN_PROFILE_SHADOW_H
#define CDN_PROFILE_SHADOW_H

#include "engine/policy/policy.h"

#define CDN_NO_SHADOW SIZE_MAX

/*
 * ret[i] becomes the index of the LAST rule in `covers` that covers
 * asked->v[i], whatever the polarity of either, or CDN_NO_SHADOW.  A rule
 * covers itself, so over one and the same list a result above i means that
 * rule i never decides.  Works in the arena; false when memory ran out.
 */
CDN_MUST_USE bool cdn_shadow_find(struct cdn_arena *arena,
    const struct cdn_rules *covers, const struct cdn_rules *asked,
    size_t *ret);

#endif
