/*
 * cover - which rule of a list covers which rule of another.
 *
 * The relation is cdn_rule_covers() and nothing else; this only spares asking
 * it for every pair.  A subtree covers what sorts right behind it when '/'
 * sorts before everything, so one walk over both lists in that order, with a
 * stack of the subtrees it is in, answers all: n log n for n rules, which is
 * what a hostile policy of a hundred thousand rules needs.
 */
#ifndef CDN_POLICY_COVER_H
#define CDN_POLICY_COVER_H

#include "engine/policy/policy.h"

#define CDN_NOT_COVERED SIZE_MAX

/*
 * ret[i] becomes the index of the first positive rule in `covers` that covers
 * asked->v[i], or CDN_NOT_COVERED.  Only rules of the given polarity are
 * asked about; the others get CDN_NOT_COVERED.  strict: an equal rule does not
 * count.  Works in the arena; false when memory ran out.
 */
CDN_MUST_USE bool cdn_cover_find(struct cdn_arena *arena,
    const struct cdn_rules *covers, const struct cdn_rules *asked,
    bool asked_negated, bool strict, size_t *ret);

#endif
