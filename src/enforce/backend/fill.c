#include "enforce/backend/fill.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "enforce/sys/landlock.h"
#include "enforce/sys/process.h"
#include "enforce/sys/sys.h"

/* Descriptors left open; a process has a table of 64 before it needs another. */
#define LEFT_MAX 32

/* Who goes through the regions. */
struct walker {
	const struct cdn_fill *fill;
	size_t top; /* the region that top_fd is of */
	int top_fd; /* -1: none is open */
	int left[LEFT_MAX]; /* those we are done with */
	size_t n_left;
};

/* ----- Opening ------------------------------------------------------------ */

/*
 * The grant of a file is one of its inode: under another name, perhaps in a
 * directory that is closed, it would hold as well.  So there is none.
 */
static bool
has_other_names(int fd)
{
	struct stat st;

	return fstat(fd, &st) != 0 ||
	    (S_ISREG(st.st_mode) && st.st_nlink > 1);
}

/* Step by step, where openat2 is not there: inside of a cage, for one. */
static int
walk(const char *path)
{
	int fd = open("/", O_PATH | O_CLOEXEC);
	cdn_str rest = cdn_str_of(path), part;

	while (fd >= 0 && cdn_str_next(&rest, '/', &part)) {
		char name[NAME_MAX + 1];
		struct stat st;
		int next;

		if (part.n == 0)
			continue;
		if (part.n > NAME_MAX) {
			close(fd);
			return -ENAMETOOLONG;
		}
		snprintf(name, sizeof(name), "%.*s", CDN_STR_ARG(part));
		next = openat(fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
		close(fd);
		fd = next;
		if (fd >= 0 && (fstat(fd, &st) != 0 || S_ISLNK(st.st_mode))) {
			close(fd);
			return -ELOOP;
		}
	}
	return fd < 0 ? -errno : fd;
}

static const struct cdn_open_how how = {
	.flags = O_PATH,
	.resolve = CDN_RESOLVE_NO_SYMLINKS,
};

/* Without openat2 nobody has another root: the broker needs it. */
static int
open_path(const struct cdn_fill *fill, const char *path)
{
	int fd;

	if (fill->root >= 0)
		return cdn_sys_openat2(fill->root,
		    path[1] == '\0' ? "." : path + 1, &how);
	fd = cdn_sys_openat2(AT_FDCWD, path, &how);
	return fd == -ENOSYS || fd == -EPERM ? walk(path) : fd;
}

/*
 * One call for those that follow each other.  Between the first and the last
 * there is nobody else's: we have opened each of them, and not closed it yet.
 */
static void
close_run(const int *fds, size_t n)
{
	if (n > 1 && cdn_sys_close_to((unsigned)fds[0],
		(unsigned)fds[n - 1]) == 0)
		return;
	for (size_t i = 0; i < n; i++)
		close(fds[i]);
}

static void
close_left(struct walker *w)
{
	size_t from = 0;

	for (size_t i = 1; i <= w->n_left; i++)
		if (i == w->n_left || w->left[i] != w->left[i - 1] + 1) {
			close_run(w->left + from, i - from);
			from = i;
		}
	w->n_left = 0;
}

/* Not at once: a number that is free again would be the next one's. */
static void
leave(struct walker *w, int fd)
{
	if (w->n_left == LEFT_MAX)
		close_left(w);
	w->left[w->n_left++] = fd;
}

static void
leave_top(struct walker *w)
{
	if (w->top_fd >= 0)
		leave(w, w->top_fd);
	w->top_fd = -1;
}

/* From the directory above it that is open, or will be now. */
static int
open_region(struct walker *w, size_t i)
{
	const struct cdn_region *regions = w->fill->plan->regions;
	size_t top = w->fill->grants[i].top;
	int fd;

	if (w->top_fd >= 0 && w->top != top)
		leave_top(w);
	if (top == i)
		return open_path(w->fill, regions[i].path);
	if (w->top_fd < 0) {
		fd = open_path(w->fill, regions[top].path);
		if (fd < 0)
			return fd;
		w->top = top;
		w->top_fd = fd;
	}
	fd = cdn_sys_openat2(w->top_fd,
	    regions[i].path + strlen(regions[top].path) + 1, &how);
	return w->fill->root < 0 && (fd == -ENOSYS || fd == -EPERM) ?
	    walk(regions[i].path) : fd;
}

/* ----- Adding ------------------------------------------------------------- */

static int
add_rules(const struct cdn_fill *fill, const struct cdn_region *region,
    const struct cdn_grant *grant, int fd, struct cordon_error *err)
{
	if (!region->directory && has_other_names(fd))
		return 0;
	for (int i = 0; i < CDN_RULESET_MAX; i++) {
		int r = grant->rights[i] == 0 ? 0 :
		    cdn_sys_landlock_add(fill->fd[i], fd, grant->rights[i]);

		if (r < 0)
			return cdn_err_sys(err, -r,
			    "landlock: cannot grant '%s'", region->path);
	}
	return 0;
}

static int
cannot_open(int r, const char *path, struct cordon_error *err)
{
	return r == -ENOENT ? 0 :
	    cdn_err_sys(err, -r, "landlock: cannot open '%s'", path);
}

static bool
is_needed(const struct cdn_grant *grant)
{
	return grant->rights[CDN_RULESET_PLAN] != 0 ||
	    grant->rights[CDN_RULESET_BOUND] != 0;
}

static int
add_region(struct walker *w, size_t i, struct cordon_error *err)
{
	const struct cdn_region *region = &w->fill->plan->regions[i];
	const struct cdn_grant *grant = &w->fill->grants[i];
	int fd, code;

	if (!is_needed(grant))
		return 0;
	fd = open_region(w, i);
	if (fd == -EMFILE && w->n_left > 0) {
		close_left(w);
		fd = open_region(w, i);
	}
	if (fd < 0)
		return cannot_open(fd, region->path, err);
	code = add_rules(w->fill, region, grant, fd, err);
	if (i + 1 < w->fill->plan->region_count &&
	    w->fill->grants[i + 1].top == i) {
		w->top = i;
		w->top_fd = fd;
	} else {
		leave(w, fd);
	}
	return code;
}

int
cdn_fill_one(const struct cdn_fill *fill, const struct cdn_region *region,
    const struct cdn_grant *grant, struct cordon_error *err)
{
	int fd = open_path(fill, region->path), code;

	if (fd < 0)
		return cannot_open(fd, region->path, err);
	code = add_rules(fill, region, grant, fd, err);
	close(fd);
	return code;
}

int
cdn_fill_all(const struct cdn_fill *fill, struct cordon_error *err)
{
	struct walker w = { .fill = fill, .top_fd = -1 };
	int code = 0;

	for (size_t i = 0; code == 0 && i < fill->plan->region_count; i++)
		code = add_region(&w, i, err);
	leave_top(&w);
	close_left(&w);
	return code;
}
