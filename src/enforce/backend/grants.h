/*
 * grants - which region needs a rule of its own, in which ruleset.
 *
 * A rule that a directory above it implies is none: rights are a union.  And
 * where the bound, which is put on first, holds a whole tree to exactly what
 * the plan says, one rule at its top is enough for the plan's own ruleset: two
 * layers are an intersection.  A rule costs a microsecond when it is added,
 * and more when the ruleset is put on and when it goes.
 *
 * The bound is put on twice, the run's own ruleset once.  So it is the other
 * way round where the workspace has many regions, all of which may be read, but
 * not all modified: one rule of the bound for the whole, and those of the plan
 * to the letter.  That is as much as the bound of a workspace with one mixed
 * region has always been: whoever judges can modify what lies in the workspace,
 * should he be wrong, and nothing outside.  What may not be read is not in the
 * bound, however many rules that takes; and the run has what the plan says.
 *
 * Pure: the same regions give the same grants.
 */
#ifndef CDN_BACKEND_GRANTS_H
#define CDN_BACKEND_GRANTS_H

#include "engine/plan/plan.h"

/* Regions in one tree: fewer cost next to nothing. */
#define CDN_GRANTS_MANY 64

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
	/*
	 * The region to open it from: one above it that has a rule, the first
	 * there is.  Itself: there is none.
	 */
	size_t top;
};

/*
 * handled: the rights that each ruleset knows; 0: it is not made.  grants: one
 * for each region, zeroed.  Each ruleset is complete by itself unless both are
 * made; then that of the plan holds only together with the bound.
 */
void cdn_grants_find(const struct cdn_plan *plan,
    const uint64_t handled[CDN_RULESET_MAX], struct cdn_grant *grants);

#endif
