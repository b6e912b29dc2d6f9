/*
 * Lint with a workspace: denies about what is not there, or is a link.
 */
#include "enforce/session/lint.h"

#include "support/engine.h"
#include "support/tmpdir.h"

/* clang-format off */
static const struct {
	const char *what;
	const char *spec; /* its first line is line 5 */
	const char *want; /* "ID line:column" of L009 to L011 */
	const char *says; /* part of text or hint of the first, or NULL */
} rows[] = {
	{ "what is there",
	  "  denyRead: [\"secrets/**\", \"docs/a/b\", \"docs/a\", \"f/**\"]\n",
	  "", NULL },
	{ "a misspelt directory",
	  "  denyRead: [\"sercets/**\"]\n",
	  "L009 5:14", "did you mean 'secrets'?" },
	{ "nothing like it",
	  "  denyRead: [\"vault/**\"]\n",
	  "L009 5:14", "there is no 'vault'" },
	{ "further down",
	  "  denyModify: [\"docs/b/c/*.key\"]\n",
	  "L009 5:16", "there is no 'docs/b'" },
	{ "below a file",
	  "  denyModify: [\"f/x/**\"]\n",
	  "L009 5:16", "there is no 'f/x'" },
	{ "each directory once",
	  "  denyRead: [\"vault/**\", \"vault/a/**\"]\n"
	  "  denyModify: [\"vault/**\"]\n",
	  "L009 5:14", NULL },
	{ "a negation of a profile",
	  "  fsProfiles:\n"
	  "    p: {read: [\"**\", \"!vault/**\"]}\n",
	  "L009 6:22", NULL },

	/* No noise. */
	{ "names that may come",
	  "  denyRead: [\"**/*.env\", \"*.pem\", \".env\", \"docs/*.key\", "
	      "\"*/vault/**\"]\n",
	  "", NULL },
	{ "grants make themselves felt",
	  "  denyModify: [\"docs/**\", \"!docs/none/**\"]\n"
	  "  fsProfiles:\n"
	  "    p: {read: [\"dist/**\", \"target/x/y\"]}\n",
	  "", NULL },
	{ "names of tools",
	  "  denyModify: [\".github/**\", \"docs/.tool/x/**\"]\n",
	  "", NULL },
	{ "unless one is very like it",
	  "  denyModify: [\".cahce/**\"]\n",
	  "L009 5:16", "did you mean '.cache'?" },
	{ "the preset's own precautions",
	  "  denyModify: [\".git/hooks/**\", \".vscode/**\"]\n",
	  "", NULL },

	/* Links. */
	{ "a link to a directory",
	  "  denyRead: [\"current/**\"]\n",
	  "L010 5:14", "'current', which is a symbolic link" },
	{ "on the way",
	  "  denyRead: [\"docs/l/x/**\"]\n",
	  "L010 5:14", "'docs/l'" },
	{ "the link itself can be meant",
	  "  denyRead: [\"current\", \"docs/l\"]\n",
	  "", NULL },
};
/* clang-format on */

static const char *
spell(const struct cordon_diags *diags, const struct cordon_diag **ret_first)
{
	static char out[1024];
	size_t n = 0;

	out[0] = '\0';
	*ret_first = NULL;
	for (size_t i = 0; i < cordon_diags_count(diags); i++) {
		const struct cordon_diag *d = cordon_diags_get(diags, i);

		if (strcmp(d->id, "L009") < 0)
			continue;
		if (*ret_first == NULL)
			*ret_first = d;
		n += (size_t)snprintf(out + n, sizeof(out) - n, "%s%s %u:%u",
		    n > 0 ? "|" : "", d->id, d->line, d->column);
	}
	return out;
}

static bool
says(const struct cordon_diag *d, const char *text)
{
	return d != NULL && (strstr(d->text, text) != NULL ||
	    (d->hint != NULL && strstr(d->hint, text) != NULL));
}

static void
test_rows(void)
{
	for (size_t i = 0; i < CDN_LEN(rows); i++) {
		struct cordon_policy *policy = policy_of(rows[i].spec);
		struct cordon_diags *diags = cordon_diags_new();
		const struct cordon_diag *first;
		const char *got;

		need(diags != NULL, "memory");
		ok_f(cdn_session_lint(policy, tmp_path("w"), diags, NULL) == 0,
		    "%s: linted", rows[i].what);
		got = spell(diags, &first);
		if (!ok_f(strcmp(got, rows[i].want) == 0, "%s: '%s'",
			rows[i].what, rows[i].want) ||
		    (rows[i].says != NULL && !ok_f(says(first, rows[i].says),
			"%s: says \"%s\"", rows[i].what, rows[i].says)))
			printf("# got '%s' %s %s\n", got,
			    first != NULL ? first->text : "",
			    first != NULL ? first->hint : "");
		cordon_diags_free(diags);
		diags = cordon_diags_new();
		ok_f(cdn_session_lint(policy, NULL, diags, NULL) == 0 &&
		    spell(diags, &first)[0] == '\0',
		    "%s: nobody looks without a workspace", rows[i].what);
		cordon_diags_free(diags);
		cdn_policy_free(policy);
	}
}

/* Rules enough to use up the looks: two for each, and all is well so far. */
static void
test_bound(void)
{
	struct cdn_arena *arena = cdn_arena_new();
	struct cordon_diags *diags = cordon_diags_new();
	struct cordon_policy policy = { .arena = arena, .source = "t.yaml",
		.name = CDN_STR("t"), .name_pos = { "t.yaml", 3, 18 } };
	struct cdn_rules *denies = &policy.deny[CORDON_READ];
	const size_t enough = CDN_LINT_LOOKS_MAX / 2;
	const struct cordon_diag *first;

	need(arena != NULL && diags != NULL, "memory");
	denies->v = cdn_arena_array(arena, enough + 1, sizeof(*denies->v));
	need(denies->v != NULL, "memory");
	while (denies->n <= enough) {
		char *text = cdn_arena_printf(arena, "docs/a/%zu*", denies->n);

		need(text != NULL, "memory");
		denies->v[denies->n++] = rule_of(text);
	}
	denies->n = enough;
	ok(cdn_session_lint(&policy, tmp_path("w"), diags, NULL) == 0 &&
	    cordon_diags_count(diags) == 0, "as many rules as can be looked for");
	denies->n = enough + 1;
	ok(cdn_session_lint(&policy, tmp_path("w"), diags, NULL) == 0 &&
	    strcmp(spell(diags, &first), "L011 3:18") == 0,
	    "one more: it is said that not all was looked for");
	cordon_diags_free(diags);
	cdn_arena_free(arena);
}

static void
test_missing_workspace(void)
{
	struct cordon_policy *policy = policy_of("  denyRead: []\n");
	struct cordon_error err = { 0 };

	ok(cdn_session_lint(policy, tmp_path("none"), NULL, &err) ==
	    CORDON_E_WORKSPACE, "a workspace that is not there is an error");
	cdn_policy_free(policy);
}

int
main(void)
{
	int fds;

	tmp_begin();
	tmp_dir("w");
	tmp_dir("w/docs");
	tmp_dir("w/docs/a");
	tmp_dir("w/secrets");
	tmp_dir("w/.cache");
	tmp_file("w/f", "");
	tmp_link("secrets", "w/current");
	tmp_link("a", "w/docs/l");
	fds = tmp_open_fds();
	test_rows();
	test_bound();
	test_missing_workspace();
	ok(tmp_open_fds() == fds, "no descriptor is left open");
	tmp_end();
	return done_testing();
}
