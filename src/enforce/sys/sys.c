#include "enforce/sys/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef SYS_openat2
#define SYS_openat2 437 /* the same on every architecture */
#endif

#define GET_FLAGS _IOR('f', 1, long) /* FS_IOC_GETFLAGS */

#define LOCK_STEP_MS 10

static int
neg_errno(long result)
{
	return result < 0 ? -errno : (int)result;
}

int
cdn_sys_openat2(int dirfd, const char *path, const struct cdn_open_how *how)
{
	struct cdn_open_how own = *how;

	own.flags |= O_CLOEXEC;
	return neg_errno(syscall(SYS_openat2, dirfd, path, &own, sizeof(own)));
}

_Static_assert(sizeof(struct cdn_statx) == 256, "as the kernel writes it");
_Static_assert(offsetof(struct cdn_statx, mnt_id) == 0x90, "as it writes it");

int
cdn_sys_statx(int dirfd, const char *path, int flags, unsigned mask,
    struct cdn_statx *ret)
{
	return neg_errno(syscall(SYS_statx, dirfd, path, flags, mask, ret));
}

int
cdn_sys_inode_flags(int fd, unsigned *ret)
{
	/* Declared as long, written as int by all but FUSE: room for both. */
	union {
		long as_declared;
		unsigned as_written;
	} flags = { 0 };
	int r = neg_errno(ioctl(fd, GET_FLAGS, &flags));

	if (r < 0)
		return r;
	*ret = flags.as_written;
	return 0;
}

int
cdn_sys_lock(int fd, unsigned most_ms)
{
	const struct timespec pause = { .tv_nsec = LOCK_STEP_MS * 1000000L };

	for (unsigned waited = 0;; waited += LOCK_STEP_MS) {
		if (flock(fd, LOCK_EX | LOCK_NB) == 0)
			return 0;
		if ((errno != EWOULDBLOCK && errno != EINTR) ||
		    waited >= most_ms)
			return -errno;
		(void)nanosleep(&pause, NULL);
	}
}
