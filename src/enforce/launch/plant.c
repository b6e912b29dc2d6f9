#include "enforce/launch/plant.h"

#ifdef CDN_TEST_HOOKS

#include "engine/profile/profile.h"

static bool
is_planted(const char *what)
{
	const char *planted = getenv("CORDON_TEST_PLANT");

	return planted != NULL && strcmp(planted, what) == 0;
}

/* The same but for one rule. */
static struct cordon_profile *
without_last(const struct cordon_profile *profile, enum cordon_op op,
    struct cdn_arena *arena)
{
	struct cordon_profile *less = cdn_arena_alloc(arena, sizeof(*less));
	struct cdn_rules rules = profile->sets[op].rules;

	if (less == NULL || rules.n == 0)
		cdn_bug("CORDON_TEST_PLANT: there is no rule to drop");
	*less = *profile;
	rules.n--;
	if (cdn_rule_set_build(arena, rules, false, &less->sets[op], NULL) !=
	    0)
		cdn_bug("CORDON_TEST_PLANT: no memory");
	return less;
}

static const struct cdn_authority *
build_without(const struct cordon_session *session, enum cordon_op op,
    struct cdn_arena *arena)
{
	struct cdn_authority_spec *spec = cdn_arena_alloc(arena,
	    sizeof(*spec));
	size_t n = session->spec.document_count;
	struct cdn_document *documents = cdn_arena_array(arena, n + 1,
	    sizeof(*documents));
	const struct cdn_authority *authority;

	if (spec == NULL || documents == NULL || n == 0)
		cdn_bug("CORDON_TEST_PLANT needs a document");
	memcpy(documents, session->spec.documents, n * sizeof(*documents));
	documents[n - 1].profile = without_last(documents[n - 1].profile, op,
	    arena);
	*spec = session->spec;
	spec->documents = documents;
	if (cdn_authority_build(arena, spec, &authority, NULL) != 0)
		cdn_bug("CORDON_TEST_PLANT: no memory");
	return authority;
}

const struct cdn_authority *
cdn_plant_authority(const struct cordon_session *session,
    struct cdn_arena *arena)
{
	if (is_planted("drop-rule"))
		return build_without(session, CORDON_MODIFY, arena);
	if (is_planted("drop-read"))
		return build_without(session, CORDON_READ, arena);
	return session->authority;
}

static void
hold(const struct cdn_plan *plan, const struct cdn_place_list *places,
    enum cdn_region_kind kind)
{
	for (size_t i = 0; i < plan->region_count; i++)
		for (size_t k = 0; k < places->n; k++)
			if (strcmp(plan->regions[i].path,
				places->v[k].path) == 0)
				plan->regions[i].held = kind;
}

void
cdn_plant_plan(const struct cordon_session *session,
    const struct cdn_plan *plan)
{
	if (is_planted("wrong-right"))
		hold(plan, &session->spec.command_read, CDN_REGION_OPEN);
	if (is_planted("less-right"))
		hold(plan, &session->spec.command_write, CDN_REGION_FIXED);
}

#else

const struct cdn_authority *
cdn_plant_authority(const struct cordon_session *session,
    struct cdn_arena *arena)
{
	(void)arena;
	return session->authority;
}

void
cdn_plant_plan(const struct cordon_session *session,
    const struct cdn_plan *plan)
{
	(void)session;
	(void)plan;
}

#endif
