/*
 * run_vectors - holds libcordon, or with COMMAND the command, to the vectors.
 *
 *	run_vectors [--command COMMAND] FILE.jsonl...
 *
 * One point per line of a file, named by its id.
 */
#include "vector.h"

#include <unistd.h>

#include "support/tap.h"

/* ----- Documents -------------------------------------------------------- */

/* NULL when the error was compared (or is the failure of the vector). */
static struct cordon_policy *
parse(struct vector *v, const char *text)
{
	struct cordon_diags *diags = cordon_diags_new();
	struct cordon_policy *policy = NULL;
	struct cordon_error err = { 0 };

	if (cordon_policy_parse(text, strlen(text), "vector.yaml", diags,
		&policy, &err) != 0)
		vector_failure(v, &err, diags);
	cordon_diags_free(diags);
	return policy;
}

static void
run_document(struct vector *v)
{
	struct cordon_policy *policy =
	    parse(v, vector_string(v->line, "policy"));

	if (policy != NULL && vector_wants_error(v))
		vector_fail(v, "accepted");
	cordon_policy_free(policy);
}

/* ----- Verdicts on strings ---------------------------------------------- */

static void
check_string(struct vector *v, const struct cordon_policy *policy,
    const json_t *query)
{
	const char *path = vector_string(query, "path");
	struct cordon_profile *profile = NULL;
	struct cordon_verdict verdict;
	struct cordon_error err = { 0 };

	if (cordon_profile_resolve(policy, vector_string(query, "profile"),
		&profile, &err) != 0 ||
	    cordon_profile_check(profile,
		vector_op(vector_string(query, "op")), path, strlen(path),
		&verdict, &err) != 0)
		vector_failure(v, &err, NULL);
	else
		vector_verdict(v, verdict.allowed, verdict.matched_rule);
	cordon_profile_free(profile);
}

static void
run_check(struct vector *v)
{
	struct cordon_policy *policy =
	    parse(v, vector_string(v->line, "policy"));

	if (policy != NULL)
		check_string(v, policy, v->line);
	cordon_policy_free(policy);
}

static void
compare_rules(struct vector *v, const struct cordon_profile *profile,
    enum cordon_op op)
{
	const json_t *want = json_object_get(v->expect, cordon_op_name(op));
	size_t count = cordon_profile_rule_count(profile, op);
	struct cordon_rule rule;

	if (json_array_size(want) != count)
		vector_fail(v, "%s: %zu rules, wanted %zu", cordon_op_name(op),
		    count, json_array_size(want));
	for (size_t i = 0; i < json_array_size(want) &&
	     cordon_profile_rule(profile, op, i, &rule); i++) {
		const char *text =
		    json_string_value(json_array_get(want, i));
		bool negated = text[0] == '!';

		if (rule.negated != negated ||
		    strcmp(rule.pattern, text + negated) != 0)
			vector_fail(v, "%s rule %zu is '%s%s', wanted '%s'",
			    cordon_op_name(op), i, rule.negated ? "!" : "",
			    rule.pattern, text);
	}
}

static void
run_effective_profile(struct vector *v)
{
	struct cordon_policy *policy =
	    parse(v, vector_string(v->line, "policy"));
	struct cordon_profile *profile = NULL;
	struct cordon_error err = { 0 };

	if (policy == NULL)
		return;
	if (cordon_profile_resolve(policy, vector_string(v->line, "profile"),
		&profile, &err) != 0) {
		vector_failure(v, &err, NULL);
	} else {
		if (strcmp(cordon_profile_name(profile),
			vector_string(v->expect, "name")) != 0)
			vector_fail(v, "it is called '%s'",
			    cordon_profile_name(profile));
		compare_rules(v, profile, CORDON_READ);
		compare_rules(v, profile, CORDON_MODIFY);
	}
	cordon_profile_free(profile);
	cordon_policy_free(policy);
}

/* ----- Merging ---------------------------------------------------------- */

static void
compare_profiles(struct vector *v, const struct cordon_policy *merged)
{
	const json_t *want = json_object_get(v->expect, "fsProfiles");
	struct cordon_error err = { 0 };
	char *text = NULL;
	json_t *got;

	if (cordon_policy_format(merged, CORDON_FORMAT_JSON, &text, &err) !=
	    0) {
		vector_failure(v, &err, NULL);
		return;
	}
	got = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	if (!json_equal(json_object_get(got, "fsProfiles"), want))
		vector_fail(v, "profiles differ: %s", text);
	json_decref(got);
	free(text);
}

static void
compare_merged(struct vector *v, const struct cordon_policy *merged)
{
	const char *name = vector_optional(v->expect, "name");
	const json_t *checks = json_object_get(v->expect, "checks");
	const json_t *expect = v->expect;

	if (vector_wants_error(v))
		vector_fail(v, "accepted");
	if (name != NULL && strcmp(name, cordon_policy_name(merged)) != 0)
		vector_fail(v, "it is called '%s'", cordon_policy_name(merged));
	if (json_object_get(expect, "fsProfiles") != NULL)
		compare_profiles(v, merged);
	for (size_t i = 0; i < json_array_size(checks); i++) {
		v->expect = json_array_get(checks, i);
		check_string(v, merged, v->expect);
	}
	v->expect = expect;
}

static void
run_merge(struct vector *v)
{
	struct cordon_policy *global =
	    parse(v, vector_string(v->line, "global"));
	struct cordon_policy *workspace =
	    parse(v, vector_string(v->line, "workspace"));
	struct cordon_diags *diags = cordon_diags_new();
	struct cordon_policy *merged = NULL;
	struct cordon_error err = { 0 };

	if (global != NULL && workspace != NULL) {
		if (cordon_policy_merge(global, workspace, diags, &merged,
			&err) != 0)
			vector_failure(v, &err, diags);
		else
			compare_merged(v, merged);
	}
	cordon_policy_free(merged);
	cordon_policy_free(workspace);
	cordon_policy_free(global);
	cordon_diags_free(diags);
}

/* ----- Strings ---------------------------------------------------------- */

static void
compare_bool(struct vector *v, const char *key, int rc,
    const struct cordon_error *err)
{
	if (rc < 0)
		vector_failure(v, err, NULL);
	else if ((rc == 1) != json_is_true(json_object_get(v->expect, key)))
		vector_fail(v, "%s is %s", key, rc == 1 ? "true" : "false");
}

static void
run_glob(struct vector *v)
{
	const char *path = vector_string(v->line, "path");
	struct cordon_error err = { 0 };
	int rc = cordon_glob_match(vector_string(v->line, "pattern"), path,
	    strlen(path), &err);

	compare_bool(v, "match", rc, &err);
}

static void
run_rule_covers(struct vector *v)
{
	struct cordon_error err = { 0 };
	int rc = cordon_rule_covers(vector_string(v->line, "read_rule"),
	    vector_string(v->line, "modify_rule"), &err);

	compare_bool(v, "covers", rc, &err);
}

typedef int normalize_fn(const char *text, size_t len, char *out, size_t size,
    struct cordon_error *err);

static void
run_normalize(struct vector *v, normalize_fn *normalize)
{
	const char *input = vector_string(v->line, "input");
	const char *want = vector_optional(v->expect, "normalized");
	struct cordon_error err = { 0 };
	char out[4096];

	if (normalize(input, strlen(input), out, sizeof(out), &err) != 0)
		vector_failure(v, &err, NULL);
	else if (want == NULL || strcmp(want, out) != 0)
		vector_fail(v, "it became '%s'", out);
}

static void
run_normalize_path(struct vector *v)
{
	run_normalize(v, cordon_path_normalize);
}

static void
run_normalize_rule(struct vector *v)
{
	run_normalize(v, cordon_rule_normalize);
}

static void
run_resource_name(struct vector *v)
{
	const char *name = vector_string(v->line, "name");
	struct cordon_error err = { 0 };

	if (cordon_name_check(name, strlen(name), &err) != 0)
		vector_failure(v, &err, NULL);
	else if (vector_wants_error(v))
		vector_fail(v, "accepted");
}

static void
run_binding(struct vector *v)
{
	const json_t *env = json_object_get(v->line, "env");
	const char *variable = "ORBIT_ACTIVITY_FS_PROFILE";
	const char *value = vector_optional(env, variable);
	const char *got;

	unsetenv(variable);
	if (value != NULL)
		setenv(variable, value, 1);
	got = cordon_profile_default(vector_optional(v->line, "fsProfile"));
	if (strcmp(got, json_string_value(v->expect)) != 0)
		vector_fail(v, "it is '%s'", got);
	unsetenv(variable);
}

/* ----- Files ------------------------------------------------------------ */

static void
add_name(const struct cordon_store_entry *entry, void *arg)
{
	json_array_append_new(arg, json_string(entry->name));
}

static void
ask_store(struct vector *v, const char *dir)
{
	struct cordon_diags *diags = cordon_diags_new();
	struct cordon_policy *policy = NULL;
	struct cordon_error err = { 0 };
	json_t *names = json_array();
	bool list = strcmp(vector_string(v->line, "op"), "list") == 0;
	int rc = list ?
	    cordon_store_list_dir(dir, add_name, names, diags, &err) :
	    cordon_store_get_dir(dir, vector_string(v->line, "name"), diags,
		&policy, &err);

	if (rc != 0)
		vector_failure(v, &err, diags);
	else if (vector_wants_error(v))
		vector_fail(v, "accepted");
	else if (list &&
	    !json_equal(names, json_object_get(v->expect, "names")))
		vector_fail(v, "other names, %zu", json_array_size(names));
	json_decref(names);
	cordon_policy_free(policy);
	cordon_diags_free(diags);
}

static void
run_store(struct vector *v)
{
	json_t *files = json_object_get(v->line, "files");
	struct fixture f;
	const char *name;
	json_t *text;

	fixture_begin(&f, NULL);
	json_object_foreach(files, name, text) {
		char path[PATH_MAX];

		snprintf(path, sizeof(path), "/ws/%s", name);
		free(fixture_write(&f, path, json_string_value(text)));
	}
	ask_store(v, f.ws);
	fixture_end(&f);
}

static void
ask_session(struct vector *v, const struct cordon_session_options *options,
    const struct cordon_query *query, struct cordon_verdict *ret)
{
	struct cordon_diags *diags = cordon_diags_new();
	struct cordon_session *session = NULL;
	struct cordon_error err = { 0 };

	if (cordon_session_new(options, diags, &session, &err) != 0 ||
	    cordon_check(session, query, ret, &err) != 0)
		vector_failure(v, &err, diags);
	else if (query->as == CORDON_AS_AGENT)
		vector_verdict(v, ret->allowed, ret->matched_rule);
	cordon_session_free(session);
	cordon_diags_free(diags);
}

static void
run_resolve(struct vector *v)
{
	struct cordon_session_options options = { .size = sizeof(options) };
	struct cordon_query query = { .size = sizeof(query) };
	struct cordon_verdict verdict;
	struct fixture f;
	char *policy, *path;

	fixture_begin(&f, json_object_get(v->line, "fixture"));
	policy = fixture_write(&f, "/policy.yaml",
	    vector_string(v->line, "policy"));
	path = fixture_path(&f, vector_string(v->line, "request"));
	options.workspace = f.ws;
	options.policies = (const char *const[]){ policy };
	options.policy_count = 1;
	options.profile = vector_string(v->line, "profile");
	query.as = CORDON_AS_AGENT;
	query.op = vector_op(vector_string(v->line, "op"));
	query.path = path;
	query.path_len = strlen(path);
	ask_session(v, &options, &query, &verdict);
	free(path);
	free(policy);
	fixture_end(&f);
}

static void
run_omega_block(struct vector *v)
{
	const char *config = vector_optional(v->line, "config_path");
	struct cordon_session_options options = { .size = sizeof(options) };
	struct cordon_query query = { .size = sizeof(query) };
	struct cordon_verdict verdict = { .decision = CORDON_ASK };
	struct fixture f;
	char *path, *data_dir, *config_path;

	fixture_begin(&f, json_object_get(v->line, "fixture"));
	path = fixture_path(&f, vector_string(v->line, "path"));
	data_dir = fixture_path(&f, vector_string(v->line, "data_dir"));
	config_path = fixture_path(&f, config != NULL ? config : "");
	options.workspace = f.ws;
	query.as = CORDON_AS_BLOCK;
	query.op = strstr(vector_string(v->line, "fn"), "write") != NULL ?
	    CORDON_MODIFY : CORDON_READ;
	query.path = path;
	query.path_len = strlen(path);
	query.data_dir = data_dir;
	query.config_path = config != NULL ? config_path : NULL;
	ask_session(v, &options, &query, &verdict);
	compare_bool(v, "blocked", verdict.decision == CORDON_DENY, NULL);
	compare_bool(v, "blocked", query.op == CORDON_MODIFY ?
	    cordon_is_write_blocked(path, data_dir, query.config_path) :
	    cordon_is_read_blocked(path, data_dir, query.config_path), NULL);
	free(config_path);
	free(data_dir);
	free(path);
	fixture_end(&f);
}

/* ----- Running ---------------------------------------------------------- */

static const struct {
	const char *kind;
	void (*run)(struct vector *v);
} kinds[] = {
	{ "binding", run_binding },
	{ "check", run_check },
	{ "composition", run_composition },
	{ "cwd_check", run_cwd_check },
	{ "effective_profile", run_effective_profile },
	{ "glob", run_glob },
	{ "load", run_document },
	{ "mcp_guard", vector_mcp_guard },
	{ "merge", run_merge },
	{ "module_merge", run_module_merge },
	{ "normalize_path", run_normalize_path },
	{ "normalize_rule", run_normalize_rule },
	{ "omega_block", run_omega_block },
	{ "omega_command", run_omega_command },
	{ "omega_sbpl", run_omega_sbpl },
	{ "path_policy", run_path_policy },
	{ "proc_gate", run_proc_gate },
	{ "resolve", run_resolve },
	{ "resource_name", run_resource_name },
	{ "rule_covers", run_rule_covers },
	{ "bwrap_argv", run_bwrap_argv },
	{ "sbpl", run_sbpl },
	{ "shell_rules", run_shell_rules },
	{ "shell_walk", run_shell_walk },
	{ "store", run_store },
	{ "trusted_binary", run_trusted_binary },
	{ "validate", run_document },
	{ "worker_config", run_worker_config },
};

static void
run_library(struct vector *v, const char *kind)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i].kind, kind) == 0) {
			kinds[i].run(v);
			return;
		}
	vector_fail(v, "unknown kind '%s'", kind);
}

static void
run_line(const json_t *line, const char *command)
{
	struct vector v = {
		.line = line,
		.expect = json_object_get(line, "expect"),
	};
	const char *id = vector_string(line, "id");
	const char *kind = vector_string(line, "kind");

	if (command == NULL)
		run_library(&v, kind);
	else
		command_run(&v, kind, command);
	ok_f(v.why[0] == '\0', "%s%s%s", id, v.why[0] != '\0' ? ": " : "",
	    v.why);
}

static void
run_file(const char *file, const char *command)
{
	FILE *stream = fopen(file, "r");
	char *text = NULL;
	size_t room = 0;

	if (stream == NULL) {
		ok_f(false, "cannot read %s", file);
		return;
	}
	while (getline(&text, &room, stream) > 0) {
		json_t *line = json_loads(text,
		    JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);

		if (line == NULL)
			ok_f(false, "%s holds a line that is no JSON", file);
		else
			run_line(line, command);
		json_decref(line);
	}
	free(text);
	fclose(stream);
}

int
main(int argc, char **argv)
{
	const char *command = NULL;
	int i = 1;

	if (argc > 2 && strcmp(argv[1], "--command") == 0) {
		command = argv[2];
		i = 3;
	}
	for (; i < argc; i++)
		run_file(argv[i], command);
	return done_testing();
}
