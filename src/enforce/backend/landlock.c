#include "enforce/backend/landlock.h"

#include "enforce/backend/fill.h"

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

/* Rulesets in the making. */
struct draft {
	struct cdn_landlock_ruleset handled[CDN_RULESET_MAX];
	int fd[CDN_RULESET_MAX];
};

/*
 * What whoever judges has of his own: terminals, and his /proc, where a process
 * may write its own name and a few things more.  A descriptor has the rights of
 * who opened it.  grants.c knows of them, too.
 */
static const struct {
	struct cdn_region region;
	uint64_t rights;
} beside[] = {
	{ { .path = "/dev/pts", .directory = true }, CDN_LL_READ_FILE |
	    CDN_LL_WRITE_FILE | CDN_LL_IOCTL_DEV },
	{ { .path = "/proc", .directory = true }, READ_EXECUTE |
	    CDN_LL_WRITE_FILE | CDN_LL_TRUNCATE },
};

static int
by_path(const void *a, const void *b)
{
	const struct cdn_region *x = a, *y = b;

	return cdn_plan_path_cmp(x->path, y->path);
}

/* Where it is a region it has a rule, and needs no other.  False: it is none. */
static bool
is_granted_beside(const struct cdn_plan *plan, size_t i, uint64_t all,
    struct cdn_grant *grants)
{
	const struct cdn_region *found = plan->region_count == 0 ? NULL :
	    bsearch(&beside[i].region, plan->regions, plan->region_count,
		sizeof(*found), by_path);

	if (found == NULL || !found->directory)
		return false;
	grants[found - plan->regions].rights[CDN_RULESET_BOUND] |= all;
	return true;
}

/* His are ours: the run may have others under these names. */
static int
add_beside(const struct draft *draft, const struct cdn_plan *plan, int root,
    struct cdn_grant *grants, struct cordon_error *err)
{
	const struct cdn_fill ours = { .root = -1,
		.fd = { draft->fd[0], draft->fd[1] } };
	int code = 0;

	for (size_t i = 0; code == 0 && i < CDN_LEN(beside); i++) {
		uint64_t all = beside[i].rights &
		    draft->handled[CDN_RULESET_BOUND].fs;

		if (root >= 0 || !is_granted_beside(plan, i, all, grants))
			code = cdn_fill_one(&ours, &beside[i].region,
			    &(struct cdn_grant){ .rights = {
				[CDN_RULESET_BOUND] = all } }, err);
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
fill(const struct draft *draft, const struct cdn_plan *plan, int root,
    struct cordon_error *err)
{
	const uint64_t handled[CDN_RULESET_MAX] = { draft->handled[0].fs,
		draft->handled[1].fs };
	struct cdn_grant *grants = calloc(plan->region_count + 1,
	    sizeof(*grants));
	int code = 0;

	if (grants == NULL)
		return cdn_err_nomem(err);
	cdn_grants_find(plan, handled, grants);
	if (draft->fd[CDN_RULESET_BOUND] >= 0)
		code = add_beside(draft, plan, root, grants, err);
	if (code == 0)
		code = cdn_fill_all(&(struct cdn_fill){ .plan = plan,
		    .grants = grants, .root = root,
		    .fd = { draft->fd[0], draft->fd[1] } }, err);
	free(grants);
	return code;
}

int
cdn_landlock_build(const struct cdn_plan *plan, int abi, int root,
    int *ret_fd, int *ret_bound, struct cordon_error *err)
{
	struct draft draft = { .fd = { -1, -1 } };
	int code;

	if (ret_fd != NULL)
		draft.handled[CDN_RULESET_PLAN] = cdn_landlock_handled(abi,
		    plan->network == CDN_NETWORK_FULL);
	if (ret_bound != NULL)
		draft.handled[CDN_RULESET_BOUND] = handled_by_bound(abi);
	code = create(&draft, abi, err);
	if (code == 0)
		code = fill(&draft, plan, root, err);
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
