/*
 * The matcher against the pattern matcher, and both against the oracle.
 *
 * The first line of the input is a path, every other line a rule, '!' in front
 * of those that deny.  All ways of asking must agree, and what is said about a
 * whole subtree must hold for the path in it.
 */
#include <assert.h>

#include "engine/match/normalize.h"
#include "engine/match/pattern.h"
#include "unit/match/rule_set.h"

#define NAIVE_RULE 12UL /* longer rules take the oracle too long */
#define NAIVE_PATH 24UL

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
add_rule(struct rule_set *set, cdn_str line)
{
	bool negated = cdn_str_starts(line, CDN_STR("!"));
	char out[CDN_RULE_MAX + 1];
	size_t n;

	if (set->n == RULE_SET_MAX ||
	    cdn_rule_normalize(cdn_str_from(line, negated), negated, out,
		sizeof(out), &n, NULL) < 0)
		return;
	rule_set_add(set, (cdn_str){ out, n }, 0, negated);
}

/* One rule, by itself. */
static bool
rule_matches(struct rule_set *set, size_t i, cdn_str path)
{
	const struct cdn_match_rule *rule = &set->rules[i];
	struct cdn_pattern pattern;
	bool matches;
	int r;

	r = cdn_pattern_parse(set->arena, rule->pattern, rule->literal,
	    &pattern, NULL);
	assert(r == 0);
	matches = cdn_pattern_match(&pattern, path);
	if (rule->pattern.n <= NAIVE_RULE && path.n <= NAIVE_PATH)
		assert(matches == naive_glob(rule->pattern.p, rule->pattern.n,
		    rule->literal, path.p, path.n));
	return matches;
}

static bool
allows(const struct rule_set *set, int rule)
{
	return rule != CDN_NO_RULE && !set->rules[rule].negated;
}

/* The path lies below each of its own beginnings. */
static void
check_subtrees(const struct rule_set *set, cdn_str path, bool allowed)
{
	for (size_t n = 0; n <= path.n; n++) {
		cdn_str prefix = { path.p, n };
		enum cdn_subtree all;

		if (n > 0 && n < path.n && path.p[n] != '/')
			continue;
		all = cdn_matcher_subtree(set->matcher, prefix);
		assert(all != CDN_SUBTREE_ALLOW || allowed);
		assert(all != CDN_SUBTREE_DENY || !allowed);
	}
}

static void
check_set(struct rule_set *set, cdn_str path)
{
	int last = CDN_NO_RULE;

	if (cdn_matcher_build(set->arena, set->rules, set->n, &set->matcher,
		NULL) < 0)
		return;
	for (size_t i = 0; i < set->n; i++)
		if (rule_matches(set, i, path))
			last = (int)i;
	assert(rule_set_check(set, path) == last);
	check_subtrees(set, path, allows(set, last));
	assert(cdn_matcher_same(set->matcher, path, path));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cdn_str rest = { (const char *)data, size }, line;
	char path[CDN_PATH_MAX + 1];
	struct rule_set set;
	size_t n;

	if (size == 0 || !cdn_str_next(&rest, '\n', &line) ||
	    cdn_path_normalize(line, path, sizeof(path), &n, NULL) < 0)
		return 0;
	rule_set_init(&set);
	while (cdn_str_next(&rest, '\n', &line))
		add_rule(&set, line);
	check_set(&set, (cdn_str){ path, n });
	rule_set_done(&set);
	return 0;
}
