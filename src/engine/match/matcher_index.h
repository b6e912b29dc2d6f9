/*
 * matcher_index - finds the globs that may match a segment.
 *
 * A glob is filed under one key: up to eight bytes it begins with, or ends
 * with, or up to three that it contains, whichever the fewest others at the
 * same node share.  Nodes with only a few globs do without.
 */
#ifndef CDN_MATCH_MATCHER_INDEX_H
#define CDN_MATCH_MATCHER_INDEX_H

#include "engine/match/matcher_draft.h"

/*
 * Fills candidates, buckets and globs of a matcher and the `globs` of its
 * nodes.  False: out of memory.
 */
CDN_MUST_USE bool cdn_index_build(struct cdn_matcher *matcher,
    struct cdn_node *nodes, struct cdn_arena *arena,
    const struct cdn_draft *draft);

/* An empty table that will be at most half full; NULL: out of memory. */
CDN_MUST_USE void *cdn_table_new(struct cdn_arena *arena, size_t count,
    size_t element_size, struct cdn_slots *ret);

#endif
