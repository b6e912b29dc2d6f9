/*
 * Workspace over global: every row of the contract.
 */
#include "engine/profile/profile.h"

#include "support/engine.h"

static struct cordon_policy *
merge_of(const char *global, const char *workspace, struct cordon_diags *diags,
    int *ret_code, struct cordon_error *err)
{
	struct cordon_policy *g = policy_named("global", global);
	struct cordon_policy *w = policy_named("local", workspace);
	struct cordon_policy *out = NULL;

	*ret_code = cdn_policy_merge(g, w, diags, &out, err);
	cdn_policy_free(g);
	cdn_policy_free(w);
	return out;
}

/* "a !b" of authored texts. */
static const char *
texts(const struct cdn_rules *rules)
{
	static char out[1024];
	size_t n = 0;

	out[0] = '\0';
	for (size_t i = 0; i < rules->n; i++)
		n += (size_t)snprintf(out + n, sizeof(out) - n, "%s%s",
		    i > 0 ? " " : "", rules->v[i].text.p);
	return out;
}

/* ----- Denies --------------------------------------------------------------- */

/* clang-format off */
static const struct {
	const char *what;
	const char *global;
	const char *workspace;
	const char *want; /* denyModify, or NULL: refused */
} denies[] = {
	{ "they accumulate, global ones first",
	  "[\"a\", \"b\"]", "[\"c\"]", "a b c" },
	{ "twice is once, the order stays",
	  "[\"a\", \"b\"]", "[\"b\", \"c\", \"a\"]", "a b c" },
	{ "twice in another spelling is once",
	  "[\"./a/\"]", "[\"a\"]", "./a/" },
	{ "an empty workspace removes nothing",
	  "[\"a\"]", "[]", "a" },
	{ "an empty global adds nothing",
	  "[]", "[\"a\"]", "a" },
	{ "an exception inside one of the host's is taken",
	  "[\"a/**\", \"!a/b/**\"]", "[\"a/**\", \"!a/b/c\"]",
	  "a/** !a/b/** a/** !a/b/c" },
	{ "a deny that the host lifts in part is said again",
	  "[\"a/**\", \"!a/b/**\"]", "[\"a/**\"]",
	  "a/** !a/b/** a/**" },
	{ "the same ones twice are once",
	  "[\"a/**\", \"!a/b/**\"]", "[\"a/**\", \"!a/b/**\"]",
	  "a/** !a/b/**" },
	{ "one outside is refused",
	  "[\"a/**\", \"!a/b/**\"]", "[\"a/**\", \"!a/c\"]", NULL },
	{ "one where the host has none is refused",
	  "[\"a/**\"]", "[\"a/**\", \"!a/b\"]", NULL },
	{ "one in a tree that only the workspace denies, too",
	  "[\"a/**\"]", "[\"d/**\", \"!d/e\"]", NULL },
	{ "a host without denies has nothing to protect",
	  "[]", "[\"d/**\", \"!d/e\"]", "d/** !d/e" },
	{ "a later deny of the host is said again behind it",
	  "[\"a/**\", \"!a/b/**\", \"a/b/c/**\"]",
	  "[\"a/**\", \"!a/b/c/d\"]",
	  "a/** !a/b/** a/b/c/** a/** !a/b/c/d a/b/c/**" },
};
/* clang-format on */

static void
test_denies(void)
{
	for (size_t i = 0; i < CDN_LEN(denies); i++) {
		struct cordon_diags *diags = cordon_diags_new();
		struct cordon_error err = { 0 };
		struct cordon_policy *out;
		char g[256], w[256];
		int code;

		snprintf(g, sizeof(g), "  denyModify: %s\n", denies[i].global);
		snprintf(w, sizeof(w), "  denyModify: %s\n",
		    denies[i].workspace);
		out = merge_of(g, w, diags, &code, &err);
		if (denies[i].want == NULL) {
			ok_f(code == CORDON_E_INVALID && out == NULL &&
			    strstr(err.text, "outside the host policy "
				"exception surface") != NULL && err.line > 0,
			    "denies: %s", denies[i].what);
			ok_f(cordon_diags_errors(diags) == 1,
			    "denies: %s: one finding", denies[i].what);
		} else if (ok_f(code == 0, "denies: %s", denies[i].what)) {
			const char *got = texts(&out->deny[CORDON_MODIFY]);

			if (!ok_f(strcmp(got, denies[i].want) == 0,
				"denies: %s: '%s'", denies[i].what,
				denies[i].want))
				printf("# got '%s'\n", got);
		}
		cdn_policy_free(out);
		cordon_diags_free(diags);
	}
}

/* All three lists, read and exec too. */
static void
test_other_denies(void)
{
	struct cordon_policy *out;
	int code;

	out = merge_of("  denyRead: [\"a\"]\n  denyExec: [\"b\"]\n",
	    "  denyRead: [\"c\", \"a\"]\n  denyExec: [\"d\"]\n", NULL, &code,
	    NULL);
	need(code == 0, "merge");
	ok(strcmp(texts(&out->deny[CORDON_READ]), "a c") == 0, "denyRead");
	ok(strcmp(texts(&out->deny[CORDON_EXEC]), "b d") == 0, "denyExec");
	cdn_policy_free(out);
}

/* ----- Profiles, names, the rest -------------------------------------------- */

static void
test_profiles(void)
{
	struct cordon_policy *out;
	const struct cdn_profile_def *p;
	int code;

	out = merge_of(
	    "  fsProfiles:\n"
	    "    a: {read: [\"**\"], modify: [\"x\"], network: full}\n"
	    "    b: {read: [\"b\"]}\n",
	    "  fsProfiles:\n"
	    "    c: {read: [\"c\"]}\n"
	    "    a: {read: [\"y\"]}\n", NULL, &code, NULL);
	need(code == 0, "merge");
	ok(out->profile_count == 3, "profiles of both");
	ok(cdn_str_is(out->profiles[0].name, "a") &&
	    cdn_str_is(out->profiles[1].name, "b") &&
	    cdn_str_is(out->profiles[2].name, "c"), "global order first");
	p = cdn_policy_find_profile(out, CDN_STR("a"));
	ok(strcmp(texts(&p->rules[CORDON_READ]), "y") == 0 &&
	    p->rules[CORDON_MODIFY].n == 0 &&
	    p->network.mode == CDN_NETWORK_UNSET,
	    "one of the workspace replaces the whole profile");
	p = cdn_policy_find_profile(out, CDN_STR("b"));
	ok(strcmp(texts(&p->rules[CORDON_READ]), "b") == 0,
	    "the others stay as they were");
	ok(cdn_str_is(out->name, "local"), "the workspace gives the name");
	ok(out->digest[0] == '\0', "no bytes have these contents: no digest");
	cdn_policy_free(out);
}

static struct cordon_policy *
parse_all(const char *metadata, const char *spec)
{
	struct cordon_policy *policy = NULL;
	char text[1024];
	int n = snprintf(text, sizeof(text), "schemaVersion: 2\nkind: Policy\n"
	    "metadata: {%s}\nspec: {%s}\n", metadata, spec);

	need(cdn_policy_parse((cdn_str){ text, (size_t)n }, "t.yaml", NULL,
		 &policy, NULL) == 0, text);
	return policy;
}

/* clang-format off */
static const struct {
	const char *global, *workspace; /* metadata */
	const char *description;	/* "" = none */
	const char *created, *updated;
} metadata[] = {
	{ "name: g, description: one", "name: w, description: two", "two",
	  "", "" },
	{ "name: g, description: one", "name: w", "one", "", "" },
	{ "name: g", "name: w", "", "", "" },
	{ "name: g, created_at: 2024-01-01T00:00:00Z, "
	      "updated_at: 2024-02-01T00:00:00Z",
	  "name: w, created_at: 2025-01-01T00:00:00Z, "
	      "updated_at: 2025-02-01T00:00:00Z", "",
	  "2024-01-01T00:00:00Z", "2025-02-01T00:00:00Z" },
	{ "name: g, updated_at: 2026-02-01T00:00:00Z",
	  "name: w, updated_at: 2025-02-01T00:00:00Z", "", "",
	  "2026-02-01T00:00:00Z" },
};

static const struct {
	const char *what;
	const char *global, *workspace; /* spec */
	enum cdn_enforcement enforcement;
	enum cdn_isolation isolation;
	bool audit_warn;
} settings[] = {
	{ "nothing said", "", "", CDN_ENFORCEMENT_UNSET, CDN_ISOLATION_UNSET,
	  false },
	{ "the strictest enforcement wins", "enforcement: best-effort",
	  "enforcement: required", CDN_ENFORCEMENT_REQUIRED,
	  CDN_ISOLATION_UNSET, false },
	{ "also when it is the host's", "enforcement: required",
	  "enforcement: degraded", CDN_ENFORCEMENT_REQUIRED,
	  CDN_ISOLATION_UNSET, false },
	{ "the strictest isolation wins", "isolation: namespaces",
	  "isolation: none", CDN_ENFORCEMENT_UNSET,
	  CDN_ISOLATION_NAMESPACES, false },
	{ "one may let the audit warn", "", "audit: {onFailure: warn}",
	  CDN_ENFORCEMENT_UNSET, CDN_ISOLATION_UNSET, true },
	{ "not against the other", "audit: {onFailure: stop}",
	  "audit: {onFailure: warn}", CDN_ENFORCEMENT_UNSET,
	  CDN_ISOLATION_UNSET, false },
};
/* clang-format on */

static void
test_metadata(void)
{
	for (size_t i = 0; i < CDN_LEN(metadata); i++) {
		struct cordon_policy *g = parse_all(metadata[i].global, "");
		struct cordon_policy *w = parse_all(metadata[i].workspace, "");
		struct cordon_policy *out = NULL;

		need(cdn_policy_merge(g, w, NULL, &out, NULL) == 0, "merge");
		ok_f(cdn_str_is(out->description, metadata[i].description),
		    "description '%s'", metadata[i].description);
		ok_f(cdn_str_is(out->created_at, metadata[i].created) &&
		    cdn_str_is(out->updated_at, metadata[i].updated),
		    "created %s, updated %s", metadata[i].created,
		    metadata[i].updated);
		cdn_policy_free(g);
		cdn_policy_free(w);
		cdn_policy_free(out);
	}
}

static void
test_settings(void)
{
	for (size_t i = 0; i < CDN_LEN(settings); i++) {
		struct cordon_policy *g = parse_all("name: g",
		    settings[i].global);
		struct cordon_policy *w = parse_all("name: w",
		    settings[i].workspace);
		struct cordon_policy *out = NULL;

		need(cdn_policy_merge(g, w, NULL, &out, NULL) == 0, "merge");
		ok_f(out->enforcement == settings[i].enforcement &&
		    out->isolation == settings[i].isolation &&
		    out->audit_warn == settings[i].audit_warn, "%s",
		    settings[i].what);
		cdn_policy_free(g);
		cdn_policy_free(w);
		cdn_policy_free(out);
	}
}

/* Lists that only ever grow: protect, write roots, variables, fields. */
static void
test_lists(void)
{
	struct cordon_policy *g = parse_all("name: g",
	    "protect: [/a], runtime_write_roots: [/r], "
	    "env: {pass: [A], set: {X: one}}, mcp: {t: {f: path, g: text}}");
	struct cordon_policy *w = parse_all("name: w",
	    "protect: [/b], env: {pass: [B], drop: [C], set: {X: two}}, "
	    "mcp: {t: {f: text, h: path}}");
	struct cordon_policy *out = NULL;

	need(cdn_policy_merge(g, w, NULL, &out, NULL) == 0, "merge");
	ok(out->protect.n == 2 && out->runtime_write_roots.n == 1,
	    "protect and write roots of both");
	ok(out->env.pass.n == 2 && out->env.drop.n == 1 &&
	    out->env.set_values.n == 2 &&
	    cdn_str_is(out->env.set_values.v[1].text, "two"),
	    "variables of both, the workspace's later");
	ok(out->mcp_count == 3 && cdn_str_is(out->mcp[0].field, "f") &&
	    out->mcp[0].is_path, "what the host calls a path stays one");
	cdn_policy_free(g);
	cdn_policy_free(w);
	cdn_policy_free(out);
}

/* ----- Validated again, sealed, widened -------------------------------------- */

static void
test_validated(void)
{
	struct cordon_error err = { 0 };
	struct cordon_policy *out;
	int code;

	out = merge_of("  denyModify: [\"a\"]\n",
	    "  fsProfiles: {p: {read: [\"**\"], modify: [\"a\"]}}\n", NULL,
	    &code, &err);
	ok(code == CORDON_E_INVALID && out == NULL &&
	    strstr(err.text, "duplicates global denyModify entry") != NULL,
	    "a rule that equals a global deny is found after the merge");
}

static void
test_sealed(void)
{
	static const char sealed[] = "  sealed: [a]\n"
	    "  fsProfiles: {a: {read: [\"a\"]}, b: {read: [\"b\"]}}\n";
	struct cordon_error err = { 0 };
	struct cordon_policy *out;
	int code;

	out = merge_of(sealed, "  fsProfiles: {a: {read: [\"**\"]}}\n", NULL,
	    &code, &err);
	ok(code == CORDON_E_INVALID && out == NULL &&
	    strstr(err.text, "fsProfile 'a' is sealed by policy 'global'") !=
		NULL && err.line == 5, "a sealed profile is not replaced");
	out = merge_of(sealed, "  fsProfiles: {b: {read: [\"**\"]}}\n", NULL,
	    &code, &err);
	ok(code == 0 && out->sealed.n == 1, "another one is; the seal stays");
	cdn_policy_free(out);
	out = merge_of("  sealed: [unrestricted]\n",
	    "  fsProfiles: {unrestricted: {read: []}}\n", NULL, &code, &err);
	ok(code == CORDON_E_INVALID && out == NULL,
	    "a sealed name may not appear either");
	out = merge_of("  denyRead: []\n",
	    "  sealed: [p]\n  fsProfiles: {p: {read: []}}\n",
	    NULL, &code, &err);
	ok(code == 0 && out->sealed.n == 0, "a workspace seals nothing");
	cdn_policy_free(out);
}

/* clang-format off */
static const struct {
	const char *old, *new; /* of profile p */
	bool widened;
} widens[] = {
	{ "read: [\"**\"]",		"read: [\"**\"]",		false },
	{ "read: [\"**\"]",		"read: [\"a\"]",		false },
	{ "read: [\"a/**\"]",		"read: [\"a/b\"]",		false },
	{ "read: [\"a\"]",		"read: [\"**\"]",		true },
	{ "read: [\"a\"]",		"read: [\"b\"]",		true },
	{ "read: [\"**\", \"!a\"]",	"read: [\"**\"]",		true },
	{ "read: [\"**\", \"!a\"]",	"read: [\"**\", \"!a/**\"]",	false },
	{ "read: [\"**\"]",		"read: [\"**\", \"!a\"]",	false },
	{ "read: [\"**\", \"!a\"]",	"read: [\"!a\", \"**\"]",	true },
	{ "read: [\"**\"], modify: [\"a\"]",
	  "read: [\"**\"], modify: [\"a\", \"b\"]",			true },
	{ "read: [\"**\"], modify: [\"**\"]",
	  "read: [\"**\"], modify: [\"b\"]",				false },
	{ "read: [\"**\"], exec: [\"a\"]", "read: [\"**\"]",		true },
	{ "read: [\"**\"]", "read: [\"**\"], exec: [\"a\"]",		false },
	{ "read: [], network: none",	"read: [], network: full",	true },
	{ "read: []",			"read: [], network: none",	false },
	{ "read: [], network: full",	"read: [], network: loopback",	false },
	{ "read: [], network: [a.org]", "read: [], network: loopback",	true },
	{ "read: [], network: [a.org]", "read: [], network: [b.org]",	true },
	{ "read: [], host: {read: [/a]}", "read: []",			false },
	{ "read: []",			"read: [], host: {read: [/a]}",	true },
	{ "read: []",		"read: [], host: {modify: [/a]}",	true },
	{ "read: []",			"read: [], sockets: [/a]",	true },
	{ "read: [], limits: {wall: 1m}", "read: []",			true },
	{ "read: []",	"read: [], limits: {wall: 1m}",			false },
	{ "read: [], limits: {memory: 1G}",
	  "read: [], limits: {memory: 2G}",				true },
};
/* clang-format on */

static void
test_widened(void)
{
	for (size_t i = 0; i < CDN_LEN(widens); i++) {
		struct cordon_policy *out;
		char g[256], w[256];
		int code;

		snprintf(g, sizeof(g), "  fsProfiles: {p: {%s}}\n",
		    widens[i].old);
		snprintf(w, sizeof(w), "  fsProfiles: {p: {%s}, q: {}}\n",
		    widens[i].new);
		out = merge_of(g, w, NULL, &code, NULL);
		need(code == 0, "merge");
		ok_f(out->widened.n == widens[i].widened &&
		    (out->widened.n == 0 ||
			cdn_str_is(out->widened.v[0].text, "p")),
		    "{%s} -> {%s}: %s", widens[i].old, widens[i].new,
		    widens[i].widened ? "widened" : "not widened");
		cdn_policy_free(out);
	}
}

int
main(void)
{
	test_denies();
	test_other_denies();
	test_profiles();
	test_metadata();
	test_settings();
	test_lists();
	test_validated();
	test_sealed();
	test_widened();
	return done_testing();
}
