#include "front/cli/cli.h"

#include <signal.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "front/cli/denials.h"

/* ----- The outcome -------------------------------------------------------- */

/* A whole JSON document on standard output is passed on as one. */
static void
put_output(struct cli_json *json, cdn_str text)
{
	struct cdn_arena *arena = cdn_arena_new();
	struct cdn_json parsed;

	if (arena == NULL)
		cli_out_of_memory();
	cdn_json_put_key(&json->w, "output");
	if (text.n > 0 &&
	    cdn_json_parse(text, NULL, arena, &parsed, NULL) == 0)
		cdn_json_put_raw(&json->w,
		    cdn_json_raw(&parsed, &parsed.nodes[0]));
	else
		cdn_json_put_null(&json->w);
	cdn_arena_free(arena);
}

static void
put_number(struct cli_json *json, const char *key, bool has, int value)
{
	cdn_json_put_key(&json->w, key);
	if (has)
		cdn_json_put_int(&json->w, value);
	else
		cdn_json_put_null(&json->w);
}

static void
print_json(const struct cordon_run_result *result,
    struct cli_denials *denials)
{
	cdn_str out = { result->out, result->out_len };
	cdn_str err = { result->err, result->err_len };
	struct cli_json json;

	cli_json_begin(&json);
	cli_json_member(&json, "run", result->run);
	cdn_json_put_key(&json.w, "success");
	cdn_json_put_bool(&json.w, result->success);
	put_number(&json, "exit_code", result->has_exit_code,
	    result->exit_code);
	put_number(&json, "signal", result->signal != 0, result->signal);
	cdn_json_put_key(&json.w, "timed_out");
	cdn_json_put_bool(&json.w, result->timed_out);
	cdn_json_put_key(&json.w, "duration_ms");
	cdn_json_put_uint(&json.w, result->duration_ms);
	cdn_json_put_key(&json.w, "stdout");
	cdn_json_put_string(&json.w, out);
	cdn_json_put_key(&json.w, "stderr");
	cdn_json_put_string(&json.w, err);
	put_output(&json, out);
	cdn_json_put_key(&json.w, "denials");
	cli_denials_json(denials, &json);
	cli_json_end(&json);
}

static int
status_of(const struct cordon_run_result *result)
{
	if (result->audit_lost) {
		cli_error("the run could not be recorded to its end (the "
			  "command's own code was %d)", result->exit_code);
		return CLI_RUN_FAILED;
	}
	if (result->timed_out)
		return CLI_RUN_TIMEOUT;
	if (result->output_cut) {
		cli_error("more output than allowed: the command was ended");
		return result->success || result->exit_code == 0 ?
		    CLI_RUN_FAILED : result->exit_code;
	}
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

int
cli_stand_in(void)
{
	struct cordon_error err = { 0 };
	int status = cordon_stand_in(&err);

	return status >= 0 ? status : failure_of(&err);
}

/* ----- Running -------------------------------------------------------------- */

static void
notice(const char *text, void *arg)
{
	(void)arg;
	cli_note("%s", text);
}

/*
 * What the kernel refuses leaves no trace: say how to ask for the rule.  With
 * --trace everything was seen, and there was nothing.
 */
static void
hint_at_refusals(const struct cordon_run_result *result,
    const struct cordon_run_options *options)
{
	if (options->backend != CORDON_BACKEND_NONE && !options->trace &&
	    !result->success && !result->timed_out && result->signal == 0 &&
	    result->denials == 0)
		cli_note("the command ended with %d; if a path was refused, "
			 "'cordon check PATH' names the rule, "
			 "'cordon run --trace' at once",
		    result->exit_code);
}

/*
 * A shell stops a loop or script only when the command that it waits for was
 * ended by SIGINT itself; an exit status of 130 is a status like any other.
 */
static bool
is_key(const struct cordon_run_result *result,
    const struct cordon_run_options *options)
{
	return options->foreground && result->signal == SIGINT &&
	    !result->timed_out && !result->audit_lost &&
	    tcgetpgrp(STDIN_FILENO) == getpgrp();
}

static void
end_by_interrupt(void)
{
	sigset_t set;

	fflush(NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	if (signal(SIGINT, SIG_DFL) != SIG_ERR && raise(SIGINT) == 0)
		(void)pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static int
run(const struct cordon_session *session,
    const struct cordon_run_options *given, bool json, bool aloud,
    bool *ret_by_key)
{
	struct cordon_run_options options = *given;
	struct cordon_run_result result;
	struct cordon_error err = { 0 };
	struct cli_denials denials;
	int status;

	cli_denials_init(&denials, aloud, json);
	options.denied = cli_denials_add;
	options.denied_arg = &denials;
	options.output = json ? CORDON_OUTPUT_CAPTURE : CORDON_OUTPUT_PASS;
	options.foreground = !json; /* where it is on a terminal */
	options.forward_signals = true;
	options.sole = true;
	options.notice = notice;
	if (cordon_run(session, &options, &result, &err) != 0) {
		cli_denials_done(&denials);
		return failure_of(&err);
	}
	if (json)
		print_json(&result, &denials);
	else
		hint_at_refusals(&result, &options);
	cli_denials_sum_up(&denials, &result);
	cli_denials_done(&denials);
	status = status_of(&result);
	*ret_by_key = is_key(&result, &options);
	cordon_run_result_done(&result);
	return status;
}

/* --dry-run answers with it, --verbose tells it first. */
static int
show_plan(const struct cli_args *args, const struct cordon_session *session,
    const struct cordon_run_options *options, FILE *to)
{
	struct cordon_plan *plan = NULL;
	struct cordon_error err = { 0 };
	int status = CLI_RUN_FAILED;

	if (cordon_plan_new(session, options, &plan, &err) != 0)
		cli_failure(NULL, &err);
	else if (cli_launch_print(to, plan, cli_has(args, CLI_JSON) ?
		CORDON_FORMAT_JSON : CORDON_FORMAT_YAML))
		status = CLI_YES;
	if (status == CLI_YES && cordon_plan_accept(plan, &err) != 0)
		status = failure_of(&err);
	cordon_plan_free(plan);
	return status;
}

static bool
has_command(const struct cli_args *args)
{
	if (args->before_dashes > 0 || !args->dashes) {
		cli_error("the command stands behind '--'");
		cli_hint("cordon run [OPTIONS] -- %s",
		    args->operands.n > 0 ? args->operands.v[0] : "COMMAND");
		return false;
	}
	if (args->operands.n > 0)
		return true;
	cli_error("which command?");
	cli_hint("cordon run [OPTIONS] -- COMMAND [ARG...]");
	return false;
}

static int
run_session(const struct cli_args *args, const struct cordon_session *session,
    struct cordon_run_options *options, bool *ret_by_key)
{
	if (cli_has(args, CLI_DRY_RUN))
		return show_plan(args, session, options, stdout);
	if (cli_has(args, CLI_VERBOSE)) {
		int status = show_plan(args, session, options, stderr);

		if (status != CLI_YES)
			return status;
	}
	return run(session, options, cli_has(args, CLI_JSON),
	    cli_has(args, CLI_VERBOSE) || cli_has(args, CLI_TRACE),
	    ret_by_key);
}

int
cli_run(const struct cli_args *args)
{
	struct cli_args with = *args;
	struct cordon_run_options options;
	struct cordon_session *session;
	bool by_key = false;
	int status;

	if (!has_command(args) || !cli_launch_options(args, &options))
		return CLI_RUN_FAILED;
	with.command = args->operands.v[0];
	with.is_agent = true;
	session = cli_launch_session(&with);
	if (session == NULL)
		return CLI_RUN_FAILED;
	status = run_session(args, session, &options, &by_key);
	cordon_session_free(session);
	if (by_key)
		end_by_interrupt();
	return status;
}
