/*
 * sync - copies of files that the real home and a private one both change.
 *
 * An agent rewrites its own settings, so a run has copies.  A record beside the
 * home, out of the run's reach, holds the digest of each file at the last sync:
 *
 *	the real file changed	it replaces the copy; a copy that the run
 *				changed, too, stays as NAME.cordon-old
 *	only the copy changed	it stays; credentials (`returned`) go back
 *
 * Nothing else is ever written to the real home.
 */
#ifndef CDN_HOME_SYNC_H
#define CDN_HOME_SYNC_H

#include "enforce/home/home.h"

#define CDN_HOME_RECORD ".synced" /* behind the path of the home */

/* Only running out of memory is an error: -ENOMEM, else 0. */
CDN_MUST_USE int cdn_sync_files(int homefd, const char *record,
    const struct cdn_home_file *files, size_t n);

/* After a run: only gives back what is `returned`. */
CDN_MUST_USE int cdn_sync_return(int homefd, const char *record,
    const struct cdn_home_file *files, size_t n);

#endif
