/*
 * hooks - files of the workspace that the host's git runs or obeys although
 * they do not lie in .git.
 *
 *	core.hooksPath = DIR		DIR, also one that is not there yet
 *	include.path = FILE		FILE
 *	.git/hooks -> DIR		DIR
 *	.git/hooks/NAME -> FILE		FILE
 *
 * One small file and one directory are read.
 */
#ifndef CDN_SESSION_HOOKS_H
#define CDN_SESSION_HOOKS_H

#include "base/arena.h"
#include "base/err.h"
#include "enforce/session/worktree.h"

/*
 * Patterns relative to the workspace, in the arena.  What cannot be read is
 * none: git on the host cannot read it either, or says so.
 */
CDN_MUST_USE int cdn_hooks_find(struct cdn_arena *arena, const char *workspace,
    const struct cdn_worktree *worktree, const char *const **ret, size_t *ret_n,
    struct cordon_error *err);

#endif
