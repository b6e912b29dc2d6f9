/*
 * matcher_plain - paths as rules: no wildcard, but for a final slash and **.
 *
 * Most rules are of this kind, and a session makes hundreds of them before
 * anything else can happen.  They are never cut into tokens: their names go
 * into the draft as they stand there.
 */
#ifndef CDN_MATCH_MATCHER_PLAIN_H
#define CDN_MATCH_MATCHER_PLAIN_H

#include "engine/match/matcher_draft.h"

/*
 * Neighbours often begin with the same names, and these lead to the same nodes:
 * they need not be looked for again.  There are two trails, because the places
 * of the floor come in pairs, from one home and from the other.
 */
#define CDN_TRAIL_MAX 16
#define CDN_TRAILS    2

struct cdn_trail {
	cdn_str path; /* one before */
	size_t n;     /* so many of its leading names */
	size_t age;   /* the higher, the younger */
	struct {
		size_t end; /* of the name, in the path */
		uint32_t node;
	} steps[CDN_TRAIL_MAX];
};

static inline bool
cdn_plain_wildcard(cdn_str text, size_t from, size_t end)
{
	for (size_t i = from; i < end; i++)
		if (text.p[i] == '*' || text.p[i] == '?')
			return true;
	return false;
}

/*
 * How many bytes of the rule's text are a path, with nothing or a final slash
 * and ** behind them (ret_below); 0 when there is more to it.
 */
static inline size_t
cdn_plain_length(const struct cdn_match_rule *rule, bool *ret_below)
{
	cdn_str text = rule->pattern;
	size_t n = text.n;

	*ret_below = rule->below;
	/* the last two stars must not be part of a name */
	if (!rule->below && rule->literal + 2 <= n &&
	    cdn_str_ends(text, CDN_STR("/**"))) {
		*ret_below = true;
		n -= 3;
	}
	if (text.n <= CDN_PATTERN_MAX && (text.n != 1 || text.p[0] != '.') &&
	    !cdn_plain_wildcard(text, rule->literal, n))
		return n;
	*ret_below = rule->below;
	return 0;
}

/* Does the rule match, which is plain? */
bool cdn_plain_match(const struct cdn_kept_rule *rule, cdn_str path);

/* Nothing came before.  What steps hold beyond n is never looked at. */
void cdn_trails_init(struct cdn_trail trails[CDN_TRAILS]);

/* The node behind all names of the path; 0 when one is empty. */
uint32_t cdn_plain_node(struct cdn_draft *draft,
    struct cdn_trail trails[CDN_TRAILS], cdn_str path);

#endif
