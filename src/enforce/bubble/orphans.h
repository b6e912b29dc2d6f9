/*
 * orphans - whoever bwrap left behind, when nobody else ends them.
 *
 * Its first process in the sandbox waits for its parent before it asks to die
 * with it.  Are that and the shepherd killed meanwhile, it would wait for ever,
 * and whoever reads its output with it.  It is known by what it holds: the end
 * of a pair of sockets that bwrap was given, and not the other one, which
 * closes at exec.  So nobody is meant who is only a fork of the caller.
 */
#ifndef CDN_BUBBLE_ORPHANS_H
#define CDN_BUBBLE_ORPHANS_H

#include "enforce/run/run.h"

/*
 * Ends all who have the one socket, and not the other: who is found is gone
 * when it returns, or cannot be ended.  Both ends must be open somewhere, or
 * have been until now: numbers of sockets come again.
 */
void cdn_orphans_end(const struct cdn_run_place *theirs,
    const struct cdn_run_place *ours);

#endif
