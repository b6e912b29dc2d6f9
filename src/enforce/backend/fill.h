/*
 * fill - grants become rules: each object is opened, added to the rulesets it
 * is for, and closed again.
 *
 * An object takes three microseconds of the kernel's, which wants a descriptor
 * of each: so they are opened from a directory that is open already, and
 * closed many at a time.
 */
#ifndef CDN_BACKEND_FILL_H
#define CDN_BACKEND_FILL_H

#include "enforce/backend/grants.h"

struct cdn_fill {
	const struct cdn_plan *plan;
	const struct cdn_grant *grants; /* one for each region */
	int fd[CDN_RULESET_MAX];	/* -1: none is granted anything */
	int root; /* a directory that is the root of all paths; -1: ours */
};

/*
 * All regions.  The plan's paths are real: a symbolic link there now is not
 * what was judged, and an error.  What is gone by now is granted nothing, and
 * nor is a file that has other names: they would be granted, too.
 */
CDN_MUST_USE int cdn_fill_all(const struct cdn_fill *fill,
    struct cordon_error *err);

/* One object that is no region of the plan. */
CDN_MUST_USE int cdn_fill_one(const struct cdn_fill *fill,
    const struct cdn_region *region, const struct cdn_grant *grant,
    struct cordon_error *err);

#endif
