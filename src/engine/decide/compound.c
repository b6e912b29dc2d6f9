/*
 * compound - whole trees, and operations that have more than one part.
 *
 * Both rest on what the matcher knows of a prefix without looking at a single
 * file.  In doubt the answer is "mixed" and "not the same".
 */
#include "engine/decide/authority.h"

/* ----- What holds below a path ---------------------------------------------- */

static enum cdn_subtree
both(enum cdn_subtree a, enum cdn_subtree b)
{
	if (a == CDN_SUBTREE_DENY || b == CDN_SUBTREE_DENY)
		return CDN_SUBTREE_DENY;
	if (a == CDN_SUBTREE_ALLOW && b == CDN_SUBTREE_ALLOW)
		return CDN_SUBTREE_ALLOW;
	return CDN_SUBTREE_MIXED;
}

static enum cdn_subtree
either(enum cdn_subtree a, enum cdn_subtree b)
{
	if (a == CDN_SUBTREE_ALLOW || b == CDN_SUBTREE_ALLOW)
		return CDN_SUBTREE_ALLOW;
	if (a == CDN_SUBTREE_DENY && b == CDN_SUBTREE_DENY)
		return CDN_SUBTREE_DENY;
	return CDN_SUBTREE_MIXED;
}

/* A list without a positive rule denies everything. */
static enum cdn_subtree
set_subtree(const struct cdn_rule_set *set, cdn_str path)
{
	if (!set->any_positive)
		return CDN_SUBTREE_DENY;
	return cdn_matcher_subtree(set->matcher, path);
}

static enum cdn_subtree
scope_subtree(const struct cdn_scope *scope, enum cordon_op op, cdn_str path)
{
	return set_subtree(
	    op == CORDON_MODIFY ? &scope->modify : &scope->read, path);
}

/* A denial that a root of command line or document may lift is not certain. */
static enum cdn_subtree
soften(const struct cdn_authority *a, enum cordon_op op, cdn_str stripped,
    enum cdn_subtree subtree)
{
	if (subtree == CDN_SUBTREE_DENY &&
	    (scope_subtree(&a->command, op, stripped) != CDN_SUBTREE_DENY ||
		set_subtree(&a->runtime_write_roots, stripped) !=
		    CDN_SUBTREE_DENY))
		return CDN_SUBTREE_MIXED;
	return subtree;
}

static enum cdn_subtree
subtree_inside(const struct cdn_authority *a, enum cordon_op op,
    cdn_str stripped, cdn_str relative)
{
	enum cdn_subtree all = CDN_SUBTREE_ALLOW;

	for (size_t i = 0; i < a->layer_count; i++)
		all = both(all, set_subtree(&a->layers[i].profile->sets[op],
		    relative));
	if (a->preset_rules)
		all = both(all, set_subtree(&a->preset_profile.sets[op], relative));
	return soften(a, op, stripped, all);
}

/* Roots of documents as granted_by_documents() in decide.c judges them. */
static enum cdn_subtree
subtree_documents(const struct cdn_authority *a, enum cordon_op op,
    cdn_str path)
{
	enum cdn_subtree all = CDN_SUBTREE_ALLOW;
	bool trusted = false;

	for (size_t i = 0; i < a->layer_count; i++) {
		const struct cdn_layer *layer = &a->layers[i];

		if (!layer->bounds)
			continue;
		all = both(all, scope_subtree(&layer->roots, op, path));
		trusted |= layer->trusted;
	}
	return trusted ? all : CDN_SUBTREE_DENY;
}

static enum cdn_subtree
subtree_host(const struct cdn_authority *a, enum cordon_op op, cdn_str path)
{
	enum cdn_subtree all = CDN_SUBTREE_ALLOW;

	for (size_t i = 0; i < a->layer_count; i++)
		if (a->layers[i].layer == CORDON_LAYER_HOST &&
		    a->layers[i].bounds)
			all = both(all, scope_subtree(&a->layers[i].roots, op,
			    path));
	return all;
}

static enum cdn_subtree
subtree_outside(const struct cdn_authority *a, enum cordon_as as,
    enum cordon_op op, cdn_str path)
{
	enum cdn_subtree command = scope_subtree(&a->command, op, path);
	enum cdn_subtree any = either(subtree_documents(a, op, path),
	    both(command, subtree_host(a, op, path)));

	if (as == CORDON_AS_PROCESS)
		any = either(any, scope_subtree(&a->runtime, op, path));
	return any;
}

/* Does the workspace lie strictly below this path? */
static bool
above_workspace(const struct cdn_authority *a, cdn_str stripped)
{
	return stripped.n < a->workspace.n &&
	    cdn_str_starts(a->workspace, stripped) &&
	    (stripped.n == 0 || a->workspace.p[stripped.n] == '/');
}

static enum cdn_subtree
subtree_floor(const struct cdn_authority *a, enum cordon_as as,
    enum cordon_op op, cdn_str stripped)
{
	enum cdn_subtree floor = scope_subtree(&a->floor, op, stripped);

	return as == CORDON_AS_PROCESS ? floor :
	    both(floor, set_subtree(&a->kept, stripped));
}

/* All that stands on the floor. */
static enum cdn_subtree
subtree_above(const struct cdn_authority *a, enum cordon_as as,
    enum cordon_op op, cdn_str stripped, enum cdn_subtree floor)
{
	enum cdn_subtree outside;
	cdn_str relative;

	if (floor == CDN_SUBTREE_DENY)
		return floor;
	if (cdn_authority_inside(a, stripped, &relative))
		return both(floor, subtree_inside(a, op, stripped, relative));
	outside = subtree_outside(a, as, op, stripped);
	if (above_workspace(a, stripped) &&
	    subtree_inside(a, op, a->workspace, CDN_STR("")) != outside)
		return CDN_SUBTREE_MIXED;
	return both(floor, outside);
}

static enum cdn_subtree
subtree_one(const struct cdn_authority *a, enum cordon_as as,
    enum cordon_op op, cdn_str stripped)
{
	return subtree_above(a, as, op, stripped,
	    subtree_floor(a, as, op, stripped));
}

enum cdn_subtree
cdn_decide_subtree(const struct cdn_authority *authority, enum cordon_as as,
    enum cordon_op op, cdn_str path)
{
	cdn_str stripped = cdn_authority_strip(path);
	enum cdn_subtree result = subtree_one(authority, as, op, stripped);

	if (op != CORDON_READ)
		result = both(result,
		    subtree_one(authority, as, CORDON_READ, stripped));
	if (authority->outer != NULL)
		result = both(result,
		    cdn_decide_subtree(authority->outer, as, op, path));
	return result;
}

/*
 * Can executing be something else than reading?  Places say nothing of it: only
 * rules do, and these speak of the workspace.
 */
static bool
tells_exec(const struct cdn_authority *a, cdn_str stripped)
{
	cdn_str relative;

	return cdn_authority_inside(a, stripped, &relative) ||
	    above_workspace(a, stripped);
}

/* One inside of another has more floors, and an agent a longer one. */
void
cdn_decide_above(const struct cdn_authority *authority, enum cordon_as as,
    cdn_str path, const enum cdn_subtree says[CDN_RULE_OPS],
    struct cdn_above *ret)
{
	memcpy(ret->says, says, sizeof(ret->says));
	ret->path = cdn_authority_strip(path);
	ret->stands = as == CORDON_AS_PROCESS && authority->outer == NULL;
	if (!ret->stands)
		return;
	cdn_cursor_at(authority->floor.read.matcher, ret->path,
	    &ret->floor[0]);
	cdn_cursor_at(authority->floor.modify.matcher, ret->path,
	    &ret->floor[1]);
	ret->apart = !tells_exec(authority, ret->path);
	if (!ret->apart)
		return;
	ret->grants[0] = subtree_outside(authority, as, CORDON_READ, ret->path);
	ret->grants[1] = subtree_outside(authority, as, CORDON_MODIFY,
	    ret->path);
}

/* Is it an entry of that directory?  ret_at: where its name begins. */
static bool
is_entry(const struct cdn_above *above, cdn_str stripped, size_t *ret_at)
{
	size_t at = above->path.n == 0 ? 0 : above->path.n + 1;

	*ret_at = at;
	return above->stands && stripped.n > at &&
	    memchr(stripped.p + at, '/', stripped.n - at) == NULL;
}

/* What the floor says, from where the directory stands if one does. */
static enum cdn_subtree
floor_below(const struct cdn_authority *a, enum cordon_as as, enum cordon_op op,
    cdn_str stripped, const struct cdn_above *above)
{
	bool modify = op == CORDON_MODIFY;
	size_t at;

	if (!is_entry(above, stripped, &at))
		return subtree_floor(a, as, op, stripped);
	return cdn_cursor_entry(modify ? a->floor.modify.matcher :
	    a->floor.read.matcher, &above->floor[modify], stripped, at);
}

/*
 * As subtree_above().  Where the directory is granted as a whole, or not at
 * all, so is what lies in it.
 */
static enum cdn_subtree
subtree_in(const struct cdn_authority *a, enum cordon_as as, enum cordon_op op,
    cdn_str stripped, enum cdn_subtree floor, const struct cdn_above *above)
{
	enum cdn_subtree grants = above->stands && above->apart ?
	    above->grants[op == CORDON_MODIFY] : CDN_SUBTREE_MIXED;

	return grants != CDN_SUBTREE_MIXED ? both(floor, grants) :
	    subtree_above(a, as, op, stripped, floor);
}

/* What is denied above is denied here; nothing else is looked at. */
static void
subtrees_below(const struct cdn_authority *authority, enum cordon_as as,
    cdn_str path, const struct cdn_above *above,
    enum cdn_subtree ret[CDN_RULE_OPS])
{
	cdn_str stripped = cdn_authority_strip(path);
	/* The same for executing. */
	enum cdn_subtree floor = floor_below(authority, as, CORDON_READ,
	    stripped, above);
	enum cdn_subtree read = subtree_in(authority, as, CORDON_READ,
	    stripped, floor, above);
	bool apart = above->stands && above->apart;

	ret[CORDON_READ] = read;
	ret[CORDON_MODIFY] = ret[CORDON_EXEC] = CDN_SUBTREE_DENY;
	if (read == CDN_SUBTREE_DENY)
		return;
	if (above->says[CORDON_MODIFY] != CDN_SUBTREE_DENY)
		ret[CORDON_MODIFY] = both(read, subtree_in(authority, as,
		    CORDON_MODIFY, stripped, floor_below(authority, as,
		    CORDON_MODIFY, stripped, above), above));
	if (above->says[CORDON_EXEC] != CDN_SUBTREE_DENY)
		ret[CORDON_EXEC] = apart || !tells_exec(authority, stripped) ?
		    read : both(read, subtree_above(authority, as, CORDON_EXEC,
			stripped, floor));
	if (authority->outer != NULL) {
		enum cdn_subtree outer[CDN_RULE_OPS];

		subtrees_below(authority->outer, as, path, above, outer);
		for (size_t op = 0; op < CDN_RULE_OPS; op++)
			ret[op] = both(ret[op], outer[op]);
	}
}

void
cdn_decide_subtrees(const struct cdn_authority *authority, enum cordon_as as,
    cdn_str path, enum cdn_subtree ret[CDN_RULE_OPS])
{
	static const struct cdn_above unknown = { .says = { CDN_SUBTREE_MIXED,
	    CDN_SUBTREE_MIXED, CDN_SUBTREE_MIXED } };

	subtrees_below(authority, as, path, &unknown, ret);
}

/* Of a path below which all may be read. */
static enum cdn_subtree
subtree_readable(const struct cdn_authority *a, enum cordon_as as,
    enum cordon_op op, cdn_str stripped, const struct cdn_above *above)
{
	enum cdn_subtree result = subtree_in(a, as, op, stripped,
	    floor_below(a, as, op, stripped, above), above);

	return a->outer == NULL ? result :
	    both(result, subtree_readable(a->outer, as, op, stripped, above));
}

void
cdn_decide_subtrees_in(const struct cdn_authority *authority,
    enum cordon_as as, cdn_str path, const struct cdn_above *above,
    enum cdn_subtree ret[CDN_RULE_OPS])
{
	cdn_str stripped = cdn_authority_strip(path);

	if (above->says[CORDON_READ] == CDN_SUBTREE_MIXED) {
		subtrees_below(authority, as, path, above, ret);
		return;
	}
	for (enum cordon_op op = CORDON_READ; op <= CORDON_EXEC; op++)
		if (above->says[op] != CDN_SUBTREE_MIXED)
			ret[op] = above->says[op];
		else
			ret[op] = subtree_readable(authority, as, op, stripped,
			    above);
}

/* ----- Does anything change below when p becomes q? ------------------------- */

static bool
set_same(const struct cdn_rule_set *set, cdn_str p, cdn_str q)
{
	return cdn_matcher_same(set->matcher, p, q);
}

static bool
scope_same(const struct cdn_scope *scope, enum cordon_op op, cdn_str p,
    cdn_str q)
{
	return set_same(op == CORDON_MODIFY ? &scope->modify : &scope->read,
	    p, q);
}

/*
 * A root of the command line lifts what a layer merely does not mention but
 * not what it denies, and "the same" cannot tell these two apart: where that
 * may happen, only a list that mentions everything can be compared.
 */
static bool
may_be_lifted(const struct cdn_authority *a, enum cordon_op op, cdn_str path)
{
	return scope_subtree(&a->command, op, path) != CDN_SUBTREE_DENY;
}

static bool
rules_same(const struct cdn_rule_set *set, bool lifted, cdn_str p, cdn_str q)
{
	return (!lifted || set->mentions_all) && set_same(set, p, q);
}

static bool
same_inside(const struct cdn_authority *a, enum cordon_op op, bool lifted,
    cdn_str p, cdn_str q)
{
	for (size_t i = 0; i < a->layer_count; i++)
		if (!rules_same(&a->layers[i].profile->sets[op], lifted, p, q))
			return false;
	return !a->preset_rules ||
	    rules_same(&a->preset_profile.sets[op], lifted, p, q);
}

static bool
same_outside(const struct cdn_authority *a, enum cordon_op op, cdn_str p,
    cdn_str q)
{
	for (size_t i = 0; i < a->layer_count; i++)
		if (!scope_same(&a->layers[i].roots, op, p, q))
			return false;
	return scope_same(&a->command, op, p, q) &&
	    scope_same(&a->runtime, op, p, q);
}

static bool
same_op(const struct cdn_authority *a, enum cordon_as as, enum cordon_op op,
    cdn_str p, cdn_str q)
{
	enum cdn_subtree at_p = cdn_decide_subtree(a, as, op, p);
	cdn_str p_rel, q_rel;
	bool p_in = cdn_authority_inside(a, p, &p_rel);
	bool q_in = cdn_authority_inside(a, q, &q_rel);

	if (at_p != CDN_SUBTREE_MIXED &&
	    at_p == cdn_decide_subtree(a, as, op, q))
		return true;
	if (p_in != q_in || above_workspace(a, p) || above_workspace(a, q))
		return false;
	if (!scope_same(&a->floor, op, p, q) ||
	    (as != CORDON_AS_PROCESS && !set_same(&a->kept, p, q)) ||
	    !set_same(&a->runtime_write_roots, p, q))
		return false;
	if (!p_in)
		return same_outside(a, op, p, q);
	return same_inside(a, op, may_be_lifted(a, op, p) ||
	    may_be_lifted(a, op, q), p_rel, q_rel);
}

bool
cdn_decide_same(const struct cdn_authority *authority, enum cordon_as as,
    cdn_str p, cdn_str q)
{
	p = cdn_authority_strip(p);
	q = cdn_authority_strip(q);
	for (enum cordon_op op = CORDON_READ; op <= CORDON_EXEC; op++)
		if (!same_op(authority, as, op, p, q))
			return false;
	return authority->outer == NULL ||
	    cdn_decide_same(authority->outer, as, p, q);
}

/* ----- What a link would lead away from ------------------------------------- */

/*
 * A rule denies names below a path: where the path itself became a link, these
 * names would be whatever lies at its other end.
 */
static bool
guarded_by(const struct cdn_rule_set *set, enum cordon_layer layer,
    cdn_str path, struct cdn_answer *ret)
{
	int rule = cdn_matcher_guard(set->matcher, path);

	if (rule == CDN_NO_RULE)
		return false;
	*ret = (struct cdn_answer){ cdn_rule_set_finding(set, rule), layer };
	return true;
}

/* As lifted() in decide.c, for all that lies below. */
static bool
is_lifted(const struct cdn_authority *a, enum cordon_layer layer,
    enum cordon_op op, cdn_str stripped)
{
	return layer == CORDON_LAYER_PROJECT && op == CORDON_MODIFY &&
	    set_subtree(&a->runtime_write_roots, stripped) ==
		CDN_SUBTREE_ALLOW;
}

static bool
is_guarded(const struct cdn_authority *a, enum cordon_as as,
    enum cordon_op op, cdn_str stripped, struct cdn_answer *ret)
{
	const struct cdn_scope *floor = &a->floor;
	cdn_str relative;

	if (guarded_by(op == CORDON_MODIFY ? &floor->modify : &floor->read,
		CORDON_LAYER_FLOOR, stripped, ret))
		return true;
	if (as != CORDON_AS_PROCESS &&
	    guarded_by(&a->kept, CORDON_LAYER_FLOOR, stripped, ret))
		return true;
	if (!cdn_authority_inside(a, stripped, &relative))
		return false;
	for (size_t i = 0; i < a->layer_count; i++) {
		const struct cdn_layer *layer = &a->layers[i];

		if (guarded_by(&layer->profile->sets[op], layer->layer,
			relative, ret) &&
		    !is_lifted(a, layer->layer, op, stripped))
			return true;
	}
	return a->preset_rules && guarded_by(&a->preset_profile.sets[op],
	    CORDON_LAYER_PRESET, relative, ret);
}

static bool
link_is_allowed(const struct cdn_authority *a, enum cordon_as as, cdn_str path,
    struct cordon_verdict *ret_verdict)
{
	cdn_str stripped = cdn_authority_strip(path);
	struct cdn_answer guard;

	if (!is_guarded(a, as, CORDON_READ, stripped, &guard) &&
	    !is_guarded(a, as, CORDON_MODIFY, stripped, &guard))
		return true;
	*ret_verdict = cdn_finding_verdict(&guard.finding, as, CORDON_MODIFY,
	    guard.layer, a->profile_name);
	return false;
}

/* ----- Operations with more than one part ------------------------------------ */

struct part {
	enum cordon_op op;
	bool at_target;
};

#define PARTS_MAX 4

/* clang-format off */
static const struct {
	struct part parts[PARTS_MAX];
	size_t n;
	bool moves_tree;
	bool moves_file;
} compounds[] = {
	[CDN_RENAME] = { { { CORDON_READ, false }, { CORDON_MODIFY, false },
	    { CORDON_MODIFY, true } }, 3, false, true },
	[CDN_RENAME_DIR] = { { { CORDON_READ, false },
	    { CORDON_MODIFY, false }, { CORDON_MODIFY, true } }, 3, true,
	    false },
	[CDN_EXCHANGE] = { { { CORDON_READ, false }, { CORDON_MODIFY, false },
	    { CORDON_READ, true }, { CORDON_MODIFY, true } }, 4, true, false },
	[CDN_LINK] = { { { CORDON_READ, false }, { CORDON_MODIFY, false },
	    { CORDON_MODIFY, true } }, 3, false, true },
	[CDN_SYMLINK] = { { { CORDON_MODIFY, true } }, 1, false, false },
	[CDN_COPY] = { { { CORDON_READ, false }, { CORDON_MODIFY, true } },
	    2, false, false },
};
/* clang-format on */

/*
 * What may be read and modified at both places may still be executed at one
 * of them only: the file must not become a program by its new name.
 */
static bool
becomes_program(const struct cdn_authority *authority, enum cordon_as as,
    cdn_str from, cdn_str to)
{
	struct cdn_question question = { .as = as, .op = CORDON_EXEC,
		.path = from };
	struct cordon_verdict verdict;

	cdn_decide(authority, &question, &verdict);
	if (verdict.allowed)
		return false;
	question.path = to;
	cdn_decide(authority, &question, &verdict);
	return verdict.allowed;
}

/* Without what is outside of it; the single parts are asked of both. */
static enum cdn_compound_result
compound(const struct cdn_authority *authority, enum cordon_as as,
    enum cdn_compound what, cdn_str from, cdn_str to,
    struct cordon_verdict *ret_verdict)
{
	for (size_t i = 0; i < compounds[what].n; i++) {
		const struct part *part = &compounds[what].parts[i];
		struct cdn_question question = { .as = as, .op = part->op,
			.path = part->at_target ? to : from };

		cdn_decide(authority, &question, ret_verdict);
		if (!ret_verdict->allowed)
			return CDN_COMPOUND_DENY;
	}
	if (what == CDN_SYMLINK &&
	    !link_is_allowed(authority, as, to, ret_verdict))
		return CDN_COMPOUND_DENY;
	if (compounds[what].moves_tree &&
	    !cdn_decide_same(authority, as, from, to))
		return CDN_COMPOUND_SPLIT;
	if (compounds[what].moves_file &&
	    becomes_program(authority, as, from, to))
		return CDN_COMPOUND_SPLIT;
	return CDN_COMPOUND_ALLOW;
}

enum cdn_compound_result
cdn_decide_compound(const struct cdn_authority *authority, enum cordon_as as,
    enum cdn_compound what, cdn_str from, cdn_str to,
    struct cordon_verdict *ret_verdict)
{
	enum cdn_compound_result outer = CDN_COMPOUND_ALLOW, own;

	if (authority->outer != NULL)
		outer = cdn_decide_compound(authority->outer, as, what, from,
		    to, ret_verdict);
	if (outer == CDN_COMPOUND_DENY)
		return outer;
	own = compound(authority, as, what, from, to, ret_verdict);
	return own == CDN_COMPOUND_ALLOW ? outer : own;
}
