/* One pattern, one path: the grammar. */
#include "engine/match/pattern.h"

#include "family.h"
#include "support/tap.h"

static struct cdn_arena *arena;

static bool
matches(cdn_str text, size_t literal, cdn_str path)
{
	struct cdn_pattern pattern;

	if (cdn_pattern_parse(arena, text, literal, &pattern, NULL) < 0)
		cdn_bug("a test pattern does not parse");
	return cdn_pattern_match(&pattern, path);
}

static const struct {
	const char *pattern;
	const char *path;
	bool want;
} globs[] = {
	/* a star stays in its segment and takes dots too */
	{ "*.md", "a.md", true },
	{ "*.md", ".md", true },
	{ "*.md", "a/b.md", false },
	{ "foo/*.rs", "foo/bar.rs", true },
	{ "foo/*.rs", "foo/bar/baz.rs", false },
	{ "a/*/c", "a/b/c", true },
	{ "a/*/c", "a/c", false },
	{ "a/*/c", "a/b/b/c", false },
	{ "*", "", true },
	{ "*", "a", true },
	{ "*", "a/b", false },
	{ "a*b*c", "abc", true },
	{ "a*b*c", "axbxbc", true },
	{ "a*b*c", "axbxb", false },

	/* any number of directories, also none */
	{ "**/.env", ".env", true },
	{ "**/.env", "a/.env", true },
	{ "**/.env", "a/b/.env", true },
	{ "**/.env", "a/b.env", false },
	{ "**/.env.*", ".env.local", true },
	{ "**/*.env.*", "foo/secrets.env.bak", true },
	{ "**/*.env", "Secret.ENV", false },
	{ "**/perf*.rs", "crates/orbit-engine/perf_runner.rs", true },
	{ "**/x", "ax", false },
	{ "**/**/x", "x", true },
	{ "**/**/x", "a/b/c/x", true },
	{ "a/**/b", "a/b", true },
	{ "a/**/b", "a/x/b", true },
	{ "a/**/b", "a/x/y/b", true },
	{ "a/**/b", "ab", false },
	{ "a/**/b", "a/xb", false },
	{ "**/*", "a", true },
	{ "**/*", "a/b", true },
	{ "**/*", "", true },

	/* P/ ** is P and everything below it, also behind wildcards */
	{ "x/**", "x", true },
	{ "x/**", "x/y", true },
	{ "x/**", "x/y/z", true },
	{ "x/**", "xy", false },
	{ "x/**", "", false },
	{ "x/**/**", "x", true },
	{ "**/secrets/**", "secrets/key.txt", true },
	{ "**/secrets/**", "app/config/secrets/key.txt", true },
	{ "**/secrets/**", "app/config/secrets", true },
	{ "**/secrets/**", "app/config/secretsx", false },
	{ "**/node_modules/**", "node_modules/left-pad/index.js", true },
	{ "**/node_modules/**", "packages/ui/node_modules/react/a.js", true },
	{ "**/.git/**", "vendor/dep/.git", true },
	{ "*/dir/**", "top/dir/file.rs", true },
	{ "*/dir/**", "a/b/dir/file.rs", false },
	{ "**/**", "a/b", true },
	{ "*/**", "", true },

	/* ** elsewhere is any run of characters */
	{ "**", "", true },
	{ "**", "a", true },
	{ "**", "a/b", true },
	{ "src/**.rs", "src/a/b.rs", true },
	{ "src/**.rs", "src/.rs", true },
	{ "src/**.rs", "lib/b.rs", false },
	{ "a**b", "ab", true },
	{ "a**b", "a/x/b", true },
	{ "a**b", "axb/xb", true },
	{ "a**b", "a/x", false },
	{ "foo**", "foobar/baz", true },
	{ "foo**", "fo", false },
	{ "a**/b", "ab", true },
	{ "a**/b", "ax/b", true },
	{ "a**/b", "a/x/y/b", true },
	{ "a**/b", "axb", false },
	{ "***", "a/b", true },
	{ "a/***", "a/b/c", true },
	{ "a/***", "a", false },

	/* a question mark is one character, never a slash */
	{ "?", "a", true },
	{ "?", "", false },
	{ "?", "ab", false },
	{ "a?b", "a/b", false },
	{ "src/*.r?", "src/a.rs", true },

	/* ... and a character is one of UTF-8, or a byte that is none */
	{ "\xc3\xa9?", "\xc3\xa9x", true },
	{ "a?c", "a\xc3\xa9" "c", true },
	{ "a??c", "a\xc3\xa9" "c", false },
	{ "a?", "a\xf0\x9f\x98\x80", true },
	{ "a????", "a\xf0\x9f\x98\x80", false },
	{ "*??", "\xe2\x82\xac", false },
	{ "*?", "\xe2\x82\xac", true },
	{ "a?", "a\xff", true },
	{ "a??", "a\xff\xfe", true },
	{ "a?", "a\xff\xfe", false },
	{ "a??", "a\xc3(", true },
	{ "a??", "a\xc0\x80", true },	   /* overlong */
	{ "a???", "a\xed\xa0\x80", true }, /* surrogate */
	{ "a?", "a\xed\xa0\x80", false },
	{ "\xc3*", "\xc3\xa9", true },
	{ "*\xa9", "\xc3\xa9", false }, /* a star takes whole characters */
	{ "**\xa9", "\xc3\xa9", false },
	{ "*\xa9", "\xff\xa9", true },

	/* everything else is itself */
	{ "a+b", "a+b", true },
	{ "a+b", "aab", false },
	{ "(a|b)", "(a|b)", true },
	{ "^a$", "^a$", true },
	{ "a$", "a", false },
	{ "[ab]", "a", false },
	{ "[ab]", "[ab]", true },
	{ "{a,b}", "a", false },
	{ "a.c", "abc", false },
	{ "a*c", "a\nc", true },
	{ "**/.env", "a\nb/.env", true },

	/* the root */
	{ ".", "", true },
	{ ".", "a", false },
	{ "", "", true },
	{ "a", "", false },
};

static void
test_globs(void)
{
	for (size_t i = 0; i < CDN_LEN(globs); i++)
		ok_f(matches(cdn_str_of(globs[i].pattern), 0,
			cdn_str_of(globs[i].path)) == globs[i].want,
		    "'%s' %s '%s'", globs[i].pattern,
		    globs[i].want ? "matches" : "does not match",
		    globs[i].path);
}

static void
test_nul(void)
{
	ok(matches(CDN_STR("a?b"), 0, CDN_STR("a\0b")),
	    "a NUL is a character like any other");
	ok(!matches(CDN_STR("a"), 0, CDN_STR("a\0b")),
	    "and does not end a path");
}

/* A directory whose name looks like a glob, in front of a real one. */
static const struct {
	const char *text;
	size_t literal;
	const char *path;
	bool want;
} literals[] = {
	{ "a*b/**", 3, "a*b", true },
	{ "a*b/**", 3, "a*b/x/y", true },
	{ "a*b/**", 4, "a*b/x", true }, /* the slash counted in */
	{ "a*b/**", 3, "axb/x", false },
	{ "a*b/**", 0, "axb/x", true },
	{ "a?b", 3, "a?b", true },
	{ "a?b", 3, "axb", false },
	{ "a**/x*", 4, "a**/xy", true },
	{ "a**/x*", 4, "a/b/xy", false },
	{ "a/**", 4, "a/**", true },
	{ "a/**", 4, "a/x", false },
	{ "a/**", 3, "a/*x", true }, /* the second star is a star */
	{ "a/**", 3, "a/xx", false },
	{ "a*c*", 2, "a*cx", true },
	{ "a*c*", 2, "axcx", false },
};

static void
test_literals(void)
{
	for (size_t i = 0; i < CDN_LEN(literals); i++)
		ok_f(matches(cdn_str_of(literals[i].text), literals[i].literal,
			cdn_str_of(literals[i].path)) == literals[i].want,
		    "'%s' with %zu bytes literal %s '%s'", literals[i].text,
		    literals[i].literal,
		    literals[i].want ? "matches" : "does not match",
		    literals[i].path);
}

/* What a ** swallows is left out. */
static const struct {
	const char *text;
	const char *kinds; /* l / ? * S(tars) D(irs) B(elow) */
} tokens[] = {
	{ ".", "" },
	{ "", "" },
	{ "a/b", "l/l" },
	{ "a?b*c", "l?l*l" },
	{ "x/**", "lB" },
	{ "x/**/**", "lB" },
	{ "**", "S" },
	{ "***", "S" },
	{ "****", "S" },
	{ "**/**", "S" },
	{ "**/***", "S" },
	{ "**/**/x", "Dl" },
	{ "a/**/**/x", "l/Dl" },
	{ "**/*", "D*" },
	{ "a***", "lS" },
	{ "a****/b", "lSl" },
	{ "a**/**/b", "lDl" },
	{ "a**/**b", "lSl" },
	{ "a**/**", "lS" },
	{ "a***/b", "lS/l" },
};

static void
test_tokens(void)
{
	static const char letters[] = "l/?*SDB"; /* as in the enum */

	for (size_t i = 0; i < CDN_LEN(tokens); i++) {
		struct cdn_pattern pattern = { 0 };
		char kinds[16] = "";
		int r = cdn_pattern_parse(arena, cdn_str_of(tokens[i].text), 0,
		    &pattern, NULL);

		for (size_t j = 0; j < pattern.n && j < 15; j++)
			kinds[j] = letters[pattern.tokens[j].kind];
		ok_f(r == 0 && strcmp(kinds, tokens[i].kinds) == 0,
		    "'%s' is '%s'", tokens[i].text, tokens[i].kinds);
	}
}

static const struct {
	const char *rule;
	const char *covered;
	bool want;
} covers[] = {
	{ "**", "anything/**", true },
	{ "**", ".", true },
	{ "src/**", "src/a", true },
	{ "src/**", "src", true },
	{ "src/**", "src/a/**", true },
	{ "src/**", "src/**", true },
	{ "src/**", "srcs", false },
	{ "src/**", "sr", false },
	{ "src/a", "src/a", true },
	{ "src/*", "src/a", false },
	{ "docs/**", "**/*.md", false },
	{ "a/**", "a/*.rs", true },
	{ "**/a/**", "**/a/b", true },
	{ "**/a/**", "x/a/b", false },
};

static void
test_covers(void)
{
	for (size_t i = 0; i < CDN_LEN(covers); i++)
		ok_f(cdn_rule_covers(cdn_str_of(covers[i].rule),
			cdn_str_of(covers[i].covered)) == covers[i].want,
		    "'%s' %s '%s'", covers[i].rule,
		    covers[i].want ? "covers" : "does not cover",
		    covers[i].covered);
	ok(cdn_rule_is_exact(CDN_STR("src/[a].c")), "no wildcard is exact");
	ok(!cdn_rule_is_exact(CDN_STR("src/?")), "a question mark is not");
	ok(!cdn_rule_is_exact(CDN_STR("src/*")), "a star is not");
}

static void
test_limits(void)
{
	static char text[CDN_PATTERN_MAX + 1];
	struct cdn_pattern pattern;
	struct cordon_error err;

	memset(text, '*', sizeof(text));
	ok(cdn_pattern_parse(arena, (cdn_str){ text, CDN_PATTERN_MAX }, 0,
	       &pattern, &err) == 0, "the longest pattern");
	ok(cdn_pattern_parse(arena, (cdn_str){ text, sizeof(text) }, 0,
	       &pattern, &err) == CORDON_E_INVALID &&
		strstr(err.text, "too long") != NULL, "one byte more");

	memset(text, 'a', sizeof(text));
	ok(matches(CDN_STR("**"), 0, (cdn_str){ text, CDN_PATH_MAX }),
	    "the longest path");
	ok(!matches(CDN_STR("**"), 0, (cdn_str){ text, CDN_PATH_MAX + 1 }),
	    "nothing matches a longer one");
}

/* Would take a matcher that backtracks until the sun goes out. */
static void
test_hostile(void)
{
	static char pattern[CDN_RULE_MAX], path[CDN_PATH_MAX];

	for (size_t i = 0; i < sizeof(pattern); i++)
		pattern[i] = "a**"[i % 3];
	pattern[sizeof(pattern) - 1] = 'b';
	memset(path, 'a', sizeof(path));
	ok(!matches((cdn_str){ pattern, sizeof(pattern) }, 0,
	       (cdn_str){ path, sizeof(path) }), "1365 times a** and no b");
	path[sizeof(path) - 1] = 'b';
	ok(matches((cdn_str){ pattern, sizeof(pattern) }, 0,
	       (cdn_str){ path, sizeof(path) }), "and with a b at the end");
	for (size_t i = 0; i < sizeof(pattern); i++)
		pattern[i] = "**/"[i % 3];
	ok(!matches((cdn_str){ pattern, sizeof(pattern) - 1 }, 0,
	       (cdn_str){ path, sizeof(path) }),
	    "directories without end and no name");
}

/* Every short pattern against every short path. */
static void
test_family(void (*init)(struct family *), const char *what)
{
	static struct family family;
	size_t wrong = 0, pairs = 0, yes = 0;

	init(&family);
	for (size_t i = 0; i < family.pattern_count; i++) {
		cdn_str text = cdn_str_of(family.patterns[i]);

		for (size_t j = 0; j < family.word_count; j++) {
			bool want = family.matches[i][j];

			pairs++;
			yes += want;
			if (matches(text, 0, cdn_str_of(family.words[j])) ==
			    want)
				continue;
			if (wrong++ < 5)
				printf("# '%s' on '%s': not %d\n", text.p,
				    family.words[j], !want);
		}
		if (i % 64 == 0) {
			cdn_arena_free(arena);
			arena = cdn_arena_new();
		}
	}
	ok_f(wrong == 0 && yes > pairs / 200,
	    "%zu pairs of %s, %zu of which match", pairs, what, yes);
}

int
main(void)
{
	arena = cdn_arena_new();
	test_globs();
	test_nul();
	test_literals();
	test_tokens();
	test_covers();
	test_limits();
	test_hostile();
	test_family(family_plain, "letters, dots and slashes");
	test_family(family_utf8, "broken and whole UTF-8");
	cdn_arena_free(arena);
	return done_testing();
}
