#include "engine/decide/lint_internal.h"

#include "engine/decide/preset.h"
#include "engine/match/pattern.h"
#include "engine/profile/shadow.h"

static const char *const op_keys[CDN_RULE_OPS] = { "read", "modify", "exec" };
static const char *const deny_keys[CDN_RULE_OPS] = { "denyRead", "denyModify",
	"denyExec" };

/* One list of the document, with its name for people. */
struct list {
	char label[CDN_NAME_MAX + 32]; /* "spec.fsProfiles.dev.read" */
	const struct cdn_rules *rules;
	size_t *shadows; /* of the rules among themselves */
};

cdn_str
cdn_lint_anchor(cdn_str pattern)
{
	size_t anchor = 0;

	if (cdn_str_is(pattern, "."))
		return CDN_STR("");
	if (cdn_rule_is_exact(pattern))
		return pattern;
	for (size_t i = 0; i < pattern.n; i++) {
		if (pattern.p[i] == '*' || pattern.p[i] == '?')
			break;
		if (pattern.p[i] == '/')
			anchor = i;
	}
	return (cdn_str){ pattern.p, anchor };
}

/* ----- Rules that never decide ---------------------------------------------- */

/* "line 7", or with its file where that is another one. */
static const char *
where(const struct cdn_rule *rule, const struct cdn_rule *seen_from, char *out,
    size_t size)
{
	const char *source = rule->pos.source, *here = seen_from->pos.source;

	if (source == NULL || (here != NULL && strcmp(source, here) == 0))
		snprintf(out, size, "line %u", rule->pos.line);
	else
		snprintf(out, size, "%s:%u", source, rule->pos.line);
	return out;
}

/* clang-format off */
static const struct {
	const char *id;
	const char *does;
	const char *hint;
} shadow_texts[2][2] = { /* [the rule is negated][the later one is] */
	{ { CDN_LINT_SHADOWED, "grants all of it",
	    "remove it" },
	  { CDN_LINT_SHADOWED, "takes all of it away",
	    "remove it, or put it behind that rule" } },
	{ { CDN_LINT_ORDER, "grants it again",
	    "put it behind that rule: the last match wins" },
	  { CDN_LINT_SHADOWED, "takes away all of it, too",
	    "remove it" } },
};
/* clang-format on */

static void
tell_shadow(struct cdn_lint *lint, const char *label,
    const struct cdn_rule *rule, const struct cdn_rule *later, bool negated,
    bool later_negated)
{
	char place[200];

	cdn_diag_add(lint->diags, CORDON_WARNING,
	    shadow_texts[negated][later_negated].id, rule->pos,
	    shadow_texts[negated][later_negated].hint,
	    "%s: rule '%s' never decides: the later '%s' (%s) %s", label,
	    rule->text.p, later->text.p,
	    where(later, rule, place, sizeof(place)),
	    shadow_texts[negated][later_negated].does);
}

static bool
find_shadows(struct cdn_arena *arena, struct list *list)
{
	list->shadows = cdn_arena_array(arena, list->rules->n,
	    sizeof(*list->shadows));
	return list->shadows != NULL && cdn_shadow_find(arena, list->rules,
	    list->rules, list->shadows);
}

/* The rule of its own list that has the last word about rule i, or NULL. */
static const struct cdn_rule *
own_shadow(const struct list *list, size_t i)
{
	return list->shadows[i] > i ? &list->rules->v[list->shadows[i]] : NULL;
}

/* ----- Brackets -------------------------------------------------------------- */

static bool
has_pair(cdn_str text, char open, char close)
{
	const char *first = text.n == 0 ? NULL : memchr(text.p, open, text.n);

	return first != NULL &&
	    memchr(first, close, text.n - (size_t)(first - text.p)) != NULL;
}

static void
lint_literals(struct cdn_lint *lint, const struct list *list)
{
	for (size_t i = 0; i < list->rules->n; i++) {
		const struct cdn_rule *rule = &list->rules->v[i];
		bool class = has_pair(rule->pattern, '[', ']');

		if (!class && !has_pair(rule->pattern, '{', '}'))
			continue;
		cdn_diag_add(lint->diags, CORDON_WARNING, CDN_LINT_LITERAL,
		    rule->pos, "write one rule for each name; all is well if "
		    "the name really has them",
		    "%s: %s in rule '%s' are literal: there are no %s here",
		    list->label, class ? "brackets" : "braces", rule->text.p,
		    class ? "character classes" : "alternatives");
	}
}

/* ----- Global denies ---------------------------------------------------------- */

/* In a list of denies "negated" means an exception. */
static int
lint_denies(struct cdn_lint *lint, enum cordon_op op, struct cdn_arena *arena)
{
	struct list list = { .rules = &lint->policy->deny[op] };

	snprintf(list.label, sizeof(list.label), "spec.%s", deny_keys[op]);
	lint_literals(lint, &list);
	if (!find_shadows(arena, &list))
		return cdn_err_nomem(lint->err);
	for (size_t i = 0; i < list.rules->n; i++) {
		const struct cdn_rule *rule = &list.rules->v[i];
		const struct cdn_rule *later = own_shadow(&list, i);

		if (later != NULL)
			tell_shadow(lint, list.label, rule, later,
			    !rule->negated, !later->negated);
	}
	return 0;
}

/* ----- Lists of a profile ------------------------------------------------------ */

static bool
any_positive(const struct cdn_rules *rules)
{
	for (size_t i = 0; i < rules->n; i++)
		if (!rules->v[i].negated)
			return true;
	return false;
}

static int
build_positives(struct cdn_arena *arena, const struct cdn_rules *rules,
    struct cdn_rule_set *ret, struct cordon_error *err)
{
	struct cdn_rules positives = { 0 };

	positives.v = cdn_arena_array(arena, rules->n, sizeof(*positives.v));
	if (positives.v == NULL)
		return cdn_err_nomem(err);
	for (size_t i = 0; i < rules->n; i++)
		if (!rules->v[i].negated)
			positives.v[positives.n++] = rules->v[i];
	return cdn_rule_set_build(arena, positives, false, ret, err);
}

/* Is it certain that no positive rule reaches what this one takes away? */
static bool
is_pointless(const struct cdn_rule_set *positives, const struct cdn_rule *rule)
{
	cdn_str anchor = cdn_lint_anchor(rule->pattern);

	if (cdn_rule_is_exact(rule->pattern))
		return cdn_matcher_check(positives->matcher, anchor) ==
		    CDN_NO_RULE;
	return anchor.n > 0 && cdn_matcher_subtree(positives->matcher,
	    anchor) == CDN_SUBTREE_DENY;
}

static void
tell_pointless(struct cdn_lint *lint, const struct list *list,
    const struct cdn_rule *rule)
{
	cdn_diag_add(lint->diags, CORDON_WARNING, CDN_LINT_POINTLESS,
	    rule->pos, "check its spelling, or remove it",
	    "%s: rule '%s' takes nothing away: no rule of the list grants "
	    "anything there", list->label, rule->text.p);
}

static int
lint_rules(struct cdn_lint *lint, const struct list *list, enum cordon_op op,
    struct cdn_arena *arena)
{
	const struct cdn_rules *denies = &lint->policy->deny[op];
	size_t *by_deny = cdn_arena_array(arena, list->rules->n,
	    sizeof(*by_deny));
	struct cdn_rule_set positives;
	int code;

	if (by_deny == NULL ||
	    !cdn_shadow_find(arena, denies, list->rules, by_deny))
		return cdn_err_nomem(lint->err);
	code = build_positives(arena, list->rules, &positives, lint->err);
	for (size_t i = 0; i < list->rules->n && code == 0; i++) {
		const struct cdn_rule *rule = &list->rules->v[i];
		const struct cdn_rule *later = own_shadow(list, i);
		const struct cdn_rule *deny = by_deny[i] == CDN_NO_SHADOW ?
		    NULL : &denies->v[by_deny[i]];

		if (later != NULL)
			tell_shadow(lint, list->label, rule, later,
			    rule->negated, later->negated);
		else if (deny != NULL && !deny->negated)
			tell_shadow(lint, list->label, rule, deny,
			    rule->negated, true);
		else if (rule->negated && positives.any_positive &&
		    is_pointless(&positives, rule))
			tell_pointless(lint, list, rule);
	}
	return code;
}

static int
lint_list(struct cdn_lint *lint, const struct cdn_profile_def *def,
    enum cordon_op op, struct cdn_arena *arena)
{
	struct list list = { .rules = &def->rules[op] };

	snprintf(list.label, sizeof(list.label), "spec.fsProfiles.%s.%s",
	    def->name.p, op_keys[op]);
	if (!find_shadows(arena, &list))
		return cdn_err_nomem(lint->err);
	lint_literals(lint, &list);
	if (list.rules->n > 0 && !any_positive(list.rules))
		cdn_diag_add(lint->diags, CORDON_WARNING, CDN_LINT_NEGATIONS,
		    list.rules->v[0].pos, "begin with what is granted, such "
		    "as \"./**\"", "%s: only negated rules: the list grants "
		    "nothing", list.label);
	if (op == CORDON_READ && list.rules->n == 0)
		cdn_diag_add(lint->diags, CORDON_WARNING, CDN_LINT_EMPTY,
		    def->pos, "say what it may read, such as \"./**\"",
		    "%s: empty: the profile reads nothing of the workspace",
		    list.label);
	return lint_rules(lint, &list, op, arena);
}

static int
lint_profile(struct cdn_lint *lint, const struct cdn_profile_def *def)
{
	struct cdn_arena *arena = cdn_arena_new();
	int code = 0;

	if (arena == NULL)
		return cdn_err_nomem(lint->err);
	for (enum cordon_op op = CORDON_READ; op <= CORDON_EXEC; op++)
		if (code == 0 && (op != CORDON_EXEC || def->has_exec))
			code = lint_list(lint, def, op, arena);
	cdn_arena_free(arena);
	return code != 0 ? code : cdn_lint_reach(lint, def);
}

/* ----- All of it ----------------------------------------------------------------- */

static int
build_executed(struct cdn_lint *lint, struct cdn_arena *arena)
{
	struct cdn_match_rule *rules;
	size_t n = 0;

	while (cdn_preset_executed(n) != NULL)
		n++;
	rules = cdn_arena_array(arena, n, sizeof(*rules));
	if (rules == NULL)
		return cdn_err_nomem(lint->err);
	for (size_t i = 0; i < n; i++)
		rules[i].pattern = cdn_str_of(cdn_preset_executed(i));
	return cdn_matcher_build(arena, rules, n, &lint->executed, lint->err);
}

static int
build_unprotect(struct cdn_lint *lint, struct cdn_arena *arena)
{
	const struct cdn_rules *unprotect = &lint->policy->unprotect;
	struct cdn_match_rule *rules = cdn_arena_array(arena, unprotect->n,
	    sizeof(*rules));

	if (rules == NULL)
		return cdn_err_nomem(lint->err);
	for (size_t i = 0; i < unprotect->n; i++)
		rules[i].pattern = unprotect->v[i].pattern;
	return cdn_matcher_build(arena, rules, unprotect->n, &lint->unprotect,
	    lint->err);
}

static int
lint_all(struct cdn_lint *lint, struct cdn_arena *arena)
{
	const struct cordon_policy *policy = lint->policy;
	int code = build_executed(lint, arena);

	if (code == 0)
		code = build_unprotect(lint, arena);
	if (code != 0)
		return code;
	lint->told = cdn_arena_array(arena, policy->deny[CORDON_READ].n,
	    sizeof(*lint->told));
	if (lint->told == NULL)
		return cdn_err_nomem(lint->err);
	for (enum cordon_op op = CORDON_READ; op <= CORDON_EXEC; op++)
		if (code == 0)
			code = lint_denies(lint, op, arena);
	for (size_t i = 0; i < policy->profile_count && code == 0; i++)
		code = lint_profile(lint, &policy->profiles[i]);
	if (code == 0 && lint->exhausted)
		cdn_diag_add(lint->diags, CORDON_WARNING, CDN_LINT_BOUND,
		    policy->name_pos, NULL, "so many rules that only %lu "
		    "example paths were tried", CDN_LINT_TRIES_MAX);
	return code;
}

int
cdn_lint_policy(const struct cordon_policy *policy, struct cordon_diags *diags,
    struct cordon_error *err)
{
	struct cdn_lint lint = { .policy = policy, .diags = diags, .err = err,
		.tries = CDN_LINT_TRIES_MAX };
	struct cdn_arena *arena = cdn_arena_new();
	int code;

	if (arena == NULL)
		return cdn_err_nomem(err);
	code = lint_all(&lint, arena);
	cdn_arena_free(arena);
	return code;
}
