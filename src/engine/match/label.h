/*
 * label - what a segment of a path must look like to pass along an edge.
 *
 * A label is a run of a pattern's tokens, borrowed, without a SLASH or BELOW.
 * Inside a segment there are no slashes, so STARS means the same as STAR, and
 * DIRS means nothing at all.  An open label is one with a * more at its end.
 *
 * Immutable after cdn_label_init().
 */
#ifndef CDN_MATCH_LABEL_H
#define CDN_MATCH_LABEL_H

#include "engine/match/pattern.h"
#include "engine/match/segment.h"

struct cdn_label {
	const struct cdn_token *tokens;
	uint32_t n;
	bool open;
	bool clean; /* every literal is well-formed UTF-8 */
};

/*
 * What can be said about a segment by looking at its length and its ends.
 * If that is all there is to say, the shape is settled.
 */
struct cdn_shape {
	uint64_t head, head_mask; /* as in struct cdn_segment */
	uint64_t tail, tail_mask;
	uint32_t min;		  /* bytes */
	bool settled;
};

void cdn_label_init(struct cdn_label *label, const struct cdn_token *tokens,
    size_t n, bool open);
void cdn_label_shape(const struct cdn_label *label, struct cdn_shape *ret);

/* One literal and nothing else. */
bool cdn_label_is_literal(const struct cdn_label *label);
/* One star and nothing else. */
bool cdn_label_is_star(const struct cdn_label *label);

/* The literal at its beginning or its end; empty when there is none. */
cdn_str cdn_label_prefix(const struct cdn_label *label);
cdn_str cdn_label_suffix(const struct cdn_label *label);

bool cdn_label_eq(const struct cdn_label *a, const struct cdn_label *b);
/* seed: unknown to whoever writes rules, or they choose names that collide. */
uint64_t cdn_label_hash(const struct cdn_label *label, uint64_t seed);

/* O(tokens * segment), no allocation. */
bool cdn_label_match(const struct cdn_label *label, cdn_str segment);

#endif
