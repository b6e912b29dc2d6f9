/*
 * repositories - git repositories of the workspace that are not called .git.
 *
 * The rules for directories called .git hold by that name, at any depth.  Bare
 * ones, `.bare`, stores of submodules and targets of gitfiles have other names:
 * they are looked for.  What is nearest to the top of the workspace is looked at
 * before a session begins (CDN_REPOSITORY_LOOKS_MAX), the rest beside it
 * (survey.h).
 */
#ifndef CDN_SESSION_REPOSITORIES_H
#define CDN_SESSION_REPOSITORIES_H

#include <stdatomic.h>

#include "base/arena.h"
#include "base/err.h"

/* Paths relative to the workspace, "" for itself, in the arena. */
struct cdn_repositories {
	const char *const *v; /* git directories */
	size_t n;
	const char *const *trees; /* directories with a `.git` in them */
	size_t tree_count;
	bool partial; /* there are directories that nobody looked into */
};

/* The nearest: at most CDN_REPOSITORIES_MAX, and nothing in node_modules. */
CDN_MUST_USE int cdn_repositories_near(struct cdn_arena *arena,
    const char *workspace, struct cdn_repositories *ret,
    struct cordon_error *err);

/*
 * All.  CORDON_E_INVALID: there are more directories than max, or *stop became
 * true, which may be NULL.
 */
CDN_MUST_USE int cdn_repositories_all(struct cdn_arena *arena,
    const char *workspace, unsigned long max, const atomic_bool *stop,
    struct cdn_repositories *ret, struct cordon_error *err);

#endif
