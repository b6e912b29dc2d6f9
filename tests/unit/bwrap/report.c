/*
 * What mounts make of small policies, and what is said of it: the table.
 */
#include "../plan/tree.h"
#include "engine/bwrap/bwrap.h"

static int
no_links(void *arg, const char *dir, cdn_bwrap_link_fn *link, void *link_arg,
    struct cordon_error *err)
{
	(void)arg, (void)dir, (void)link, (void)link_arg, (void)err;
	return 0;
}

/* Lists are separated by blanks; mounts are those at or below /w, and those
 * with a '?' may be gone when it begins. */
static const struct {
	const char *what, *rules, *tree, *mounts, *lines, *given_up;
} cases[] = {
	{ "whole directories need no word",
	    "read: [\"./**\"], modify: [\"a/**\"]", "/w/a/x /w/b/",
	    "/w=ro /w/a=rw", "", "" },
	{ "what is mounted in what may be changed stays",
	    "read: [\"./**\"], modify: [\"./**\", \"!a/**\"]", "/w/a/x",
	    "/w=rw /w/a=ro", "mount-borders", "" },
	{ "two places that may be changed are apart",
	    "read: [\"./**\"], modify: [\"a/**\", \"b/**\"]", "/w/a/ /w/b/",
	    "/w=ro /w/a=rw /w/b=rw", "mount-borders", "" },
	{ "a directory that may not be changed itself stays where it is",
	    "read: [\"./**\"], modify: [\"./**\", \"!a\"]", "/w/a/x",
	    "/w=rw /w/a=rw", "mask-later mount-borders mask-itself", "!a" },
	{ "and is named beside what comes later",
	    "read: [\"./**\"], modify: [\"./**\", \"!a\", \"!b\"]", "/w/a/x",
	    "/w=rw /w/a=rw",
	    "mask-later mask-later mount-borders mask-itself", "!a !b" },
	{ "one that may be changed itself alone is not",
	    "read: [\"./**\"], modify: [\"./**\", \"!a/*\", \"!a/*/**\"]",
	    "/w/a/x", "/w=rw /w/a=ro", "new-names mount-borders", "" },
	{ "nor is one of which nothing else may be changed",
	    "read: [\"./**\"], modify: [\"a\"]", "/w/a/x", "/w=ro",
	    "new-names", "" },
	{ "entries of what is not all there may go",
	    "read: [\"*\", \"a/**\", \"!b\"], modify: [\"a/**\"]",
	    "/w/a/x /w/b /w/c", "/w=empty /w/a=rw? /w/c=ro?", "new-names",
	    "" },
	{ "nothing may be read: the run begins somewhere",
	    "modify: []", "/w/a/x", "/w=dir", "", "" },
};

static const char *
list_mounts(const struct cdn_bwrap_plan *b, char *out, size_t size)
{
	static const char *const kinds[] = { "ro", "rw", "empty", "nothing",
		"device", "link", "dir", "tmp", "dev", "proc" };
	size_t n = 0;

	out[0] = '\0';
	for (size_t i = 0; i < b->count; i++)
		if (cdn_plan_at_or_below(b->mounts[i].path, "/w"))
			n += (size_t)snprintf(out + n, size - n, "%s%s=%s%s",
			    n == 0 ? "" : " ", b->mounts[i].path,
			    kinds[b->mounts[i].kind],
			    b->mounts[i].brief ? "?" : "");
	return out;
}

static const char *
list_lines(const struct cdn_plan *plan, char *out, size_t size)
{
	size_t n = 0;

	out[0] = '\0';
	for (size_t i = 0; i < plan->shortfall_count; i++)
		if (strcmp(plan->shortfalls[i].id, "broker-sockets") != 0)
			n += (size_t)snprintf(out + n, size - n, "%s%s",
			    n == 0 ? "" : " ", plan->shortfalls[i].id);
	return out;
}

static const char *
list_given_up(const struct cdn_plan *plan, char *out, size_t size)
{
	size_t n = 0;

	out[0] = '\0';
	for (size_t i = 0; i < plan->rule_count; i++)
		if (plan->rules[i].by == CDN_BY_NOBODY)
			n += (size_t)snprintf(out + n, size - n, "%s%s",
			    n == 0 ? "" : " ", plan->rules[i].rule->text.p);
	return out;
}

static void
test_case(size_t i)
{
	static struct tree t;
	struct cdn_bwrap_plan b;
	struct world w;
	char spec[256], text[512];

	snprintf(spec, sizeof(spec), "  fsProfiles: {dev: {%s}}\n",
	    cases[i].rules);
	tree_make(&t, cases[i].tree);
	world_make(&w, &(struct world_spec){ .profile = "dev", .documents = {
	    { CORDON_LAYER_POLICY, true, spec } } });
	{
		const struct cdn_plan_reader reader = tree_reader(&t);
		const struct cdn_bwrap_input input = {
			.plan = tree_plan(&t, &w, NULL, false),
			.authority = w.authority, .spec = &w.spec,
			.reader = &reader, .links = no_links, .tmp = "" };

		need(cdn_bwrap_build(w.arena, &input, &b, NULL) == 0, "build");
	}
	ok_f(strcmp(list_mounts(&b, text, sizeof(text)), cases[i].mounts) == 0,
	    "%s: %s", cases[i].what, text);
	ok_f(strcmp(list_lines(b.plan, text, sizeof(text)), cases[i].lines) ==
	    0, "said: %s", text);
	ok_f(strcmp(list_given_up(b.plan, text, sizeof(text)),
		 cases[i].given_up) == 0, "not enforced: %s", text);
	world_done(&w);
}

int
main(void)
{
	for (size_t i = 0; i < CDN_LEN(cases); i++)
		test_case(i);
	return done_testing();
}
