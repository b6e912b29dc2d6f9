#include "engine/profile/lift.h"

#include "engine/match/fold.h"
#include "engine/match/pattern.h"

static int
prepare(struct cdn_lift *lift, struct cordon_error *err)
{
	const struct cdn_rules *own = lift->own;
	struct cdn_rule_set set;
	int code;

	lift->compared = cdn_arena_array(lift->scratch, own->n,
	    sizeof(*lift->compared));
	if (lift->compared == NULL)
		return cdn_err_nomem(err);
	for (size_t i = 0; i < own->n; i++) {
		lift->compared[i] = own->v[i].pattern;
		if (lift->list->fold &&
		    !cdn_fold_str(lift->scratch, &lift->compared[i]))
			return cdn_err_nomem(err);
	}
	code = cdn_rule_set_build(lift->scratch, *own, lift->list->fold, &set,
	    err);
	if (code == 0)
		lift->matcher = set.matcher;
	return code;
}

int
cdn_lift_init(struct cdn_lift *lift, struct cdn_rule_list *list,
    const struct cdn_rules *own, struct cordon_error *err)
{
	int code;

	*lift = (struct cdn_lift){ .list = list, .own = own };
	lift->scratch = cdn_arena_new();
	if (lift->scratch == NULL)
		return cdn_err_nomem(err);
	code = prepare(lift, err);
	if (code != 0)
		cdn_lift_done(lift);
	return code;
}

void
cdn_lift_done(struct cdn_lift *lift)
{
	cdn_arena_free(lift->scratch);
	lift->scratch = NULL;
}

/* ----- Cutting a rule to a subtree ------------------------------------------ */

/*
 * A pattern walks down a directory segment by segment.  Where it may stand is
 * a set of places in its text, each the beginning of a segment; AT_END is
 * behind the last.
 */
struct places {
	bool at[CDN_RULE_MAX + 2];
};

#define AT_END(pattern) ((pattern).n + 1)

/* The segment that begins at `from`, and where the next one does. */
static cdn_str
segment(cdn_str pattern, size_t from, size_t *ret_next)
{
	cdn_str rest = cdn_str_from(pattern, from), part;

	(void)cdn_str_next(&rest, '/', &part);
	*ret_next = from + part.n + 1;
	return part;
}

/* 1 = yes, 0 = no, negative = cannot tell: two stars inside a segment. */
static int
segment_matches(struct cdn_lift *lift, cdn_str part, cdn_str name)
{
	struct cdn_pattern pattern;

	if (cdn_rule_is_exact(part))
		return cdn_str_eq(part, name);
	if (part.p[0] != '*' && part.p[0] != '?' && part.p[0] != name.p[0])
		return 0; /* most differ there: no need to look further */
	for (size_t i = 0; i + 1 < part.n; i++)
		if (part.p[i] == '*' && part.p[i + 1] == '*')
			return -1;
	if (lift->segments == NULL)
		lift->segments = cdn_arena_new();
	if (lift->segments == NULL ||
	    cdn_pattern_parse(lift->segments, part, 0, &pattern, NULL) != 0) {
		lift->list->failed = true;
		return -1;
	}
	return cdn_pattern_match(&pattern, name);
}

/* One name further down; false when that cannot be told. */
static bool
descend(struct cdn_lift *lift, cdn_str pattern, cdn_str name,
    struct places *from, struct places *to)
{
	memset(to->at, 0, AT_END(pattern) + 1);
	for (size_t i = 0; i <= pattern.n; i++) {
		cdn_str part;
		size_t next;
		int matches;

		if (!from->at[i])
			continue;
		part = segment(pattern, i, &next);
		if (cdn_str_is(part, "**")) {
			to->at[i] = true;
			if (next <= pattern.n)
				from->at[next] = true;
			continue;
		}
		matches = segment_matches(lift, part, name);
		if (matches < 0)
			return false;
		if (matches > 0)
			to->at[next] = true;
	}
	return true;
}

/* Where the pattern may stand once it has gone down into dir. */
static bool
descend_all(struct cdn_lift *lift, cdn_str pattern, cdn_str dir,
    struct places *ret)
{
	CDN_UNINITIALIZED struct places from;
	cdn_str name;

	memset(ret->at, 0, AT_END(pattern) + 1);
	ret->at[0] = true;
	while (cdn_str_next(&dir, '/', &name)) {
		memcpy(from.at, ret->at, AT_END(pattern) + 1);
		if (!descend(lift, pattern, name, &from, ret))
			return false;
	}
	return true;
}

/* ----- One exception ---------------------------------------------------------- */

struct exception {
	const struct cdn_rule *rule;
	cdn_str pattern; /* as compared */
	cdn_str dir;	 /* of a subtree: what it is below */
};

static void
add(struct cdn_lift *lift, const struct cdn_rule *like, const char *pattern,
    bool negated)
{
	struct cdn_rule rule = *like;

	if (pattern == NULL) {
		lift->list->failed = true;
		return;
	}
	rule.pattern = cdn_str_of(pattern);
	rule.negated = negated;
	cdn_rule_list_add(lift->list, rule);
}

/* Takes back all of P in the name of a rule that could not be cut. */
static void
add_whole(struct cdn_lift *lift, const struct exception *e,
    const struct cdn_rule *rule)
{
	add(lift, rule, e->rule->pattern.p, true);
}

/* What of a negated rule lies inside the subtree. */
static void
add_cut(struct cdn_lift *lift, const struct exception *e,
    const struct cdn_rule *rule, cdn_str pattern)
{
	struct cdn_arena *arena = lift->list->arena;
	CDN_UNINITIALIZED struct places places;

	if (e->dir.n + 1 + pattern.n > CDN_RULE_MAX ||
	    !descend_all(lift, pattern, e->dir, &places)) {
		add_whole(lift, e, rule);
		return;
	}
	if (places.at[AT_END(pattern)])
		add(lift, rule, cdn_arena_dup(arena, e->dir.p, e->dir.n),
		    true);
	for (size_t i = 0; i <= pattern.n; i++)
		if (places.at[i])
			add(lift, rule, cdn_arena_printf(arena, "%.*s/%.*s",
			    CDN_STR_ARG(e->dir),
			    CDN_STR_ARG(cdn_str_from(pattern, i))), true);
}

/* Index of the last own rule that covers P, or -1. */
static long
last_covering(const struct cdn_lift *lift, cdn_str pattern)
{
	for (size_t i = lift->own->n; i > 0; i--)
		if (cdn_rule_covers(lift->compared[i - 1], pattern))
			return (long)i - 1;
	return -1;
}

/*
 * Inside P a grant comes back only when no later rule had taken all of P away.
 */
static void
append_subtree(struct cdn_lift *lift, const struct exception *e)
{
	const struct cdn_rules *own = lift->own;
	long covering = last_covering(lift, e->pattern);
	bool granted = covering >= 0 && !own->v[covering].negated;

	if (granted)
		add(lift, e->rule, e->rule->pattern.p, false);
	for (size_t i = 0; i < own->n; i++) {
		const struct cdn_rule *rule = &own->v[i];
		cdn_str pattern = lift->compared[i];
		bool dead = !granted && (long)i < covering;

		if (cdn_rule_list_stopped(lift->list))
			return;
		if (cdn_rule_covers(e->pattern, pattern)) {
			if (rule->negated || !dead)
				cdn_rule_list_add(lift->list, *rule);
		} else if (rule->negated &&
		    !cdn_rule_covers(pattern, e->pattern)) {
			add_cut(lift, e, rule, pattern);
		}
	}
}

/* A single path: the profile says yes or no to it. */
static void
append_exact(struct cdn_lift *lift, const struct exception *e)
{
	cdn_str path = cdn_str_is(e->pattern, ".") ? CDN_STR("") : e->pattern;
	int index = cdn_matcher_check(lift->matcher, path);

	if (index != CDN_NO_RULE && !lift->own->v[index].negated)
		add(lift, e->rule, e->rule->pattern.p, false);
}

void
cdn_lift_append(struct cdn_lift *lift, const struct cdn_rule *exception)
{
	struct exception e = { exception, exception->pattern,
		exception->pattern };

	if (lift->list->fold && !cdn_fold_str(lift->scratch, &e.pattern)) {
		lift->list->failed = true;
		return;
	}
	e.dir = e.pattern;
	if (!cdn_str_ends(e.pattern, CDN_STR("/**"))) {
		append_exact(lift, &e);
		return;
	}
	e.dir.n -= 3;
	append_subtree(lift, &e);
	cdn_arena_free(lift->segments);
	lift->segments = NULL;
}
