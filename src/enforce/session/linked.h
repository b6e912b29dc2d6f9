/*
 * linked - other names of protected files, for whoever starts something.
 *
 * A question about a path is answered by looking at the inode (inodes.h).  The
 * kernel grants by name, or rather by directory: so the names themselves must
 * be known before a run starts.  Files with more than one link are normally
 * not among those that are protected, and then this costs nothing.
 */
#ifndef CDN_SESSION_LINKED_H
#define CDN_SESSION_LINKED_H

#include "enforce/session/session.h"

struct cdn_linked {
	const char *path;  /* the other name, which is open by itself */
	const char *name;  /* the name that is protected */
	enum cordon_op op; /* what is denied there and would be allowed here */
};

/*
 * The string and struct live during the call.  The files are those that floor
 * entries, cordon's own, and rules which deny exactly one path name; the names
 * those in what a process may read or modify.
 */
typedef void cdn_linked_fn(const struct cdn_linked *linked, void *arg);

/*
 * *ret_complete: false when more than CDN_LINK_SCAN_MAX entries would have had
 * to be looked at, or a directory could not be read: there may be more names.
 */
CDN_MUST_USE int cdn_session_linked(const struct cordon_session *session,
    cdn_linked_fn *found, void *arg, bool *ret_complete,
    struct cordon_error *err);

#endif
