#include "enforce/home/wipe.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "enforce/home/nest.h"

#define BUFFER_BYTES 16384
#define RENAME_TRIES 8

/* A directory, read a buffer at a time. */
struct reader {
	int fd;
	size_t at, n;
	char buffer[BUFFER_BYTES] __attribute__((aligned(8)));
};

/* The next name, or NULL at the end. */
static const struct dirent64 *
next_entry(struct reader *reader)
{
	const struct dirent64 *entry;
	ssize_t n;

	do {
		if (reader->at == reader->n) {
			n = getdents64(reader->fd, (void *)reader->buffer,
			    sizeof(reader->buffer));
			if (n <= 0)
				return NULL;
			reader->at = 0;
			reader->n = (size_t)n;
		}
		entry = (const void *)(reader->buffer + reader->at);
		reader->at += entry->d_reclen;
	} while (strcmp(entry->d_name, ".") == 0 ||
	    strcmp(entry->d_name, "..") == 0);
	return entry;
}

struct wipe {
	int topfd;
	size_t *budget;
	size_t removed; /* or moved: is there any progress? */
	struct reader outer, inner;
};

static bool
is_directory_error(int error)
{
	return error == EISDIR || error == EPERM;
}

static void
spend(struct wipe *wipe)
{
	if (*wipe->budget > 0)
		--*wipe->budget;
	wipe->removed++;
}

/*
 * A directory can be moved only by somebody who may write in it, because its
 * ".." changes; opening it for listing gives it its rights back.
 */
static bool
move_up(struct wipe *wipe, int fd, const char *name)
{
	char fresh[CDN_NEST_NAME_SIZE];
	int opened;

	for (int i = 0; i < RENAME_TRIES; i++) {
		if (cdn_nest_fresh(fresh) != 0)
			return false;
		if (renameat(fd, name, wipe->topfd, fresh) == 0)
			return true;
		if (errno == EACCES) {
			opened = cdn_nest_open_dir(fd, name);
			if (opened >= 0)
				close(opened);
		} else if (errno != EEXIST && errno != ENOTEMPTY &&
		    errno != ENOTDIR) {
			return false;
		}
	}
	return false;
}

/* One level below the top: files go, directories move up. */
static void
clear_inner(struct wipe *wipe, int fd)
{
	const struct dirent64 *entry;

	wipe->inner.fd = fd;
	wipe->inner.at = wipe->inner.n = 0;
	while (*wipe->budget > 0 &&
	    (entry = next_entry(&wipe->inner)) != NULL) {
		if (entry->d_type != DT_DIR) {
			if (unlinkat(fd, entry->d_name, 0) == 0) {
				spend(wipe);
				continue;
			}
			if (!is_directory_error(errno))
				continue;
		}
		if (unlinkat(fd, entry->d_name, AT_REMOVEDIR) == 0 ||
		    move_up(wipe, fd, entry->d_name))
			spend(wipe);
	}
}

static void
remove_dir(struct wipe *wipe, const char *name)
{
	int fd = cdn_nest_open_dir(wipe->topfd, name);
	size_t before;
	bool gone;

	if (fd < 0)
		return;
	/* Some file systems forget entries while others are removed. */
	do {
		before = wipe->removed;
		if (lseek(fd, 0, SEEK_SET) != 0)
			break;
		clear_inner(wipe, fd);
		gone = unlinkat(wipe->topfd, name, AT_REMOVEDIR) == 0;
		if (gone)
			spend(wipe);
	} while (!gone && wipe->removed > before && *wipe->budget > 0);
	close(fd);
}

static void
remove_outer(struct wipe *wipe, const struct dirent64 *entry)
{
	if (entry->d_type != DT_DIR) {
		if (unlinkat(wipe->topfd, entry->d_name, 0) == 0) {
			spend(wipe);
			return;
		}
		if (!is_directory_error(errno))
			return;
	}
	if (unlinkat(wipe->topfd, entry->d_name, AT_REMOVEDIR) == 0)
		spend(wipe);
	else
		remove_dir(wipe, entry->d_name);
}

/* What moves up is found in the same pass or in the next one. */
static void
clear_top(struct wipe *wipe)
{
	const struct dirent64 *entry;
	size_t before;

	do {
		before = wipe->removed;
		if (lseek(wipe->topfd, 0, SEEK_SET) != 0)
			return;
		wipe->outer.fd = wipe->topfd;
		wipe->outer.at = wipe->outer.n = 0;
		while (*wipe->budget > 0 &&
		    (entry = next_entry(&wipe->outer)) != NULL)
			remove_outer(wipe, entry);
	} while (wipe->removed > before && *wipe->budget > 0);
}

static int
remove_whole(int dirfd, const char *name, int flags)
{
	if (unlinkat(dirfd, name, flags) == 0 || errno == ENOENT)
		return 0;
	return -errno;
}

/* Apart: what it works with is large, and most directories are empty. */
__attribute__((noinline)) static int
wipe_full(int dirfd, const char *name, size_t *budget)
{
	CDN_UNINITIALIZED struct wipe wipe;

	wipe.topfd = cdn_nest_open_dir(dirfd, name);
	if (wipe.topfd < 0)
		return wipe.topfd;
	wipe.budget = budget;
	wipe.removed = 0;
	clear_top(&wipe);
	close(wipe.topfd);
	return remove_whole(dirfd, name, AT_REMOVEDIR);
}

int
cdn_wipe(int dirfd, const char *name, size_t *budget)
{
	int r = remove_whole(dirfd, name, AT_REMOVEDIR);

	if (r == -ENOTDIR)
		return remove_whole(dirfd, name, 0);
	return r == -ENOTEMPTY || r == -EEXIST ?
	    wipe_full(dirfd, name, budget) : r;
}
