/*
 * nest - names below a directory that a cage can write.
 *
 * Whatever lies there may have been put there to lead us somewhere else, and
 * may change between two calls.  So every name is reached from a descriptor,
 * no link is followed and no mount point crossed; what is made is made under a
 * fresh name and renamed.
 *
 * Paths are relative, without ".." and empty parts.  Results are >= 0, or
 * -errno.  Descriptors come back close-on-exec.
 */
#ifndef CDN_HOME_NEST_H
#define CDN_HOME_NEST_H

#include <sys/types.h>

#include "base/str.h"

#define CDN_NEST_NAME_SIZE sizeof(".cordon-0123456789abcdef.tmp")

/*
 * openat2 with NO_SYMLINKS, BENEATH and NO_XDEV; where there is no openat2
 * (old kernels, inside a cage) step by step with O_NOFOLLOW.
 */
CDN_MUST_USE int cdn_nest_open(int dirfd, const char *path, int flags);

/*
 * A directory to list and to change, reached as above.  One of ours that has
 * lost its rights (mode 000) gets 0700 again, by its descriptor.
 */
CDN_MUST_USE int cdn_nest_open_dir(int dirfd, const char *path);

/*
 * The same, and every part that is missing is made (0700).  What is no
 * directory and stands in the way is moved aside (NAME.cordon-old).
 */
CDN_MUST_USE int cdn_nest_make_dir(int dirfd, const char *path);

/*
 * Makes name (no slash) a symbolic link to target.  Costs one call when it is
 * that already.  Another link is replaced, an empty directory too; a file is
 * moved aside; a directory that holds something is left alone (-ENOTEMPTY): it
 * is the cage's own, and what is in it may be dear to somebody.
 */
CDN_MUST_USE int cdn_nest_link(int dirfd, const char *name,
    const char *target);

/* The same, and a directory that holds something is moved aside, too. */
CDN_MUST_USE int cdn_nest_link_over(int dirfd, const char *name,
    const char *target);

/*
 * Makes name (no slash) a regular file (0600) of these bytes.  Nothing is
 * written when it is that already; a link or file is replaced, an empty
 * directory too, another directory is moved aside.
 */
CDN_MUST_USE int cdn_nest_file(int dirfd, const char *name, cdn_str bytes);

/* Is name (no slash) a symbolic link to target? */
bool cdn_nest_is_link(int dirfd, const char *name, const char *target);

/* A name nobody can have prepared. */
CDN_MUST_USE int cdn_nest_fresh(char ret[CDN_NEST_NAME_SIZE]);

#endif
