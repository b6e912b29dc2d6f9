/*
 * The policies we hand out: valid, clean, and what they say they are.
 */
#include "engine/decide/preset.h"

#include <dirent.h>

#include "support/engine.h"
#include "support/tmpdir.h"

/* empty: also where nothing is there yet. */
static struct cordon_policy *
load_clean(const char *name, struct cordon_policy *policy, int code,
    bool empty)
{
	struct cordon_diags *diags = cordon_diags_new();

	need(diags != NULL, "memory");
	if (!ok_f(code == 0, "%s: valid", name))
		return NULL;
	ok_f(cordon_policy_description(policy) != NULL,
	    "%s: says what it is", name);
	for (int i = 0; i <= empty; i++)
		ok_f(cordon_policy_lint(policy, i == 0 ? NULL : tmp_root,
			 diags, NULL) == 0 && cordon_diags_count(diags) == 0,
		    "%s: nothing to find%s", name,
		    i == 0 ? "" : ", in an empty workspace either");
	for (size_t i = 0; i < cordon_diags_count(diags); i++)
		printf("# %s\n", cordon_diags_get(diags, i)->text);
	cordon_diags_free(diags);
	return policy;
}

static const char *
source(const char *name)
{
	static char path[PATH_MAX];
	const char *root = getenv("CORDON_SOURCE");

	need(root != NULL, "CORDON_SOURCE");
	snprintf(path, sizeof(path), "%s/%s", root, name);
	return path;
}

static struct cordon_policy *
load_file(const char *name, bool empty)
{
	struct cordon_policy *policy = NULL;
	int code = cordon_policy_load(source(name), NULL, &policy, NULL);

	return load_clean(name, policy, code, empty);
}

/* What the defaults protect needs no rule, and has none. */
static void
test_no_copy(const char *name, const struct cordon_policy *policy)
{
	const struct cdn_rules *list = &policy->deny[CORDON_MODIFY];
	const char *pattern;

	for (size_t i = 0; i < list->n; i++)
		for (size_t k = 0; (pattern = cdn_preset_executed(k)) != NULL;
		     k++)
			if (cdn_str_is(list->v[i].pattern, pattern))
				ok_f(false, "%s: copies '%s'", name, pattern);
	ok_f(true, "%s: relies on the defaults", name);
}

/* clang-format off */
static const struct {
	const char *file, *profile;
	enum cordon_op op;
	const char *path;
	bool allowed;
} rows[] = {
	{ "policies/coding-agent.yaml", "implementer", CORDON_MODIFY, "src/a.c", true },
	{ "policies/coding-agent.yaml", "implementer", CORDON_MODIFY, ".git/index", true },
	{ "policies/coding-agent.yaml", "implementer", CORDON_READ, "a/.env", false },
	{ "policies/coding-agent.yaml", "explorer", CORDON_MODIFY, "src/a.c", false },
	{ "policies/coding-agent.yaml", "explorer", CORDON_EXEC, "run.sh", true },
	{ "policies/reviewer.yaml", "reviewer", CORDON_READ, "src/a.c", true },
	{ "policies/reviewer.yaml", "reviewer", CORDON_MODIFY, "src/a.c", false },
	{ "policies/reviewer.yaml", "reviewer", CORDON_EXEC, "run.sh", false },
	{ "policies/reviewer.yaml", "unrestricted", CORDON_READ, "src/a.c", true },
	{ "policies/reviewer.yaml", "unrestricted", CORDON_MODIFY, "src/a.c", false },
	{ "policies/docs-writer.yaml", "writer", CORDON_MODIFY, "docs/a.png", true },
	{ "policies/docs-writer.yaml", "writer", CORDON_MODIFY, "README.md", true },
	{ "policies/docs-writer.yaml", "writer", CORDON_MODIFY, "src/a/notes.md", true },
	{ "policies/docs-writer.yaml", "writer", CORDON_MODIFY, "src/a.c", false },
	{ "policies/docs-writer.yaml", "writer", CORDON_MODIFY, "CLAUDE.md", false },
	{ "policies/docs-writer.yaml", "writer", CORDON_MODIFY, "docs/.git/config", false },
	{ "policies/docs-writer.yaml", "unrestricted", CORDON_MODIFY, "docs/a", false },
};
/* clang-format on */

static void
test_rows(void)
{
	for (size_t i = 0; i < CDN_LEN(rows); i++) {
		struct cordon_policy *policy = NULL;
		struct cordon_profile *profile = NULL;
		struct cordon_verdict v = { 0 };

		need(cordon_policy_load(source(rows[i].file), NULL, &policy,
			 NULL) == 0 &&
		    cordon_profile_resolve(policy, rows[i].profile, &profile,
			NULL) == 0 &&
		    cordon_profile_check(profile, rows[i].op, rows[i].path,
			strlen(rows[i].path), &v, NULL) == 0, rows[i].file);
		ok_f(v.allowed == rows[i].allowed, "%s, %s: %s %s: %s",
		    rows[i].file, rows[i].profile, cordon_op_name(rows[i].op),
		    rows[i].path, rows[i].allowed ? "allow" : "deny");
		cordon_profile_free(profile);
		cordon_policy_free(policy);
	}
}

/* Every file that is there, so that a new one cannot be forgotten. */
static void
test_folder(void)
{
	DIR *dir = opendir(source("policies"));
	const struct dirent *entry;
	size_t count = 0;

	need(dir != NULL, "policies");
	while ((entry = readdir(dir)) != NULL) {
		struct cordon_policy *policy;
		char name[PATH_MAX];
		size_t stem = strlen(entry->d_name);

		if (entry->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "policies/%s", entry->d_name);
		policy = load_file(name, true);
		stem -= stem > 5 ? 5 : 0;
		ok_f(policy != NULL && strlen(cordon_policy_name(policy)) ==
			stem && strncmp(cordon_policy_name(policy),
			entry->d_name, stem) == 0, "%s: named like its file",
		    name);
		cordon_policy_free(policy);
		count++;
	}
	closedir(dir);
	ok_f(count >= 3, "%zu policies", count);
}

int
main(void)
{
	struct cordon_policy *policy = NULL;
	const char *starter = cordon_policy_starter();
	int code;

	tmp_begin();
	test_folder();
	policy = load_file("examples/policy.yaml", false);
	cordon_policy_free(policy);
	policy = NULL;
	code = cordon_policy_parse(starter, strlen(starter), "starter", NULL,
	    &policy, NULL);
	policy = load_clean("the starter", policy, code, true);
	if (policy != NULL)
		test_no_copy("the starter", policy);
	cordon_policy_free(policy);
	policy = load_file("policies/coding-agent.yaml", true);
	if (policy != NULL)
		test_no_copy("coding-agent", policy);
	cordon_policy_free(policy);
	test_rows();
	tmp_end();
	return done_testing();
}
