/*
 * tree - the descendants of this process, from its first child to the last.
 *
 * The process that uses it is a child subreaper: whoever loses his parent
 * becomes its child, however often he forked and whatever session he made.
 * So the living tops of the tree are always direct children, and a direct
 * child keeps its number until it is reaped here: no number is ever used
 * again while we may signal it.
 *
 * All of it is CDN_BARE: it runs in the shepherd.  One thread.
 */
#ifndef CDN_RUN_TREE_H
#define CDN_RUN_TREE_H

#include <sys/types.h>

#include "enforce/sys/raw.h"

#define CDN_SPARED_MAX 64 /* children that were there before the run */

struct cdn_tree {
	pid_t leader;	    /* the command; also the number of its group */
	bool leader_done;   /* it ended; written last, atomically */
	bool leader_reaped; /* from here on its number means nothing */
	int code;	    /* CLD_EXITED, CLD_KILLED or CLD_DUMPED */
	int status;	    /* its exit status, or the signal */
	pid_t left;	    /* one that could not be killed; 0 = none */
	unsigned signalled; /* children that a kill reached, this time round */
	/*
	 * The file of the kernel that lists whom the leader wraps; "": it
	 * wraps nobody.  Written once, its first byte last.
	 */
	char wrapped[48];
	bool member;	    /* a living child of the leader's group was seen */
	pid_t spared[CDN_SPARED_MAX];
	unsigned spared_count;
	char scratch[4096];
};

/* Notes the children that are there already.  False: more than fit. */
CDN_MUST_USE bool cdn_tree_spare(struct cdn_tree *tree);

/*
 * Notes it when the leader ended, and reaps adopted children that did; a few at
 * a time, for there may be new ones for ever.  True: there may be more.
 */
bool cdn_tree_tend(struct cdn_tree *tree);

/* Did the leader end?  Any thread or process with this memory may ask. */
bool cdn_tree_leader_done(const struct cdn_tree *tree);

/* The signal that stopped the leader since this was asked last; 0 = none. */
int cdn_tree_stopped(const struct cdn_tree *tree);

/*
 * To the leader and its group, or to whom it wraps.  0 or -errno; -ESRCH when
 * all are gone.
 */
int cdn_tree_signal(const struct cdn_tree *tree, int signal);

/* Is anybody of the leader's group alive among the children? */
bool cdn_tree_has_member(struct cdn_tree *tree);

/* All were killed: reaps them.  Blocks until they are gone. */
void cdn_tree_reap(struct cdn_tree *tree);

/* Kills and reaps everybody.  Blocks until they are gone, or cannot be. */
void cdn_tree_end(struct cdn_tree *tree);

#endif
