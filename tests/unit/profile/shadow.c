/*
 * shadow against asking the relation for every pair.
 */
#include "engine/profile/shadow.h"

#include "engine/match/pattern.h"
#include "support/engine.h"

static const char *const words[] = {
	"**", "a", "a/**", "a/b", "a/b/**", "a/b/c", "ab", "ab/**", "a*",
	"a*/**", "**/a", "**/a/**", "a-b/**", "a/**/b", ".",
};

static size_t
by_asking(const struct cdn_rules *covers, cdn_str pattern)
{
	for (size_t i = covers->n; i > 0; i--)
		if (cdn_rule_covers(covers->v[i - 1].pattern, pattern))
			return i - 1;
	return CDN_NO_SHADOW;
}

static unsigned long
compare(struct cdn_arena *arena, const struct cdn_rules *covers,
    const struct cdn_rules *asked)
{
	size_t *found = cdn_arena_array(arena, asked->n, sizeof(*found));
	unsigned long wrong = 0;

	need(found != NULL && cdn_shadow_find(arena, covers, asked, found),
	    "memory");
	for (size_t i = 0; i < asked->n; i++)
		wrong += found[i] != by_asking(covers, asked->v[i].pattern);
	return wrong;
}

int
main(void)
{
	unsigned long n = tries(3000), wrong = 0, asked = 0;

	for (unsigned long i = 0; i < n; i++) {
		struct cdn_arena *arena = cdn_arena_new();
		struct cdn_rules a, b;
		char text[256];

		need(arena != NULL, "memory");
		chance_rules(words, CDN_LEN(words), 12, true, text,
		    sizeof(text));
		a = rules_of(arena, text);
		chance_rules(words, CDN_LEN(words), 12, true, text,
		    sizeof(text));
		b = rules_of(arena, text);
		wrong += compare(arena, &a, &b) + compare(arena, &a, &a);
		asked += a.n + b.n;
		cdn_arena_free(arena);
	}
	ok_f(wrong == 0 && asked > n, "%lu rules, %lu wrong", asked, wrong);
	return done_testing();
}
