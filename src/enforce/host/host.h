/*
 * host - what this machine can do, asked of the kernel itself.
 *
 * Never guessed from versions or from files that may not be there: every fact
 * is the answer of a system call, and "usable" means that it was used.  What a
 * launch needs costs a few microseconds; the rest is asked by doctor only.
 *
 * Nothing here changes the calling process: what cannot be undone is tried in
 * a child, which no wait() of the program can see.
 */
#ifndef CDN_HOST_HOST_H
#define CDN_HOST_HOST_H

#include "engine/plan/plan.h"

/*
 * What every launch needs to know.  Under a filter of somebody else, or before
 * Linux 5.19, a child tries the listener: some 50 microseconds more.
 */
void cdn_host_probe(struct cdn_host *ret);

/* Adds whether user namespaces can be used; starts a process. */
void cdn_host_probe_userns(struct cdn_host *host);

/*
 * Adds user namespaces, cgroups, bwrap and what explains a lack; these start
 * processes, and bwrap gets CDN_BWRAP_WAIT_MS.
 */
void cdn_host_probe_all(struct cdn_host *ret);

#endif
