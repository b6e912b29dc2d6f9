/*
 * links - every symlink on the way to a file, the one walk for all who protect
 * what a name leads to.
 *
 * Threat:    `.husky` leads through `link` to a directory.  The directory is
 *            protected, so a run replaces `link`, and the host follows that.
 * Invariant: what is protected by the name that leads to it is reached by that
 *            name for as long as the run lives.
 * Held by:   each symlink that is met becomes a place that cannot be modified;
 *            a directory above it cannot be renamed then either.
 */
#ifndef CDN_SESSION_LINKS_H
#define CDN_SESSION_LINKS_H

#include "base/str.h"

/*
 * link: the symlink, by a path without any; rest: what is left of the name
 * behind it, "" when it is the last step.  Both live during the call.
 */
typedef void cdn_link_fn(const char *link, const char *rest, void *arg);

/*
 * Follows name from the real directory `from` ("" is the root; an absolute name
 * starts there).  A name that the kernel would not follow either, because it is
 * too long or there are more than CDN_LINKS_MAX, is followed as far as it goes.
 */
void cdn_links_walk(const char *from, cdn_str name, cdn_link_fn *fn,
    void *arg);

#endif
