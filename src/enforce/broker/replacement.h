/*
 * replacement - a file of a repository gets new content, by a new file.
 */
#ifndef CDN_BROKER_REPLACEMENT_H
#define CDN_BROKER_REPLACEMENT_H

#include <sys/stat.h>

#include "base/buf.h"
#include "base/str.h"

/*
 * All of a regular file, no symlink, appended to *ret, whose limit holds; what it
 * is into *ret_st.  0 or -errno.
 */
CDN_MUST_USE int cdn_replacement_read(int dir, const char *name,
    struct cdn_buf *ret, struct stat *ret_st);

struct cdn_replacement_of {
	int dir;
	const char *lock; /* removed afterwards */
	const char *name; /* which the new file gets */
	cdn_str bytes;
	mode_t mode;
	const struct timespec *times; /* as for futimens(); NULL: now */
};

/*
 * The new file has a name that no allow list of a git directory has, so that no
 * process of the run opens it before it has its own.  0 or -errno; then nothing
 * was replaced.
 */
CDN_MUST_USE int cdn_replacement_install(const struct cdn_replacement_of *of);

#endif
