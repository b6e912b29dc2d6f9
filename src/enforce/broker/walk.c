/*
 * Name by name, with descriptors of ours: nothing is resolved in our place
 * that would be something else in the caller's.
 *
 *	/proc/self, /proc/thread-self	his number is put in
 *	magic links of his own		opened, and the walk goes on there; what
 *					they lead to is judged as any object
 *	magic links of others		refused
 */
#include "enforce/broker/call.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "enforce/broker/inside.h"
#include "enforce/sys/sys.h"

#define PROC_ROOT_INO 1
#define NAME_BYTES    255

struct walk {
	struct cdn_call *call;
	int at; /* O_PATH, owned */
	char rest[2 * CDN_PATH_MAX + 2]; /* what is left of the way */
	unsigned how;
	unsigned links;
	bool arrived; /* by a magic link that was the last name: at is it */
};

/* One step of it. */
struct step {
	char name[NAME_BYTES + 2]; /* what is too long is cut, and still so */
	const char *tail; /* what follows, slashes first */
	bool last;
	bool slash; /* ... and it must be a directory */
};

bool
cdn_walk_is_proc(const struct cdn_call *call, int fd, dev_t dev)
{
	struct statfs fs;

	if (dev == call->broker->proc_dev)
		return true;
	/* Another one, mounted elsewhere.  A disk has a number. */
	return major(dev) == 0 && fstatfs(fd, &fs) == 0 &&
	    fs.f_type == PROC_SUPER_MAGIC;
}

static void
go_to(struct walk *walk, int fd)
{
	close(walk->at);
	walk->at = fd;
}

/* ----- Links --------------------------------------------------------------------- */

/* The text goes in front of what is left; an absolute one begins at the root. */
static int
follow_text(struct walk *walk, const char *text, const char *tail)
{
	char rest[sizeof(walk->rest)];
	int n = snprintf(rest, sizeof(rest), "%s%s", text, tail);

	if (text[0] == '\0')
		return -ENOENT;
	if (n < 0 || (size_t)n >= sizeof(rest))
		return -ENAMETOOLONG;
	if (text[0] == '/') {
		int root = fcntl(walk->call->broker->root_fd, F_DUPFD_CLOEXEC,
		    0);

		if (root < 0)
			return -errno;
		go_to(walk, root);
	}
	memcpy(walk->rest, rest, (size_t)n + 1);
	return 0;
}

static bool
is_proc_root(const struct walk *walk)
{
	struct stat st;

	return fstat(walk->at, &st) == 0 && st.st_ino == PROC_ROOT_INO &&
	    cdn_walk_is_proc(walk->call, walk->at, st.st_dev);
}

/* "/proc/N/..." with his N, of the process or of the thread. */
static bool
is_his(const struct walk *walk)
{
	char path[CDN_PATH_MAX + 1];
	const struct cdn_call *call = walk->call;
	unsigned long n;
	struct stat st;
	char *end;

	if (cdn_object_told(call, walk->at, path) < 0 ||
	    strncmp(path, "/proc/", 6) != 0 || fstat(walk->at, &st) != 0 ||
	    !cdn_call_counts(call, st.st_dev))
		return false;
	n = strtoul(path + 6, &end, 10);
	return end != path + 6 && (*end == '/' || *end == '\0') &&
	    cdn_call_is_his(call, n);
}

static int
follow_magic(struct walk *walk, const struct step *step)
{
	int fd, r = cdn_call_tgid(walk->call);

	if (r < 0)
		return r;
	if (!is_his(walk))
		return -EACCES;
	fd = openat(walk->at, step->name, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (!cdn_call_waits(walk->call)) {
		close(fd);
		return -ESRCH;
	}
	go_to(walk, fd);
	walk->arrived = step->last && !step->slash;
	memmove(walk->rest, step->tail, strlen(step->tail) + 1);
	return 0;
}

/* 1: an ordinary link. */
static int
follow_proc(struct walk *walk, const struct step *step)
{
	bool thread = strcmp(step->name, "thread-self") == 0;
	struct cdn_open_how how = { .flags = O_PATH,
		.resolve = CDN_RESOLVE_NO_MAGICLINKS };
	char text[64];
	int r;

	if (is_proc_root(walk) &&
	    (thread || strcmp(step->name, "self") == 0)) {
		r = cdn_call_tgid(walk->call);
		if (r < 0)
			return r;
		if (thread)
			snprintf(text, sizeof(text), "%d/task/%d",
			    (int)walk->call->his_tgid,
			    (int)walk->call->his_tid);
		else
			snprintf(text, sizeof(text), "%d",
			    (int)walk->call->his_tgid);
		return follow_text(walk, text, step->tail);
	}
	r = cdn_sys_openat2(walk->at, step->name, &how);
	if (r == -ELOOP)
		return follow_magic(walk, step);
	if (r >= 0)
		close(r);
	return 1;
}

/* In a directory where anybody may put links, the kernel has its own mind. */
static int
ask_kernel(const struct walk *walk, const struct step *step)
{
	struct cdn_open_how how = { .flags = O_PATH,
		.resolve = CDN_RESOLVE_NO_MAGICLINKS };
	struct stat st;
	int r;

	if (fstat(walk->at, &st) != 0 || (st.st_mode & S_ISVTX) == 0)
		return 0;
	r = cdn_sys_openat2(walk->at, step->name, &how);
	if (r >= 0)
		close(r);
	return r == -EACCES ? r : 0;
}

static int
follow(struct walk *walk, const struct step *step, int link, dev_t dev)
{
	char text[CDN_PATH_MAX + 1];
	ssize_t n;
	int r;

	if (++walk->links > CDN_LINKS_MAX)
		return -ELOOP;
	r = cdn_walk_is_proc(walk->call, link, dev) ? follow_proc(walk, step) :
	    ask_kernel(walk, step);
	if (r < 0 || (r == 0 && cdn_walk_is_proc(walk->call, link, dev)))
		return r;
	n = readlinkat(link, "", text, sizeof(text));
	if (n < 0)
		return -errno;
	if (n > CDN_PATH_MAX)
		return -ENAMETOOLONG;
	text[n] = '\0';
	return follow_text(walk, text, step->tail);
}

/* ----- Steps --------------------------------------------------------------------- */

static void
next_step(struct walk *walk, struct step *step)
{
	const char *from = walk->rest + strspn(walk->rest, "/");
	size_t n = strcspn(from, "/");

	snprintf(step->name, sizeof(step->name), "%.*s", (int)n, from);
	step->tail = from + n;
	step->slash = from[n] == '/';
	step->last = step->tail[strspn(step->tail, "/")] == '\0';
}

static bool
is_dots(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* The object is the directory we stand in, or what a magic link led to. */
static int
arrive(struct walk *walk, struct cdn_object *ret)
{
	int fd = walk->at, r;

	walk->at = -1;
	r = cdn_object_fill(walk->call, fd, ret);
	return r == 0 && !walk->arrived && !S_ISDIR(ret->mode) ? -ENOTDIR : r;
}

static int
name_it(struct walk *walk, const struct step *step, struct cdn_object *ret)
{
	memcpy(ret->name, step->name, sizeof(ret->name));
	ret->parent = walk->at;
	walk->at = -1;
	return 0;
}

static int
arrive_missing(struct walk *walk, const struct step *step,
    struct cdn_object *ret)
{
	struct cdn_object parent = { .parent = -1 };
	int r = cdn_object_fill(walk->call, walk->at, &parent);
	int n;

	if (r < 0)
		return r;
	if ((parent.mode & S_IFMT) != S_IFDIR)
		return -ENOTDIR;
	n = snprintf(ret->path, sizeof(ret->path), "%s/%s",
	    parent.path[1] == '\0' ? "" : parent.path, step->name);
	if (n < 0 || (size_t)n >= sizeof(ret->path))
		return -ENAMETOOLONG;
	ret->fd = -1;
	ret->mode = 0;
	ret->dev = parent.dev;
	ret->rdev = 0;
	ret->ino = 0;
	ret->nlink = 0;
	ret->on_proc = parent.on_proc;
	ret->may_fold = parent.may_fold;
	ret->unnamed = false;
	return name_it(walk, step, ret);
}

/* 1: go on.  fd is what the name stands for, or -errno; it is taken over. */
static int
take_step(struct walk *walk, const struct step *step, int fd,
    struct cdn_object *ret)
{
	struct stat st;
	int r;

	if (fd == -ENOENT && step->last &&
	    (walk->how & CDN_OBJECT_MISSING) != 0)
		return arrive_missing(walk, step, ret);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st) != 0) {
		r = -errno;
	} else if (S_ISLNK(st.st_mode) && (!step->last || step->slash ||
		(walk->how & CDN_OBJECT_NOFOLLOW) == 0)) {
		r = follow(walk, step, fd, st.st_dev);
		close(fd);
		return r < 0 ? r : 1;
	} else if (step->last && (!step->slash || S_ISDIR(st.st_mode))) {
		r = cdn_object_fill(walk->call, fd, ret);
		return r < 0 ? r : name_it(walk, step, ret);
	} else if (S_ISDIR(st.st_mode)) {
		go_to(walk, fd);
		memmove(walk->rest, step->tail, strlen(step->tail) + 1);
		return 1;
	} else {
		r = -ENOTDIR;
	}
	close(fd);
	return r;
}

/* "name/" is no file to be made; but first of all, may one look there? */
static int
refuse_slash(const struct walk *walk)
{
	int fd = openat(walk->at, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	close(fd);
	return -EISDIR;
}

static int
walk_on(struct walk *walk, struct cdn_object *ret)
{
	struct step step;
	int fd, r;

	for (;;) {
		if (walk->arrived ||
		    walk->rest[strspn(walk->rest, "/")] == '\0')
			return arrive(walk, ret);
		next_step(walk, &step);
		if (step.last && step.slash && !is_dots(step.name) &&
		    (walk->how & CDN_OBJECT_FILE) != 0)
			return refuse_slash(walk);
		fd = openat(walk->at, step.name, O_PATH | O_CLOEXEC |
			(is_dots(step.name) ? O_DIRECTORY : O_NOFOLLOW));
		if (fd >= 0 && is_dots(step.name)) {
			go_to(walk, fd);
			memmove(walk->rest, step.tail, strlen(step.tail) + 1);
			continue;
		}
		r = take_step(walk, &step, fd < 0 ? -errno : fd, ret);
		if (r <= 0)
			return r;
	}
}

int
cdn_walk(struct cdn_call *call, int at, const char *path, unsigned how,
    struct cdn_object *ret)
{
	CDN_UNINITIALIZED struct walk walk;
	int r;

	walk.call = call;
	walk.at = at;
	walk.how = how;
	walk.links = 0;
	walk.arrived = false;
	ret->fd = ret->parent = -1;
	ret->name[0] = '\0';
	snprintf(walk.rest, sizeof(walk.rest), "%s", path);
	r = walk_on(&walk, ret);
	if (walk.at >= 0)
		close(walk.at);
	if (r < 0)
		cdn_object_done(ret);
	return r;
}
