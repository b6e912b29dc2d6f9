#include "engine/match/matcher.h"

#include "engine/match/matcher_impl.h"

/*
 * Questions about everything below a place at once.  They are answered from
 * the reach of the active nodes, so an answer may be "in doubt" although a
 * longer look would have found one.
 */

static bool
allows(const struct cdn_matcher *matcher, int rule)
{
	return rule != CDN_NO_RULE && !matcher->negated[rule];
}

void
cdn_cursor_at(const struct cdn_matcher *matcher, cdn_str path,
    struct cdn_cursor *ret)
{
	size_t at;

	if (path.n == 0) {
		cdn_cursor_root(matcher, ret);
		return;
	}
	at = cdn_cursor_go(matcher, path, ret);
	cdn_cursor_enter(matcher, ret, path, at, ret);
}

/* rule: the one that decides for the place itself. */
static enum cdn_subtree
subtree_at(const struct cdn_matcher *matcher, const struct cdn_cursor *cursor,
    int rule)
{
	bool allowed = allows(matcher, cursor->below);

	if (cursor->gave_up || allows(matcher, rule) != allowed)
		return CDN_SUBTREE_MIXED;
	for (uint32_t i = 0; i < cursor->count; i++) {
		const struct cdn_node *node = &matcher->nodes[cursor->nodes[i]];

		if ((allowed ? node->reach_deny : node->reach_allow) >
		    cursor->below)
			return CDN_SUBTREE_MIXED;
	}
	return allowed ? CDN_SUBTREE_ALLOW : CDN_SUBTREE_DENY;
}

enum cdn_subtree
cdn_cursor_subtree(const struct cdn_matcher *matcher,
    const struct cdn_cursor *cursor, cdn_str path)
{
	if (cursor->gave_up)
		return CDN_SUBTREE_MIXED;
	return subtree_at(matcher, cursor, cdn_matcher_check(matcher, path));
}

/* One way to the directory serves for the place and for what lies below it. */
enum cdn_subtree
cdn_matcher_subtree(const struct cdn_matcher *matcher, cdn_str prefix)
{
	CDN_UNINITIALIZED struct cdn_cursor cursor;
	size_t at;
	int rule;

	if (prefix.n == 0) {
		cdn_cursor_root(matcher, &cursor);
		return cdn_cursor_subtree(matcher, &cursor, prefix);
	}
	at = cdn_cursor_go(matcher, prefix, &cursor);
	if (cursor.gave_up)
		return CDN_SUBTREE_MIXED;
	rule = cdn_cursor_pass(matcher, prefix, at, &cursor);
	if (prefix.n > CDN_PATH_MAX)
		rule = CDN_NO_RULE;
	return subtree_at(matcher, &cursor, rule);
}

enum cdn_subtree
cdn_cursor_entry(const struct cdn_matcher *matcher,
    const struct cdn_cursor *dir, cdn_str path, size_t name_at)
{
	struct cdn_cursor cursor = *dir;
	int rule;

	if (cursor.gave_up)
		return CDN_SUBTREE_MIXED;
	rule = cdn_cursor_pass(matcher, path, name_at, &cursor);
	if (path.n > CDN_PATH_MAX)
		rule = CDN_NO_RULE;
	return subtree_at(matcher, &cursor, rule);
}

/* ----- Guard ------------------------------------------------------------- */

static int
last_deny(const struct cdn_matcher *matcher)
{
	for (size_t i = matcher->rules; i-- > 0;)
		if (matcher->negated[i])
			return (int)i;
	return CDN_NO_RULE;
}

/* What is denied below already, unless it is so everywhere. */
static int
settled_deny(const struct cdn_matcher *matcher, const struct cdn_cursor *cursor,
    bool whole)
{
	struct cdn_cursor root;

	if (cursor->below == CDN_NO_RULE || !matcher->negated[cursor->below])
		return CDN_NO_RULE;
	cdn_cursor_at(matcher, CDN_STR(""), &root);
	return whole || root.below != cursor->below ? cursor->below :
						      CDN_NO_RULE;
}

int
cdn_matcher_guard(const struct cdn_matcher *matcher, cdn_str path)
{
	bool whole = path.n == 0; /* then all rules are about what lies there */
	uint32_t anywhere = matcher->nodes[0].dirs; /* 0: no such rule */
	struct cdn_cursor cursor;
	int guard;

	cdn_cursor_at(matcher, path, &cursor);
	if (cursor.gave_up)
		return last_deny(matcher);
	guard = settled_deny(matcher, &cursor, whole);
	for (uint32_t i = 0; i < cursor.count; i++) {
		int rule = matcher->nodes[cursor.nodes[i]].reach_deny;

		if ((whole || cursor.nodes[i] != anywhere) &&
		    rule > cursor.below && rule > guard)
			guard = rule;
	}
	return guard;
}

/* ----- Same -------------------------------------------------------------- */

static bool
contains(const struct cdn_cursor *cursor, uint32_t node)
{
	for (uint32_t i = 0; i < cursor->count; i++)
		if (cursor->nodes[i] == node)
			return true;
	return false;
}

/* Is every node that still matters at `a` active at `b` too? */
static bool
is_within(const struct cdn_matcher *matcher, const struct cdn_cursor *a,
    const struct cdn_cursor *b)
{
	for (uint32_t i = 0; i < a->count; i++)
		if (matcher->nodes[a->nodes[i]].reach > a->below &&
		    !contains(b, a->nodes[i]))
			return false;
	return true;
}

/* Can the rule be met below the cursor? */
static bool
is_reachable(const struct cdn_matcher *matcher,
    const struct cdn_cursor *cursor, int rule)
{
	uint32_t node = matcher->ends[rule];

	/* a node that is active itself has been left behind, unless it loops,
	 * and no rule ends in one that does */
	while (node != 0) {
		node = matcher->nodes[node].parent;
		if (contains(cursor, node))
			return true;
	}
	return false;
}

/*
 * With the same nodes on both sides the verdicts differ only where a rule is
 * met that overrides the lower `below` and not the higher one, and says
 * something else.
 */
static bool
is_settled_alike(const struct cdn_matcher *matcher, const struct cdn_cursor *a,
    const struct cdn_cursor *b)
{
	int low = a->below < b->below ? a->below : b->below;
	int high = a->below < b->below ? b->below : a->below;
	bool allowed = allows(matcher, high);

	if (allows(matcher, low) != allowed)
		return false;
	for (int rule = low + 1; rule < high; rule++)
		if (allows(matcher, rule) != allowed &&
		    is_reachable(matcher, a, rule))
			return false;
	return true;
}

bool
cdn_matcher_same(const struct cdn_matcher *matcher, cdn_str p, cdn_str q)
{
	enum cdn_subtree at_p = cdn_matcher_subtree(matcher, p);
	struct cdn_cursor a, b;

	if (cdn_str_eq(p, q))
		return true;
	if (at_p != CDN_SUBTREE_MIXED)
		return at_p == cdn_matcher_subtree(matcher, q);
	if (allows(matcher, cdn_matcher_check(matcher, p)) !=
	    allows(matcher, cdn_matcher_check(matcher, q)))
		return false;
	cdn_cursor_at(matcher, p, &a);
	cdn_cursor_at(matcher, q, &b);
	return !a.gave_up && !b.gave_up && is_within(matcher, &a, &b) &&
	    is_within(matcher, &b, &a) && is_settled_alike(matcher, &a, &b);
}
