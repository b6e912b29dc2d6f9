/*
 * cgroup - one control group for one run, so that a limit means its whole tree.
 *
 *	<the group>/cordon-PID-N	made for the run, removed after it
 *
 * Below the caller's own group (cgroup v2), or beside it where only that can be
 * limited and the caller's limits nobody: what limits the caller still limits
 * the command.  Only when a limit is asked for that it could hold; best
 * effort: what it cannot hold (not ours to write to, no such controller) stays
 * a limit of each process, and `held` says so.  Never an error.
 *
 * The directory is locked as long as the caller lives.  One without a lock is
 * of somebody who was killed: whoever makes the next one ends who is left in
 * there and removes it.
 */
#ifndef CDN_RUN_CGROUP_H
#define CDN_RUN_CGROUP_H

#include "enforce/run/run.h"

struct cdn_cgroup {
	int parent_fd;	/* our own or the one above; -1 = there is nothing */
	int dir_fd;	/* the run's, locked */
	int procs_fd;	/* a process that writes "0" to it becomes a member */
	unsigned held;	/* CDN_TREE_... */
	char name[48];
};

#define CDN_CGROUP_NONE { -1, -1, -1, 0, "" }

/* Each open needs its close; a group that holds nothing is not there. */
void cdn_cgroup_open(struct cdn_cgroup *cgroup,
    const struct cdn_run_limits *limits);

/* The command was executed.  False (errno): it cannot be limited after all. */
CDN_MUST_USE bool cdn_cgroup_started(const struct cdn_cgroup *cgroup,
    const struct cdn_run_limits *limits);

/* Processor time of all members so far, dead ones too; 0 when not known. */
uint64_t cdn_cgroup_cpu_us(const struct cdn_cgroup *cgroup);

/* SIGKILL for every member.  Not waited for. */
void cdn_cgroup_kill(const struct cdn_cgroup *cgroup);

/* All have ended by now.  If not, they are killed and waited for, a while. */
void cdn_cgroup_close(struct cdn_cgroup *cgroup);

#endif
