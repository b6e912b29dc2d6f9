/* The sorted walk says what asking every pair would say. */
#include "engine/match/pattern.h"
#include "engine/policy/cover.h"

#include "support/tap.h"

#define RULES 24
#define TRIES 20000

/* Pieces that collide: names that begin alike, bytes around '/'. */
static const char *const pieces[] = { "a", "b", "a-", "a.", "ab", "**", "*",
	"a!", "a0" };

static uint32_t seed = 1;

static unsigned
pick(unsigned n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % n;
}

struct some {
	char text[RULES][64];
	struct cdn_rule v[RULES];
	struct cdn_rules rules;
};

static void
make(struct some *some)
{
	some->rules = (struct cdn_rules){ some->v, pick(RULES + 1) };
	for (size_t i = 0; i < some->rules.n; i++) {
		unsigned depth = 1 + pick(4);
		size_t n = 0;

		for (unsigned k = 0; k < depth; k++)
			n += (size_t)snprintf(some->text[i] + n,
			    sizeof(some->text[i]) - n, "%s%s",
			    k == 0 ? "" : "/", pieces[pick(CDN_LEN(pieces))]);
		some->v[i] = (struct cdn_rule){
			.pattern = { some->text[i], n },
			.negated = pick(3) == 0,
		};
	}
}

static size_t
by_pairs(const struct cdn_rules *covers, cdn_str asked, bool strict)
{
	for (size_t i = 0; i < covers->n; i++)
		if (!covers->v[i].negated &&
		    cdn_rule_covers(covers->v[i].pattern, asked) &&
		    !(strict && cdn_str_eq(covers->v[i].pattern, asked)))
			return i;
	return CDN_NOT_COVERED;
}

static bool
agree(const struct cdn_rules *covers, const struct cdn_rules *asked,
    bool negated, bool strict, size_t *covered)
{
	struct cdn_arena *arena = cdn_arena_new();
	size_t got[RULES];
	bool same = arena != NULL &&
	    cdn_cover_find(arena, covers, asked, negated, strict, got);

	for (size_t i = 0; same && i < asked->n; i++) {
		size_t want = CDN_NOT_COVERED;

		if (asked->v[i].negated == negated)
			want = by_pairs(covers, asked->v[i].pattern, strict);
		if (want != CDN_NOT_COVERED)
			++*covered;
		if (want != got[i]) {
			printf("# '%s': wanted %zd, got %zd\n",
			    asked->v[i].pattern.p, (ssize_t)want,
			    (ssize_t)got[i]);
			same = false;
		}
	}
	cdn_arena_free(arena);
	return same;
}

int
main(void)
{
	static struct some a, b;
	size_t covered = 0, strictly = 0;
	bool same = true;

	for (int i = 0; i < TRIES && same; i++) {
		make(&a);
		make(&b);
		same = agree(&a.rules, &b.rules, false, false, &covered) &&
		    agree(&a.rules, &a.rules, true, true, &strictly);
	}
	ok_f(same, "%d random lists", TRIES);
	ok_f(covered > TRIES, "%zu rules were covered", covered);
	ok_f(strictly > TRIES, "%zu exceptions were strictly contained",
	    strictly);
	return done_testing();
}
