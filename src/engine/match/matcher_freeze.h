/*
 * matcher_freeze - from the draft to the tables that are asked.
 */
#ifndef CDN_MATCH_MATCHER_FREEZE_H
#define CDN_MATCH_MATCHER_FREEZE_H

#include "engine/match/matcher_draft.h"

/*
 * Fills the matcher, whose rules are set already, from a draft without error.
 * False: out of memory.
 */
CDN_MUST_USE bool cdn_matcher_freeze(struct cdn_matcher *matcher,
    struct cdn_arena *arena, const struct cdn_draft *draft);

#endif
