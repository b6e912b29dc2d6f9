#include "enforce/backend/landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "enforce/backend/grants.h"
#include "enforce/sys/sys.h"

#define READ_EXECUTE (CDN_LL_READ_FILE | CDN_LL_READ_DIR | CDN_LL_EXECUTE)
#define MODIFY                                                             \
	(CDN_LL_WRITE_FILE | CDN_LL_TRUNCATE | CDN_LL_MAKE_REG |           \
	    CDN_LL_MAKE_DIR | CDN_LL_MAKE_SYM | CDN_LL_MAKE_FIFO |         \
	    CDN_LL_MAKE_SOCK | CDN_LL_REMOVE_FILE | CDN_LL_REMOVE_DIR |    \
	    CDN_LL_REFER)

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

uint64_t
cdn_landlock_bound(enum cdn_region_kind kind)
{
	return bounds[kind];
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

/* Rulesets in the making. */
struct draft {
	struct cdn_landlock_ruleset handled[CDN_RULESET_MAX];
	int fd[CDN_RULESET_MAX];
	int root; /* of the regions; -1: ours */
	const char *top; /* a region with more in it: the way to them begins */
	int top_fd;	 /* there; NULL and -1: at the root */
};

/* Without openat2 nobody has another root: the broker needs it. */
static int
open_region(const struct draft *draft, const char *path)
{
	static const struct cdn_open_how how = {
		.flags = O_PATH,
		.resolve = CDN_RESOLVE_NO_SYMLINKS,
	};
	int fd;

	if (draft->top != NULL)
		fd = cdn_sys_openat2(draft->top_fd,
		    path + strlen(draft->top) + 1, &how);
	else if (draft->root >= 0)
		fd = cdn_sys_openat2(draft->root,
		    path[1] == '\0' ? "." : path + 1, &how);
	else
		fd = cdn_sys_openat2(AT_FDCWD, path, &how);
	return draft->root < 0 && (fd == -ENOSYS || fd == -EPERM) ?
	    walk(path) : fd;
}

static void
leave_top(struct draft *draft)
{
	cdn_cleanup_fd_fn(&draft->top_fd);
	draft->top = NULL;
	draft->top_fd = -1;
}

static int
add_rules(const struct draft *draft, const struct cdn_region *region,
    const struct cdn_grant *grant, int fd, struct cordon_error *err)
{
	if (!region->directory && has_other_names(fd))
		return 0;
	for (int i = 0; i < CDN_RULESET_MAX; i++) {
		int r = grant->rights[i] == 0 ? 0 :
		    cdn_sys_landlock_add(draft->fd[i], fd, grant->rights[i]);

		if (r < 0)
			return cdn_err_sys(err, -r,
			    "landlock: cannot grant '%s'", region->path);
	}
	return 0;
}

/*
 * The plan's path is real: a symbolic link there now is not what was judged.
 * Each region is opened once, whatever number of rulesets it is for.  below:
 * others that lie in it follow.
 */
static int
add_region(struct draft *draft, const struct cdn_region *region,
    const struct cdn_grant *grant, bool below, struct cordon_error *err)
{
	int fd, code;

	if (grant->rights[CDN_RULESET_PLAN] == 0 &&
	    grant->rights[CDN_RULESET_BOUND] == 0)
		return 0;
	if (draft->top != NULL &&
	    !cdn_plan_at_or_below(region->path, draft->top))
		leave_top(draft);
	fd = open_region(draft, region->path);
	if (fd == -ENOENT)
		return 0;
	if (fd < 0)
		return cdn_err_sys(err, -fd, "landlock: cannot open '%s'",
		    region->path);
	code = add_rules(draft, region, grant, fd, err);
	if (below && draft->top == NULL && region->path[1] != '\0') {
		draft->top = region->path;
		draft->top_fd = fd;
	} else {
		close(fd);
	}
	return code;
}

static int
add_regions(struct draft *draft, const struct cdn_plan *plan,
    const struct cdn_grant *grants, struct cordon_error *err)
{
	int code = 0;

	for (size_t i = 0; code == 0 && i < plan->region_count; i++) {
		const struct cdn_region *region = &plan->regions[i];
		bool below = region->directory && i + 1 < plan->region_count &&
		    cdn_plan_at_or_below(region[1].path, region->path);

		code = add_region(draft, region, &grants[i], below, err);
	}
	leave_top(draft);
	return code;
}

/*
 * What whoever judges has of his own: terminals, and his /proc, where a process
 * may write its own name and a few things more.  A descriptor has the rights of
 * who opened it.  grants.c knows of them, too.
 */
static int
add_beside(struct draft *draft, struct cordon_error *err)
{
	static const struct {
		struct cdn_region region;
		uint64_t rights;
	} rows[] = {
		{ { .path = "/dev/pts", .directory = true }, CDN_LL_READ_FILE |
		    CDN_LL_WRITE_FILE | CDN_LL_IOCTL_DEV },
		{ { .path = "/proc", .directory = true }, READ_EXECUTE |
		    CDN_LL_WRITE_FILE | CDN_LL_TRUNCATE },
	};
	int code = 0;

	draft->root = -1;
	for (size_t i = 0; code == 0 && i < CDN_LEN(rows); i++) {
		struct cdn_grant grant = { .rights = { [CDN_RULESET_BOUND] =
		    rows[i].rights & draft->handled[CDN_RULESET_BOUND].fs } };

		code = add_region(draft, &rows[i].region, &grant, false, err);
	}
	return code;
}

/* ----- Building ------------------------------------------------------------------ */

/* Files only: what it connects to, and whom it signals, it decides itself. */
static struct cdn_landlock_ruleset
handled_by_bound(int abi)
{
	struct cdn_landlock_ruleset handled = cdn_landlock_handled(abi, true);

	handled.scoped = 0;
	return handled;
}

static int
create(struct draft *draft, int abi, struct cordon_error *err)
{
	for (int i = 0; i < CDN_RULESET_MAX; i++) {
		int fd = draft->handled[i].fs == 0 ? -1 :
		    cdn_sys_landlock_create(&draft->handled[i], abi);

		if (draft->handled[i].fs != 0 && fd < 0)
			return cdn_err_sys(err, -fd,
			    "landlock: cannot create a ruleset");
		draft->fd[i] = fd;
	}
	return 0;
}

static int
fill(struct draft *draft, const struct cdn_plan *plan,
    struct cordon_error *err)
{
	const uint64_t handled[CDN_RULESET_MAX] = { draft->handled[0].fs,
		draft->handled[1].fs };
	struct cdn_grant *grants = calloc(plan->region_count + 1,
	    sizeof(*grants));
	int code;

	if (grants == NULL)
		return cdn_err_nomem(err);
	cdn_grants_find(plan, handled, grants);
	code = add_regions(draft, plan, grants, err);
	free(grants);
	if (code == 0 && draft->fd[CDN_RULESET_BOUND] >= 0)
		code = add_beside(draft, err);
	return code;
}

int
cdn_landlock_build(const struct cdn_plan *plan, int abi, int root,
    int *ret_fd, int *ret_bound, struct cordon_error *err)
{
	struct draft draft = { .fd = { -1, -1 }, .root = root, .top_fd = -1 };
	int code;

	if (ret_fd != NULL)
		draft.handled[CDN_RULESET_PLAN] = cdn_landlock_handled(abi,
		    plan->network == CDN_NETWORK_FULL);
	if (ret_bound != NULL)
		draft.handled[CDN_RULESET_BOUND] = handled_by_bound(abi);
	code = create(&draft, abi, err);
	if (code == 0)
		code = fill(&draft, plan, err);
	for (int i = 0; code != 0 && i < CDN_RULESET_MAX; i++)
		cdn_cleanup_fd_fn(&draft.fd[i]);
	if (code != 0)
		return code;
	if (ret_fd != NULL)
		*ret_fd = draft.fd[CDN_RULESET_PLAN];
	if (ret_bound != NULL)
		*ret_bound = draft.fd[CDN_RULESET_BOUND];
	return 0;
}
