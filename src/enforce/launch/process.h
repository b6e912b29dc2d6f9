/*
 * process - what the files of this room know of a run; nobody else's.
 */
#ifndef CDN_LAUNCH_PROCESS_H
#define CDN_LAUNCH_PROCESS_H

#include "enforce/broker/broker.h"
#include "enforce/bubble/bubble.h"
#include "enforce/launch/launch.h"
#include "enforce/run/run.h"
#include "enforce/run/terminal.h"
#include "enforce/spaces/spaces.h"

/* What the child calls: the cage, and where it notes what it is doing. */
struct cdn_entrance {
	const struct cdn_cage *cage;
	const char **step;
	struct cdn_offer *offer; /* NULL: nobody answers */
	const struct cdn_inside *inside; /* NULL: a program follows */
};

struct cdn_guests; /* nested.h */
struct cdn_handed;

struct cordon_process {
	struct cdn_arena *arena; /* owns this struct too */
	struct cordon_process *outer; /* the run that it lies in, or NULL */
	struct cdn_guests *guests; /* those that lie in it, or NULL */
	int handed_fd; /* to whom this run was handed; -1: to nobody */
	const char *stand_in; /* the program that waits for it then, */
	const char *handed_program; /* and the one it waits for */
	const struct cdn_handed *handed; /* what the inner one said, or NULL */
	const struct cordon_session *session;
	const struct cordon_run_options *options;
	const struct cdn_inside *inside; /* instead of the program, or NULL */
	const int *stdio; /* of the program, or NULL: as the options say */
	struct cdn_terminal *terminal; /* instead of the caller's, or NULL */
	int at_terminal[3]; /* what stdio is then */
	const struct cdn_run_place *cwd_is; /* NULL: what its name says */
	char run[17];
	struct cdn_terms terms;
	struct cordon_plan *plan;
	struct cdn_cage *cage;
	struct cdn_entrance entrance;
	const char *step; /* of the cage, when entering it failed */
	struct cdn_offer offer;
	struct cdn_spaces *spaces; /* NULL: the host's */
	uint64_t watched_told; /* of spaces->watched: a denial is recorded */
	const char *cwd; /* absolute, with spaces */
	struct cdn_broker *broker; /* NULL: the plan needs none */
	struct cdn_other_names *other_names; /* for it */
	bool surveys; /* cdn_survey_end() is owed */
	const struct cdn_repositories *before; /* NULL: leftover.c needs none */
	struct timespec since; /* the start, by the clock of files */
	int stop_fd; /* ends the run, for the broker's threads; -1 none */
	/* Written by its threads, one at a time, until it is closed. */
	unsigned long denials;
	unsigned long audit_lost; /* of them, those that could not be kept */
	struct cordon_error audit_error; /* of the first of those */
	struct cdn_record *record;
	struct cdn_run_request request;
	struct cdn_running *running;
	struct cdn_bubble *wrapping; /* of the backend bwrap, or NULL */
	struct cdn_sealing *sealing;   /* likewise, from the beginning */
};

/*
 * wrapped.c: what bwrap is given of the host begins to be sealed, while a plan
 * is made.  cdn_launch_unseal(): nobody needs it any more.
 */
CDN_MUST_USE int cdn_launch_seal(struct cordon_process *p,
    struct cordon_error *err);
void cdn_launch_unseal(struct cordon_process *p);
/*
 * wrapped.c: the request becomes one for bwrap; when that runs, it is told to
 * go on if what it mounted is what it should have (bubble.h).  When all is over:
 * was the program started, and did its output get to where it belongs?
 */
CDN_MUST_USE int cdn_launch_wrap(struct cordon_process *p,
    struct cordon_error *err);
CDN_MUST_USE int cdn_launch_start_wrapped(struct cordon_process *p,
    struct cordon_error *err);
CDN_MUST_USE int cdn_launch_unwrap(struct cordon_process *p,
    struct cordon_error *err);
/* It was not started as it should: nothing of it is left. */
void cdn_launch_wrap_failed(const struct cordon_process *p);
struct cdn_run_result;
CDN_MUST_USE int cdn_launch_wrapped(struct cordon_process *p,
    const struct cdn_run_result *result, struct cordon_error *err);
void cdn_launch_wrapping_free(struct cdn_bubble *wrapping);

/*
 * surroundings.c: the variables of the run, into the request; then its home and
 * tmp, made by the first run of a session and removed with the session.
 */
CDN_MUST_USE int cdn_launch_environment(struct cordon_process *p,
    struct cordon_error *err);
/* Where programs are looked for, by those variables. */
const char *cdn_launch_path(const struct cordon_process *p);
CDN_MUST_USE int cdn_launch_home(struct cordon_process *p,
    struct cordon_error *err);
/* What goes into the home, where the run is the only one and that was left. */
CDN_MUST_USE int cdn_launch_furnish(const struct cordon_process *p,
    struct cordon_error *err);
/* While the program runs: the tmp of the next run, when this is the only one. */
void cdn_launch_ahead(const struct cordon_process *p);

/*
 * Without a shepherd between.  Not in a sandbox: when cordon is killed, only a
 * process that outlives it can end the rest of the run.  A proxy process starts
 * nothing itself, and looking from inside is over at once.
 * A terminal and a time limit need one in any case: it leads the session, and
 * it ends the run in time while this process is stopped.
 */
static inline bool
cdn_launch_is_own_child(const struct cordon_process *p)
{
	return p->options->sole && p->spaces == NULL && p->terminal == NULL &&
	    p->terms.limits.wall_ms == 0 &&
	    (p->terms.backend != CORDON_BACKEND_NATIVE ||
		p->handed_fd >= 0 || p->inside != NULL);
}

/* apart.c: in another mount namespace it is found by its name only. */
CDN_MUST_USE int cdn_launch_cwd(struct cordon_process *p,
    struct cordon_error *err);
/* apart.c: after the plan; nothing where it asks for none. */
CDN_MUST_USE int cdn_launch_spaces(struct cordon_process *p,
    struct cordon_error *err);

/*
 * apart.c: after the run, a denial for each watched place that it looked up:
 * Landlock refuses what is opened there, and leaves no event.
 */
void cdn_launch_look_back(struct cordon_process *p);
/* apart.c: this denial is recorded; if it is about such a place, that will do. */
void cdn_launch_denied_at(struct cordon_process *p, cdn_str path);
/* judged.c: every refusal is an event, and counted.  arg: the process. */
void cdn_launch_denied(const struct cdn_denial *denial, void *arg);

/*
 * judged.c: the broker, where the plan needs one, and how the child enters the
 * cage.  cdn_launch_enter() goes into the request after the broker is open.
 */
CDN_MUST_USE int cdn_launch_broker(struct cordon_process *p,
    struct cordon_error *err);
void cdn_launch_enter(struct cordon_process *p);

/*
 * leftover.c: before anything is executed, and when the run is over and its
 * record open.  made_part: of cdn_broker_made_part().
 */
CDN_MUST_USE int cdn_leftover_begin(struct cordon_process *p,
    struct cordon_error *err);
void cdn_leftover_tell(struct cordon_process *p, bool made_part);

#endif
