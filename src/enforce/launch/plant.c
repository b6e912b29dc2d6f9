#include "enforce/launch/plant.h"

#ifdef CDN_TEST_HOOKS

#include "engine/profile/profile.h"

static bool
is_planted(const char *what)
{
	const char *planted = getenv("CORDON_TEST_PLANT");

	return planted != NULL && strcmp(planted, what) == 0;
}

/* Who forgets the last rule of which list. */
static const struct {
	const char *name;
	unsigned purposes;
	enum cordon_op op;
} lost_rules[] = {
	{ "drop-rule", 1U << CDN_FOR_PLAN | 1U << CDN_FOR_BROKER |
	    1U << CDN_FOR_BWRAP, CORDON_MODIFY },
	{ "drop-read", 1U << CDN_FOR_PLAN | 1U << CDN_FOR_BROKER |
	    1U << CDN_FOR_BWRAP, CORDON_READ },
	{ "plan-rule", 1U << CDN_FOR_PLAN, CORDON_MODIFY },
	{ "broker-rule", 1U << CDN_FOR_BROKER, CORDON_MODIFY },
	{ "bwrap-rule", 1U << CDN_FOR_BWRAP, CORDON_MODIFY },
	{ "sbpl-rule", 1U << CDN_FOR_SBPL, CORDON_MODIFY },
};

/* The same but for one rule. */
static struct cordon_profile *
without_last(struct cordon_profile *profile, enum cordon_op op,
    struct cdn_arena *arena)
{
	struct cordon_profile *less = cdn_arena_alloc(arena, sizeof(*less));
	struct cdn_rules rules = profile->sets[op].rules;

	if (rules.n == 0)
		return profile;
	if (less == NULL)
		cdn_bug("CORDON_TEST_PLANT: no memory");
	*less = *profile;
	rules.n--;
	if (cdn_rule_set_build(arena, rules, false, &less->sets[op], NULL) !=
	    0)
		cdn_bug("CORDON_TEST_PLANT: no memory");
	return less;
}

static const struct cdn_authority_spec *
spec_without(const struct cordon_session *session, enum cordon_op op,
    struct cdn_arena *arena)
{
	struct cdn_authority_spec *spec = cdn_arena_alloc(arena,
	    sizeof(*spec));
	size_t n = session->spec.document_count;
	struct cdn_document *documents = cdn_arena_array(arena, n + 1,
	    sizeof(*documents));

	if (spec == NULL || documents == NULL)
		cdn_bug("CORDON_TEST_PLANT: no memory");
	if (n == 0)
		return &session->spec;
	memcpy(documents, session->spec.documents, n * sizeof(*documents));
	documents[n - 1].profile = without_last(documents[n - 1].profile, op,
	    arena);
	*spec = session->spec;
	spec->documents = documents;
	return spec;
}

const struct cdn_authority_spec *
cdn_plant_spec(const struct cordon_session *session,
    enum cdn_plant_for purpose, struct cdn_arena *arena)
{
	for (size_t i = 0; i < CDN_LEN(lost_rules); i++)
		if (is_planted(lost_rules[i].name) &&
		    (lost_rules[i].purposes >> purpose & 1U) != 0)
			return spec_without(session, lost_rules[i].op, arena);
	return &session->spec;
}

const struct cdn_authority *
cdn_plant_authority(const struct cordon_session *session,
    enum cdn_plant_for purpose, struct cdn_arena *arena)
{
	const struct cdn_authority_spec *spec = cdn_plant_spec(session,
	    purpose, arena);
	const struct cdn_authority *authority;

	if (spec == &session->spec)
		return session->authority;
	if (cdn_authority_build(arena, spec, &authority, NULL) != 0)
		cdn_bug("CORDON_TEST_PLANT: no memory");
	return authority;
}

bool
cdn_plant_forgets_names(enum cdn_plant_for purpose)
{
	return is_planted(purpose == CDN_FOR_BROKER ? "broker-names" :
						      "plan-names");
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

const struct cdn_authority_spec *
cdn_plant_spec(const struct cordon_session *session,
    enum cdn_plant_for purpose, struct cdn_arena *arena)
{
	(void)purpose;
	(void)arena;
	return &session->spec;
}

const struct cdn_authority *
cdn_plant_authority(const struct cordon_session *session,
    enum cdn_plant_for purpose, struct cdn_arena *arena)
{
	(void)purpose;
	(void)arena;
	return session->authority;
}

bool
cdn_plant_forgets_names(enum cdn_plant_for purpose)
{
	(void)purpose;
	return false;
}

void
cdn_plant_plan(const struct cordon_session *session,
    const struct cdn_plan *plan)
{
	(void)session;
	(void)plan;
}

#endif
