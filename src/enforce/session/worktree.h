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
#include "enforce/path/path.h"

struct cdn_worktree {
	const char *gitdir; /* COMMON/worktrees/NAME, real; NULL: none */
	const char *common;
};

/* The name that the file TOP/.git says; false: there is no such file. */
bool cdn_gitfile_name(const char *top, char ret[CDN_PATH_MAX + 1]);

/*
 * The directory that the file TOP/.git names, whoever wrote it.  False: there is
 * no such file, or no such directory.
 */
bool cdn_gitfile_target(const char *top, struct cdn_real *ret);

/* The directory that GITDIR/commondir names; false: none does. */
bool cdn_gitdir_common(const char *gitdir, struct cdn_real *ret);

/*
 * Strings lie in the arena.  No `.git` file, or one that is not believed, is
 * no error: *ret is empty then.
 */
CDN_MUST_USE int cdn_worktree_find(struct cdn_arena *arena,
    const char *workspace, struct cdn_worktree *ret, struct cordon_error *err);

#endif
