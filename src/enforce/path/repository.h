/*
 * repository - is a directory a git repository, whatever its name is?
 *
 * Git takes a directory for one that has HEAD, objects and refs, or HEAD and a
 * commondir that names another one.  It then obeys the config and the hooks
 * beside them.  An entry of any type counts: git follows symlinks there.
 */
#ifndef CDN_PATH_REPOSITORY_H
#define CDN_PATH_REPOSITORY_H

#include "base/base.h"
#include "base/str.h"

enum cdn_repository_part { /* bits */
	CDN_REPOSITORY_HEAD = 1,
	CDN_REPOSITORY_OBJECTS = 2,
	CDN_REPOSITORY_REFS = 4,
	CDN_REPOSITORY_COMMONDIR = 8,
	CDN_REPOSITORY_CONFIG = 16, /* config, config.worktree, hooks */
	/*
	 * index, sharedindex.*: git uses the paths in them as they are.
	 * MERGE_RR: `git commit` copies each file that it names.
	 * MERGE_AUTOSTASH: `git commit` applies the commit that it names.
	 * cordon.new: becomes one of these, after it was checked.
	 */
	CDN_REPOSITORY_CONTENT = 32,
};

/* The part that an entry of this name would be, in any case; 0: none. */
unsigned cdn_repository_part(cdn_str name);

/* Do these parts make a repository? */
bool cdn_repository_is(unsigned parts);

/*
 * The parts that DIR has, relative to dirfd; of those that make one.  What
 * cannot be looked at counts as there.
 */
unsigned cdn_repository_parts(int dirfd, const char *dir);

/*
 * May an entry that is this part not be made in a directory that has those, or
 * written there?  It would complete a repository, or configure one.
 */
bool cdn_repository_forbids(unsigned has, unsigned part);

/* Is DIR a repository?  As the two above, but quick where it has no HEAD. */
bool cdn_repository_is_at(int dirfd, const char *dir);

/* Does the text of a symlink have a component .git, in any case? */
bool cdn_repository_is_named(cdn_str text);

#endif
