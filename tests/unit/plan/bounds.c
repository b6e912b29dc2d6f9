/*
 * A plan looks at no more than it must, and past a bound a directory stays
 * mixed, or closed where the floor has something in it and nobody judges.
 */
#include "tree.h"

#define DENY(denies) .profile = "dev", .documents = { { CORDON_LAYER_USER, \
	true, denies "  fsProfiles: {dev: {read: [\"**\"], " \
	"modify: [\"**\"]}}\n" } }

static const struct world_spec
	everything = { DENY("") },
	floating = { DENY("  denyRead: [\"**/*.env\"]\n") },
	anchored = { DENY("  denyModify: [\"a/b/**\"]\n") },
	carved = { DENY(""), .runtime_read = "/etc", .closed = "/etc/shadow" },
	homes = { DENY(""), .write = "/s", .hidden = "/s/homes",
	    .own = "/s/homes/me", .runtime_write = "/s/homes/me" },
	preset = { .runtime_read = "/etc /usr", .closed = "/etc/shadow" };

/* ----- How much is looked at -------------------------------------------------- */

static void
check_lists(const char *name, const struct world_spec *spec, const char *files,
    unsigned long want)
{
	struct world w;
	struct tree t;

	world_make(&w, spec);
	tree_make(&t, files);
	tree_plan(&t, &w, NULL, true);
	ok_f(t.lists == want, "%s: %lu directories listed", name, t.lists);
	world_done(&w);
}

/* ----- Past a bound ------------------------------------------------------------- */

static void
check_many(const char *name, const struct world_spec *spec, const char *where,
    unsigned long many, bool broker, const char *want)
{
	char got[512];
	const struct cdn_plan *plan;
	bool too_large = false;
	struct world w;
	struct tree t;

	world_make(&w, spec);
	tree_make(&t, "/w/a/b/c /w/d/ /etc/passwd /etc/shadow /s/homes/x/");
	t.many = many;
	t.many_in = where;
	plan = tree_plan(&t, &w, NULL, broker);
	if (!ok_f(strcmp(tree_regions(plan, got, sizeof(got)), want) == 0,
		"%s%s", name, broker ? ", with a broker" : ""))
		printf("#  got %s\n# want %s\n", got, want);
	ok_f(t.listed <= CDN_PLAN_ENTRIES_MAX + 8, "... %lu names were seen",
	    t.listed);
	for (size_t i = 0; i < plan->shortfall_count; i++)
		too_large |= strcmp(plan->shortfalls[i].id, "too-large") == 0;
	ok_f(too_large == (strstr(want, ">closed") != NULL),
	    "... and what is closed for it is said");
	world_done(&w);
}

static void
check_broken(const char *name, const struct world_spec *spec, bool broker,
    const char *dir, const char *want)
{
	char got[512];
	struct world w;
	struct tree t;

	world_make(&w, spec);
	tree_make(&t, "/w/a/b/c /w/d/ /etc/passwd /etc/shadow");
	t.broken = dir;
	if (!ok_f(strcmp(tree_regions(tree_plan(&t, &w, NULL, broker), got,
			sizeof(got)), want) == 0, "%s", name))
		printf("#  got %s\n# want %s\n", got, want);
	world_done(&w);
}

/* "/w/a/a/.../a" + tail, n levels. */
static const char *
deep(char *out, size_t size, unsigned n, const char *tail)
{
	size_t at = (size_t)snprintf(out, size, "/w");

	for (unsigned i = 0; i < n; i++)
		at += (size_t)snprintf(out + at, size - at, "/a");
	snprintf(out + at, size - at, "%s", tail);
	return out;
}

/* A rule that deep, and beside its way something to gain at two depths. */
static void
check_deep(bool broker)
{
	char files[1024], rule[512], high[256], low[256], text[4096];
	struct world_spec spec = { .profile = "dev", .documents = { {
	    CORDON_LAYER_USER, true, rule } } };
	const char *got;
	struct world w;
	struct tree t;

	snprintf(rule, sizeof(rule), "  denyModify: [\"%s\"]\n"
	    "  fsProfiles: {dev: {read: [\"**\"], modify: [\"**\"]}}\n",
	    deep(high, sizeof(high), 100, "/x/**") + 3);
	snprintf(files, sizeof(files), "%s %s %s",
	    deep(high, sizeof(high), CDN_PLAN_DEPTH_MAX - 1, "/b/"),
	    deep(low, sizeof(low), CDN_PLAN_DEPTH_MAX, "/b/"),
	    deep(text, sizeof(text), 100, "/x/"));
	high[strlen(high) - 1] = low[strlen(low) - 1] = '\0';
	world_make(&w, &spec);
	tree_make(&t, files);
	got = tree_regions(tree_plan(&t, &w, NULL, broker), text,
	    sizeof(text));
	ok_f((strstr(got, high) != NULL) == broker &&
		strstr(got, low) == NULL, "%u levels and no more are walked",
	    CDN_PLAN_DEPTH_MAX);
	world_done(&w);
}

/* ----- Roots ------------------------------------------------------------------------ */

static bool
always_there(void *arg, const char *path, bool *ret_directory)
{
	(void)arg;
	(void)path;
	*ret_directory = true;
	return true;
}

static void
check_roots(size_t n, bool good)
{
	const struct world_spec spec = { DENY("") };
	struct cdn_plan_reader reader = { .list = tree_list,
		.readable = tree_readable, .exists = always_there };
	const struct cdn_plan *plan = NULL;
	struct cordon_error err = { 0 };
	struct cdn_plan_input in = { .host = &tree_host, .reader = &reader };
	struct cdn_place *v;
	struct world w;

	world_make(&w, &spec);
	v = cdn_arena_array(w.arena, n, sizeof(*v));
	need(v != NULL, "memory");
	for (size_t i = 0; i < n; i++) {
		v[i].path = v[i].shown = cdn_arena_printf(w.arena, "/r%zu", i);
		need(v[i].path != NULL, "memory");
	}
	w.spec.command_read = (struct cdn_place_list){ v, n };
	need(cdn_authority_build(w.arena, &w.spec, &w.authority, NULL) == 0,
	    "authority");
	in.authority = w.authority;
	in.spec = &w.spec;
	ok_f((cdn_plan_build(w.arena, &in, &plan, &err) == 0) == good &&
		(plan != NULL) == good &&
		(good || err.code == CORDON_E_INVALID),
	    "%zu roots: %s", n, good ? "fine" : err.text);
	world_done(&w);
}

int
main(void)
{
	check_lists("open", &everything, "/w/a/b /w/c/d", 0);
	check_lists("floating", &floating, "/w/a/b /w/c/d", 0);
	check_lists("the default preset of a user", &preset,
	    "/w/.git/hooks/x /w/a/b #/etc/shadow /etc/x/y /usr/z", 0);
	check_lists("the default preset of root", &preset,
	    "/w/.git/hooks/x /w/a/b /etc/shadow /etc/x/y /usr/z", 1);
	check_lists("anchored: down to the rule", &anchored,
	    "/w/a/b/c/d /w/a/x/y /w/c/d", 2);

	check_many("a few directories beside a deny", &anchored, "/w", 2, true,
	    "/w=mixed-modify /w/a/b=fixed /w/d=open /w/many000000=open "
	    "/w/many000001=open");
	check_many("too many regions", &anchored, "/w",
	    CDN_PLAN_REGIONS_MAX, true, "/w=mixed-modify");
	check_many("too many names", &anchored, "/w",
	    CDN_PLAN_ENTRIES_MAX + 1, true, "/w=mixed-modify");
	check_many("too many regions to carve", &carved, "/etc",
	    CDN_PLAN_REGIONS_MAX, true, "/etc=mixed-read /w=open");
	check_many("too many regions to carve", &carved, "/etc",
	    CDN_PLAN_REGIONS_MAX, false, "/etc=mixed-read>closed /w=open");
	check_many("too many names to carve", &carved, "/etc",
	    CDN_PLAN_ENTRIES_MAX + 1, false, "/etc=mixed-read>closed /w=open");

	check_many("its own home in what is too large", &homes, "/s",
	    CDN_PLAN_REGIONS_MAX, false,
	    "/s=mixed-read>closed /s/homes/me=open /w=open");

	check_broken("what cannot be listed stays mixed", &anchored, true,
	    "/w", "/w=mixed-modify");
	check_broken("... also further down", &anchored, true, "/w/a",
	    "/w=mixed-modify /w/d=open");
	check_broken("... and is closed around the floor", &carved, false,
	    "/etc", "/etc=mixed-read>closed /w=open");
	check_broken("... unless somebody judges", &carved, true, "/etc",
	    "/etc=mixed-read /w=open");

	check_deep(true);
	check_deep(false);

	check_roots(CDN_PLAN_REGIONS_MAX - 1, true);
	check_roots(CDN_PLAN_REGIONS_MAX, false);
	return done_testing();
}
