/*
 * hooks - files of the workspace that the host's git runs or obeys although
 * they do not lie in .git.
 *
 *	core.hooksPath = DIR		DIR, also one that is not there yet
 *	include.path = FILE		FILE, and what that one says
 *	.git/hooks -> DIR		DIR
 *	.git/hooks/NAME -> FILE		FILE
 *
 * Configuration is what git reads: the system's and the user's files, those and
 * the settings that the caller's environment names (gitenv.h), `config`
 * and `config.worktree` of the repository around the workspace, of its own and
 * of each one in it that repositories.h found, and all that they include.
 *
 * Threat:    the run writes a hook where a setting leads git to.
 * Invariant: whatever file git could take such a setting from was read, or its
 *	      name is in the workspace and protected itself.
 * Held by:   conditions of includeIf are not evaluated: all of them may hold.
 *	      A relative core.hooksPath is taken from the top of each work tree
 *	      and from the git directory.  More than the maxima of limits.h, or a
 *	      file that git would refuse: a configuration error.
 */
#ifndef CDN_SESSION_HOOKS_H
#define CDN_SESSION_HOOKS_H

#include "base/arena.h"
#include "base/err.h"
#include "enforce/session/repositories.h"
#include "enforce/session/worktree.h"
#include "enforce/store/places.h"
#include "engine/decide/preset.h"

struct cdn_hooks_spec {
	const char *workspace;
	const struct cdn_places *places;
	const struct cdn_worktree *worktree;
	const struct cdn_repositories *repositories;
	/*
	 * A repository whose configuration cannot be understood is closed with
	 * its work tree: git does nothing there.  Else it is an error.
	 */
	bool lenient;
};

/*
 * Patterns relative to the workspace, in the arena.  What the caller may not
 * read has no settings: git on the host cannot read it either.
 */
CDN_MUST_USE int cdn_hooks_find(struct cdn_arena *arena,
    const struct cdn_hooks_spec *spec, const struct cdn_found_executed **ret,
    size_t *ret_n, struct cordon_error *err);

#endif
