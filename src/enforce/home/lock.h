/*
 * lock - which tmp directories are in use, and the removal of those that are
 * not.
 *
 *	DIR/NAME	the directory
 *	DIR/NAME.lock	locked (flock) by the session that uses it
 *
 * The lock is there before the directory and goes after it, so that a lock
 * nobody holds means: whatever bears this name was left behind.  The cage can
 * write neither DIR nor the lock.
 */
#ifndef CDN_HOME_LOCK_H
#define CDN_HOME_LOCK_H

#include "base/base.h"

/* A descriptor that holds the lock until it is closed; -EBUSY: in use. */
CDN_MUST_USE int cdn_lock_take(int dirfd, const char *name);

/* Removes the lock file of a name whose directory is gone. */
void cdn_lock_remove(int dirfd, const char *name);

/*
 * Removes what was left behind, within the limits of home.h.  dirfd is freshly
 * opened: it is read from where it stands.
 */
void cdn_lock_sweep(int dirfd);

#endif
