/*
 * `cordon mcp serve`: the tools for a client of the Model Context Protocol.
 */
#include "front/cli/cli.h"

#include <unistd.h>

#include "base/err.h"
#include "front/cli/commands.h"
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

/* One word, as a shell reads it. */
static void
put_word(const char *text, struct cdn_buf *out)
{
	cdn_buf_puts(out, " '");
	for (; *text != '\0'; text++)
		if (*text == '\'')
			cdn_buf_puts(out, "'\\''");
		else
			cdn_buf_putc(out, *text);
	cdn_buf_putc(out, '\'');
}

/* `cordon tool`, with the boundary of this server. */
static void
put_tool_command(const struct cli_args *args, struct cdn_buf *out)
{
	cdn_buf_init(out, CDN_DOCUMENT_MAX);
	cdn_buf_puts(out, "cordon tool");
	for (int i = 0; i < CLI_OPTION_MAX; i++)
		for (size_t k = 0; (CLI_SESSION & CLI_BIT(i)) != 0 &&
		     k < args->option[i].n; k++) {
			cdn_buf_printf(out, " --%s",
			    cli_option_row((enum cli_option)i)->name);
			put_word(args->option[i].v[k], out);
		}
}

/* Standard output belongs to the protocol: nothing is printed there. */
static int
serve(const struct mcp_serve_options *options)
{
	struct cordon_error err = { 0 };
	int signal = 0;

	if (mcp_serve(options, &signal, &err) != 0) {
		cli_failure(NULL, &err);
		return CLI_INVALID;
	}
	return signal == 0 ? CLI_YES : 128 + signal;
}

static int
serve_session(const struct cli_args *args,
    const struct cordon_run_options *run, const char *tool_command)
{
	struct cordon_session_options made;
	struct mcp_serve_options options = {
		.tools = {
			.size = sizeof(options.tools),
			.session_options = &made,
			.run = run,
		},
		.in_fd = STDIN_FILENO,
		.out_fd = STDOUT_FILENO,
		.tool_command = tool_command,
		.note = note,
	};
	struct cordon_diags *diags = cli_diags_new();
	struct cordon_session *session = NULL;
	struct cordon_error err = { 0 };
	int status = CLI_INVALID;

	if (cli_session_options(args, NULL, diags, &made, &err) != 0 ||
	    cordon_session_new(&made, diags, &session, &err) != 0) {
		cli_failure(diags, &err);
	} else {
		options.tools.session = session;
		status = serve(&options);
	}
	cordon_session_free(session);
	cordon_diags_free(diags);
	return status;
}

int
cli_mcp_serve(const struct cli_args *args)
{
	struct cordon_run_options run;
	struct cdn_buf command;
	int status = CLI_INVALID;

	if (!cli_workspace_named(args) || !cli_launch_options(args, &run))
		return CLI_INVALID;
	cli_workspace_hint(args);
	run.argv = NULL;
	run.notice = notice;
	put_tool_command(args, &command);
	if (cdn_buf_failed(&command))
		cli_error("out of memory");
	else
		status = serve_session(args, &run, command.p);
	cdn_buf_done(&command);
	return status;
}
