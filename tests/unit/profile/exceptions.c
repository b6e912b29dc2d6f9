/*
 * An exception of denyModify never creates authority: whatever the list with
 * denies and exceptions allows, the rules of the profile alone allow.  Tried
 * on random lists over a small alphabet, against a matcher of its own.
 */
#include "engine/profile/profile.h"

#include "support/engine.h"

static const char *const own_words[] = {
	"**", "a/**", "a", "a/b", "a/b/**", "a/b/c", "a/b/c/**", "a/*", "a/?",
	"*/b", "*/b/**", "*/*/c", "**/c", "**/c/**", "**/b/c", "a/**/c",
	"a/b/*", "a**", "**c", "a/b**c", "?/**", "b/**", ".",
};

static const char *const deny_words[] = {
	"a/**", "**", "a/b/**", "a/b", "**/c", "a/b/c/**",
};

static const char *const exception_words[] = {
	"!a/b", "!a/b/**", "!a/b/c", "!a/b/c/**", "!a/c/**", "!b/a", "!.",
};

#define NAMES 3
#define DEPTH 4

static char paths[256][2 * DEPTH + 1];
static size_t path_count;

/* Every path over a, b, c, up to four names, the root included. */
static void
make_paths(const char *prefix, size_t depth)
{
	snprintf(paths[path_count++], sizeof(paths[0]), "%s", prefix);
	for (int i = 0; depth > 0 && i < NAMES; i++) {
		char path[2 * DEPTH + 2];

		snprintf(path, sizeof(path), "%s%s%c", prefix,
		    prefix[0] == '\0' ? "" : "/", 'a' + i);
		make_paths(path, depth - 1);
	}
}

/* A deny first, then denies and exceptions. */
static void
chance_denies(char *out, size_t size)
{
	unsigned more = 1 + chance(3);
	size_t n;

	n = (size_t)snprintf(out, size, "%s",
	    deny_words[chance(CDN_LEN(deny_words))]);
	while (more-- > 0)
		n += (size_t)snprintf(out + n, size - n, " %s", chance(3) > 0 ?
		    exception_words[chance(CDN_LEN(exception_words))] :
		    deny_words[chance(CDN_LEN(deny_words))]);
}

struct tally {
	unsigned long checked;	/* paths */
	unsigned long wrong;	/* allowed, though the profile does not */
	unsigned long lifted;	/* denied, then excepted, profile allows */
	unsigned long given;	/* and given back */
	unsigned long exact_missed; /* by an exact exception, not given back */
	unsigned long deny_lost; /* denied last, allowed all the same */
};

static void
check_one(const struct cordon_profile *profile, const struct cdn_rules *own,
    const struct cdn_rules *denies, const char *path, struct tally *t)
{
	int deny = naive_last(denies, path);
	bool profile_allows = naive_allows(own, path);
	bool allowed = cdn_rule_set_judge(&profile->sets[CORDON_MODIFY],
	    cdn_str_of(path)).allowed;
	bool lifted = deny >= 0 && denies->v[deny].negated;

	t->checked++;
	t->wrong += allowed && !profile_allows;
	t->deny_lost += allowed && deny >= 0 && !lifted;
	if (deny < 0 && allowed != profile_allows)
		t->wrong++; /* nobody denied anything here */
	if (!lifted || !profile_allows)
		return;
	t->lifted++;
	t->given += allowed;
	t->exact_missed += !allowed &&
	    !cdn_str_ends(denies->v[deny].pattern, CDN_STR("/**"));
}

static void
try_one(struct tally *t)
{
	struct cdn_arena *arena = cdn_arena_new();
	struct cdn_profile_def def = { .name = CDN_STR("p") };
	struct cordon_policy policy = { .arena = arena, .source = "t.yaml",
		.name = CDN_STR("t"), .profiles = &def, .profile_count = 1 };
	struct cordon_profile *profile = NULL;
	unsigned long before = t->wrong + t->deny_lost + t->exact_missed;
	char own[256], denies[256];

	need(arena != NULL, "memory");
	chance_rules(own_words, CDN_LEN(own_words), 4, true, own, sizeof(own));
	chance_denies(denies, sizeof(denies));
	def.rules[CORDON_MODIFY] = rules_of(arena, own);
	policy.deny[CORDON_MODIFY] = rules_of(arena, denies);
	need(cdn_profile_resolve(&policy, def.name, CDN_RESOLVE_STRICT,
		 &profile, NULL) == 0, "resolve");
	for (size_t i = 0; i < path_count; i++)
		check_one(profile, &def.rules[CORDON_MODIFY],
		    &policy.deny[CORDON_MODIFY], paths[i], t);
	if (t->wrong + t->deny_lost + t->exact_missed != before)
		printf("# modify '%s' denyModify '%s'\n", own, denies);
	cdn_profile_free(profile);
	cdn_arena_free(arena);
}

int
main(void)
{
	struct tally t = { 0 };
	unsigned long n = tries(6000);

	make_paths("", DEPTH);
	for (unsigned long i = 0; i < n && t.wrong + t.deny_lost < 20; i++)
		try_one(&t);
	ok_f(t.checked > 100000, "%lu questions about %lu lists", t.checked,
	    n);
	ok_f(t.wrong == 0, "no authority out of nothing (%lu)", t.wrong);
	ok_f(t.deny_lost == 0, "a deny that comes last holds (%lu)",
	    t.deny_lost);
	ok_f(t.exact_missed == 0, "an exact exception gives back all (%lu)",
	    t.exact_missed);
	ok_f(t.lifted > 1000 && t.given * 2 > t.lifted,
	    "and what was granted mostly comes back: %lu of %lu", t.given,
	    t.lifted);
	return done_testing();
}
