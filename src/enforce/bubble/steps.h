/*
 * steps - the mounts of a plan, as what is done in the sandbox one by one.
 *
 * Those that bwrap itself is told (cdn_bwrap_is_told()) are not among them.
 */
#ifndef CDN_BUBBLE_STEPS_H
#define CDN_BUBBLE_STEPS_H

#include "enforce/bubble/mounting.h"
#include "engine/bwrap/bwrap.h"

/*
 * cwd: absolute; where nothing mounted gives it, it is made.  console: a
 * terminal that the run has, or NULL.  In the arena; strings are the plan's,
 * and cwd and console themselves.  CORDON_E_NOMEM.
 */
CDN_MUST_USE int cdn_steps_make(struct cdn_arena *arena,
    const struct cdn_bwrap_plan *plan, const char *cwd, const char *console,
    const struct cdn_step **ret, size_t *ret_count, struct cordon_error *err);

#endif
