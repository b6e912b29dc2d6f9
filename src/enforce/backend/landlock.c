#include "enforce/backend/landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "enforce/sys/sys.h"

#define READ_EXECUTE (CDN_LL_READ_FILE | CDN_LL_READ_DIR | CDN_LL_EXECUTE)
#define MODIFY                                                             \
	(CDN_LL_WRITE_FILE | CDN_LL_TRUNCATE | CDN_LL_MAKE_REG |           \
	    CDN_LL_MAKE_DIR | CDN_LL_MAKE_SYM | CDN_LL_MAKE_FIFO |         \
	    CDN_LL_MAKE_SOCK | CDN_LL_REMOVE_FILE | CDN_LL_REMOVE_DIR |    \
	    CDN_LL_REFER)
/* Rights that mean something on what is no directory. */
#define OF_A_FILE                                                          \
	(CDN_LL_EXECUTE | CDN_LL_WRITE_FILE | CDN_LL_READ_FILE |           \
	    CDN_LL_TRUNCATE | CDN_LL_IOCTL_DEV)

static const uint64_t rights[CDN_REGION_KIND_MAX] = {
	[CDN_REGION_CLOSED] = 0,
	[CDN_REGION_FIXED] = READ_EXECUTE,
	[CDN_REGION_OPEN] = READ_EXECUTE | MODIFY,
	[CDN_REGION_MIXED_MODIFY] = READ_EXECUTE,
	[CDN_REGION_MIXED_READ] = CDN_LL_READ_FILE | CDN_LL_EXECUTE,
	[CDN_REGION_PASSAGE] = CDN_LL_READ_DIR,
	[CDN_REGION_DEVICE] = CDN_LL_READ_FILE | CDN_LL_WRITE_FILE |
	    CDN_LL_IOCTL_DEV,
};

/* With any modify in it, a performed change needs all of it. */
static const uint64_t bounds[CDN_REGION_KIND_MAX] = {
	[CDN_REGION_CLOSED] = 0,
	[CDN_REGION_FIXED] = READ_EXECUTE,
	[CDN_REGION_OPEN] = READ_EXECUTE | MODIFY,
	[CDN_REGION_MIXED_MODIFY] = READ_EXECUTE | MODIFY,
	[CDN_REGION_MIXED_READ] = READ_EXECUTE | MODIFY,
	[CDN_REGION_PASSAGE] = CDN_LL_READ_DIR,
	[CDN_REGION_DEVICE] = CDN_LL_READ_FILE | CDN_LL_WRITE_FILE |
	    CDN_LL_IOCTL_DEV,
};

uint64_t
cdn_landlock_rights(enum cdn_region_kind kind)
{
	return rights[kind];
}

struct cdn_landlock_ruleset
cdn_landlock_handled(int abi, bool network)
{
	struct cdn_landlock_ruleset handled = {
		.fs = CDN_LL_MAKE_SYM * 2 - 1, /* all of ABI 1 */
	};

	if (abi >= 2)
		handled.fs |= CDN_LL_REFER;
	if (abi >= 3)
		handled.fs |= CDN_LL_TRUNCATE;
	if (abi >= 4 && !network)
		handled.net = CDN_LL_BIND_TCP | CDN_LL_CONNECT_TCP;
	if (abi >= 5)
		handled.fs |= CDN_LL_IOCTL_DEV;
	if (abi >= 6)
		handled.scoped = CDN_LL_SCOPE_ABSTRACT | CDN_LL_SCOPE_SIGNAL;
	return handled;
}

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

/* The plan's path is real: a symbolic link there now is not what was judged. */
static int
add_region(int ruleset, uint64_t granted, const struct cdn_region *region,
    struct cordon_error *err)
{
	static const struct cdn_open_how how = {
		.flags = O_PATH,
		.resolve = CDN_RESOLVE_NO_SYMLINKS,
	};
	cdn_cleanup_fd int fd = -1;
	int r;

	if (!region->directory)
		granted &= OF_A_FILE;
	if (granted == 0)
		return 0;
	fd = cdn_sys_openat2(AT_FDCWD, region->path, &how);
	if (fd == -ENOSYS || fd == -EPERM)
		fd = walk(region->path);
	if (fd == -ENOENT)
		return 0;
	if (fd < 0)
		return cdn_err_sys(err, -fd, "landlock: cannot open '%s'",
		    region->path);
	if (!region->directory && has_other_names(fd))
		return 0;
	r = cdn_sys_landlock_add(ruleset, fd, granted);
	if (r < 0)
		return cdn_err_sys(err, -r, "landlock: cannot grant '%s'",
		    region->path);
	return 0;
}

static int
build(const struct cdn_plan *plan, int abi,
    const struct cdn_landlock_ruleset *handled,
    const uint64_t table[CDN_REGION_KIND_MAX], int *ret_fd,
    struct cordon_error *err)
{
	int ruleset = cdn_sys_landlock_create(handled, abi);

	if (ruleset < 0)
		return cdn_err_sys(err, -ruleset,
		    "landlock: cannot create a ruleset");
	for (size_t i = 0; i < plan->region_count; i++) {
		const struct cdn_region *region = &plan->regions[i];
		int code = add_region(ruleset,
		    table[region->held] & handled->fs, region, err);

		if (code != 0) {
			close(ruleset);
			return code;
		}
	}
	*ret_fd = ruleset;
	return 0;
}

int
cdn_landlock_build(const struct cdn_plan *plan, int abi, int *ret_fd,
    struct cordon_error *err)
{
	struct cdn_landlock_ruleset handled = cdn_landlock_handled(abi,
	    plan->network == CDN_NETWORK_FULL);

	return build(plan, abi, &handled, rights, ret_fd, err);
}

/* Files only: what it connects to, and whom it signals, it decides itself. */
int
cdn_landlock_bound(const struct cdn_plan *plan, int abi, int *ret_fd,
    struct cordon_error *err)
{
	static const struct cdn_region terminals = { .path = "/dev/pts",
		.directory = true, .held = CDN_REGION_DEVICE };
	struct cdn_landlock_ruleset handled = cdn_landlock_handled(abi, true);
	int ruleset, code;

	handled.scoped = 0;
	code = build(plan, abi, &handled, bounds, &ruleset, err);
	if (code != 0)
		return code;
	/* A descriptor has the rights of who opened it. */
	code = add_region(ruleset, bounds[terminals.held] & handled.fs,
	    &terminals, err);
	if (code != 0)
		close(ruleset);
	else
		*ret_fd = ruleset;
	return code;
}
