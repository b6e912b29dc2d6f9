/*
 * `cordon tool`: one call of one tool.
 */
#include "front/cli/cli.h"

#include <errno.h>
#include <unistd.h>

static void
notice(const char *text, void *arg)
{
	(void)arg;
	cli_note("%s", text);
}

/* The arguments; "-": from standard input.  False after a message. */
static bool
read_arguments(const char *given, struct cdn_buf *out)
{
	char piece[65536];
	ssize_t n;

	cdn_buf_init(out, CDN_TOOL_CALL_MAX);
	if (strcmp(given, "-") != 0) {
		cdn_buf_puts(out, given);
	} else {
		while ((n = read(STDIN_FILENO, piece, sizeof(piece))) != 0) {
			if (n < 0 && errno == EINTR)
				continue;
			if (n < 0) {
				cli_error("cannot read the arguments: %s",
				    strerrordesc_np(errno));
				return false;
			}
			cdn_buf_add(out, piece, (size_t)n);
			if (cdn_buf_failed(out))
				break;
		}
	}
	if (!cdn_buf_failed(out))
		return true;
	cli_error("the arguments have more than %lu bytes", CDN_TOOL_CALL_MAX);
	return false;
}

static int
status_of(const struct cordon_tool_result *result)
{
	static const int dry[] = {
		[CORDON_DENY] = CLI_DENIED,
		[CORDON_ALLOW] = CLI_YES,
		[CORDON_ASK] = CLI_ASK,
	};

	switch (result->code) {
	case CORDON_REFUSAL_NONE:
		return dry[result->decision];
	case CORDON_REFUSAL_INVALID:
		return CLI_INVALID;
	case CORDON_REFUSAL_APPROVAL:
		return CLI_ASK;
	case CORDON_REFUSAL_MISSING:
	case CORDON_REFUSAL_OS:
		return CLI_FOUND;
	default:
		return CLI_DENIED;
	}
}

static int
call(const struct cordon_tools_options *options, const struct cli_args *args,
    const struct cdn_buf *arguments)
{
	const struct cordon_tool_call asked = {
		.size = sizeof(asked),
		.name = args->operands.v[0],
		.arguments = arguments->n > 0 ? arguments->p : "",
		.arguments_len = arguments->n,
		.dry_run = cli_has(args, CLI_TOOL_DRY_RUN),
	};
	struct cordon_tool_result result = { 0 };
	struct cordon_tools *tools = NULL;
	struct cordon_error err = { 0 };
	int status = CLI_INVALID;

	if (cordon_tools_new(options, &tools, &err) != 0 ||
	    cordon_tools_call(tools, &asked, &result, &err) != 0) {
		cli_failure(NULL, &err);
	} else {
		puts(result.json);
		status = status_of(&result);
	}
	cordon_tool_result_done(&result);
	cordon_tools_free(tools);
	return status;
}

/* The session, and how it is made: a grant makes another one. */
static int
call_in_session(const struct cli_args *args, struct cordon_run_options *run,
    const struct cdn_buf *arguments)
{
	/* as long as the program, and not changed by it */
	union {
		const char *given;
		void *wanted;
	} approve_with = { cli_value(args, CLI_APPROVE_WITH) };
	struct cordon_session_options made;
	struct cordon_tools_options options = {
		.size = sizeof(options),
		.session_options = &made,
		.run = run,
		.approve = cli_approve,
		.approve_arg = approve_with.wanted,
	};
	struct cordon_diags *diags = cli_diags_new();
	struct cordon_session *session = NULL;
	struct cordon_error err = { 0 };
	int status = CLI_INVALID;

	run->notice = notice;
	if (cli_session_options(args, NULL, diags, &made, &err) != 0 ||
	    cordon_session_new(&made, diags, &session, &err) != 0) {
		cli_failure(diags, &err);
	} else {
		options.session = session;
		status = call(&options, args, arguments);
	}
	cordon_session_free(session);
	cordon_diags_free(diags);
	return status;
}

int
cli_tool(const struct cli_args *args)
{
	struct cordon_run_options run;
	struct cdn_buf arguments;
	int status = CLI_INVALID;

	if (!cli_workspace_named(args) || !cli_launch_options(args, &run))
		return CLI_INVALID;
	run.argv = NULL;
	if (read_arguments(args->operands.v[1], &arguments))
		status = call_in_session(args, &run, &arguments);
	cdn_buf_done(&arguments);
	return status;
}
