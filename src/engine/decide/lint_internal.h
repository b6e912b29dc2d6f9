/*
 * lint_internal - shared by lint*.c of this room.
 */
#ifndef CDN_DECIDE_LINT_INTERNAL_H
#define CDN_DECIDE_LINT_INTERNAL_H

#include "engine/decide/lint.h"

struct cdn_lint {
	const struct cordon_policy *policy;
	struct cordon_diags *diags;
	struct cordon_error *err;
	size_t tries;	/* example paths that may still be tried */
	bool exhausted; /* one more was wanted */
	bool *told;	/* by index of denyRead: said of some profile */
	const struct cdn_matcher *executed; /* of cdn_preset_executed() */
	const struct cdn_matcher *unprotect; /* of spec.unprotect */
};

/* lint_reach.c: findings that need an example path. */
CDN_MUST_USE int cdn_lint_reach(struct cdn_lint *lint,
    const struct cdn_profile_def *def);

#endif
