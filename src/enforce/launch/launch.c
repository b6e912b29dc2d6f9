#include "enforce/launch/launch.h"

#include <errno.h>

#include "enforce/backend/landlock.h"
#include "enforce/broker/broker.h"
#include "enforce/home/env.h"
#include "enforce/home/home.h"
#include "enforce/host/host.h"
#include "enforce/run/run.h"
#include "enforce/session/attach.h"
#include "enforce/session/own.h"

extern char **environ;

/* What the child calls: the cage, and where it notes what it is doing. */
struct entrance {
	const struct cdn_cage *cage;
	const char **step;
	struct cdn_offer *offer; /* NULL: nobody answers */
};

struct cordon_process {
	struct cdn_arena *arena; /* owns this struct too */
	const struct cordon_session *session;
	const struct cordon_run_options *options;
	char run[17];
	struct cdn_terms terms;
	struct cordon_plan *plan;
	struct cdn_cage *cage;
	struct entrance entrance;
	const char *step; /* of the cage, when entering it failed */
	struct cdn_offer offer;
	struct cdn_broker *broker; /* NULL: the plan needs none */
	unsigned long denials;	   /* written by its threads, one at a time */
	bool audit_broken;
	struct cdn_record *record;
	struct cdn_run_request request;
	struct cdn_running *running;
};

/* ----- Plans ------------------------------------------------------------------ */

void
cdn_launch_plan_free(struct cordon_plan *plan)
{
	if (plan != NULL)
		cdn_arena_free(plan->arena);
}

static int
fill_plan(struct cordon_plan *plan, struct cordon_error *err)
{
	struct cdn_plan_input input = {
		.authority = plan->session->authority,
		.spec = &plan->session->spec,
		.host = &plan->host,
		.reader = &cdn_launch_reader,
		.has_broker = plan->host.seccomp_notify,
	};

	return cdn_plan_build(plan->arena, &input, &plan->plan, err);
}

int
cdn_launch_plan(const struct cordon_session *session,
    const struct cordon_run_options *options, struct cordon_plan **ret,
    struct cordon_error *err)
{
	struct cdn_arena *arena = cdn_arena_new();
	struct cordon_plan *plan = arena == NULL ? NULL :
	    cdn_arena_alloc(arena, sizeof(*plan));
	int code;

	if (plan == NULL) {
		cdn_arena_free(arena);
		return cdn_err_nomem(err);
	}
	plan->arena = arena;
	plan->session = session;
	cdn_terms_find(session, options, &plan->terms);
	cdn_host_probe(&plan->host);
	if (plan->terms.backend == CORDON_BACKEND_NONE)
		plan->host = (struct cdn_host){ 0 }; /* nothing is made use of */
	code = fill_plan(plan, err);
	if (code == 0)
		code = cdn_launch_shortfalls(plan, err);
	if (code != 0) {
		cdn_launch_plan_free(plan);
		return code;
	}
	*ret = plan;
	return 0;
}

int
cdn_launch_plan_format(const struct cordon_plan *plan,
    enum cordon_format format, struct cdn_buf *out, struct cordon_error *err)
{
	static const char *const isolations[] = {
		[CDN_ISOLATION_UNSET] = "none",
		[CDN_ISOLATION_NONE] = "none",
		[CDN_ISOLATION_AUTO] = "none", /* no rule needs more */
		[CDN_ISOLATION_NAMESPACES] = "namespaces",
	};
	struct cdn_plan_words words = {
		.backend = cordon_backend_name(plan->terms.backend),
		.isolation = isolations[plan->terms.isolation],
	};

	return cdn_plan_format(plan->plan, &words, format, out, err);
}

/* ----- Home and environment ---------------------------------------------------- */

/* Every declared root; the home links those below the real one. */
static const char **
declared_roots(struct cdn_arena *arena, const struct cdn_authority_spec *spec,
    size_t *ret_count)
{
	size_t n = spec->command_read.n + spec->command_write.n;
	const char **roots;

	for (size_t i = 0; i < spec->document_count; i++)
		n += spec->documents[i].host_read.n +
		    spec->documents[i].host_modify.n;
	roots = cdn_arena_array(arena, n + 1, sizeof(*roots));
	if (roots == NULL)
		return NULL;
	n = 0;
	for (size_t i = 0; i < spec->command_read.n; i++)
		roots[n++] = spec->command_read.v[i].path;
	for (size_t i = 0; i < spec->command_write.n; i++)
		roots[n++] = spec->command_write.v[i].path;
	for (size_t i = 0; i < spec->document_count; i++) {
		const struct cdn_document *d = &spec->documents[i];

		for (size_t k = 0; d->trusted && k < d->host_read.n; k++)
			roots[n++] = d->host_read.v[k].path;
		for (size_t k = 0; d->trusted && k < d->host_modify.n; k++)
			roots[n++] = d->host_modify.v[k].path;
	}
	*ret_count = n;
	return roots;
}

static void
close_home(void *home)
{
	cdn_home_close(home);
}

struct home_request {
	struct cdn_arena *arena;
	const char *path;
};

static int
open_home(const struct cordon_session *session, void *arg, void **ret,
    struct cordon_error *err)
{
	const struct home_request *request = arg;
	struct cdn_home_spec spec = {
		.places = &session->places,
		.base = session->own.base,
		.substitute = session->own.substitute,
		.home = session->own.home,
		.tmp = session->own.tmp,
		.path = request->path,
	};
	struct cdn_home *home = NULL;
	int code;

	spec.roots = declared_roots(request->arena, &session->spec,
	    &spec.root_count);
	if (spec.roots == NULL)
		return cdn_err_nomem(err);
	code = cdn_home_open(&spec, &home, err);
	if (code == 0)
		*ret = home;
	return code;
}

/* Made by the first run of a session, removed with the session. */
static int
ensure_home(struct cordon_process *p, const char *path,
    struct cordon_error *err)
{
	const struct cordon_session *session = p->session;
	struct home_request request = { p->arena, path };

	if (session->own.home[0] == '\0' && session->own.tmp[0] == '\0')
		return 0;
	return cdn_session_attach(session, open_home, &request, close_home,
	    err);
}

static int
compose(struct cordon_process *p, struct cordon_error *err)
{
	const struct cordon_session *session = p->session;
	struct cdn_env_layer *layers = cdn_arena_array(p->arena,
	    session->loaded_count + 1, sizeof(*layers));
	struct cdn_env_spec spec = {
		.caller = environ,
		.layers = layers,
		.layer_count = session->loaded_count,
		.home = session->own.home,
		.tmp = session->own.tmp,
		.extra = p->options->env,
		.extra_count = p->options->env_count,
	};
	char **envp;
	int code;

	if (layers == NULL)
		return cdn_err_nomem(err);
	for (size_t i = 0; i < session->loaded_count; i++)
		layers[i] = (struct cdn_env_layer){
			&session->loaded[i].policy->env,
			session->loaded[i].trusted };
	code = cdn_env_compose(p->arena, &spec, &envp, err);
	if (code == 0)
		p->request.envp = envp;
	return code;
}

/* The given variables and nothing else. */
static int
exact(struct cordon_process *p, struct cordon_error *err)
{
	size_t n = p->options->env_count;
	char **envp = cdn_arena_array(p->arena, n + 1, sizeof(*envp));

	if (envp == NULL)
		return cdn_err_nomem(err);
	for (size_t i = 0; i < n; i++) {
		const char *variable = p->options->env[i];

		if (strchr(variable, '=') == NULL || variable[0] == '=')
			return cdn_err(err, CORDON_E_INVALID,
			    "env: '%s' is not NAME=VALUE", variable);
		envp[i] = cdn_arena_dup(p->arena, variable, strlen(variable));
		if (envp[i] == NULL)
			return cdn_err_nomem(err);
	}
	p->request.envp = envp;
	return 0;
}

static int
inherit(struct cordon_process *p, struct cordon_error *err)
{
	if (p->terms.backend != CORDON_BACKEND_NONE)
		return cdn_err(err, CORDON_E_INVALID,
		    "a caged run does not inherit the environment (use "
		    "CORDON_ENV_COMPOSED)");
	p->request.envp = environ;
	return 0;
}

static int
environment(struct cordon_process *p, struct cordon_error *err)
{
	static int (*const ways[])(struct cordon_process *p,
	    struct cordon_error *err) = {
		[CORDON_ENV_COMPOSED] = compose,
		[CORDON_ENV_EXACT] = exact,
		[CORDON_ENV_INHERIT] = inherit,
	};

	return ways[p->options->environment](p, err);
}

/* ----- The request -------------------------------------------------------------- */

CDN_BARE static int
enter(const void *arg)
{
	const struct entrance *e = arg;
	int r = e->cage->backend->enter(e->cage, e->step);

	if (r < 0 || e->offer == NULL)
		return r;
	*e->step = "broker";
	return cdn_broker_offer(e->offer, r);
}

static int
validate(const struct cdn_run_request *request, void *arg,
    struct cordon_error *err)
{
	const struct cordon_process *p = arg;
	int code;

	if (p->options->validate == NULL)
		return 0;
	code = p->options->validate(request->program, p->options->argv,
	    p->options->validate_arg, err);
	if (code == 0 || (err != NULL && err->code != 0))
		return code;
	return cdn_err(err, CORDON_E_INVALID, "'%s' was refused before it "
	    "started", request->program);
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

static int
via(void *arg, int (*start)(void *start_arg), void *start_arg)
{
	struct cordon_process *p = arg;

	return cdn_broker_via(p->broker, &p->offer, start, start_arg);
}

static void
fill_request(struct cordon_process *p)
{
	const struct cordon_run_options *o = p->options;
	const struct cdn_limits *limits = &p->terms.limits;
	struct cdn_run_request *r = &p->request;

	r->argv = as_argv(o->argv);
	r->cwd = o->cwd;
	r->wall_ms = limits->wall_ms;
	r->stdin_mode = (enum cdn_stdin_mode)o->stdin_mode;
	r->stdin_bytes = (cdn_str){ o->stdin_bytes, o->stdin_len };
	r->output_mode = (enum cdn_output_mode)o->output;
	r->output_max = limits->output_bytes;
	r->reaper = o->sole ? CDN_REAPER_SELF : CDN_REAPER_SHEPHERD;
	r->foreground = o->foreground;
	r->forward_signals = o->forward_signals;
	r->tee = o->debug;
	r->limits = (struct cdn_run_limits){
		.cpu_ms = limits->cpu_ms,
		.memory_bytes = limits->memory_bytes,
		.processes = limits->processes,
		.open_files = limits->open_files,
	};
	r->validate = validate;
	r->validate_arg = p;
	if (p->cage == NULL)
		return;
	p->entrance = (struct entrance){ p->cage, &p->step,
		p->broker != NULL ? &p->offer : NULL };
	r->entry = (struct cdn_entry){ enter, &p->entrance, &p->step };
	if (p->broker != NULL) {
		r->via = via;
		r->via_arg = p;
	}
}

/* ----- Starting ------------------------------------------------------------------ */

static void
process_free(struct cordon_process *p)
{
	if (p == NULL)
		return;
	cdn_broker_close(p->broker);
	if (p->cage != NULL)
		p->cage->backend->free(p->cage);
	cdn_record_close(p->record);
	cdn_launch_plan_free(p->plan);
	cdn_arena_free(p->arena);
}

/*
 * The directories of the run are made before the plan: what is not there yet
 * cannot be kept out of what is open around it.
 */
static int
prepare_cage(struct cordon_process *p, const char *path,
    struct cordon_error *err)
{
	int code = ensure_home(p, path, err);

	if (code == 0)
		code = cdn_launch_plan(p->session, p->options, &p->plan, err);
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
by_path(const void *a, const void *b)
{
	const struct cdn_broker_region *one = a, *other = b;

	return strcmp(one->path, other->path);
}

/* Where Landlock holds every operation by itself a call may go on. */
static struct cdn_broker_region *
native_regions(struct cdn_arena *arena, const struct cdn_plan *plan)
{
	struct cdn_broker_region *regions = cdn_arena_array(arena,
	    plan->region_count + 1, sizeof(*regions));

	for (size_t i = 0; regions != NULL && i < plan->region_count; i++)
		regions[i] = (struct cdn_broker_region){
			.path = plan->regions[i].path,
			.native = plan->regions[i].held == CDN_REGION_OPEN ||
			    plan->regions[i].held == CDN_REGION_FIXED ||
			    plan->regions[i].held == CDN_REGION_DEVICE,
		};
	if (regions != NULL)
		qsort(regions, plan->region_count, sizeof(*regions), by_path);
	return regions;
}

static void
tell_denial(const struct cordon_process *p, const struct cdn_denial *denial)
{
	char path[CDN_PATH_MAX + 1];
	struct cordon_denial told = {
		.call = denial->call,
		.pid = (int)denial->pid,
		.path = path,
		.verdict = *denial->verdict,
		.error = denial->error,
	};

	if (p->options->denied == NULL)
		return;
	snprintf(path, sizeof(path), "%.*s",
	    CDN_STR_ARG(denial->question->path));
	p->options->denied(&told, p->options->denied_arg);
}

/*
 * Every refusal is an event.  One that cannot be kept must not go on unseen:
 * the run ends, unless the policy says otherwise.
 */
static void
denied(const struct cdn_denial *denial, void *arg)
{
	struct cordon_process *p = arg;

	p->denials++;
	tell_denial(p, denial);
	if (cdn_record_denied(p->record, denial, NULL) != 0 &&
	    !p->terms.audit_warn)
		p->audit_broken = true;
}

static int
open_broker(struct cordon_process *p, struct cordon_error *err)
{
	const struct cdn_plan *plan = p->plan->plan;
	cdn_cleanup_fd int ruleset = -1;
	struct cdn_broker_spec spec = {
		.authority = p->session->authority,
		.regions = native_regions(p->arena, plan),
		.region_count = plan->region_count,
		.reads = plan->mode == CDN_PLAN_MODE_C,
		.denied = denied,
		.denied_arg = p,
	};
	int code;

	if (spec.regions == NULL)
		return cdn_err_nomem(err);
	code = cdn_landlock_bound(plan, p->plan->host.landlock_abi, &ruleset,
	    err);
	if (code != 0)
		return code;
	spec.ruleset = ruleset;
	p->offer = (struct cdn_offer)CDN_OFFER_INIT;
	return cdn_broker_open(&spec, &p->broker, err);
}

/* Everything before the program; nothing of it is left when it fails. */
static int
prepare(struct cordon_process *p, struct cordon_error *err)
{
	bool caged = p->terms.backend != CORDON_BACKEND_NONE;
	const char *path;
	int code = environment(p, err);

	if (code != 0)
		return code;
	path = cdn_env_find(p->request.envp, "PATH");
	if (path == NULL)
		path = CDN_ENV_DEFAULT_PATH;
	code = caged ? prepare_cage(p, path, err) : prepare_none(p, err);
	if (code == 0)
		code = cdn_launch_program(p->session, p->options, path,
		    p->arena, &p->request.program, err);
	if (code == 0 && caged)
		code = cdn_backend_native.build(p->plan->plan, &p->plan->host,
		    &p->cage, err);
	if (code == 0 && caged && p->plan->plan->mode != CDN_PLAN_MODE_NONE)
		code = open_broker(p, err);
	return code;
}

/* A broken audit stops the run, unless the policy says otherwise. */
static int
recorded(const struct cordon_process *p, int code,
    const struct cordon_error *why, struct cordon_error *err)
{
	if (code == 0)
		return 0;
	if (!p->terms.audit_warn) {
		if (err != NULL)
			*err = *why;
		return cdn_err_context(err, code, "audit");
	}
	if (p->options->notice != NULL)
		p->options->notice(why->text, p->options->notice_arg);
	return 0;
}

static int
begin(struct cordon_process *p, struct cordon_error *err)
{
	struct cordon_error why = { 0 };
	int code;

	fill_request(p);
	cdn_launch_tell(p->plan, p->options);
	code = recorded(p, cdn_record_start(p->record, p->plan, p->options,
	    &why), &why, err);
	if (code == 0)
		code = cdn_run_start(&p->request, &p->running, err);
	return code;
}

static int
start(struct cordon_process *p, struct cordon_error *err)
{
	struct cordon_error why = { 0 };
	int code = recorded(p, cdn_record_open(p->session, p->options,
	    &p->terms, p->run, &p->record, &why), &why, err);

	if (code != 0)
		return code;
	code = prepare(p, &why);
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
	p->session = session;
	p->options = options;
	return p;
}

int
cdn_launch_start(const struct cordon_session *session,
    const struct cordon_run_options *options, struct cordon_process **ret,
    struct cordon_error *err)
{
	struct cordon_process *p = process_new(session, options);
	int code;

	if (p == NULL)
		return cdn_err_nomem(err);
	cdn_terms_find(session, options, &p->terms);
	code = cdn_own_make_id(p->run, err);
	if (code == 0)
		code = start(p, err);
	if (code != 0) {
		process_free(p);
		return code;
	}
	*ret = p;
	return 0;
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
	ret->audit_lost = p->audit_broken;
	if (p->options->output == CORDON_OUTPUT_PASS)
		return 0;
	code = take_text(&from->out, &ret->out, &ret->out_len, err);
	if (code == 0)
		code = take_text(&from->err, &ret->err, &ret->err_len, err);
	if (code != 0)
		cordon_run_result_done(ret);
	return code;
}

int
cdn_launch_wait(struct cordon_process *p, struct cordon_run_result *ret,
    struct cordon_error *err)
{
	struct cordon_run_result result = { 0 };
	struct cordon_error why = { 0 };
	struct cdn_run_result from;
	int code = cdn_run_wait(p->running, &from, err);

	if (code == 0) {
		code = fill_result(p, &from, &result, err);
		cdn_run_result_done(&from);
	}
	if (code == 0) {
		/* It did run: what became of it is told in any case. */
		result.audit_lost |= recorded(p, cdn_record_end(p->record,
		    &result, &why), &why, NULL) != 0;
		if (result.audit_lost && p->options->notice != NULL)
			p->options->notice(why.text, p->options->notice_arg);
		*ret = result;
	}
	process_free(p);
	return code;
}
