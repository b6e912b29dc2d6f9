/*
 * broker - answers the calls that the kernel alone cannot judge.
 *
 *	receive -> decode (arguments copied once) -> resolve to an object of ours
 *	        -> decide on its real path -> act -> inject, or refuse -> event
 *
 * It never decides on memory that the caller can still change, and whatever it
 * lets happen it does itself, on the object it judged.  Where it answers
 * CONTINUE a comment says why that is sound.
 *
 * It is itself an authority, so it is confined first: its threads have no
 * capabilities and a Landlock domain that is the outer bound of the policy.
 * The order matters:
 *
 *	open	the launch thread: no_new_privs, no capabilities, the domain
 *	via	runs the spawn on that thread, so that the child's domain lies
 *		below ours and we may look into it
 *	took	the listener has arrived; more threads, one per CPU at least
 *	close	they end; whoever still waits gets ENOSYS
 *
 * Its death kills the run: the child is bound to the launch thread.
 */
#ifndef CDN_BROKER_BROKER_H
#define CDN_BROKER_BROKER_H

#include "enforce/sys/notify.h"
#include "engine/decide/decide.h"

struct cdn_broker;

/* What it refuses, once; called from any of its threads, one at a time. */
struct cdn_denial {
	const char *call; /* "openat" */
	pid_t pid;	  /* of the thread */
	const struct cdn_question *question; /* path or endpoint, op */
	const struct cordon_verdict *verdict;
	int error; /* what the caller got: EACCES, EXDEV, ... */
};
typedef void cdn_denial_fn(const struct cdn_denial *denial, void *arg);

struct cdn_broker_spec {
	const struct cdn_authority *authority;
	/* Regions where every call may go on natively: held by Landlock. */
	const struct cdn_broker_region *regions; /* sorted, parents first */
	size_t region_count;
	int ruleset; /* its own domain (outer bound); borrowed until open */
	const int *foreign_pts; /* minor numbers that existed at launch */
	size_t foreign_pts_count;
	bool trace; /* mode C for everything: nothing goes on unseen */
	cdn_denial_fn *denied; /* may be NULL */
	void *denied_arg;
};

struct cdn_broker_region {
	const char *path;
	bool native; /* open, fixed, host or device: CONTINUE is sound there */
};

/* Confines the launch thread; nothing is answered yet. */
CDN_MUST_USE int cdn_broker_open(const struct cdn_broker_spec *spec,
    struct cdn_broker **ret, struct cordon_error *err);

/*
 * Calls start(arg) on the launch thread and returns what it returned.  While
 * it runs, another thread of ours waits for the listener at `where`: the child
 * stores its number there (cdn_broker_offer(), between clone and exec) and goes
 * on when it was taken.
 */
struct cdn_offer {
	int listener;	 /* in the child; -1 = none yet */
	uint32_t taken;	 /* futex: 0 waits, 1 taken, 2 given up */
	int pidfd;	 /* of the child, written by the clone */
};
int cdn_broker_via(struct cdn_broker *broker, struct cdn_offer *where,
    int (*start)(void *arg), void *arg);

/* For the child: CDN_BARE, 0 or -errno. */
int cdn_broker_offer(struct cdn_offer *where, int listener);

/* Ends the threads.  NULL is fine. */
void cdn_broker_close(struct cdn_broker *broker);

#endif
