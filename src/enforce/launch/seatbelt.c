/*
 * seatbelt - a session as a profile for macOS, on whatever system.
 */
#include "enforce/launch/launch.h"

#include "engine/seatbelt/seatbelt.h"

/* The last name of a path. */
static const char *
name_of(const char *program)
{
	const char *slash = strrchr(program, '/');

	return slash != NULL ? slash + 1 : program;
}

/* Which agent it is, and where it was told to keep its state. */
static void
find_provider(const struct cordon_plan *plan, struct cdn_seatbelt_facts *facts)
{
	struct cdn_seatbelt_provider provider;

	for (size_t i = 0; plan->program != NULL &&
	     cdn_seatbelt_provider(i, &provider); i++) {
		if (strcmp(provider.name, name_of(plan->program)) != 0)
			continue;
		facts->provider = provider.name;
		if (provider.variable != NULL)
			facts->provider_dir = getenv(provider.variable);
	}
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
	find_provider(plan, &facts);
	code = cdn_seatbelt_build(arena, &plan->session->spec, &facts,
	    &seatbelt, err);
	if (code == 0)
		code = cdn_seatbelt_format(arena, &seatbelt, out, err);
	cdn_arena_free(arena);
	return code;
}
