/*
 * host - what this machine can do, asked of the kernel itself.
 *
 * Never guessed from versions or from files that may not be there: every fact
 * is the answer of a system call, and "usable" means that it was used.  What a
 * launch needs costs a few microseconds; the rest is asked by doctor only.
 */
#ifndef CDN_HOST_HOST_H
#define CDN_HOST_HOST_H

#include "engine/plan/plan.h"

/* What every launch needs to know. */
void cdn_host_probe(struct cdn_host *ret);

/* Adds user namespaces, cgroups and bwrap; these start processes. */
void cdn_host_probe_all(struct cdn_host *ret);

#endif
