/*
 * bwrap - mounts for the regions of a plan, and for what every sandbox has.
 */
#include "engine/bwrap/build.h"

/* What CDN_MOUNT_DEV brings. */
static const char *const devices[] = { "/dev/null", "/dev/zero", "/dev/full",
	"/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx", "/dev/pts" };

static bool
is_device(const char *path)
{
	for (size_t i = 0; i < CDN_LEN(devices); i++)
		if (strcmp(devices[i], path) == 0)
			return true;
	return false;
}

/* /proc is that of the run, whatever the host's is granted. */
static bool
is_left_out(const struct cdn_region *region)
{
	if (cdn_plan_at_or_below(region->path, "/proc") ||
	    strcmp(region->path, "/dev") == 0)
		return true;
	if (!cdn_plan_at_or_below(region->path, "/dev"))
		return false;
	return is_device(region->path) || (region->kind != CDN_REGION_DEVICE &&
	    region->held != CDN_REGION_OPEN);
}

static bool
is_own(const struct cdn_bwrap_input *in, const char *path)
{
	for (size_t i = 0; i < in->spec->own.n; i++)
		if (strcmp(in->spec->own.v[i].path, path) == 0)
			return true;
	return false;
}

/* Given away by a plan in which nobody judges; mounts do better. */
static bool
is_given_away(const struct cdn_region *region)
{
	return region->kind != region->held &&
	    (region->held == CDN_REGION_OPEN ||
		region->held == CDN_REGION_FIXED);
}

static bool
may(const struct cdn_bwrap_build *b, enum cordon_op op, const char *path)
{
	const struct cdn_question question = { .as = CORDON_AS_PROCESS,
		.op = op, .path = cdn_str_of(path) };
	struct cordon_verdict verdict;

	cdn_decide(b->in->authority, &question, &verdict);
	return verdict.allowed;
}

bool
cdn_bwrap_may_list(const struct cdn_bwrap_build *b, const char *path)
{
	return may(b, CORDON_READ, path);
}

static int
add_region(struct cdn_bwrap_build *b, const struct cdn_region *region)
{
	static const enum cdn_mount_kind kinds[CDN_REGION_KIND_MAX] = {
		[CDN_REGION_CLOSED] = CDN_MOUNT_NOTHING,
		[CDN_REGION_FIXED] = CDN_MOUNT_RO,
		[CDN_REGION_OPEN] = CDN_MOUNT_RW,
		[CDN_REGION_MIXED_MODIFY] = CDN_MOUNT_RO,
		[CDN_REGION_MIXED_READ] = CDN_MOUNT_NOTHING,
		[CDN_REGION_PASSAGE] = CDN_MOUNT_EMPTY,
		[CDN_REGION_DEVICE] = CDN_MOUNT_DEVICE,
	};
	struct cdn_bwrap_mount mount = { .path = region->path,
		.kind = kinds[region->held], .directory = region->directory };

	if (is_given_away(region))
		return cdn_bwrap_walk(b, region->path, region->directory,
		    CDN_BWRAP_CLOSED);
	if (mount.kind == CDN_MOUNT_NOTHING && region->directory)
		mount.kind = CDN_MOUNT_EMPTY;
	else if (mount.kind == CDN_MOUNT_EMPTY)
		mount.mode = cdn_bwrap_may_list(b, region->path) ? 0555 :
								   0111;
	/* What lies in it may not be changed; it may be itself, but is not. */
	b->new_names |= mount.directory && mount.kind == CDN_MOUNT_RO &&
	    may(b, CORDON_MODIFY, region->path);
	mount.own = mount.kind == CDN_MOUNT_RW && is_own(b->in, region->path);
	return cdn_bwrap_add(b, &mount);
}

/* ----- What every sandbox has -------------------------------------------- */

/* Granted by name, or open to changes: then the host's is what was meant. */
static bool
is_granted(const struct cdn_plan *plan, const char *place)
{
	const struct cdn_region *deepest = NULL;

	for (size_t i = 0; i < plan->region_count; i++)
		if (cdn_plan_at_or_below(place, plan->regions[i].path))
			deepest = &plan->regions[i];
	return deepest != NULL && deepest->kind != CDN_REGION_CLOSED &&
	    (strcmp(deepest->path, place) == 0 ||
		deepest->says[CORDON_MODIFY] != CDN_SUBTREE_DENY);
}

static bool
is_inhabited(const struct cdn_bwrap_build *b, const char *place)
{
	for (size_t i = 0; i < b->count; i++)
		if (cdn_plan_below(b->mounts[i].path, place))
			return true;
	return false;
}

static int
add_tmp(struct cdn_bwrap_build *b)
{
	static const char tmp[] = "/tmp";
	const struct cdn_plan_reader *reader = b->in->reader;
	bool directory = false;

	if (is_granted(b->in->plan, tmp) ||
	    !reader->exists(reader->arg, tmp, &directory) || !directory)
		return 0;
	return cdn_bwrap_add(b, &(struct cdn_bwrap_mount){ .path = tmp,
	    .kind = CDN_MOUNT_TMP,
	    .from = b->in->tmp[0] == '\0' || is_inhabited(b, tmp) ? NULL :
								    b->in->tmp,
	});
}

static int
add_system(struct cdn_bwrap_build *b)
{
	static const struct cdn_bwrap_mount all[] = {
		{ .path = "/dev", .kind = CDN_MOUNT_DEV },
		{ .path = "/proc", .kind = CDN_MOUNT_PROC },
	};
	int code = add_tmp(b);

	for (size_t i = 0; i < CDN_LEN(all) && code == 0; i++)
		code = cdn_bwrap_add(b, &all[i]);
	for (size_t i = 0; i < b->count && code == 0; i++)
		if (strcmp(b->mounts[i].path, "/") == 0)
			return 0;
	return code != 0 ? code : cdn_bwrap_add(b, &(struct cdn_bwrap_mount){
	    .path = "/", .kind = CDN_MOUNT_EMPTY, .mode = 0555,
	    .directory = true });
}

int
cdn_bwrap_build(struct cdn_arena *arena, const struct cdn_bwrap_input *input,
    struct cdn_bwrap_plan *ret, struct cordon_error *err)
{
	struct cdn_bwrap_build b = { .arena = arena, .in = input, .err = err,
		.mounted = input->mounted != NULL ? input->mounted :
						    input->authority };
	const struct cdn_plan *plan = input->plan;
	int code = 0;

	for (size_t i = 0; i < plan->region_count && code == 0; i++)
		if (!is_left_out(&plan->regions[i]))
			code = add_region(&b, &plan->regions[i]);
	if (code == 0)
		code = add_system(&b);
	if (code == 0)
		code = cdn_bwrap_arrange(&b);
	if (code == 0)
		code = cdn_bwrap_report(&b, &ret->plan);
	ret->mounts = b.mounts;
	ret->count = b.count;
	return code;
}
