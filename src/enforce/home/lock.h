/*
 * lock - tmp directories: made, known to be in use, removed when they are not.
 *
 * A directory is its own lock (flock), held by the session that made it; one
 * that nobody holds was left behind.  No file beside it is needed, which would
 * cost as much as the directory.  The cage can lock its directory too, but only
 * when its session is gone: then it is left alone a little longer.
 *
 * Where directories cannot be locked (NFS), nothing is ever taken for left
 * behind.
 */
#ifndef CDN_HOME_LOCK_H
#define CDN_HOME_LOCK_H

#include "base/base.h"

/*
 * Makes the directory name (no slash) below dirfd, 0700 and empty; what the
 * dead left under this name goes first.  A descriptor that holds the lock until
 * it is closed, or -errno; -EBUSY: in use.  aheadfd: where one may lie that was
 * made ahead, or -1.
 */
CDN_MUST_USE int cdn_lock_make(int aheadfd, int dirfd, const char *name);

/*
 * Makes a directory ahead, for the next session; on most disks that takes
 * longer than all the rest of its start.  Nobody but us may write in aheadfd,
 * on the file system of the others.  It is never one that was used.
 */
void cdn_lock_ahead(int aheadfd);

/*
 * Instead of removing a directory at the end of its session, where somebody
 * waits: puts it aside for the next session's cdn_lock_ahead(), which removes
 * it.  To give its blocks back can take a disk longer than all the rest of an
 * end.  fd: its own.  False: it is where it was, because it is not empty, or
 * another one is there.
 */
CDN_MUST_USE bool cdn_lock_put_aside(int aheadfd, int dirfd, const char *name,
    int fd);

/*
 * Removes what was left behind, within the limits of home.h.  dirfd is freshly
 * opened: it is read from where it stands.  Hidden names are not looked at.
 */
void cdn_lock_sweep(int dirfd);

#endif
