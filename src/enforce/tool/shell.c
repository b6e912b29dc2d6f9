/*
 * shell - one command in the worker's cage.
 */
#include "enforce/tool/approve.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>

#include "enforce/run/run.h"
#include "enforce/tool/command.h"

enum { COMMAND, CWD, TIMEOUT };

#define TIMEOUT_DEFAULT_MS 30000
#define GRACE_MS	   5000
#define NOT_FOUND_STATUS   127

struct running {
	struct cdn_tool_command *command;
	struct cdn_buf denials; /* rows of JSON */
	size_t denied;
	struct cordon_run_result result;
};

/* ----- What the cage refused -------------------------------------------------------- */

static void
put_text(struct cdn_json_writer *w, const char *key, const char *text)
{
	cdn_json_put_key(w, key);
	cdn_json_put_cstring(w, text);
}

/* From threads of the broker, one at a time. */
static void
denied(const struct cordon_denial *denial, void *arg)
{
	struct running *r = arg;
	const struct cordon_verdict *v = &denial->verdict;
	struct cdn_json_writer w;

	if (r->denied++ >= CDN_TOOL_DENIALS_MAX)
		return;
	if (r->denied > 1)
		cdn_buf_putc(&r->denials, ',');
	cdn_json_begin(&w, &r->denials);
	cdn_json_open(&w, '{');
	put_text(&w, "call", denial->call);
	put_text(&w, "operation", cordon_op_name(v->operation));
	put_text(&w, "path", denial->path);
	put_text(&w, "matched_rule", v->matched_rule);
	put_text(&w, "layer", cordon_layer_name(v->layer));
	put_text(&w, "source", v->source);
	cdn_json_put_key(&w, "line");
	if (v->line != 0)
		cdn_json_put_uint(&w, v->line);
	else
		cdn_json_put_null(&w);
	cdn_json_close(&w);
	(void)!cdn_json_end(&w); /* the buffer keeps that it failed */
}

/* ----- Running ----------------------------------------------------------------------- */

/*
 * Last before it starts: the program is on the list, and the directory is the
 * one that was approved.
 */
static int
validate(const char *program, const char *const *argv, void *arg,
    struct cordon_error *err)
{
	struct running *r = arg;
	struct cdn_tool_command *c = r->command;
	struct cdn_real now;

	(void)argv;
	if (!cdn_tool_program_found(c, program)) {
		c->not_listed = true;
		return cdn_err(err, CORDON_E_INVALID,
		    "'%s' is none of the programs that the worker may start",
		    program);
	}
	if (cdn_tool_command_cwd(c, &now) != 0 ||
	    strcmp(now.path, c->cwd.path) != 0 || now.dev != c->cwd.dev || now.ino != c->cwd.ino)
		return cdn_err(err, CORDON_E_INVALID,
		    "'%s' is not the directory any more that it was",
		    c->cwd.path);
	return CORDON_GO;
}

static void
tell_progress(struct cdn_tool_call *call, unsigned long long beats)
{
	if (call->asked->progress != NULL)
		call->asked->progress(beats, call->asked->progress_arg);
}

/* Until it is over; when the caller wants no more of it, soon. */
static void
wait_for(struct cdn_tool_call *call, struct cdn_running *running,
    bool *ret_cancelled)
{
	struct pollfd fds[2] = {
		{ .fd = cdn_run_fd(running), .events = POLLIN },
		{ .fd = call->asked->cancel_fd > 0 ? call->asked->cancel_fd :
						     -1,
		    .events = POLLIN },
	};
	unsigned long long beats = 0;
	bool told = false;

	while (!cdn_run_step(running)) {
		int n = poll(fds, 2, told ? GRACE_MS : 1000);

		if (n == 0 && told)
			(void)!cdn_run_signal(running, SIGKILL, NULL);
		else if (n == 0)
			tell_progress(call, ++beats);
		if (n > 0 && fds[1].revents != 0) {
			told = *ret_cancelled = true;
			fds[1].fd = -1;
			(void)!cdn_run_signal(running, SIGTERM, NULL);
		}
	}
}

/* The agent may ask for less than the caller gives, if he gives anything. */
static unsigned long long
timeout_of(const struct cdn_tool_call *call, unsigned long long given)
{
	const struct cdn_tool_value *asked = &call->v[TIMEOUT];
	unsigned long long ms = asked->given ?
	    (unsigned long long)asked->number :
	    given != 0 ? given : TIMEOUT_DEFAULT_MS;

	if (given != 0 && given < ms)
		ms = given;
	return ms < CDN_TOOL_TIMEOUT_MAX ? ms : CDN_TOOL_TIMEOUT_MAX;
}

static struct cordon_run_options
options_of(struct running *r)
{
	struct cdn_tool_command *c = r->command;
	struct cordon_run_options o = c->call->tools->run;

	o.argv = c->argv;
	o.cwd = c->cwd.path;
	o.timeout_ms = timeout_of(c->call, o.timeout_ms);
	o.stdin_mode = CORDON_STDIN_NULL;
	o.output = CORDON_OUTPUT_CAPTURE;
	o.output_max = CDN_RUN_OUTPUT;
	o.foreground = o.sole = o.debug = false;
	o.validate = validate;
	o.validate_arg = r;
	o.denied = denied;
	o.denied_arg = r;
	return o;
}

/* ----- What came of it ------------------------------------------------------------------- */

static void
put_streams(struct cdn_json_writer *w, cdn_str out, cdn_str err)
{
	cdn_json_put_key(w, "stdout");
	cdn_json_put_string(w, out);
	cdn_json_put_key(w, "stderr");
	cdn_json_put_string(w, err);
}

static void
put_result(struct running *r)
{
	struct cdn_json_writer *w = r->command->call->result;
	const struct cordon_run_result *result = &r->result;

	put_streams(w, (cdn_str){ result->out, result->out_len },
	    (cdn_str){ result->err, result->err_len });
	cdn_json_put_key(w, "exit_code");
	if (result->has_exit_code)
		cdn_json_put_int(w, result->exit_code);
	else
		cdn_json_put_null(w);
	cdn_json_put_key(w, "timed_out");
	cdn_json_put_bool(w, result->timed_out);
	cdn_json_put_key(w, "cut");
	cdn_json_put_bool(w, result->output_cut);
	cdn_json_put_key(w, "run");
	cdn_json_put_cstring(w, result->run);
	cdn_json_put_key(w, "denials");
	cdn_json_put_raw(w, (cdn_str){ r->denials.p, r->denials.n });
}

/* As a shell says it. */
static int
put_not_found(struct running *r)
{
	struct cdn_tool_call *call = r->command->call;
	struct cordon_error why = call->err;

	if (r->command->widened != NULL)
		(void)cdn_err(&call->err, CORDON_E_NOT_FOUND, "%s (with "
		    "grants, directories that a run can write are not "
		    "searched)", why.text);
	r->result = (struct cordon_run_result){ .has_exit_code = true,
		.exit_code = NOT_FOUND_STATUS, .err = call->err.text,
		.err_len = strlen(call->err.text) };
	put_result(r);
	r->result = (struct cordon_run_result){ 0 };
	return 0;
}

static int
not_started(struct running *r, int code)
{
	struct cdn_tool_call *call = r->command->call;
	struct cordon_error why = call->err;

	if (code == CORDON_E_NOT_FOUND && !r->command->not_listed) {
		cdn_buf_puts(&r->denials, "]");
		return cdn_buf_failed(&r->denials) ? cdn_tool_nomem(call) :
						     put_not_found(r);
	}
	if (r->command->not_listed)
		return cdn_tool_refuse(call, CORDON_REFUSAL_PROGRAM, "%s",
		    why.text);
	if (code == CORDON_E_EXEC)
		return cdn_tool_refuse(call, CORDON_REFUSAL_DENIED, "%s",
		    why.text);
	return cdn_tool_result_of(call, code);
}

static int
run(struct running *r)
{
	struct cdn_tool_call *call = r->command->call;
	const struct cordon_run_options options = options_of(r);
	const struct cdn_run_place place = { r->command->cwd.dev,
		r->command->cwd.ino };
	struct cordon_process *process = NULL;
	bool cancelled = false;
	int code;

	cdn_buf_putc(&r->denials, '[');
	code = cdn_launch_start_in(r->command->policy.session, &options, &place,
	    &process, &call->err);
	if (code != 0)
		return not_started(r, code);
	wait_for(call, cdn_launch_running(process), &cancelled);
	code = cdn_launch_wait(process, &r->result, &call->err);
	if (code != 0)
		return cdn_tool_result_of(call, code);
	if (cancelled)
		return cdn_tool_refuse(call, CORDON_REFUSAL_OS,
		    "the command was cancelled");
	cdn_buf_putc(&r->denials, ']');
	if (cdn_buf_failed(&r->denials))
		return cdn_tool_nomem(call);
	put_result(r);
	return 0;
}

static int
run_command(struct cdn_tool_command *c)
{
	struct running r = { .command = c };
	const struct cdn_tool_ask ask = {
		.prompt = c->prompt,
		.argv = c->argv,
		.cwd = c->cwd.path,
		.grants = &c->ruling.grants,
	};
	int code = 0;

	if (c->ruling.decision == CORDON_ASK)
		code = cdn_tool_approve(c->call, &ask);
	if (code != 0)
		return code;
	cdn_buf_init(&r.denials, CDN_TOOL_RESULT_MAX);
	code = run(&r);
	cdn_buf_done(&r.denials);
	free(r.result.out);
	free(r.result.err);
	free(r.result.audit);
	return code;
}

int
cdn_tool_shell(struct cdn_tool_call *call)
{
	struct cdn_tool_command command;
	int code = cdn_tool_command_find(call, call->v[COMMAND].text,
	    &call->v[CWD], &command);

	if (code == 0)
		code = run_command(&command);
	cdn_tool_command_done(&command);
	return code;
}

/* ----- What would come of it ---------------------------------------------------------------- */

static void
put_plan(struct cdn_tool_call *call, const struct cdn_tool_command *c)
{
	struct cdn_json_writer *w = call->result;

	call->decision = c->ruling.decision;
	put_text(w, "decision", cordon_decision_name(c->ruling.decision));
	put_text(w, "match", c->ruling.rule != NULL ?
		c->ruling.rule->pattern.p : NULL);
	cdn_json_put_key(w, "grants");
	cdn_tool_put_grants(w, &c->ruling.grants);
	put_text(w, "prompt", c->prompt);
}

int
cdn_tool_shell_plan(struct cdn_tool_call *call)
{
	struct cdn_tool_command command;
	int code = cdn_tool_command_find(call, call->v[COMMAND].text,
	    &call->v[CWD], &command);

	if (code == 0)
		put_plan(call, &command);
	cdn_tool_command_done(&command);
	return code;
}
