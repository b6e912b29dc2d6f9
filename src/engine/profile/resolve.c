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

#include "engine/profile/lift.h"

/* The rule of a profile that nobody wrote: everything. */
static struct cdn_rule
everything(const char *source)
{
	return (struct cdn_rule){ .text = CDN_STR("./**"),
		.pattern = CDN_STR("**"), .pos = { .source = source } };
}

static bool
has_exception(const struct cdn_rules *denies)
{
	for (size_t i = 0; i < denies->n; i++)
		if (denies->v[i].negated)
			return true;
	return false;
}

static int
append_denies(struct cdn_rule_list *list, const struct cdn_rules *denies,
    const struct cdn_rules *own, struct cordon_error *err)
{
	struct cdn_lift lift = { 0 };
	int code = 0;

	if (has_exception(denies))
		code = cdn_lift_init(&lift, list, own, err);
	for (size_t i = 0; i < denies->n && code == 0; i++) {
		struct cdn_rule deny = denies->v[i];

		if (deny.negated) {
			cdn_lift_append(&lift, &deny);
			continue;
		}
		deny.negated = true;
		cdn_rule_list_add(list, deny);
	}
	cdn_lift_done(&lift);
	return code;
}

static int
compile(struct cdn_rule_list *list, struct cdn_rule_set *ret,
    struct cordon_error *err)
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
static int
append_op_denies(struct cdn_rule_list *list, const struct cordon_policy *policy,
    const struct cdn_profile_def *def, enum cordon_op op,
    const struct cdn_rules *own, struct cordon_error *err)
{
	int code = 0;

	if (op == CORDON_EXEC && !def->has_exec)
		code = append_denies(list, &policy->deny[CORDON_READ], own,
		    err);
	if (code == 0)
		code = append_denies(list, &policy->deny[op], own, err);
	return code;
}

static int
resolve_op(struct cordon_profile *profile, const struct cordon_policy *policy,
    const struct cdn_profile_def *def, enum cordon_op op, bool fold,
    struct cordon_error *err)
{
	struct cdn_rule_list list = { .arena = profile->arena, .fold = fold };
	struct cdn_rules own = own_rules(def, op);
	int code;

	cdn_rule_list_add_all(&list, &own);
	code = append_op_denies(&list, policy, def, op, &own, err);
	return code != 0 ? code : compile(&list, &profile->sets[op], err);
}

struct cdn_rule
cdn_network_rule(enum cdn_network_mode mode, struct cdn_pos pos)
{
	static const char *const words[] = {
		[CDN_NETWORK_NONE] = "none",
		[CDN_NETWORK_LOOPBACK] = "loopback",
		[CDN_NETWORK_FULL] = "full",
		[CDN_NETWORK_LIST] = NULL,
	};
	cdn_str word = words[mode] == NULL ? (cdn_str){ NULL, 0 } :
					     cdn_str_of(words[mode]);

	return (struct cdn_rule){ .text = word, .pattern = word, .pos = pos };
}

static int
resolve_network(struct cordon_profile *profile,
    const struct cdn_profile_def *def, struct cordon_error *err)
{
	struct cdn_network_set *set = &profile->network;

	set->mode = def->network.mode;
	set->mode_rule = cdn_network_rule(set->mode, def->network.pos);
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
    unsigned mode, struct cordon_profile **ret, struct cordon_error *err)
{
	const struct cdn_profile_def *def = NULL;
	struct cordon_profile *profile;
	int code;

	if (policy->needs_merge) {
		code = cdn_policy_validate(policy, NULL, err);
		if (code != 0)
			return code;
	}
	if ((mode & CDN_RESOLVE_NO_PROFILE) == 0)
		def = cdn_policy_find_profile(policy, name);
	if (def == NULL && mode == CDN_RESOLVE_STRICT &&
	    !cdn_str_is(name, CDN_UNRESTRICTED))
		return cdn_err_at(err, CORDON_E_INVALID, policy->name_pos,
		    "policy '%s' does not define fsProfile '%.*s'",
		    policy->name.p, CDN_STR_ARG(name));
	profile = profile_new();
	if (profile == NULL)
		return cdn_err_nomem(err);
	code = resolve_into(profile, policy, name, def,
	    (mode & CDN_RESOLVE_FOLDED) != 0, err);
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
