/*
 * launch - what the caller, the shepherd and the child have in common.
 *
 *	SELF		caller ──clone(VM|VFORK)──> child ──exec──> command
 *
 *	SHEPHERD	caller ──clone(VM)──> shepherd ──clone(VM|VFORK)──> child
 *			   └── a pair of sockets ──┘
 *
 * They share their memory until exec, and the shepherd shares the caller's to
 * its end, so nothing is copied and nothing grows with the caller.  The thread
 * that launches does nothing, not even touch errno, until the child executed
 * its program or gave up.
 */
#ifndef CDN_RUN_LAUNCH_H
#define CDN_RUN_LAUNCH_H

#include "enforce/run/run.h"
#include "enforce/run/tree.h"
#include "enforce/sys/process.h"

#define CDN_RUN_LIMITS	  6	   /* resources we set at most */
#define CDN_STEP_SHEPHERD UINT_MAX /* not a step of the child */

struct cdn_limit {
	int resource; /* RLIMIT_... */
	uint64_t values[2]; /* soft, hard: struct rlimit64 */
};

/* What the child waits for before it executes anything. */
enum cdn_word {
	CDN_WORD_YES,
	CDN_WORD_LATER, /* the caller is still at work */
	CDN_WORD_NO,
};

struct cdn_launch {
	/* Written before the clone.  Pointers are good until exec. */
	const struct cdn_run_request *request;
	int stdio[3];	 /* -1: the caller's own */
	int cgroup_fd;	 /* to begin in; -1 = none */
	int procs_fd;	 /* its cgroup.procs, for who could not; -1 = none */
	int terminal_fd; /* to become the foreground of; -1 = none */
	bool new_session; /* and the terminal, if any, its controlling one */
	bool led;	 /* the shepherd leads the session instead: it lives in
			  * another group, so the command can be stopped */
	bool front;	 /* led: in the foreground from the start */
	bool shares;	 /* the caller's descriptors, until it has its cage */
	bool cleared;	 /* it begins without handlers, if that can be */
	pid_t parent;	 /* with whose thread it dies */
	int parent_fd;	 /* its pidfd, for who cannot see it; or -1 */
	uint64_t mask;	 /* of the calling thread, before it blocked all */
	unsigned tree_limits; /* held by the cgroup */
	struct cdn_limit limits[CDN_RUN_LIMITS];
	unsigned limit_count;
	struct cdn_limit open_files; /* hard 0: not limited */

	pid_t child; /* by the kernel, before it runs; 0: it has a pidfd */

	uint32_t word; /* futex, enum cdn_word: may it execute? */
	uint64_t ignored; /* signals; written before the word, when cleared */

	/* Written by the child when it gives up. */
	unsigned step; /* for cdn_child_step() */
	int error;     /* errno; 0 = it did not fail */
};

/* ----- The child (child.c) ------------------------------------------------ */

/*
 * Makes the child, which goes through all steps, exec the last of them.  Its
 * pid, or -errno when there was none; pidfd may be NULL.  CDN_BARE.
 */
CDN_MUST_USE int cdn_child_start(struct cdn_launch *launch, void *stack_top,
    int *pidfd);
/* The name of a step, for people; NULL for exec itself. */
const char *cdn_child_step(unsigned step);

/* ----- The shepherd (shepherd.c) ------------------------------------------ */

enum cdn_order_kind {
	CDN_ORDER_SIGNAL, /* to the group */
	CDN_ORDER_END,	  /* the same, and expect them to end */
	CDN_ORDER_KILL,	  /* everybody, now */
	CDN_ORDER_FRONT,  /* the command is in the foreground of its pty */
	CDN_ORDER_BACK,	  /* it is not: reading would stop it */
};

/* One message to the shepherd.  When the socket ends it kills everybody. */
struct cdn_order {
	uint8_t kind;
	uint8_t signal;
};

/* One byte from it.  When its end of the socket is closed, nobody is left. */
enum cdn_report {
	CDN_REPORT_STARTED = 'r',
	CDN_REPORT_STOPPED = 's', /* see stop_signal */
};

struct cdn_shepherd {
	struct cdn_launch launch;
	struct cdn_tree tree;
	pid_t caller;
	bool scoped;	  /* its kill(-1) reaches the run and nothing else */
	int control_fd;	  /* its end of the pair */
	void *child_stack; /* the end of it */
	bool watch_stops;
	bool ending;	  /* it was told to expect the end */
	bool urged;	  /* and all were told by SIGTERM */
	int stop_signal;  /* that stopped the leader last */
	pid_t front;	  /* in the foreground before CDN_ORDER_BACK; 0 */
	/*
	 * The caller may be stopped, and then ends nothing: after these the
	 * shepherd does.  CLOCK_MONOTONIC; 0 = never.
	 */
	uint64_t deadline_ns;
	uint64_t grace_ns;
	bool timed_out;	  /* it ended them for that; written atomically */
};

int cdn_shepherd_main(void *arg); /* struct cdn_shepherd */

/* The two things a caller who is his own shepherd does himself.  CDN_BARE. */

/* Carries it out; false: it is CDN_ORDER_KILL, and not yet. */
bool cdn_shepherd_obey(struct cdn_shepherd *shepherd,
    const struct cdn_order *order);
/* The leader ended, and nobody of its group has grace left to use. */
bool cdn_shepherd_is_over(struct cdn_shepherd *shepherd);

#endif
