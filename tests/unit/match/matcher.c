/* Many rules, one path: the last that matches wins. */
#include "engine/match/matcher.h"
#include "engine/match/pattern.h"

#include "family.h"
#include "rule_set.h"
#include "support/random.h"
#include "support/tap.h"

/* Rules separated by blanks, then what each path's last match is. */
static const struct {
	const char *rules;
	const char *path;
	int want;
} facts[] = {
	{ "", "a", CDN_NO_RULE },
	{ "", "", CDN_NO_RULE },
	{ "src/** src/a !src/** src/b", "src/a", 2 },
	{ "src/** src/a !src/** src/b", "src/b", 3 },
	{ "src/** src/a !src/** src/b", "lib", CDN_NO_RULE },
	{ "src/** !src/gen/** src/gen/keep.c", "src/gen/keep.c", 2 },
	{ "src/** !src/gen/** src/gen/keep.c", "src/gen/x.c", 1 },
	{ "src/** !src/gen/** src/gen/keep.c", "src/x.c", 0 },
	{ "src/** !**/*.env", "src/a/b.env", 1 },
	{ "!**/*.env src/**", "src/a/b.env", 1 },
	{ "** !.git/** .git/hooks/**", ".git/hooks/x", 2 },
	{ "** !.git/** .git/hooks/**", ".git", 1 },
	{ "** !.git/** .git/hooks/**", "", 0 },
	{ ". *", "", 1 },
	{ "* .", "", 1 },
	{ ". a", "", 0 },
	{ "a/b a/*", "a/b", 1 },
	{ "a/* a/b", "a/b", 1 },
	{ "**/a/** **/a", "x/a/a/b", 0 },
	{ "**/a/** **/a", "x/a/b/a", 1 },
	{ "a**b/c a*/c", "axb/c", 1 },
	{ "a*/c a**b/c", "axb/c", 1 },
	{ "a*/c a**b/c", "a/x/b/c", 1 },
	/* what a rule with ** inside a name allows must not help another */
	{ "a**b/c a*b/d", "a/b/d", CDN_NO_RULE },
	{ "a**b/c a*/d", "a/b/c", 0 },
	{ "a**/b x", "ab", 0 },
	{ "a**/b x", "a/x/y/b", 0 },
};

static void
test_facts(void)
{
	for (size_t i = 0; i < CDN_LEN(facts); i++) {
		struct rule_set set;

		rule_set_parse(&set, facts[i].rules);
		ok_f(rule_set_check(&set, cdn_str_of(facts[i].path)) ==
			facts[i].want,
		    "[%s] on '%s': %d", facts[i].rules, facts[i].path,
		    facts[i].want);
		rule_set_done(&set);
	}
}

/* A directory whose name looks like a glob, beside one that is. */
static void
test_literal_prefix(void)
{
	struct rule_set set;

	rule_set_init(&set);
	rule_set_add(&set, CDN_STR("a*/x"), 0, false);
	rule_set_add(&set, CDN_STR("a*/y/**"), 2, false);
	rule_set_build(&set);
	ok(rule_set_check(&set, CDN_STR("a*/y/z")) == 1, "the name itself");
	ok(rule_set_check(&set, CDN_STR("ab/y/z")) == CDN_NO_RULE,
	    "what it would match as a glob");
	ok(rule_set_check(&set, CDN_STR("a*/x")) == 0, "the glob takes both");
	rule_set_done(&set);
}

/* ----- What is below without saying so ----------------------------------- */

/* Two sets: "P/ **" as a text, and P with everything below it. */
static void
make_both(cdn_str text, size_t literal, struct rule_set both[2])
{
	for (size_t i = 0; i < 2; i++) {
		rule_set_init(&both[i]);
		rule_set_add(&both[i], CDN_STR("**"), 0, false);
		rule_set_add(&both[i], text, literal, true);
		rule_set_add(&both[i], CDN_STR("a/b/c"), 0, false);
	}
	both[1].rules[1].pattern.n -= 3;
	both[1].rules[1].below = true;
	rule_set_build(&both[0]);
	rule_set_build(&both[1]);
}

static bool
says_alike(const struct rule_set both[2], cdn_str path)
{
	return rule_set_check(&both[0], path) ==
		rule_set_check(&both[1], path) &&
	    cdn_matcher_rule(both[0].matcher, 1, path) ==
		cdn_matcher_rule(both[1].matcher, 1, path) &&
	    cdn_matcher_subtree(both[0].matcher, path) ==
		cdn_matcher_subtree(both[1].matcher, path);
}

static void
test_below(void)
{
	static const char *const paths[] = { "", "a", "a/b", "a/b/c", "a/bc",
		"a/b/c/d", "a/b/x", "a*", "a*/x", "ab", "ab/x", "b", "b/x" };
	static const struct {
		const char *text;
		size_t literal;
	} rules[] = { { "a/**", 1 }, { "a/b/**", 3 }, { "a*/**", 2 },
		{ "a*/**", 0 }, { "a/b/c/**", 0 }, { "?/**", 0 } };

	for (size_t i = 0; i < CDN_LEN(rules); i++) {
		struct cdn_pattern patterns[2];
		struct rule_set both[2];
		size_t wrong = 0;

		make_both(cdn_str_of(rules[i].text), rules[i].literal, both);
		for (size_t k = 0; k < CDN_LEN(paths); k++)
			wrong += !says_alike(both, cdn_str_of(paths[k]));
		for (size_t k = 0; k < 2; k++)
			wrong += cdn_matcher_pattern(both[k].matcher, 1,
			    both[k].arena, &patterns[k], NULL) != 0;
		ok_f(wrong == 0 &&
			cdn_str_eq(patterns[0].text, patterns[1].text) &&
			patterns[0].n == patterns[1].n,
		    "'%s', %zu bytes of it a name", rules[i].text,
		    rules[i].literal);
		rule_set_done(&both[0]);
		rule_set_done(&both[1]);
	}
}

/* ----- Families ---------------------------------------------------------- */

static const struct family *family;

/* The last of these patterns that matches a word, according to the oracle. */
static int
wanted(const size_t *members, size_t n, size_t word)
{
	for (size_t i = n; i-- > 0;)
		if (family->matches[members[i]][word])
			return (int)i;
	return CDN_NO_RULE;
}

static size_t
count_wrong(const size_t *members, size_t n)
{
	struct rule_set set;
	size_t wrong = 0;

	rule_set_init(&set);
	for (size_t i = 0; i < n; i++)
		rule_set_add(&set, cdn_str_of(family->patterns[members[i]]), 0,
		    i % 3 == 1);
	rule_set_build(&set);
	for (size_t word = 0; word < family->word_count; word++) {
		cdn_str path = cdn_str_of(family->words[word]);
		int got = rule_set_check(&set, path);

		if (got == wanted(members, n, word))
			continue;
		if (wrong++ == 0) {
			printf("# '%s': %d, not %d\n", path.p,
			    wanted(members, n, word), got);
			rule_set_print(&set);
		}
	}
	rule_set_done(&set);
	return wrong;
}

static void
test_alone(const char *what)
{
	size_t wrong = 0;

	for (size_t i = 0; i < family->pattern_count; i++)
		wrong += count_wrong(&i, 1) > 0;
	ok_f(wrong == 0, "%zu patterns of %s, each alone on %zu paths",
	    family->pattern_count, what, family->word_count);
}

static void
test_sets(const char *what)
{
	size_t members[RULE_SET_MAX], wrong = 0, sets = 400 * random_tries();

	for (size_t i = 0; i < sets; i++) {
		size_t n = 1 + random_below(i % 8 == 0 ? RULE_SET_MAX : 12);

		for (size_t j = 0; j < n; j++)
			members[j] = random_below(family->pattern_count);
		wrong += count_wrong(members, n) > 0;
	}
	ok_f(wrong == 0, "%zu sets of %s on %zu paths", sets, what,
	    family->word_count);
}

static void
test_family(void (*init)(struct family *), const char *what)
{
	static struct family members;

	init(&members);
	family = &members;
	test_alone(what);
	test_sets(what);
}

int
main(void)
{
	random_start();
	test_facts();
	test_literal_prefix();
	test_below();
	test_family(family_plain, "letters, dots and slashes");
	test_family(family_utf8, "broken and whole UTF-8");
	return done_testing();
}
