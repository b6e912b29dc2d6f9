/*
 * talk - what bwrap says to us, and the word it waits for.
 *
 *	bwrap                                us
 *	status ─── {"child-pid": 12} ──────► who its first process is
 *	ready  ◄── full ──────────────────── room in it: all mounts are there
 *	       ─── one byte ───────────────► taken, and closed: go on
 *
 * It reads one descriptor to its end as the last thing but sealing its mounts;
 * that socket is full, so room in it says that all mounts are there.  We owe it
 * a byte: whoever closes a socket with something unread in it, as we do when we
 * are killed, makes the other side's read fail, and bwrap gives up.  Only when
 * the byte is taken does closing mean the end, and go on.
 */
#ifndef CDN_BUBBLE_TALK_H
#define CDN_BUBBLE_TALK_H

#include "enforce/run/run.h"

struct cdn_talk {
	int status_fd; /* what it says */
	int ready_fd;  /* the full end of the socket */
	/* What bwrap is given, until it has it; never one of the first three. */
	int their_status, their_ready;
	/* The two ends of the socket, for orphans.h. */
	struct cdn_run_place theirs, ours;
};

/* All closed; cdn_talk_close() of it is nothing. */
void cdn_talk_init(struct cdn_talk *talk);
CDN_MUST_USE int cdn_talk_open(struct cdn_talk *talk,
    struct cordon_error *err);
/* bwrap has its ends, or nobody is to have them any more. */
void cdn_talk_given(struct cdn_talk *talk);
void cdn_talk_close(struct cdn_talk *talk);

/*
 * These wait for bwrap, which is that run, CDN_BWRAP_START_MS at most, and no
 * longer than it lasts: CORDON_E_ENFORCE.  In this order.
 */
CDN_MUST_USE int cdn_talk_hear_first(const struct cdn_talk *talk,
    struct cdn_running *running, pid_t *ret, struct cordon_error *err);
CDN_MUST_USE int cdn_talk_await_ready(const struct cdn_talk *talk,
    struct cdn_running *running, struct cordon_error *err);
/* It goes on, and executes the command. */
CDN_MUST_USE int cdn_talk_let_go(struct cdn_talk *talk,
    struct cordon_error *err);

/* When it ended: did it say how the command did, so that there was one? */
bool cdn_talk_was_started(const struct cdn_talk *talk);

#endif
