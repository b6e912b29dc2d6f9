/*
 * Rule sets that somebody wrote to make the matcher slow, large or wrong.
 * Nothing is timed: a matcher that is not linear does not end.
 */
#include "engine/match/matcher.h"
#include "engine/match/matcher_impl.h"

#include "support/random.h"
#include "support/tap.h"

struct big_set {
	struct cdn_arena *arena;
	struct cdn_match_rule *rules;
	size_t n;
	const struct cdn_matcher *matcher;
};

static void
set_init(struct big_set *set, size_t most)
{
	*set = (struct big_set){ .arena = cdn_arena_new() };
	set->rules = cdn_arena_array(set->arena, most, sizeof(*set->rules));
}

__attribute__((format(printf, 2, 3))) static void
set_add(struct big_set *set, const char *fmt, ...)
{
	static char text[CDN_RULE_MAX + 1];
	struct cdn_match_rule *rule = &set->rules[set->n];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!cdn_arena_str(set->arena, cdn_str_of(text), &rule->pattern))
		cdn_bug("memory");
	rule->negated = set->n % 3 == 1;
	set->n++;
}

static int
set_build(struct big_set *set, struct cordon_error *err)
{
	return cdn_matcher_build(set->arena, set->rules, set->n, &set->matcher,
	    err);
}

/* Rule by rule, by the other matcher. */
static int
ask_each(const struct big_set *set, cdn_str path)
{
	for (size_t i = set->n; i-- > 0;)
		if (cdn_matcher_rule(set->matcher, i, path))
			return (int)i;
	return CDN_NO_RULE;
}

/* Returns the answer; -2 when not all ways of asking agree. */
static int
ask(const struct big_set *set, cdn_str path, bool *ret_gave_up)
{
	int answer = cdn_matcher_check(set->matcher, path), walked;
	struct cdn_cursor cursor;
	size_t at = 0;

	cdn_cursor_root(set->matcher, &cursor);
	for (;;) {
		const char *slash = memchr(path.p + at, '/', path.n - at);
		cdn_str here = path;

		if (slash == NULL)
			break;
		here.n = (size_t)(slash - path.p);
		cdn_cursor_enter(set->matcher, &cursor, here, at, &cursor);
		at = here.n + 1;
	}
	walked = cdn_cursor_check(set->matcher, &cursor, path, at);
	*ret_gave_up = cursor.gave_up;
	if (cursor.gave_up && cdn_cursor_subtree(set->matcher, &cursor, path) !=
	    CDN_SUBTREE_MIXED)
		return -2;
	return answer == walked && answer == ask_each(set, path) ? answer : -2;
}

/* ----- Sets -------------------------------------------------------------- */

static void
letters(struct big_set *set, size_t i)
{
	char a = (char)('a' + i % 26), b = (char)('a' + i / 26 % 26);

	set_add(set, "**/%c*%c*%c*", a, b, (char)('a' + i / 676 % 26));
}

static void
same_letters(struct big_set *set, size_t i)
{
	set_add(set, "**/a*b*c*%zu", i % 100);
}

static void
middles(struct big_set *set, size_t i)
{
	set_add(set, "**/*%c%c%zu*", (char)('a' + i % 26),
	    (char)('a' + i / 26 % 26), i % 10);
}

static void
stairs(struct big_set *set, size_t i)
{
	char text[CDN_RULE_MAX];
	size_t n = 0;

	for (size_t j = 0; j <= i % 200; j++)
		n += (size_t)snprintf(text + n, 8, "**/a/");
	set_add(set, "%s%zu", text, i);
}

static const char many_a[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
static const char many_questions[] = "????????????????????????????????????????"
	"????????????????????";

static void
starry(struct big_set *set, size_t i)
{
	/* each matches the first name of most paths there are below */
	set_add(set, "*%.*s*/x%zu/**", (int)(i % 50), many_a, i / 50);
}

static void
crowd(struct big_set *set, size_t i)
{
	/* all active at once: more than a cursor holds */
	set_add(set, "%.*s*/**/n%zu", (int)(i % 100), many_a, i);
}

static void
joined(struct big_set *set, size_t i)
{
	set_add(set, "a**b**c**d**e**f%zu", i % 500);
}

static void
overlapping(struct big_set *set, size_t i)
{
	set_add(set, "%s/%s/%s%s", i % 2 ? "a" : "*", i / 2 % 2 ? "b" : "?",
	    i / 4 % 2 ? "c*" : "**", i / 8 % 2 ? "/**" : "");
}

static void
questions(struct big_set *set, size_t i)
{
	set_add(set, "**/%.*s", (int)(i % 60 + 1), many_questions);
}

static const struct {
	const char *name;
	void (*add)(struct big_set *set, size_t i);
	size_t rules;
	bool gives_up; /* for one path at least */
} sets[] = {
	{ "x*y*z* anywhere", letters, 10000, false },
	{ "a*b*c* anywhere", same_letters, 10000, false },
	{ "*xyz* anywhere", middles, 10000, false },
	{ "stairs of a", stairs, 1000, true },
	{ "stars around a, then a name", starry, 5000, false },
	{ "a crowd of directories", crowd, 1000, true },
	{ "** in names", joined, 1000, true },
	{ "the same again and again", overlapping, 10000, false },
	{ "questions", questions, 5000, false },
};

/* ----- Paths ------------------------------------------------------------- */

/* Names of no sense, up to about `most` bytes. */
static size_t
babble(char *out, size_t most)
{
	static const char *const bits[] = { "a", "b", "c", "ab", "abc", "a/b/c",
		"aaaaaaaaaaaaaaaa", "a-b-c-7", "x1", "n500", "qrs5", "f17" };
	size_t n = 0;

	while (n + 20 < most) {
		const char *bit = bits[random_below(CDN_LEN(bits))];

		memcpy(out + n, bit, strlen(bit));
		n += strlen(bit);
		if (random_below(2) == 0)
			out[n++] = '/';
	}
	if (n == 0 || out[n - 1] == '/')
		out[n++] = 'a';
	return n;
}

#define TRIES 16

/* `size` bytes at most; TRIES different kinds. */
static size_t
make_path(char *out, size_t size, size_t which)
{
	memset(out, 'a', size);
	switch (which) {
	case 0: /* one name without end */
		return size;
	case 1: /* names without end */
		for (size_t i = 1; i < size; i += 2)
			out[i] = '/';
		return size % 2 == 0 ? size - 1 : size;
	case 2: /* a name that many globs match, and more */
		out[150] = '/';
		out[200] = '/';
		return 210;
	case 3:
		return babble(out, size);
	default:
		return babble(out, 40);
	}
}

static void
test_set(size_t which)
{
	static char path[CDN_PATH_MAX];
	struct big_set set;
	struct cordon_error err;
	size_t wrong = 0, given_up = 0, size;

	set_init(&set, sets[which].rules);
	for (size_t i = 0; i < sets[which].rules; i++)
		sets[which].add(&set, i);
	if (!ok_f(set_build(&set, &err) == 0, "%zu rules: %s", set.n,
		sets[which].name)) {
		printf("# %s\n", err.text);
		return;
	}
	/* the oracle takes rules one by one, and its time */
	size = set.n > 1000 ? 512 : sizeof(path);
	for (size_t i = 0; i < TRIES; i++) {
		size_t n = make_path(path, size, i);
		bool gave_up;

		wrong += ask(&set, (cdn_str){ path, n }, &gave_up) == -2;
		given_up += gave_up;
	}
	ok_f(wrong == 0, "%d paths of up to %zu bytes", TRIES, size);
	ok_f((given_up > 0) == sets[which].gives_up, "%zu times given up",
	    given_up);
	cdn_arena_free(set.arena);
}

/* ----- Limits ------------------------------------------------------------ */

static void
test_joins(void)
{
	char text[128];
	struct big_set set;
	struct cordon_error err;
	size_t n = 0;

	set_init(&set, 2);
	for (int i = 0; i < CDN_JOINS_MAX; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "a**");
	set_add(&set, "x/%sb", text);
	ok(set_build(&set, &err) == 0, "as many ** in a name as may be");
	ok(cdn_matcher_check(set.matcher,
	       CDN_STR("x/aaaa/aaaaaaaaaaaa/q/aaab")) == 0, "and they work");
	set_add(&set, "x/%sa**b", text);
	ok(set_build(&set, &err) == CORDON_E_INVALID &&
		strstr(err.text, "rule 'x/a**a**") != NULL &&
		strstr(err.text, "more than 16 '**' inside") != NULL,
	    "one more is refused, and the rule is named");
	cdn_arena_free(set.arena);
}

static void
test_nodes(void)
{
	static char text[CDN_RULE_MAX];
	struct big_set set;
	struct cordon_error err;

	for (size_t i = 0; i < sizeof(text) - 8; i += 2)
		memcpy(text + i, "a/", 2);
	set_init(&set, 1000);
	for (size_t i = 0; i < 1000; i++)
		set_add(&set, "%zu/%sx", i, text);
	ok(set_build(&set, &err) == CORDON_E_INVALID &&
		strstr(err.text, "is one too many") != NULL &&
		strstr(err.text, "segments") != NULL,
	    "too many segments in all are refused");
	set.n = 100;
	ok(set_build(&set, &err) == 0, "a tenth of them is not");
	cdn_arena_free(set.arena);
}

static void
test_edges(void)
{
	struct big_set set;
	struct cordon_error err;

	set_init(&set, 20000);
	for (size_t i = 0; i < 20000; i++)
		set_add(&set, "%zua**b**c**d**e**f**g**h**i**j**k**l**m**n**o",
		    i);
	ok(set_build(&set, &err) == CORDON_E_INVALID &&
		strstr(err.text, "is one too many") != NULL &&
		strstr(err.text, "steps") != NULL,
	    "too many ** in names in all are refused");
	set.n = 1000;
	ok(set_build(&set, &err) == 0, "a twentieth of them is not");
	cdn_arena_free(set.arena);
}

static void
test_rules(void)
{
	struct big_set set;
	struct cordon_error err;

	set_init(&set, CDN_RULES_MAX + 1);
	for (size_t i = 0; i <= CDN_RULES_MAX; i++)
		set_add(&set, "d%zu/*.c", i);
	ok(set_build(&set, &err) == CORDON_E_INVALID &&
		strstr(err.text, "too many") != NULL, "too many rules");
	set.n--;
	ok(set_build(&set, &err) == 0, "one less will do");
	ok(cdn_matcher_check(set.matcher, CDN_STR("d65535/x.c")) == 65535,
	    "the last of them");
	ok(cdn_matcher_check(set.matcher, CDN_STR("d65536/x.c")) ==
		CDN_NO_RULE, "and the one that is not there");
	cdn_arena_free(set.arena);
}

/* Nothing matches a path that is none, so that it is denied. */
static void
test_long_path(void)
{
	static char path[CDN_PATH_MAX + 1];
	struct cdn_cursor cursor;
	struct big_set set;

	memset(path, 'a', sizeof(path));
	set_init(&set, 1);
	set_add(&set, "**");
	ok(set_build(&set, NULL) == 0 && cdn_matcher_check(set.matcher,
	    (cdn_str){ path, CDN_PATH_MAX }) == 0, "the longest path");
	ok(cdn_matcher_check(set.matcher, (cdn_str){ path, sizeof(path) }) ==
	    CDN_NO_RULE, "a longer one is matched by nothing");
	cdn_cursor_root(set.matcher, &cursor);
	ok(cdn_cursor_check(set.matcher, &cursor,
	       (cdn_str){ path, sizeof(path) }, 10) == CDN_NO_RULE,
	    "nor on the way there");
	cdn_arena_free(set.arena);
}

int
main(void)
{
	random_start();
	for (size_t i = 0; i < CDN_LEN(sets); i++)
		test_set(i);
	test_joins();
	test_nodes();
	test_edges();
	test_rules();
	test_long_path();
	return done_testing();
}
