/*
 * merge - a workspace's policy over the host's or user's.
 *
 * Profiles are replaced whole by name, denies accumulate: a workspace can
 * never remove a global deny, and its exceptions stay inside those that the
 * global policy makes itself.  Nothing is copied deeply: the result keeps
 * both arenas alive.
 */
#include "engine/profile/profile.h"

#include "engine/match/pattern.h"
#include "engine/profile/widen.h"

struct merge {
	const struct cordon_policy *global;
	const struct cordon_policy *workspace;
	struct cordon_policy *out;
	struct cordon_diags *diags;
	struct cordon_error *err;
	bool failed; /* out of memory; sticky */
};

/* One more element at the end of an array of the merged policy. */
#define PUSH(m, list, capacity, element)                                      \
	do {                                                                  \
		void *grown_ = cdn_arena_grow((m)->out->arena, (list)->v,     \
		    (list)->n, (capacity), sizeof(*(list)->v));               \
		if (grown_ == NULL) {                                         \
			(m)->failed = true;                                   \
			break;                                                \
		}                                                             \
		(list)->v = grown_;                                           \
		(list)->v[(list)->n++] = (element);                           \
	} while (0)

static bool
is_rule(const struct cdn_rule *a, const struct cdn_rule *b)
{
	return a->negated == b->negated && cdn_str_eq(a->pattern, b->pattern);
}

/* Does the workspace itself lift this behind its rule `at`? */
static bool
lifted_behind(const struct cdn_rules *more, size_t at,
    const struct cdn_rule *exception)
{
	for (size_t i = at + 1; i < more->n; i++)
		if (is_rule(&more->v[i], exception))
			return true;
	return false;
}

/*
 * Is rule `at` of the workspace there already?  Not where an exception behind
 * it lifts a part that the workspace does not lift: then the deny was said
 * again to close it, and dropping it would leave it open.
 */
static bool
has_rule(const struct cdn_rules *out, const struct cdn_rules *more, size_t at)
{
	const struct cdn_rule *wanted = &more->v[at];

	for (size_t i = out->n; i > 0; i--) {
		const struct cdn_rule *rule = &out->v[i - 1];

		if (is_rule(rule, wanted))
			return true;
		if (rule->negated && !wanted->negated &&
		    cdn_rule_covers(wanted->pattern, rule->pattern) &&
		    !lifted_behind(more, at, rule))
			return false;
	}
	return false;
}

/* The global exception that covers this one of the workspace, or -1. */
static long
covering_exception(const struct cdn_rules *denies, cdn_str pattern)
{
	for (size_t i = 0; i < denies->n; i++)
		if (denies->v[i].negated &&
		    cdn_rule_covers(denies->v[i].pattern, pattern))
			return (long)i;
	return -1;
}

static int
refuse_exception(struct merge *m, const struct cdn_rule *exception)
{
	cdn_diag_add(m->diags, CORDON_ERROR, "M002", exception->pos,
	    "a workspace may only lift what the host policy already lifts",
	    "spec.denyModify exception '%s' is outside the host policy "
	    "exception surface", exception->text.p);
	return cdn_err_at(m->err, CORDON_E_INVALID, exception->pos,
	    "spec.denyModify exception '%s' is outside the host policy "
	    "exception surface", exception->text.p);
}

/*
 * The exception of a workspace comes after all global denies and would lift
 * them too, so those that followed the covering global exception are said
 * again behind it.
 */
static int
push_exception(struct merge *m, enum cordon_op op, size_t *capacity,
    const struct cdn_rule *exception)
{
	const struct cdn_rules *denies = &m->global->deny[op];
	struct cdn_rules *out = &m->out->deny[op];
	long covering = covering_exception(denies, exception->pattern);

	if (denies->n > 0 && covering < 0)
		return refuse_exception(m, exception);
	if (out->n + denies->n > CDN_RULES_MAX)
		return cdn_err_at(m->err, CORDON_E_INVALID, exception->pos,
		    "the merged list has more than %d rules", CDN_RULES_MAX);
	PUSH(m, out, capacity, *exception);
	for (size_t i = (size_t)(covering + 1); i < denies->n; i++)
		if (!denies->v[i].negated)
			PUSH(m, out, capacity, denies->v[i]);
	return 0;
}

static int
merge_denies(struct merge *m, enum cordon_op op)
{
	const struct cdn_rules *more = &m->workspace->deny[op];
	struct cdn_rules *out = &m->out->deny[op];
	size_t capacity = 0;

	for (size_t i = 0; i < m->global->deny[op].n; i++)
		PUSH(m, out, &capacity, m->global->deny[op].v[i]);
	for (size_t i = 0; i < more->n; i++) {
		int code = 0;

		if (has_rule(out, more, i))
			continue;
		if (more->v[i].negated)
			code = push_exception(m, op, &capacity, &more->v[i]);
		else
			PUSH(m, out, &capacity, more->v[i]);
		if (code != 0)
			return code;
	}
	return 0;
}

static bool
is_sealed(const struct cordon_policy *policy, cdn_str name)
{
	for (size_t i = 0; i < policy->sealed.n; i++)
		if (cdn_str_eq(policy->sealed.v[i].text, name))
			return true;
	return false;
}

static int
refuse_sealed(struct merge *m, const struct cdn_profile_def *def)
{
	cdn_diag_add(m->diags, CORDON_ERROR, "M001", def->pos,
	    "give the profile another name",
	    "fsProfile '%s' is sealed by policy '%s'", def->name.p,
	    m->global->name.p);
	return cdn_err_at(m->err, CORDON_E_INVALID, def->pos,
	    "fsProfile '%s' is sealed by policy '%s'", def->name.p,
	    m->global->name.p);
}

struct profile_list {
	struct cdn_profile_def *v;
	size_t n;
};

/* Global profiles in their order, replaced where the workspace has one. */
static int
replace_profiles(struct merge *m, struct profile_list *out, size_t *capacity)
{
	size_t widened_capacity = 0;

	for (size_t i = 0; i < m->global->profile_count; i++) {
		const struct cdn_profile_def *old = &m->global->profiles[i];
		const struct cdn_profile_def *new =
		    cdn_policy_find_profile(m->workspace, old->name);
		struct cdn_text name = { old->name, old->pos };

		if (new != NULL && is_sealed(m->global, old->name))
			return refuse_sealed(m, new);
		PUSH(m, out, capacity, new != NULL ? *new : *old);
		if (new != NULL && cdn_profile_widens(old, new))
			PUSH(m, &m->out->widened, &widened_capacity, name);
	}
	return 0;
}

/* Profiles that only the workspace has; a sealed name may not appear. */
static int
add_profiles(struct merge *m, struct profile_list *out, size_t *capacity)
{
	for (size_t i = 0; i < m->workspace->profile_count; i++) {
		const struct cdn_profile_def *def = &m->workspace->profiles[i];

		if (cdn_policy_find_profile(m->global, def->name) != NULL)
			continue;
		if (is_sealed(m->global, def->name))
			return refuse_sealed(m, def);
		PUSH(m, out, capacity, *def);
	}
	return 0;
}

static int
merge_profiles(struct merge *m)
{
	struct profile_list out = { 0 };
	size_t capacity = 0;
	int code = replace_profiles(m, &out, &capacity);

	if (code == 0)
		code = add_profiles(m, &out, &capacity);
	m->out->profiles = out.v;
	m->out->profile_count = out.n;
	return code;
}

static void
merge_roots(struct merge *m, const struct cdn_roots *a,
    const struct cdn_roots *b, struct cdn_roots *out)
{
	const struct cdn_roots *both[] = { a, b };
	size_t capacity = 0;

	for (size_t k = 0; k < CDN_LEN(both); k++)
		for (size_t i = 0; i < both[k]->n; i++)
			PUSH(m, out, &capacity, both[k]->v[i]);
}

static void
merge_unprotect(struct merge *m)
{
	const struct cdn_rules *both[] = { &m->global->unprotect,
		&m->workspace->unprotect };
	size_t capacity = 0;

	for (size_t k = 0; k < CDN_LEN(both); k++)
		for (size_t i = 0; i < both[k]->n; i++)
			PUSH(m, &m->out->unprotect, &capacity, both[k]->v[i]);
}

static void
merge_texts(struct merge *m, const struct cdn_texts *a,
    const struct cdn_texts *b, struct cdn_texts *out)
{
	const struct cdn_texts *both[] = { a, b };
	size_t capacity = 0;

	for (size_t k = 0; k < CDN_LEN(both); k++)
		for (size_t i = 0; i < both[k]->n; i++)
			PUSH(m, out, &capacity, both[k]->v[i]);
}

/* A variable set by both: the workspace's value comes later and wins. */
static void
merge_env(struct merge *m)
{
	const struct cdn_env *a = &m->global->env, *b = &m->workspace->env;
	struct cdn_env *out = &m->out->env;

	merge_texts(m, &a->pass, &b->pass, &out->pass);
	out->has_pass = a->has_pass || b->has_pass;
	merge_texts(m, &a->drop, &b->drop, &out->drop);
	merge_texts(m, &a->set_names, &b->set_names, &out->set_names);
	merge_texts(m, &a->set_values, &b->set_values, &out->set_values);
}

static const struct cdn_mcp_field *
find_mcp(const struct cdn_mcp_field *fields, size_t n,
    const struct cdn_mcp_field *wanted)
{
	for (size_t i = 0; i < n; i++)
		if (cdn_str_eq(fields[i].tool, wanted->tool) &&
		    cdn_str_eq(fields[i].field, wanted->field))
			return &fields[i];
	return NULL;
}

/* "path" is judged and "text" is not, so on conflict the global one stays. */
static void
merge_mcp(struct merge *m)
{
	const struct cordon_policy *g = m->global, *w = m->workspace;
	struct {
		struct cdn_mcp_field *v;
		size_t n;
	} out = { 0 };
	size_t capacity = 0;

	for (size_t i = 0; i < g->mcp_count; i++)
		PUSH(m, &out, &capacity, g->mcp[i]);
	for (size_t i = 0; i < w->mcp_count; i++)
		if (find_mcp(g->mcp, g->mcp_count, &w->mcp[i]) == NULL)
			PUSH(m, &out, &capacity, w->mcp[i]);
	m->out->mcp = out.v;
	m->out->mcp_count = out.n;
}

static cdn_str
later(cdn_str a, cdn_str b)
{
	if (a.p == NULL || (b.p != NULL && cdn_str_cmp(b, a) > 0))
		return b;
	return a;
}

static void
merge_metadata(struct merge *m)
{
	const struct cordon_policy *g = m->global, *w = m->workspace;
	struct cordon_policy *out = m->out;

	out->source = w->source;
	out->name = w->name;
	out->name_pos = w->name_pos;
	out->description = w->description.p != NULL ?
	    w->description : g->description;
	out->labels = w->labels != NULL ? w->labels : g->labels;
	out->annotations = w->annotations != NULL ?
	    w->annotations : g->annotations;
	out->created_at = g->created_at.p != NULL ?
	    g->created_at : w->created_at;
	out->updated_at = later(g->updated_at, w->updated_at);
}

#define STRICTEST(a, b) ((a) > (b) ? (a) : (b))

static void
merge_settings(struct merge *m)
{
	const struct cordon_policy *g = m->global, *w = m->workspace;
	struct cordon_policy *out = m->out;

	out->enforcement = STRICTEST(g->enforcement, w->enforcement);
	out->isolation = STRICTEST(g->isolation, w->isolation);
	out->sealed = g->sealed;
	out->audit_set = g->audit_set || w->audit_set;
	out->audit_warn = (g->audit_set ? g->audit_warn : true) &&
	    (w->audit_set ? w->audit_warn : true) && out->audit_set;
	merge_roots(m, &g->protect, &w->protect, &out->protect);
	merge_roots(m, &g->runtime_write_roots, &w->runtime_write_roots,
	    &out->runtime_write_roots);
	merge_unprotect(m);
	merge_env(m);
	merge_mcp(m);
}

static int
merge_into(struct merge *m)
{
	int code = 0;

	merge_metadata(m);
	for (enum cordon_op op = CORDON_READ; op <= CORDON_EXEC; op++) {
		code = merge_denies(m, op);
		if (code != 0)
			return code;
	}
	code = merge_profiles(m);
	if (code != 0)
		return code;
	merge_settings(m);
	if (m->failed)
		return cdn_err_nomem(m->err);
	return cdn_policy_validate(m->out, m->diags, m->err);
}

static struct cordon_policy *
policy_new(const struct cordon_policy *a, const struct cordon_policy *b)
{
	struct cdn_arena *arena = cdn_arena_new();
	struct cordon_policy *policy = NULL;

	if (arena == NULL)
		return NULL;
	if (cdn_arena_keep(arena, a->arena) && cdn_arena_keep(arena, b->arena))
		policy = cdn_arena_alloc(arena, sizeof(*policy));
	if (policy == NULL) {
		cdn_arena_free(arena);
		return NULL;
	}
	policy->arena = arena;
	return policy;
}

int
cdn_policy_merge(const struct cordon_policy *global,
    const struct cordon_policy *workspace, struct cordon_diags *diags,
    struct cordon_policy **ret, struct cordon_error *err)
{
	struct merge m = { .global = global, .workspace = workspace,
		.diags = diags, .err = err };
	int code;

	m.out = policy_new(global, workspace);
	if (m.out == NULL)
		return cdn_err_nomem(err);
	code = merge_into(&m);
	if (code != 0) {
		cdn_policy_free(m.out);
		return code;
	}
	*ret = m.out;
	return 0;
}
