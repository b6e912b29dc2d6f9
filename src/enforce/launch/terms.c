#include "enforce/launch/launch.h"

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

struct strictest {
	enum cdn_enforcement enforcement, host_enforcement;
	enum cdn_isolation isolation, host_isolation;
};

static void
add_document(struct strictest *s, const struct cdn_loaded *loaded)
{
	const struct cordon_policy *policy = loaded->policy;

	if (policy->enforcement > s->enforcement)
		s->enforcement = policy->enforcement;
	if (policy->isolation > s->isolation)
		s->isolation = policy->isolation;
	if (loaded->layer != CORDON_LAYER_HOST)
		return;
	if (policy->enforcement > s->host_enforcement)
		s->host_enforcement = policy->enforcement;
	if (policy->isolation > s->host_isolation)
		s->host_isolation = policy->isolation;
}

/* What was asked replaces what was found, but not the host's word. */
#define REPLACE(found, asked, host, fallback)                           \
	((asked) == 0 ? ((found) == 0 ? (fallback) : (found)) :         \
			((asked) > (host) ? (asked) : (host)))

void
cdn_terms_find(const struct cordon_session *session,
    const struct cordon_run_options *options, struct cdn_terms *ret)
{
	enum cdn_enforcement asked = enforcements[options->enforcement];
	enum cdn_isolation isolation = isolations[options->isolation];
	struct strictest found = { 0 };
	struct cdn_limits limits = {
		.wall_ms = options->timeout_ms,
		.output_bytes = options->output_max,
	};
	bool warn = false, stop = false;

	for (size_t i = 0; i < session->loaded_count; i++) {
		add_document(&found, &session->loaded[i]);
		narrow_limits(&limits, &session->documents[i].profile->limits);
		if (session->loaded[i].policy->audit_set) {
			warn |= session->loaded[i].policy->audit_warn;
			stop |= !session->loaded[i].policy->audit_warn;
		}
	}
	*ret = (struct cdn_terms){
		.backend = options->backend == CORDON_BACKEND_AUTO ?
		    CORDON_BACKEND_NATIVE : options->backend,
		.enforcement = REPLACE(found.enforcement, asked,
		    found.host_enforcement, CDN_ENFORCEMENT_REQUIRED),
		.host_enforcement = found.host_enforcement,
		.isolation = REPLACE(found.isolation, isolation,
		    found.host_isolation, CDN_ISOLATION_AUTO),
		.limits = limits,
		.audit_warn = warn && !stop,
	};
}
