/*
 * mounts - a list of them in the order in which they are made.
 */
#include "engine/bwrap/build.h"

int
cdn_bwrap_add(struct cdn_bwrap_build *b, const struct cdn_bwrap_mount *mount)
{
	struct cdn_bwrap_mount *v = cdn_arena_grow(b->arena, b->mounts, b->count,
	    &b->capacity, sizeof(*v));

	if (v == NULL)
		return cdn_err_nomem(b->err);
	b->mounts = v;
	v[b->count++] = *mount;
	return 0;
}

/* ----- Order ------------------------------------------------------------- */

/* Of two for one path the first stays: what is special, then what hides. */
static int
rank(enum cdn_mount_kind kind)
{
	static const int ranks[CDN_MOUNT_KIND_MAX] = {
		[CDN_MOUNT_DEV] = 0,
		[CDN_MOUNT_PROC] = 0,
		[CDN_MOUNT_TMP] = 1,
		[CDN_MOUNT_DEVICE] = 2,
		[CDN_MOUNT_NOTHING] = 3,
		[CDN_MOUNT_EMPTY] = 4,
		[CDN_MOUNT_RO] = 5,
		[CDN_MOUNT_RW] = 6,
		[CDN_MOUNT_DIR] = 7,
		[CDN_MOUNT_LINK] = 8,
	};

	return ranks[kind];
}

static int
mount_cmp(const void *a, const void *b)
{
	const struct cdn_bwrap_mount *x = a, *y = b;
	int by_path = cdn_plan_path_cmp(x->path, y->path);

	return by_path != 0 ? by_path : rank(x->kind) - rank(y->kind);
}

static void
put_in_order(struct cdn_bwrap_build *b)
{
	size_t n = 0;

	if (b->count > 0)
		qsort(b->mounts, b->count, sizeof(*b->mounts), mount_cmp);
	for (size_t i = 0; i < b->count; i++)
		if (n == 0 ||
		    strcmp(b->mounts[n - 1].path, b->mounts[i].path) != 0)
			b->mounts[n++] = b->mounts[i];
	b->count = n;
}

/*
 * What lies below a path follows it without a gap, so the one around it is the
 * one before it, or one around that.
 */
const struct cdn_bwrap_mount *
cdn_bwrap_around(const struct cdn_bwrap_mount *mounts, size_t n, const char *path)
{
	while (n > 0) {
		const struct cdn_bwrap_mount *mount = &mounts[--n];

		if (mount->kind != CDN_MOUNT_LINK &&
		    mount->kind != CDN_MOUNT_DIR &&
		    cdn_plan_below(path, mount->path))
			return mount;
	}
	return NULL;
}

/* ----- None too many ----------------------------------------------------- */

/* It is there already, as it should be, because of the one around it. */
static bool
is_implied(const struct cdn_bwrap_mount *mount, const struct cdn_bwrap_mount *around)
{
	if (around == NULL || mount->pinned)
		return false;
	if (around->kind == CDN_MOUNT_DEV || around->kind == CDN_MOUNT_PROC)
		return mount->kind == CDN_MOUNT_NOTHING ||
		    mount->kind == CDN_MOUNT_EMPTY;
	if (around->kind == CDN_MOUNT_EMPTY)
		return mount->kind == CDN_MOUNT_NOTHING ||
		    (mount->kind == CDN_MOUNT_EMPTY && mount->mode == 0);
	return mount->kind == around->kind && (mount->kind == CDN_MOUNT_RO ||
	    mount->kind == CDN_MOUNT_RW);
}

static void
drop_implied(struct cdn_bwrap_build *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->count; i++) {
		struct cdn_bwrap_mount mount = b->mounts[i];

		if (!is_implied(&mount,
			cdn_bwrap_around(b->mounts, n, mount.path)))
			b->mounts[n++] = mount;
	}
	b->count = n;
}

/* ----- In between -------------------------------------------------------- */

/*
 * Directories between two mounts: pinned, where the outer one can be changed;
 * made, where it is empty.
 */
static int
add_between(struct cdn_bwrap_build *b, const char *outer, const char *inner,
    enum cdn_mount_kind kind)
{
	size_t start = strcmp(outer, "/") == 0 ? 0 : strlen(outer);
	int code = 0;

	for (const char *at = strchr(inner + start + 1, '/');
	     at != NULL && code == 0; at = strchr(at + 1, '/')) {
		const char *path = cdn_arena_dup(b->arena, inner,
		    (size_t)(at - inner));

		code = path == NULL ? cdn_err_nomem(b->err) :
		    cdn_bwrap_add(b, &(struct cdn_bwrap_mount){ .path = path,
			.kind = kind, .directory = true,
			.mode = cdn_bwrap_may_list(b, path) ? 0555 : 0111 });
	}
	return code;
}

static int
fill_between(struct cdn_bwrap_build *b)
{
	size_t n = b->count;
	int code = 0;

	for (size_t i = 0; i < n && code == 0; i++) {
		const struct cdn_bwrap_mount *around = cdn_bwrap_around(b->mounts, i,
		    b->mounts[i].path);

		if (around != NULL && (around->kind == CDN_MOUNT_RW ||
					  around->kind == CDN_MOUNT_EMPTY))
			code = add_between(b, around->path, b->mounts[i].path,
			    around->kind == CDN_MOUNT_RW ? CDN_MOUNT_RW :
							   CDN_MOUNT_DIR);
	}
	return code;
}

/* A run begins in its workspace, also where nothing of it is let through. */
static int
add_workspace(struct cdn_bwrap_build *b)
{
	const char *workspace = b->in->plan->workspace;
	const struct cdn_bwrap_mount *around = NULL;
	int code;

	for (size_t i = 0; i < b->count; i++)
		if (b->mounts[i].kind != CDN_MOUNT_DIR &&
		    cdn_plan_at_or_below(workspace, b->mounts[i].path))
			around = &b->mounts[i];
	if (around == NULL || around->kind != CDN_MOUNT_EMPTY ||
	    strcmp(around->path, workspace) == 0)
		return 0;
	code = add_between(b, around->path, workspace, CDN_MOUNT_DIR);
	return code != 0 ? code : cdn_bwrap_add(b, &(struct cdn_bwrap_mount){
	    .path = workspace, .kind = CDN_MOUNT_DIR, .directory = true,
	    .mode = cdn_bwrap_may_list(b, workspace) ? 0555 : 0111 });
}

/* ----- Links ------------------------------------------------------------- */

struct linking {
	struct cdn_bwrap_build *b;
	const char *dir;
	size_t found;
};

static int
on_link(const char *name, const char *target, void *arg)
{
	struct linking *l = arg;
	struct cdn_arena *arena = l->b->arena;
	const char *path = cdn_arena_printf(arena, "%s/%s",
	    strcmp(l->dir, "/") == 0 ? "" : l->dir, name);
	const char *to = cdn_arena_dup(arena, target, strlen(target));

	if (path == NULL || to == NULL)
		return cdn_err_nomem(l->b->err);
	if (++l->found > CDN_BWRAP_MOUNTS_MAX)
		return 0; /* what is missing is not let through */
	return cdn_bwrap_add(l->b, &(struct cdn_bwrap_mount){ .path = path,
	    .kind = CDN_MOUNT_LINK, .from = to });
}

/* Those that an empty directory would have, and may show. */
static int
add_links(struct cdn_bwrap_build *b)
{
	size_t n = b->count;
	int code = 0;

	for (size_t i = 0; i < n && code == 0; i++) {
		struct linking l = { b, b->mounts[i].path, 0 };

		if (b->mounts[i].kind == CDN_MOUNT_EMPTY &&
		    (b->mounts[i].mode & 0444) != 0)
			code = b->in->links(b->in->links_arg, l.dir, on_link,
			    &l, b->err);
	}
	return code;
}

/* ----- What each lies in ------------------------------------------------ */

static bool
is_the_sandboxs(const struct cdn_bwrap_mount *mount)
{
	return mount->kind == CDN_MOUNT_EMPTY || mount->kind == CDN_MOUNT_DEV ||
	    (mount->kind == CDN_MOUNT_TMP && mount->from == NULL);
}

/* Entries of a directory that is shared come and go; without one it is less. */
static void
mark_within(struct cdn_bwrap_build *b)
{
	for (size_t i = 0; i < b->count; i++) {
		struct cdn_bwrap_mount *mount = &b->mounts[i];
		const struct cdn_bwrap_mount *around = cdn_bwrap_around(
		    b->mounts, i, mount->path);

		if (around == NULL || !is_the_sandboxs(around))
			continue;
		mount->within = around->path;
		mount->brief = around->kind == CDN_MOUNT_EMPTY &&
		    (mount->kind == CDN_MOUNT_RO ||
			(mount->kind == CDN_MOUNT_RW && !mount->own)) &&
		    strcmp(around->path, "/") != 0;
	}
}

int
cdn_bwrap_arrange(struct cdn_bwrap_build *b)
{
	int code;

	put_in_order(b);
	drop_implied(b);
	code = fill_between(b);
	if (code == 0)
		code = add_workspace(b);
	if (code == 0)
		code = add_links(b);
	put_in_order(b);
	mark_within(b);
	return code;
}
