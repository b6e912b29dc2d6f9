#include "enforce/launch/launch.h"

#include <unistd.h>

#include "enforce/host/host.h"
#include "enforce/launch/plant.h"
#include "enforce/run/bounds.h"

void
cdn_launch_plan_free(struct cordon_plan *plan)
{
	if (plan != NULL)
		cdn_arena_free(plan->arena);
}

static bool
is_in_strict(const struct cordon_session *session)
{
	while ((session = session->outer) != NULL)
		if (session->preset == CORDON_PRESET_STRICT)
			return true;
	return false;
}

/* Who does nothing else starts with what his session just found. */
static struct cdn_plan_reader
reader_for(const struct cordon_session *session,
    const struct cordon_run_options *options)
{
	struct cdn_plan_reader reader = cdn_launch_reader;

	if (options->sole)
		reader.arg = session->lookup;
	return reader;
}

static int
fill_plan(struct cordon_plan *plan, const struct cdn_plan_reader *reader,
    bool judged, struct cordon_error *err)
{
	struct cdn_plan_input input = {
		.authority = cdn_plant_authority(plan->session, CDN_FOR_PLAN,
		    plan->arena),
		.spec = &plan->session->spec,
		.host = &plan->host,
		.reader = reader,
		.trace = plan->terms.trace,
		.strict = is_in_strict(plan->session),
		.outer = plan->session->outer_plan,
		.has_broker = judged && plan->host.seccomp_notify,
	};

	int code = cdn_plan_build(plan->arena, &input, &plan->plan, err);

	if (code == 0)
		cdn_plant_plan(plan->session, plan->plan);
	if (code == 0 && plan->terms.backend == CORDON_BACKEND_BWRAP)
		code = cdn_launch_bwrap_plan(plan, err);
	if (code == 0 && plan->terms.backend == CORDON_BACKEND_SEATBELT)
		code = cdn_launch_belted_plan(plan, err);
	return code;
}

/* What the host has to offer is what the backend makes use of. */
static void
find_host(struct cordon_plan *plan, bool judged)
{
	cdn_host_probe(&plan->host);
	if (plan->terms.backend == CORDON_BACKEND_NONE)
		plan->host = (struct cdn_host){
			.notify_taken = plan->host.notify_taken };
	if (plan->terms.backend == CORDON_BACKEND_BWRAP)
		cdn_launch_bwrap_host(&plan->host, plan->terms.enforcement);
	/* Who is confined where he is cannot be put anywhere else. */
	if (judged && plan->terms.backend == CORDON_BACKEND_NATIVE &&
	    plan->session->outer == NULL &&
	    plan->terms.isolation == CDN_ISOLATION_NAMESPACES) {
		cdn_host_probe_userns(&plan->host);
		plan->apart = plan->host.userns && plan->host.seccomp_notify;
	}
}

static int
make_plan(const struct cordon_session *session,
    const struct cordon_run_options *options, bool judged,
    struct cordon_plan **ret, struct cordon_error *err)
{
	struct cdn_arena *arena = cdn_arena_new();
	struct cordon_plan *plan = arena == NULL ? NULL :
	    cdn_arena_alloc(arena, sizeof(*plan));
	struct cdn_plan_reader reader = reader_for(session, options);
	int code;

	if (session->only_asked) {
		cdn_arena_free(arena);
		return cdn_err(err, CORDON_E_INVALID, "nothing can be started "
		    "with a session that was made for questions "
		    "(options.asked)");
	}
	if (plan == NULL) {
		cdn_arena_free(arena);
		return cdn_err_nomem(err);
	}
	plan->arena = arena;
	plan->session = session;
	cdn_terms_find(session, options, &plan->terms);
	find_host(plan, judged);
	code = fill_plan(plan, &reader, judged, err);
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
cdn_launch_plan(const struct cordon_session *session,
    const struct cordon_run_options *options, struct cordon_plan **ret,
    struct cordon_error *err)
{
	return make_plan(session, options, true, ret, err);
}

int
cdn_launch_plan_unjudged(const struct cordon_session *session,
    const struct cordon_run_options *options, struct cordon_plan **ret,
    struct cordon_error *err)
{
	return make_plan(session, options, false, ret, err);
}

#define BOUNDS_MAX 8

/* What the documents limit, and what is limited without them. */
static size_t
find_bounds(const struct cdn_terms *terms, struct cdn_plan_bound *ret)
{
	const struct cdn_limits *l = &terms->limits;
	const struct cdn_plan_bound said[] = {
		{ "wall", " ms", l->wall_ms, "policy" },
		{ "cpu", " ms", l->cpu_ms, "policy" },
		{ "memory", " bytes", l->memory_bytes, "policy" },
		{ "processes", "", l->processes, "policy" },
		{ "open files", "", l->open_files, "policy" },
		{ "output", " bytes", l->output_bytes, "policy" },
	};
	struct cdn_run_bounds bounds = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < CDN_LEN(said); i++)
		if (said[i].value > 0)
			ret[n++] = said[i];
	if (terms->backend == CORDON_BACKEND_NONE ||
	    terms->backend == CORDON_BACKEND_SEATBELT)
		return n;
	cdn_run_bounds_find(&bounds);
	if (l->processes == 0)
		ret[n++] = (struct cdn_plan_bound){ "processes", "",
			bounds.processes, bounds.processes > 0 ?
			"default; all of the user count" :
			geteuid() == 0 ? "root: set limits.processes" :
			"the user may have too few" };
	if (bounds.signals > 0)
		ret[n++] = (struct cdn_plan_bound){ "pending signals", "",
			bounds.signals, "default" };
	return n;
}

int
cdn_launch_plan_format(const struct cordon_plan *plan,
    enum cordon_format format, struct cdn_buf *out, struct cordon_error *err)
{
	struct cdn_plan_bound bounds[BOUNDS_MAX];
	struct cdn_plan_words words = {
		.backend = cordon_backend_name(plan->terms.backend),
		/* AUTO is none: no rule needs more. */
		.isolation = plan->apart || plan->plan->mounted ?
		    "namespaces" : "none",
		.bounds = bounds,
		.bound_count = find_bounds(&plan->terms, bounds),
	};

	if (format == CORDON_FORMAT_ARGV)
		return cdn_launch_bwrap_argv(plan, out, err);
	if (format == CORDON_FORMAT_SBPL)
		return cdn_launch_sbpl(plan, out, err);
	return cdn_plan_format(plan->plan, &words, format, out, err);
}
