#include "front/cli/cli.h"

#include "base/err.h"

static int
print(const struct cli_args *args, const struct cordon_plan *plan)
{
	const char *format = cli_value(args, CLI_FORMAT);
	bool json = cli_has(args, CLI_JSON) ||
	    (format != NULL && strcmp(format, "json") == 0);
	struct cordon_error err = { 0 };

	if (!cli_launch_print(stdout, plan, json))
		return CLI_INVALID;
	if (cordon_plan_accept(plan, &err) == 0)
		return CLI_YES;
	cli_note("a run would be refused: %s", err.text);
	return CLI_FOUND;
}

int
cli_plan(const struct cli_args *args)
{
	struct cli_args with = *args;
	struct cordon_run_options options;
	struct cordon_session *session;
	struct cordon_plan *plan = NULL;
	struct cordon_error err = { 0 };
	int status = CLI_INVALID;

	if (args->before_dashes > 0) {
		cli_error("'%s': a command stands behind '--'",
		    args->operands.v[0]);
		return CLI_INVALID;
	}
	with.command = args->operands.n > 0 ? args->operands.v[0] : NULL;
	if (!cli_launch_options(args, &options))
		return CLI_INVALID;
	session = cli_launch_session(&with);
	if (session == NULL)
		return CLI_INVALID;
	if (cordon_plan_new(session, &options, &plan, &err) == 0)
		status = print(args, plan);
	else
		cli_failure(NULL, &err);
	cordon_plan_free(plan);
	cordon_session_free(session);
	return status;
}
