/*
 * links - second names of protected files.
 *
 * The kernel grants by directory, so a file of the floor that has another name
 * in the workspace would be open there.  Normally there is none, and looking
 * costs nothing.
 */
#include "enforce/launch/launch.h"

#include "enforce/session/linked.h"

#define REMEDY "remove that name, or copy the file instead of linking it"

struct links {
	struct cordon_plan *plan;
	struct cdn_shortfall *found;
	size_t count;
	size_t capacity;
	bool oom;
};

static void
add(struct links *links, const char *text)
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
		.id = "hard-link", .text = text, .remedy = REMEDY };
}

static void
one(const struct cdn_linked *linked, void *arg)
{
	struct links *links = arg;

	add(links, cdn_arena_printf(links->plan->arena,
	    "'%s' is a second name of '%s', which may not be %s",
	    linked->path, linked->name,
	    linked->op == CORDON_MODIFY ? "modified" : "read"));
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
		add(&links, "a protected file has other names, and not all "
		    "places where they may be could be looked at");
	if (links.oom)
		return cdn_err_nomem(err);
	return links.count == 0 ? 0 : extend(&links, err);
}
