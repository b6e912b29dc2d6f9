/*
 * The agent's side: paths it may name, commands it may have run.
 */
#include "vector.h"

#define PATHS_MAX 8

/* A workdir and a home as a line names them, and what may be asked there. */
struct agent {
	struct fixture f;
	struct cordon_session *session;
	struct cordon_path_policy *policy;
};

/* ----- Sessions ----------------------------------------------------------- */

/* "allowed_paths" and "unrestricted" of one object. */
static void
fill_module(struct cordon_module *module, const json_t *constraints,
    const char **paths)
{
	const json_t *list = json_object_get(constraints, "allowed_paths");

	module->unrestricted =
	    json_is_true(json_object_get(constraints, "unrestricted"));
	for (size_t i = 0; i < json_array_size(list) && i < PATHS_MAX; i++)
		paths[module->allowed_path_count++] =
		    json_string_value(json_array_get(list, i));
	module->allowed_paths = paths;
}

static void
agent_begin(struct vector *v, struct agent *a, const char *name,
    const json_t *constraints)
{
	const char *workdir = vector_optional(v->line, "workdir");
	struct cordon_session_options options = { .size = sizeof(options) };
	struct cordon_module module = { .name = name };
	const char *paths[PATHS_MAX];
	struct cordon_error err = { 0 };
	char *dir, *home;

	*a = (struct agent){ 0 };
	fixture_begin(&a->f, NULL);
	dir = fixture_path(&a->f, workdir != NULL ? workdir : "$WS");
	home = fixture_path(&a->f, "/home/u");
	fixture_dir(dir);
	snprintf(a->f.ws, sizeof(a->f.ws), "%s", dir);
	setenv("HOME", home, 1);
	fixture_add(&a->f, json_object_get(v->line, "fixture"));
	fill_module(&module, constraints, paths);
	options.workspace = dir;
	options.modules = &module;
	options.module_count = 1;
	if (cordon_session_new(&options, NULL, &a->session, &err) != 0 ||
	    cordon_path_policy_new(a->session, NULL, 0, &a->policy, &err) != 0)
		vector_fail(v, "no session: %s", err.text);
	free(home);
	free(dir);
}

static void
agent_end(struct agent *a)
{
	cordon_path_policy_free(a->policy);
	cordon_session_free(a->session);
	fixture_end(&a->f);
}

/* ----- Paths ---------------------------------------------------------------- */

/* A JSON string may hold NUL, which no path may. */
static char *
input_path(const struct vector *v, const struct fixture *f, size_t *ret_len)
{
	const json_t *input = json_object_get(v->line, "input");
	size_t len = json_string_length(input);
	char *path;

	if (strlen(json_string_value(input)) == len) {
		path = fixture_path(f, json_string_value(input));
		*ret_len = strlen(path);
		return path;
	}
	path = malloc(len);
	if (path != NULL)
		memcpy(path, json_string_value(input), len);
	*ret_len = len;
	return path;
}

static void
compare_path(struct vector *v, const struct agent *a, const char *got)
{
	const char *path = vector_optional(v->expect, "path");
	char *want = fixture_path(&a->f, path != NULL ? path : "<none>");

	/* Only a directory that folds case makes it the same name. */
	if (strcmp(want, got) != 0 &&
	    vector_optional(v->line, "requires") == NULL)
		vector_fail(v, "'%s' is allowed, wanted '%s'", got, want);
	free(want);
}

/* Each refusal must say why, and is_allowed must agree. */
static void
compare_refusal(struct vector *v, const struct cordon_error *err,
    const struct cordon_refused *refused)
{
	vector_failure(v, err, NULL);
	if (refused->code == CORDON_REFUSAL_NONE)
		vector_fail(v, "refused without a code: %s", err->text);
	if (err->code == CORDON_E_DENIED && (!refused->has_verdict ||
	    refused->profile == NULL || refused->verdict.allowed))
		vector_fail(v, "refused without a verdict: %s", err->text);
}

void
run_path_policy(struct vector *v)
{
	struct cordon_refused refused = { 0 };
	struct cordon_error err = { 0 };
	char out[PATH_MAX + 1] = "";
	struct agent a;
	size_t len;
	char *path;
	int rc;

	agent_begin(v, &a, "filesystem",
	    json_object_get(v->line, "constraints"));
	path = input_path(v, &a.f, &len);
	if (a.policy != NULL) {
		rc = cordon_path_enforce(a.policy, CORDON_READ, path, len, out,
		    sizeof(out), &refused, &err);
		if (rc != 0)
			compare_refusal(v, &err, &refused);
		else
			compare_path(v, &a, out);
		if ((rc == 0) != cordon_path_is_allowed(a.policy, CORDON_READ,
			path, len))
			vector_fail(v, "is_allowed disagrees");
	}
	free(path);
	agent_end(&a);
}

/* A root of one module is open, whoever asks: there is one policy. */
void
run_module_merge(struct vector *v)
{
	json_t *modules = json_object_get(v->line, "modules");
	const json_t *extra = json_object_get(v->expect, "allowed_extra");
	struct agent a;
	const char *name;
	json_t *constraints;

	json_object_foreach(modules, name, constraints) {
		agent_begin(v, &a, name, constraints);
		for (size_t i = 0; a.policy != NULL &&
		     i < json_array_size(extra); i++) {
			const char *path =
			    json_string_value(json_array_get(extra, i));

			if (!cordon_path_is_allowed(a.policy, CORDON_MODIFY,
				path, strlen(path)))
				vector_fail(v, "'%s' is not open", path);
		}
		if (a.policy != NULL &&
		    cordon_path_is_allowed(a.policy, CORDON_READ, "/etc", 4))
			vector_fail(v, "more than that is open");
		agent_end(&a);
	}
}

/* ----- Commands --------------------------------------------------------------- */

/* Homes in the middle of a command lie in R, too. */
static char *
command_text(const struct fixture *f, const char *command)
{
	const char *at = strstr(command, "/home/u/");
	char *text = NULL;

	if (at == NULL)
		return strdup(command);
	if (asprintf(&text, "%.*s%s%s", (int)(at - command), command, f->root,
		at) < 0)
		return NULL;
	return text;
}

static void
compare_walk(struct vector *v, const struct cordon_shell_verdict *got)
{
	const json_t *allowed = json_object_get(v->expect, "allowed");
	const char *token = vector_optional(v->expect, "token");

	if (allowed != NULL && json_is_true(allowed) != got->allowed)
		vector_fail(v, "%s: %s", got->allowed ? "allowed" : "refused",
		    got->reason);
	if (token != NULL && strcmp(token, got->token) != 0)
		vector_fail(v, "it stopped at '%s'", got->token);
	if (got->dynamic != json_is_true(json_object_get(v->expect, "dynamic")) &&
	    token == NULL)
		vector_fail(v, "dynamic is %d", got->dynamic);
	if (got->allowed != (got->reason[0] == '\0') ||
	    got->allowed != (got->refused.code == CORDON_REFUSAL_NONE))
		vector_fail(v, "no reason: %s", got->reason);
}

static void
ask_shell(struct vector *v, const char *command, const char *cwd)
{
	struct cordon_shell_query query = { .size = sizeof(query),
		.enforced = true };
	struct cordon_shell_verdict verdict;
	struct cordon_error err = { 0 };
	struct agent a;
	char *text, *dir;

	agent_begin(v, &a, "shell", json_object_get(v->line, "constraints"));
	text = command_text(&a.f, command);
	dir = fixture_path(&a.f, cwd);
	query.command = text;
	query.command_len = strlen(text);
	query.cwd = dir;
	if (a.policy == NULL ||
	    cordon_shell_check(a.policy, &query, &verdict, &err) != 0)
		vector_fail(v, "no answer: %s", err.text);
	else
		compare_walk(v, &verdict);
	free(dir);
	free(text);
	agent_end(&a);
}

void
run_shell_walk(struct vector *v)
{
	ask_shell(v, vector_string(v->line, "command"), "");
}

void
run_cwd_check(struct vector *v)
{
	ask_shell(v, "true", vector_string(v->line, "cwd"));
}

/* ----- Rules -------------------------------------------------------------------- */

#define RULES_MAX 16

static size_t
fill_rules(const json_t *list, struct cordon_shell_rule *rules)
{
	size_t n = json_array_size(list);

	for (size_t i = 0; i < n && i < RULES_MAX; i++) {
		const json_t *rule = json_array_get(list, i);
		const json_t *grants = json_object_get(rule, "grants");

		rules[i] = (struct cordon_shell_rule){
			.pattern = vector_string(rule, "pattern"),
			.approval_required = json_is_true(
			    json_object_get(rule, "approval_required")),
			.grants.network = json_is_true(
			    json_object_get(grants, "network")),
		};
	}
	return n < RULES_MAX ? n : RULES_MAX;
}

static enum cordon_shell_default
fallback_of(const json_t *fallback)
{
	if (!json_is_object(fallback))
		return CORDON_SHELL_DEFAULT_NONE;
	return json_is_true(json_object_get(fallback, "approval_required")) ?
	    CORDON_SHELL_DEFAULT_ASK : CORDON_SHELL_DEFAULT_ALLOW;
}

static void
compare_rule(struct vector *v, const struct cordon_shell_decision *got)
{
	const json_t *grants = json_object_get(v->expect, "grants");
	const json_t *approval = json_object_get(v->expect, "approval");
	const char *match = vector_optional(v->expect, "match");
	const char *decision = vector_optional(v->expect, "decision");
	enum cordon_decision want = CORDON_DENY;

	if (approval != NULL)
		want = json_is_true(approval) ? CORDON_ASK : CORDON_ALLOW;
	if (decision != NULL && strcmp(decision, "needs_approval") == 0)
		want = CORDON_ASK;
	if ((match != NULL) != (got->rule != NULL) ||
	    (match != NULL && strcmp(match, got->rule->pattern) != 0))
		vector_fail(v, "it fits '%s'",
		    got->rule != NULL ? got->rule->pattern : "nothing");
	if (got->decision != want)
		vector_fail(v, "%s", cordon_decision_name(got->decision));
	if (got->rule != NULL && got->rule->grants.network !=
		json_is_true(json_object_get(grants, "network")))
		vector_fail(v, "other grants");
}

void
run_shell_rules(struct vector *v)
{
	const char *command = vector_string(v->line, "command");
	struct cordon_shell_rule rules[RULES_MAX];
	struct cordon_shell_decision got;
	struct cordon_error err = { 0 };

	if (cordon_shell_rules_match(rules,
		fill_rules(json_object_get(v->line, "rules"), rules),
		fallback_of(json_object_get(v->line, "default")), command,
		strlen(command), &got, &err) != 0)
		vector_failure(v, &err, NULL);
	else
		compare_rule(v, &got);
}

static void
compare_program(struct vector *v, const struct cordon_program_verdict *got)
{
	const json_t *audit = json_object_get(v->expect, "audit");
	const char *want = json_string_value(v->expect);

	if (want != NULL && (strcmp(want, "allowed") == 0) != got->allowed)
		vector_fail(v, "%s", got->allowed ? "allowed" : "denied");
	if (audit == NULL)
		return;
	if (got->allowed ||
	    strcmp(vector_string(audit, "profile"), got->profile) != 0 ||
	    strcmp(vector_string(audit, "matched_rule"), got->matched_rule) !=
		0)
		vector_fail(v, "%s by '%s' of '%s'",
		    got->allowed ? "allowed" : "denied", got->matched_rule,
		    got->profile);
}

void
run_proc_gate(struct vector *v)
{
	const json_t *list = json_object_get(v->line, "allowed_programs");
	struct cordon_program_verdict got;
	struct cordon_error err = { 0 };
	const char *programs[PATHS_MAX];
	size_t n = 0;

	for (; n < json_array_size(list) && n < PATHS_MAX; n++)
		programs[n] = json_string_value(json_array_get(list, n));
	if (cordon_program_check(programs, n,
		json_is_true(json_object_get(v->line, "activity_scoped")),
		vector_string(v->line, "program"), &got, &err) != 0)
		vector_failure(v, &err, NULL);
	else
		compare_program(v, &got);
}

/* ----- Workers ------------------------------------------------------------------- */

static struct cordon_worker *
parse_worker(struct vector *v, const char *text)
{
	struct cordon_diags *diags = cordon_diags_new();
	struct cordon_worker *worker = NULL;
	struct cordon_error err = { 0 };

	if (cordon_worker_parse(text, strlen(text), "worker.yaml", diags,
		&worker, &err) != 0)
		vector_failure(v, &err, diags);
	cordon_diags_free(diags);
	return worker;
}

void
run_worker_config(struct vector *v)
{
	struct cordon_worker *worker =
	    parse_worker(v, vector_string(v->line, "config"));

	if (worker != NULL && vector_wants_error(v))
		vector_fail(v, "accepted");
	cordon_worker_free(worker);
}

/* {"network":..., "paths":{ROOT: MODE}} as a document; JSON is YAML. */
static struct cordon_worker *
side_of(struct vector *v, json_t *side)
{
	json_t *paths = json_object_get(side, "paths");
	json_t *network = json_object_get(side, "network");
	json_t *sandbox = json_object(), *document = json_object();
	struct cordon_worker *worker;
	const char *root;
	json_t *mode;
	char *text;

	if (network != NULL)
		json_object_set(sandbox, "network", network);
	if (paths != NULL)
		json_object_set_new(sandbox, "paths", json_object());
	json_object_foreach(paths, root, mode)
		json_object_set_new(json_object_get(sandbox, "paths"), root,
		    json_pack("{s:s, s:O}", "root", root, "mode", mode));
	json_object_set_new(document, "sandbox", sandbox);
	text = json_dumps(document, 0);
	worker = parse_worker(v, text);
	free(text);
	json_decref(document);
	return worker;
}

void
run_composition(struct vector *v)
{
	struct cordon_worker *parent =
	    side_of(v, json_object_get(v->line, "parent"));
	struct cordon_worker *child =
	    side_of(v, json_object_get(v->line, "child"));
	bool rejected = strcmp(json_string_value(v->expect), "rejected") == 0;
	struct cordon_error err = { 0 };

	if (parent == NULL || child == NULL)
		vector_fail(v, "no documents");
	else if ((cordon_worker_fits(parent, child, &err) != 0) != rejected)
		vector_fail(v, "%s: %s", rejected ? "accepted" : "refused",
		    err.text);
	cordon_worker_free(parent);
	cordon_worker_free(child);
}
