/*
 * Whole subtrees at once: subtree() and same() may be in doubt, but when they
 * are sure, every path must bear them out.
 */
#include "engine/match/matcher.h"

#include "family.h"
#include "rule_set.h"
#include "support/random.h"
#include "support/tap.h"

static const char *const subtree_names[] = {
	[CDN_SUBTREE_MIXED] = "mixed",
	[CDN_SUBTREE_ALLOW] = "allow",
	[CDN_SUBTREE_DENY] = "deny",
};

/* ----- Facts ------------------------------------------------------------- */

static const struct {
	const char *rules;
	const char *path;
	enum cdn_subtree want;
} subtrees[] = {
	{ "", "", CDN_SUBTREE_DENY },
	{ "", "a", CDN_SUBTREE_DENY },
	{ "**", "", CDN_SUBTREE_ALLOW },
	{ "**/*", "", CDN_SUBTREE_ALLOW },
	{ "**/*", "a", CDN_SUBTREE_ALLOW },
	{ "src/**", "", CDN_SUBTREE_MIXED },
	{ "src/**", "src", CDN_SUBTREE_ALLOW },
	{ "src/**", "src/a/b", CDN_SUBTREE_ALLOW },
	{ "src/**", "lib", CDN_SUBTREE_DENY },
	{ "src/**/*", "src/a", CDN_SUBTREE_ALLOW },
	{ "src/**/*", "src", CDN_SUBTREE_MIXED }, /* not src itself */
	{ "src/*", "src/a", CDN_SUBTREE_MIXED },  /* nothing below a */
	{ "src/*", "src/a/b", CDN_SUBTREE_DENY },
	{ "src/** !src/secret.txt", "src", CDN_SUBTREE_MIXED },
	{ "src/** !src/secret.txt", "src/lib", CDN_SUBTREE_ALLOW },
	{ "src/** !src/gen/**", "src/gen", CDN_SUBTREE_DENY },
	{ "src/** !src/gen/**", "src/gen/x", CDN_SUBTREE_DENY },
	{ "src/** !src/gen/** src/gen/a", "src/gen", CDN_SUBTREE_MIXED },
	/* a rule that a later one overrides everywhere does not matter */
	{ "!src/gen/** src/**", "src", CDN_SUBTREE_ALLOW },
	{ "src/gen/** !src/**", "src", CDN_SUBTREE_DENY },
	/* two rules of one mind */
	{ "src/** src/a/** src/*.c", "src", CDN_SUBTREE_ALLOW },
	{ "!src/** !**/*.env", "src", CDN_SUBTREE_DENY },
	{ "** !**/*.env", "src", CDN_SUBTREE_MIXED },
	{ "a**b/** x", "a/q", CDN_SUBTREE_MIXED },
	{ "a**b/** x", "x", CDN_SUBTREE_MIXED },
	{ "a**b/** x", "axb", CDN_SUBTREE_ALLOW },
	{ "a**b/** x", "y", CDN_SUBTREE_DENY },
};

static const struct {
	const char *rules;
	const char *p, *q;
	bool want;
} sames[] = {
	{ "**", "a", "b", true },
	{ "", "a", "b/c", true },
	{ "src/**", "src", "lib", false },
	{ "src/** lib/**", "src", "lib", true },
	{ "src/** lib/**", "src", "lib/x/y", true },
	{ "** !**/*.env", "src", "lib", true },
	{ "** !**/*.env", "src", "lib/x.env", false },
	{ "** !**/*.env", "src.env", "lib.env", true },
	{ "src/** lib/** !**/*.env", "src", "lib", true },
	{ "src/** lib/** !**/*.env !src/gen/**", "src", "lib", false },
	{ "src/** lib/** !**/*.env !src/gen/**", "src/gen", "lib", false },
	{ "src/** lib/** !**/*.env !src/gen/**", "src/x", "lib", true },
	{ "src/** !src/gen/** lib/** !**/*.env", "src/x", "lib", true },
	/* only at src does the .env rule lose */
	{ "lib/** !**/*.env src/**", "src", "lib", false },
	{ "lib/** !**/*.env src/** !**/*.key", "src", "lib", false },
	{ "** !.git/hooks/**", ".git", "g2", false },
	{ "** !.git/hooks/**", ".github", "g2", true },
	{ "** !.git/hooks/**", ".git/hooks", "g2", false },
	{ "** !.git/hooks/**", ".git/hooks", ".git/hooks/x", true },
	{ "** !*/secret/**", "a", "b", true },
	{ "** !*/secret/**", "a", "b/c", false },
	{ "** !*/secret/**", "a/x", "b/c/d", true },
	{ "a/b", "a", "c", false },
	{ "a/b", "a", "a", true },
	{ "a/b", "", "", true },
	{ "**/*.c !**/*.h", "x", "y/z", true },
	{ "!a**b/** **", "x", "a", true },
	{ "** !a**b/**", "x", "a", false },
};

/* The rule that a link at the path would lead away from. */
static const struct {
	const char *rules;
	const char *path;
	int want;
} guards[] = {
	{ "", "a", CDN_NO_RULE },
	{ "**", "a", CDN_NO_RULE },
	{ "** !**/*.env", "a/b", CDN_NO_RULE },
	{ "** !**.env !**e/f", "a/b", CDN_NO_RULE },
	{ "** !**.env !**e/f", "a/be", 2 },
	{ "** !a/b", "a", 1 },
	{ "** !a/b", "a/b", CDN_NO_RULE },
	{ "** !a/b", "b", CDN_NO_RULE },
	{ "** !a/b a/**", "a", CDN_NO_RULE },
	{ "** a/** !a/b", "a", 2 },
	{ "** !a/*/c", "a/x", 1 },
	{ "** !a/*/c", "a/x/y", CDN_NO_RULE },
	{ "** !a/**/c", "a/x/y", 1 },
	{ "** !*/c !*/*/d", "x", 2 },
	{ "** !**/g/**/c", "x/y", CDN_NO_RULE },
	{ "** !**/g/**/c", "x/g", 1 },
	{ "** !**/g/**/c", "x/g/y/z", 1 },
	{ "** !**/g", "x/g", CDN_NO_RULE },
	{ "** !a**b/c", "a/x", 1 },
	{ "** !a**b/c", "x", CDN_NO_RULE },
};

static void
test_guards(void)
{
	struct rule_set set;

	for (size_t i = 0; i < CDN_LEN(guards); i++) {
		int got;

		rule_set_parse(&set, guards[i].rules);
		got = cdn_matcher_guard(set.matcher, cdn_str_of(guards[i].path));
		if (!ok_f(got == guards[i].want, "[%s] a link at '%s': %d",
			guards[i].rules, guards[i].path, guards[i].want))
			printf("# got %d\n", got);
		rule_set_done(&set);
	}
}

static void
test_facts(void)
{
	struct rule_set set;

	for (size_t i = 0; i < CDN_LEN(subtrees); i++) {
		enum cdn_subtree got;

		rule_set_parse(&set, subtrees[i].rules);
		got = cdn_matcher_subtree(set.matcher,
		    cdn_str_of(subtrees[i].path));
		ok_f(got == subtrees[i].want, "[%s] below '%s': %s",
		    subtrees[i].rules, subtrees[i].path,
		    subtree_names[subtrees[i].want]);
		rule_set_done(&set);
	}
	for (size_t i = 0; i < CDN_LEN(sames); i++) {
		cdn_str p = cdn_str_of(sames[i].p), q = cdn_str_of(sames[i].q);

		rule_set_parse(&set, sames[i].rules);
		ok_f(cdn_matcher_same(set.matcher, p, q) == sames[i].want &&
			cdn_matcher_same(set.matcher, q, p) == sames[i].want,
		    "[%s] '%s' and '%s' are %s", sames[i].rules, p.p, q.p,
		    sames[i].want ? "the same" : "not the same");
		rule_set_done(&set);
	}
}

/* ----- Brute force ------------------------------------------------------- */

static struct family family;
static size_t members[12], member_count;
static bool verdicts[FAMILY_WORDS]; /* of the members, for each word */

static void
make_set(struct rule_set *set)
{
	member_count = 1 + random_below(CDN_LEN(members));
	rule_set_init(set);
	for (size_t i = 0; i < member_count; i++) {
		members[i] = random_below(family.pattern_count);
		rule_set_add(set, cdn_str_of(family.patterns[members[i]]), 0,
		    random_below(2) == 0);
	}
	rule_set_build(set);
	for (size_t word = 0; word < family.word_count; word++) {
		verdicts[word] = false;
		for (size_t i = 0; i < member_count; i++)
			if (family.matches[members[i]][word])
				verdicts[word] = !set->rules[i].negated;
	}
}

static bool
is_below(const char *word, const char *prefix)
{
	size_t n = strlen(prefix);

	return n == 0 || (strncmp(word, prefix, n) == 0 &&
	    (word[n] == '\0' || word[n] == '/'));
}

/* What all short paths together say. */
static enum cdn_subtree
brute_subtree(const char *prefix)
{
	bool seen[2] = { false, false };

	for (size_t i = 0; i < family.word_count; i++)
		if (is_below(family.words[i], prefix))
			seen[verdicts[i]] = true;
	if (seen[0] && seen[1])
		return CDN_SUBTREE_MIXED;
	return seen[1] ? CDN_SUBTREE_ALLOW : CDN_SUBTREE_DENY;
}

static bool
allows(const struct rule_set *set, cdn_str path)
{
	int rule = rule_set_naive(set, path);

	return rule != CDN_NO_RULE && !set->rules[rule].negated;
}

/* The same for two prefixes; `deep` paths below each are tried. */
static bool
brute_same(const struct rule_set *set, const char *p, const char *q,
    size_t deep)
{
	if (allows(set, cdn_str_of(p)) != allows(set, cdn_str_of(q)))
		return false;
	for (size_t i = 1; i < deep; i++) {
		char a[2 * FAMILY_LETTERS], b[2 * FAMILY_LETTERS];

		snprintf(a, sizeof(a), "%s%s%s", p, *p == '\0' ? "" : "/",
		    family.words[i]);
		snprintf(b, sizeof(b), "%s%s%s", q, *q == '\0' ? "" : "/",
		    family.words[i]);
		if (allows(set, cdn_str_of(a)) != allows(set, cdn_str_of(b)))
			return false;
	}
	return true;
}

/* Words are in order of length, so the first ones are the short ones. */
#define SHORT 12
#define DEEP  60

static void
test_subtree(size_t sets)
{
	size_t wrong = 0, uniform = 0, sure = 0, mixed = 0;

	for (size_t i = 0; i < sets; i++) {
		struct rule_set set;

		make_set(&set);
		for (size_t j = 0; j < SHORT; j++) {
			const char *prefix = family.words[j];
			enum cdn_subtree want = brute_subtree(prefix);
			enum cdn_subtree got = cdn_matcher_subtree(set.matcher,
			    cdn_str_of(prefix));

			uniform += want != CDN_SUBTREE_MIXED;
			mixed += want == CDN_SUBTREE_MIXED;
			sure += got != CDN_SUBTREE_MIXED;
			if (got == want || got == CDN_SUBTREE_MIXED)
				continue;
			printf("# below '%s': %s, not %s\n", prefix,
			    subtree_names[want], subtree_names[got]);
			rule_set_print(&set);
			wrong++;
		}
		rule_set_done(&set);
	}
	ok_f(wrong == 0, "no subtree of %zu is said to be what it is not",
	    sets * SHORT);
	ok_f(mixed > 0 && sure * 100 > uniform * 75,
	    "%zu of %zu uniform ones are known to be so", sure, uniform);
}

static void
test_same(size_t sets)
{
	size_t wrong = 0, alike = 0, sure = 0, different = 0;

	for (size_t i = 0; i < sets; i++) {
		struct rule_set set;

		make_set(&set);
		for (size_t j = 0; j < SHORT; j++) {
			const char *p = family.words[random_below(SHORT)];
			const char *q = family.words[j];
			bool want = brute_same(&set, p, q, DEEP);
			bool got = cdn_matcher_same(set.matcher, cdn_str_of(p),
			    cdn_str_of(q));

			alike += want;
			different += !want;
			sure += got;
			if (!got || want)
				continue;
			printf("# '%s' and '%s' differ\n", p, q);
			rule_set_print(&set);
			wrong++;
		}
		rule_set_done(&set);
	}
	ok_f(wrong == 0, "no pair of %zu is said to be alike that differs",
	    sets * SHORT);
	ok_f(different > 0 && sure * 100 > alike * 75,
	    "%zu of %zu that are alike are known to be so", sure, alike);
}

int
main(void)
{
	random_start();
	test_facts();
	test_guards();
	family_plain(&family);
	test_subtree(1500 * random_tries());
	test_same(300 * random_tries());
	return done_testing();
}
