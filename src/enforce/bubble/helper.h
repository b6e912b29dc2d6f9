/*
 * helper - who fills a sandbox of bwrap for it while it waits.
 *
 * bwrap reads the table of mounts again for every mount it makes, so a dozen
 * take it milliseconds, and a thousand seconds.  It is told the root and /proc;
 * all the rest is put into its namespace from here, each with the same few
 * calls, by a process that enters it (mounting.h), before anything of the run
 * begins.  That process is there before bwrap waits, and waits for it, too.
 */
#ifndef CDN_BUBBLE_HELPER_H
#define CDN_BUBBLE_HELPER_H

#include <sys/types.h>

#include "base/arena.h"
#include "base/err.h"
#include "engine/bwrap/bwrap.h"

struct cdn_helper;

/* Does the kernel of this host have the calls?  Since 5.12. */
bool cdn_helper_is_possible(const struct cdn_host *host);

/*
 * Starts one, for bwrap's process `pid`.  He goes on when ready_fd can be
 * written, which says that it waits, and when cdn_helper_finish() says that what
 * it mounted itself is right.  Dies with the calling thread.  What is in the
 * arena and ready_fd must stay until one of the two below, which free him.
 */
CDN_MUST_USE int cdn_helper_start(struct cdn_arena *arena,
    const struct cdn_bwrap_plan *plan, const char *cwd, pid_t pid,
    int ready_fd, struct cdn_helper **ret, struct cordon_error *err);
/* Waits until all is mounted; CORDON_E_SYSTEM names what could not be. */
CDN_MUST_USE int cdn_helper_finish(struct cdn_helper *helper,
    struct cordon_error *err);
/* Nothing is mounted any more; NULL is fine. */
void cdn_helper_stop(struct cdn_helper *helper);

#endif
