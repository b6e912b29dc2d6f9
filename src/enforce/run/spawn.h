/*
 * spawn - from a request to a running command, and back to nothing.
 *
 *	cdn_spawn_open()	everything that can fail early
 *	cdn_spawn_start()	the command runs, or the step that failed
 *	cdn_spawn_order()	signals
 *	cdn_spawn_over()	nobody is left
 *	cdn_spawn_close()
 *
 * An unopened one is all zero but for its descriptors, which are -1.  While it
 * runs it must stay where it is: other processes have its address.
 */
#ifndef CDN_RUN_SPAWN_H
#define CDN_RUN_SPAWN_H

#include "enforce/run/launch.h"

struct cdn_spawn {
	enum cdn_reaper reaper;
	int control_fd; /* SHEPHERD: our end of the pair */
	int their_fd;	/* and its own, until it has it */
	int keeper_fd;	/* pidfd: of the shepherd, or of the command itself */
	bool running;	/* something may be left of it */
	char *stacks;	/* owned: guard, child's; SHEPHERD: guard, its */
	size_t stacks_size;
	/*
	 * By the caller: what must be there before anything is executed.  Done
	 * beside the making of the process, where that can be.
	 */
	int (*ready)(void *arg, struct cordon_error *err);
	void *ready_arg;
	struct cdn_shepherd shepherd; /* SELF uses it without a process */
};

/*
 * The request and all it points to must outlive the start; a cgroup is in
 * launch by now.
 */
CDN_MUST_USE int cdn_spawn_open(struct cdn_spawn *spawn,
    const struct cdn_run_request *request, struct cordon_error *err);

/* Streams, terminal, ready and watch_stops are the caller's to fill before. */
CDN_MUST_USE int cdn_spawn_start(struct cdn_spawn *spawn,
    struct cordon_error *err);

/* -errno.  CDN_ORDER_KILL returns when all are gone, or soon before. */
int cdn_spawn_order(struct cdn_spawn *spawn, enum cdn_order_kind kind,
    int signal);

/*
 * SHEPHERD: it closed its end, so it is reaped.  SELF: looks at the children
 * and ends what is left once the command ended.  True: nobody is left.
 */
bool cdn_spawn_over(struct cdn_spawn *spawn);

/* Ends whatever still runs. */
void cdn_spawn_close(struct cdn_spawn *spawn);

#endif
