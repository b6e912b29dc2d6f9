/*
 * Mounts as steps.  What takes memory, or a look at the host, is done here.
 */
#include "enforce/bubble/steps.h"

#include <string.h>

struct list {
	struct cdn_arena *arena;
	struct cdn_step *v;
	size_t n;
	size_t capacity;
	bool oom;
};

static void
add(struct list *l, const struct cdn_step *step)
{
	struct cdn_step *v = l->oom || step->path == NULL ? NULL :
	    cdn_arena_grow(l->arena, l->v, l->n, &l->capacity, sizeof(*v));

	if (v == NULL) {
		l->oom = true;
		return;
	}
	l->v = v;
	v[l->n++] = *step;
}

/* ----- One mount --------------------------------------------------------- */

static const char *
text_of(unsigned mode)
{
	return mode == 0 ? "0000" : mode == 0111 ? "0111" : "0555";
}

/* Directories on the way to a place in something that is ours alone. */
static void
add_way(struct list *l, const char *outer, const char *path)
{
	size_t start = strcmp(outer, "/") == 0 ? 0 : strlen(outer);

	for (const char *at = strchr(path + start + 1, '/'); at != NULL;
	     at = strchr(at + 1, '/'))
		add(l, &(struct cdn_step){ .kind = CDN_STEP_DIR,
		    .path = cdn_arena_dup(l->arena, path, (size_t)(at - path)),
		    .mode = 0755, .lax = true });
}

static bool
is_inhabited(const struct cdn_bwrap_plan *plan, size_t i)
{
	return i + 1 < plan->count && cdn_plan_below(plan->mounts[i + 1].path,
	    plan->mounts[i].path);
}

static struct cdn_step
empty_step(const struct cdn_bwrap_plan *plan, size_t i, struct cdn_step step)
{
	unsigned mode = plan->mounts[i].mode;

	step.kind = mode == 0 && !is_inhabited(plan, i) ? CDN_STEP_CLOSED :
							  CDN_STEP_TMPFS;
	step.from = text_of(mode);
	step.point = step.point == CDN_POINT_THERE ? CDN_POINT_THERE :
						     CDN_POINT_DIR;
	return step;
}

/* Read-only: that is for its mode and times, not for what it gives and takes. */
static void
add_device(struct list *l, const char *from, const char *path)
{
	add(l, &(struct cdn_step){ .kind = CDN_STEP_BIND, .path = path,
	    .from = from, .point = CDN_POINT_FILE, .device = true,
	    .read_only = true });
}

/*
 * As programs expect it, and as bwrap makes it; over the one of bwrap, in which
 * it has a file open.  console: a terminal that the run has, or NULL; under this
 * name ttyname(3) finds it.
 */
static void
add_dev(struct list *l, const char *console)
{
	static const char *const devices[] = { "/dev/null", "/dev/zero",
		"/dev/full", "/dev/random", "/dev/urandom", "/dev/tty" };
	static const struct cdn_step rest[] = {
		{ CDN_STEP_LINK, "/dev/stdin", "/proc/self/fd/0" },
		{ CDN_STEP_LINK, "/dev/stdout", "/proc/self/fd/1" },
		{ CDN_STEP_LINK, "/dev/stderr", "/proc/self/fd/2" },
		{ CDN_STEP_LINK, "/dev/fd", "/proc/self/fd" },
		{ CDN_STEP_LINK, "/dev/core", "/proc/kcore" },
		{ CDN_STEP_LINK, "/dev/ptmx", "pts/ptmx" },
		{ CDN_STEP_PTYS, "/dev/pts", .point = CDN_POINT_DIR },
		{ CDN_STEP_TMPFS, "/dev/shm", "0755", .point = CDN_POINT_DIR },
	};

	add(l, &(struct cdn_step){ CDN_STEP_TMPFS, "/dev", "0755" });
	for (size_t i = 0; i < CDN_LEN(devices); i++)
		add_device(l, devices[i], devices[i]);
	for (size_t i = 0; i < CDN_LEN(rest); i++)
		add(l, &rest[i]);
	if (console != NULL)
		add_device(l, console, "/dev/console");
}

static void
add_mount(struct list *l, const struct cdn_bwrap_plan *plan, size_t i,
    const char *console)
{
	const struct cdn_bwrap_mount *mount = &plan->mounts[i];
	struct cdn_step step = { .kind = CDN_STEP_BIND, .path = mount->path,
		.from = mount->path, .brief = mount->brief,
		.point = mount->within == NULL ? CDN_POINT_THERE :
		    mount->directory	       ? CDN_POINT_DIR :
						 CDN_POINT_FILE };

	switch (mount->kind) {
	case CDN_MOUNT_RO:
		step.read_only = true;
		break;
	case CDN_MOUNT_RW:
		break;
	case CDN_MOUNT_DEVICE:
		step.device = step.read_only = true;
		break;
	case CDN_MOUNT_NOTHING:
		/* As no device can be opened there, it cannot be opened. */
		step.from = "/dev/null";
		step.read_only = true;
		break;
	case CDN_MOUNT_EMPTY:
		step = empty_step(plan, i, step);
		break;
	case CDN_MOUNT_LINK:
		step = (struct cdn_step){ CDN_STEP_LINK, mount->path,
			mount->from };
		break;
	case CDN_MOUNT_DIR:
		step = (struct cdn_step){ CDN_STEP_DIR, mount->path,
			.mode = mount->mode };
		break;
	case CDN_MOUNT_TMP:
		step.kind = mount->from != NULL ? CDN_STEP_BIND :
						  CDN_STEP_TMPFS;
		step.from = mount->from != NULL ? mount->from : "0755";
		step.point = step.point == CDN_POINT_THERE ? CDN_POINT_THERE :
							     CDN_POINT_DIR;
		break;
	case CDN_MOUNT_DEV:
		add_dev(l, console);
		return;
	case CDN_MOUNT_PROC:
	case CDN_MOUNT_KIND_MAX:
		return;
	}
	add(l, &step);
}

/* ----- All of them -------------------------------------------------------- */

/* When all that is mounted into them is there. */
static void
add_seals(struct list *l, const struct cdn_bwrap_plan *plan)
{
	for (size_t i = 0; i < plan->count; i++) {
		enum cdn_mount_kind kind = plan->mounts[i].kind;

		if (kind == CDN_MOUNT_EMPTY || kind == CDN_MOUNT_DEV ||
		    kind == CDN_MOUNT_PROC)
			add(l, &(struct cdn_step){ .kind = CDN_STEP_SEAL,
			    .path = plan->mounts[i].path });
	}
}

static void
add_all(struct list *l, const struct cdn_bwrap_plan *plan, const char *cwd,
    const char *console)
{
	for (size_t i = 0; i < plan->count; i++) {
		const struct cdn_bwrap_mount *mount = &plan->mounts[i];

		if (cdn_bwrap_is_told(mount))
			continue;
		if (mount->within != NULL)
			add_way(l, mount->within, mount->path);
		add_mount(l, plan, i, console);
	}
	if (!cdn_bwrap_has(plan, cwd)) {
		add_way(l, "/", cwd);
		add(l, &(struct cdn_step){ .kind = CDN_STEP_DIR, .path = cwd,
		    .mode = 0111, .lax = true });
	}
	add_seals(l, plan);
}

int
cdn_steps_make(struct cdn_arena *arena, const struct cdn_bwrap_plan *plan,
    const char *cwd, const char *console, const struct cdn_step **ret,
    size_t *ret_count, struct cordon_error *err)
{
	struct list l = { .arena = arena };

	add_all(&l, plan, cwd, console);
	if (l.oom)
		return cdn_err_nomem(err);
	*ret = l.v;
	*ret_count = l.n;
	return 0;
}
