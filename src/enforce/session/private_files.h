/*
 * private_files - what only root may read of the directories that
 * cdn_floor_private() lists: each file that others may not read, each directory
 * that others may not enter.
 *
 * Threat:    a run as root owns these files, also without any capability, and
 *	      the runtime view opens /etc and /var/lib.
 * Invariant: a file whose mode keeps others out when the session is made is a
 *	      closed place of that session.  What was not looked at is closed.
 * Held by:   every entry is looked at, at every start.  No cache: a directory
 *	      does not change when the mode of a file in it does.
 *
 * Thousands of files are one stat(2) each.  Only root pays: other users own none
 * of them, and nothing is looked at.
 */
#ifndef CDN_SESSION_PRIVATE_FILES_H
#define CDN_SESSION_PRIVATE_FILES_H

#include "enforce/session/placelist.h"

/*
 * Adds what is found, if the caller is root and the session will be asked about
 * more than its workspace (cdn_session_asks_inside()).  Nothing of the workspace
 * or of the run's own directories is added, nor a directory above them: the
 * entries of that one are, where others may not enter it.
 */
void cdn_private_files_add(struct cdn_placelist *closed);

#endif
