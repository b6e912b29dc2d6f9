/*
 * file - one file of ours: opened once, read whole, replaced atomically.
 *
 * The steps behind cdn_store_read() and cdn_store_write(), relative to a
 * directory that is already open, so that what was checked about the directory
 * still holds when the file is reached.  `shown` is the name that errors use.
 */
#ifndef CDN_STORE_FILE_H
#define CDN_STORE_FILE_H

#include "base/buf.h"
#include "base/err.h"

/*
 * A descriptor of a regular file, open for reading, or a negative code:
 * CORDON_E_NOT_FOUND when nothing is there.  follow as in cdn_store_read().
 */
CDN_MUST_USE int cdn_file_open(int dirfd, const char *name, const char *shown,
    bool follow, struct cordon_error *err);

/* A descriptor of a directory (to read and to fsync), or a negative code. */
CDN_MUST_USE int cdn_file_open_dir(const char *dir, struct cordon_error *err);

/* All of it, at most max bytes.  The caller gives *ret to cdn_buf_done(). */
CDN_MUST_USE int cdn_file_read(int fd, const char *shown, size_t max,
    struct cdn_buf *ret, struct cordon_error *err);

/* As cdn_store_write().  name has no slash. */
CDN_MUST_USE int cdn_file_replace(int dirfd, const char *name,
    const char *shown, cdn_str bytes, unsigned mode, struct cordon_error *err);

/*
 * Passes an error on: returns code.  For callers that must not touch err while
 * an error may still turn out to be none.
 */
int cdn_file_fail(int code, const struct cordon_error *why,
    struct cordon_error *err);

/*
 * Splits at the last slash: *ret_name points behind it, dir gets what is
 * before ("." or "/" where that is empty).  A name that is empty, "." or ".."
 * is CORDON_E_INVALID.
 */
CDN_MUST_USE int cdn_file_split(const char *file, char dir[CDN_PATH_MAX + 1],
    const char **ret_name, struct cordon_error *err);

#endif
