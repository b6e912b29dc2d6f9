/*
 * mounting - the side of it that runs in the namespaces of bwrap.
 *
 * Every name is taken without following a symbolic link: below the root that
 * the host has there, and below the one to come.  So what is mounted is what
 * the plan spoke of, or it fails; and nothing is made but in the sandbox.
 */
#include "enforce/bubble/mounting.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/vfs.h>

#include "base/limits.h"
#include "enforce/sys/raw.h"
#include "enforce/sys/sys.h"

/* As bwrap calls them while it mounts. */
#define NEW_ROOT "/newroot"
#define OLD_ROOT "/oldroot"

/* The same on every architecture, since 5.2; mount_setattr since 5.12. */
enum { OPEN_TREE = 428, MOVE_MOUNT, FSOPEN, FSCONFIG, FSMOUNT, OPENAT2 = 437,
	MOUNT_SETATTR = 442 };

#define TREE_CLONE   1U		 /* OPEN_TREE_CLONE */
#define RECURSIVE    0x8000U	 /* AT_RECURSIVE */
#define BOTH_EMPTY   (0x04U | 0x40U) /* MOVE_MOUNT_[FT]_EMPTY_PATH */
#define READ_ONLY    0x01U	 /* MOUNT_ATTR_RDONLY */
#define NO_SUID	     0x02U	 /* MOUNT_ATTR_NOSUID */
#define NO_DEVICES   0x04U	 /* MOUNT_ATTR_NODEV */
#define NO_EXEC	     0x08U	 /* MOUNT_ATTR_NOEXEC */
#define SET_STRING   1U		 /* FSCONFIG_SET_STRING */
#define CMD_CREATE   6U		 /* FSCONFIG_CMD_CREATE */
#define CLOEXEC	     1U		 /* FSOPEN_CLOEXEC, FSMOUNT_CLOEXEC */

struct attributes {
	uint64_t set, clear, propagation, userns_fd;
};

/* ----- Names ------------------------------------------------------------- */

CDN_BARE static void
close_raw(long fd)
{
	if (fd >= 0)
		(void)cdn_raw(SYS_close, fd);
}

/* An absolute path as one below a directory. */
CDN_BARE static const char *
below(const char *path)
{
	return path[1] == '\0' ? "." : path + 1;
}

CDN_BARE static long
open_below(long root, const char *path)
{
	const struct cdn_open_how how = { .flags = O_PATH | O_CLOEXEC,
		.resolve = CDN_RESOLVE_BENEATH | CDN_RESOLVE_NO_SYMLINKS };

	return cdn_raw(OPENAT2, root, below(path), &how, sizeof(how));
}

CDN_BARE static bool
is_there(const struct cdn_mounting *m, const char *path)
{
	long fd = open_below(m->new_root, path);

	close_raw(fd);
	return fd >= 0;
}

CDN_BARE static long
check_own(long fd)
{
	struct statfs system;
	long r;

	system.f_type = 0;
	r = cdn_raw(SYS_fstatfs, fd, &system);
	return r < 0 ? r : (unsigned long)system.f_type == TMPFS_MAGIC ? 0 :
									 -ESTALE;
}

/* Do both begin with the same n bytes? */
CDN_BARE static bool
begin_alike(const char *a, const char *b, size_t n)
{
	while (n > 0 && *a == *b && *a != '\0') {
		a++;
		b++;
		n--;
	}
	return n == 0;
}

CDN_BARE static void
forget_parent(struct cdn_mounting *m)
{
	close_raw(m->parent);
	m->parent = -1;
}

/* Something lies on it now: if that is the kept one, or around it, it is gone. */
CDN_BARE static void
cover(struct cdn_mounting *m, const char *path)
{
	size_t n = 0;

	while (path[n] != '\0')
		n++;
	if (n == 1 || (n <= m->parent_length &&
	    begin_alike(path, m->parent_path, n) &&
	    (n == m->parent_length || m->parent_path[n] == '/')))
		forget_parent(m);
}

/* The directory that these bytes of the path are. */
CDN_BARE static long
open_own(const struct cdn_mounting *m, const char *path, size_t n)
{
	CDN_UNINITIALIZED char dir[CDN_PATH_MAX + 1];
	long fd, r;

	for (size_t i = 0; i < n; i++)
		dir[i] = path[i];
	dir[0] = '/';
	dir[n == 0 ? 1 : n] = '\0';
	fd = open_below(m->new_root, dir);
	r = fd < 0 ? fd : check_own(fd);
	if (r < 0)
		close_raw(fd);
	return r < 0 ? r : fd;
}

/*
 * The directory in which a name is to be made: the sandbox's own, never one of
 * the host.  What lies around it may be the host's, where somebody puts a link
 * or another directory in its place meanwhile.  Mostly it is the one before.
 */
CDN_BARE static long
open_parent(struct cdn_mounting *m, const char *path, const char **ret_name)
{
	size_t n = 0, i = 0;

	for (; path[i] != '\0'; i++)
		if (path[i] == '/')
			n = i;
	if (i > CDN_PATH_MAX)
		return -ENAMETOOLONG;
	*ret_name = path + n + 1;
	if (m->parent >= 0 && m->parent_length == n &&
	    begin_alike(path, m->parent_path, n))
		return m->parent;
	forget_parent(m);
	m->parent = open_own(m, path, n);
	m->parent_path = path;
	m->parent_length = n;
	return m->parent;
}

CDN_BARE static long
make_dir(struct cdn_mounting *m, const char *path, unsigned mode)
{
	const char *name;
	long dir = open_parent(m, path, &name);

	return dir < 0 ? dir : cdn_raw(SYS_mkdirat, dir, name, mode);
}

/* A descriptor of it. */
CDN_BARE static long
make_file(struct cdn_mounting *m, const char *path)
{
	const char *name;
	long dir = open_parent(m, path, &name);

	return dir < 0 ? dir : cdn_raw(SYS_openat, dir, name, O_WRONLY |
	    O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0444);
}

CDN_BARE static long
make_link(struct cdn_mounting *m, const char *path, const char *to)
{
	const char *name;
	long dir = open_parent(m, path, &name);

	return dir < 0 ? dir : cdn_raw(SYS_symlinkat, to, dir, name);
}

/* One that was just made, or is there. */
CDN_BARE static long
open_point(struct cdn_mounting *m, const struct cdn_step *step)
{
	long r;

	if (step->point == CDN_POINT_FILE)
		return make_file(m, step->path);
	r = step->point == CDN_POINT_DIR ? make_dir(m, step->path, 0755) : 0;
	return r < 0 ? r : open_below(m->new_root, step->path);
}

/* ----- Trees that are mounted nowhere yet -------------------------------- */

/* A copy of what is there, with all that is mounted in it. */
CDN_BARE static long
copy_tree(long from)
{
	return cdn_raw(OPEN_TREE, from, "", TREE_CLONE | RECURSIVE |
	    AT_EMPTY_PATH | O_CLOEXEC);
}

CDN_BARE static long
copy_hosts(const struct cdn_mounting *m, const struct cdn_step *step)
{
	const struct attributes attributes = { .set = NO_SUID |
		    (step->device ? 0 : NO_DEVICES) |
		    (step->read_only ? READ_ONLY : 0) };
	long from = open_below(m->old_root, step->from), tree, r;

	if (from < 0)
		return from;
	tree = copy_tree(from);
	close_raw(from);
	if (tree < 0)
		return tree;
	r = cdn_raw(MOUNT_SETATTR, tree, "", AT_EMPTY_PATH | RECURSIVE,
	    &attributes, sizeof(attributes));
	if (r < 0)
		close_raw(tree);
	return r < 0 ? r : tree;
}

/* It can neither be changed nor make anybody another user. */
CDN_BARE long
cdn_mounting_sealed(long from)
{
	const struct attributes attributes = { .set = READ_ONLY | NO_SUID };
	long tree = cdn_raw(OPEN_TREE, from, "", TREE_CLONE | AT_EMPTY_PATH |
	    O_CLOEXEC);
	long r = tree < 0 ? tree : cdn_raw(MOUNT_SETATTR, tree, "",
	    AT_EMPTY_PATH, &attributes, sizeof(attributes));

	if (r < 0)
		close_raw(tree);
	return r < 0 ? r : tree;
}

struct setting {
	const char *name, *value;
};

CDN_BARE static long
make_system(const char *type, const struct setting *settings, size_t n,
    unsigned attributes)
{
	long fs = cdn_raw(FSOPEN, type, CLOEXEC), r = fs;

	for (size_t i = 0; i < n && r >= 0; i++)
		r = cdn_raw(FSCONFIG, fs, SET_STRING, settings[i].name,
		    settings[i].value, 0);
	if (r >= 0)
		r = cdn_raw(FSCONFIG, fs, CMD_CREATE, NULL, NULL, 0);
	if (r >= 0)
		r = cdn_raw(FSMOUNT, fs, CLOEXEC, attributes);
	close_raw(fs);
	return r;
}

CDN_BARE static long
make_tmpfs(const char *mode, unsigned more)
{
	const struct setting settings[] = { { "mode", mode } };

	return make_system("tmpfs", settings, CDN_LEN(settings),
	    NO_SUID | NO_DEVICES | more);
}

/*
 * One for all of them: nobody can tell them apart, or change them.  The first is
 * mounted itself, and the others are copies of it: before Linux 6.15 there are
 * none of what is mounted nowhere.
 */
CDN_BARE static long
copy_closed(struct cdn_mounting *m)
{
	long tree;

	if (m->closed >= 0)
		return copy_tree(m->closed);
	tree = make_tmpfs("0000", READ_ONLY);
	m->closed = tree < 0 ? tree : cdn_raw(SYS_fcntl, tree,
	    F_DUPFD_CLOEXEC, 0);
	if (m->closed < 0)
		close_raw(tree);
	return m->closed < 0 ? m->closed : tree;
}

CDN_BARE static long
make_ptys(void)
{
	const struct setting settings[] = { { "ptmxmode", "0666" },
		{ "mode", "620" } };

	return make_system("devpts", settings, CDN_LEN(settings),
	    NO_SUID | NO_EXEC);
}

/* ----- Steps ------------------------------------------------------------- */

CDN_BARE static long
put(struct cdn_mounting *m, const struct cdn_step *step, long tree)
{
	long on, r;

	if (tree < 0)
		return tree == -ENOENT && step->brief ? 0 : tree;
	on = open_point(m, step);
	r = on < 0 ? on : cdn_raw(MOVE_MOUNT, tree, "", on, "", BOTH_EMPTY);
	close_raw(on);
	close_raw(tree);
	cover(m, step->path);
	return r;
}

CDN_BARE static long
seal(const struct cdn_mounting *m, const struct cdn_step *step)
{
	const struct attributes attributes = { .set = READ_ONLY };
	long fd = open_below(m->new_root, step->path);
	long r = fd < 0 ? fd : cdn_raw(MOUNT_SETATTR, fd, "", AT_EMPTY_PATH,
	    &attributes, sizeof(attributes));

	close_raw(fd);
	return r;
}

CDN_BARE static long
take(struct cdn_mounting *m, const struct cdn_step *step)
{
	switch (step->kind) {
	case CDN_STEP_DIR:
		return step->lax && is_there(m, step->path) ? 0 :
		    make_dir(m, step->path, step->mode);
	case CDN_STEP_LINK:
		return make_link(m, step->path, step->from);
	case CDN_STEP_BIND:
		return put(m, step, copy_hosts(m, step));
	case CDN_STEP_TMPFS:
		return put(m, step, make_tmpfs(step->from, 0));
	case CDN_STEP_CLOSED:
		return put(m, step, copy_closed(m));
	case CDN_STEP_PTYS:
		return put(m, step, make_ptys());
	case CDN_STEP_SEAL:
		return seal(m, step);
	}
	return -EINVAL;
}

/*
 * bwrap leaves them as those of the host: what is mounted there later would
 * come in as it is, and could be changed where all else is read-only.
 */
CDN_BARE static long
part_from_host(void)
{
	const struct attributes attributes = { .propagation = MS_PRIVATE };

	return cdn_raw(MOUNT_SETATTR, AT_FDCWD, "/", RECURSIVE, &attributes,
	    sizeof(attributes));
}

/* The descriptors are those of a process that ends now. */
CDN_BARE int
cdn_mounting_main(void *mounting)
{
	struct cdn_mounting *m = mounting;
	long r = cdn_raw(SYS_setns, m->pidfd, CLONE_NEWUSER | CLONE_NEWNS);

	m->at = m->count;
	m->closed = m->parent = -1;
	(void)cdn_raw(SYS_umask, 0);
	if (r >= 0)
		r = part_from_host();
	if (r >= 0)
		r = m->old_root = cdn_raw(SYS_openat, AT_FDCWD, OLD_ROOT,
		    O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
	if (r >= 0)
		r = m->new_root = cdn_raw(SYS_openat, AT_FDCWD, NEW_ROOT,
		    O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
	for (size_t i = 0; i < m->count && r >= 0; i++) {
		r = take(m, &m->steps[i]);
		if (r < 0)
			m->at = i;
	}
	return r < 0 ? (int)r : 0;
}
