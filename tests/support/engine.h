/*
 * engine - small policies and lists for tests of the rooms that judge.
 *
 *	struct cdn_rules r = rules_of(arena, "src !src/a");
 *	struct cordon_policy *p = policy_of("denyRead: [\"x\"]\n...");
 *
 * And an oracle: what a list says about a path, word for word, sharing no code
 * with the matcher (naive_glob.h).
 */
#ifndef CDN_TESTS_ENGINE_H
#define CDN_TESTS_ENGINE_H

#include <inttypes.h>

#include "engine/policy/policy.h"
#include "support/naive_glob.h"
#include "support/tap.h"

/* ----- Fixtures ------------------------------------------------------------- */

static inline void
need(bool good, const char *what)
{
	if (good)
		return;
	printf("Bail out! fixture: %s\n", what);
	exit(1);
}

/* One rule; the text must already be normalised. */
static inline struct cdn_rule
rule_of(const char *text)
{
	bool negated = text[0] == '!';

	return (struct cdn_rule){ .text = cdn_str_of(text),
		.pattern = cdn_str_of(text + negated), .negated = negated,
		.pos = { "t.yaml", 1, 1 } };
}

/* Rules separated by single blanks, in the arena; each on a line of its own. */
static inline struct cdn_rules
rules_of(struct cdn_arena *arena, const char *texts)
{
	struct cdn_rules rules = { 0 };
	cdn_str rest = cdn_str_of(texts), part;

	rules.v = cdn_arena_array(arena, rest.n + 1, sizeof(*rules.v));
	need(rules.v != NULL, "memory");
	while (rest.n > 0 && cdn_str_next(&rest, ' ', &part)) {
		const char *text = cdn_arena_dup(arena, part.p, part.n);

		need(text != NULL, "memory");
		rules.v[rules.n] = rule_of(text);
		rules.v[rules.n].pos.line = (unsigned)rules.n + 1;
		rules.n++;
	}
	return rules;
}

/* What stands below "spec:", each line indented by two blanks or more. */
static inline struct cordon_policy *
policy_named(const char *name, const char *spec)
{
	struct cordon_policy *policy = NULL;
	struct cordon_error err;
	char text[16384];
	int n;

	n = snprintf(text, sizeof(text), "schemaVersion: 2\nkind: Policy\n"
	    "metadata: {name: %s}\nspec:\n%s", name, spec);
	need(n > 0 && (size_t)n < sizeof(text), "policy too long");
	if (cdn_policy_parse((cdn_str){ text, (size_t)n }, "t.yaml", NULL,
		&policy, &err) == 0)
		return policy;
	printf("# %s:%u:%u: %s\n", err.source, err.line, err.column, err.text);
	need(false, "policy");
	return NULL;
}

static inline struct cordon_policy *
policy_of(const char *spec)
{
	return policy_named("t", spec);
}

/* ----- The oracle ------------------------------------------------------------- */

/* Index of the last rule that matches, or -1. */
static inline int
naive_last(const struct cdn_rules *rules, const char *path)
{
	int last = -1;

	for (size_t i = 0; i < rules->n; i++)
		if (naive_glob(rules->v[i].pattern.p, rules->v[i].pattern.n, 0,
			path, strlen(path)))
			last = (int)i;
	return last;
}

static inline bool
naive_allows(const struct cdn_rules *rules, const char *path)
{
	int last = naive_last(rules, path);

	return last >= 0 && !rules->v[last].negated;
}

/* ----- Chance, the same every time ---------------------------------------------- */

static uint64_t chance_state = 0x9e3779b97f4a7c15U;

static inline unsigned
chance(unsigned below)
{
	chance_state ^= chance_state << 13;
	chance_state ^= chance_state >> 7;
	chance_state ^= chance_state << 17;
	return (unsigned)((chance_state >> 32) % below);
}

/* How often a random test tries; CORDON_TRIES times as much when set. */
static inline unsigned long
tries(unsigned long n)
{
	const char *more = getenv("CORDON_TRIES");

	return more == NULL ? n : n * strtoul(more, NULL, 10);
}

/* Some of n words, up to `most`, separated by blanks; perhaps negated. */
static inline void
chance_rules(const char *const *words, unsigned n, unsigned most,
    bool negations, char *out, size_t size)
{
	unsigned count = chance(most + 1);
	size_t at = 0;

	out[0] = '\0';
	for (unsigned i = 0; i < count && at < size; i++)
		at += (size_t)snprintf(out + at, size - at, "%s%s%s",
		    i > 0 ? " " : "", negations && chance(3) == 0 ? "!" : "",
		    words[chance(n)]);
	need(at < size, "too many rules");
}

#endif
