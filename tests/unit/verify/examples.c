/*
 * From a pattern to paths at its boundary.
 */
#include "enforce/verify/probe.h"

#include "base/str.h"
#include "support/tap.h"

static char found[4096];

static void
add(const char *path, void *arg)
{
	size_t n = strlen(found);

	(void)arg;
	snprintf(found + n, sizeof(found) - n, "%s%s", n > 0 ? " " : "", path);
}

static const struct {
	const char *pattern, *dir, *want;
} rows[] = {
	/* The pattern as it is, one byte more, one less; for each choice. */
	{ "a", "", "a ax a ax" },
	{ "src/main.c", "", "src/main.c src/main.cx src/ain.c src/main.c "
			    "src/main.cx src/ain.c" },
	{ "**/*.env", "", "T.env T.envx .env T/T.env T/T.envx T/.env" },
	{ "**/*.env", "d/e", "T.env T.envx .env T/T.env T/T.envx T/.env "
			     "d/e/T.env d/e/T.envx d/e/.env" },
	{ "secrets/**", "", "secrets secretsx ecrets secrets/T secrets/Tx" },
	{ "a/**/b", "", "a/b a/bx a/T/b a/T/bx" },
	{ "?.c", "", "x.c x.cx .c x.c x.cx .c" },
	{ "a**b", "", "aTb aTbx Tb aTb aTbx Tb" },
	{ "**", "", "T Tx" },
	{ ".", "", "" },
	{ "/abs/dir", "", "/abs/dir /abs/dirx /abs/ir /abs/dir /abs/dirx "
			  "/abs/ir" },
	{ "..x", "", "..x ..xx .x ..x ..xx .x" },
};

/* Whatever comes out, no name of it is "..": it would lead elsewhere. */
static bool
has_parent(const char *paths)
{
	return strstr(paths, "/../") != NULL || strstr(paths, "/.. ") != NULL;
}

static void
test_rows(void)
{
	for (size_t i = 0; i < CDN_LEN(rows); i++) {
		found[0] = '\0';
		cdn_examples(cdn_str_of(rows[i].pattern), "T", rows[i].dir,
		    add, NULL);
		if (!ok_f(strcmp(found, rows[i].want) == 0,
			"examples of '%s'", rows[i].pattern))
			printf("# got    %s\n# wanted %s\n", found,
			    rows[i].want);
		ok_f(!has_parent(found), "none of '%s' leads up",
		    rows[i].pattern);
	}
}

/* The first of each choice is one that the pattern matches. */
static void
check_match(const char *path, void *arg)
{
	const char *pattern = arg;

	if (found[0] == '\0')
		ok_f(cordon_glob_match(pattern, path, strlen(path), NULL) == 1,
		    "'%s' matches '%s'", pattern, path);
	found[0] = 'x';
}

static void
test_matches(void)
{
	static char patterns[][16] = { "a", "a/b", "**/*.env", "a/**",
		"a/**/b", "*/x", "?", "a*b/c", "**/b/**", "*.lock" };

	for (size_t i = 0; i < CDN_LEN(patterns); i++) {
		found[0] = '\0';
		cdn_examples(cdn_str_of(patterns[i]), "T", "", check_match,
		    patterns[i]);
	}
}

/* What does not fit is no example. */
static void
test_long(void)
{
	static char longest[CDN_PATH_MAX + 2];

	memset(longest, 'a', sizeof(longest) - 1);
	found[0] = '\0';
	cdn_examples(cdn_str_of(longest), "T", "", add, NULL);
	ok(found[0] == '\0', "longer than a path can be");
}

int
main(void)
{
	test_rows();
	test_matches();
	test_long();
	return done_testing();
}
