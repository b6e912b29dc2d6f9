/*
 * Memory runs out while a plan is made or printed.
 */
#include "support/chaos.h"
#include "tree.h"

static const char files[] =
    "/w/src/a /w/.git/hooks/x /w/token /w/secrets/b /etc/shadow /etc/passwd "
    "/etc/ssh/ssh_host_rsa_key /etc/ssh/config /usr/bin/x /dev/null "
    "/t/run-other/x /t/y/z #/proc/kcore";

static const struct world_spec spec = {
	.profile = "dev",
	.documents = { { CORDON_LAYER_USER, true,
	    "  denyModify: [\".git/hooks/**\", \"**/*.lock\"]\n"
	    "  fsProfiles: {dev: {read: [\"**\"], modify: [\"src/**\", "
	    "\"new/**\"], network: [\"10.0.0.1\", a.org], "
	    "host: {read: [/usr]}, sockets: [/run/x]}}\n" } },
	.runtime_read = "/usr /etc /proc", .runtime_write = "=/dev/null",
	.closed = "/w/token +/etc/shadow /etc/ssh/ssh_host_*_key "
	    "/etc/ssh/ssh_host_rsa_key /proc/kcore",
	.hidden = "/t/run-*", .write = "/t", .read = "/w/secrets",
};

static struct world w;
static struct tree t;

static int
build(bool broker, struct cdn_arena *arena, const struct cdn_plan **ret)
{
	const struct cdn_plan_reader reader = tree_reader(&t);
	const struct cdn_plan_input input = { .authority = w.authority,
		.spec = &w.spec, .host = &tree_host, .reader = &reader,
		.has_broker = broker };
	struct cordon_error err = { 0 };
	int code = cdn_plan_build(arena, &input, ret, &err);

	return code != 0 && err.code != code ? 1 : code;
}

static int
make(void *arg)
{
	const struct cdn_plan *plan = NULL;
	struct cdn_arena *arena = cdn_arena_new();
	int code;

	if (arena == NULL)
		return CORDON_E_NOMEM;
	code = build(arg != NULL, arena, &plan);
	if ((code == 0) != (plan != NULL))
		code = 1;
	cdn_arena_free(arena);
	return code;
}

static const struct cdn_plan *made;

static int
print(void *arg)
{
	struct cdn_buf out;
	int code;

	cdn_buf_init(&out, 1 << 20);
	code = cdn_plan_format(made,
	    &(struct cdn_plan_words){ "native", "none" },
	    arg != NULL ? CORDON_FORMAT_JSON : CORDON_FORMAT_YAML, &out, NULL);
	cdn_buf_done(&out);
	return code;
}

static int
report(void *arg)
{
	struct cdn_buf out;
	int code;

	(void)arg;
	cdn_buf_init(&out, 1 << 20);
	code = cdn_plan_report(made, &out, NULL);
	cdn_buf_done(&out);
	return code;
}

int
main(void)
{
	world_make(&w, &spec);
	tree_make(&t, files);
	chaos_run("plan", make, NULL, 0);
	chaos_run("plan with a broker", make, &w, 0);
	made = tree_plan(&t, &w, NULL, false);
	chaos_run("plan as text", print, NULL, 0);
	chaos_run("plan as JSON", print, &w, 0);
	chaos_run("report", report, NULL, 0);
	world_done(&w);
	return done_testing();
}
