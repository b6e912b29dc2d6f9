/*
 * What a rule or the floor names by a link, judged by the name it really has;
 * and options that follow links which a run could have made.
 */
#include <cordon/cordon.h>

#include <unistd.h>

#include "made.h"
#include "support/chaos.h"

static const char document[] =
    "schemaVersion: 2\nkind: Policy\nmetadata: {name: t}\nspec:\n"
    "  denyRead: [\"key\", \"dir/**\", \"way/deep\", \"loop\", \"gone\"]\n"
    "  denyModify: [\"fixed\", \"self\"]\n"
    "  fsProfiles:\n"
    "    dev: {read: [\"**\"], modify: [\"**\"]}\n"
    "    lax: {read: [\"**\", \"!open\", \"open\"], modify: [\"**\"]}\n";

/* clang-format off */
static const struct {
	const char *target, *link;
} links[] = {
	{ "src/key",	"w/key" },
	{ "real",	"w/dir" },
	{ "other",	"w/way" },	/* the link is on the way */
	{ "loop",	"w/loop" },
	{ "src/none",	"w/gone" },	/* leads nowhere yet */
	{ "src/fixed",	"w/fixed" },
	{ "src/open",	"w/open" },
	{ "../home/x",	"w/self" },	/* outside: nobody gets there */
	{ "../../w/aws", "home/.aws/key" },
	{ "../../w",	"home/.aws/all" },  /* holds the workspace */
	{ "/usr/bin/env", "home/.aws/env" }, /* of the system */
};

static const struct {
	const char *profile;
	enum cordon_op op;
	const char *path;
	bool allowed;
} rows[] = {
	{ "dev", CORDON_READ,	"w/key", false },
	{ "dev", CORDON_READ,	"w/src/key", false },
	{ "dev", CORDON_MODIFY, "w/src/key", false },
	{ "dev", CORDON_READ,	"w/src/a", true },
	{ "dev", CORDON_MODIFY, "w/src/a", true },
	{ "dev", CORDON_READ,	"w/real/a", false },
	{ "dev", CORDON_READ,	"w/real", false },
	{ "dev", CORDON_READ,	"w/real2", true },
	{ "dev", CORDON_READ,	"w/other/deep", false },
	{ "dev", CORDON_READ,	"w/other/a", true },
	{ "dev", CORDON_MODIFY, "w/src/none", false },
	{ "dev", CORDON_READ,	"w/src/fixed", true },
	{ "dev", CORDON_MODIFY, "w/src/fixed", false },
	{ "dev", CORDON_READ,	"w/aws", false },
	{ "dev", CORDON_READ,	"w/src", true },
	{ "dev", CORDON_EXEC,	"/usr/bin/env", true },
	/* The last rule that matches the name decides, as for any file. */
	{ "lax", CORDON_READ,	"w/src/open", true },
	{ "lax", CORDON_READ,	"w/src/key", false },
};
/* clang-format on */

static void
make_files(void)
{
	static const char *const dirs[] = { "home/.aws", "w/src", "w/real",
		"w/other" };
	static const char *const files[] = { "w/src/key", "w/src/a",
		"w/src/fixed", "w/src/open", "w/real/a", "w/other/deep",
		"w/other/a", "w/real2", "w/aws", "home/x" };

	for (size_t i = 0; i < CDN_LEN(dirs); i++)
		tmp_dir(dirs[i]);
	for (size_t i = 0; i < CDN_LEN(files); i++)
		tmp_file(files[i], "x");
	for (size_t i = 0; i < CDN_LEN(links); i++)
		tmp_need(symlink(links[i].target, tmp_path(links[i].link)) == 0,
		    "symlink", links[i].link);
	tmp_file("policy.yaml", document);
}

static struct cordon_session_options
options_of(const char *profile)
{
	static const char *policy;

	free((void *)(uintptr_t)policy);
	policy = strdup(tmp_path("policy.yaml"));
	return (struct cordon_session_options){ .profile = profile,
		.policies = &policy, .policy_count = 1 };
}

static void
check_rows(void)
{
	for (size_t i = 0; i < CDN_LEN(rows); i++) {
		struct cordon_session *s = made_session(
		    options_of(rows[i].profile));
		const char *path = rows[i].path[0] == '/' ? rows[i].path :
							    tmp_path(rows[i].path);

		ok_f(made_allows(s, rows[i].op, path) == rows[i].allowed,
		    "%s: %s %s: %s", rows[i].profile,
		    cordon_op_name(rows[i].op), rows[i].path,
		    rows[i].allowed ? "allowed" : "denied");
		cordon_session_free(s);
	}
}

/* The rule is told, and where it stands. */
static void
check_verdict(void)
{
	struct cordon_session *s = made_session(options_of("dev"));
	const char *path = tmp_path("w/src/key");
	struct cordon_query query = { .size = sizeof(query),
		.as = CORDON_AS_PROCESS, .op = CORDON_READ, .path = path,
		.path_len = strlen(path) };
	struct cordon_verdict verdict = { 0 };

	need(cordon_check(s, &query, &verdict, NULL) == 0, path);
	ok_f(strcmp(verdict.matched_rule, "key") == 0 && verdict.line == 5,
	    "by '%s', line %u", verdict.matched_rule, verdict.line);
	cordon_session_free(s);
}

/* ----- Options that follow a link ----------------------------------------------- */

static int
try_write(const char *path, struct cordon_error *err)
{
	struct cordon_session_options options = { .size = sizeof(options),
		.workspace = tmp_path("w"), .write = &path, .write_count = 1 };
	struct cordon_session *s = NULL;
	int code = cordon_session_new(&options, NULL, &s, err);

	if (code == 0)
		cordon_session_free(s);
	return code;
}

static void
check_options(void)
{
	static const struct {
		const char *path;
		bool allowed;
	} options[] = { { "w/self", false }, { "w/src/../self", false },
		{ "w/way", true }, { "w/src", true }, { "home/x", true },
		{ "home/.aws/all/self", false } };

	for (size_t i = 0; i < CDN_LEN(options); i++) {
		struct cordon_error err = { 0 };
		char *path = strdup(tmp_path(options[i].path));
		int code = try_write(path, &err);

		ok_f(options[i].allowed ? code == 0 :
		    code == CORDON_E_INVALID &&
			strstr(err.text, "follows the link") != NULL &&
			strstr(err.text, tmp_path("home/x")) != NULL,
		    "--write %s: %s", options[i].path,
		    code == 0 ? "taken" : err.text);
		free(path);
	}
}

/* ----- No memory ----------------------------------------------------------------- */

static int
new_session(void *arg)
{
	struct cordon_session *s = NULL;
	int code = cordon_session_new(arg, NULL, &s, NULL);

	if (code != 0)
		return s == NULL ? code : 1;
	code = made_allows(s, CORDON_READ, tmp_path("w/src/key"));
	cordon_session_free(s);
	return code;
}

static void
check_chaos(void)
{
	const char *write = strdup(tmp_path("w/way"));
	struct cordon_session_options options = options_of("dev");

	options.size = sizeof(options);
	options.workspace = strdup(tmp_path("w"));
	options.write = &write;
	options.write_count = 1;
	chaos_run("links, followed", new_session, &options, 0);
	free((void *)(uintptr_t)options.workspace);
	free((void *)(uintptr_t)write);
}

int
main(void)
{
	made_begin();
	make_files();
	check_rows();
	check_verdict();
	check_options();
	check_chaos();
	tmp_end();
	return done_testing();
}
