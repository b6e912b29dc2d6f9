/*
 * inode - other names of a protected file.
 *
 * A hard link made long ago gives a secret a second name that no rule knows.
 * The question is asked only for files with more than one link, so the walk
 * may be thorough: every entry is looked at (the number in a directory entry
 * is not always the one of stat), no link is followed, and whatever cannot be
 * read leaves a doubt.
 */
#include "enforce/path/path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define LEVELS_MAX 64 /* one descriptor each */

struct scan {
	dev_t dev;
	ino_t ino;
	unsigned left; /* entries that may still be looked at */
	bool doubt;    /* something could not be */
};

static bool scan_directory(struct scan *scan, int parent, const char *name,
    const struct stat *st, unsigned level);

static bool
is_it(const struct scan *scan, const struct stat *st)
{
	return st->st_dev == scan->dev && st->st_ino == scan->ino;
}

/* Gone, or no longer what it was: then it is not below the entry. */
static bool
vanished(int error)
{
	return error == ENOENT || error == ENOTDIR || error == ELOOP;
}

/*
 * Somebody else's directory that we may not look into: whatever lies there is
 * kept from this user by its own modes, not by us.  One of our own is another
 * matter: its mode can be changed, so in doubt it holds what is looked for.
 * Unless the mode lets us in, and what keeps us out is around this process: a
 * run of cordon, which knows the other names of what it closes itself.
 */
static bool
is_kept(int error, const struct stat *st)
{
	const mode_t open = S_IRUSR | S_IXUSR;

	return error == EACCES &&
	    (st->st_uid != geteuid() || (st->st_mode & open) == open);
}

/* Not found, and the search goes on. */
static bool
in_doubt(struct scan *scan, bool doubt)
{
	scan->doubt |= doubt;
	return false;
}

/* The same for a path of which not even that can be asked. */
static bool
is_below_foreign(const char *path)
{
	char above[CDN_PATH_MAX + 1];
	struct stat st;
	char *slash;

	snprintf(above, sizeof(above), "%s", path);
	while ((slash = strrchr(above, '/')) != NULL && slash != above) {
		*slash = '\0';
		if (fstatat(AT_FDCWD, above, &st, AT_SYMLINK_NOFOLLOW) == 0)
			return st.st_uid != geteuid();
	}
	return false;
}

static bool
scan_entry(struct scan *scan, int parent, const char *name, unsigned level)
{
	struct stat st;

	scan->left--;
	if (fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return in_doubt(scan, !vanished(errno));
	if (S_ISREG(st.st_mode))
		return is_it(scan, &st);
	if (S_ISDIR(st.st_mode))
		return scan_directory(scan, parent, name, &st, level + 1);
	return false;
}

static bool
scan_names(struct scan *scan, DIR *dir, unsigned level)
{
	const struct dirent *entry;

	for (;;) {
		errno = 0;
		/* NOLINTNEXTLINE(concurrency-mt-unsafe): a stream of our own */
		entry = readdir(dir);
		if (entry == NULL)
			return in_doubt(scan, errno != 0);
		if (strcmp(entry->d_name, ".") == 0 ||
		    strcmp(entry->d_name, "..") == 0)
			continue;
		if (scan->left == 0)
			return in_doubt(scan, true);
		if (scan_entry(scan, dirfd(dir), entry->d_name, level))
			return true;
	}
}

static bool
scan_directory(struct scan *scan, int parent, const char *name,
    const struct stat *st, unsigned level)
{
	bool found;
	DIR *dir;
	int fd;

	if (level > LEVELS_MAX)
		return in_doubt(scan, true);
	fd = openat(parent, name,
	    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return in_doubt(scan,
		    !vanished(errno) && !is_kept(errno, st));
	dir = fdopendir(fd);
	if (dir == NULL) {
		close(fd);
		return in_doubt(scan, true);
	}
	found = scan_names(scan, dir, level);
	closedir(dir);
	return found;
}

static bool
scan_place(struct scan *scan, const char *entry)
{
	struct stat st;

	if (fstatat(AT_FDCWD, entry, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return in_doubt(scan, !vanished(errno) &&
		    (errno != EACCES || !is_below_foreign(entry)));
	if (is_it(scan, &st))
		return true;
	return S_ISDIR(st.st_mode) &&
	    scan_directory(scan, AT_FDCWD, entry, &st, 0);
}

enum cdn_held
cdn_path_holds_inode(const char *entry, dev_t dev, ino_t ino)
{
	struct scan scan = { dev, ino, CDN_INODE_SCAN_MAX, false };

	return scan_place(&scan, entry) ? CDN_HELD :
	    scan.doubt			? CDN_HELD_PERHAPS :
					  CDN_HELD_NOT;
}
