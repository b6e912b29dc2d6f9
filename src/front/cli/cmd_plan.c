#include "front/cli/cli.h"

#include "base/err.h"

/* Which of the forms goes with which backend only. */
static bool
read_format(const struct cli_args *args,
    const struct cordon_run_options *options, enum cordon_format *ret)
{
	static const struct {
		const char *word;
		enum cordon_format format;
		enum cordon_backend backend; /* AUTO: any */
	} rows[] = {
		{ "text", CORDON_FORMAT_YAML, CORDON_BACKEND_AUTO },
		{ "json", CORDON_FORMAT_JSON, CORDON_BACKEND_AUTO },
		{ "argv", CORDON_FORMAT_ARGV, CORDON_BACKEND_BWRAP },
		{ "sbpl", CORDON_FORMAT_SBPL, CORDON_BACKEND_SEATBELT },
	};
	const char *format = cli_value(args, CLI_FORMAT);

	*ret = cli_has(args, CLI_JSON) ? CORDON_FORMAT_JSON :
					 CORDON_FORMAT_YAML;
	for (size_t i = 0; i < CDN_LEN(rows) && format != NULL; i++) {
		if (strcmp(rows[i].word, format) != 0)
			continue;
		*ret = rows[i].format;
		if (rows[i].backend == CORDON_BACKEND_AUTO ||
		    rows[i].backend == options->backend)
			return true;
		cli_error("--format %s goes with '--backend %s'", format,
		    cordon_backend_name(rows[i].backend));
		return false;
	}
	return true;
}

/* A profile for macOS is no promise about this host. */
static int
print(const struct cordon_plan *plan, enum cordon_format format)
{
	struct cordon_error err = { 0 };

	if (!cli_launch_print(stdout, plan, format))
		return CLI_INVALID;
	if (format == CORDON_FORMAT_SBPL)
		return CLI_YES;
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
	enum cordon_format format;
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
	with.is_agent = true;
	if (!cli_launch_options(args, &options) ||
	    !read_format(args, &options, &format))
		return CLI_INVALID;
	session = cli_launch_session(&with);
	if (session == NULL)
		return CLI_INVALID;
	if (cordon_plan_new(session, &options, &plan, &err) == 0)
		status = print(plan, format);
	else
		cli_failure(NULL, &err);
	cordon_plan_free(plan);
	cordon_session_free(session);
	return status;
}
