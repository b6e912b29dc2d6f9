/* A matcher whose memory runs out, once at each place. */
#include "engine/match/matcher.h"

#include "support/chaos.h"

static const char *const patterns[] = { "src/**", "**/*.env", "a/*/c", "**",
	"docs/*.md", "**/node_modules/**", "a**b**c/d", "x**/y", "*a*/b",
	"**/*a*", "**/*bcd*", "**/pre*", "**/*suf", "**/p?e", "**/*.c",
	"**/*.h", "**/??", "**/[a]*", "." };

#define RULES 400 /* enough for every table to grow */

struct case_ {
	struct cdn_match_rule rules[RULES];
	char text[RULES][32];
	size_t n;
};

/* Returns as chaos_run() wants it: 1 when something was wrong. */
static int
build(void *arg)
{
	struct case_ *c = arg;
	struct cdn_arena *arena = cdn_arena_new();
	const struct cdn_matcher *matcher = NULL;
	struct cordon_error err = { 0 };
	int r;

	if (arena == NULL)
		return CORDON_E_NOMEM;
	r = cdn_matcher_build(arena, c->rules, c->n, &matcher, &err);
	if (r == 0 && cdn_matcher_check(matcher, CDN_STR("src/a/b")) < 0)
		r = 1;
	else if (r < 0 && (matcher != NULL || err.code != r))
		r = 2;
	cdn_arena_free(arena);
	return r;
}

int
main(void)
{
	static struct case_ c;

	for (size_t i = 0; i < CDN_LEN(patterns); i++)
		c.rules[c.n++].pattern = cdn_str_of(patterns[i]);
	chaos_run("one rule of each kind", build, &c, 0);
	while (c.n < RULES) {
		snprintf(c.text[c.n], sizeof(c.text[c.n]), "d%zu/e%zu*/**",
		    c.n % 50, c.n);
		c.rules[c.n].pattern = cdn_str_of(c.text[c.n]);
		c.n++;
	}
	chaos_run("many rules", build, &c, 0);
	return done_testing();
}
