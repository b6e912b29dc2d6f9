/*
 * landlock - the regions of a plan as a Landlock ruleset.
 *
 * Landlock cannot subtract: rules of one ruleset are a union, and a deeper
 * rule only adds.  So each region gets exactly what holds for all that lies
 * below it, and a mixed one what the broker does not have to give.
 *
 *	open		read, list, execute, and every change but device nodes
 *	fixed		read, list, execute
 *	mixed-modify	read, list, execute; changes go through the broker
 *	mixed-read	read, execute (execve needs both); the rest is trapped
 *	passage		list; nothing of what lies in it
 *	device		read, write, ioctl
 *	closed		nothing
 *
 * The ruleset is built before the child exists; putting it on is one call.
 */
#ifndef CDN_BACKEND_LANDLOCK_H
#define CDN_BACKEND_LANDLOCK_H

#include "enforce/sys/landlock.h"
#include "engine/plan/plan.h"

/* What a region of this kind gets, before the ABI takes away its part. */
uint64_t cdn_landlock_rights(enum cdn_region_kind kind);
/* And in the bound, where a performed change needs all of it. */
uint64_t cdn_landlock_bound(enum cdn_region_kind kind);

/* All rights this ABI knows: what is handled is denied unless granted. */
struct cdn_landlock_ruleset cdn_landlock_handled(int abi, bool network);

/*
 * Ruleset descriptors (close-on-exec), ready for cdn_sys_landlock_restrict():
 * that of the plan, and its outer bound, which is what anything at all in the
 * plan allows, for whoever judges the rest: where the workspace has many
 * regions, what any of them allows in the others, too (see grants.h).  Either
 * may be NULL: it is not made.  Of both, the bound is to be put on first: the
 * other relies on it.  The caller closes them.  A region that is gone by now
 * grants nothing; one that turned into a symbolic link is an error.
 * root: a directory that is the root of all paths; -1: ours.
 */
CDN_MUST_USE int cdn_landlock_build(const struct cdn_plan *plan, int abi,
    int root, int *ret_fd, int *ret_bound, struct cordon_error *err);

#endif
