#include "enforce/launch/nested.h"

#include <unistd.h>

#include "enforce/audit/journal.h"
#include "enforce/home/env.h"
#include "enforce/launch/agent.h"
#include "enforce/launch/record.h"
#include "enforce/session/othernames.h"
#include "enforce/session/own.h"
#include "enforce/session/survey.h"

/* ----- The request -------------------------------------------------------------- */

static int
validate(const struct cdn_run_request *request, void *arg,
    struct cordon_error *err)
{
	const struct cordon_process *p = arg;
	const char *program = p->handed_fd >= 0 ? p->handed_program :
						  request->program;
	int code;

	if (p->options->validate == NULL)
		return 0;
	if (err != NULL)
		err->code = 0;
	code = p->options->validate(program, p->options->argv,
	    p->options->validate_arg, err);
	if (code == CORDON_GO)
		return 0;
	if (err != NULL && err->code != 0)
		return err->code;
	return cdn_err(err, CORDON_E_INVALID, "'%s' was refused before it "
	    "started", program);
}

/* exec and its like are declared for lists they could, but do not, change. */
static char *const *
as_argv(const char *const *list)
{
	union {
		const char *const *given;
		char *const *wanted;
	} argv = { list };

	return argv.wanted;
}

static void
fill_request(struct cordon_process *p)
{
	const struct cordon_run_options *o = p->options;
	const struct cdn_limits *limits = &p->terms.limits;
	struct cdn_run_request *r = &p->request;

	r->argv = as_argv(o->argv);
	r->cwd = o->cwd;
	r->cwd_is = p->cwd_is;
	r->wall_ms = limits->wall_ms;
	r->stdin_mode = (enum cdn_stdin_mode)o->stdin_mode;
	r->stdin_bytes = (cdn_str){ o->stdin_bytes, o->stdin_len };
	r->output_mode = (enum cdn_output_mode)o->output;
	r->output_max = limits->output_bytes;
	r->stdio = p->stdio;
	r->terminal = p->terminal;
	r->reaper = cdn_launch_is_own_child(p) ? CDN_REAPER_SELF :
						 CDN_REAPER_SHEPHERD;
	if (p->spaces != NULL) {
		r->cwd = p->cwd;
		r->spaces = p->spaces;
	}
	r->foreground = o->foreground;
	r->forward_signals = o->forward_signals;
	r->tee = o->debug;
	r->limits = (struct cdn_run_limits){
		.cpu_ms = limits->cpu_ms,
		.memory_bytes = limits->memory_bytes,
		.processes = limits->processes,
		.open_files = limits->open_files,
	};
	if (p->terms.backend != CORDON_BACKEND_NONE)
		cdn_run_bounds_find(&r->limits.bounds);
	r->validate = validate;
	r->validate_arg = p;
	if (p->terms.backend == CORDON_BACKEND_NATIVE)
		cdn_launch_enter(p);
	if (p->guests != NULL) {
		r->wake_fd = cdn_guests_fd(p->guests);
		r->woken = cdn_guests_let_in;
		r->leaving = cdn_guests_end;
		r->woken_arg = p->guests;
	}
	if (p->handed_fd >= 0)
		cdn_launch_stand_in(p);
}

/* ----- Starting ------------------------------------------------------------------ */

/* Nobody enters it any more. */
static void
leave_cage(struct cordon_process *p)
{
	if (p->cage != NULL)
		p->cage->backend->free(p->cage);
	p->cage = NULL;
}

static void
process_free(struct cordon_process *p)
{
	if (p == NULL)
		return;
	cdn_guests_close(p->guests);
	cdn_broker_close(p->broker);
	if (p->surveys)
		cdn_survey_end(p->session);
	if (p->handed_fd >= 0)
		close(p->handed_fd);
	if (p->offer.caller_fd >= 0)
		close(p->offer.caller_fd);
	cdn_spaces_close(p->spaces);
	cdn_terminal_free(p->terminal);
	cdn_other_names_free(p->other_names);
	if (p->stop_fd >= 0)
		close(p->stop_fd);
	leave_cage(p);
	cdn_launch_wrapping_free(p->wrapping);
	cdn_launch_unseal(p);
	cdn_record_close(p->record);
	cdn_launch_plan_free(p->plan);
	cdn_arena_free(p->arena);
}

/*
 * Inside of another run there can be no second cage, but perhaps somebody who
 * builds it outside.  True: *code says what became of it.
 */
static bool
is_handed_over(struct cordon_process *p, const char *path, int *code,
    struct cordon_error *err)
{
	if (!p->plan->host.notify_taken || p->inside != NULL ||
	    p->terms.backend != CORDON_BACKEND_NATIVE)
		return false;
	*code = cdn_launch_reach_outer(p, err);
	if (*code == 0 && p->handed_fd >= 0)
		*code = cdn_launch_hand_over(p, path, err);
	return *code != 0 || p->handed_fd >= 0;
}

static bool
is_wrapped(const struct cordon_process *p)
{
	return p->terms.backend == CORDON_BACKEND_BWRAP &&
	    p->plan->plan->caged;
}

/*
 * May what must be done before anything is executed be done while the process
 * is made?  What runs inside of the cage without being executed waits for no
 * word, and somebody outside for none of ours; what the caller may still refuse
 * was recorded before he was asked.
 */
static bool
has_meanwhile(const struct cordon_process *p)
{
	bool waits = is_wrapped(p) || (p->inside == NULL &&
	    p->terms.backend == CORDON_BACKEND_NATIVE &&
	    !p->plan->host.notify_taken);

	return waits && p->options->validate == NULL;
}

/*
 * The directories of the run are made before the plan: what is not there yet
 * cannot be kept out of what is open around it.
 */
static int
prepare_cage(struct cordon_process *p, const char *path,
    struct cordon_error *err)
{
	int code = cdn_launch_home(p, err);

	if (code == 0)
		code = cdn_launch_plan(p->session, p->options, &p->plan, err);
	if (code == 0 && !has_meanwhile(p))
		code = cdn_launch_furnish(p, err);
	if (code == 0 && is_handed_over(p, path, &code, err))
		return code;
	if (code == 0)
		code = cdn_launch_accept(p->plan, err);
	if (code == 0)
		code = cdn_launch_check_state(p->plan, err);
	return code;
}

static int
prepare_none(struct cordon_process *p, struct cordon_error *err)
{
	int code = cdn_launch_plan(p->session, p->options, &p->plan, err);

	return code != 0 ? code : cdn_launch_accept(p->plan, err);
}

static int
build_cage(struct cordon_process *p, struct cordon_error *err)
{
	struct cdn_plan plan = *p->plan->plan;

	plan.nests = cdn_guests_are_offered(p);
	return cdn_backend_native.build(&plan, &p->plan->host,
	    p->spaces != NULL ? p->spaces->root_fd : -1, &p->cage, err);
}

/* The broker's thread begins while the cage is built. */
static int
prepare_native(struct cordon_process *p, struct cordon_error *err)
{
	int code = cdn_launch_spaces(p, err);

	if (code == 0 && p->plan->plan->mode != CDN_PLAN_MODE_NONE)
		code = cdn_launch_broker(p, err);
	if (code == 0)
		code = build_cage(p, err);
	if (code == 0 && p->broker != NULL) {
		cdn_broker_bound(p->broker, p->cage->bound);
		p->cage->bound = -1;
	}
	return code;
}

/* Whoever handed the run over has found it already: that one, or none. */
static int
find_program(struct cordon_process *p, const char *path,
    struct cordon_error *err)
{
	const char *found[2] = { NULL, NULL };
	struct cordon_run_options options = *p->options;

	if (p->handed != NULL) {
		found[0] = p->handed->program;
		options.argv = found;
	}
	return cdn_launch_program(p->session, &options, path, p->arena,
	    &p->request.program, err);
}

/* Everything before the program; nothing of it is left when it fails. */
static int
prepare(struct cordon_process *p, struct cordon_error *err)
{
	bool caged = p->terms.backend != CORDON_BACKEND_NONE;
	const char *path;
	int code = cdn_launch_environment(p, err);

	if (code != 0)
		return code;
	path = cdn_launch_path(p);
	code = caged ? prepare_cage(p, path, err) : prepare_none(p, err);
	if (code != 0 || p->handed_fd >= 0)
		return code;
	if (p->inside != NULL)
		p->request.program = p->options->argv[0];
	else
		code = find_program(p, path, err);
	return code != 0 || p->terms.backend != CORDON_BACKEND_NATIVE ? code :
		prepare_native(p, err);
}

static int
recorded(const struct cordon_process *p, int code,
    const struct cordon_error *why, struct cordon_error *err)
{
	return cdn_launch_recorded(&p->terms, p->options, code, why, err);
}

/* That it will be executed. */
static int
record_start(const struct cordon_process *p, struct cordon_error *err)
{
	struct cordon_error why = { 0 };
	int code = recorded(p, cdn_record_start(p->record, p->plan, p->options,
	    &why), &why, err);

	if (code == 0)
		code = recorded(p, cdn_record_fallback(p->record, p->plan,
		    &why), &why, err);
	if (code == 0)
		code = recorded(p, cdn_record_agent(p->record, p->session,
		    &why), &why, err);
	return code;
}

static void
tell(const struct cordon_process *p)
{
	cdn_launch_tell(p->plan, p->options);
	cdn_launch_tell_agent(p->plan, p->options);
	cdn_launch_tell_network(p->plan, p->options);
}

static int
finish(void *arg, struct cordon_error *err)
{
	int code = cdn_launch_furnish(arg, err);

	return code == 0 ? record_start(arg, err) : code;
}

/* Before anything is executed, if not at once. */
static int
settle(struct cordon_process *p, struct cordon_error *err)
{
	tell(p);
	if (!has_meanwhile(p))
		return record_start(p, err);
	p->request.meanwhile = finish;
	p->request.meanwhile_arg = p;
	return 0;
}

/*
 * bwrap begins while that is done, where signals are still for us then.  To
 * record may take long, and whoever has the terminal, or is passed on what was
 * to end us, would be executed all the same.
 */
static int
begin_wrapped(struct cordon_process *p, struct cordon_error *err)
{
	int code = cdn_launch_wrap(p, err);

	if (code == 0)
		code = settle(p, err);
	if (code != 0)
		return code;
	p->request.waits = true;
	code = cdn_launch_start_wrapped(p, err);
	if (code == 0)
		return cdn_launch_unwrap(p, err);
	cdn_launch_wrap_failed(p);
	return code;
}

static int
begin_alone(struct cordon_process *p, struct cordon_error *err)
{
	int code = settle(p, err);

	return code != 0 ? code :
			   cdn_run_start(&p->request, &p->running, err);
}

static int
begin(struct cordon_process *p, struct cordon_error *err)
{
	fill_request(p);
	if (p->handed_fd >= 0) { /* it is recorded where it was handed to */
		cdn_launch_tell_agent(p->plan, p->options);
		return cdn_run_start(&p->request, &p->running, err);
	}
	if (is_wrapped(p))
		return begin_wrapped(p, err);
	cdn_launch_unseal(p); /* no child of ours is left of it */
	return begin_alone(p, err);
}

/* The run has a terminal of its own wherever it would have the user's. */
static int
open_terminal(struct cordon_process *p, struct cordon_error *err)
{
	const struct cordon_run_options *o = p->options;
	int stdio[3], code;

	cdn_run_inherits((enum cdn_stdin_mode)o->stdin_mode,
	    (enum cdn_output_mode)o->output, p->stdio, stdio);
	code = cdn_terminal_open(stdio, o->foreground, &p->terminal, err);
	if (code != 0 || p->terminal == NULL)
		return code;
	for (int i = 0; i < 3; i++)
		p->at_terminal[i] = p->terminal->is[i] ?
		    p->terminal->slave_fd : p->stdio != NULL ? p->stdio[i] : -1;
	p->stdio = p->at_terminal;
	return 0;
}

static int
start(struct cordon_process *p, struct cordon_error *err)
{
	struct cordon_error why = { 0 };
	int code = recorded(p, cdn_record_open(p->session, p->options,
	    &p->terms, p->run, &p->record, &why), &why, err);

	if (code != 0)
		return code;
	if (p->record != NULL && p->outer != NULL)
		p->record->outer = p->outer->run;
	code = open_terminal(p, &why);
	if (code == 0 && p->terms.backend == CORDON_BACKEND_BWRAP)
		code = cdn_launch_seal(p, &why);
	if (code == 0)
		code = prepare(p, &why);
	if (code == 0)
		code = cdn_leftover_begin(p, &why);
	if (code == 0)
		code = begin(p, &why);
	if (code == 0)
		return 0;
	/* The refusal is what matters; that it could not be kept, less. */
	(void)!cdn_record_refused(p->record, p->options, &why, NULL);
	if (err != NULL)
		*err = why;
	return code;
}

static struct cordon_process *
process_new(const struct cordon_session *session,
    const struct cordon_run_options *options)
{
	struct cdn_arena *arena = cdn_arena_new();
	struct cordon_process *p = arena == NULL ? NULL :
	    cdn_arena_alloc(arena, sizeof(*p));

	if (p == NULL) {
		cdn_arena_free(arena);
		return NULL;
	}
	p->arena = arena;
	p->stop_fd = p->offer.caller_fd = p->handed_fd = -1;
	p->session = session;
	p->options = options;
	return p;
}

/* What the options of the public cannot say. */
struct particulars {
	const struct cdn_handed *handed; /* an inner run's, or NULL */
	const struct cdn_inside *inside;
	const int *stdio;
	const struct cdn_run_place *cwd_is;
};

static int
start_new(const struct cordon_session *session,
    const struct cordon_run_options *options, struct particulars with,
    struct cordon_process **ret, struct cordon_error *err)
{
	struct cordon_process *p = process_new(session, options);
	int code;

	if (p == NULL)
		return cdn_err_nomem(err);
	p->handed = with.handed;
	p->outer = with.handed == NULL ? NULL : with.handed->outer;
	p->inside = with.inside;
	p->stdio = with.stdio;
	p->cwd_is = with.cwd_is;
	cdn_terms_find(session, options, &p->terms);
	code = with.handed == NULL ? cdn_own_make_id(p->run, err) : 0;
	if (with.handed != NULL)
		memcpy(p->run, with.handed->run, sizeof(p->run));
	if (code == 0)
		code = start(p, err);
	if (code != 0) {
		process_free(p);
		return code;
	}
	*ret = p;
	return 0;
}

int
cdn_launch_start(const struct cordon_session *session,
    const struct cordon_run_options *options, struct cordon_process **ret,
    struct cordon_error *err)
{
	return start_new(session, options, (struct particulars){ 0 }, ret, err);
}

int
cdn_launch_start_in(const struct cordon_session *session,
    const struct cordon_run_options *options,
    const struct cdn_run_place *cwd_is, struct cordon_process **ret,
    struct cordon_error *err)
{
	return start_new(session, options,
	    (struct particulars){ .cwd_is = cwd_is }, ret, err);
}

int
cdn_launch_start_with(const struct cordon_session *session,
    const struct cordon_run_options *options, const int *stdio,
    struct cordon_process **ret, struct cordon_error *err)
{
	return start_new(session, options,
	    (struct particulars){ .stdio = stdio }, ret, err);
}

int
cdn_launch_start_handed(const struct cordon_session *session,
    const struct cordon_run_options *options, const struct cdn_handed *handed,
    struct cordon_process **ret, struct cordon_error *err)
{
	return start_new(session, options, (struct particulars){
	    .handed = handed, .stdio = handed->stdio,
	    .cwd_is = handed->cwd_is }, ret, err);
}

int
cdn_launch_event(const struct cordon_process *process,
    enum cdn_event_kind kind, const struct cdn_event_field *fields, size_t n,
    struct cordon_error *err)
{
	return cdn_record_event(process->record, kind, fields, n, err);
}

bool
cdn_launch_audit_may_fail(const struct cordon_process *process)
{
	return process->terms.audit_warn;
}

struct cdn_running *
cdn_launch_running(const struct cordon_process *process)
{
	return process->running;
}

/* ----- The end -------------------------------------------------------------------- */

/* Lossy UTF-8, as a string for free(). */
static int
take_text(const struct cdn_buf *bytes, char **ret, size_t *ret_len,
    struct cordon_error *err)
{
	struct cdn_buf text;

	cdn_buf_init(&text, 3 * CDN_RUN_OUTPUT_MAX);
	cdn_run_text(&text, (cdn_str){ bytes->p, bytes->n });
	*ret_len = text.n;
	*ret = cdn_buf_take(&text);
	if (*ret != NULL)
		return 0;
	cdn_buf_done(&text);
	return cdn_err_nomem(err);
}

static int
fill_result(const struct cordon_process *p, const struct cdn_run_result *from,
    struct cordon_run_result *ret, struct cordon_error *err)
{
	int code = 0;

	*ret = (struct cordon_run_result){
		.success = from->success,
		.has_exit_code = from->has_exit_code,
		.exit_code = from->exit_code,
		.signal = from->signal,
		.timed_out = from->timed_out,
		.output_cut = from->output_cut,
		.duration_ms = from->duration_ms,
	};
	memcpy(ret->run, p->run, sizeof(ret->run));
	ret->denials = p->denials;
	if (cdn_record_file(p->record) != NULL && p->handed_fd < 0) {
		ret->audit = strdup(cdn_record_file(p->record));
		if (ret->audit == NULL)
			return cdn_err_nomem(err);
	}
	if (p->options->output == CORDON_OUTPUT_PASS)
		return 0;
	code = take_text(&from->out, &ret->out, &ret->out_len, err);
	if (code == 0)
		code = take_text(&from->err, &ret->err, &ret->err_len, err);
	if (code != 0)
		cordon_run_result_done(ret);
	return code;
}

/* It did run: what became of it is told in any case. */
static bool
is_lost(const struct cordon_process *p, int code,
    const struct cordon_error *why)
{
	if (recorded(p, code, why, NULL) == 0)
		return false;
	if (p->options->notice != NULL)
		p->options->notice(why->text, p->options->notice_arg);
	return true;
}

int
cdn_launch_wait(struct cordon_process *p, struct cordon_run_result *ret,
    struct cordon_error *err)
{
	struct cordon_run_result result = { 0 };
	struct cordon_error why = { 0 };
	struct cdn_journal_sum sum;
	struct cdn_run_result from;
	bool made_part;
	int code;

	leave_cage(p); /* a thousand rules go now, not at the end */
	cdn_launch_ahead(p);
	code = cdn_run_wait(p->running, &from, err);
	cdn_guests_close(p->guests);
	p->guests = NULL;
	if (code == 0 && p->wrapping != NULL) {
		code = cdn_launch_wrapped(p, &from, err);
		if (code != 0)
			cdn_run_result_done(&from);
	}
	made_part = p->broker != NULL && cdn_broker_made_part(p->broker);
	cdn_broker_close(p->broker); /* nobody counts any more */
	p->broker = NULL;
	cdn_leftover_tell(p, made_part);
	cdn_launch_look_back(p);
	cdn_record_settle(p->record, &sum);
	if (sum.failed && p->audit_lost == 0)
		p->audit_error = sum.error;
	if (code == 0) {
		code = fill_result(p, &from, &result, err);
		cdn_run_result_done(&from);
	}
	if (code == 0) {
		result.audit_lost = is_lost(p, p->audit_lost > 0 ||
		    sum.failed ? CORDON_E_SYSTEM : 0, &p->audit_error);
		if (p->handed_fd < 0 && is_lost(p, cdn_record_end(p->record,
			&result, p->audit_lost, &sum, &why), &why))
			result.audit_lost = true;
		*ret = result;
	}
	process_free(p);
	return code;
}

/* Without a cage there is no inside. */
int
cdn_launch_inside(const struct cordon_session *session,
    const struct cordon_run_options *options, const struct cdn_inside *inside,
    struct cordon_run_result *ret, struct cordon_error *err)
{
	struct cordon_process *p = NULL;
	struct cdn_terms terms;
	int code;

	cdn_terms_find(session, options, &terms);
	if (terms.backend == CORDON_BACKEND_NONE)
		return cdn_err(err, CORDON_E_INVALID,
		    "without a sandbox there is nothing to look at from inside");
	if (terms.backend != CORDON_BACKEND_NATIVE)
		return cdn_err(err, CORDON_E_INVALID,
		    "only what the native backend makes can be looked at from "
		    "inside");
	code = start_new(session, options,
	    (struct particulars){ .inside = inside }, &p, err);
	return code != 0 ? code : cdn_launch_wait(p, ret, err);
}
