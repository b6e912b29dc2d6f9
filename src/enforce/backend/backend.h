/*
 * backend - turns a plan into a cage.
 *
 * One file per backend in this room and one table of them in backend.c;
 * nothing else in the program knows their names.
 *
 * Split in two on purpose: build() may allocate, open files and fail with a
 * full sentence; enter() runs between clone and exec and may only make system
 * calls.  A cage is entered any number of times, by any number of children at
 * once, and not changed by it.
 */
#ifndef CDN_BACKEND_BACKEND_H
#define CDN_BACKEND_BACKEND_H

#include "enforce/sys/raw.h"
#include "engine/plan/plan.h"

struct cdn_backend;

struct cdn_cage {
	const struct cdn_backend *backend;
	/*
	 * When the plan has a mode: the Landlock ruleset for whoever answers,
	 * which he puts on before the child does its own; else -1.  It goes
	 * with the cage.
	 */
	int bound;
};

struct cdn_backend {
	const char *name; /* "native"; a word of --backend */

	/*
	 * Everything that can fail with a sentence.  The caller frees it.
	 * root: where the run sees the paths of the plan; -1: where we do.
	 */
	CDN_MUST_USE int (*build)(const struct cdn_plan *plan,
	    const struct cdn_host *host, int root, struct cdn_cage **ret,
	    struct cordon_error *err);

	/*
	 * CDN_BARE, with no_new_privs set.  0 or -errno; never undone.  *step
	 * becomes what it is doing, for the one who reports a failure.  When
	 * the plan has a mode: the listener, which somebody must take.
	 */
	int (*enter)(const struct cdn_cage *cage, const char **step);

	void (*free)(struct cdn_cage *cage);
};

extern const struct cdn_backend cdn_backend_native;

struct cdn_filter;
/* The system-call filter of a plan on this host, whoever loads it. */
CDN_MUST_USE int cdn_backend_filter(const struct cdn_plan *plan,
    const struct cdn_host *host, struct cdn_filter *ret,
    struct cordon_error *err);

/* NULL when there is none of that name. */
const struct cdn_backend *cdn_backend_find(const char *name);

#endif
