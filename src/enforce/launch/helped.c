/*
 * helped - the many mounts of a sandbox, made for bwrap while it waits.
 *
 * bwrap reads the table of mounts again for every mount it makes, so a thousand
 * of them take it seconds.  It is told the few that others lie in; the rest is
 * put into its namespace from here, each with the same few calls, by a process
 * that enters it.  What lies there afterwards is looked at as if bwrap had made
 * it (mounted.c), and before anything of the run begins.
 */
#include "enforce/launch/process.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "enforce/sys/raw.h"
#include "enforce/sys/sys.h"

/* As bwrap calls them while it mounts. */
#define NEW_ROOT "/newroot"
#define OLD_ROOT "/oldroot"

/* The same on every architecture, since 5.2; mount_setattr since 5.12. */
enum { OPEN_TREE = 428, MOVE_MOUNT, FSOPEN, FSCONFIG, FSMOUNT,
	MOUNT_SETATTR = 442 };

#define TREE_CLONE   1U		 /* OPEN_TREE_CLONE */
#define RECURSIVE    0x8000U	 /* AT_RECURSIVE */
#define BOTH_EMPTY   (0x04U | 0x40U) /* MOVE_MOUNT_[FT]_EMPTY_PATH */
#define READ_ONLY    0x01U	 /* MOUNT_ATTR_RDONLY */
#define HARMLESS     (0x02U | 0x04U) /* MOUNT_ATTR_NOSUID, NODEV */
#define SET_STRING   1U		 /* FSCONFIG_SET_STRING */
#define CMD_CREATE   6U		 /* FSCONFIG_CMD_CREATE */

struct attributes {
	uint64_t set, clear, propagation, userns_fd;
};

/* What the process that helps tells, if it fails. */
struct failure {
	size_t mount;
	int error;
};

/* ----- In the namespace: nothing but system calls ---------------------------- */

static int
open_root(const char *root)
{
	static const struct cdn_open_how how = { .flags =
		    O_PATH | O_DIRECTORY };

	return cdn_sys_openat2(AT_FDCWD, root, &how);
}

static int
open_below(const char *root, const char *path)
{
	static const struct cdn_open_how how = { .flags = O_PATH,
		.resolve = CDN_RESOLVE_BENEATH | CDN_RESOLVE_NO_SYMLINKS };
	cdn_cleanup_fd int dir = open_root(root);

	return dir < 0 ? dir : cdn_sys_openat2(dir, path + 1, &how);
}

/* A copy of what the host has at a path, not mounted anywhere yet. */
static int
clone_tree(const char *path, bool read_only)
{
	cdn_cleanup_fd int from = open_below(OLD_ROOT, path);
	struct attributes attributes = { .set = HARMLESS |
		    (read_only ? READ_ONLY : 0) };
	long fd, r;

	if (from < 0)
		return from;
	fd = cdn_raw(OPEN_TREE, from, "", TREE_CLONE | RECURSIVE |
	    AT_EMPTY_PATH | O_CLOEXEC);
	if (fd < 0)
		return (int)fd;
	r = cdn_raw(MOUNT_SETATTR, fd, "", AT_EMPTY_PATH | RECURSIVE,
	    &attributes, sizeof(attributes));
	if (r < 0)
		close((int)fd);
	return (int)(r < 0 ? r : fd);
}

static int
make_closed(void)
{
	long fs = cdn_raw(FSOPEN, "tmpfs", 1 /* FSOPEN_CLOEXEC */);
	long r = fs < 0 ? fs : cdn_raw(FSCONFIG, fs, SET_STRING, "mode",
	    "0000", 0);

	if (r >= 0)
		r = cdn_raw(FSCONFIG, fs, CMD_CREATE, NULL, NULL, 0);
	if (r >= 0)
		r = cdn_raw(FSMOUNT, fs, 1 /* FSMOUNT_CLOEXEC */,
		    READ_ONLY | HARMLESS);
	if (fs >= 0)
		close((int)fs);
	return (int)r;
}

static int
make(const struct cdn_bwrap_mount *mount)
{
	switch (mount->kind) {
	case CDN_MOUNT_RO:
	case CDN_MOUNT_RW:
		return clone_tree(mount->path, mount->kind == CDN_MOUNT_RO);
	case CDN_MOUNT_NOTHING:
		return clone_tree("/dev/null", true);
	case CDN_MOUNT_EMPTY:
		return make_closed();
	case CDN_MOUNT_DEVICE:
	case CDN_MOUNT_LINK:
	case CDN_MOUNT_DIR:
	case CDN_MOUNT_TMP:
	case CDN_MOUNT_DEV:
	case CDN_MOUNT_PROC:
	case CDN_MOUNT_KIND_MAX:
		break;
	}
	return -EINVAL;
}

/* Only in a directory of the sandbox's own: never on the host. */
static int
make_point(const struct cdn_bwrap_mount *mount)
{
	cdn_cleanup_fd int dir = open_root(NEW_ROOT);
	long r;

	if (dir < 0)
		return dir;
	if (mount->directory)
		r = cdn_raw(SYS_mkdirat, dir, mount->path + 1, 0755);
	else
		r = cdn_raw(SYS_openat, dir, mount->path + 1, O_WRONLY |
		    O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0444);
	if (r >= 0 && !mount->directory)
		close((int)r);
	return r < 0 ? (int)r : 0;
}

static int
put(const struct cdn_bwrap_mount *mount)
{
	cdn_cleanup_fd int tree = make(mount);
	cdn_cleanup_fd int on = -1;
	int r = 0;

	if (tree < 0)
		return tree == -ENOENT && mount->brief ? 0 : tree;
	if (mount->pointless)
		r = make_point(mount);
	if (r < 0)
		return r;
	on = open_below(NEW_ROOT, mount->path);
	return on < 0 ? on : (int)cdn_raw(MOVE_MOUNT, tree, "", on, "",
	    BOTH_EMPTY);
}

static struct failure
put_all(const struct cdn_bwrap_plan *plan, const int namespaces[2])
{
	struct failure failure = { plan->count, 0 };

	for (int i = 0; i < 2 && failure.error == 0; i++)
		failure.error = (int)-cdn_raw(SYS_setns, namespaces[i], 0);
	for (size_t i = 0; i < plan->count && failure.error == 0; i++)
		if (plan->mounts[i].ours)
			failure = (struct failure){ i, -put(&plan->mounts[i]) };
	return failure;
}

/* ----- Outside ------------------------------------------------------------------ */

/* The user namespace first: only there it has a right to the other one. */
static int
open_namespaces(pid_t pid, int ret[2])
{
	static const char *const names[] = { "user", "mnt" };
	char path[64];

	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "/proc/%d/ns/%s", (int)pid,
		    names[i]);
		ret[i] = open(path, O_RDONLY | O_CLOEXEC);
		if (ret[i] < 0)
			return -errno;
	}
	return 0;
}

static int
help(const struct cdn_bwrap_plan *plan, const int namespaces[2],
    struct failure *ret)
{
	struct failure failure;
	int tell[2], status;
	ssize_t n;
	pid_t pid;

	if (pipe2(tell, O_CLOEXEC) != 0)
		return -errno;
	pid = fork();
	if (pid == 0) {
		failure = put_all(plan, namespaces);
		n = write(tell[1], &failure, sizeof(failure));
		for (;;)
			(void)cdn_raw(SYS_exit_group,
			    n == (ssize_t)sizeof(failure) ? 0 : 1);
	}
	close(tell[1]);
	n = pid < 0 ? -1 : read(tell[0], ret, sizeof(*ret));
	close(tell[0]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return n == (ssize_t)sizeof(*ret) ? 0 : -EIO;
}

/* Older kernels cannot change the flags of a tree before it is mounted. */
bool
cdn_launch_can_help(const struct cordon_plan *plan)
{
	const struct cdn_host *host = &plan->host;

	return host->kernel_major > 5 ||
	    (host->kernel_major == 5 && host->kernel_minor >= 12);
}

int
cdn_launch_help(const struct cordon_plan *whole, pid_t pid,
    struct cordon_error *err)
{
	const struct cdn_bwrap_plan *plan = &whole->bwrap;
	int namespaces[2] = { -1, -1 };
	struct failure failure = { plan->count, 0 };
	bool any = false;
	int r = 0;

	for (size_t i = 0; cdn_launch_can_help(whole) && i < plan->count &&
	     !any; i++)
		any = plan->mounts[i].ours;
	if (any)
		r = open_namespaces(pid, namespaces);
	if (any && r == 0)
		r = help(plan, namespaces, &failure);
	for (int i = 0; i < 2; i++)
		if (namespaces[i] >= 0)
			close(namespaces[i]);
	if (r == 0 && failure.error == 0)
		return 0;
	return cdn_err_sys(err, r < 0 ? -r : failure.error, "'%s' cannot be "
	    "mounted in the sandbox of bwrap (use '--backend native')",
	    failure.mount < plan->count ? plan->mounts[failure.mount].path :
					  "/");
}
