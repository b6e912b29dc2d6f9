/*
 * shape - judge_one() of decide.c, list by list, as and, or and not.
 *
 * The first layer inside the workspace and the grants outside of it are what
 * is allowed; every other layer, and the floor, takes away from that.  A list
 * whose allows all come before its denies, which is what people write, needs
 * no nesting.
 */
#include "engine/decide/shape.h"

#include "engine/decide/authority.h"

struct builder {
	struct cdn_arena *arena;
	const struct cdn_authority *a;
	enum cordon_op op;
	struct cdn_pattern *everything;
	const struct cdn_shape *workspace; /* it and all below it */
	bool failed; /* out of memory; sticky */
};

/* ----- Nodes ---------------------------------------------------------------- */

bool
cdn_shape_is_all(const struct cdn_shape *shape)
{
	return shape->kind == CDN_SHAPE_PATTERN && shape->prefix.n == 0 &&
	    shape->pattern->n == 1 &&
	    shape->pattern->tokens[0].kind == CDN_TOKEN_STARS;
}

static const struct cdn_shape *
leaf(struct builder *b, cdn_str prefix, const struct cdn_pattern *pattern)
{
	struct cdn_shape *shape = cdn_arena_alloc(b->arena, sizeof(*shape));

	if (shape == NULL) {
		b->failed = true;
		return NULL;
	}
	*shape = (struct cdn_shape){ .kind = CDN_SHAPE_PATTERN,
		.prefix = prefix, .pattern = pattern };
	return shape;
}

/* What is NULL is not there; the list may have been grown in vain. */
static void
push(struct builder *b, struct cdn_shape_list *list,
    const struct cdn_shape *shape)
{
	const struct cdn_shape **v;

	if (shape == NULL || b->failed)
		return;
	v = cdn_arena_grow(b->arena, list->v, list->n, &list->capacity,
	    sizeof(*v)); /* NOLINT(bugprone-sizeof-expression): of pointers */
	if (v == NULL) {
		b->failed = true;
		return;
	}
	list->v = v;
	v[list->n++] = shape;
}

/* One part is itself, none is NULL: false. */
static const struct cdn_shape *
join(struct builder *b, enum cdn_shape_kind kind,
    const struct cdn_shape_list *parts)
{
	struct cdn_shape *shape;

	if (parts->n < 2 || b->failed)
		return parts->n == 1 ? parts->v[0] : NULL;
	shape = cdn_arena_alloc(b->arena, sizeof(*shape));
	if (shape == NULL) {
		b->failed = true;
		return NULL;
	}
	*shape = (struct cdn_shape){ .kind = kind, .parts = parts->v,
		.n = parts->n };
	return shape;
}

/* NULL is nothing, and so nothing is taken away. */
static const struct cdn_shape *
both(struct builder *b, const struct cdn_shape *x, const struct cdn_shape *y)
{
	struct cdn_shape_list parts = { 0 };

	push(b, &parts, x);
	push(b, &parts, y);
	return join(b, CDN_SHAPE_ALL, &parts);
}

static const struct cdn_shape *
negate(struct builder *b, const struct cdn_shape *of)
{
	struct cdn_shape_list parts = { 0 };
	struct cdn_shape *shape;

	if (of == NULL)
		return NULL;
	push(b, &parts, of);
	shape = cdn_arena_alloc(b->arena, sizeof(*shape));
	if (shape == NULL || b->failed) {
		b->failed = true;
		return NULL;
	}
	*shape = (struct cdn_shape){ .kind = CDN_SHAPE_NOT, .parts = parts.v,
		.n = 1 };
	return shape;
}

/* ----- Lists ------------------------------------------------------------------ */

/* NULL: out of memory. */
static const struct cdn_pattern *
pattern_of(struct builder *b, const struct cdn_rule_set *set, size_t i)
{
	struct cdn_pattern *pattern = cdn_arena_alloc(b->arena,
	    sizeof(*pattern));

	if (pattern != NULL && cdn_matcher_pattern(set->matcher, i, b->arena,
		pattern, NULL) == 0)
		return pattern;
	b->failed = true;
	return NULL;
}

static const struct cdn_shape *
rule_leaf(struct builder *b, cdn_str prefix, const struct cdn_rule_set *set,
    size_t i)
{
	const struct cdn_pattern *pattern = pattern_of(b, set, i);

	return pattern == NULL ? NULL : leaf(b, prefix, pattern);
}

/* Every rule of the list, or those that allow. */
static void
push_rules(struct builder *b, struct cdn_shape_list *list, cdn_str prefix,
    const struct cdn_rule_set *set, bool negated)
{
	for (size_t i = 0; i < set->rules.n; i++)
		if (set->rules.v[i].negated == negated)
			push(b, list, rule_leaf(b, prefix, set, i));
}

static const struct cdn_shape *
any_rule(struct builder *b, cdn_str prefix, const struct cdn_rule_set *set)
{
	struct cdn_shape_list parts = { 0 };

	push_rules(b, &parts, prefix, set, false);
	push_rules(b, &parts, prefix, set, true);
	return join(b, CDN_SHAPE_ANY, &parts);
}

/* What the last match allows: runs of one polarity, from the first on. */
static const struct cdn_shape *
list_allows(struct builder *b, cdn_str prefix, const struct cdn_rule_set *set)
{
	const struct cdn_shape *result = NULL;
	size_t i = 0;

	while (i < set->rules.n && !b->failed) {
		bool negated = set->rules.v[i].negated;
		struct cdn_shape_list run = { 0 };

		for (; i < set->rules.n && set->rules.v[i].negated == negated;
		     i++)
			push(b, &run, rule_leaf(b, prefix, set, i));
		if (!negated)
			push(b, &run, result);
		if (!negated)
			result = join(b, CDN_SHAPE_ANY, &run);
		else if (result != NULL)
			result = both(b, result,
			    negate(b, join(b, CDN_SHAPE_ANY, &run)));
	}
	return result;
}

/* All that allows stands before all that denies. */
static bool
in_two_parts(const struct cdn_rule_set *set)
{
	bool denies = false;

	for (size_t i = 0; i < set->rules.n; i++) {
		if (denies && !set->rules.v[i].negated)
			return false;
		denies |= set->rules.v[i].negated;
	}
	return true;
}

static bool
allows_all_first(struct builder *b, const struct cdn_rule_set *set)
{
	for (size_t i = 0; i < set->rules.n && !set->rules.v[i].negated; i++) {
		const struct cdn_pattern *pattern = pattern_of(b, set, i);

		if (pattern == NULL)
			return false;
		if (pattern->n == 1 &&
		    pattern->tokens[0].kind == CDN_TOKEN_STARS)
			return true;
	}
	return false;
}

/* ----- Inside the workspace ------------------------------------------------ */

static const struct cdn_rule_set *
scope_set(const struct builder *b, const struct cdn_scope *scope)
{
	return b->op == CORDON_MODIFY ? &scope->modify : &scope->read;
}

/*
 * lifted() of decide.c: where no rule matches, a grant of the command line;
 * where one does, in a project, a root that may be written all the same.
 */
static bool
may_be_lifted(const struct builder *b, const struct cdn_rule_set *set,
    enum cordon_layer layer)
{
	if (layer == CORDON_LAYER_HOST)
		return false;
	return (!set->mentions_all &&
		   scope_set(b, &b->a->command)->rules.n > 0) ||
	    (layer == CORDON_LAYER_PROJECT && b->op == CORDON_MODIFY &&
	    b->a->runtime_write_roots.rules.n > 0);
}

static const struct cdn_shape *
layer_allows(struct builder *b, const struct cdn_rule_set *set,
    enum cordon_layer layer)
{
	const cdn_str root = { "", 0 };
	const struct cdn_shape *matches = any_rule(b, b->a->workspace, set);
	const struct cdn_shape *granted =
	    any_rule(b, root, scope_set(b, &b->a->command));
	const struct cdn_shape *written =
	    any_rule(b, root, &b->a->runtime_write_roots);
	struct cdn_shape_list parts = { 0 };

	push(b, &parts, list_allows(b, b->a->workspace, set));
	if (!may_be_lifted(b, set, layer))
		return join(b, CDN_SHAPE_ANY, &parts);
	if (granted != NULL)
		push(b, &parts, both(b, both(b, b->workspace, granted),
		    negate(b, matches)));
	if (layer == CORDON_LAYER_PROJECT && b->op == CORDON_MODIFY &&
	    written != NULL && matches != NULL)
		push(b, &parts, both(b, matches, written));
	return join(b, CDN_SHAPE_ANY, &parts);
}

/* The first layer says what is allowed; the defaults only take away ... */
static void
add_first(struct builder *b, const struct cdn_rule_set *set,
    enum cordon_layer layer, struct cdn_shapes *ret)
{
	if (may_be_lifted(b, set, layer) || !in_two_parts(set)) {
		push(b, &ret->allow, layer_allows(b, set, layer));
		return;
	}
	push_rules(b, &ret->allow, b->a->workspace, set, false);
	push_rules(b, &ret->deny, b->a->workspace, set, true);
}

/* ... and the others take away from it. */
static void
add_other(struct builder *b, const struct cdn_rule_set *set,
    enum cordon_layer layer, struct cdn_shapes *ret)
{
	const struct cdn_shape *allows;

	if (!may_be_lifted(b, set, layer) && in_two_parts(set) &&
	    allows_all_first(b, set)) {
		push_rules(b, &ret->deny, b->a->workspace, set, true);
		return;
	}
	allows = layer_allows(b, set, layer);
	push(b, &ret->deny, allows == NULL ? b->workspace :
	    both(b, b->workspace, negate(b, allows)));
}

static void
add_inside(struct builder *b, struct cdn_shapes *ret)
{
	const struct cdn_authority *a = b->a;
	bool first = true;

	for (size_t i = 0; i < a->layer_count; i++) {
		bool takes = a->layers[i].layer == CORDON_LAYER_DEFAULTS;

		(first && !takes ? add_first : add_other)(b,
		    &a->layers[i].profile->sets[b->op], a->layers[i].layer,
		    ret);
		first &= takes;
	}
	if (a->preset_rules)
		(first ? add_first : add_other)(b,
		    &a->preset_profile.sets[b->op], CORDON_LAYER_PRESET, ret);
}

/* ----- Outside ------------------------------------------------------------- */

static bool
at_or_below(cdn_str path, cdn_str dir)
{
	return cdn_str_starts(path, dir) && (dir.n == 0 ||
	    path.n == dir.n || path.p[dir.n] == '/');
}

/* The directory in which all matches of the pattern lie, or are. */
static cdn_str
literal_part(const struct cdn_pattern *pattern)
{
	size_t n = 0, i = 0;

	for (; i < pattern->n && (pattern->tokens[i].kind ==
		CDN_TOKEN_LITERAL || pattern->tokens[i].kind ==
		CDN_TOKEN_SLASH); i++)
		n += pattern->tokens[i].kind == CDN_TOKEN_SLASH ? 1 :
		    pattern->tokens[i].text.n;
	if (i < pattern->n && pattern->tokens[i].kind != CDN_TOKEN_BELOW)
		while (n > 0 && pattern->text.p[n - 1] != '/')
			n--;
	while (n > 0 && pattern->text.p[n - 1] == '/')
		n--;
	return (cdn_str){ pattern->text.p, n };
}

/* Could a pattern of a place match in the workspace? */
static bool
touches(const struct builder *b, const struct cdn_pattern *pattern)
{
	cdn_str place = literal_part(pattern);

	return at_or_below(place, b->a->workspace) ||
	    at_or_below(b->a->workspace, place);
}

static const struct cdn_shape *
outside_only(struct builder *b, const struct cdn_shape *shape)
{
	if (shape != NULL && shape->kind == CDN_SHAPE_PATTERN &&
	    !touches(b, shape->pattern))
		return shape;
	return shape == NULL ? NULL : both(b, shape, negate(b, b->workspace));
}

static void
add_grants(struct builder *b, const struct cdn_rule_set *set,
    struct cdn_shapes *ret)
{
	for (size_t i = 0; i < set->rules.n; i++)
		push(b, &ret->allow, outside_only(b,
		    rule_leaf(b, (cdn_str){ "", 0 }, set, i)));
}

/* All documents that define the profile grant it, a trusted one among them. */
static void
add_document_roots(struct builder *b, struct cdn_shapes *ret)
{
	struct cdn_shape_list parts = { 0 };
	const struct cdn_rule_set *only = NULL;
	size_t defined = 0;
	bool trusted = false, none = false;

	for (size_t i = 0; i < b->a->layer_count; i++) {
		const struct cdn_layer *layer = &b->a->layers[i];
		const struct cdn_shape *any;

		if (!layer->bounds)
			continue;
		only = scope_set(b, &layer->roots);
		any = any_rule(b, (cdn_str){ "", 0 }, only);
		none |= any == NULL;
		trusted |= layer->trusted;
		push(b, &parts, any);
		defined++;
	}
	if (!trusted || none)
		return;
	if (defined == 1)
		add_grants(b, only, ret);
	else
		push(b, &ret->allow,
		    outside_only(b, join(b, CDN_SHAPE_ALL, &parts)));
}

/* The command line's, as far as a host policy goes. */
static void
add_command_roots(struct builder *b, struct cdn_shapes *ret)
{
	const struct cdn_rule_set *set = scope_set(b, &b->a->command);
	struct cdn_shape_list parts = { 0 };
	bool none = set->rules.n == 0;

	push(b, &parts, any_rule(b, (cdn_str){ "", 0 }, set));
	for (size_t i = 0; i < b->a->layer_count; i++) {
		const struct cdn_layer *layer = &b->a->layers[i];
		const struct cdn_shape *any;

		if (layer->layer != CORDON_LAYER_HOST ||
		    !layer->bounds)
			continue;
		any = any_rule(b, (cdn_str){ "", 0 },
		    scope_set(b, &layer->roots));
		none |= any == NULL;
		push(b, &parts, any);
	}
	if (none)
		return;
	if (parts.n == 1)
		add_grants(b, set, ret);
	else
		push(b, &ret->allow,
		    outside_only(b, join(b, CDN_SHAPE_ALL, &parts)));
}

/* ----- The floor ------------------------------------------------------------- */

/* Could both match one path? */
static bool
overlap(const struct cdn_pattern *x, const struct cdn_pattern *y)
{
	cdn_str a = literal_part(x), b = literal_part(y);

	return at_or_below(a, b) || at_or_below(b, a);
}

/* What later rules give back of what rule i takes away; NULL: nothing. */
static const struct cdn_shape *
given_back(struct builder *b, const struct cdn_rule_set *set, size_t i)
{
	const struct cdn_pattern *taken = pattern_of(b, set, i);
	struct cdn_shape_list later = { 0 };

	for (size_t k = i + 1; k < set->rules.n && !b->failed; k++) {
		const struct cdn_pattern *pattern =
		    set->rules.v[k].negated ? NULL : pattern_of(b, set, k);

		if (pattern != NULL && overlap(taken, pattern))
			push(b, &later, leaf(b, (cdn_str){ "", 0 }, pattern));
	}
	return join(b, CDN_SHAPE_ANY, &later);
}

/* The list begins with everything, and the order of denies is free. */
static void
add_floor(struct builder *b, const struct cdn_rule_set *set,
    struct cdn_shapes *ret)
{
	for (size_t i = 0; i < set->rules.n && !b->failed; i++)
		if (set->rules.v[i].negated)
			push(b, &ret->deny, both(b,
			    rule_leaf(b, (cdn_str){ "", 0 }, set, i),
			    negate(b, given_back(b, set, i))));
}

/* ----- All of it ------------------------------------------------------------- */

static void
add_op(struct builder *b, enum cordon_op op, struct cdn_shapes *ret)
{
	b->op = op;
	add_inside(b, ret);
	add_document_roots(b, ret);
	add_command_roots(b, ret);
	add_grants(b, scope_set(b, &b->a->runtime), ret);
	add_floor(b, scope_set(b, &b->a->floor), ret);
}

/* What may not be read may not be modified or executed either. */
static void
add_read(struct builder *b, struct cdn_shapes *ret)
{
	struct cdn_shapes read = { 0 };
	const struct cdn_shape *readable;

	add_op(b, CORDON_READ, &read);
	readable = join(b, CDN_SHAPE_ANY, &read.allow);
	push(b, &ret->deny, readable == NULL ?
	    leaf(b, (cdn_str){ "", 0 }, b->everything) : negate(b, readable));
	for (size_t i = 0; i < read.deny.n; i++)
		push(b, &ret->deny, read.deny.v[i]);
}

int
cdn_decide_shapes(struct cdn_arena *arena,
    const struct cdn_authority *authority, enum cordon_op op,
    struct cdn_shapes *ret, struct cordon_error *err)
{
	struct builder b = { .arena = arena, .a = authority };
	struct cdn_shapes shapes = { 0 };
	int code;

	b.everything = cdn_arena_alloc(arena, sizeof(*b.everything));
	if (b.everything == NULL)
		return cdn_err_nomem(err);
	code = cdn_pattern_parse(arena, CDN_STR("**"), 0, b.everything, err);
	if (code != 0)
		return code;
	b.workspace = leaf(&b, authority->workspace, b.everything);
	add_op(&b, op, &shapes);
	if (op != CORDON_READ)
		add_read(&b, &shapes);
	if (b.failed)
		return cdn_err_nomem(err);
	*ret = shapes;
	return 0;
}
