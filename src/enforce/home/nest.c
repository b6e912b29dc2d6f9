#include "enforce/home/nest.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "enforce/sys/sys.h"

#define OLD	     ".cordon-old"
#define DIR_FLAGS    (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define MODE_DIR     0700U
#define MODE_FILE    0600U

/* ----- Opening ---------------------------------------------------------------- */

/* No part may be longer than a name can be; the copy ends in NUL. */
static int
next_part(const char **path, char part[NAME_MAX + 1])
{
	size_t n = strcspn(*path, "/");

	if (n == 0)
		return -EINVAL;
	if (n > NAME_MAX)
		return -ENAMETOOLONG;
	memcpy(part, *path, n);
	part[n] = '\0';
	*path += n;
	while (**path == '/')
		++*path;
	if (strcmp(part, "..") == 0 || strcmp(part, ".") == 0)
		return -EINVAL;
	return 0;
}

static bool
same_device(int a, int b)
{
	struct stat x, y;

	return fstat(a, &x) == 0 && fstat(b, &y) == 0 && x.st_dev == y.st_dev;
}

/* A bind mount of the same device is not seen here; openat2 sees it. */
static int
open_by_steps(int dirfd, const char *path, int flags)
{
	cdn_cleanup_fd int at = -1;
	char part[NAME_MAX + 1];
	int fd, r;

	for (;;) {
		int from = at >= 0 ? at : dirfd;

		r = next_part(&path, part);
		if (r != 0)
			return r;
		fd = openat(from, part, *path == '\0' ?
			flags | O_NOFOLLOW | O_CLOEXEC :
			O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			return -errno;
		if (!same_device(from, fd)) {
			close(fd);
			return -EXDEV;
		}
		if (*path == '\0')
			return fd;
		if (at >= 0)
			close(at);
		at = fd;
	}
}

int
cdn_nest_open(int dirfd, const char *path, int flags)
{
	struct cdn_open_how how = {
		.flags = (uint64_t)(unsigned)flags,
		.resolve = CDN_RESOLVE_BENEATH | CDN_RESOLVE_NO_SYMLINKS |
		    CDN_RESOLVE_NO_XDEV,
	};
	int fd = cdn_sys_openat2(dirfd, path, &how);

	/* -EAGAIN: something was renamed at the wrong moment. */
	for (int i = 0; fd == -EAGAIN && i < 8; i++)
		fd = cdn_sys_openat2(dirfd, path, &how);
	if (fd == -ENOSYS || fd == -EPERM)
		return open_by_steps(dirfd, path, flags);
	return fd;
}

/*
 * A descriptor that needs no rights to be opened has none to be changed by;
 * its name in /proc stands for that very inode.
 */
static int
give_rights(int dirfd, const char *path)
{
	cdn_cleanup_fd int fd = cdn_nest_open(dirfd, path,
	    O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	char name[sizeof("/proc/self/fd/") + 11];

	if (fd < 0)
		return fd;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	return chmod(name, MODE_DIR) == 0 ? 0 : -errno;
}

int
cdn_nest_open_dir(int dirfd, const char *path)
{
	struct stat st;
	int fd = cdn_nest_open(dirfd, path, DIR_FLAGS);

	if (fd == -EACCES && give_rights(dirfd, path) == 0)
		fd = cdn_nest_open(dirfd, path, DIR_FLAGS);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st) == 0 && (st.st_mode & MODE_DIR) != MODE_DIR)
		(void)fchmod(fd, MODE_DIR); /* the next step tells */
	return fd;
}

/* ----- In the way ------------------------------------------------------------- */

static int
move_aside(int dirfd, const char *name)
{
	char old[NAME_MAX + 1];

	if (strlen(name) + sizeof(OLD) > sizeof(old))
		return -ENAMETOOLONG;
	snprintf(old, sizeof(old), "%s" OLD, name);
	return renameat(dirfd, name, dirfd, old) == 0 ? 0 : -errno;
}

static int
make_one(int dirfd, const char *name)
{
	int fd = cdn_nest_open_dir(dirfd, name);
	int r;

	if (fd >= 0 || (fd != -ENOENT && fd != -ELOOP && fd != -ENOTDIR))
		return fd;
	if (fd != -ENOENT && (r = move_aside(dirfd, name)) != 0)
		return r;
	if (mkdirat(dirfd, name, MODE_DIR) != 0 && errno != EEXIST)
		return -errno;
	return cdn_nest_open_dir(dirfd, name);
}

int
cdn_nest_make_dir(int dirfd, const char *path)
{
	int at = cdn_nest_open_dir(dirfd, path);
	char part[NAME_MAX + 1];
	int fd, r;

	/* -EACCES: a parent has lost its rights. */
	if (at != -ENOENT && at != -ELOOP && at != -ENOTDIR && at != -EACCES)
		return at;
	for (at = -1; *path != '\0'; at = fd) {
		r = next_part(&path, part);
		fd = r == 0 ? make_one(at >= 0 ? at : dirfd, part) : r;
		if (at >= 0)
			close(at);
		if (fd < 0)
			return fd;
	}
	return at >= 0 ? at : -EINVAL;
}

int
cdn_nest_fresh(char ret[CDN_NEST_NAME_SIZE])
{
	uint64_t random;
	ssize_t n;

	do {
		n = getrandom(&random, sizeof(random), 0);
	} while (n < 0 && errno == EINTR);
	if (n != (ssize_t)sizeof(random))
		return n < 0 ? -errno : -EIO;
	snprintf(ret, CDN_NEST_NAME_SIZE, ".cordon-%016llx.tmp",
	    (unsigned long long)random);
	return 0;
}

/* Puts what was made under a fresh name in its place, or takes it away. */
static int
put_in_place(int dirfd, const char *fresh, const char *name, bool keep_dir)
{
	int r;

	if (renameat(dirfd, fresh, dirfd, name) == 0)
		return 0;
	r = -errno;
	if (r == -EISDIR) {
		r = unlinkat(dirfd, name, AT_REMOVEDIR) == 0 ? 0 : -errno;
		if (r != 0 && !keep_dir)
			r = move_aside(dirfd, name);
		if (r == 0 && renameat(dirfd, fresh, dirfd, name) != 0)
			r = -errno;
		if (r == -EEXIST)
			r = -ENOTEMPTY; /* as some file systems put it */
	}
	if (r != 0)
		(void)unlinkat(dirfd, fresh, 0);
	return r;
}

/* ----- Links ------------------------------------------------------------------ */

bool
cdn_nest_is_link(int dirfd, const char *name, const char *target)
{
	CDN_UNINITIALIZED char now[CDN_PATH_MAX + 1];
	ssize_t n = readlinkat(dirfd, name, now, sizeof(now));

	return n >= 0 && (size_t)n == strlen(target) &&
	    memcmp(now, target, (size_t)n) == 0;
}

/* Files are moved aside; links are replaced later, without a gap. */
static int
make_room(int dirfd, const char *name)
{
	struct stat st;

	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? 0 : -errno;
	if (S_ISLNK(st.st_mode))
		return 0;
	if (!S_ISDIR(st.st_mode))
		return move_aside(dirfd, name);
	return unlinkat(dirfd, name, AT_REMOVEDIR) == 0 ? 0 : -ENOTEMPTY;
}

static int
make_link(int dirfd, const char *name, const char *target, bool over)
{
	char fresh[CDN_NEST_NAME_SIZE];
	int r;

	if (cdn_nest_is_link(dirfd, name, target))
		return 0;
	r = make_room(dirfd, name);
	if (r == -ENOTEMPTY && over)
		r = move_aside(dirfd, name);
	if (r == 0)
		r = cdn_nest_fresh(fresh);
	if (r != 0)
		return r;
	if (symlinkat(target, dirfd, fresh) != 0)
		return -errno;
	return put_in_place(dirfd, fresh, name, !over);
}

int
cdn_nest_link(int dirfd, const char *name, const char *target)
{
	return make_link(dirfd, name, target, false);
}

int
cdn_nest_link_over(int dirfd, const char *name, const char *target)
{
	return make_link(dirfd, name, target, true);
}

/* ----- Files ------------------------------------------------------------------ */

static bool
holds(int fd, cdn_str bytes)
{
	char *now = malloc(bytes.n + 1);
	size_t n = 0;
	ssize_t got = 1;
	bool same;

	while (now != NULL && n < bytes.n && got > 0) {
		got = read(fd, now + n, bytes.n - n);
		if (got > 0)
			n += (size_t)got;
		else if (got < 0 && errno == EINTR)
			got = 1;
	}
	same = now != NULL && n == bytes.n &&
	    (n == 0 || memcmp(now, bytes.p, n) == 0);
	free(now);
	return same;
}

/* Without memory to compare with it is not; writing it again does no harm. */
static bool
is_there(int dirfd, const char *name, cdn_str bytes)
{
	cdn_cleanup_fd int fd = cdn_nest_open(dirfd, name,
	    O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	/* Of several names one may lie where others write. */
	return fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_nlink == 1 && (st.st_mode & 07777) == MODE_FILE &&
	    (uint64_t)st.st_size == bytes.n && holds(fd, bytes);
}

static int
write_fresh(int dirfd, const char *fresh, cdn_str bytes)
{
	cdn_cleanup_fd int fd = openat(dirfd, fresh,
	    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, MODE_FILE);

	if (fd < 0)
		return -errno;
	while (bytes.n > 0) {
		ssize_t n = write(fd, bytes.p, bytes.n);

		if (n < 0 && errno != EINTR)
			return -errno;
		bytes = cdn_str_from(bytes, n > 0 ? (size_t)n : 0);
	}
	return fchmod(fd, MODE_FILE) == 0 ? 0 : -errno;
}

int
cdn_nest_file(int dirfd, const char *name, cdn_str bytes)
{
	char fresh[CDN_NEST_NAME_SIZE];
	int r;

	if (is_there(dirfd, name, bytes))
		return 0;
	r = cdn_nest_fresh(fresh);
	if (r != 0)
		return r;
	/* No fsync: what is lost in a crash is made again at the next start. */
	r = write_fresh(dirfd, fresh, bytes);
	if (r != 0) {
		(void)unlinkat(dirfd, fresh, 0);
		return r;
	}
	return put_in_place(dirfd, fresh, name, false);
}
