/*
 * trust - which project policies the user has read and accepted.
 *
 * trust.json lies in cordon's state directory, 0600 below 0700:
 *	{"schema":1,"trusted":[{"dir":"/real/path","sha256":"64 hex"}]}
 * Trust is bound to the bytes: a changed policy is not trusted.  A damaged
 * file is an error, never an empty list; one not owned by the user or root,
 * or writable by others (group included), is refused, and so is such a
 * directory.  Changes are made one at a time (trust.lock beside the file), so
 * none is lost; at most CDN_TRUST_MAX directories, UTF-8 only.
 */
#ifndef CDN_STORE_TRUST_H
#define CDN_STORE_TRUST_H

#include "base/err.h"

/* file: path of trust.json; missing = nothing trusted.  dir: real path. */
CDN_MUST_USE int cdn_trust_check(const char *file, const char *dir,
    const char *digest, bool *ret, struct cordon_error *err);
/* Adds or replaces; makes the directory (0700) when it is missing. */
CDN_MUST_USE int cdn_trust_add(const char *file, const char *dir,
    const char *digest, struct cordon_error *err);
/* CORDON_E_NOT_FOUND when it was not trusted. */
CDN_MUST_USE int cdn_trust_revoke(const char *file, const char *dir,
    struct cordon_error *err);
/* Sorted by directory; the strings live during the callback. */
typedef void cdn_trust_entry_fn(const char *dir, const char *digest, void *arg);
CDN_MUST_USE int cdn_trust_list(const char *file, cdn_trust_entry_fn *entry,
    void *arg, struct cordon_error *err);

#endif
