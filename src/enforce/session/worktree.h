/*
 * worktree - the repository behind a `.git` file.
 *
 *	WORKSPACE/.git		"gitdir: COMMON/worktrees/NAME"
 *	COMMON/worktrees/NAME/gitdir	"WORKSPACE/.git"
 *
 * Whoever may write in the workspace may write the first line, so it is
 * believed only when the repository names this very file in turn.
 */
#ifndef CDN_SESSION_WORKTREE_H
#define CDN_SESSION_WORKTREE_H

#include "base/arena.h"
#include "base/err.h"

struct cdn_worktree {
	const char *gitdir; /* COMMON/worktrees/NAME, real; NULL: none */
	const char *common;
};

/*
 * Strings lie in the arena.  No `.git` file, or one that is not believed, is
 * no error: *ret is empty then.
 */
CDN_MUST_USE int cdn_worktree_find(struct cdn_arena *arena,
    const char *workspace, struct cdn_worktree *ret, struct cordon_error *err);

#endif
