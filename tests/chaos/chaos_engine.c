/*
 * Memory runs out everywhere: each allocation of each call of the library
 * fails once alone and once with all behind it.  No leak, no crash, an error
 * each time; and asking allocates nothing at all.
 */
#include <cordon/cordon.h>

#include <dirent.h>
#include <stdint.h>

#include "engine/match/matcher.h"
#include "support/chaos.h"
#include "support/tmpdir.h"

static const char good[] =
    "schemaVersion: 2\nkind: Policy\n"
    "metadata: {name: demo, description: d, labels: {a: [b, {c: d}]}}\n"
    "spec:\n"
    "  denyRead: [\"**/*.env\", \"keys/**\"]\n"
    "  denyModify: [\".git/**\", \"!.git/refs/**\", \"!.git/index\"]\n"
    "  fsProfiles:\n"
    "    dev:\n"
    "      read: [\"**\", \"!x/**\"]\n"
    "      modify: [\"**\", \"!**/*.lock\", \"!*/refs/x\", \"src/a**b\"]\n"
    "      host: {read: [\"~/x\", /opt], modify: [/var/tmp]}\n"
    "      network: [a.org, \"!b.org:80\"]\n"
    "      sockets: [/run/x.sock, run/y.sock]\n"
    "      limits: {wall: 5s}\n"
    "    odd: {read: [\"a/b\", \"a/**\", \"!a/[x]\", \"!zz/**\"]}\n"
    "  protect: [\"~/token\"]\n"
    "  env: {pass: [A], set: {B: c}, drop: [\"*\"]}\n"
    "  mcp: {t: {f: path}}\n";

static const char other[] =
    "schemaVersion: 2\nkind: Policy\nmetadata: {name: local}\n"
    "spec:\n"
    "  denyModify: [\".git/**\", \"!.git/refs/heads\", \"z\"]\n"
    "  fsProfiles:\n"
    "    dev: {read: [\"**\"], modify: [\"**\"], network: full}\n"
    "    more: {read: [\"a\"]}\n"
    "  protect: [/a]\n"
    "  env: {pass: [C]}\n"
    "  mcp: {t: {g: text}}\n";

static const char bad[] =
    "schemaVersion: 2\nkind: Policy\nmetadata: {name: a/b}\n"
    "spec:\n  denyRead: [\"/a\", &x b]\n  denyModify: [\"!z\"]\n"
    "  unknown: 1\n  fsProfiles:\n    dev: {read: [], modify: [q]}\n"
    "    dev: {limits: {wall: 0}}\n";

static const char refused[] =
    "schemaVersion: 2\nkind: Policy\nmetadata: {name: local}\n"
    "spec:\n  denyModify: [\"a/**\", \"!a/b\"]\n";

/* Made before anything fails. */
static struct cordon_policy *global, *local, *outside;
static struct cordon_profile *profile;
static struct cordon_session *session;

/*
 * A call that must fail, and not for want of memory, went as it should.  Of a
 * bad document some findings may be lost, but not that it is bad.
 */
static int
expect(int code, int wanted)
{
	if (code == wanted)
		return 0;
	return code == 0 ? 1 : code;
}

/* ----- Documents ------------------------------------------------------------- */

static int
parse(void *arg)
{
	struct cordon_diags *diags = cordon_diags_new();
	struct cordon_policy *policy = NULL;
	struct cordon_error err = { 0 };
	const char *text = arg;
	int code;

	if (diags == NULL)
		return CORDON_E_NOMEM;
	code = cordon_policy_parse(text, strlen(text), "p.yaml", diags,
	    &policy, &err);
	if ((code == 0) != (policy != NULL) || (code != 0 && err.code != code))
		code = 1;
	cordon_policy_free(policy);
	cordon_diags_free(diags);
	return text == bad ? expect(code, CORDON_E_INVALID) : code;
}

static int
load(void *arg)
{
	struct cordon_policy *policy = NULL;
	int code = cordon_policy_load(arg, NULL, &policy, NULL);

	cordon_policy_free(policy);
	return code;
}

static int
merge(void *arg)
{
	struct cordon_policy *policy = NULL;
	int code = cordon_policy_merge(global, arg, NULL, &policy, NULL);

	cordon_policy_free(policy);
	return arg == outside ? expect(code, CORDON_E_INVALID) : code;
}

static int
give(int code, char *text)
{
	free(text);
	return code == 0 && text == NULL ? 1 : code;
}

static int
format_policy(void *arg)
{
	char *text = NULL;
	int code = cordon_policy_format(global, arg == NULL ?
	    CORDON_FORMAT_YAML : CORDON_FORMAT_JSON, &text, NULL);

	return give(code, text);
}

static int
format_profile(void *arg)
{
	char *text = NULL;
	int code = cordon_profile_format(profile, arg == NULL ?
	    CORDON_FORMAT_YAML : CORDON_FORMAT_JSON, &text, NULL);

	return give(code, text);
}

static int
format_session(void *arg)
{
	char *text = NULL;
	int code = cordon_session_format(session, arg == NULL ?
	    CORDON_FORMAT_YAML : CORDON_FORMAT_JSON, &text, NULL);

	return give(code, text);
}

static int
schema(void *arg)
{
	char *text = NULL;
	int code;

	(void)arg;
	code = cordon_policy_schema(&text, NULL);
	return give(code, text);
}

static int
reference(void *arg)
{
	char *text = NULL;
	int code;

	(void)arg;
	code = cordon_policy_reference(&text, NULL);
	return give(code, text);
}

/* A finding that cannot be kept is still counted, so this may succeed. */
static int
lint(void *arg)
{
	struct cordon_diags *diags = cordon_diags_new();
	int code;

	if (diags == NULL)
		return CORDON_E_NOMEM;
	code = cordon_policy_lint(global, arg, diags, NULL);
	if (code == 0 && cordon_diags_count(diags) +
	    cordon_diags_omitted(diags) < 5)
		code = 1;
	cordon_diags_free(diags);
	return code;
}

/* ----- Profiles --------------------------------------------------------------- */

static int
resolve(void *arg)
{
	struct cordon_profile *made = NULL;
	int code = cordon_profile_resolve(global, arg, &made, NULL);

	cordon_profile_free(made);
	return code;
}

static int
build(void *arg)
{
	static const char *const patterns[] = { "**", "a/**", "**/*.env",
		"a/b?c/**/d", "x**y", "src/*.c", "src/a", "src/b" };
	struct cdn_match_rule rules[8] = { 0 };
	struct cdn_arena *arena = cdn_arena_new();
	const struct cdn_matcher *matcher;
	int code;

	(void)arg;
	if (arena == NULL)
		return CORDON_E_NOMEM;
	for (size_t i = 0; i < 8; i++)
		rules[i].pattern = cdn_str_of(patterns[i]);
	code = cdn_matcher_build(arena, rules, 8, &matcher, NULL);
	if (code == 0 &&
	    cdn_matcher_check(matcher, CDN_STR("src/a")) != 6)
		code = 1;
	cdn_arena_free(arena);
	return code;
}

static int
glob(void *arg)
{
	int code = cordon_glob_match(arg, "src/a/b.c", 9, NULL);

	return code == 1 ? 0 : code == 0 ? 1 : code;
}

/* ----- Sessions ------------------------------------------------------------------ */

/* What is asked of every session that could be made. */
static int
ask(const struct cordon_session *s, const char *path, bool allowed)
{
	struct cordon_query query = { .size = sizeof(query),
		.as = CORDON_AS_PROCESS, .op = CORDON_READ, .path = path,
		.path_len = strlen(path) };
	struct cordon_verdict verdict;
	int code = cordon_check(s, &query, &verdict, NULL);

	return code == 0 && verdict.allowed != allowed ? 1 : code;
}

static int
new_session(void *arg)
{
	struct cordon_diags *diags = cordon_diags_new();
	struct cordon_session *made = NULL;
	int code;

	if (diags == NULL)
		return CORDON_E_NOMEM;
	code = cordon_session_new(arg, diags, &made, NULL);
	if (code == 0)
		code = ask(made, tmp_path("w/src/a"), true);
	if (code == 0)
		code = ask(made, tmp_path("w/a.env"), false);
	cordon_session_free(made);
	cordon_diags_free(diags);
	return code;
}

/* ----- Stores and trust ------------------------------------------------------------ */

static void
count_entry(const struct cordon_store_entry *entry, void *arg)
{
	*(int *)arg += entry->name != NULL;
}

static int
list_dir(void *arg)
{
	int n = 0, code = cordon_store_list_dir(arg, count_entry, &n, NULL,
	    NULL);

	return code == 0 && n != 2 ? 1 : code;
}

static int
list_all(void *arg)
{
	int n = 0, code;

	(void)arg;
	code = cordon_store_list(count_entry, &n, NULL, NULL);
	return code == 0 && n != 2 ? 1 : code;
}

static int
get_dir(void *arg)
{
	struct cordon_policy *policy = NULL;
	int code = cordon_store_get_dir(arg, "demo", NULL, &policy, NULL);

	cordon_policy_free(policy);
	return code;
}

static int
get_all(void *arg)
{
	struct cordon_policy *policy = NULL;
	int code = cordon_store_get(arg, NULL, &policy, NULL);

	cordon_policy_free(policy);
	return strcmp(arg, "none") == 0 ? expect(code, CORDON_E_NOT_FOUND) :
					  code;
}

/* Whatever happens, the old document or the new one, and nothing beside it. */
static int
put_dir(void *arg)
{
	int code = cordon_store_put_dir(arg, "local", other, strlen(other),
	    NULL, NULL);
	struct dirent **names = NULL;
	int n = scandir(arg, &names, NULL, NULL);

	for (int i = 0; i < n; i++)
		free(names[i]);
	free(names);
	return n == 4 ? code : 1; /* ".", "..", demo and local */
}

static void
count_trust(const struct cordon_trust_entry *entry, void *arg)
{
	*(int *)arg += entry->current;
}

static int
list_trust(void *arg)
{
	int n = 0, code;

	(void)arg;
	code = cordon_trust_list(count_trust, &n, NULL);
	return code == 0 && n != 1 ? 1 : code;
}

static int
add_trust(void *arg)
{
	return cordon_trust_add(arg, NULL, NULL, NULL);
}

/* Taken back and given again, so that the next run finds the same. */
static int
revoke_trust(void *arg)
{
	int code = cordon_trust_revoke(arg, NULL);

	if (code == CORDON_E_NOT_FOUND)
		code = 0; /* the run before could not give it again */
	return code != 0 ? code : cordon_trust_add(arg, NULL, NULL, NULL);
}

/* ----- Asking ------------------------------------------------------------------------ */

static void
nothing_rule(const struct cordon_rule *rule, void *arg)
{
	(void)rule;
	(void)arg;
}

static void
nothing_step(const struct cordon_step *step, void *arg)
{
	(void)step;
	(void)arg;
}

static int
ask_everything(void *arg)
{
	char real[4097], path[64];
	struct cordon_query query = { .size = sizeof(query),
		.path = tmp_path("w/src/../l/b"), .real_path = real,
		.real_path_size = sizeof(real), .data_dir = "/data" };
	struct cordon_verdict verdict;
	int code;

	(void)arg;
	query.path_len = strlen(query.path);
	for (enum cordon_op op = CORDON_READ; op <= CORDON_EXEC; op++) {
		query.op = op;
		for (query.as = CORDON_AS_PROCESS; query.as < CORDON_AS_MAX;
		    query.as++) {
			code = cordon_check(session, &query, &verdict, NULL);
			if (code != 0 && query.as != CORDON_AS_POLICY)
				return 1;
			code = cordon_explain(session, &query, nothing_step,
			    NULL, NULL);
			if (code != 0 && query.as != CORDON_AS_POLICY)
				return 1;
		}
		if (cordon_profile_check(profile, op, "a/b", 3, &verdict,
			NULL) != 0 || cordon_profile_explain(profile, op,
			"a/b", 3, nothing_rule, NULL, NULL) != 0)
			return 1;
	}
	if (cordon_profile_check(profile, CORDON_CONNECT, "a.org:1", 7,
		&verdict, NULL) != 0 ||
	    cordon_path_normalize("./a//b/", 7, path, sizeof(path), NULL) != 0)
		return 1;
	return 0;
}

static void
test_asking(void)
{
	struct chaos_report report;

	ok(ask_everything(NULL) == 0, "questions of every kind are answered");
	chaos_try(ask_everything, NULL, 0, &report);
	ok_f(report.allocations == 0 &&
	    strcmp(report.problem, "it allocates nothing") == 0,
	    "and asking allocates nothing: %lu (%s)", report.allocations,
	    report.problem);
}

/* ----- Fixture ------------------------------------------------------------------------ */

static void
must(int code, const char *what)
{
	if (code == 0)
		return;
	printf("Bail out! fixture: %s\n", what);
	exit(1);
}

static void
make_files(void)
{
	static const char *const dirs[] = { "w", "w/src", "w/.cordon", "home",
		"home/.ssh", "config", "config/cordon",
		"config/cordon/policies", "state", "store", "x" };

	tmp_begin();
	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++)
		tmp_dir(dirs[i]);
	tmp_file("w/src/a", "");
	tmp_file("w/a.env", "");
	tmp_link("../x", "w/l");
	tmp_file("w/.cordon/policy.yaml", other);
	tmp_file("p.yaml", good);
	tmp_file("store/demo.yaml", good);
	tmp_file("store/local.yaml", other);
	tmp_file("config/cordon/policy.yaml", good);
	tmp_file("config/cordon/policies/demo.yaml", good);
	tmp_file("config/cordon/policies/local.yml", other);
	setenv("HOME", tmp_path("home"), 1);
	setenv("XDG_CONFIG_HOME", tmp_path("config"), 1);
	setenv("XDG_STATE_HOME", tmp_path("state"), 1);
	unsetenv("ORBIT_ACTIVITY_FS_PROFILE");
}

static void
make_objects(void)
{
	struct cordon_session_options options = { .size = sizeof(options),
		.workspace = tmp_path("w"), .profile = "dev" };

	must(cordon_policy_parse(good, strlen(good), "g.yaml", NULL, &global,
		 NULL), "global");
	must(cordon_policy_parse(other, strlen(other), "w.yaml", NULL, &local,
		 NULL), "local");
	must(cordon_policy_parse(refused, strlen(refused), "r.yaml", NULL,
		 &outside, NULL), "outside");
	must(cordon_profile_resolve(global, "dev", &profile, NULL), "profile");
	must(cordon_session_new(&options, NULL, &session, NULL), "session");
	must(cordon_trust_add(tmp_path("w"), NULL, NULL, NULL), "trust");
}

static void
free_objects(void)
{
	cordon_session_free(session);
	cordon_profile_free(profile);
	cordon_policy_free(outside);
	cordon_policy_free(local);
	cordon_policy_free(global);
}

/* Arguments live as long as the program. */
static char *
keep(const char *name)
{
	char *copy = strdup(tmp_path(name));

	must(copy == NULL, "memory");
	return copy;
}

static void
test_documents(void)
{
	char *file = keep("p.yaml"), *workspace = keep("w");

	chaos_run("parse", parse, (void *)(uintptr_t)good, 0);
	chaos_run("parse what is wrong", parse, (void *)(uintptr_t)bad,
	    CHAOS_ABSORBS);
	chaos_run("load", load, file, 0);
	chaos_run("merge", merge, local, 0);
	chaos_run("merge what is refused", merge, outside, 0);
	chaos_run("policy as YAML", format_policy, NULL, 0);
	chaos_run("policy as JSON", format_policy, file, 0);
	chaos_run("schema", schema, NULL, 0);
	chaos_run("reference", reference, NULL, 0);
	chaos_run("lint", lint, NULL, CHAOS_ABSORBS);
	chaos_run("lint in a workspace", lint, workspace, CHAOS_ABSORBS);
	chaos_run("resolve", resolve, (void *)(uintptr_t)"dev", 0);
	chaos_run("resolve unrestricted", resolve, NULL, 0);
	chaos_run("profile as YAML", format_profile, NULL, 0);
	chaos_run("profile as JSON", format_profile, file, 0);
	chaos_run("matcher", build, NULL, 0);
	chaos_run("glob", glob, (void *)(uintptr_t)"src/**/*.c", 0);
	free(file);
	free(workspace);
}

static void
test_session(void)
{
	char *workspace = keep("w"), *file = keep("p.yaml");
	const char *policies[] = { file };
	const char *roots[] = { "/opt", "~/x", "rel" };
	struct cordon_session_options found = { .size = sizeof(found),
		.workspace = workspace, .profile = "dev", .network = "a.org,b" };
	struct cordon_session_options named = { .size = sizeof(named),
		.workspace = workspace, .profile = "dev",
		.policies = policies, .policy_count = 1, .read = roots,
		.read_count = 3, .write = roots, .write_count = 1 };
	struct cordon_session_options strict = found;

	strict.preset = CORDON_PRESET_STRICT;
	chaos_run("session", new_session, &found, 0);
	chaos_run("session of named policies", new_session, &named, 0);
	chaos_run("strict session", new_session, &strict, 0);
	chaos_run("session as YAML", format_session, NULL, 0);
	chaos_run("session as JSON", format_session, workspace, 0);
	free(workspace);
	free(file);
}

static void
test_stores(void)
{
	char *store = keep("store"), *workspace = keep("w");

	chaos_run("list a store", list_dir, store, 0);
	chaos_run("list the stores", list_all, NULL, 0);
	chaos_run("get from a store", get_dir, store, 0);
	chaos_run("get", get_all, (void *)(uintptr_t)"demo", 0);
	chaos_run("get what is not there", get_all, (void *)(uintptr_t)"none",
	    0);
	chaos_run("put", put_dir, store, 0);
	chaos_run("list what is trusted", list_trust, NULL, 0);
	chaos_run("trust", add_trust, workspace, 0);
	chaos_run("revoke", revoke_trust, workspace, 0);
	free(store);
	free(workspace);
}

int
main(void)
{
	int fds;

	make_files();
	make_objects();
	fds = tmp_open_fds();
	test_documents();
	test_session();
	test_stores();
	test_asking();
	ok(tmp_open_fds() == fds, "no descriptor is left open");
	free_objects();
	tmp_end();
	return done_testing();
}
