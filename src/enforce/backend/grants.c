#include "enforce/backend/grants.h"

#include "enforce/backend/landlock.h"

/* What the bound has besides the regions; see landlock.c. */
static const char *const beside[] = { "/dev/pts", "/proc" };

/* Rights that mean something on what is no directory. */
#define OF_A_FILE                                                          \
	(CDN_LL_EXECUTE | CDN_LL_WRITE_FILE | CDN_LL_READ_FILE |           \
	    CDN_LL_TRUNCATE | CDN_LL_IOCTL_DEV)

/* Behind the last region that lies in the i-th; they follow it. */
static size_t
end_of(const struct cdn_plan *plan, size_t i)
{
	const struct cdn_region *top = &plan->regions[i];
	size_t end = i + 1;

	while (top->directory && end < plan->region_count &&
	    cdn_plan_at_or_below(plan->regions[end].path, top->path))
		end++;
	return end;
}

static uint64_t
rights_of(const struct cdn_region *region, enum cdn_ruleset_of which,
    uint64_t handled)
{
	uint64_t all = region->directory ? UINT64_MAX : OF_A_FILE;
	uint64_t rights = which == CDN_RULESET_BOUND ?
	    cdn_landlock_bound(region->held) :
	    cdn_landlock_rights(region->held);

	return rights & handled & all;
}

/* Does the bound say of it what the plan says, and nothing else? */
static bool
is_bounded(const struct cdn_region *region)
{
	return region->held != CDN_REGION_DEVICE &&
	    cdn_landlock_rights(region->held) ==
		cdn_landlock_bound(region->held);
}

/*
 * One rule for the i-th region and all that lies in it?  Not where something
 * above lets the bound have more: that would come down here.
 */
static bool
is_bounded_tree(const struct cdn_plan *plan, size_t i, size_t end,
    const struct cdn_grant *grant)
{
	if (plan->regions[i].held == CDN_REGION_CLOSED ||
	    grant->above[CDN_RULESET_PLAN] != grant->above[CDN_RULESET_BOUND])
		return false;
	for (size_t k = 0; k < CDN_LEN(beside); k++)
		if (cdn_plan_at_or_below(beside[k], plan->regions[i].path) ||
		    cdn_plan_at_or_below(plan->regions[i].path, beside[k]))
			return false;
	for (size_t k = i; k < end; k++)
		if (!is_bounded(&plan->regions[k]))
			return false;
	return true;
}

/*
 * And the other way round: so many rules in the workspace, where all may be
 * read, that the bound is one for the whole?
 */
static bool
is_many_to_modify(const struct cdn_plan *plan, size_t i, size_t end)
{
	if (end - i < CDN_GRANTS_MANY || plan->workspace == NULL ||
	    !cdn_plan_at_or_below(plan->regions[i].path, plan->workspace))
		return false;
	for (size_t k = i; k < end; k++)
		if (plan->regions[k].held != CDN_REGION_OPEN &&
		    plan->regions[k].held != CDN_REGION_FIXED &&
		    plan->regions[k].held != CDN_REGION_MIXED_MODIFY)
			return false;
	return true;
}

/* Which of the two gets one rule for the tree?  CDN_RULESET_MAX: neither. */
static enum cdn_ruleset_of
coarse_one(const struct cdn_plan *plan, size_t i, size_t end,
    const struct cdn_grant *grant)
{
	if (end == i + 1)
		return CDN_RULESET_MAX;
	if (is_many_to_modify(plan, i, end))
		return CDN_RULESET_BOUND;
	return is_bounded_tree(plan, i, end, grant) ? CDN_RULESET_PLAN :
						      CDN_RULESET_MAX;
}

static uint64_t
rights_of_tree(const struct cdn_plan *plan, size_t i, size_t end,
    enum cdn_ruleset_of which, uint64_t handled)
{
	uint64_t all = 0;

	for (size_t k = i; k < end; k++)
		all |= rights_of(&plan->regions[k], which, handled);
	return all;
}

/* Not "/": nothing is nearer to it than to where one stands. */
static void
find_tops(const struct cdn_plan *plan, struct cdn_grant *grants)
{
	size_t end = 0, top = 0;

	for (size_t i = 0; i < plan->region_count; i++) {
		bool needed = grants[i].rights[CDN_RULESET_PLAN] != 0 ||
		    grants[i].rights[CDN_RULESET_BOUND] != 0;

		grants[i].top = i < end ? top : i;
		if (i >= end && needed && plan->regions[i].path[1] != '\0') {
			top = i;
			end = end_of(plan, i);
		}
	}
}

void
cdn_grants_find(const struct cdn_plan *plan,
    const uint64_t handled[CDN_RULESET_MAX], struct cdn_grant *grants)
{
	bool both = handled[CDN_RULESET_PLAN] != 0 &&
	    handled[CDN_RULESET_BOUND] != 0;

	for (size_t i = 0; i < plan->region_count; i++) {
		size_t end = end_of(plan, i);
		enum cdn_ruleset_of coarse = !both ? CDN_RULESET_MAX :
		    coarse_one(plan, i, end, &grants[i]);

		for (enum cdn_ruleset_of w = 0; w < CDN_RULESET_MAX; w++) {
			uint64_t own = w == coarse ?
			    rights_of_tree(plan, i, end, w, handled[w]) :
			    rights_of(&plan->regions[i], w, handled[w]);

			if ((own & ~grants[i].above[w]) != 0)
				grants[i].rights[w] = own;
			for (size_t k = i + 1; k < end; k++)
				grants[k].above[w] |= own;
		}
	}
	find_tops(plan, grants);
}
