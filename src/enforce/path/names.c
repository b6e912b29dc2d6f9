#include "enforce/path/names.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/limits.h"

#define LEVELS_MAX 64 /* one descriptor each */

/* Where a scan stands. */
struct scan {
	struct cdn_names *names;
	size_t len;
	char path[CDN_PATH_MAX + 1];
};

static void scan_directory(struct scan *scan, int parent, const char *name,
    const struct stat *st, unsigned level);

static bool
is_over(const struct scan *scan)
{
	return scan->names->stopped || scan->names->left == 0;
}

/* Gone, or no longer what it was. */
static bool
vanished(int error)
{
	return error == ENOENT || error == ENOTDIR || error == ELOOP;
}

/* st is of path, parent of the directory it lies in. */
static void
look_at(struct scan *scan, int dirfd, const char *name, const struct stat *st,
    const struct stat *parent, unsigned level)
{
	struct cdn_names *names = scan->names;

	if (!names->wanted(st, names->arg))
		return;
	if (S_ISDIR(st->st_mode) && names->matters != NULL &&
	    !names->matters(scan->path, names->arg))
		return;
	if (S_ISDIR(st->st_mode))
		scan_directory(scan, dirfd, name, st, level + 1);
	else if (!names->found(scan->path, st, parent, names->arg))
		names->stopped = true;
}

static void
scan_entry(struct scan *scan, int dirfd, const char *name,
    const struct stat *parent, unsigned level)
{
	size_t len = scan->len, n = strlen(name);
	struct stat st;

	if (n + 1 > CDN_PATH_MAX - len) {
		scan->names->incomplete = true;
		return;
	}
	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
		if (!vanished(errno))
			scan->names->incomplete = true;
		return;
	}
	scan->path[scan->len++] = '/';
	memcpy(scan->path + scan->len, name, n + 1);
	scan->len += n;
	look_at(scan, dirfd, name, &st, parent, level);
	scan->len = len;
	scan->path[len] = '\0';
}

static void
scan_names(struct scan *scan, DIR *dir, const struct stat *st, unsigned level)
{
	const struct dirent *entry;

	while (!is_over(scan)) {
		errno = 0;
		/* NOLINTNEXTLINE(concurrency-mt-unsafe): a stream of our own */
		entry = readdir(dir);
		if (entry == NULL) {
			scan->names->incomplete |= errno != 0;
			return;
		}
		if (strcmp(entry->d_name, ".") == 0 ||
		    strcmp(entry->d_name, "..") == 0)
			continue;
		scan->names->left--;
		scan_entry(scan, dirfd(dir), entry->d_name, st, level);
	}
	if (!scan->names->stopped)
		scan->names->incomplete = true;
}

/*
 * A directory of others that may not even be searched is closed to a process
 * with no more rights than ours.  One that may be searched only is not, nor is
 * one of our own: whoever closed it can open it again, after we have looked.
 */
static bool
is_closed(int parent, const char *name, const struct stat *st, int error)
{
	return error == EACCES && st->st_uid != geteuid() &&
	    faccessat(parent, name, X_OK, AT_EACCESS) != 0;
}

static void
scan_directory(struct scan *scan, int parent, const char *name,
    const struct stat *st, unsigned level)
{
	struct cdn_names *names = scan->names;
	DIR *dir;
	int fd;

	if (level > LEVELS_MAX) {
		names->incomplete = true;
		return;
	}
	fd = openat(parent, name,
	    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0) {
		int error = errno;

		if (vanished(error) || is_closed(parent, name, st, error))
			return;
		names->incomplete = true;
		if (error == EACCES && names->unreadable != NULL)
			names->unreadable(scan->path, names->arg);
		return;
	}
	dir = fdopendir(fd);
	if (dir == NULL) {
		close(fd);
		names->incomplete = true;
		return;
	}
	scan_names(scan, dir, st, level);
	closedir(dir);
}

/* The directory that a root lies in; for "/" itself. */
static bool
stat_parent(const char *root, struct stat *ret)
{
	char dir[CDN_PATH_MAX + 1] = "/";
	const char *slash = strrchr(root, '/');

	if (slash > root) {
		memcpy(dir, root, (size_t)(slash - root));
		dir[slash - root] = '\0';
	}
	return stat(dir, ret) == 0;
}

void
cdn_names_scan(struct cdn_names *names, const char *root)
{
	CDN_UNINITIALIZED struct scan scan;
	struct stat st, parent;
	size_t n = strlen(root);

	scan.names = names;
	if (names->stopped)
		return;
	if (names->left == 0 || n > CDN_PATH_MAX) {
		names->incomplete = true;
		return;
	}
	if (fstatat(AT_FDCWD, root, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
	    !stat_parent(root, &parent)) {
		if (!vanished(errno) && errno != EACCES)
			names->incomplete = true;
		return;
	}
	names->left--;
	memcpy(scan.path, root, n + 1);
	scan.len = n == 1 ? 0 : n; /* "/" */
	look_at(&scan, AT_FDCWD, root, &st, &parent, 0);
}
