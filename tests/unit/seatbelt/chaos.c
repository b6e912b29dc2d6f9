/*
 * Memory runs out while a profile is made or written down, or what it holds.
 */
#include "base/buf.h"
#include "engine/plan/plan.h"
#include "engine/seatbelt/seatbelt.h"
#include "support/chaos.h"
#include "support/world.h"

static struct world w;

static int
make(void *arg)
{
	const struct cdn_seatbelt_facts facts = { "/h", arg, NULL };
	struct cdn_arena *arena = cdn_arena_new();
	struct cdn_seatbelt seatbelt;
	struct cdn_buf out;
	int code;

	if (arena == NULL)
		return CORDON_E_NOMEM;
	cdn_buf_init(&out, 1 << 20);
	code = cdn_seatbelt_build(arena, &w.spec, &facts, &seatbelt, NULL);
	if (code == 0)
		code = cdn_seatbelt_format(arena, &seatbelt, &out, NULL);
	cdn_buf_done(&out);
	cdn_arena_free(arena);
	return code;
}

/* More rows than fit into what an arena begins with. */
static int
report(void *arg)
{
	static const struct cdn_rule rule = { .pattern = { "a", 1 } };
	static struct cdn_plan_rule rows[4096];
	const struct cdn_plan from = { .rules = rows,
		.rule_count = CDN_LEN(rows), .enforced = true };
	struct cdn_arena *arena = cdn_arena_new();
	const struct cdn_plan *plan = NULL;
	int code;

	(void)arg;
	if (arena == NULL)
		return CORDON_E_NOMEM;
	for (size_t i = 0; i < CDN_LEN(rows); i++)
		rows[i] = (struct cdn_plan_rule){ .rule = &rule,
			.by = CDN_BY_NOBODY, .why = "why" };
	code = cdn_seatbelt_report(arena, &from, CDN_NETWORK_NONE, &plan,
	    NULL);
	for (size_t i = 0; code == 0 && i < plan->rule_count; i++)
		if (plan->rules[i].by != CDN_BY_SEATBELT ||
		    plan->rules[i].why != NULL || plan->enforced)
			code = 1;
	cdn_arena_free(arena);
	return code;
}

int
main(void)
{
	static char claude[] = "claude";

	world_make(&w, &(struct world_spec){ .profile = "dev",
	    .documents = { { CORDON_LAYER_HOST, true,
	    "  denyModify: [\"**/*.lock\"]\n"
	    "  fsProfiles: {dev: {read: [\"**\"], host: {read: [/usr]}}}\n" },
	    { CORDON_LAYER_PROJECT, false,
	    "  fsProfiles: {dev: {read: [a, \"!b\", \"c?\"], modify: [a], "
	    "host: {read: [/usr]}}}\n" } },
	    .runtime_read = "/usr /etc", .runtime_write = "=/dev/null",
	    .closed = "/w/token", .hidden = "/t/run-*", .own = "/t/run-1",
	    .write = "/t /w/x", .write_roots = "/w/y" });
	chaos_run("a profile", make, NULL, 0);
	chaos_run("a profile of an agent", make, claude, 0);
	chaos_run("what it holds", report, NULL, 0);
	world_done(&w);
	return done_testing();
}
