/*
 * within - the regions of a run that lies inside of another one.
 *
 * What both policies allow below a directory need not be what the kernel was
 * left to hold there: where the outer run judges every open, a file may have a
 * second name that it may not be read by, and only who judges can tell.  So no
 * region is held to more than that of the outer plan around it.
 *
 *	outer		and what the inner region becomes
 *	open		what it is
 *	fixed		fixed at most
 *	mixed-modify	mixed-modify at most
 *	mixed-read	mixed-read, unless it is closed
 *	passage		a passage, or closed
 *	device		a device, or closed
 *	closed, none	closed
 */
#include "engine/plan/build.h"

#define AS_IS CDN_REGION_KIND_MAX

/* By outer, by inner; 0 is CLOSED. */
static const enum cdn_region_kind
    table[CDN_REGION_KIND_MAX][CDN_REGION_KIND_MAX] = {
	[CDN_REGION_OPEN] = {
		[CDN_REGION_FIXED] = AS_IS,
		[CDN_REGION_OPEN] = AS_IS,
		[CDN_REGION_MIXED_MODIFY] = AS_IS,
		[CDN_REGION_MIXED_READ] = AS_IS,
		[CDN_REGION_PASSAGE] = AS_IS,
		[CDN_REGION_DEVICE] = AS_IS,
	},
	[CDN_REGION_FIXED] = {
		[CDN_REGION_FIXED] = AS_IS,
		[CDN_REGION_OPEN] = CDN_REGION_FIXED,
		[CDN_REGION_MIXED_MODIFY] = CDN_REGION_FIXED,
		[CDN_REGION_MIXED_READ] = AS_IS,
		[CDN_REGION_PASSAGE] = AS_IS,
	},
	[CDN_REGION_MIXED_MODIFY] = {
		[CDN_REGION_FIXED] = AS_IS,
		[CDN_REGION_OPEN] = CDN_REGION_MIXED_MODIFY,
		[CDN_REGION_MIXED_MODIFY] = AS_IS,
		[CDN_REGION_MIXED_READ] = AS_IS,
		[CDN_REGION_PASSAGE] = AS_IS,
	},
	[CDN_REGION_MIXED_READ] = {
		[CDN_REGION_FIXED] = CDN_REGION_MIXED_READ,
		[CDN_REGION_OPEN] = CDN_REGION_MIXED_READ,
		[CDN_REGION_MIXED_MODIFY] = CDN_REGION_MIXED_READ,
		[CDN_REGION_MIXED_READ] = AS_IS,
	},
	[CDN_REGION_PASSAGE] = { [CDN_REGION_PASSAGE] = AS_IS },
	[CDN_REGION_DEVICE] = { [CDN_REGION_DEVICE] = AS_IS },
};

static void
hold_within(struct cdn_region *region, const struct cdn_region *outer)
{
	enum cdn_region_kind kind = table[outer->held][region->held];

	if (kind == AS_IS)
		return;
	region->held = region->kind = kind;
	/* All of it is allowed, but somebody has to see it. */
	for (size_t op = 0; op < CDN_RULE_OPS; op++)
		if (region->says[op] == CDN_SUBTREE_ALLOW)
			region->says[op] = outer->says[op];
}

void
cdn_plan_hold_within(struct cdn_plan_build *b)
{
	static const struct cdn_region nothing = {
		.says = { CDN_SUBTREE_DENY, CDN_SUBTREE_DENY,
		    CDN_SUBTREE_DENY },
	};

	for (size_t i = 0; i < b->region_count; i++) {
		const struct cdn_region *outer = cdn_plan_around(b->in->outer,
		    b->regions[i].path);

		hold_within(&b->regions[i], outer == NULL ? &nothing : outer);
	}
}
