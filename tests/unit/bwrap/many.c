/*
 * Of many mounts in one other bwrap is told none, if somebody helps; of few all.
 * Nothing that it is told may lie in what it is not: that would be covered.
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

static void
divides(size_t n, bool many)
{
	static struct tree t;
	struct cdn_bwrap_plan plan;
	struct world w;
	size_t ours = 0, covered = 0;

	build(n, &t, &w, &plan);
	for (size_t i = 0; i < plan.count; i++) {
		ours += plan.mounts[i].ours;
		for (size_t k = 0; k < plan.count; k++)
			covered += plan.mounts[i].ours &&
			    !plan.mounts[k].ours &&
			    cdn_plan_below(plan.mounts[k].path,
				plan.mounts[i].path);
	}
	ok_f(many ? ours >= n - 1 : ours == 0, "%zu: %zu are ours", n, ours);
	ok_f(covered == 0, "%zu: none that is told lies in one of them", n);
	ok_f(words(&w, &plan, false, "/w/5") == 2, "%zu: alone all are told",
	    n);
	ok_f(words(&w, &plan, true, "/w/5") == (many ? 0 : 2),
	    "%zu: with help %s", n, many ? "few" : "all");
	ok_f(words(&w, &plan, true, "/w") > 0, "%zu: what they lie in is told",
	    n);
	world_done(&w);
}

int
main(void)
{
	divides(8, false);
	divides(15, false);
	divides(40, true);
	divides(200, true);
	return done_testing();
}
