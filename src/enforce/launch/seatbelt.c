/*
 * seatbelt - a session as a profile for macOS, on whatever system, and what a
 * plan says of it.
 */
#include "enforce/launch/launch.h"

#include "enforce/launch/plant.h"
#include "engine/decide/agents.h"
#include "engine/seatbelt/seatbelt.h"

/* Which agent it is, and where it was told to keep its state. */
static void
find_provider(const struct cordon_session *session,
    struct cdn_seatbelt_facts *facts)
{
	if (session->agent.is == NULL)
		return;
	facts->provider = session->agent.is->name;
	if (session->agent.moved)
		facts->provider_dir = session->agent.dirs[0];
}

int
cdn_launch_sbpl(const struct cordon_plan *plan, struct cdn_buf *out,
    struct cordon_error *err)
{
	const char *home = plan->session->places.home;
	struct cdn_seatbelt_facts facts = {
		.home = home[0] == '/' ? home : NULL };
	struct cdn_arena *arena = cdn_arena_new();
	struct cdn_seatbelt seatbelt;
	int code;

	if (arena == NULL)
		return cdn_err_nomem(err);
	find_provider(plan->session, &facts);
	code = cdn_seatbelt_build(arena, cdn_plant_spec(plan->session,
	    CDN_FOR_SBPL, arena), &facts, &seatbelt, err);
	if (code == 0)
		code = cdn_seatbelt_format(arena, &seatbelt, out, err);
	cdn_arena_free(arena);
	return code;
}

int
cdn_launch_belted_plan(struct cordon_plan *plan, struct cordon_error *err)
{
	return cdn_seatbelt_report(plan->arena, plan->plan,
	    cdn_decide_network(plan->session->authority), &plan->plan, err);
}
