#include "enforce/launch/launch.h"

#include "enforce/session/workers.h"

/* Both orders are by strictness; AUTO chooses none unless asked for more. */
static const enum cdn_enforcement enforcements[CORDON_ENFORCEMENT_MAX] = {
	[CORDON_ENFORCEMENT_POLICY] = CDN_ENFORCEMENT_UNSET,
	[CORDON_ENFORCEMENT_BEST_EFFORT] = CDN_ENFORCEMENT_BEST_EFFORT,
	[CORDON_ENFORCEMENT_DEGRADED] = CDN_ENFORCEMENT_DEGRADED,
	[CORDON_ENFORCEMENT_REQUIRED] = CDN_ENFORCEMENT_REQUIRED,
};

static const enum cdn_isolation isolations[CORDON_ISOLATION_MAX] = {
	[CORDON_ISOLATION_POLICY] = CDN_ISOLATION_UNSET,
	[CORDON_ISOLATION_NONE] = CDN_ISOLATION_NONE,
	[CORDON_ISOLATION_AUTO] = CDN_ISOLATION_AUTO,
	[CORDON_ISOLATION_NAMESPACES] = CDN_ISOLATION_NAMESPACES,
};

/* 0 means "not limited", so it loses against every number. */
static uint64_t
smaller(uint64_t a, uint64_t b)
{
	if (a == 0 || b == 0)
		return a + b;
	return a < b ? a : b;
}

static void
narrow_limits(struct cdn_limits *all, const struct cdn_limits *one)
{
	all->wall_ms = smaller(all->wall_ms, one->wall_ms);
	all->cpu_ms = smaller(all->cpu_ms, one->cpu_ms);
	all->memory_bytes = smaller(all->memory_bytes, one->memory_bytes);
	all->processes = smaller(all->processes, one->processes);
	all->open_files = smaller(all->open_files, one->open_files);
	all->output_bytes = smaller(all->output_bytes, one->output_bytes);
}

/* What the documents say; UNSET where nobody says anything. */
struct said {
	enum cdn_enforcement enforcement, host_enforcement, untrusted;
	enum cdn_isolation isolation, host_isolation;
};

#define RAISE(what, to)                  \
	do {                             \
		if ((to) > (what))       \
			(what) = (to);   \
	} while (0)

/* A document that is not trusted can only ask for more. */
static void
add_document(struct said *s, const struct cdn_loaded *loaded)
{
	const struct cordon_policy *policy = loaded->policy;

	RAISE(s->isolation, policy->isolation);
	if (!loaded->trusted) {
		RAISE(s->untrusted, policy->enforcement);
		return;
	}
	RAISE(s->enforcement, policy->enforcement);
	if (loaded->layer != CORDON_LAYER_HOST)
		return;
	RAISE(s->host_enforcement, policy->enforcement);
	RAISE(s->host_isolation, policy->isolation);
}

/* The command line replaces what was said, but not the host's word. */
static enum cdn_enforcement
find_enforcement(const struct said *said, enum cdn_enforcement asked)
{
	enum cdn_enforcement result = asked;

	if (asked == CDN_ENFORCEMENT_UNSET) {
		result = said->enforcement != CDN_ENFORCEMENT_UNSET ?
		    said->enforcement : CDN_ENFORCEMENT_REQUIRED;
		RAISE(result, said->untrusted);
	}
	RAISE(result, said->host_enforcement);
	return result;
}

static enum cdn_isolation
find_isolation(const struct said *said, enum cdn_isolation asked)
{
	enum cdn_isolation result = asked;

	if (asked == CDN_ISOLATION_UNSET)
		result = said->isolation != CDN_ISOLATION_UNSET ?
		    said->isolation : CDN_ISOLATION_AUTO;
	RAISE(result, said->host_isolation);
	return result;
}

/* The request, else what a worker names. */
static enum cordon_backend
find_backend(const struct cordon_session *session, enum cordon_backend asked)
{
	if (session->unguarded)
		return CORDON_BACKEND_NONE;
	if (asked == CORDON_BACKEND_AUTO)
		asked = cdn_workers_backend(session);
	return asked == CORDON_BACKEND_AUTO ? CORDON_BACKEND_NATIVE : asked;
}

/* Inside of another run nothing is wider than there. */
static void
narrow(struct cdn_terms *terms, const struct cdn_terms *outer)
{
	RAISE(terms->enforcement, outer->enforcement);
	RAISE(terms->host_enforcement, outer->host_enforcement);
	narrow_limits(&terms->limits, &outer->limits);
	terms->trace |= outer->trace;
	terms->audit_warn &= outer->audit_warn;
}

void
cdn_terms_find(const struct cordon_session *session,
    const struct cordon_run_options *options, struct cdn_terms *ret)
{
	struct said said = { 0 };
	struct cdn_limits limits = {
		.wall_ms = options->timeout_ms,
		.output_bytes = options->output_max,
	};
	bool warn = false, stop = false;

	for (size_t i = 0; i < session->document_count; i++)
		narrow_limits(&limits, &session->documents[i].profile->limits);
	RAISE(said.enforcement, session->unguarded ?
		CDN_ENFORCEMENT_BEST_EFFORT : cdn_workers_enforcement(session));
	for (size_t i = 0; i < session->loaded_count; i++) {
		const struct cdn_loaded *loaded = &session->loaded[i];

		add_document(&said, loaded);
		warn |= loaded->trusted && loaded->policy->audit_set &&
		    loaded->policy->audit_warn;
		stop |= loaded->policy->audit_set &&
		    !loaded->policy->audit_warn;
	}
	*ret = (struct cdn_terms){
		.backend = find_backend(session, options->backend),
		.named_none = options->backend == CORDON_BACKEND_AUTO &&
		    cdn_workers_backend(session) == CORDON_BACKEND_NONE,
		.enforcement = find_enforcement(&said,
		    enforcements[options->enforcement]),
		.host_enforcement = said.host_enforcement,
		.isolation = find_isolation(&said,
		    isolations[options->isolation]),
		.limits = limits,
		.trace = options->trace,
		.audit_warn = warn && !stop,
	};
	if (session->outer_terms != NULL)
		narrow(ret, session->outer_terms);
}
