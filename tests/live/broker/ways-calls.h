/*
 * ways-calls - what can be done to a place that was spelled (spell.h): the calls
 * of ways.c, in families.
 */
#ifndef CDN_TESTS_WAYS_CALLS_H
#define CDN_TESTS_WAYS_CALLS_H

#include <errno.h>
#include <linux/fs.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <utime.h>

#include "spell.h"

#define NR_FCHMODAT2	452
#define NR_SETXATTRAT	463
#define NR_FILE_SETATTR 469

#define AWAY "made/away"
#define MINE "made/mine"

/* Calls that take no descriptor are made from where it leads. */
static const char *
here(const struct spot *spot)
{
	if (spot->dirfd != AT_FDCWD && fchdir(spot->dirfd) != 0)
		return "";
	return spot->path;
}

static const char *
there(const char *name)
{
	static char path[2 * PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", top, name);
	return path;
}

/* ----- Reading: done when a byte was had ------------------------------------------- */

static long
had(int fd)
{
	char byte;
	long r = fd < 0 ? -1 : read(fd, &byte, 1);
	int error = errno;

	if (fd >= 0)
		close(fd);
	errno = error;
	return r > 0 ? 0 : -1;
}

static long
read_openat(const struct spot *s)
{
	return had((int)syscall(SYS_openat, s->dirfd, s->path, O_RDONLY));
}

/* The kernel looks at 32 bits of these; who compares 64 is fooled. */
static long
read_high_bits(const struct spot *s)
{
	return had((int)syscall(SYS_openat,
	    (unsigned)s->dirfd | 0x7700000000UL, s->path,
	    (unsigned)(O_RDONLY | O_NONBLOCK) | 0x7700000000UL));
}

#ifdef SYS_open
static long
read_open(const struct spot *s)
{
	return had((int)syscall(SYS_open, here(s), O_RDONLY | O_CLOEXEC));
}
#endif

static long
read_readwrite(const struct spot *s)
{
	return had((int)syscall(SYS_openat, s->dirfd, s->path, O_RDWR));
}

static long
read_mapped(const struct spot *s)
{
	int fd = openat(s->dirfd, s->path, O_RDONLY);
	char *data = fd < 0 ? MAP_FAILED :
	    mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0);
	long r = data != MAP_FAILED && data[0] != '\0' ? 0 : -1;

	if (fd >= 0)
		close(fd);
	return r;
}

static long
read_openat2(const struct spot *s)
{
	struct { uint64_t flags, mode, resolve; } how = { O_RDONLY, 0, 0 };

	return had((int)syscall(SYS_openat2, s->dirfd, s->path, &how,
	    sizeof(how)));
}

static long
read_handle(const struct spot *s)
{
	struct {
		struct file_handle head;
		unsigned char rest[128];
	} handle = { .head.handle_bytes = 128 };
	int mount, at, fd;

	if (name_to_handle_at(s->dirfd, s->path, &handle.head, &mount,
		AT_SYMLINK_FOLLOW) != 0)
		return -1;
	at = open(top, O_RDONLY);
	fd = open_by_handle_at(at, &handle.head, O_RDONLY);
	close(at);
	return had(fd);
}

/* Another name first, then that. */
static long
read_linked(const struct spot *s)
{
	if (linkat(s->dirfd, s->path, AT_FDCWD, there(AWAY), 0) != 0)
		return -1;
	return had(open(there(AWAY), O_RDONLY));
}

static long
read_linked_through(const struct spot *s)
{
	if (linkat(s->dirfd, s->path, AT_FDCWD, there(AWAY),
		AT_SYMLINK_FOLLOW) != 0)
		return -1;
	return had(open(there(AWAY), O_RDONLY));
}

static long
read_renamed(const struct spot *s)
{
	if (renameat(s->dirfd, s->path, AT_FDCWD, there(AWAY)) != 0)
		return -1;
	return had(open(there(AWAY), O_RDONLY));
}

static long
read_exchanged(const struct spot *s)
{
	if (syscall(SYS_renameat2, s->dirfd, s->path, AT_FDCWD, there(MINE),
		RENAME_EXCHANGE) != 0)
		return -1;
	return had(open(there(MINE), O_RDONLY));
}

/* ----- Modifying ------------------------------------------------------------------- */

static long
opened(int fd)
{
	if (fd >= 0)
		close(fd);
	return fd < 0 ? -1 : 0;
}

static long
modify_write(const struct spot *s)
{
	return opened(openat(s->dirfd, s->path, O_WRONLY));
}

static long
modify_readwrite(const struct spot *s)
{
	return opened(openat(s->dirfd, s->path, O_RDWR | O_CLOEXEC));
}

static long
modify_append(const struct spot *s)
{
	return opened(openat(s->dirfd, s->path, O_WRONLY | O_APPEND));
}

static long
modify_truncating(const struct spot *s)
{
	return opened(openat(s->dirfd, s->path, O_RDONLY | O_TRUNC));
}

static long
modify_create(const struct spot *s)
{
	return opened(openat(s->dirfd, s->path, O_WRONLY | O_CREAT, 0600));
}

static long
modify_truncate(const struct spot *s)
{
	return truncate(here(s), 1);
}

static long
modify_unlink(const struct spot *s)
{
	return unlinkat(s->dirfd, s->path, 0);
}

static long
modify_rename(const struct spot *s)
{
	return renameat(s->dirfd, s->path, AT_FDCWD, there(AWAY));
}

static long
modify_rename_over(const struct spot *s)
{
	return renameat(AT_FDCWD, there(MINE), s->dirfd, s->path);
}

static long
modify_exchange(const struct spot *s)
{
	return syscall(SYS_renameat2, AT_FDCWD, there(MINE), s->dirfd, s->path,
	    RENAME_EXCHANGE);
}

static long
modify_link(const struct spot *s)
{
	return linkat(s->dirfd, s->path, AT_FDCWD, there(AWAY), 0);
}

static long
modify_chmod(const struct spot *s)
{
#ifdef SYS_chmod
	return syscall(SYS_chmod, here(s), 0600);
#else
	return syscall(SYS_fchmodat, s->dirfd, s->path, 0600);
#endif
}

static long
modify_fchmodat(const struct spot *s)
{
	return syscall(SYS_fchmodat, s->dirfd, s->path, 0600);
}

static long
modify_fchmodat2(const struct spot *s)
{
	return syscall(NR_FCHMODAT2, s->dirfd, s->path, 0600, 0);
}

static long
modify_chown(const struct spot *s)
{
	return chown(here(s), getuid(), getgid());
}

static long
modify_lchown(const struct spot *s)
{
	return lchown(here(s), getuid(), getgid());
}

static long
modify_fchownat(const struct spot *s)
{
	return fchownat(s->dirfd, s->path, getuid(), getgid(), 0);
}

static long
modify_utime(const struct spot *s)
{
	struct utimbuf times = { 5, 5 };

	return utime(here(s), &times);
}

static long
modify_utimensat(const struct spot *s)
{
	struct timespec times[2] = { { 5, 5 }, { 6, 6 } };

	return utimensat(s->dirfd, s->path, times, 0);
}

static long
modify_setxattr(const struct spot *s)
{
	return setxattr(here(s), "user.b", "1", 1, 0);
}

static long
modify_lsetxattr(const struct spot *s)
{
	return lsetxattr(here(s), "user.b", "1", 1, 0);
}

static long
modify_removexattr(const struct spot *s)
{
	return removexattr(here(s), "user.a");
}

static long
modify_setxattrat(const struct spot *s)
{
	struct {
		uint64_t value;
		uint32_t size, flags;
	} args = { (uintptr_t) "1", 1, 0 };

	return syscall(NR_SETXATTRAT, s->dirfd, s->path, 0, "user.b", &args,
	    sizeof(args));
}

static long
modify_file_setattr(const struct spot *s)
{
	uint32_t attr[8] = { 0 };

	return syscall(NR_FILE_SETATTR, s->dirfd, s->path, attr, 24, 0);
}

/* A descriptor that was opened for reading is no licence. */
static long
by_descriptor(const struct spot *s, long (*change)(int fd))
{
	int fd = openat(s->dirfd, s->path, O_RDONLY), error;
	long r = fd < 0 ? -1 : change(fd);

	error = errno;
	if (fd >= 0)
		close(fd);
	errno = error;
	return r;
}

static long
fd_mode(int fd)
{
	return fchmod(fd, 0600);
}

static long
fd_owner(int fd)
{
	return fchown(fd, getuid(), getgid());
}

static long
fd_times(int fd)
{
	struct timespec times[2] = { { 5, 5 }, { 6, 6 } };

	return futimens(fd, times);
}

static long
fd_xattr(int fd)
{
	return fsetxattr(fd, "user.b", "1", 1, 0);
}

static long
fd_flags(int fd)
{
	int flags = 0;

	if (ioctl(fd, FS_IOC_GETFLAGS, &flags) != 0)
		return -1;
	flags |= FS_NOATIME_FL;
	return ioctl(fd, FS_IOC_SETFLAGS, &flags);
}

static long
fd_again(int fd)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return opened(open(path, O_RDWR));
}

static long
modify_fchmod(const struct spot *s)
{
	return by_descriptor(s, fd_mode);
}

static long
modify_fchown(const struct spot *s)
{
	return by_descriptor(s, fd_owner);
}

static long
modify_futimens(const struct spot *s)
{
	return by_descriptor(s, fd_times);
}

static long
modify_fsetxattr(const struct spot *s)
{
	return by_descriptor(s, fd_xattr);
}

static long
modify_setflags(const struct spot *s)
{
	return by_descriptor(s, fd_flags);
}

static long
modify_reopened(const struct spot *s)
{
	return by_descriptor(s, fd_again);
}

/* ----- Making ---------------------------------------------------------------------- */

static long
new_exclusive(const struct spot *s)
{
	return opened(openat(s->dirfd, s->path, O_WRONLY | O_CREAT | O_EXCL,
	    0600));
}

static long
new_creat(const struct spot *s)
{
	return opened(creat(here(s), 0600));
}

static long
new_directory(const struct spot *s)
{
	return mkdirat(s->dirfd, s->path, 0700);
}

static long
new_file(const struct spot *s)
{
	return mknodat(s->dirfd, s->path, S_IFREG | 0600, 0);
}

static long
new_fifo(const struct spot *s)
{
	return mkfifoat(s->dirfd, s->path, 0600);
}

static long
new_symlink(const struct spot *s)
{
	return symlinkat("/dev/null", s->dirfd, s->path);
}

static long
new_link(const struct spot *s)
{
	return linkat(AT_FDCWD, there(MINE), s->dirfd, s->path, 0);
}

static long
new_renamed(const struct spot *s)
{
	return renameat(AT_FDCWD, there(MINE), s->dirfd, s->path);
}

static long
new_renamed_directory(const struct spot *s)
{
	return renameat(AT_FDCWD, there("made/dir"), s->dirfd, s->path);
}

static long
new_nameless(const struct spot *s)
{
	int fd = open(there("made"), O_TMPFILE | O_RDWR, 0600);
	char path[64];
	long r;

	if (fd < 0)
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	r = linkat(AT_FDCWD, path, s->dirfd, s->path, AT_SYMLINK_FOLLOW);
	close(fd);
	return r;
}

static long
new_socket(const struct spot *s)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	const char *path = here(s);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0), error;
	long r;

	if (strlen(path) >= sizeof(un.sun_path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(un.sun_path, path, strlen(path));
	r = bind(fd, (struct sockaddr *)&un, sizeof(un));
	error = errno;
	close(fd);
	errno = error;
	return r;
}

/* ----- Directories ----------------------------------------------------------------- */

static long
list_open(const struct spot *s)
{
	char entries[4096];
	int fd = openat(s->dirfd, s->path, O_RDONLY | O_DIRECTORY), error;
	long r = fd < 0 ? -1 :
	    syscall(SYS_getdents64, fd, entries, sizeof(entries));

	error = errno;
	if (fd >= 0)
		close(fd);
	errno = error;
	return r < 0 ? -1 : 0;
}

static long
move_rename(const struct spot *s)
{
	return renameat(s->dirfd, s->path, AT_FDCWD, there(AWAY));
}

static long
move_exchange(const struct spot *s)
{
	return syscall(SYS_renameat2, s->dirfd, s->path, AT_FDCWD,
	    there("made/dir"), RENAME_EXCHANGE);
}

/* ----- The tables ------------------------------------------------------------------ */

struct call {
	const char *name;
	long (*fn)(const struct spot *spot);
	bool nofollow; /* it means the link itself */
	bool never;    /* refused in a cage, whatever the place */
};

static const struct call reads[] = {
	{ "openat", read_openat, false, false },
	{ "openat-high-bits", read_high_bits, false, false },
#ifdef SYS_open
	{ "open", read_open, false, false },
#endif
	{ "open-read-write", read_readwrite, false, false },
	{ "mmap", read_mapped, false, false },
	{ "openat2", read_openat2, false, true },
	{ "open_by_handle_at", read_handle, false, true },
	{ "link", read_linked, true, false },
	{ "link-follow", read_linked_through, false, false },
	{ "rename", read_renamed, true, false },
	{ "exchange", read_exchanged, true, false },
	{ NULL, NULL, false, false },
};

static const struct call modifies[] = {
	{ "write", modify_write, false, false },
	{ "read-write", modify_readwrite, false, false },
	{ "append", modify_append, false, false },
	{ "O_TRUNC", modify_truncating, false, false },
	{ "O_CREAT", modify_create, false, false },
	{ "truncate", modify_truncate, false, false },
	{ "unlink", modify_unlink, true, false },
	{ "rename", modify_rename, true, false },
	{ "rename-over", modify_rename_over, true, false },
	{ "exchange", modify_exchange, true, false },
	{ "link", modify_link, true, false },
	{ "chmod", modify_chmod, false, false },
	{ "fchmodat", modify_fchmodat, false, false },
	{ "fchmodat2", modify_fchmodat2, false, false },
	{ "chown", modify_chown, false, false },
	{ "lchown", modify_lchown, true, false },
	{ "fchownat", modify_fchownat, false, false },
	{ "utime", modify_utime, false, false },
	{ "utimensat", modify_utimensat, false, false },
	{ "setxattr", modify_setxattr, false, false },
	{ "lsetxattr", modify_lsetxattr, true, false },
	{ "removexattr", modify_removexattr, false, false },
	{ "setxattrat", modify_setxattrat, false, false },
	{ "file_setattr", modify_file_setattr, false, false },
	{ "fchmod", modify_fchmod, false, false },
	{ "fchown", modify_fchown, false, false },
	{ "futimens", modify_futimens, false, false },
	{ "fsetxattr", modify_fsetxattr, false, false },
	{ "FS_IOC_SETFLAGS", modify_setflags, false, false },
	{ "reopen", modify_reopened, false, false },
	{ NULL, NULL, false, false },
};

static const struct call news[] = {
	{ "O_CREAT", modify_create, false, false },
	{ "O_EXCL", new_exclusive, true, false },
	{ "creat", new_creat, false, false },
	{ "mkdir", new_directory, true, false },
	{ "mknod", new_file, true, false },
	{ "mkfifo", new_fifo, true, false },
	{ "symlink", new_symlink, true, false },
	{ "link", new_link, true, false },
	{ "rename", new_renamed, true, false },
	{ "rename-directory", new_renamed_directory, true, false },
	{ "O_TMPFILE", new_nameless, true, false },
	{ "bind", new_socket, true, false },
	{ NULL, NULL, false, false },
};

static const struct call lists[] = {
	{ "getdents", list_open, false, false },
	{ NULL, NULL, false, false },
};

static const struct call moves[] = {
	{ "rename", move_rename, true, false },
	{ "exchange", move_exchange, true, false },
	{ NULL, NULL, false, false },
};

static const struct family {
	const char *name;
	const struct call *calls;
	enum { FILE_THERE, NOTHING_THERE, DIRECTORY_THERE } before;
} families[] = {
	{ "read", reads, FILE_THERE },
	{ "modify", modifies, FILE_THERE },
	{ "new", news, NOTHING_THERE },
	{ "list", lists, DIRECTORY_THERE },
	{ "move", moves, DIRECTORY_THERE },
};

#endif
