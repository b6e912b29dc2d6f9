/*
 * sys - one thin function per system call that libc does not wrap.
 *
 * House rules of this room:
 *
 *   - the result is >= 0, or -errno; errno itself is never part of the API
 *   - no allocation, no logging, no locks: every function may be called
 *     between fork() and execve() of a threaded program
 *   - descriptors come back close-on-exec
 *   - UAPI structs and constants are our own copies, so that old headers on
 *     the build machine do not decide what the binary can do on a new kernel
 */
#ifndef CDN_SYS_SYS_H
#define CDN_SYS_SYS_H

#include "base/base.h"

/* struct open_how, since 5.6. */
struct cdn_open_how {
	uint64_t flags; /* O_...; O_CLOEXEC is added */
	uint64_t mode;
	uint64_t resolve; /* CDN_RESOLVE_... */
};

#define CDN_RESOLVE_NO_XDEV	  0x01U
#define CDN_RESOLVE_NO_MAGICLINKS 0x02U
#define CDN_RESOLVE_NO_SYMLINKS	  0x04U
#define CDN_RESOLVE_BENEATH	  0x08U
#define CDN_RESOLVE_IN_ROOT	  0x10U

/* A descriptor.  -ENOSYS and -EPERM also mean that a filter took it away. */
CDN_MUST_USE int cdn_sys_openat2(int dirfd, const char *path,
    const struct cdn_open_how *how);

/* struct statx, since 4.11. */
struct cdn_statx_time {
	int64_t sec;
	uint32_t nsec;
	int32_t unused;
};

struct cdn_statx {
	uint32_t mask; /* CDN_STATX_...: what is filled in */
	uint32_t blksize;
	uint64_t attributes;
	uint32_t nlink, uid, gid;
	uint16_t mode, unused;
	uint64_t ino, size, blocks, attributes_mask;
	struct cdn_statx_time atime, btime, ctime, mtime;
	uint32_t rdev_major, rdev_minor, dev_major, dev_minor;
	uint64_t mnt_id;
	uint64_t more[13];
};

#define CDN_STATX_NLINK	 0x0004U
#define CDN_STATX_INO	 0x0100U
#define CDN_STATX_SIZE	 0x0200U
#define CDN_STATX_BTIME	 0x0800U
#define CDN_STATX_BASIC	 0x07ffU /* all that stat(2) tells */
#define CDN_STATX_MNT_ID 0x1000U /* since 5.8 */
/* In the same place, but never used again: since 6.8. */
#define CDN_STATX_MNT_ID_UNIQUE 0x4000U

CDN_MUST_USE int cdn_sys_statx(int dirfd, const char *path, int flags,
    unsigned mask, struct cdn_statx *ret);

/* Inode flags as chattr knows them. */
#define CDN_FL_CASEFOLD 0x40000000U /* names in the directory, since 5.2 */

/* Not on an O_PATH descriptor.  -ENOTTY: the file system has none. */
CDN_MUST_USE int cdn_sys_inode_flags(int fd, unsigned *ret);

/*
 * An flock() that nobody else may have, until the descriptor is closed.  Waits
 * at most most_ms: who holds it longer hangs.  -EWOULDBLOCK then.
 */
CDN_MUST_USE int cdn_sys_lock(int fd, unsigned most_ms);

#endif
