/*
 * links - second names of protected files: hard links, and mounts.
 *
 * The kernel grants by directory, so a file of the floor that has another name
 * in the workspace would be open there.  Normally there is none, and looking
 * costs nothing.
 */
#include "enforce/launch/launch.h"

#include "enforce/session/linked.h"

#define UNLINK "remove that name, or copy the file instead of linking it"
#define MOUNT  "mount /proc"

struct links {
	struct cordon_plan *plan;
	struct cdn_shortfall *found;
	size_t count;
	size_t capacity;
	bool oom;
};

static void
add(struct links *links, const char *id, const char *text,
    const char *remedy)
{
	struct cdn_shortfall *grown;

	if (text == NULL || links->oom) {
		links->oom = true;
		return;
	}
	grown = cdn_arena_grow(links->plan->arena, links->found, links->count,
	    &links->capacity, sizeof(*grown));
	if (grown == NULL) {
		links->oom = true;
		return;
	}
	links->found = grown;
	links->found[links->count++] = (struct cdn_shortfall){
		.id = id, .text = text, .remedy = remedy };
}

static void
one(const struct cdn_linked *linked, void *arg)
{
	struct links *links = arg;

	add(links, "hard-link", cdn_arena_printf(links->plan->arena,
	    "'%s' is a second name of '%s', which may not be %s",
	    linked->path, linked->name,
	    linked->op == CORDON_MODIFY ? "modified" : "read"), UNLINK);
}

/* The plan with the new shortfalls behind its own. */
static int
extend(const struct links *links, struct cordon_error *err)
{
	struct cordon_plan *plan = links->plan;
	size_t own = plan->plan->shortfall_count;
	struct cdn_plan *copy = cdn_arena_alloc(plan->arena, sizeof(*copy));
	struct cdn_shortfall *all = cdn_arena_array(plan->arena,
	    own + links->count, sizeof(*all));

	if (copy == NULL || all == NULL)
		return cdn_err_nomem(err);
	*copy = *plan->plan;
	for (size_t i = 0; i < own; i++)
		all[i] = plan->plan->shortfalls[i];
	for (size_t i = 0; i < links->count; i++)
		all[own + i] = links->found[i];
	copy->shortfalls = all;
	copy->shortfall_count = own + links->count;
	copy->enforced = false;
	plan->plan = copy;
	return 0;
}

int
cdn_launch_links(struct cordon_plan *plan, struct cordon_error *err)
{
	struct links links = { .plan = plan };
	bool complete = true;
	int code = cdn_session_linked(plan->session, one, &links, &complete,
	    err);

	if (code != 0)
		return code;
	if (!complete)
		add(&links, "hard-link", "a protected file has other names, "
		    "and not all places where they may be could be looked at",
		    UNLINK);
	if (plan->session->mounts_unknown)
		add(&links, "mounts", "what is mounted where cannot be seen: "
		    "a protected file may be open under another name", MOUNT);
	if (links.oom)
		return cdn_err_nomem(err);
	return links.count == 0 ? 0 : extend(&links, err);
}
