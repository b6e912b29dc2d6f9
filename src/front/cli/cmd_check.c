#include "front/cli/check.h"

#include "base/err.h"
#include "front/cli/verdict.h"

/* ----- Sessions --------------------------------------------------------- */

/* NULL, with err filled, when that profile cannot be asked. */
static struct cordon_session *
session_for(struct cli_check *check, const char *profile,
    struct cordon_error *err)
{
	struct cordon_session *session;
	size_t i;

	if (profile == NULL)
		return check->session;
	for (i = 0; i < CLI_SESSIONS_MAX; i++)
		if (check->kept[i].profile != NULL &&
		    strcmp(check->kept[i].profile, profile) == 0)
			return check->kept[i].session;
	if (cli_session_new(check->args, profile, NULL, &session, err) != 0)
		return NULL;
	i = check->kept_next;
	check->kept_next = (i + 1) % CLI_SESSIONS_MAX;
	cordon_session_free(check->kept[i].session);
	free(check->kept[i].profile);
	check->kept[i].session = session;
	check->kept[i].profile = cli_copy(cdn_str_of(profile));
	return session;
}

static void
close_sessions(struct cli_check *check)
{
	for (size_t i = 0; i < CLI_SESSIONS_MAX; i++) {
		cordon_session_free(check->kept[i].session);
		free(check->kept[i].profile);
	}
	cordon_session_free(check->session);
}

/* ----- One question ----------------------------------------------------- */

/* Does the answer depend on where the workspace is? */
static bool
needs_workspace(const struct cli_check *check, enum cordon_as as)
{
	if (as == CORDON_AS_BLOCK)
		return false;
	return as != CORDON_AS_POLICY || !cli_has(check->args, CLI_POLICY);
}

static int
no_answer(const struct cli_check *check, cdn_str path,
    const struct cordon_error *err)
{
	if (err->code == CORDON_E_NOMEM)
		cli_out_of_memory();
	if (check->json)
		cli_no_answer_json(path, err);
	else
		cli_no_answer_text(path, err);
	return CLI_INVALID;
}

static void
tmp_hint(const struct cordon_verdict *verdict, const char *real_path)
{
	cdn_str real = cdn_str_of(real_path);

	if (verdict->decision == CORDON_DENY &&
	    verdict->operation == CORDON_MODIFY &&
	    verdict->layer == CORDON_LAYER_WORKDIR &&
	    cdn_str_starts(real, CDN_STR("/tmp/")))
		cli_hint("use $TMPDIR, or --write /tmp");
}

static int
answer(struct cli_check *check, const struct cordon_session *session,
    const struct cordon_query *query, struct cordon_error *err)
{
	cdn_str path = { query->path, query->path_len };
	struct cordon_verdict verdict;
	struct cli_steps steps = { 0 };
	struct cli_answer a = {
		.path = path,
		.real_path = query->real_path,
		.verdict = &verdict,
	};

	if (cordon_check(session, query, &verdict, err) != 0)
		return no_answer(check, path, err);
	if (cli_has(check->args, CLI_EXPLAIN)) {
		if (cordon_explain(session, query, cli_steps_add, &steps,
			err) != 0) {
			cli_steps_done(&steps);
			return no_answer(check, path, err);
		}
		a.steps = &steps;
	}
	if (check->json)
		cli_answer_json(&a);
	else
		cli_answer_text(&a);
	cli_steps_done(&steps);
	if (!check->json)
		tmp_hint(&verdict, query->real_path);
	return cli_decision_exit(verdict.decision);
}

int
cli_check_ask(struct cli_check *check, const struct cli_question *question)
{
	char real_path[CDN_PATH_MAX + 1] = "";
	struct cordon_query query = {
		.size = sizeof(query),
		.as = question->as,
		.op = question->op,
		.path = question->path.p,
		.path_len = question->path.n,
		.data_dir = question->data_dir,
		.config_path = question->config_path,
		.real_path = real_path,
		.real_path_size = sizeof(real_path),
	};
	struct cordon_error err = { 0 };
	const struct cordon_session *session;

	if (check->too_wide && needs_workspace(check, question->as)) {
		cdn_err(&err, CORDON_E_INVALID,
		    "the workspace would be a home directory or '/': name it "
		    "with --workspace");
		return no_answer(check, question->path, &err);
	}
	session = session_for(check, question->profile, &err);
	if (session == NULL)
		return no_answer(check, question->path, &err);
	return answer(check, session, &query, &err);
}

/* ----- The command ------------------------------------------------------ */

/* The graver of two exit codes: 2 before 3 before 4 before 0. */
static int
graver(int a, int b)
{
	static const int rank[CLI_ASK + 1] = { [CLI_YES] = 0, [CLI_FOUND] = 1,
		[CLI_ASK] = 2, [CLI_DENIED] = 3, [CLI_INVALID] = 4 };

	return rank[a] >= rank[b] ? a : b;
}

static int
ask_operands(struct cli_check *check)
{
	const struct cli_strings *paths = &check->args->operands;
	struct cli_question question = {
		.as = check->as,
		.op = check->op,
		.data_dir = cli_value(check->args, CLI_DATA_DIR),
		.config_path = cli_value(check->args, CLI_CONFIG_PATH),
	};
	int status = CLI_YES;

	for (size_t i = 0; i < paths->n && !cli_output_broken(); i++) {
		question.path = (cdn_str){ paths->v[i], strlen(paths->v[i]) };
		status = graver(status, cli_check_ask(check, &question));
	}
	return status;
}

/* The documents cannot be used: with --json every path says so. */
static int
refuse_operands(const struct cli_check *check, const struct cordon_error *err)
{
	const struct cli_strings *paths = &check->args->operands;

	if (cli_has(check->args, CLI_JSON))
		for (size_t i = 0; i < paths->n; i++)
			cli_no_answer_json((cdn_str){ paths->v[i],
					       strlen(paths->v[i]) },
			    err);
	return CLI_INVALID;
}

/* Paths on the command line are all there will be. */
static int
open_session(struct cli_check *check, struct cordon_diags *diags,
    struct cordon_error *err)
{
	const struct cli_strings *paths = &check->args->operands;
	struct cordon_session_options options;
	int code = cli_session_options(check->args, NULL, diags, &options, err);

	if (code != 0)
		return code;
	if (paths->n > 0) {
		options.asked = paths->v;
		options.asked_count = paths->n;
	}
	return cordon_session_new(&options, diags, &check->session, err);
}

static int
open_and_ask(struct cli_check *check)
{
	struct cordon_diags *diags = cli_diags_new();
	struct cordon_error err = { 0 };
	int rc = open_session(check, diags, &err);

	if (rc != 0)
		cli_failure(diags, &err);
	cordon_diags_free(diags);
	if (rc != 0)
		return refuse_operands(check, &err);
	if (cli_has(check->args, CLI_SHELL))
		return cli_check_shell(check);
	if (cli_has(check->args, CLI_STDIN))
		return cli_check_stdin(check);
	return ask_operands(check);
}

/* A command is asked about as a whole, by an agent. */
static bool
shell_fits(const struct cli_args *args)
{
	if (args->operands.n > 0 || cli_has(args, CLI_STDIN))
		cli_error("'--shell' takes one command, and no paths besides");
	else if (cli_has(args, CLI_AS) || cli_has(args, CLI_OP) ||
	    cli_has(args, CLI_EXPLAIN) || cli_has(args, CLI_DATA_DIR) ||
	    cli_has(args, CLI_CONFIG_PATH))
		cli_error("'--shell' asks as an agent, about every use a "
			  "command makes of a path");
	else
		return true;
	return false;
}

static bool
combination_fits(const struct cli_args *args, bool block)
{
	bool from_stdin = cli_has(args, CLI_STDIN);

	if (cli_has(args, CLI_SHELL))
		return shell_fits(args);
	if (from_stdin && args->operands.n > 0)
		cli_error("'--stdin' takes its paths from standard input, not "
			  "from the command line");
	else if (!from_stdin && args->operands.n == 0)
		cli_error("which path?");
	else if (block && !from_stdin && !cli_has(args, CLI_DATA_DIR))
		cli_error("'--as block' needs '--data-dir DIR'");
	else if (!block && !from_stdin &&
	    (cli_has(args, CLI_DATA_DIR) || cli_has(args, CLI_CONFIG_PATH)))
		cli_error("'--data-dir' and '--config-path' go with '--as "
			  "block'");
	else
		return true;
	return false;
}

int
cli_check(const struct cli_args *args)
{
	struct cli_check check = {
		.args = args,
		.json = cli_has(args, CLI_JSON) || cli_has(args, CLI_STDIN),
		.too_wide = cli_workspace_too_wide(args),
	};
	int as, op, status;

	if (!cli_word(args, CLI_AS, cli_as_word, CORDON_AS_PROCESS, &as) ||
	    !cli_word(args, CLI_OP, cli_op_word, CORDON_READ, &op))
		return CLI_INVALID;
	if (!combination_fits(args, as == CORDON_AS_BLOCK))
		return cli_usage(cli_command_find("check"));
	check.as = (enum cordon_as)as;
	check.op = (enum cordon_op)op;
	if (!cli_has(args, CLI_STDIN) && needs_workspace(&check, check.as) &&
	    !cli_workspace_named(args))
		return CLI_INVALID;
	if (needs_workspace(&check, check.as))
		cli_workspace_hint(args);
	status = open_and_ask(&check);
	close_sessions(&check);
	return status;
}
