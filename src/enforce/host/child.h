/*
 * child - trying in a child what cannot be undone.
 *
 * The children share our memory and are waited for at once.  They send no
 * SIGCHLD and a wait() elsewhere in the program does not see them.
 */
#ifndef CDN_HOST_CHILD_H
#define CDN_HOST_CHILD_H

#include "base/base.h"

/*
 * Runs fn(arg), a CDN_BARE function, and gives back what it returned: 0 or
 * -errno.  flags: CLONE_NEW..., whose failure is the result as well.
 */
CDN_MUST_USE int cdn_child_try(int (*fn)(void *arg), void *arg, int flags);

/*
 * Runs a program with nothing open but /dev/null, an empty environment and
 * no signal blocked or ignored.  True when it ended in time with status 0; what
 * is late is killed.
 */
CDN_MUST_USE bool cdn_child_runs(const char *file, char *const argv[],
    int timeout_ms);

#endif
