/*
 * plan - putting it together: regions first, and what follows from them.
 */
#include "engine/plan/build.h"

/* A listener needs both, and without Landlock there is nothing to add to. */
static bool
has_broker(const struct cdn_plan_input *in)
{
	return in->has_broker && in->host->landlock_abi > 0 &&
	    in->host->seccomp_filter && in->host->seccomp_notify;
}

/* ----- What follows from the regions ------------------------------------- */

static bool
any_held(const struct cdn_plan_build *b, enum cdn_region_kind held)
{
	for (size_t i = 0; i < b->region_count; i++)
		if (b->regions[i].held == held)
			return true;
	return false;
}

/* The run's own home and tmp, which every preset but one gives it. */
static bool
is_own(const struct cdn_plan_build *b, const struct cdn_region *region)
{
	const struct cdn_place_list *write = &b->in->spec->runtime_write;

	if (cdn_plan_in_places(&b->in->spec->own, region->path))
		return true;
	for (size_t i = 0; i < write->n; i++)
		if (strcmp(write->v[i].path, "/") != 0 &&
		    cdn_plan_at_or_below(region->path, write->v[i].path))
			return true;
	return false;
}

static bool
modifies(const struct cdn_plan_build *b, bool count_own)
{
	for (size_t i = 0; i < b->region_count; i++) {
		const struct cdn_region *region = &b->regions[i];

		if (region->says[CORDON_MODIFY] != CDN_SUBTREE_DENY &&
		    region->kind != CDN_REGION_DEVICE &&
		    region->kind != CDN_REGION_PASSAGE &&
		    (count_own || !is_own(b, region)))
			return true;
	}
	return false;
}

bool
cdn_plan_named_sockets(const struct cdn_plan_build *b)
{
	const struct cdn_authority_spec *spec = b->in->spec;

	if (spec->command_sockets.n > 0)
		return true;
	for (size_t i = 0; i < spec->document_count; i++)
		if (spec->documents[i].sockets.n > 0)
			return true;
	return false;
}

bool
cdn_plan_network_judged(enum cdn_network_mode network)
{
	return network == CDN_NETWORK_LOOPBACK || network == CDN_NETWORK_LIST;
}

/* The least that sees everything the policy needs seen. */
static enum cdn_plan_mode
choose_mode(const struct cdn_plan_build *b)
{
	int abi = b->in->host->landlock_abi;
	bool no_truncate = abi > 0 && abi < 3;
	bool no_signals = abi > 0 && abi < 6;

	if (!b->broker)
		return CDN_PLAN_MODE_NONE;
	if (b->in->trace || any_held(b, CDN_REGION_MIXED_READ))
		return CDN_PLAN_MODE_C;
	/* A Landlock that does not know truncate, or signals, is helped out. */
	if (any_held(b, CDN_REGION_MIXED_MODIFY) || no_truncate)
		return CDN_PLAN_MODE_B;
	if (b->plan->no_modify && !no_signals && !cdn_plan_named_sockets(b) &&
	    !cdn_plan_network_judged(b->plan->network) &&
	    !any_held(b, CDN_REGION_DEVICE))
		return CDN_PLAN_MODE_NONE;
	return CDN_PLAN_MODE_A;
}

static void
choose(struct cdn_plan_build *b)
{
	struct cdn_plan *plan = b->plan;

	plan->workspace = b->in->spec->workspace;
	plan->regions = b->regions;
	plan->region_count = b->region_count;
	plan->caged = b->in->host->landlock_abi > 0;
	plan->traced = b->in->trace && b->broker;
	plan->agent = b->in->spec->kept.n > 0;
	plan->strict = b->in->spec->preset == CORDON_PRESET_STRICT ||
	    b->in->strict || !plan->caged;
	plan->network = cdn_decide_network(b->in->authority);
	if (!b->broker && cdn_plan_network_judged(plan->network))
		plan->network = CDN_NETWORK_NONE;
	plan->no_modify = !modifies(b, b->broker);
	plan->mode = choose_mode(b);
	plan->unix_sockets = plan->mode == CDN_PLAN_MODE_NONE ?
	    CDN_PLAN_UNIX_NONE : CDN_PLAN_UNIX_JUDGED;
}

static bool
is_enforced(const struct cdn_plan *plan)
{
	for (size_t i = 0; i < plan->rule_count; i++)
		if (plan->rules[i].by == CDN_BY_NOBODY ||
		    plan->rules[i].by == CDN_BY_APPLICATION)
			return false;
	for (size_t i = 0; i < plan->shortfall_count; i++)
		if (!plan->shortfalls[i].stricter)
			return false;
	return plan->caged;
}

/* ----- Building ---------------------------------------------------------- */

static int
build(struct cdn_plan_build *b)
{
	int code = cdn_plan_find_roots(b);

	if (code == 0)
		code = cdn_plan_find_view(b);
	if (code == 0)
		code = cdn_plan_find_regions(b);
	if (code != 0)
		return code;
	if (b->in->outer != NULL)
		cdn_plan_hold_within(b);
	choose(b);
	code = cdn_plan_find_rules(b);
	if (code == 0)
		code = cdn_plan_find_shortfalls(b);
	b->plan->enforced = is_enforced(b->plan);
	return code;
}

int
cdn_plan_build(struct cdn_arena *arena, const struct cdn_plan_input *input,
    const struct cdn_plan **ret, struct cordon_error *err)
{
	struct cdn_plan_build b = { .arena = arena, .in = input, .err = err,
		.broker = has_broker(input) };
	int code;

	if (input->spec->fold)
		cdn_bug("a plan of a folded authority");
	b.plan = cdn_arena_alloc(arena, sizeof(*b.plan));
	if (b.plan == NULL)
		return cdn_err_nomem(err);
	code = build(&b);
	if (code == 0)
		*ret = b.plan;
	return code;
}
