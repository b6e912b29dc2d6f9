/*
 * resolve - from a policy and a name to ordered rules.
 *
 * The order inside one list, which is all there is to precedence:
 *
 *	rules of the profile, as written
 *	global denies of the same operation as "!rule", as written,
 *	    an exception of denyModify giving back, at its place, what the
 *	    profile itself had granted there and nothing else
 */
#include "engine/profile/profile.h"

#include "engine/match/pattern.h"

/* A list under construction. */
struct list {
	struct cdn_arena *arena;
	struct cdn_rules rules;
	size_t capacity;
	bool fold;
	bool failed; /* out of memory; sticky */
};

static void
append(struct list *list, struct cdn_rule rule)
{
	struct cdn_rule *v;

	if (list->failed)
		return;
	v = cdn_arena_grow(list->arena, list->rules.v, list->rules.n,
	    &list->capacity, sizeof(*v));
	if (v == NULL) {
		list->failed = true;
		return;
	}
	list->rules.v = v;
	list->rules.v[list->rules.n++] = rule;
}

static void
append_all(struct list *list, const struct cdn_rules *rules)
{
	for (size_t i = 0; i < rules->n; i++)
		append(list, rules->v[i]);
}

/* The rule of a profile that nobody wrote: everything. */
static struct cdn_rule
everything(const char *source)
{
	return (struct cdn_rule){ .text = CDN_STR("./**"),
		.pattern = CDN_STR("**"), .pos = { .source = source } };
}

/* Index of the last rule of `rules` that covers `pattern`, or -1. */
static long
last_covering(const struct cdn_rules *rules, cdn_str pattern)
{
	for (size_t i = rules->n; i > 0; i--)
		if (cdn_rule_covers(rules->v[i - 1].pattern, pattern))
			return (long)i - 1;
	return -1;
}

/*
 * An exception never creates authority: P itself comes back only when the
 * last rule of the profile that covers P grants it, and of the rules inside P
 * a grant comes back only when no later rule had taken all of P away.
 */
static void
append_exception(struct list *list, const struct cdn_rule *exception,
    const struct cdn_rules *own)
{
	long covering = last_covering(own, exception->pattern);
	bool granted = covering >= 0 && !own->v[covering].negated;
	struct cdn_rule given_back = *exception;

	given_back.negated = false;
	if (granted)
		append(list, given_back);
	for (size_t i = 0; i < own->n; i++) {
		const struct cdn_rule *rule = &own->v[i];
		bool dead = !granted && (long)i < covering;

		if (!cdn_rule_covers(exception->pattern, rule->pattern))
			continue;
		if (rule->negated || !dead)
			append(list, *rule);
	}
}

static void
append_denies(struct list *list, const struct cdn_rules *denies,
    const struct cdn_rules *own)
{
	for (size_t i = 0; i < denies->n; i++) {
		struct cdn_rule deny = denies->v[i];

		if (deny.negated) {
			append_exception(list, &deny, own);
			continue;
		}
		deny.negated = true;
		append(list, deny);
	}
}

static int
compile(struct list *list, struct cdn_rule_set *ret, struct cordon_error *err)
{
	if (list->failed)
		return cdn_err_nomem(err);
	return cdn_rule_set_build(list->arena, list->rules, list->fold, ret,
	    err);
}

/* The profile's own rules of an operation; exec follows read when unsaid. */
static struct cdn_rules
own_rules(const struct cdn_profile_def *def, enum cordon_op op)
{
	if (op == CORDON_EXEC && !def->has_exec)
		return def->rules[CORDON_READ];
	return def->rules[op];
}

/*
 * Exec without a list of its own means "whatever is readable", so the denies
 * of read come first there, then those of exec.
 */
static void
append_op_denies(struct list *list, const struct cordon_policy *policy,
    const struct cdn_profile_def *def, enum cordon_op op,
    const struct cdn_rules *own)
{
	if (op == CORDON_EXEC && !def->has_exec)
		append_denies(list, &policy->deny[CORDON_READ], own);
	append_denies(list, &policy->deny[op], own);
}

static int
resolve_op(struct cordon_profile *profile, const struct cordon_policy *policy,
    const struct cdn_profile_def *def, enum cordon_op op, bool fold,
    struct cordon_error *err)
{
	struct list list = { .arena = profile->arena, .fold = fold };
	struct cdn_rules own = own_rules(def, op);

	append_all(&list, &own);
	append_op_denies(&list, policy, def, op, &own);
	return compile(&list, &profile->sets[op], err);
}

/* "loopback" and "full" as rules, so that a verdict can name them. */
static struct cdn_rule
mode_rule(const struct cdn_network *network)
{
	cdn_str word = network->mode == CDN_NETWORK_FULL ?
	    CDN_STR("full") : CDN_STR("loopback");

	return (struct cdn_rule){ .text = word, .pattern = word,
		.pos = network->pos };
}

static int
resolve_network(struct cordon_profile *profile,
    const struct cdn_profile_def *def, struct cordon_error *err)
{
	struct cdn_network_set *set = &profile->network;

	set->mode = def->network.mode;
	set->mode_rule = mode_rule(&def->network);
	return cdn_rule_set_build(profile->arena, def->network.rules, false,
	    &set->list, err);
}

static int
fill(struct cordon_profile *profile, const struct cordon_policy *policy,
    const struct cdn_profile_def *def, bool fold, struct cordon_error *err)
{
	profile->host_read = def->host_read;
	profile->host_modify = def->host_modify;
	profile->sockets = def->sockets;
	profile->limits = def->limits;
	for (enum cordon_op op = CORDON_READ; op <= CORDON_EXEC; op++) {
		int code = resolve_op(profile, policy, def, op, fold,
		    err);

		if (code != 0)
			return code;
	}
	return resolve_network(profile, def, err);
}

/* A profile that reads and modifies everything, for `unrestricted`. */
static bool
make_up(struct cdn_arena *arena, const struct cordon_policy *policy,
    struct cdn_profile_def *ret)
{
	struct cdn_rule *rule = cdn_arena_alloc(arena, sizeof(*rule));

	if (rule == NULL)
		return false;
	*rule = everything(policy->source);
	*ret = (struct cdn_profile_def){ 0 };
	ret->rules[CORDON_READ] = (struct cdn_rules){ rule, 1 };
	ret->rules[CORDON_MODIFY] = (struct cdn_rules){ rule, 1 };
	return true;
}

static int
resolve_into(struct cordon_profile *profile,
    const struct cordon_policy *policy, cdn_str name,
    const struct cdn_profile_def *def, bool fold, struct cordon_error *err)
{
	struct cdn_profile_def made_up;

	profile->name = cdn_arena_dup(profile->arena, name.p, name.n);
	profile->defined = def != NULL;
	if (profile->name == NULL ||
	    !cdn_arena_keep(profile->arena, policy->arena))
		return cdn_err_nomem(err);
	if (def == NULL) {
		if (!make_up(profile->arena, policy, &made_up))
			return cdn_err_nomem(err);
		def = &made_up;
	}
	return fill(profile, policy, def, fold, err);
}

static struct cordon_profile *
profile_new(void)
{
	struct cdn_arena *arena = cdn_arena_new();
	struct cordon_profile *profile;

	if (arena == NULL)
		return NULL;
	profile = cdn_arena_alloc(arena, sizeof(*profile));
	if (profile == NULL) {
		cdn_arena_free(arena);
		return NULL;
	}
	profile->arena = arena;
	return profile;
}

int
cdn_profile_resolve(const struct cordon_policy *policy, cdn_str name,
    enum cdn_resolve_mode mode, struct cordon_profile **ret,
    struct cordon_error *err)
{
	const struct cdn_profile_def *def =
	    cdn_policy_find_profile(policy, name);
	struct cordon_profile *profile;
	int code;

	if (def == NULL && mode == CDN_RESOLVE_STRICT &&
	    !cdn_str_is(name, CDN_UNRESTRICTED))
		return cdn_err_at(err, CORDON_E_INVALID, policy->name_pos,
		    "policy '%s' does not define fsProfile '%.*s'",
		    policy->name.p, CDN_STR_ARG(name));
	profile = profile_new();
	if (profile == NULL)
		return cdn_err_nomem(err);
	code = resolve_into(profile, policy, name, def,
	    mode == CDN_RESOLVE_FOLDED, err);
	if (code != 0) {
		cdn_profile_free(profile);
		return code;
	}
	*ret = profile;
	return 0;
}

void
cdn_profile_free(struct cordon_profile *profile)
{
	if (profile != NULL)
		cdn_arena_free(profile->arena);
}
