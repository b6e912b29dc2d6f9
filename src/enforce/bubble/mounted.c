#include "enforce/bubble/mounted.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "enforce/sys/sys.h"

/* While it mounts, bwrap's own root has the one to come below this name. */
#define NEW_ROOT "newroot"

#define BASIC_STATS	0x7ffU	/* STATX_BASIC_STATS */
#define ATTR_MOUNT_ROOT 0x2000U /* STATX_ATTR_MOUNT_ROOT, since 5.8 */

/* /dev/null, wherever it is mounted */
#define NULL_MAJOR 1
#define NULL_MINOR 3

static bool
is_the_hosts(const struct cdn_bwrap_mount *mount)
{
	return mount->kind == CDN_MOUNT_RO || mount->kind == CDN_MOUNT_RW ||
	    mount->kind == CDN_MOUNT_DEVICE;
}

/* Did bwrap make it? */
static bool
is_its(const struct cdn_bwrap_mount *mount, bool helped)
{
	return !helped || mount->kind == CDN_MOUNT_DEV ||
	    cdn_bwrap_is_told(mount);
}

int
cdn_mounted_open(const struct cdn_bwrap_plan *plan, bool helped, int *fds,
    struct cordon_error *err)
{
	static const struct cdn_open_how how = { .flags = O_PATH,
		.resolve = CDN_RESOLVE_NO_SYMLINKS };

	for (size_t i = 0; i < plan->count; i++) {
		const struct cdn_bwrap_mount *mount = &plan->mounts[i];

		fds[i] = -1;
		if (!is_its(mount, helped) || !is_the_hosts(mount))
			continue;
		fds[i] = cdn_sys_openat2(AT_FDCWD, mount->path, &how);
		if (fds[i] < 0 && (fds[i] != -ENOENT || !mount->brief))
			return cdn_err_sys(err, -fds[i], "'%s' changed while "
			    "the run was prepared (start it again)",
			    mount->path);
	}
	return 0;
}

/* ----- One of them --------------------------------------------------------- */

struct seen {
	struct cdn_statx stat;
	struct statfs system;
};

static int
look(int fd, struct seen *ret)
{
	int r = cdn_sys_statx(fd, "", AT_EMPTY_PATH, BASIC_STATS, &ret->stat);

	return r == 0 && fstatfs(fd, &ret->system) != 0 ? -errno : r;
}

static bool
is_read_only(const struct seen *seen)
{
	return ((unsigned long)seen->system.f_flags & ST_RDONLY) != 0;
}

static bool
is_tmpfs(const struct seen *seen)
{
	return (unsigned long)seen->system.f_type == TMPFS_MAGIC;
}

/* Where the kernel does not tell, it counts as one. */
static bool
is_mount(const struct seen *seen)
{
	uint64_t bit = ATTR_MOUNT_ROOT;

	return (seen->stat.attributes_mask & bit) == 0 ||
	    (seen->stat.attributes & bit) != 0;
}

static bool
is_same(const struct seen *seen, int host_fd)
{
	struct seen host;

	return look(host_fd, &host) == 0 &&
	    host.stat.ino == seen->stat.ino &&
	    host.stat.dev_major == seen->stat.dev_major &&
	    host.stat.dev_minor == seen->stat.dev_minor;
}

static bool
is_null(const struct seen *seen)
{
	return S_ISCHR(seen->stat.mode) &&
	    seen->stat.rdev_major == NULL_MAJOR &&
	    seen->stat.rdev_minor == NULL_MINOR;
}

static bool
is_right(const struct cdn_bwrap_mount *mount, const struct seen *seen, int host_fd)
{
	if (!is_mount(seen))
		return false;
	switch (mount->kind) {
	case CDN_MOUNT_RO:
		return is_same(seen, host_fd) && is_read_only(seen);
	case CDN_MOUNT_RW:
	case CDN_MOUNT_DEVICE:
		return is_same(seen, host_fd);
	case CDN_MOUNT_EMPTY: /* sealed when all is in it */
		return is_tmpfs(seen);
	case CDN_MOUNT_NOTHING:
		return is_null(seen) && is_read_only(seen);
	case CDN_MOUNT_PROC:
		return (unsigned long)seen->system.f_type == PROC_SUPER_MAGIC;
	case CDN_MOUNT_DEV:
		return is_tmpfs(seen);
	case CDN_MOUNT_TMP:
	case CDN_MOUNT_LINK:
	case CDN_MOUNT_DIR:
	case CDN_MOUNT_KIND_MAX:
		break;
	}
	return true;
}

static int
check(const struct cdn_bwrap_mount *mount, int root, int host_fd,
    struct cordon_error *err)
{
	static const struct cdn_open_how how = { .flags = O_PATH,
		.resolve = CDN_RESOLVE_BENEATH | CDN_RESOLVE_NO_SYMLINKS };
	const char *path = mount->path[1] == '\0' ? "." : mount->path + 1;
	cdn_cleanup_fd int fd = cdn_sys_openat2(root, path, &how);
	struct seen seen;
	int r = fd < 0 ? fd : look(fd, &seen);

	if (r == 0 && (host_fd >= 0) == is_the_hosts(mount) &&
	    is_right(mount, &seen, host_fd))
		return 0;
	if (r == -ENOENT && mount->brief)
		return 0;
	return cdn_err(err, CORDON_E_ENFORCE, "bwrap did not mount '%s' as it "
	    "was told: it changed meanwhile, or this bwrap is not as we know "
	    "it (start it again, or use '--backend native')", mount->path);
}

static int
open_root(pid_t pid, struct cordon_error *err)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/root/" NEW_ROOT, (int)pid);
	fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd >= 0 ? fd : cdn_err_sys(err, errno, "what bwrap mounted "
	    "cannot be looked at (use '--backend native')");
}

int
cdn_mounted_is_in(const char *cwd, const struct cdn_run_place *is, pid_t pid,
    struct cordon_error *err)
{
	static const struct cdn_open_how how = { .flags = O_PATH,
		.resolve = CDN_RESOLVE_BENEATH | CDN_RESOLVE_NO_SYMLINKS };
	cdn_cleanup_fd int root = open_root(pid, err);
	cdn_cleanup_fd int fd = -1;
	struct stat st;

	if (root < 0)
		return root;
	fd = cdn_sys_openat2(root, cwd[1] == '\0' ? "." : cwd + 1, &how);
	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_dev == is->dev &&
	    st.st_ino == is->ino)
		return 0;
	return cdn_err(err, CORDON_E_ENFORCE, "'%s' is not the directory that "
	    "was approved any more", cwd);
}

int
cdn_mounted_check(const struct cdn_bwrap_plan *plan, bool helped,
    const int *fds, pid_t pid, struct cordon_error *err)
{
	cdn_cleanup_fd int root = open_root(pid, err);
	int code = 0;

	if (root < 0)
		return root;
	for (size_t i = 0; i < plan->count && code == 0; i++)
		if (is_its(&plan->mounts[i], helped) &&
		    plan->mounts[i].kind != CDN_MOUNT_LINK &&
		    plan->mounts[i].kind != CDN_MOUNT_DIR)
			code = check(&plan->mounts[i], root, fds[i], err);
	return code;
}
