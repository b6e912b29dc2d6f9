/*
 * workers - documents of workers as layers of a session.
 *
 *	worker ─► places (real paths, modes) ─┬─► a profile: inside the workspace
 *	                                      └─► roots: outside of it
 *
 * A worker becomes one more document for the decision function, whose profile
 * is made of its roots.  Of several, each was called by the one before it: all
 * of them must allow, and none may ask for what an earlier one does not have.
 *
 * Threat:    an agent writes a worker document and calls it.
 * Invariant: a called worker never opens anything.  The caller of the first one
 *            is the session itself, which has no worker but has an authority.
 * Held by:   cdn_workers_called() decides what is called; such a document is
 *            not trusted (worker_layer.c), its roots are not grants
 *            (grant_places.c), and cdn_workers_check() refuses what it asks for
 *            beyond the session.
 */
#ifndef CDN_SESSION_WORKERS_H
#define CDN_SESSION_WORKERS_H

#include "enforce/session/placelist.h"
#include "engine/worker/worker.h"

/* A root as it lies on this machine. */
struct cdn_worker_place {
	const char *path; /* absolute and real */
	bool write;
	const char *shown; /* as authored */
	struct cdn_pos pos;
	const struct cdn_worker_path *entry; /* NULL: a module's */
};

struct cdn_seat {
	const struct cordon_worker *worker; /* the caller's */
	struct cdn_worker_place *places;    /* shorter paths first */
	size_t place_count;
};

/*
 * Takes the workers of the options: do they fit each other, this system and
 * the preset?  Their files become documents of the session.
 */
CDN_MUST_USE int cdn_workers_take(struct cordon_session *session,
    const struct cordon_session_options *options, struct cordon_error *err);

/* Did an agent name worker i?  Then it can only narrow. */
bool cdn_workers_called(const struct cordon_session *session, size_t i);

/*
 * CORDON_E_INVALID when the worker that was called last asks for a root or a
 * network that the session does not have.  Needs the session's authority.
 */
CDN_MUST_USE int cdn_workers_check(const struct cordon_session *session,
    struct cordon_error *err);

/* Where their roots are; and CORDON_E_INVALID for a root that is too much. */
void cdn_gather_workers(struct cdn_gather *g, struct cdn_seat *seats);

/* Do its roots hold the path, for writing? */
bool cdn_seat_covers(const struct cdn_seat *seat, const char *path,
    bool write);
/* Is it read-only below a root that may be written? */
bool cdn_seat_carves(const struct cdn_seat *seat,
    const struct cdn_worker_place *place);

/*
 * worker_layer.c: the worker as a document, whose profile lies in the arena and is not to be
 * freed.  fold: as in cdn_rule_set_build().
 */
CDN_MUST_USE int cdn_worker_document(struct cdn_arena *arena,
    const struct cordon_session *session, size_t i, bool fold,
    struct cdn_document *ret, struct cordon_error *err);

/* CORDON_E_INVALID when an option's root is none of the worker's. */
void cdn_workers_bound(struct cdn_gather *g, const char *option,
    const struct cdn_place_list *places, bool write);
/* What called workers leave of a list of roots. */
void cdn_workers_narrow(struct cdn_gather *g, struct cdn_place_list *places,
    bool write);
/* Does one of them have a root above the directory? */
bool cdn_workers_root(const struct cordon_session *session, const char *dir);
/* May the whole workspace be modified, as far as workers go? */
bool cdn_workers_own_workspace(const struct cordon_session *session);

/* The strictest of them; UNSET without workers. */
enum cdn_enforcement cdn_workers_enforcement(
    const struct cordon_session *session);
/* What the innermost that says anything names; AUTO: nobody does. */
enum cordon_backend cdn_workers_backend(const struct cordon_session *session);

/*
 * What an application lets through besides: the filters of the deepest root of
 * each worker that holds the path.
 */
void cdn_workers_filter(const struct cordon_session *session, cdn_str path,
    struct cordon_filter *ret);

#endif
