/*
 * place - opening a file that nobody else can have put there.
 */
#ifndef CDN_AUDIT_PLACE_H
#define CDN_AUDIT_PLACE_H

#include "base/err.h"

/*
 * A descriptor to read and write (flags: O_APPEND or 0), or a negative code.
 * What is missing is made: the file 0600, directories 0700.  Refused are links,
 * what is no regular file, is not ours, or others may write.
 */
CDN_MUST_USE int cdn_place_open(const char *file, int flags,
    struct cordon_error *err);

/*
 * Refuses a directory where anybody may replace the file.  After the file was
 * opened: then there is a directory.
 */
CDN_MUST_USE int cdn_place_check_dir(const char *file,
    struct cordon_error *err);

/*
 * The lock that writers (and, for a moment, readers) take on the head.  0, or
 * -1 and errno; ETIMEDOUT when nobody wrote for CDN_AUDIT_WAIT_MS.
 */
CDN_MUST_USE int cdn_place_lock(int fd, bool write);
void cdn_place_unlock(int fd);

#endif
