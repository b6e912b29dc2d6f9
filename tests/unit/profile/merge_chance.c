/*
 * What no merge may do, tried on random policies over a small alphabet.
 *
 *	A workspace never lifts a global deny: what the merged policy allows
 *	to be modified although a global deny hits it, a global exception had
 *	lifted already.
 *
 *	"Not widened" is certain: then the new profile allows nothing that the
 *	old one did not.
 */
#include "engine/profile/profile.h"

#include "engine/profile/widen.h"
#include "support/engine.h"

static const char *const words[] = {
	"**", "a/**", "a", "a/b", "a/b/**", "a/b/c", "a/*", "*/b", "**/c",
	"b/**", "b", "?",
};
static const char *const deny_words[] = {
	"a/**", "**", "a/b/**", "a/b", "**/c", "a/b/c/**", "b/**",
};
static const char *const exception_words[] = {
	"!a/b", "!a/b/**", "!a/b/c", "!a/c/**", "!b/a",
};
static const char *const paths[] = {
	"", "a", "b", "c", "a/a", "a/b", "a/c", "b/a", "b/b", "b/c", "c/a",
	"a/b/a", "a/b/b", "a/b/c", "a/c/a", "a/c/b", "b/a/c", "a/b/c/a",
	"a/b/c/c", "a/b/b/c",
};

static void
chance_denies(char *out, size_t size)
{
	unsigned count = chance(5);
	size_t n = 0;

	out[0] = '\0';
	for (unsigned i = 0; i < count; i++)
		n += (size_t)snprintf(out + n, size - n, "%s%s",
		    i > 0 ? " " : "", i > 0 && chance(2) == 0 ?
			exception_words[chance(CDN_LEN(exception_words))] :
			deny_words[chance(CDN_LEN(deny_words))]);
}

/* A policy in C, as valid as cdn_policy_validate() finds it. */
static void
chance_policy(struct cdn_arena *arena, struct cdn_profile_def *def,
    struct cordon_policy *ret)
{
	static const char *const names[] = { "p", "q" };
	char text[512];

	*ret = (struct cordon_policy){ .arena = arena, .source = "t.yaml",
		.name = CDN_STR("t"), .profiles = def, .profile_count = 1 };
	*def = (struct cdn_profile_def){ .name = cdn_str_of(
		names[chance(2)]) };
	def->rules[CORDON_READ] = rules_of(arena, "**");
	chance_rules(words, CDN_LEN(words), 3, true, text, sizeof(text));
	def->rules[CORDON_MODIFY] = rules_of(arena, text);
	chance_denies(text, sizeof(text));
	ret->deny[CORDON_MODIFY] = rules_of(arena, text);
}

struct tally {
	unsigned long merged;
	unsigned long refused;
	unsigned long invalid;
	unsigned long lifted; /* paths */
	unsigned long wrong;
};

static void
print_policy(const char *what, const struct cordon_policy *policy)
{
	printf("# %s: denyModify", what);
	for (size_t i = 0; i < policy->deny[CORDON_MODIFY].n; i++)
		printf(" %s", policy->deny[CORDON_MODIFY].v[i].text.p);
	printf("\n");
}

static void
check_merged(const struct cordon_policy *global,
    const struct cordon_policy *merged, cdn_str name, struct tally *t)
{
	const struct cdn_rules *denies = &global->deny[CORDON_MODIFY];
	struct cordon_profile *profile = NULL;

	need(cdn_profile_resolve(merged, name, CDN_RESOLVE_DENIES_ONLY,
		 &profile, NULL) == 0, "resolve");
	for (size_t i = 0; i < CDN_LEN(paths); i++) {
		int hit = naive_last(denies, paths[i]);
		bool allowed = cdn_rule_set_judge(
		    &profile->sets[CORDON_MODIFY],
		    cdn_str_of(paths[i])).allowed;

		if (!allowed || hit < 0)
			continue;
		t->lifted++;
		if (denies->v[hit].negated)
			continue;
		if (t->wrong++ < 5)
			printf("# '%s' is allowed\n", paths[i]);
	}
	cdn_profile_free(profile);
}

static void
try_merge(struct tally *t)
{
	struct cdn_arena *a = cdn_arena_new(), *b = cdn_arena_new();
	struct cdn_profile_def global_def, local_def;
	struct cordon_policy global, local, *merged = NULL;
	unsigned long before = t->wrong;
	int code;

	need(a != NULL && b != NULL, "memory");
	chance_policy(a, &global_def, &global);
	chance_policy(b, &local_def, &local);
	if (cdn_policy_validate(&global, NULL, NULL) != 0 ||
	    cdn_policy_validate(&local, NULL, NULL) != 0) {
		t->invalid++;
		goto out;
	}
	code = cdn_policy_merge(&global, &local, NULL, &merged, NULL);
	if (code != 0) {
		t->refused++;
		goto out;
	}
	t->merged++;
	check_merged(&global, merged, CDN_STR("p"), t);
	check_merged(&global, merged, CDN_STR("unrestricted"), t);
	if (t->wrong != before) {
		print_policy("global", &global);
		print_policy("workspace", &local);
		print_policy("merged", merged);
	}
	cdn_policy_free(merged);
out:
	cdn_arena_free(a);
	cdn_arena_free(b);
}

static void
test_denies(void)
{
	struct tally t = { 0 };
	unsigned long n = tries(20000);

	for (unsigned long i = 0; i < n && t.wrong < 20; i++)
		try_merge(&t);
	ok_f(t.merged > n / 20 && t.refused > n / 100,
	    "%lu merged, %lu refused, %lu not valid", t.merged, t.refused,
	    t.invalid);
	ok_f(t.lifted > 100, "%lu paths lifted by exceptions", t.lifted);
	ok_f(t.wrong == 0, "no global deny lifted by a workspace (%lu)",
	    t.wrong);
}

static void
test_widens(void)
{
	unsigned long n = tries(20000), certain = 0, wrong = 0;

	for (unsigned long i = 0; i < n && wrong < 20; i++) {
		struct cdn_arena *arena = cdn_arena_new();
		struct cdn_profile_def old = { 0 }, new = { 0 };
		char before[256], after[256];

		need(arena != NULL, "memory");
		chance_rules(words, CDN_LEN(words), 3, true, before,
		    sizeof(before));
		chance_rules(words, CDN_LEN(words), 3, true, after,
		    sizeof(after));
		old.rules[CORDON_MODIFY] = rules_of(arena, before);
		new.rules[CORDON_MODIFY] = rules_of(arena, after);
		for (size_t k = 0; k < CDN_LEN(paths) &&
		    !cdn_profile_widens(&old, &new); k++) {
			certain += k == 0;
			if (!naive_allows(&new.rules[CORDON_MODIFY],
				paths[k]) ||
			    naive_allows(&old.rules[CORDON_MODIFY], paths[k]))
				continue;
			wrong++;
			printf("# [%s] -> [%s] widens at '%s'\n", before,
			    after, paths[k]);
		}
		cdn_arena_free(arena);
	}
	ok_f(certain > n / 50, "%lu of %lu are surely not wider", certain, n);
	ok_f(wrong == 0, "and none of them is (%lu)", wrong);
}

int
main(void)
{
	test_denies();
	test_widens();
	return done_testing();
}
