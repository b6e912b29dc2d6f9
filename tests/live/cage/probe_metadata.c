/*
 * What belongs to a file besides its bytes.  A descriptor for reading must be
 * no licence to change it, so each is tried by path and by descriptor.  Each
 * really changes something: a kernel may not look where nothing would.
 */
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif

#define ATTRIBUTE "user.cordon-probe"

static mode_t
other_mode(const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return 0600;
	return (st.st_mode & 0777) == 0600 ? 0640 : 0600;
}

static int
open_it(char **arg)
{
	return open(arg[0], O_RDONLY);
}

int
probe_chmod(char **arg)
{
	return chmod(arg[0], other_mode(arg[0]));
}

int
probe_fchmod(char **arg)
{
	int fd = open_it(arg);

	return fd < 0 ? -1 : fchmod(fd, other_mode(arg[0]));
}

int
probe_fchmodat2(char **arg)
{
	return (int)syscall(SYS_fchmodat2, AT_FDCWD, arg[0],
	    other_mode(arg[0]), 0);
}

/* To oneself: what everybody may do with a file of theirs. */
int
probe_chown(char **arg)
{
	return chown(arg[0], getuid(), getgid());
}

int
probe_lchown(char **arg)
{
	return lchown(arg[0], getuid(), getgid());
}

int
probe_fchown(char **arg)
{
	int fd = open_it(arg);

	return fd < 0 ? -1 : fchown(fd, getuid(), getgid());
}

static const struct timespec long_ago[2] = { { .tv_sec = 1000 },
	{ .tv_sec = 2000 } };

int
probe_utimes(char **arg)
{
	return utimensat(AT_FDCWD, arg[0], long_ago, 0);
}

int
probe_futimes(char **arg)
{
	int fd = open_it(arg);

	return fd < 0 ? -1 : futimens(fd, long_ago);
}

int
probe_setxattr(char **arg)
{
	return setxattr(arg[0], ATTRIBUTE, "x", 1, 0);
}

int
probe_fsetxattr(char **arg)
{
	int fd = open_it(arg);

	return fd < 0 ? -1 : fsetxattr(fd, ATTRIBUTE, "y", 1, 0);
}

int
probe_removexattr(char **arg)
{
	return removexattr(arg[0], ATTRIBUTE);
}

/* Toggles "do not dump", which every owner may. */
int
probe_setflags(char **arg)
{
	int fd = open_it(arg);
	int flags = 0;

	if (fd < 0 || ioctl(fd, FS_IOC_GETFLAGS, &flags) != 0)
		return -1;
	flags ^= FS_NODUMP_FL;
	return ioctl(fd, FS_IOC_SETFLAGS, &flags);
}
