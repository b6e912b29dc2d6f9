/*
 * wipe - removes a tree that a cage has made, and nothing else.
 *
 * No link is followed, no mount point entered.  The tree may be of any depth
 * and size, hold directories of mode 000, and change meanwhile: a directory
 * found two levels down is moved up to the top before it is looked into, so
 * that there are never more than two levels, three descriptors and one buffer.
 */
#ifndef CDN_HOME_WIPE_H
#define CDN_HOME_WIPE_H

#include "base/base.h"

/*
 * Removes name (no slash) below dirfd.  *budget is the number of names that
 * may still be removed; what is left when it is used up, or cannot be removed,
 * can be wiped by a later call.  0 when it is gone, else -errno.
 */
CDN_MUST_USE int cdn_wipe(int dirfd, const char *name, size_t *budget);

#endif
