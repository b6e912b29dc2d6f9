/*
 * Random worlds on random trees: mounts against asking about every path.
 *
 * The model knows what mounts do and nothing else: the deepest one at or above
 * a path decides.  What is there and denied is never let through; what could
 * come and is denied is let through only by a plan that says it is not
 * enforced; a file that is allowed is seen; and from what can be changed
 * nothing that is mounted can be moved away.
 */
#include "../plan/tree.h"
#include "engine/bwrap/bwrap.h"
#include "support/world_chance.h"

static unsigned long asked, granted, later, wrong, pinned, enforced;

static int
no_links(void *arg, const char *dir, cdn_bwrap_link_fn *link, void *link_arg,
    struct cordon_error *err)
{
	(void)arg, (void)dir, (void)link, (void)link_arg, (void)err;
	return 0;
}

/* ----- The model ------------------------------------------------------------ */

static const struct cdn_bwrap_mount *
mounted_at(const struct cdn_bwrap_plan *b, const char *path)
{
	const struct cdn_bwrap_mount *deepest = NULL;

	for (size_t i = 0; i < b->count; i++)
		if (b->mounts[i].kind != CDN_MOUNT_DIR &&
		    draft_below(path, b->mounts[i].path) &&
		    (deepest == NULL || strlen(b->mounts[i].path) >
			    strlen(deepest->path)))
			deepest = &b->mounts[i];
	return deepest;
}

static bool
lets(const struct cdn_bwrap_plan *b, const char *path, enum cordon_op op)
{
	const struct cdn_bwrap_mount *m = mounted_at(b, path);

	return m->kind == CDN_MOUNT_RW ||
	    (m->kind == CDN_MOUNT_RO && op == CORDON_READ);
}

static void
print(const struct draft *d, const struct tree *t,
    const struct cdn_bwrap_plan *b, const char *what, const char *path,
    enum cordon_op op)
{
	static const char *const kinds[] = { "ro", "rw", "empty", "nothing",
		"device", "link", "dir", "tmp", "dev", "proc" };

	if (wrong++ >= 3)
		return;
	printf("# %s: %s %s\n# mounts", what, cordon_op_name(op), path);
	for (size_t i = 0; i < b->count; i++)
		printf(" %s=%s", b->mounts[i].path, kinds[b->mounts[i].kind]);
	printf("\n# tree");
	for (size_t i = 0; i < t->n; i++)
		printf(" %s%s", t->v[i].path, t->v[i].directory ? "/" : "");
	printf("\n");
	draft_print(d);
}

/* ----- Questions ------------------------------------------------------------ */

static char *
parent_of(const char *path, char *out, size_t size)
{
	char *slash;

	snprintf(out, size, "%s", path);
	slash = strrchr(out, '/');
	slash[slash == out] = '\0';
	return out;
}

static void
check(const struct draft *d, const struct world *w, struct tree *t,
    const struct cdn_bwrap_plan *b, const char *path, enum cordon_op op)
{
	const struct tree_node *node = tree_find(t, path), *above;
	bool allowed = world_ask(w, CORDON_AS_PROCESS, op, path).allowed;
	bool let = lets(b, path, op);
	char dir[32];

	asked++;
	granted += let;
	if (node == NULL) {
		above = tree_find(t, parent_of(path, dir, sizeof(dir)));
		if (above == NULL || !above->directory)
			return;
		later += let && !allowed;
		if (let && !allowed && b->plan->enforced)
			print(d, t, b, "comes later", path, op);
		return;
	}
	/* A directory that may be changed in part: its own mode is told. */
	if (let && !allowed && tree_readable(t, path) &&
	    (!node->directory || b->plan->enforced || op == CORDON_READ))
		print(d, t, b, "let through", path, op);
	if (!let && allowed && !node->directory)
		print(d, t, b, "not let through", path, op);
}

/* Every directory between something that can be changed and a mount in it. */
static void
check_pins(const struct draft *d, const struct tree *t,
    const struct cdn_bwrap_plan *b)
{
	char dir[32];

	for (size_t i = 0; i < b->count; i++) {
		const struct cdn_bwrap_mount *m;

		if (strcmp(b->mounts[i].path, "/") == 0)
			continue;
		parent_of(b->mounts[i].path, dir, sizeof(dir));
		m = mounted_at(b, dir);
		if (m->kind != CDN_MOUNT_RW)
			continue;
		pinned++;
		if (strcmp(m->path, dir) != 0)
			print(d, t, b, "not pinned", dir, CORDON_MODIFY);
	}
}

/* ----- Worlds ---------------------------------------------------------------- */

static void
grow(struct tree *t)
{
	tree_make(t, "/w/");
	for (size_t i = 0; i < draft_path_count; i++) {
		const char *path = draft_paths[i];
		const struct tree_node *above;
		char dir[32];

		if (strcmp(path, "/") == 0)
			continue;
		above = tree_find(t, parent_of(path, dir, sizeof(dir)));
		if (above != NULL && above->directory && chance(3) > 0)
			tree_put(t, path, strlen(path),
			    strcmp(path, "/w") == 0 || chance(3) > 0);
	}
}

static void
try_one(void)
{
	static struct tree t;
	struct cdn_bwrap_plan b;
	struct draft d;
	struct world w;

	draft_make(&d);
	draft_build(&d, &w);
	grow(&t);
	{
		const struct cdn_plan_reader reader = tree_reader(&t);
		const struct cdn_bwrap_input input = {
			.plan = tree_plan(&t, &w, NULL, false),
			.authority = w.authority, .spec = &w.spec,
			.reader = &reader, .links = no_links, .tmp = "" };

		need(cdn_bwrap_build(w.arena, &input, &b, NULL) == 0, "build");
	}
	enforced += b.plan->enforced;
	for (size_t i = 0; i < draft_path_count; i++) {
		check(&d, &w, &t, &b, draft_paths[i], CORDON_READ);
		check(&d, &w, &t, &b, draft_paths[i], CORDON_MODIFY);
	}
	check_pins(&d, &t, &b);
	world_done(&w);
}

int
main(void)
{
	unsigned long n = tries(1500);

	draft_begin();
	for (unsigned long i = 0; i < n && wrong < 6; i++)
		try_one();
	ok_f(wrong == 0, "mounts and decisions agree, %lu questions", asked);
	ok_f(granted > 1000, "... %lu of them let through", granted);
	ok_f(later > 50, "... %lu that are denied and come later", later);
	ok_f(enforced > 50, "... %lu plans are enforced", enforced);
	ok_f(pinned > 100, "... %lu mounts in what can be changed", pinned);
	return done_testing();
}
