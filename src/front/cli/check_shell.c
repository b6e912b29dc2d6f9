/*
 * `check --shell`: every path that can be seen in a command.
 */
#include "front/cli/check.h"

#include "front/cli/verdict.h"

/* Would a run of this session be held in full?  Then expansions may be. */
static bool
is_enforced(const struct cordon_session *session)
{
	struct cordon_run_options options = {
		.size = sizeof(options),
		.enforcement = CORDON_ENFORCEMENT_REQUIRED,
	};
	struct cordon_plan *plan = NULL;
	struct cordon_error err = { 0 };
	bool enforced = cordon_plan_new(session, &options, &plan, &err) == 0 &&
	    cordon_plan_accept(plan, &err) == 0;

	cordon_plan_free(plan);
	return enforced;
}

/* The line that said so, behind what it said. */
static void
add_line(struct cordon_shell_verdict *v)
{
	const struct cordon_verdict *verdict = &v->refused.verdict;
	size_t n = strlen(v->reason);

	if (!v->allowed && v->refused.has_verdict && verdict->source != NULL &&
	    verdict->line > 0)
		snprintf(v->reason + n, sizeof(v->reason) - n, ", %s:%u",
		    verdict->source, verdict->line);
}

static int
ask(const struct cli_check *check, const struct cordon_path_policy *policy,
    struct cordon_shell_query *query, struct cordon_shell_verdict *verdict,
    struct cordon_error *err)
{
	int rc = cordon_shell_check(policy, query, verdict, err);

	if (rc != 0 || !verdict->allowed || !verdict->dynamic ||
	    is_enforced(check->session))
		return rc;
	query->enforced = false;
	return cordon_shell_check(policy, query, verdict, err);
}

/* NULL where there is nothing. */
static const char *
present(const char *text)
{
	return text[0] != '\0' ? text : NULL;
}

static void
put_json(cdn_str command, const struct cordon_shell_verdict *v)
{
	struct cli_json json;

	cli_json_begin(&json);
	cli_json_bytes(&json, "command", "command_hex", command);
	cdn_json_put_key(&json.w, "allowed");
	cdn_json_put_bool(&json.w, v->allowed);
	cli_json_bytes(&json, "token", "token_hex",
	    (cdn_str){ present(v->token), strlen(v->token) });
	cdn_json_put_key(&json.w, "dynamic");
	cdn_json_put_bool(&json.w, v->dynamic);
	cli_json_member(&json, "reason", present(v->reason));
	cli_json_end(&json);
}

static void
put_text(cdn_str command, const struct cordon_shell_verdict *v,
    enum cordon_decision decision)
{
	static const enum cli_colour colours[] = {
		[CORDON_DENY] = CLI_RED,
		[CORDON_ALLOW] = CLI_GREEN,
		[CORDON_ASK] = CLI_YELLOW,
	};

	cli_put_coloured(stdout, colours[decision],
	    cordon_decision_name(decision));
	fputs("  shell  ", stdout);
	cli_put_safe(stdout, command);
	if (v->dynamic)
		fputs("  (dynamic)", stdout);
	if (v->reason[0] != '\0') {
		fputs("  ", stdout);
		cli_put_safe(stdout, cdn_str_of(v->reason));
	}
	putchar('\n');
}

/* ----- What the rules of a worker say about it ------------------------------------ */

/* The text of a member of the answer, or of one of its error; "": none. */
static void
take_text(const struct cordon_tool_result *result, const char *key,
    struct cordon_shell_verdict *ret)
{
	struct cdn_arena *arena = cdn_arena_new();
	const struct cdn_json_node *node;
	struct cdn_json json;
	cdn_str text = { 0 };

	if (arena == NULL || cdn_json_parse((cdn_str){ result->json,
		result->json_len }, NULL, arena, &json, NULL) != 0)
		cli_out_of_memory();
	node = cdn_json_find(&json, json.nodes, "error");
	node = cdn_json_find(&json, node != NULL ? node : json.nodes, key);
	if (node != NULL && !cdn_json_string(&json, node, arena, &text))
		cli_out_of_memory();
	snprintf(ret->reason, sizeof(ret->reason), "%s%.*s",
	    result->decision == CORDON_ASK ? "it needs approval: " : "",
	    CDN_STR_ARG(text));
	cdn_arena_free(arena);
}

static int
call_tool(const struct cli_check *check,
    const struct cordon_session_options *made, const char *arguments,
    struct cordon_tool_result *ret, struct cordon_error *err)
{
	const struct cordon_run_options run = { .size = sizeof(run),
		.audit = "" };
	const struct cordon_tools_options options = {
		.size = sizeof(options),
		.session = check->session,
		.session_options = made,
		.run = &run,
	};
	const struct cordon_tool_call call = {
		.size = sizeof(call),
		.name = "shell",
		.arguments = arguments,
		.arguments_len = strlen(arguments),
		.dry_run = true,
	};
	struct cordon_tools *tools = NULL;
	int rc = cordon_tools_new(&options, &tools, err);

	if (rc == 0)
		rc = cordon_tools_call(tools, &call, ret, err);
	cordon_tools_free(tools);
	return rc;
}

/* As the tool would be told, had the agent called it. */
static int
ask_worker(const struct cli_check *check, const char *command,
    struct cordon_shell_verdict *verdict, enum cordon_decision *decision,
    struct cordon_error *err)
{
	struct cordon_session_options made;
	struct cordon_tool_result result = { 0 };
	struct cdn_json_writer w;
	struct cdn_buf arguments;
	int rc;

	cdn_buf_init(&arguments, CDN_TOOL_CALL_MAX);
	cdn_json_begin(&w, &arguments);
	cdn_json_open(&w, '{');
	cdn_json_put_key(&w, "command");
	cdn_json_put_cstring(&w, command);
	cdn_json_close(&w);
	if (!cdn_json_end(&w))
		cli_out_of_memory();
	rc = cli_session_options(check->args, NULL, NULL, &made, err);
	if (rc == 0)
		rc = call_tool(check, &made, arguments.p, &result, err);
	cdn_buf_done(&arguments);
	if (rc != 0)
		return rc;
	*decision = result.code != CORDON_REFUSAL_NONE ? CORDON_DENY :
							 result.decision;
	verdict->allowed = *decision == CORDON_ALLOW;
	if (!verdict->allowed)
		take_text(&result, result.code != CORDON_REFUSAL_NONE ?
		    "message" : "prompt", verdict);
	if (*decision == CORDON_DENY && result.code == CORDON_REFUSAL_NONE)
		snprintf(verdict->reason, sizeof(verdict->reason),
		    "the worker has no rule for it");
	cordon_tool_result_done(&result);
	return 0;
}

static int
answer(const struct cli_check *check, const struct cordon_path_policy *policy,
    const char *command)
{
	struct cordon_shell_query query = {
		.size = sizeof(query),
		.command = command,
		.command_len = strlen(command),
		.enforced = true,
	};
	struct cordon_shell_verdict verdict;
	struct cordon_error err = { 0 };
	enum cordon_decision decision;
	int rc = ask(check, policy, &query, &verdict, &err);

	decision = rc == 0 && verdict.allowed ? CORDON_ALLOW : CORDON_DENY;
	if (rc == 0)
		add_line(&verdict);
	if (rc == 0 && verdict.allowed && cli_has(check->args, CLI_WORKER))
		rc = ask_worker(check, command, &verdict, &decision, &err);
	if (rc != 0) {
		cli_error("%s", err.text);
		return CLI_INVALID;
	}
	if (check->json)
		put_json(cdn_str_of(command), &verdict);
	else
		put_text(cdn_str_of(command), &verdict, decision);
	return cli_decision_exit(decision);
}

int
cli_check_shell(const struct cli_check *check)
{
	struct cordon_path_policy *policy = NULL;
	struct cordon_error err = { 0 };
	int status;

	if (cordon_path_policy_new(check->session, NULL, 0, &policy, &err) !=
	    0) {
		cli_error("%s", err.text);
		return CLI_INVALID;
	}
	status = answer(check, policy, cli_value(check->args, CLI_SHELL));
	cordon_path_policy_free(policy);
	return status;
}
