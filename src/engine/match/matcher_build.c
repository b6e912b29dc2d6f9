#include "engine/match/matcher.h"

#include "engine/match/matcher_draft.h"
#include "engine/match/matcher_freeze.h"
#include "engine/match/matcher_plain.h"

/*
 * From a rule's tokens to nodes and edges, one segment after the other.
 */

static void
mark(struct cdn_draft *draft, uint32_t node, int rule, bool below)
{
	if (draft->error != CDN_DRAFT_OK)
		return;
	/* rules come in order, so this one is the highest so far */
	draft->nodes[node].exact = rule;
	if (below)
		draft->nodes[node].below = rule;
}

/* The index behind the segment that begins at `at`. */
static size_t
segment_end(const struct cdn_pattern *pattern, size_t at)
{
	while (at < pattern->n && pattern->tokens[at].kind != CDN_TOKEN_SLASH &&
	    pattern->tokens[at].kind != CDN_TOKEN_BELOW)
		at++;
	return at;
}

static bool
kind_is(const struct cdn_pattern *pattern, size_t at, enum cdn_token_kind kind)
{
	return at < pattern->n && pattern->tokens[at].kind == kind;
}

/* Is the rest, at the beginning of a segment, one that takes anything? */
static bool
is_anything(const struct cdn_pattern *pattern, size_t at)
{
	if (kind_is(pattern, at, CDN_TOKEN_STARS))
		return at + 1 == pattern->n;
	if (!kind_is(pattern, at, CDN_TOKEN_DIRS) ||
	    !kind_is(pattern, at + 1, CDN_TOKEN_STAR))
		return false;
	return at + 2 == pattern->n ||
	    kind_is(pattern, at + 2, CDN_TOKEN_BELOW);
}

/*
 * Every ** inside the segment from `at` to `end`, but not one that begins it
 * (that is a node which loops, shared by all) and not one that ends the whole
 * pattern (that is a star and everything below).
 */
static size_t
find_joins(struct cdn_draft *draft, const struct cdn_pattern *pattern,
    size_t at, size_t end, size_t joins[CDN_JOINS_MAX])
{
	size_t n = 0;

	for (size_t i = at + 1; i < end; i++) {
		if (!kind_is(pattern, i, CDN_TOKEN_STARS) &&
		    !kind_is(pattern, i, CDN_TOKEN_DIRS))
			continue;
		if (i + 1 == pattern->n && kind_is(pattern, i, CDN_TOKEN_STARS))
			continue;
		if (n == CDN_JOINS_MAX) {
			cdn_draft_fail(draft, CDN_DRAFT_JOINS);
			return 0;
		}
		joins[n++] = i;
	}
	return n;
}

/*
 * The nodes of a segment with ** inside it; see matcher_impl.h.  Piece i of
 * the segment lies before join i; nodes[i] is where piece i may begin a
 * segment of the path, nodes[n + 1] is where the segment is done.
 */
static uint32_t
add_joined(struct cdn_draft *draft, uint32_t node,
    const struct cdn_pattern *pattern, size_t at, size_t end,
    const size_t *joins, size_t n)
{
	const struct cdn_token *tokens = pattern->tokens;
	uint32_t nodes[CDN_JOINS_MAX + 2] = { 0 };

	nodes[0] = node;
	for (size_t i = 1; i <= n + 1; i++)
		nodes[i] = cdn_draft_node(draft, nodes[i - 1], i <= n);
	for (size_t from = 0; from <= n; from++) {
		size_t begin = from == 0 ? at : joins[from - 1];

		/* ** goes on as a star, ** and a slash ends at the slash */
		if (from > 0 && tokens[begin].kind == CDN_TOKEN_DIRS)
			begin++;
		for (size_t to = from; to <= n; to++) {
			size_t stop = to < n ? joins[to] : end;

			if (begin == stop && to == n)
				continue; /* no segment is empty */
			cdn_draft_lead(draft, nodes[from], tokens + begin,
			    stop - begin, to < n, nodes[to + 1]);
		}
	}
	return nodes[n + 1];
}

static uint32_t
add_segment(struct cdn_draft *draft, uint32_t node,
    const struct cdn_pattern *pattern, size_t at, size_t end)
{
	CDN_UNINITIALIZED size_t joins[CDN_JOINS_MAX];
	size_t n = find_joins(draft, pattern, at, end, joins);

	if (kind_is(pattern, at, CDN_TOKEN_STARS))
		node = cdn_draft_dirs(draft, node); /* **x: as ** / *x */
	if (n > 0)
		return add_joined(draft, node, pattern, at, end, joins, n);
	return cdn_draft_child(draft, node, pattern->tokens + at, end - at);
}

/* A name and a slash. */
static bool
is_name(const struct cdn_pattern *pattern, size_t at)
{
	return kind_is(pattern, at, CDN_TOKEN_LITERAL) &&
	    kind_is(pattern, at + 1, CDN_TOKEN_SLASH);
}

/* The node behind the names it begins with; ret_at: the token behind them. */
static uint32_t
add_names(struct cdn_draft *draft, struct cdn_trail *trail,
    const struct cdn_pattern *pattern, size_t *ret_at)
{
	size_t at = 0, n = 0;

	for (; is_name(pattern, at); at += 2)
		n += pattern->tokens[at].text.n + 1;
	*ret_at = at;
	return at == 0 ? 0 : cdn_plain_node(draft, trail,
	    (cdn_str){ pattern->text.p, n - 1 });
}

/* Returns the node where the rule ends; 0 when no path but the root matches. */
static uint32_t
add_pattern(struct cdn_draft *draft, struct cdn_trail *trail,
    const struct cdn_pattern *pattern, int rule)
{
	static const struct cdn_token star = { CDN_TOKEN_STAR, { NULL, 0 } };
	size_t at, end;
	uint32_t node = add_names(draft, trail, pattern, &at);

	for (;;) {
		if (is_anything(pattern, at)) {
			if (at > 0)
				node = cdn_draft_child(draft, node, &star, 1);
			mark(draft, node, rule, true);
			return node;
		}
		if (kind_is(pattern, at, CDN_TOKEN_DIRS)) {
			node = cdn_draft_dirs(draft, node);
			at++;
		}
		end = segment_end(pattern, at);
		if (end == at)
			return 0; /* an empty segment: no path has one */
		node = add_segment(draft, node, pattern, at, end);
		if (!kind_is(pattern, end, CDN_TOKEN_SLASH)) {
			mark(draft, node, rule, end < pattern->n ||
			    kind_is(pattern, end - 1, CDN_TOKEN_STARS));
			return node;
		}
		at = end + 1;
	}
}

static int
explain(enum cdn_draft_error error, cdn_str rule, struct cordon_error *err)
{
	if (rule.n > 200)
		rule.n = 200;
	switch (error) {
	case CDN_DRAFT_OK:
		return 0;
	case CDN_DRAFT_NOMEM:
		break;
	case CDN_DRAFT_NODES:
		return cdn_err(err, CORDON_E_INVALID,
		    "rule '%.*s' is one too many: all rules together have more"
		    " than %lu segments", CDN_STR_ARG(rule), CDN_NODES_MAX);
	case CDN_DRAFT_EDGES:
		return cdn_err(err, CORDON_E_INVALID,
		    "rule '%.*s' is one too many: all rules together need more"
		    " than %lu steps, '**' inside names takes most of them",
		    CDN_STR_ARG(rule), CDN_EDGES_MAX);
	case CDN_DRAFT_JOINS:
		return cdn_err(err, CORDON_E_INVALID,
		    "rule '%.*s' has more than %d '**' inside one segment,"
		    " '*' is enough there or '/**/' is meant",
		    CDN_STR_ARG(rule), CDN_JOINS_MAX);
	}
	return cdn_err_nomem(err);
}

/* What the matcher keeps of the rules themselves. */
struct kept {
	struct cdn_kept_rule *rules;
	bool *negated;
	uint32_t *ends;
};

/* A name at the beginning is no root. */
static bool
may_be_root(const struct cdn_pattern *pattern)
{
	return pattern->n == 0 ||
	    pattern->tokens[0].kind != CDN_TOKEN_LITERAL;
}

/* As add_pattern(). */
static uint32_t
add_plain(struct cdn_draft *draft, struct cdn_trail *trail,
    const struct cdn_kept_rule *rule, int number)
{
	uint32_t node = cdn_plain_node(draft, trail,
	    (cdn_str){ rule->pattern.text.p, rule->plain });

	if (node != 0)
		mark(draft, node, number, rule->below);
	return node;
}

static int
add_rule(struct cdn_draft *draft, struct cdn_arena *arena,
    struct cdn_trail *trail, struct cdn_kept_rule *rule, int number,
    uint32_t *ret_end, struct cordon_error *err)
{
	struct cdn_pattern *pattern = &rule->pattern;
	int r;

	if (rule->plain > 0) {
		*ret_end = add_plain(draft, trail, rule, number);
		return 0;
	}
	if (rule->below && !cdn_pattern_below(arena, &pattern->text))
		return cdn_err_nomem(err);
	r = cdn_pattern_parse(arena, pattern->text, rule->literal, pattern,
	    err);
	if (r < 0)
		return r;
	*ret_end = add_pattern(draft, trail, pattern, number);
	if (draft->error == CDN_DRAFT_OK && may_be_root(pattern) &&
	    cdn_pattern_match(pattern, CDN_STR("")))
		draft->nodes[0].exact = number;
	return 0;
}

static int
add_rules(struct cdn_draft *draft, struct cdn_arena *arena,
    const struct cdn_match_rule *rules, size_t n, struct kept *kept,
    struct cordon_error *err)
{
	CDN_UNINITIALIZED struct cdn_trail trails[CDN_TRAILS];

	cdn_trails_init(trails);
	for (size_t i = 0; i < n; i++) {
		int r;

		kept->negated[i] = rules[i].negated;
		kept->rules[i].pattern.text = rules[i].pattern;
		kept->rules[i].literal = rules[i].literal;
		kept->rules[i].plain = cdn_plain_length(&rules[i],
		    &kept->rules[i].below);
		r = add_rule(draft, arena, trails, &kept->rules[i], (int)i,
		    &kept->ends[i], err);
		if (r < 0)
			return r;
		if (draft->error != CDN_DRAFT_OK)
			return explain(draft->error, rules[i].pattern, err);
	}
	return 0;
}

static int
build(struct cdn_arena *arena, struct cdn_arena *scratch,
    const struct cdn_match_rule *rules, size_t n,
    const struct cdn_matcher **ret, struct cordon_error *err)
{
	struct cdn_matcher *matcher = cdn_arena_alloc(arena, sizeof(*matcher));
	struct cdn_draft draft;
	struct kept kept = {
		cdn_arena_array(arena, n, sizeof(*kept.rules)),
		cdn_arena_array(arena, n, sizeof(*kept.negated)),
		cdn_arena_array(arena, n, sizeof(*kept.ends)),
	};
	int r;

	if (matcher == NULL || kept.rules == NULL || kept.negated == NULL ||
	    kept.ends == NULL)
		return cdn_err_nomem(err);
	cdn_draft_init(&draft, arena, scratch, n);
	r = add_rules(&draft, arena, rules, n, &kept, err);
	if (r < 0)
		return r;
	matcher->kept = kept.rules;
	matcher->negated = kept.negated;
	matcher->ends = kept.ends;
	matcher->rules = n;
	if (draft.error != CDN_DRAFT_OK ||
	    !cdn_matcher_freeze(matcher, arena, &draft))
		return cdn_err_nomem(err);
	*ret = matcher;
	return 0;
}

/* No rules, as many lists have none: one is enough for all of them. */
static const struct cdn_node nothing_nodes[] = { { .exact = CDN_NO_RULE,
    .below = CDN_NO_RULE, .reach = CDN_NO_RULE, .last = CDN_NO_RULE,
    .reach_allow = CDN_NO_RULE, .reach_deny = CDN_NO_RULE } };
static const uint32_t nothing_children[2];

static const struct cdn_matcher nothing = {
	.root = { .below = CDN_NO_RULE },
	.nodes = nothing_nodes,
	.children = nothing_children,
	.child_slots = { .shift = 63, .mask = 1 },
};

int
cdn_matcher_build(struct cdn_arena *arena, const struct cdn_match_rule *rules,
    size_t n, const struct cdn_matcher **ret, struct cordon_error *err)
{
	struct cdn_arena *scratch;
	int r;

	if (n == 0) {
		*ret = &nothing;
		return 0;
	}
	if (n > CDN_RULES_MAX)
		return cdn_err(err, CORDON_E_INVALID,
		    "%zu rules are too many, at most %d are possible", n,
		    CDN_RULES_MAX);
	scratch = cdn_arena_new();
	if (scratch == NULL)
		return cdn_err_nomem(err);
	r = build(arena, scratch, rules, n, ret, err);
	cdn_arena_free(scratch);
	return r;
}
