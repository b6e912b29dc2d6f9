/*
 * bounds - how much of the quotas that the kernel counts per user a run may
 * take when no document limits it.
 *
 * Threat:    a run forks without end, or queues signals, until the user's own
 *	      session cannot start a process to stop it.
 * Invariant: half of what the user may have is left, and no run that worked
 *	      without a bound fails for it: there is room for thousands more than
 *	      the machine has now.
 * Held by:   RLIMIT_NPROC and RLIMIT_SIGPENDING (spawn.c), in a user namespace
 *	      counted for the run alone.  Root has no limit of processes: only a
 *	      cgroup (limits.processes) could hold it.
 */
#ifndef CDN_RUN_BOUNDS_H
#define CDN_RUN_BOUNDS_H

#include <stdint.h>

struct cdn_run_bounds {
	uint64_t processes; /* threads count, too; 0: not bounded */
	uint64_t signals;   /* that are queued; 0: not bounded */
};

/* What cannot be found out is not bounded. */
void cdn_run_bounds_find(struct cdn_run_bounds *ret);

#endif
