#include "front/cli/cli.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "front/cli/denials.h"

/* ----- mcp guard ------------------------------------------------------------ */

static void
notice(const char *text, void *arg)
{
	(void)arg;
	cli_note("%s", text);
}

/* A guard of a guard would guard itself, and so on. */
static int
refuse_ourselves(const char *program, const char *const *argv, void *arg,
    struct cordon_error *err)
{
	struct stat ours, theirs;

	(void)arg;
	if (argv[1] == NULL || strcmp(argv[1], "mcp") != 0 ||
	    argv[2] == NULL || strcmp(argv[2], "guard") != 0 ||
	    stat("/proc/self/exe", &ours) != 0 || stat(program, &theirs) != 0 ||
	    ours.st_dev != theirs.st_dev || ours.st_ino != theirs.st_ino)
		return CORDON_GO;
	return cdn_err(err, CORDON_E_INVALID, "a guard does not guard itself "
	    "(name the server behind '--')");
}

static int
status_of(const struct cordon_run_result *result)
{
	if (result->audit_lost) {
		cli_error("the session could not be recorded to its end (the "
			  "server's own code was %d)", result->exit_code);
		return CLI_RUN_FAILED;
	}
	if (result->timed_out)
		return CLI_RUN_TIMEOUT;
	return result->has_exit_code ? result->exit_code : CLI_RUN_FAILED;
}

static int
failure_of(const struct cordon_error *err)
{
	cli_failure(NULL, err);
	if (err->code == CORDON_E_NOT_FOUND)
		return CLI_RUN_NOT_FOUND;
	return err->code == CORDON_E_EXEC ? CLI_RUN_REFUSED : CLI_RUN_FAILED;
}

/* Standard output belongs to the protocol: nothing is printed there. */
static int
guard(const struct cordon_session *session,
    const struct cordon_run_options *given, bool aloud)
{
	struct cordon_run_options run = *given;
	const struct cordon_mcp_options options = {
		.size = sizeof(options),
		.in_fd = STDIN_FILENO,
		.out_fd = STDOUT_FILENO,
	};
	struct cordon_run_result result;
	struct cordon_error err = { 0 };
	struct cli_denials denials;
	int status;

	cli_denials_init(&denials, aloud, false);
	run.denied = cli_denials_add;
	run.denied_arg = &denials;
	run.forward_signals = true;
	run.sole = true;
	run.notice = notice;
	run.validate = refuse_ourselves;
	if (cordon_mcp_guard(session, &run, &options, &result, &err) != 0) {
		cli_denials_done(&denials);
		return failure_of(&err);
	}
	cli_denials_sum_up(&denials, &result);
	cli_denials_done(&denials);
	status = status_of(&result);
	cordon_run_result_done(&result);
	return status;
}

static bool
has_server(const struct cli_args *args)
{
	if (args->dashes && args->before_dashes == 0 && args->operands.n > 0)
		return true;
	cli_error(args->operands.n > 0 ? "the server stands behind '--'" :
					 "which server?");
	cli_hint("cordon mcp guard [OPTIONS] -- %s",
	    args->operands.n > 0 ? args->operands.v[0] : "SERVER [ARG...]");
	return false;
}

int
cli_mcp_guard(const struct cli_args *args)
{
	struct cli_args with = *args;
	struct cordon_run_options options;
	struct cordon_session *session;
	int status;

	if (!has_server(args) || !cli_launch_options(args, &options))
		return CLI_RUN_FAILED;
	with.command = args->operands.v[0];
	session = cli_launch_session(&with);
	if (session == NULL)
		return CLI_RUN_FAILED;
	status = guard(session, &options, cli_has(args, CLI_VERBOSE) ||
		cli_has(args, CLI_TRACE));
	cordon_session_free(session);
	return status;
}

/* ----- mcp pins -------------------------------------------------------------- */

static void
print_pin(const struct cordon_mcp_pin *pin, void *arg)
{
	const bool *as_json = arg;
	struct cli_json json;

	if (!*as_json) {
		printf("%s  %4zu  ", pin->name, pin->tools);
		cli_put_safe(stdout, cdn_str_of(pin->command));
		putchar('\n');
		return;
	}
	cli_json_begin(&json);
	cli_json_member(&json, "name", pin->name);
	cdn_json_put_key(&json.w, "tools");
	cdn_json_put_uint(&json.w, pin->tools);
	cli_json_member(&json, "command", pin->command);
	cli_json_member(&json, "file", pin->file);
	cli_json_end(&json);
}

static int
finish(int code, const struct cordon_error *err)
{
	if (code == 0)
		return CLI_YES;
	cli_failure(NULL, err);
	return CLI_INVALID;
}

int
cli_mcp_pins(const struct cli_args *args)
{
	const char *word = args->operands.n > 0 ? args->operands.v[0] : "list";
	bool json = cli_has(args, CLI_JSON);
	struct cordon_error err = { 0 };

	if (strcmp(word, "list") == 0 && args->operands.n < 2)
		return finish(cordon_mcp_pins(print_pin, &json, &err), &err);
	if (strcmp(word, "forget") == 0 && args->operands.n == 2)
		return finish(cordon_mcp_forget(args->operands.v[1], &err),
		    &err);
	cli_error("'cordon mcp pins' takes 'list' or 'forget NAME'");
	return cli_usage(cli_command_find("mcp pins"));
}
