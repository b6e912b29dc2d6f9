/*
 * mounted - did bwrap mount what it was told to?
 *
 * It is told paths.  Between the plan and the mount somebody else who may write
 * there (another run in the same workspace) can put a symbolic link in the
 * place of a directory, and bwrap follows it.  So the objects are opened here
 * first, links refused, and compared with what lies there in its sandbox while
 * it waits, before anything of the run begins.  (What helper.h mounts needs none
 * of it: there no link is followed.)
 */
#ifndef CDN_BUBBLE_MOUNTED_H
#define CDN_BUBBLE_MOUNTED_H

#include "enforce/run/run.h"
#include "engine/bwrap/bwrap.h"

/*
 * Before bwrap begins.  fds: one for each mount of the plan, -1 where the host
 * has nothing to compare it with; the caller closes them, also after an error.
 * helped: bwrap makes only those mounts that it must.
 */
CDN_MUST_USE int cdn_mounted_open(const struct cdn_bwrap_plan *plan,
    bool helped, int *fds, struct cordon_error *err);
/* While its process `pid` waits: CORDON_E_ENFORCE names what is not right. */
CDN_MUST_USE int cdn_mounted_check(const struct cdn_bwrap_plan *plan,
    bool helped, const int *fds, pid_t pid, struct cordon_error *err);
/* Then: is that name, in the sandbox, this directory? */
CDN_MUST_USE int cdn_mounted_is_in(const char *cwd,
    const struct cdn_run_place *is, pid_t pid, struct cordon_error *err);

#endif
