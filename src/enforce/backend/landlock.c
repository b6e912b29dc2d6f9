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

/* A ruleset in the making, and what each kind of region gets there. */
struct draft {
	const uint64_t *table;
	struct cdn_landlock_ruleset handled;
	int fd;
	int root; /* of the regions; -1: ours */
};

/* The rights of the region in this one; 0: it has no rule there. */
static uint64_t
granted(const struct draft *draft, const struct cdn_region *region)
{
	uint64_t all = region->directory ? UINT64_MAX : OF_A_FILE;

	return draft->table[region->held] & draft->handled.fs & all;
}

static bool
is_granted(const struct draft *drafts, size_t n,
    const struct cdn_region *region)
{
	for (size_t i = 0; i < n; i++)
		if (granted(&drafts[i], region) != 0)
			return true;
	return false;
}

/* Without openat2 nobody has another root: the broker needs it. */
static int
open_region(const struct draft *draft, const char *path)
{
	static const struct cdn_open_how how = {
		.flags = O_PATH,
		.resolve = CDN_RESOLVE_NO_SYMLINKS,
	};
	int fd;

	if (draft->root >= 0)
		return cdn_sys_openat2(draft->root,
		    path[1] == '\0' ? "." : path + 1, &how);
	fd = cdn_sys_openat2(AT_FDCWD, path, &how);
	return fd == -ENOSYS || fd == -EPERM ? walk(path) : fd;
}

/* The plan's path is real: a symbolic link there now is not what was judged. */
static int
add_region(const struct draft *drafts, size_t n,
    const struct cdn_region *region, struct cordon_error *err)
{
	cdn_cleanup_fd int fd = -1;

	if (!is_granted(drafts, n, region))
		return 0;
	fd = open_region(drafts, region->path);
	if (fd == -ENOENT)
		return 0;
	if (fd < 0)
		return cdn_err_sys(err, -fd, "landlock: cannot open '%s'",
		    region->path);
	if (!region->directory && has_other_names(fd))
		return 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t rights_here = granted(&drafts[i], region);
		int r = rights_here == 0 ? 0 :
		    cdn_sys_landlock_add(drafts[i].fd, fd, rights_here);

		if (r < 0)
			return cdn_err_sys(err, -r,
			    "landlock: cannot grant '%s'", region->path);
	}
	return 0;
}

static int
create(struct draft *drafts, size_t n, int abi, struct cordon_error *err)
{
	for (size_t i = 0; i < n; i++) {
		int fd = cdn_sys_landlock_create(&drafts[i].handled, abi);

		if (fd < 0)
			return cdn_err_sys(err, -fd,
			    "landlock: cannot create a ruleset");
		drafts[i].fd = fd;
	}
	return 0;
}

/* What whoever judges has of his own: terminals, and his /proc. */
static int
add_bound(struct draft draft, struct cordon_error *err)
{
	static const struct cdn_region regions[] = {
		{ .path = "/dev/pts", .directory = true,
		    .held = CDN_REGION_DEVICE },
		{ .path = "/proc", .directory = true,
		    .held = CDN_REGION_FIXED },
	};
	size_t n = draft.root >= 0 ? CDN_LEN(regions) : 1;
	int code = 0;

	draft.root = -1;
	for (size_t i = 0; code == 0 && i < n; i++)
		code = add_region(&draft, 1, &regions[i], err);
	return code;
}

/*
 * Each region is opened once, whatever number of rulesets it is for.  bound:
 * the last one is that of whoever judges, and a descriptor has the rights of
 * who opened it.
 */
static int
build(const struct cdn_plan *plan, int abi, struct draft *drafts, size_t n,
    bool bound, struct cordon_error *err)
{
	int code = create(drafts, n, abi, err);

	for (size_t i = 0; code == 0 && i < plan->region_count; i++)
		code = add_region(drafts, n, &plan->regions[i], err);
	if (code == 0 && bound)
		code = add_bound(drafts[n - 1], err);
	for (size_t i = 0; code != 0 && i < n; i++)
		cdn_cleanup_fd_fn(&drafts[i].fd);
	return code;
}

static struct draft
inner(const struct cdn_plan *plan, int abi, int root)
{
	return (struct draft){ .table = rights, .fd = -1, .root = root,
		.handled = cdn_landlock_handled(abi,
		    plan->network == CDN_NETWORK_FULL) };
}

/* Files only: what it connects to, and whom it signals, it decides itself. */
static struct draft
outer(int abi, int root)
{
	struct draft draft = { .table = bounds, .fd = -1, .root = root,
		.handled = cdn_landlock_handled(abi, true) };

	draft.handled.scoped = 0;
	return draft;
}

int
cdn_landlock_build(const struct cdn_plan *plan, int abi, int root,
    int *ret_fd, int *ret_bound, struct cordon_error *err)
{
	struct draft drafts[2];
	size_t n = 0;
	int code;

	if (ret_fd != NULL)
		drafts[n++] = inner(plan, abi, root);
	if (ret_bound != NULL)
		drafts[n++] = outer(abi, root);
	code = build(plan, abi, drafts, n, ret_bound != NULL, err);
	if (code != 0)
		return code;
	if (ret_fd != NULL)
		*ret_fd = drafts[0].fd;
	if (ret_bound != NULL)
		*ret_bound = drafts[n - 1].fd;
	return 0;
}
