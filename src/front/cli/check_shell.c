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
put_text(cdn_str command, const struct cordon_shell_verdict *v)
{
	enum cordon_decision decision = v->allowed ? CORDON_ALLOW :
						     CORDON_DENY;

	cli_put_coloured(stdout, v->allowed ? CLI_GREEN : CLI_RED,
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

	if (ask(check, policy, &query, &verdict, &err) != 0) {
		cli_error("%s", err.text);
		return CLI_INVALID;
	}
	if (check->json)
		put_json(cdn_str_of(command), &verdict);
	else
		put_text(cdn_str_of(command), &verdict);
	return cli_decision_exit(verdict.allowed ? CORDON_ALLOW : CORDON_DENY);
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
