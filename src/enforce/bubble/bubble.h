/*
 * bubble - a run that bwrap is put in front of.
 *
 *	sealing ─┐
 *	command ─┼─► bwrap ─► mounts ─► waits ─────────► program ─► its end
 *	relay ───┘     │        │         ▲                           │
 *	               │     mounted,     │                       orphans:
 *	               └────► talk ─► helper, go on               nobody left
 *
 *	sealing.h	what it is given of the host can be changed by nobody
 *	command.h	its words and its filter, as files
 *	relay.h		files that the run reads or writes, as pipes
 *	talk.h		what bwrap says, and the word it waits for
 *	mounted.h	is what it mounted what it should have?
 *	helper.h	mounts what it was not told: steps.h, mounting.h
 *	orphans.h	whom it left behind
 *
 * Nothing of the run is executed before it was looked at.  Any number of them
 * may go on at once; each belongs to one thread at a time.
 */
#ifndef CDN_BUBBLE_BUBBLE_H
#define CDN_BUBBLE_BUBBLE_H

#include "enforce/bubble/sealing.h"
#include "enforce/run/run.h"
#include "engine/bwrap/bwrap.h"

struct cdn_bubble;

/*
 * Begins to seal what bwrap is given of the host, while a plan is made.  stdio:
 * as cdn_relay_open() takes it.  In the arena; cdn_sealing_close() in any case.
 */
CDN_MUST_USE int cdn_bubble_seal(struct cdn_arena *arena, const int stdio[3],
    struct cdn_sealing **ret, struct cordon_error *err);

struct cdn_bubble_input {
	const struct cdn_plan *plan;
	const struct cdn_host *host;
	const struct cdn_bwrap_plan *mounts;
	const char *cwd; /* absolute */
	const struct cdn_run_place *cwd_is; /* what it must be, or NULL */
	int stdio[3]; /* as they were for cdn_bubble_seal() */
	struct cdn_sealing *sealing;
};

/*
 * The request for a program becomes one for bwrap.  Pointers, the request's too,
 * must stay until the end; what is made lies in the arena, besides.
 */
CDN_MUST_USE int cdn_bubble_open(struct cdn_arena *arena,
    const struct cdn_bubble_input *input, struct cdn_run_request *request,
    struct cdn_bubble **ret, struct cordon_error *err);
/* bwrap begins, and will wait. */
CDN_MUST_USE int cdn_bubble_start(struct cdn_bubble *bubble,
    struct cdn_running **ret, struct cordon_error *err);
/* It was not started as it should: nothing of it is left. */
void cdn_bubble_failed(const struct cdn_bubble *bubble);
/*
 * Looks at what it mounted, fills it, and tells it to go on; the sealing is
 * closed.  After an error nothing of it is left, and running is freed.
 */
CDN_MUST_USE int cdn_bubble_go_on(struct cdn_bubble *bubble,
    struct cdn_running *running, struct cordon_error *err);

/*
 * When the run was waited for: nobody is left in the sandbox, and all output is
 * where it belongs.
 */
CDN_MUST_USE int cdn_bubble_end(struct cdn_bubble *bubble,
    struct cordon_error *err);
/* Then: was the program executed at all? */
bool cdn_bubble_was_started(const struct cdn_bubble *bubble);
/* NULL is fine. */
void cdn_bubble_free(struct cdn_bubble *bubble);

#endif
