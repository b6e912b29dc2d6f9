/*
 * Random rules on random paths, made of names that have something to do with
 * each other.  CORDON_TRIES times 50 000 pairs.
 */
#include "engine/match/matcher.h"
#include "engine/match/pattern.h"

#include "rule_set.h"
#include "support/random.h"
#include "support/tap.h"

#define PATHS_PER_SET 50

static const char *const globs[] = { "a", "b", "ab", "ba", "aab", ".a", ".git",
	"node_modules", "a-rather-long-name-of-a-file", "*", "*", "a*", "*a",
	"*b", "a*b", "*a*", "*ab*", "?", "a?", "?b", "*.c", "*.h", "x.*", "?*",
	"*?", "a*b*c", "*a*b*", "*-long-name*", "a-rather*", "*of-a-file",
	"\xc3\xa9", "*\xc3\xa9*", "\xc3*", "*\xa9", "?\xe2\x82\xac",
	"node_modules*", "*node*mod*" };
/* these have slashes in them, so to speak */
static const char *const wild[] = { "**", "**", "**", "a**", "**a", "a**b",
	"**a**", "***", "a**b**c", "x**.c", "**/**", "a**/b", "?**?" };
static const char *const names[] = { "a", "b", "ab", "ba", "aab", "abc", "axb",
	".a", ".git", "node_modules", "node_modules2", "x.c", "x.h", "a.c",
	"a-rather-long-name-of-a-file", "a-rather-long-name-of-a-fil",
	"another-rather-long-name-of-a-file", "\xc3\xa9", ("a\xc3\xa9" "b"),
	"\xe2\x82\xac", "\xc3", "\xa9", "c", "abab", "my-node-module", "*", "a*",
	"**" };

#define PICK(list) ((list)[random_below(CDN_LEN(list))])

struct text {
	char bytes[512];
	size_t n;
};

static void
append(struct text *text, const char *more)
{
	size_t n = strlen(more);

	memcpy(text->bytes + text->n, more, n + 1);
	text->n += n;
}

/* Many have no wildcard at all, as most rules of people. */
static void
make_rule(struct text *rule)
{
	size_t segments = 1 + random_below(4);
	bool plain = random_below(3) == 0;

	rule->n = 0;
	for (size_t i = 0; i < segments; i++) {
		if (i > 0)
			append(rule, "/");
		append(rule, plain ? PICK(names) :
		    random_below(4) == 0 ? PICK(wild) : PICK(globs));
	}
	if (random_below(3) == 0)
		append(rule, "/**");
}

static void
make_path(struct text *path)
{
	size_t segments = random_below(6);

	path->n = 0;
	for (size_t i = 0; i < segments; i++) {
		if (i > 0)
			append(path, "/");
		append(path, PICK(names));
	}
}

static void
make_set(struct rule_set *set)
{
	size_t n = 1 + random_below(random_below(4) == 0 ? RULE_SET_MAX : 10);
	struct text rule;

	rule_set_init(set);
	for (size_t i = 0; i < n; i++) {
		make_rule(&rule);
		rule_set_add(set, (cdn_str){ rule.bytes, rule.n },
		    random_below(3) == 0 ? random_below(rule.n + 1) : 0,
		    random_below(3) == 0);
	}
	rule_set_build(set);
}

/* Each rule by the pattern matcher, and by itself, as well; -2: they differ. */
static int
ask_patterns(struct rule_set *set, cdn_str path)
{
	int last = CDN_NO_RULE;

	for (size_t i = 0; i < set->n; i++) {
		struct cdn_pattern pattern;
		bool matches;

		if (cdn_matcher_pattern(set->matcher, i, set->arena, &pattern,
			NULL) < 0)
			cdn_bug("a random pattern does not parse");
		matches = cdn_pattern_match(&pattern, path);
		if (matches != cdn_matcher_rule(set->matcher, i, path))
			return -2;
		if (matches)
			last = (int)i;
	}
	return last;
}

static bool
try_path(struct rule_set *set, cdn_str path, int *ret_answer)
{
	int want = rule_set_naive(set, path);
	int got = rule_set_check(set, path);
	int each = ask_patterns(set, path);

	*ret_answer = want;
	if (got == want && each == want)
		return true;
	printf("# '%.*s': %d, not %d, one by one %d\n", CDN_STR_ARG(path), want,
	    got, each);
	rule_set_print(set);
	return false;
}

int
main(void)
{
	size_t pairs = 50000 * random_tries(), wrong = 0, hits = 0;

	random_start();
	for (size_t done = 0; done < pairs && wrong < 5;) {
		struct rule_set set;

		make_set(&set);
		for (size_t i = 0; i < PATHS_PER_SET; i++, done++) {
			struct text path;
			int answer;

			make_path(&path);
			wrong += !try_path(&set,
			    (cdn_str){ path.bytes, path.n }, &answer);
			hits += answer != CDN_NO_RULE;
		}
		rule_set_done(&set);
	}
	ok_f(wrong == 0, "%zu random rule sets and paths", pairs);
	ok_f(hits > pairs / 4 && hits < pairs, "%zu of which match", hits);
	return done_testing();
}
