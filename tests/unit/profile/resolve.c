/*
 * The effective profile: lookup, order, denies, exceptions, exec, roots.
 */
#include "engine/profile/profile.h"

#include "support/engine.h"

static const char *const op_names[] = { "read", "modify", "exec" };

/* "rule !rule ..." as the profile walks them. */
static const char *
spell(const struct cdn_rules *rules)
{
	static char out[4096];
	size_t n = 0;

	out[0] = '\0';
	for (size_t i = 0; i < rules->n; i++)
		n += (size_t)snprintf(out + n, sizeof(out) - n, "%s%s%s",
		    i > 0 ? " " : "", rules->v[i].negated ? "!" : "",
		    rules->v[i].pattern.p);
	return out;
}

/* clang-format off */
static const struct {
	const char *what;
	const char *spec;
	const char *name;
	const char *want[CDN_RULE_OPS]; /* NULL = not looked at */
	bool defined;
} rows[] = {
	{ "rules keep their order, normalised",
	  "  fsProfiles:\n"
	  "    p: {read: [\"./**\", \"!b//c\", \"./a/./b/\"], modify: [\"a/b\"]}\n",
	  "p", { "** !b/c a/b", "a/b", "** !b/c a/b" }, true },
	{ "denies are negated rules at the end",
	  "  denyRead: [\"x\", \"y/**\"]\n"
	  "  denyModify: [\"z\"]\n"
	  "  fsProfiles:\n"
	  "    p: {read: [\"**\", \"!q\"], modify: [\"**\"]}\n",
	  "p", { "** !q !x !y/**", "** !z", "** !q !x !y/**" }, true },
	{ "exec that was not said is what is readable, then denyExec",
	  "  denyRead: [\"x\"]\n"
	  "  denyExec: [\"bin/**\"]\n"
	  "  fsProfiles:\n"
	  "    p: {read: [\"src/**\"]}\n",
	  "p", { "src/** !x", "", "src/** !x !bin/**" }, true },
	{ "exec that was said has its own rules and denyExec only",
	  "  denyRead: [\"x\"]\n"
	  "  denyExec: [\"bin/**\"]\n"
	  "  fsProfiles:\n"
	  "    p: {read: [\"src/**\"], exec: [\"tools/*\"]}\n",
	  "p", { "src/** !x", "", "tools/* !bin/**" }, true },
	{ "an empty exec list is a list",
	  "  fsProfiles:\n"
	  "    p: {read: [\"**\"], exec: []}\n",
	  "p", { "**", "", "" }, true },
	{ "unrestricted exists when nobody wrote it",
	  "  denyRead: [\"x\"]\n"
	  "  denyModify: [\"y\"]\n",
	  "unrestricted", { "** !x", "** !y", "** !x" }, false },
	{ "a real one takes its place",
	  "  denyRead: [\"x\"]\n"
	  "  fsProfiles: {unrestricted: {read: [\"docs/**\"]}}\n",
	  "unrestricted", { "docs/** !x", "", "docs/** !x" }, true },

	/* Exceptions of denyModify. */
	{ "an exception gives back what the profile grants",
	  "  denyModify: [\"a/**\", \"!a/b/**\", \"!a/c\"]\n"
	  "  fsProfiles: {p: {read: [\"**\"], modify: [\"**\"]}}\n",
	  "p", { NULL, "** !a/** a/b/** a/c", NULL }, true },
	{ "not what it does not",
	  "  denyModify: [\"a/**\", \"!a/b/**\", \"!a/c\"]\n"
	  "  fsProfiles: {p: {read: [\"**\"], modify: [\"d/**\"]}}\n",
	  "p", { NULL, "d/** !a/**", NULL }, true },
	{ "rules of the profile inside it come again, in order",
	  "  denyModify: [\"a/**\", \"!a/b/**\"]\n"
	  "  fsProfiles: {p: {read: [\"**\"], modify: [\"**\", "
	      "\"!a/b/c/**\", \"a/b/c/d\", \"e\"]}}\n",
	  "p", { NULL, "** !a/b/c/** a/b/c/d e !a/** "
	      "a/b/** !a/b/c/** a/b/c/d", NULL }, true },
	{ "only those inside, when nothing covers it",
	  "  denyModify: [\"a/**\", \"!a/b/**\"]\n"
	  "  fsProfiles: {p: {read: [\"**\"], modify: [\"a/b/c\"]}}\n",
	  "p", { NULL, "a/b/c !a/** a/b/c", NULL }, true },
	{ "what a later rule took away stays away",
	  "  denyModify: [\"a/**\", \"!a/b/**\"]\n"
	  "  fsProfiles: {p: {read: [\"**\"], modify: [\"a/b/c\", "
	      "\"!a/**\", \"a/b/d\"]}}\n",
	  "p", { NULL, "a/b/c !a/** a/b/d !a/** a/b/d", NULL }, true },
	{ "a negation that only overlaps it is cut to it",
	  "  denyModify: [\"a/**\", \"!a/b/**\"]\n"
	  "  fsProfiles: {p: {read: [\"**\"], modify: [\"**\", \"!**/*.env\", "
	      "\"!*/b/x\", \"!*/*\"]}}\n",
	  "p", { NULL, "** !**/*.env !*/b/x !*/* !a/** "
	      "a/b/** !a/b/**/*.env !a/b/x !a/b", NULL }, true },
	{ "one that cannot be cut takes all of it",
	  "  denyModify: [\"a/**\", \"!a/b/**\"]\n"
	  "  fsProfiles: {p: {read: [\"**\"], modify: [\"**\", "
	      "\"!a**z\"]}}\n",
	  "p", { NULL, "** !a**z !a/** a/b/** !a/b/**", NULL }, true },
	{ "an exact path comes back if the profile says yes to it",
	  "  denyModify: [\"a/**\", \"!a/b\", \"!a/c\"]\n"
	  "  fsProfiles: {p: {read: [\"**\"], modify: [\"a/?\", "
	      "\"!*/c\"]}}\n",
	  "p", { NULL, "a/? !*/c !a/** a/b", NULL }, true },
	{ "a deny behind it holds again",
	  "  denyModify: [\"a/**\", \"!a/b/**\", \"a/b/c\"]\n"
	  "  fsProfiles: {p: {read: [\"**\"], modify: [\"**\"]}}\n",
	  "p", { NULL, "** !a/** a/b/** !a/b/c", NULL }, true },
};
/* clang-format on */

static void
test_rows(void)
{
	for (size_t i = 0; i < CDN_LEN(rows); i++) {
		struct cordon_policy *policy = policy_of(rows[i].spec);
		struct cordon_profile *profile = NULL;
		int code = cdn_profile_resolve(policy,
		    cdn_str_of(rows[i].name), CDN_RESOLVE_STRICT, &profile,
		    NULL);

		cdn_policy_free(policy); /* the profile keeps what it needs */
		if (!ok_f(code == 0, "%s", rows[i].what))
			continue;
		ok_f(profile->defined == rows[i].defined, "%s: defined",
		    rows[i].what);
		ok_f(strcmp(profile->name, rows[i].name) == 0, "%s: name",
		    rows[i].what);
		for (size_t op = 0; op < CDN_RULE_OPS; op++) {
			const char *got = spell(&profile->sets[op].rules);

			if (rows[i].want[op] == NULL)
				continue;
			if (!ok_f(strcmp(got, rows[i].want[op]) == 0,
				"%s: %s is '%s'", rows[i].what, op_names[op],
				rows[i].want[op]))
				printf("# got '%s'\n", got);
		}
		cdn_profile_free(profile);
	}
}

static void
test_missing(void)
{
	struct cordon_policy *policy = policy_of("  denyRead: [\"x\"]\n");
	struct cordon_profile *profile = NULL;
	struct cordon_error err = { 0 };
	int code = cdn_profile_resolve(policy, CDN_STR("dev"),
	    CDN_RESOLVE_STRICT, &profile, &err);

	ok(code == CORDON_E_INVALID && profile == NULL,
	    "a missing name is an error, not a deny");
	ok(strcmp(err.text, "policy 't' does not define fsProfile 'dev'") == 0,
	    "which names policy and profile");
	code = cdn_profile_resolve(policy, CDN_STR("dev"),
	    CDN_RESOLVE_DENIES_ONLY, &profile, &err);
	ok(code == 0 && !profile->defined, "as a layer it has its denies");
	ok(strcmp(spell(&profile->sets[CORDON_READ].rules), "** !x") == 0,
	    "and nothing else");
	cdn_profile_free(profile);
	cdn_profile_free(NULL);
	cdn_policy_free(policy);
}

/* Positions and authored texts reach the finding. */
static void
test_positions(void)
{
	struct cordon_policy *policy = policy_of(
	    "  denyRead: [\"./secret/\"]\n"
	    "  fsProfiles:\n"
	    "    p:\n"
	    "      read: [\"./**\"]\n");
	struct cordon_profile *profile = NULL;
	struct cdn_finding f;

	need(cdn_profile_resolve(policy, CDN_STR("p"), CDN_RESOLVE_STRICT,
		 &profile, NULL) == 0, "profile");
	f = cdn_rule_set_judge(&profile->sets[CORDON_READ],
	    CDN_STR("secret"));
	ok(!f.allowed && strcmp(f.matched_rule, "secret") == 0,
	    "a deny reports its pattern without '!'");
	ok(f.rule != NULL && strcmp(f.rule->text.p, "./secret/") == 0 &&
	    f.rule->pos.line == 5 && f.rule->pos.column == 14,
	    "as authored, with line and column");
	f = cdn_rule_set_judge(&profile->sets[CORDON_READ], CDN_STR("a"));
	ok(f.allowed && f.rule->pos.line == 8 && f.rule->pos.column == 14,
	    "and so does a grant");
	cdn_profile_free(profile);
	cdn_policy_free(policy);
}

/* Where case does not matter, exceptions and denies do not see it either. */
static void
test_folded(void)
{
	struct cordon_policy *policy = policy_of(
	    "  denyModify: [\"a/**\", \"!a/B/**\"]\n"
	    "  fsProfiles:\n"
	    "    p: {read: [\"**\"], modify: [\"**\", \"!A/b/**\", "
	    "\"A/b/c\"]}\n");
	struct cordon_profile *plain = NULL, *folded = NULL;
	const cdn_str deep = CDN_STR("a/b/x"), back = CDN_STR("a/b/c");

	need(cdn_profile_resolve(policy, CDN_STR("p"), CDN_RESOLVE_STRICT,
		 &plain, NULL) == 0, "profile");
	need(cdn_profile_resolve(policy, CDN_STR("p"), CDN_RESOLVE_FOLDED,
		 &folded, NULL) == 0, "folded profile");
	ok(cdn_rule_set_judge(&plain->sets[CORDON_MODIFY],
	       CDN_STR("a/B/x")).allowed, "with case: the exception holds");
	ok(!cdn_rule_set_judge(&folded->sets[CORDON_MODIFY], deep).allowed,
	    "without: the profile's negation has the same name");
	ok(cdn_rule_set_judge(&folded->sets[CORDON_MODIFY], back).allowed,
	    "and what it grants inside comes back");
	cdn_profile_free(plain);
	cdn_profile_free(folded);
	cdn_policy_free(policy);
}

/* A list may grow past the limit by its exceptions: refused, not cut. */
static void
test_limit(void)
{
	struct cdn_arena *arena = cdn_arena_new();
	struct cdn_profile_def def = { .name = CDN_STR("p") };
	struct cordon_policy policy = { .arena = arena, .source = "t.yaml",
		.name = CDN_STR("t"), .profiles = &def, .profile_count = 1 };
	struct cordon_profile *profile = NULL;
	const size_t own = 300, exceptions = 300;
	struct cdn_rules *denies = &policy.deny[CORDON_MODIFY];
	struct cdn_rules *modify = &def.rules[CORDON_MODIFY];

	need(arena != NULL, "memory");
	modify->v = cdn_arena_array(arena, own, sizeof(*modify->v));
	denies->v = cdn_arena_array(arena, exceptions + 1,
	    sizeof(*denies->v));
	need(modify->v != NULL && denies->v != NULL, "memory");
	for (modify->n = 0; modify->n < own; modify->n++)
		modify->v[modify->n] = rule_of("a/b/c");
	denies->v[denies->n++] = rule_of("a/**");
	while (denies->n <= exceptions)
		denies->v[denies->n++] = rule_of("!a/b/**");
	ok(cdn_profile_resolve(&policy, def.name, CDN_RESOLVE_STRICT, &profile,
	       NULL) == CORDON_E_INVALID, "too many rules are an error");
	denies->n = 3;
	ok(cdn_profile_resolve(&policy, def.name, CDN_RESOLVE_STRICT, &profile,
	       NULL) == 0, "fewer are not");
	cdn_profile_free(profile);
	cdn_arena_free(arena);
}

/* Each exception is held against each rule, so there may not be many. */
static void
test_exceptions(size_t count, bool want)
{
	struct cordon_policy *policy = NULL;
	struct cordon_error err = { 0 };
	size_t room = 128 + 16 * count, n;
	char *text = malloc(room);
	int code;

	need(text != NULL, "memory");
	n = (size_t)snprintf(text, room, "schemaVersion: 2\nkind: Policy\n"
	    "metadata: {name: t}\nspec: {denyModify: [\"a/**\"");
	for (size_t i = 0; i < count; i++)
		n += (size_t)snprintf(text + n, room - n, ", \"!a/%zu\"", i);
	n += (size_t)snprintf(text + n, room - n, "]}\n");
	code = cdn_policy_parse((cdn_str){ text, n }, "t.yaml", NULL, &policy,
	    &err);
	ok_f((code == 0) == want, "%zu exceptions: %s", count,
	    want ? "taken" : "refused");
	ok_f(want || (err.line == 4 &&
	    strstr(err.text, "one exception too many") != NULL),
	    "%zu exceptions: %s", count, want ? "silently" : "and said why");
	cdn_policy_free(policy);
	free(text);
}

int
main(void)
{
	test_rows();
	test_missing();
	test_positions();
	test_folded();
	test_limit();
	test_exceptions(CDN_EXCEPTIONS_MAX, true);
	test_exceptions(CDN_EXCEPTIONS_MAX + 1, false);
	return done_testing();
}
