/*
 * grants - which region needs a rule of its own, in which ruleset.
 *
 * A rule that a directory above it implies is none: rights are a union.  And
 * where the bound, which is put on first, holds a whole tree to exactly what
 * the plan says, one rule at its top is enough for the plan's own ruleset: two
 * layers are an intersection.  A rule costs a microsecond when it is added,
 * and more when the ruleset is put on and when it goes.
 *
 * Pure: the same regions give the same grants.
 */
#ifndef CDN_BACKEND_GRANTS_H
#define CDN_BACKEND_GRANTS_H

#include "engine/plan/plan.h"

enum cdn_ruleset_of {
	CDN_RULESET_PLAN,  /* of the run */
	CDN_RULESET_BOUND, /* of whoever judges, and so of the run, too */
	CDN_RULESET_MAX
};

/* What a rule for the region grants; 0: it needs none. */
struct cdn_grant {
	uint64_t rights[CDN_RULESET_MAX];
	/* While they are looked for: what stands above grants already. */
	uint64_t above[CDN_RULESET_MAX];
};

/*
 * handled: the rights that each ruleset knows; 0: it is not made.  grants: one
 * for each region, zeroed.  The plan's ruleset is complete by itself unless
 * both are made; then it holds only together with the bound.
 */
void cdn_grants_find(const struct cdn_plan *plan,
    const uint64_t handled[CDN_RULESET_MAX], struct cdn_grant *grants);

#endif
