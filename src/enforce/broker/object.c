/*
 * From what the caller named to an object of ours.  The kernel resolves it, in
 * one step, where it would come to the same for him and for us; where not, it
 * is walked by hand (walk.c).
 */
#include "enforce/broker/call.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/str.h"
#include "enforce/broker/inside.h"
#include "enforce/path/path.h"
#include "enforce/sys/sys.h"

/* ----- What a descriptor is ------------------------------------------------------ */

int
cdn_object_told(const struct cdn_call *call, int fd,
    char path[CDN_PATH_MAX + 1])
{
	const struct cdn_spaces *spaces = call->broker->spec.spaces;
	char name[16];
	ssize_t n;

	snprintf(name, sizeof(name), "%d", fd);
	n = readlinkat(call->broker->fds_fd, name, path, CDN_PATH_MAX + 1);
	if (n < 0)
		return -errno;
	if (n > CDN_PATH_MAX)
		return -ENAMETOOLONG;
	path[n] = '\0';
	return spaces == NULL ? (int)n : cdn_spaces_translate(spaces, fd, path,
	    (size_t)n, CDN_PATH_MAX + 1);
}

/*
 * A file that lost this name is judged by the name it had.  One whose name
 * really ends so is told by being found there.
 */
static void
strip_deleted(struct cdn_object *object, size_t n)
{
	struct stat st;

	if (n <= sizeof(CDN_DELETED) - 1 ||
	    !cdn_str_ends((cdn_str){ object->path, n }, CDN_STR(CDN_DELETED)))
		return;
	if (lstat(object->path, &st) == 0 && st.st_dev == object->dev &&
	    st.st_ino == object->ino)
		return;
	object->path[n - (sizeof(CDN_DELETED) - 1)] = '\0';
}

/* Pipes and the like: "pipe:[1]".  A memfd is on a file system nobody sees. */
static bool
is_unnamed(const struct cdn_object *object)
{
	if (object->path[0] != '/')
		return strchr(object->path, ':') != NULL &&
		    strncmp(object->path, "(unreachable)", 13) != 0;
	return object->nlink == 0 && major(object->dev) == 0 &&
	    strncmp(object->path, "/memfd:", 7) == 0;
}

/* What kind of file system it is on; mount is 0 where that has no number. */
static void
look_at_mount(struct cdn_call *call, uint64_t mount, struct cdn_object *ret)
{
	struct cdn_kept *kept = call->kept;
	struct statfs fs;

	if (mount == 0 || mount != kept->mount) {
		bool known = fstatfs(ret->fd, &fs) == 0;

		kept->mount = known ? mount : 0;
		kept->on_proc = ret->dev == call->broker->proc_dev ||
		    (known && fs.f_type == PROC_SUPER_MAGIC);
		kept->may_fold = !known ||
		    cdn_path_may_fold((uint32_t)fs.f_type);
	}
	ret->on_proc = kept->on_proc;
	ret->may_fold = kept->may_fold;
}

static int
look_at(struct cdn_call *call, int fd, struct cdn_object *ret)
{
	struct cdn_statx st;
	int r = cdn_sys_statx(fd, "", AT_EMPTY_PATH,
	    CDN_STATX_BASIC | CDN_STATX_MNT_ID_UNIQUE, &st);

	if (r < 0)
		return r;
	ret->mode = st.mode;
	ret->dev = makedev(st.dev_major, st.dev_minor);
	ret->rdev = makedev(st.rdev_major, st.rdev_minor);
	ret->ino = st.ino;
	ret->nlink = st.nlink;
	look_at_mount(call, (st.mask & CDN_STATX_MNT_ID_UNIQUE) != 0 ?
	    st.mnt_id : 0, ret);
	return 0;
}

int
cdn_object_fill(struct cdn_call *call, int fd, struct cdn_object *ret)
{
	int n;

	ret->fd = fd;
	n = look_at(call, fd, ret);
	if (n < 0)
		return n;
	n = cdn_object_told(call, fd, ret->path);
	if (n < 0)
		return n;
	ret->unnamed = is_unnamed(ret);
	if (!ret->unnamed && ret->path[0] != '/')
		return -EACCES; /* of another mount namespace */
	if (!ret->unnamed)
		strip_deleted(ret, (size_t)n);
	return 0;
}

void
cdn_object_done(struct cdn_object *object)
{
	if (object->fd >= 0)
		close(object->fd);
	if (object->parent >= 0)
		close(object->parent);
	object->fd = object->parent = -1;
}

/* ----- Finding it ---------------------------------------------------------------- */

/* From the start, by hand; *base is taken, but for the root. */
static int
find_slowly(struct cdn_call *call, int *base, const char *path, unsigned how,
    struct cdn_object *ret)
{
	int at = *base;

	if (path[0] == '/')
		at = fcntl(at, F_DUPFD_CLOEXEC, 0);
	else
		*base = -1;
	return at < 0 ? -errno : cdn_walk(call, at, path, how, ret);
}

/*
 * at is where an absolute path begins, too.  With mounts of its own the run has
 * another root, where no link would lead for us: these are walked.
 */
static int
open_path(const struct cdn_call *call, int at, const char *path, int flags)
{
	struct cdn_open_how how = { .flags = (uint64_t)(O_PATH | flags),
		.resolve = CDN_RESOLVE_NO_MAGICLINKS };

	if (call->broker->spec.spaces != NULL) {
		how.resolve |= CDN_RESOLVE_NO_SYMLINKS;
		path += strspn(path, "/");
		if (path[0] == '\0')
			path = ".";
	}
	return cdn_sys_openat2(at, path, &how);
}

/*
 * Could "not there" be wrong for the caller?  Only if it was looked for below
 * /proc/self, which was our own then, or behind the links in /dev.
 */
static bool
may_be_his(const struct cdn_call *call, int base, const char *path)
{
	struct stat st;

	if (strstr(path, "proc") != NULL || strncmp(path, "/dev/", 5) == 0)
		return true;
	return path[0] != '/' && fstat(base, &st) == 0 &&
	    cdn_walk_is_proc(call, base, st.st_dev);
}

/* In one step; 1: it is not for the kernel to resolve. */
static int
find_fast(struct cdn_call *call, int base, const char *path, unsigned how,
    struct cdn_object *ret)
{
	int r = open_path(call, base, path,
	    (how & CDN_OBJECT_NOFOLLOW) != 0 ? O_NOFOLLOW : 0);

	if (r == -ELOOP || (r == -ENOENT && may_be_his(call, base, path)))
		return 1;
	if (r < 0)
		return r;
	r = cdn_object_fill(call, r, ret);
	if (r == 0 && !ret->on_proc)
		return 0;
	cdn_object_done(ret);
	return r < 0 ? r : 1;
}

/* A name alone, that is neither "." nor "..". */
static bool
is_name(const char *path)
{
	return strchr(path, '/') == NULL && strcmp(path, ".") != 0 &&
	    strcmp(path, "..") != 0;
}

/*
 * A name alone, beside which he stands, in one step with that place: the only
 * link the kernel follows there is the one in /proc, to his directory.
 */
static int
open_beside(const struct cdn_call *call, int dirfd, const char *name)
{
	char path[CDN_BASE_LINK + NAME_MAX + 1];
	size_t n = strlen(name);
	int fd;

	if (n > NAME_MAX)
		return -ENAMETOOLONG;
	cdn_call_base_link(call, dirfd, path);
	snprintf(path + strlen(path), n + 2, "/%s", name);
	fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/*
 * 1: it is a link, or something in the way; to be looked for from where he
 * stands.  That it is not there is certain only if he does stand somewhere.
 */
static int
find_beside(struct cdn_call *call, int dirfd, const char *name, unsigned how,
    struct cdn_object *ret)
{
	int r = open_beside(call, dirfd, name);

	if (r < 0 && (r != -ENOENT || dirfd != AT_FDCWD))
		return 1;
	if (!cdn_call_waits(call)) {
		if (r >= 0)
			close(r);
		return -ESRCH;
	}
	if (r < 0)
		return r;
	r = cdn_object_fill(call, r, ret);
	if (r == 0 && !ret->on_proc &&
	    (!S_ISLNK(ret->mode) || (how & CDN_OBJECT_NOFOLLOW) != 0))
		return 0;
	cdn_object_done(ret);
	return r < 0 ? r : 1;
}

/* The directory in one step, the last name by hand. */
static int
find_last(struct cdn_call *call, int base, const char *path, unsigned how,
    struct cdn_object *ret)
{
	char directory[CDN_PATH_MAX + 1];
	size_t n = strlen(path);
	struct stat st;
	int at;

	while (n > 0 && path[n - 1] == '/')
		n--;
	while (n > 0 && path[n - 1] != '/')
		n--;
	if (n == 0)
		return 1;
	memcpy(directory, path, n);
	directory[n] = '\0';
	at = open_path(call, base, directory, O_DIRECTORY);
	if (at == -ELOOP || (at == -ENOENT && may_be_his(call, base, path)))
		return 1;
	if (at < 0)
		return at;
	if (fstat(at, &st) != 0 || cdn_walk_is_proc(call, at, st.st_dev)) {
		close(at);
		return 1;
	}
	return cdn_walk(call, at, path + n, how, ret);
}

int
cdn_object_find(struct cdn_call *call, int dirfd, const char *path,
    unsigned how, struct cdn_object *ret)
{
	bool absolute = path[0] == '/';
	int base, r;

	if (path[0] == '\0')
		return (how & CDN_OBJECT_EMPTY) != 0 ?
		    cdn_object_of_fd(call, dirfd, ret) : -ENOENT;
	ret->fd = ret->parent = -1;
	ret->name[0] = '\0';
	if (is_name(path) && call->broker->spec.spaces == NULL &&
	    (how & (CDN_OBJECT_MISSING | CDN_OBJECT_PARENT)) == 0) {
		r = find_beside(call, dirfd, path, how, ret);
		if (r != 1)
			return r;
	}
	/* Either way it is asked whether he still waits, so the path was his. */
	if (absolute && !cdn_call_waits(call))
		return -ESRCH;
	base = absolute ? call->broker->root_fd : cdn_call_base(call, dirfd);
	if (base < 0)
		return base;
	if ((how & (CDN_OBJECT_MISSING | CDN_OBJECT_PARENT)) != 0)
		r = find_last(call, base, path, how, ret);
	else
		r = find_fast(call, base, path, how, ret);
	if (r == 1)
		r = find_slowly(call, &base, path, how, ret);
	if (!absolute && base >= 0)
		close(base);
	if (r < 0)
		cdn_object_done(ret);
	return r;
}

int
cdn_object_of_fd(struct cdn_call *call, int fd, struct cdn_object *ret)
{
	int own = cdn_call_base(call, fd), r;

	ret->fd = ret->parent = -1;
	ret->name[0] = '\0';
	if (own < 0)
		return own;
	r = cdn_object_fill(call, own, ret);
	if (r < 0)
		cdn_object_done(ret);
	return r;
}
