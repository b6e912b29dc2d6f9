/*
 * git_config - may one configuration of a repository replace another?
 *
 * What git writes in the course of ordinary work (`checkout -b x origin/x`,
 * `push -u`, `branch -m`, `remote add`) is harmless; all else in that file may
 * name a program.  So only these may differ:
 *
 *	branch.*.{remote,merge,rebase,description}	remote: one that the new
 *		file configures, or "."; merge: refs/...; rebase: a word
 *	user.{name,email}
 *	remote.NEW.{url,fetch}	of one that is not in the old file: an https or
 *		ssh URL; from refs/heads/ to refs/remotes/NEW/; the latter also
 *		of one that has nothing but a URL so far
 *
 * Every other line, with the section it stands in, is the same in both, and in
 * the same order.
 *
 * Threat:    git reads a file otherwise than we do, and finds a program.
 * Invariant: what is accepted is read by git line by line as it is here.
 * Held by:   only a part of the syntax is taken, for both files: one line is
 *	      one section, one variable, or a comment.  No line goes on behind a
 *	      backslash, no variable stands beside its section, there are no
 *	      control characters but tabs.  Lines that must not differ are
 *	      compared as bytes.
 *
 * Pure.
 */
#ifndef CDN_DECIDE_GIT_CONFIG_H
#define CDN_DECIDE_GIT_CONFIG_H

#include "base/arena.h"
#include "base/str.h"

#define CDN_GIT_CONFIG_MAX (256UL * 1024UL) /* bytes */

/* False also for what is not understood, is too long, and for no memory. */
bool cdn_git_config_may_replace(struct cdn_arena *arena, cdn_str old,
    cdn_str now);

#endif
