/* One spelling for every rule and every path. */
#include "engine/match/normalize.h"

#include "support/tap.h"

#define OUTSIDE "must stay inside the workspace root"

struct fact {
	const char *given;
	const char *want; /* NULL: refused */
	const char *says; /* the error's text contains this */
};

static const struct fact paths[] = {
	{ "a", "a", NULL },
	{ "a/b", "a/b", NULL },
	{ ".", "", NULL },
	{ "./", "", NULL },
	{ "././", "", NULL },
	{ "./.", "", NULL },
	{ "./a", "a", NULL },
	{ "././a", "a", NULL },
	{ " a ", "a", NULL },
	{ "\t\r\n\v\fa b\n", "a b", NULL },
	{ "a\\b", "a/b", NULL },
	{ ".\\a", "a", NULL },
	{ "secret/./key.txt", "secret/key.txt", NULL },
	{ "secret//key.txt", "secret/key.txt", NULL },
	{ "a/", "a", NULL },
	{ "a///", "a", NULL },
	{ "a/.", "a", NULL },
	{ "a/.//./b", "a/b", NULL },
	{ "..foo", "..foo", NULL },
	{ "a/..b", "a/..b", NULL },
	{ "a/...", "a/...", NULL },
	{ "a~", "a~", NULL },
	{ "~bob", "~bob", NULL },
	{ "a/~", "a/~", NULL },
	{ "./ a", " a", NULL }, /* trimmed once, before anything else */
	{ "\xff\xfe", "\xff\xfe", NULL },

	{ "", NULL, "path must not be empty" },
	{ " ", NULL, "path must not be empty" },
	{ " \t\n", NULL, "path must not be empty" },
	{ "/", NULL, "path '/' " OUTSIDE },
	{ "/a", NULL, "path '/a' " OUTSIDE },
	{ " /a", NULL, OUTSIDE },
	{ "\\a", NULL, OUTSIDE },
	{ "//a", NULL, OUTSIDE },
	{ ".//a", NULL, OUTSIDE },
	{ ".//etc", NULL, "path './/etc' " OUTSIDE },
	{ "././/a", NULL, OUTSIDE },
	{ ".\\/a", NULL, OUTSIDE },
	{ "~", NULL, OUTSIDE },
	{ "~/a", NULL, OUTSIDE },
	{ "~\\a", NULL, OUTSIDE },
	{ "./~", NULL, OUTSIDE },
	{ "./~/x", NULL, OUTSIDE },
	{ "..", NULL, OUTSIDE },
	{ "../escape", NULL, OUTSIDE },
	{ "./..", NULL, OUTSIDE },
	{ "a/..", NULL, OUTSIDE },
	{ "a/../b", NULL, OUTSIDE },
	{ "a/../", NULL, OUTSIDE },
	{ "..\\a", NULL, OUTSIDE },
	{ "a\\..\\b", NULL, OUTSIDE },
};

static const struct fact rules[] = {
	{ "src/**", "src/**", NULL },
	{ " src/** ", "src/**", NULL },
	{ "src\\**", "src/**", NULL },
	{ "./", ".", NULL },
	{ ".", ".", NULL },
	{ "./**", "**", NULL },
	{ "src/", "src", NULL },
	{ "src/./foo", "src/foo", NULL },
	{ "src//foo", "src/foo", NULL },
	{ "..foo/**", "..foo/**", NULL },
	{ "!x", "!x", NULL }, /* the second ! of !!x is part of the name */
	{ "", NULL, "contains an empty path rule" },
	{ "  ", NULL, "contains an empty path rule" },
	{ "../x", NULL, "rule '../x' " OUTSIDE },
	{ "..", NULL, OUTSIDE },
	{ "..\\x", NULL, OUTSIDE },
	{ "a/../b", NULL, OUTSIDE },
	{ "/etc/**", NULL, OUTSIDE },
	{ ".//etc", NULL, OUTSIDE },
	{ "~", NULL, OUTSIDE },
	{ "~/x", NULL, OUTSIDE },
	{ "./~/x", NULL, OUTSIDE },
};

/* Bodies behind a !, which are not trimmed again. */
static const struct fact negated[] = {
	{ "src/**", "src/**", NULL },
	{ " src", " src", NULL },
	{ "", NULL, "contains an empty path rule" },
	{ "/etc", NULL, "rule '/etc' " OUTSIDE },
	{ " /etc", " /etc", NULL }, /* a directory named by a blank */
	{ "./", ".", NULL },
};

enum kind { PATH, RULE, NEGATED };

static int
normalize(enum kind kind, cdn_str given, char *out, size_t size, size_t *n,
    struct cordon_error *err)
{
	if (kind == PATH)
		return cdn_path_normalize(given, out, size, n, err);
	return cdn_rule_normalize(given, kind == NEGATED, out, size, n, err);
}

static void
test_facts(enum kind kind, const char *noun, const struct fact *facts,
    size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct fact *fact = &facts[i];
		cdn_str given = cdn_str_of(fact->given);
		struct cordon_error err = { .code = 1 };
		char out[64];
		size_t n = 4711;
		int r = normalize(kind, given, out, given.n + 1, &n, &err);

		if (fact->want != NULL)
			ok_f(r == 0 && n == strlen(fact->want) &&
				strcmp(out, fact->want) == 0 && err.code == 1,
			    "%s '%s' is '%s'", noun, fact->given, fact->want);
		else
			ok_f(r == CORDON_E_INVALID && err.code == r &&
				n == 4711 &&
				strstr(err.text, fact->says) != NULL,
			    "%s '%s' is refused: %s", noun, fact->given,
			    fact->says);
	}
}

static void
test_limits(enum kind kind, const char *noun, size_t most)
{
	static char given[CDN_PATH_MAX + CDN_RULE_MAX + 2];
	static char out[sizeof(given)];
	struct cordon_error err;
	size_t n = 0;

	memset(given, 'a', sizeof(given));
	ok_f(normalize(kind, (cdn_str){ given, most }, out, most + 1, &n,
	      &err) == 0 && n == most, "the longest %s", noun);
	ok_f(normalize(kind, (cdn_str){ given, most + 1 }, out, most + 1, &n,
	      &err) == CORDON_E_INVALID && strstr(err.text, "too long") != NULL,
	    "a longer %s is refused, whatever the buffer", noun);
	given[0] = '/';
	ok_f(normalize(kind, (cdn_str){ given, most }, out, most + 1, &n,
	      &err) == CORDON_E_INVALID && strstr(err.text, OUTSIDE) != NULL,
	    "a long %s does not push the reason out of the text", noun);
	ok_f(normalize(kind, CDN_STR("a\0b"), out, sizeof(out), &n, &err) ==
	    CORDON_E_INVALID && strstr(err.text, "NUL") != NULL,
	    "a NUL in a %s is refused", noun);
	ok_f(normalize(kind, CDN_STR(".."), out, sizeof(out), &n, NULL) ==
	    CORDON_E_INVALID, "nobody need want the reason for a %s", noun);
}

int
main(void)
{
	test_facts(PATH, "path", paths, CDN_LEN(paths));
	test_facts(RULE, "rule", rules, CDN_LEN(rules));
	test_facts(NEGATED, "negated rule", negated, CDN_LEN(negated));
	test_limits(PATH, "path", CDN_PATH_MAX);
	test_limits(RULE, "rule", CDN_RULE_MAX);
	return done_testing();
}
