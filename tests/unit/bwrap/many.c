/*
 * bwrap is told all mounts; with help the root and /proc alone, however many
 * there are.  What has no place to be mounted on says in what it lies.
 */
#include "../plan/tree.h"
#include "engine/bwrap/bwrap.h"

#define TEXT_MAX 4096

static int
no_links(void *arg, const char *dir, cdn_bwrap_link_fn *link, void *link_arg,
    struct cordon_error *err)
{
	(void)arg, (void)dir, (void)link, (void)link_arg, (void)err;
	return 0;
}

/* /w/1 ... /w/n can be modified, but for the third, in which /w/3/x can. */
static void
build(size_t n, struct tree *t, struct world *w, struct cdn_bwrap_plan *ret)
{
	static char spec[TEXT_MAX];
	size_t at = (size_t)snprintf(spec, sizeof(spec),
	    "  fsProfiles:\n    dev:\n      read: ['**']\n      modify: [");

	tree_make(t, "/w/ /w/3/x/ /w/3/y/");
	for (size_t i = 1; i <= n; i++) {
		char path[32];
		int len = snprintf(path, sizeof(path), "/w/%zu", i);

		tree_put(t, path, (size_t)len, true);
		at += (size_t)snprintf(spec + at, sizeof(spec) - at,
		    "'%zu/%s**', ", i, i == 3 ? "x/" : "");
	}
	snprintf(spec + at, sizeof(spec) - at, "'none/**']\n");
	world_make(w, &(struct world_spec){ .profile = "dev", .documents = {
	    { CORDON_LAYER_USER, true, spec } } });
	{
		const struct cdn_plan_reader reader = tree_reader(t);
		const struct cdn_bwrap_input input = {
			.plan = tree_plan(t, w, NULL, false),
			.authority = w->authority, .spec = &w->spec,
			.reader = &reader, .links = no_links, .tmp = "" };

		need(cdn_bwrap_build(w->arena, &input, ret, NULL) == 0,
		    "build");
	}
}

static size_t
words(const struct world *w, const struct cdn_bwrap_plan *plan, bool helped,
    const char *word)
{
	static char *const nothing[] = { NULL };
	const struct cdn_bwrap_command command = { .cwd = "/w",
		.envp = nothing, .seccomp_fd = -1, .status_fd = -1,
		.ready_fd = -1, .helped = helped };
	const char *const *v;
	size_t n, found = 0;

	need(cdn_bwrap_words(w->arena, plan, &command, &v, &n, NULL) == 0,
	    "words");
	for (size_t i = 0; i < n; i++)
		found += strcmp(v[i], word) == 0;
	return found;
}

/* Its place is there because of the host, or it knows who has to make it. */
static size_t
lost(const struct cdn_bwrap_plan *plan)
{
	size_t n = 0;

	for (size_t i = 0; i < plan->count; i++) {
		const struct cdn_bwrap_mount *mount = &plan->mounts[i];
		bool host = cdn_plan_below(mount->path, "/w");

		n += host != (mount->within == NULL) &&
		    strcmp(mount->path, "/") != 0;
	}
	return n;
}

static void
divides(size_t n)
{
	static struct tree t;
	struct cdn_bwrap_plan plan;
	struct world w;

	build(n, &t, &w, &plan);
	ok_f(plan.count > n, "%zu: at least as many mounts", n);
	ok_f(words(&w, &plan, false, "/w/5") == 2, "%zu: alone all are told",
	    n);
	ok_f(words(&w, &plan, false, "--remount-ro") > 0, "%zu: and sealed", n);
	ok_f(words(&w, &plan, true, "/w/5") == 0 &&
	    words(&w, &plan, true, "/w") == 1, "%zu: with help none but the "
	    "directory to begin in", n);
	ok_f(words(&w, &plan, true, "--proc") == 1 &&
	    words(&w, &plan, true, "--tmpfs") == 2 &&
	    words(&w, &plan, true, "--remount-ro") == 1,
	    "%zu: /proc, and a /dev", n);
	ok_f(words(&w, &plan, true, "/proc/1") == 2 &&
	    words(&w, &plan, false, "/proc/1") == 2,
	    "%zu: the first process is covered", n);
	ok_f(lost(&plan) == 0, "%zu: each has a place, or knows where", n);
	ok_f(!cdn_bwrap_has(&plan, "/nowhere/x") &&
	    cdn_bwrap_has(&plan, "/w/5"), "%zu: what is there, and what not",
	    n);
	world_done(&w);
}

int
main(void)
{
	divides(8);
	divides(40);
	divides(200);
	return done_testing();
}
