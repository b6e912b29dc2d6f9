/*
 * rule_set - rules, their matcher, and a check that asks it in every way.
 */
#ifndef CDN_TESTS_RULE_SET_H
#define CDN_TESTS_RULE_SET_H

#include "engine/match/matcher.h"
#include "support/naive_glob.h"

#define RULE_SET_MAX 100

struct rule_set {
	struct cdn_arena *arena;
	struct cdn_match_rule rules[RULE_SET_MAX];
	size_t n;
	const struct cdn_matcher *matcher;
};

static inline void
rule_set_init(struct rule_set *set)
{
	set->arena = cdn_arena_new();
	set->n = 0;
}

static inline void
rule_set_done(struct rule_set *set)
{
	cdn_arena_free(set->arena);
}

static inline void
rule_set_add(struct rule_set *set, cdn_str pattern, size_t literal,
    bool negated)
{
	cdn_str text;

	if (set->n == RULE_SET_MAX ||
	    !cdn_arena_str(set->arena, pattern, &text))
		cdn_bug("no room in a rule set");
	set->rules[set->n++] =
	    (struct cdn_match_rule){ text, literal, negated };
}

static inline void
rule_set_build(struct rule_set *set)
{
	struct cordon_error err;

	if (cdn_matcher_build(set->arena, set->rules, set->n, &set->matcher,
		&err) < 0)
		cdn_bug(err.text);
}

/* Rules separated by single blanks, '!' in front of negated ones. */
static inline void
rule_set_parse(struct rule_set *set, const char *text)
{
	cdn_str rest = cdn_str_of(text), part;

	rule_set_init(set);
	while (rest.n > 0 && cdn_str_next(&rest, ' ', &part)) {
		bool negated = cdn_str_starts(part, CDN_STR("!"));

		rule_set_add(set, cdn_str_from(part, negated), 0, negated);
	}
	rule_set_build(set);
}

static inline void
rule_set_print(const struct rule_set *set)
{
	for (size_t i = 0; i < set->n; i++)
		printf("#   %zu %s'%.*s'\n", i,
		    set->rules[i].negated ? "not " : "",
		    CDN_STR_ARG(set->rules[i].pattern));
}

/* The last rule that matches, walking there name by name. */
static inline int
rule_set_walk(const struct rule_set *set, cdn_str path)
{
	struct cdn_cursor cursor, copy;
	size_t at = 0;

	cdn_cursor_root(set->matcher, &cursor);
	for (;;) {
		const char *slash = memchr(path.p + at, '/', path.n - at);
		cdn_str here = path;

		if (slash == NULL)
			return cdn_cursor_check(set->matcher, &cursor, path,
			    at);
		here.n = (size_t)(slash - path.p);
		copy = cursor;
		cdn_cursor_enter(set->matcher, &copy, here, at, &cursor);
		at = here.n + 1;
	}
}

/*
 * The path is copied to a place of exactly its size, so that AddressSanitizer
 * sees a byte too many.
 */
static inline int
rule_set_check(const struct rule_set *set, cdn_str path)
{
	char *copy = malloc(path.n > 0 ? path.n : 1);
	cdn_str own = { copy, path.n };
	int answer, walked;

	if (copy == NULL)
		cdn_bug("memory");
	if (path.n > 0)
		memcpy(copy, path.p, path.n);
	answer = cdn_matcher_check(set->matcher, own);
	walked = path.n == 0 ? answer : rule_set_walk(set, own);
	free(copy);
	if (answer != walked) {
		printf("# '%.*s': check %d, walk %d\n", CDN_STR_ARG(path),
		    answer, walked);
		return -2;
	}
	return answer;
}

/* The same according to the oracle. */
static inline int
rule_set_naive(const struct rule_set *set, cdn_str path)
{
	for (size_t i = set->n; i-- > 0;)
		if (naive_glob(set->rules[i].pattern.p, set->rules[i].pattern.n,
			set->rules[i].literal, path.p, path.n))
			return (int)i;
	return CDN_NO_RULE;
}

#endif
