/*
 * Steps that change what stands beside the content.
 */
#include "exercise.h"

#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/time.h>
#include <sys/xattr.h>
#include <utime.h>

#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif
#ifndef SYS_setxattrat
#define SYS_setxattrat	  463
#define SYS_getxattrat	  464
#define SYS_removexattrat 466
#endif

/* ----- Modes and owners ------------------------------------------------------------ */

static bool
is_directory(int dirfd, const char *path)
{
	struct stat st;

	return fstatat(dirfd, path, &st, 0) == 0 && S_ISDIR(st.st_mode);
}

/* Set-ID bits are for directories only: elsewhere they are refused by rule. */
static mode_t
mode_for(int dirfd, const char *path)
{
	mode_t mode = any_mode();

	return one_in(3) && is_directory(dirfd, path) ? mode | S_ISGID | 0700 :
							mode;
}

static void
step_chmod(void)
{
	struct way way;
	mode_t mode;

	any_path(&way);
	mode = mode_for(AT_FDCWD, way.path);
	tell(chmod(way.path, mode), "chmod %s %o", way.told, mode);
	tell_state(AT_FDCWD, way.path);
}

static void
step_fchmodat(void)
{
	struct way way;
	mode_t mode;
	int flags = (int)PICK(0, AT_SYMLINK_NOFOLLOW, AT_EMPTY_PATH, 1);
	bool old = one_in(3);

	any_way(&way);
	if (way.magic)
		flags = 0; /* a link in /proc itself is changed by nobody */
	mode = mode_for(way.dirfd, way.path);
	tell(old ? syscall(SYS_fchmodat, way.dirfd, way.path, mode) :
		   syscall(SYS_fchmodat2, way.dirfd, way.path, mode, flags),
	    "fchmodat%s %s %o %x", old ? "" : "2", way.told, mode,
	    (unsigned)flags);
	tell_state(way.dirfd, way.path);
}

static void
step_fchmod(void)
{
	int fd = any_fd();
	mode_t mode = any_mode();

	tell(fchmod(fd, mode), "fchmod %d %o", fd, mode);
	tell_fd(fd);
}

static gid_t
any_group(void)
{
	gid_t groups[32];
	int n = getgroups(32, groups);

	if (n > 0 && one_in(2))
		return groups[below((size_t)n)];
	return one_in(2) ? getegid() : (gid_t)PICK(-1, 12345);
}

static void
step_chown(void)
{
	struct way way;
	uid_t uid = (uid_t)PICK(-1, -1, -1, geteuid(), 12345);
	gid_t gid = any_group();
	int flags = (int)PICK(0, AT_SYMLINK_NOFOLLOW, AT_EMPTY_PATH, 1);
	int form = (int)below(4), fd = any_fd();
	long r;

	any_way(&way);
	if (way.magic)
		form = 0;
	if (form == 0)
		r = chown(way.path, uid, gid);
	else if (form == 1)
		r = lchown(way.path, uid, gid);
	else if (form == 2)
		r = fchownat(way.dirfd, way.path, uid, gid, flags);
	else
		r = fchown(fd, uid, gid);
	tell(r, "chown form %d %s %d:%d %d", form, way.told, (int)uid, (int)gid,
	    fd);
	tell_state(way.dirfd, way.path);
}

/* ----- Times ---------------------------------------------------------------------- */

static void
any_times(struct timespec times[2])
{
	for (int i = 0; i < 2; i++) {
		times[i].tv_sec = (time_t)below(100000);
		times[i].tv_nsec = PICK(0, 5, 999999999, UTIME_NOW, UTIME_OMIT,
		    1000000000);
	}
}

static void
step_utimens(void)
{
	struct timespec times[2];
	struct way way;
	int flags = (int)PICK(0, 0, AT_SYMLINK_NOFOLLOW, AT_EMPTY_PATH, 1);
	bool now = one_in(4), by_fd = one_in(3);
	int fd = any_fd();

	any_times(times);
	any_way(&way);
	if (way.magic)
		flags = 0;
	tell(by_fd ? futimens(fd, now ? NULL : times) :
		     syscall(SYS_utimensat, way.dirfd, way.path,
			 now ? NULL : times, flags),
	    "utimensat %s %d %d %ld.%ld %ld.%ld", way.told, by_fd ? fd : -1,
	    now, (long)times[0].tv_sec, times[0].tv_nsec, (long)times[1].tv_sec,
	    times[1].tv_nsec);
	tell_state(way.dirfd, way.path);
}

static void
step_utimes(void)
{
	struct timeval times[2] = { { (time_t)below(100000),
					PICK(0, 7, 1000000) },
		{ (time_t)below(100000), PICK(0, 999999) } };
	struct utimbuf old = { times[0].tv_sec, times[1].tv_sec };
	struct way way;
	int form = (int)below(3);

	any_way(&way);
	tell(form == 0	  ? syscall(SYS_utimes, way.path, times) :
		form == 1 ? syscall(SYS_utime, way.path, &old) :
			    syscall(SYS_futimesat, way.dirfd, way.path, times),
	    "utimes form %d %s", form, way.told);
	tell_state(way.dirfd, way.path);
}

/* ----- Attributes ------------------------------------------------------------------ */

struct xattr_at {
	uint64_t value;
	uint32_t size, flags;
};

static const char *
any_name(void)
{
	static const char *const names[] = { "user.a", "user.b", "user.a",
		"user.c", "user.a", "user.a", "user.a", "trusted.a",
		"security.a", "nothing", "security.capability", "user.", "",
		"system.posix_acl_access" };

	return names[below(LEN(names))];
}

/* Some kernels take AT_FDCWD for a descriptor here, and some do not. */
static int
real_fd(void)
{
	int fd = any_fd();

	return fd == AT_FDCWD ? NO_FD : fd;
}

static long
set_attribute(int form, const struct way *way, int fd, const char *name,
    const void *value, size_t size, int flags)
{
	struct xattr_at at = { (uint64_t)(uintptr_t)value, (uint32_t)size,
		(uint32_t)flags };

	switch (form) {
	case 0:
		return setxattr(way->path, name, value, size, flags);
	case 1:
		return lsetxattr(way->path, name, value, size, flags);
	case 2:
		return fsetxattr(fd, name, value, size, flags);
	default:
		return syscall(SYS_setxattrat, way->dirfd, way->path,
		    form == 3 ? 0 : AT_SYMLINK_NOFOLLOW, name, &at, sizeof(at));
	}
}

static void
step_set(void)
{
	char value[300];
	struct way way;
	const char *name = any_name();
	size_t size = (size_t)PICK(0, 1, 5, 20, 300);
	int flags = (int)PICK(0, 0, XATTR_CREATE, XATTR_REPLACE, 3, 4);
	int form = (int)below(5), fd = real_fd();

	memset(value, (int)('a' + below(26)), sizeof(value));
	any_way(&way);
	if (way.magic)
		form = 0;
	tell(set_attribute(form, &way, fd, name, value, size, flags),
	    "setxattr form %d %s %d %s %zu %d", form, way.told, fd, name, size,
	    flags);
}

static void
step_get(void)
{
	char value[512], first = '-';
	struct way way;
	const char *name = any_name();
	int fd = real_fd(), form = (int)below(3);
	ssize_t n;

	any_path(&way);
	n = form == 0 ? getxattr(way.path, name, value, sizeof(value)) :
	    form == 1 ? lgetxattr(way.path, name, value, sizeof(value)) :
			fgetxattr(fd, name, value, sizeof(value));
	if (n > 0)
		first = value[0];
	tell(n, "getxattr form %d %s %d %s %c", form, way.told, fd, name,
	    n > 0 && first >= 'a' && first <= 'z' ? first : '-');
}

static void
step_list_attributes(void)
{
	char names[4096];
	struct way way;
	int fd = real_fd(), form = (int)below(3);

	any_path(&way);
	tell(form == 0	  ? listxattr(way.path, names, sizeof(names)) :
		form == 1 ? llistxattr(way.path, names, sizeof(names)) :
			    flistxattr(fd, names, sizeof(names)),
	    "listxattr form %d %s %d", form, way.told, fd);
}

static void
step_remove(void)
{
	struct way way;
	const char *name = any_name();
	int fd = real_fd(), form = (int)below(4);

	any_way(&way);
	if (way.magic)
		form = 0;
	tell(form == 0	  ? removexattr(way.path, name) :
		form == 1 ? lremovexattr(way.path, name) :
		form == 2 ? fremovexattr(fd, name) :
			    syscall(SYS_removexattrat, way.dirfd, way.path, 0,
				name),
	    "removexattr form %d %s %d %s", form, way.told, fd, name);
}

static void
step_inode_flags(void)
{
	int fd = any_fd(), flags = 0;
	long r = ioctl(fd, FS_IOC_GETFLAGS, &flags);

	if (r == 0) {
		flags = (flags & ~(FS_NODUMP_FL | FS_NOATIME_FL)) |
		    (int)PICK(0, FS_NODUMP_FL, FS_NOATIME_FL, FS_IMMUTABLE_FL);
		r = ioctl(fd, FS_IOC_SETFLAGS, &flags);
	}
	tell(r, "setflags %d", fd);
}

struct step beside_steps[] = {
	{ .name = "chmod", .weight = 15, .run = step_chmod },
	{ .name = "fchmodat", .weight = 15, .run = step_fchmodat },
	{ .name = "fchmod", .weight = 12, .run = step_fchmod },
	{ .name = "chown", .weight = 25, .run = step_chown },
	{ .name = "utimens", .weight = 20, .run = step_utimens },
	{ .name = "utimes", .weight = 10, .run = step_utimes },
	{ .name = "setxattr", .weight = 30, .run = step_set },
	{ .name = "getxattr", .weight = 10, .run = step_get },
	{ .name = "listxattr", .weight = 8, .run = step_list_attributes },
	{ .name = "removexattr", .weight = 12, .run = step_remove },
	{ .name = "inode_flags", .weight = 8, .run = step_inode_flags },
	{ .name = NULL },
};
