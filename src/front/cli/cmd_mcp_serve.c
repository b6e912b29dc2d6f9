/*
 * `cordon mcp serve`: the tools for a client of the Model Context Protocol.
 */
#include "front/cli/cli.h"

#include <unistd.h>

#include "base/err.h"
#include "front/mcp/serve.h"

static void
note(const char *text)
{
	cli_note("%s", text);
}

static void
notice(const char *text, void *arg)
{
	(void)arg;
	note(text);
}

/* Standard output belongs to the protocol: nothing is printed there. */
static int
serve(const struct cordon_session *session, struct cordon_run_options *run)
{
	const struct mcp_serve_options options = {
		.tools = {
			.size = sizeof(options.tools),
			.session = session,
			.run = run,
		},
		.in_fd = STDIN_FILENO,
		.out_fd = STDOUT_FILENO,
		.tool_command = "cordon tool",
		.note = note,
	};
	struct cordon_error err = { 0 };
	int signal = 0;

	run->notice = notice;
	if (mcp_serve(&options, &signal, &err) != 0) {
		cli_failure(NULL, &err);
		return CLI_INVALID;
	}
	return signal == 0 ? CLI_YES : 128 + signal;
}

int
cli_mcp_serve(const struct cli_args *args)
{
	struct cordon_run_options run;
	struct cordon_session *session;
	int status;

	if (!cli_launch_options(args, &run))
		return CLI_INVALID;
	session = cli_launch_session(args);
	if (session == NULL)
		return CLI_INVALID;
	status = serve(session, &run);
	cordon_session_free(session);
	return status;
}
