/*
 * shortfalls - what stands in the way besides what the plan knows.
 *
 * Second names of protected files: the kernel grants by directory, so a file
 * of the floor that has another name in the workspace would be open there.
 * Normally there is none, and it is found out cheaply.  Limits that hold for
 * each process only, or not at all.  Isolation that is not there.
 */
#include "enforce/launch/plant.h"

#include <unistd.h>

#include "enforce/run/run.h"
#include "enforce/session/linked.h"

#define UNLINK "remove that name, or copy the file instead of linking it"
#define CGROUP "run it where a cgroup with these controllers can be made"
#define SHOWN  "the mount at '%s' shows what '%s' denies elsewhere"
#define SECOND "'%s' is a second name of '%s', which may not be %s"

enum {
	HARD_LINK,
	HARD_LINK_PERHAPS,
	MOUNT_SHOWS,
	MOUNTS_UNSEEN,
	LIMITS_PROCESSES,
	LIMITS_TREE,
	ISOLATION
};

static const struct cdn_shortfall table[] = {
	[HARD_LINK] = { "hard-link", SECOND, UNLINK },
	[HARD_LINK_PERHAPS] = { "hard-link",
	    "a protected file has other names, and not all places where they "
	    "may be could be looked at", UNLINK },
	[MOUNT_SHOWS] = { "mounts", SHOWN,
	    "unmount it, or name directories instead of wildcards" },
	[MOUNTS_UNSEEN] = { "mounts",
	    "what is mounted where cannot be seen: a protected file may be "
	    "open under another name", "mount /proc" },
	[LIMITS_PROCESSES] = { "limits-processes",
	    "the number of processes is not limited: for root only a cgroup "
	    "could", CGROUP },
	/* Said, but no rule: only a limit that does not hold is a loss. */
	[LIMITS_TREE] = { "limits-tree",
	    "limits hold for each process, not for all of them together",
	    CGROUP, .accepted = true },
	[ISOLATION] = { "isolation", "there are no namespaces of its own",
	    "use '--isolation auto': no rule needs namespaces" },
};

struct list {
	struct cordon_plan *plan;
	struct cdn_shortfall *found;
	size_t count;
	size_t capacity;
	bool oom;
};

/* text replaces that of the table. */
static void
add(struct list *list, size_t which, const char *text)
{
	struct cdn_shortfall *grown;

	if (text == NULL || list->oom) {
		list->oom = true;
		return;
	}
	grown = cdn_arena_grow(list->plan->arena, list->found, list->count,
	    &list->capacity, sizeof(*grown));
	if (grown == NULL) {
		list->oom = true;
		return;
	}
	list->found = grown;
	list->found[list->count] = table[which];
	list->found[list->count++].text = text;
}

static void
add_row(struct list *list, size_t which)
{
	add(list, which, table[which].text);
}

/* A name must not write lines of its own. */
static char *
clean(char *text)
{
	for (char *c = text; c != NULL && *c != '\0'; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	return text;
}

static void
shown(struct list *list, const struct cordon_session *session)
{
	add(list, MOUNT_SHOWS, clean(cdn_arena_printf(list->plan->arena,
	    SHOWN, session->shown_at, session->shown_rule)));
}

static void
one(const struct cdn_linked *linked, void *arg)
{
	struct list *list = arg;
	char *text = cdn_arena_printf(list->plan->arena, SECOND,
	    linked->path, linked->name,
	    linked->op == CORDON_MODIFY ? "modified" : "read");

	add(list, HARD_LINK, clean(text));
}

/* The plan with the new shortfalls behind its own. */
static int
extend(const struct list *list, struct cordon_error *err)
{
	struct cordon_plan *plan = list->plan;
	size_t own = plan->plan->shortfall_count;
	struct cdn_plan *copy = cdn_arena_alloc(plan->arena, sizeof(*copy));
	struct cdn_shortfall *all = cdn_arena_array(plan->arena,
	    own + list->count, sizeof(*all));

	if (copy == NULL || all == NULL)
		return cdn_err_nomem(err);
	*copy = *plan->plan;
	for (size_t i = 0; i < own; i++)
		all[i] = plan->plan->shortfalls[i];
	for (size_t i = 0; i < list->count; i++) {
		all[own + i] = list->found[i];
		copy->enforced &= list->found[i].accepted;
	}
	copy->shortfalls = all;
	copy->shortfall_count = own + list->count;
	plan->plan = copy;
	return 0;
}

static int
add_names(struct list *list, struct cordon_error *err)
{
	bool complete = true;
	int code = cdn_plant_forgets_names(CDN_FOR_PLAN) ?
	    0 :
	    cdn_session_linked(list->plan->session, one, list, &complete, err);

	if (code != 0)
		return code;
	if (!complete)
		add_row(list, HARD_LINK_PERHAPS);
	if (list->plan->session->shown_at != NULL)
		shown(list, list->plan->session);
	if (list->plan->session->mounts_unknown)
		add_row(list, MOUNTS_UNSEEN);
	return 0;
}

static void
add_limits(struct list *list)
{
	const struct cdn_limits *limits = &list->plan->terms.limits;
	struct cdn_run_limits asked = {
		.cpu_ms = limits->cpu_ms,
		.memory_bytes = limits->memory_bytes,
		.processes = limits->processes,
	};
	unsigned held;

	if ((asked.cpu_ms | asked.memory_bytes | asked.processes) == 0)
		return;
	held = cdn_run_limits_probe(&asked);
	if (asked.processes != 0 && (held & CDN_TREE_PROCESSES) == 0 &&
	    geteuid() == 0)
		add_row(list, LIMITS_PROCESSES);
	if (cdn_run_limits_scope(&asked, held) != CDN_SCOPE_TREE)
		add_row(list, LIMITS_TREE);
}

static void
add_isolation(struct list *list)
{
	if (list->plan->terms.isolation == CDN_ISOLATION_NAMESPACES &&
	    !list->plan->apart && !list->plan->plan->mounted)
		add_row(list, ISOLATION);
}

bool
cdn_launch_shortfall(size_t i, struct cdn_shortfall *ret)
{
	if (i >= CDN_LEN(table))
		return false;
	*ret = table[i];
	return true;
}

int
cdn_launch_shortfalls(struct cordon_plan *plan, struct cordon_error *err)
{
	struct list list = { .plan = plan };
	int code = add_names(&list, err);

	if (code != 0)
		return code;
	add_limits(&list);
	add_isolation(&list);
	if (list.oom)
		return cdn_err_nomem(err);
	return list.count == 0 ? 0 : extend(&list, err);
}
