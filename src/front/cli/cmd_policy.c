/*
 * `cordon policy validate | lint | merge | schema | reference`: what can be
 * said about documents without asking anything of them.
 *
 * Errors of documents go to standard error, as they do in every command;
 * what lint finds is what it was asked for and goes to standard output.
 */
#include "front/cli/cli.h"

/* ----- validate --------------------------------------------------------- */

/* A failure that left no finding behind (a file that is not there) is one. */
static void
print_failure_json(const char *file, const struct cordon_error *err)
{
	struct cli_json json;

	cli_json_begin(&json);
	cli_json_bytes(&json, "source", NULL, cdn_str_of(file));
	cli_json_position(&json, err->line, err->column);
	cli_json_member(&json, "severity", "error");
	cli_json_member(&json, "error", cordon_code_name(CORDON_E_INVALID));
	cli_json_member(&json, "message", err->text);
	cli_json_member(&json, "id", NULL);
	cli_json_member(&json, "hint", NULL);
	cli_json_end(&json);
}

void
cli_findings(const struct cli_args *args, const char *file, bool failed,
    const struct cordon_diags *diags, const struct cordon_error *err)
{
	bool said = cordon_diags_errors(diags) > 0;

	if (cli_has(args, CLI_JSON)) {
		cli_diags_json(diags);
		if (failed && !said)
			print_failure_json(file, err);
		return;
	}
	if (!cli_has(args, CLI_QUIET) || failed)
		cli_diags(stderr, diags);
	if (failed && !said)
		cli_failure(NULL, err);
	if (!failed) {
		cli_put_safe(stdout, cdn_str_of(file));
		fputs(": ok\n", stdout);
	}
}

static bool
validate(const struct cli_args *args, const char *file)
{
	struct cordon_diags *diags = cli_diags_new();
	struct cordon_policy *policy = NULL;
	struct cordon_error err = { 0 };
	int rc = cordon_policy_load(file, diags, &policy, &err);

	if (rc == CORDON_E_NOMEM)
		cli_out_of_memory();
	cli_findings(args, file, rc != 0, diags, &err);
	if (rc == 0)
		cordon_policy_free(policy);
	cordon_diags_free(diags);
	return rc == 0;
}

int
cli_policy_validate(const struct cli_args *args)
{
	int status = CLI_YES;

	for (size_t i = 0; i < args->operands.n; i++)
		if (!validate(args, args->operands.v[i]))
			status = CLI_INVALID;
	return status;
}

/* ----- lint ------------------------------------------------------------- */

/* workspace NULL: rules are not compared with what is on disk. */
static int
lint(const struct cli_args *args, const char *file, const char *workspace)
{
	struct cordon_policy *policy = cli_policy_load(file);
	struct cordon_diags *diags;
	struct cordon_error err = { 0 };
	int status = CLI_YES;

	if (policy == NULL)
		return CLI_INVALID;
	diags = cli_diags_new();
	if (cordon_policy_lint(policy, workspace, diags, &err) != 0) {
		cli_failure(NULL, &err);
		status = CLI_INVALID;
	} else if (cordon_diags_count(diags) > 0) {
		if (cli_has(args, CLI_JSON))
			cli_diags_json(diags);
		else
			cli_diags(stdout, diags);
		status = CLI_FOUND;
	}
	cordon_diags_free(diags);
	cordon_policy_free(policy);
	return status;
}

static int
lint_files(const struct cli_args *args)
{
	const char *workspace = cli_value(args, CLI_WORKSPACE);
	int status = CLI_YES;

	if (workspace == NULL && !cli_workspace_too_wide(args))
		workspace = ".";
	for (size_t i = 0; i < args->operands.n; i++) {
		int one = lint(args, args->operands.v[i], workspace);

		status = one > status ? one : status;
	}
	return status;
}

/* Every document that would be loaded here. */
static int
lint_session(const struct cli_args *args, const struct cordon_session *session)
{
	struct cordon_document document;
	int status = CLI_YES;
	size_t i;

	for (i = 0; cordon_session_document(session, i, &document); i++) {
		int one = lint(args, document.file,
		    cordon_session_workspace(session));

		status = one > status ? one : status;
	}
	if (i == 0)
		cli_note("no document is loaded here, the preset's own rules "
			 "apply");
	return status;
}

int
cli_policy_lint(const struct cli_args *args)
{
	struct cordon_session *session = NULL;
	struct cordon_diags *diags;
	struct cordon_error err = { 0 };
	int status = CLI_INVALID;

	if (args->operands.n > 0)
		return lint_files(args);
	if (!cli_workspace_named(args))
		return CLI_INVALID;
	cli_workspace_hint(args);
	diags = cli_diags_new();
	if (cli_session_new(args, "unrestricted", diags, &session, &err) != 0)
		cli_failure(diags, &err);
	else
		status = lint_session(args, session);
	cordon_session_free(session);
	cordon_diags_free(diags);
	return status;
}

/* ----- merge ------------------------------------------------------------ */

static void
warn_widened(const struct cordon_policy *policy)
{
	const char *name;

	for (size_t i = 0; (name = cordon_policy_widened(policy, i)) != NULL;
	     i++)
		cli_note("warning: profile '%s' grants more than the global "
			 "policy did",
		    name);
}

static int
print_policy(const struct cli_args *args, const struct cordon_policy *policy)
{
	cdn_cleanup_free char *text = NULL;
	struct cordon_error err = { 0 };

	if (cordon_policy_format(policy,
		cli_has(args, CLI_JSON) ? CORDON_FORMAT_JSON :
					  CORDON_FORMAT_YAML,
		&text, &err) != 0) {
		cli_failure(NULL, &err);
		return CLI_INVALID;
	}
	cli_put_text(text);
	warn_widened(policy);
	return CLI_YES;
}

static int
merge(const struct cli_args *args, const struct cordon_policy *global,
    const struct cordon_policy *workspace)
{
	struct cordon_diags *diags = cli_diags_new();
	struct cordon_policy *merged = NULL;
	struct cordon_error err = { 0 };
	int status = CLI_INVALID;

	if (cordon_policy_merge(global, workspace, diags, &merged, &err) != 0) {
		cli_failure(diags, &err);
	} else {
		status = print_policy(args, merged);
		cordon_policy_free(merged);
	}
	cordon_diags_free(diags);
	return status;
}

int
cli_policy_merge(const struct cli_args *args)
{
	struct cordon_policy *global = cli_policy_load(args->operands.v[0]);
	struct cordon_policy *workspace =
	    cli_policy_load_part(args->operands.v[1]);
	int status = CLI_INVALID;

	if (global != NULL && workspace != NULL)
		status = merge(args, global, workspace);
	cordon_policy_free(global);
	cordon_policy_free(workspace);
	return status;
}

/* ----- schema, reference ------------------------------------------------ */

static int
print_made(int (*make)(char **ret, struct cordon_error *err))
{
	cdn_cleanup_free char *text = NULL;
	struct cordon_error err = { 0 };

	if (make(&text, &err) != 0) {
		cli_failure(NULL, &err);
		return CLI_INVALID;
	}
	cli_put_text(text);
	return CLI_YES;
}

int
cli_policy_schema(const struct cli_args *args)
{
	static const struct {
		const char *word;
		int (*make)(char **ret, struct cordon_error *err);
	} schemas[] = {
		{ "policy", cordon_policy_schema },
		{ "worker", cordon_worker_schema },
	};
	const char *word = args->operands.n > 0 ? args->operands.v[0] :
						  schemas[0].word;

	for (size_t i = 0; i < CDN_LEN(schemas); i++)
		if (strcmp(word, schemas[i].word) == 0)
			return print_made(schemas[i].make);
	cli_error("there is no schema of '%s'", word);
	cli_hint("cordon policy schema policy|worker");
	return CLI_INVALID;
}

int
cli_policy_reference(const struct cli_args *args)
{
	(void)args;
	return print_made(cordon_policy_reference);
}
