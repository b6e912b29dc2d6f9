/*
 * validate - what can be said of a whole policy only.
 *
 * The sentences hold contract strings: other programs look for them.
 */
#include "engine/policy/load.h"

#include "engine/match/pattern.h"
#include "engine/policy/cover.h"

struct check {
	const struct cordon_policy *policy;
	struct cdn_report *report;
	struct cdn_arena *scratch;
	const cdn_str *denied[CDN_RULE_OPS]; /* patterns, sorted */
	size_t denied_n[CDN_RULE_OPS];
};

static const char *const op_keys[CDN_RULE_OPS] = { "read", "modify", "exec" };
static const char *const deny_keys[CDN_RULE_OPS] = { "denyRead", "denyModify",
	"denyExec" };

/* ----- Telling --------------------------------------------------------------- */

static void
complain_deny(struct check *c, enum cdn_finding_kind finding, enum cordon_op op,
    const struct cdn_rule *rule, const char *hint, const char *what)
{
	cdn_report_add(c->report, finding, rule->pos, hint,
	    "policy '%s': spec.%s: '%s' %s", cdn_shown(c->policy->name).text,
	    deny_keys[op], cdn_shown(rule->text).text, what);
}

static void
complain_rule(struct check *c, enum cdn_finding_kind finding,
    const struct cdn_profile_def *profile, enum cordon_op op,
    const struct cdn_rule *rule, const char *hint, const char *what)
{
	cdn_report_add(c->report, finding, rule->pos, hint,
	    "policy '%s': spec.fsProfiles.%s.%s: rule '%s' %s",
	    cdn_shown(c->policy->name).text, cdn_shown(profile->name).text,
	    op_keys[op], cdn_shown(rule->text).text, what);
}

static void
complain_equal(struct check *c, const struct cdn_profile_def *profile,
    enum cordon_op op, const struct cdn_rule *rule, enum cordon_op deny)
{
	char what[64];

	snprintf(what, sizeof(what), "duplicates global %s entry",
	    deny_keys[deny]);
	complain_rule(c, CDN_FINDING_DENIED, profile, op, rule,
	    "no profile can have what is denied globally: remove one of the two",
	    what);
}

/* ----- Global denies --------------------------------------------------------- */

static void
check_no_exceptions(struct check *c, enum cordon_op op)
{
	const struct cdn_rules *rules = &c->policy->deny[op];

	for (size_t i = 0; i < rules->n; i++)
		if (rules->v[i].negated)
			complain_deny(c, CDN_FINDING_EXCEPTION, op,
			    &rules->v[i], "only denyModify can have exceptions",
			    "cannot be an exception");
}

/* What is taken out of the defaults is not put back by the same list. */
static void
check_unprotect(struct check *c)
{
	const struct cdn_rules *rules = &c->policy->unprotect;

	for (size_t i = 0; i < rules->n; i++)
		if (rules->v[i].negated)
			cdn_report_add(c->report, CDN_FINDING_EXCEPTION,
			    rules->v[i].pos,
			    "name what may be modified, rule by rule",
			    "policy '%s': spec.unprotect: '%s' cannot be an "
			    "exception", cdn_shown(c->policy->name).text,
			    cdn_shown(rules->v[i].text).text);
}

/* A path, or one followed by a slash and two stars; no other wildcards. */
static bool
is_path_or_subtree(cdn_str pattern)
{
	if (cdn_str_ends(pattern, CDN_STR("/**")))
		pattern.n -= 3;
	return cdn_rule_is_exact(pattern);
}

static void
check_exceptions(struct check *c, const size_t *covered, bool *needs_merge)
{
	const struct cdn_rules *rules = &c->policy->deny[CORDON_MODIFY];
	size_t count = 0;

	for (size_t i = 0; i < rules->n; i++) {
		const struct cdn_rule *rule = &rules->v[i];

		if (!rule->negated)
			continue;
		if (++count > CDN_EXCEPTIONS_MAX) {
			complain_deny(c, CDN_FINDING_COUNT, CORDON_MODIFY,
			    rule, "at most 256 exceptions are possible",
			    "is one exception too many");
			return;
		}
		if (!is_path_or_subtree(rule->pattern))
			complain_deny(c, CDN_FINDING_EXCEPTION, CORDON_MODIFY,
			    rule, "write one exception for each path",
			    "must name an exact path or `<path>/**` subtree");
		else if (covered[i] != CDN_NOT_COVERED && covered[i] <= i)
			continue;
		else if (needs_merge != NULL)
			*needs_merge = true;
		else
			complain_deny(c, CDN_FINDING_EXCEPTION, CORDON_MODIFY,
			    rule,
			    "put it below the rule it is taken from, such "
			    "as \"config/**\" before \"!config/local.yaml\"",
			    "must be strictly contained by an earlier denyModify "
			    "rule");
	}
}

static void
check_deny_modify(struct check *c, bool *needs_merge)
{
	const struct cdn_rules *rules = &c->policy->deny[CORDON_MODIFY];
	size_t *covered = cdn_arena_array(c->scratch, rules->n,
	    sizeof(*covered));

	if (covered == NULL ||
	    !cdn_cover_find(c->scratch, rules, rules, true, true, covered))
		c->report->nomem = true;
	else
		check_exceptions(c, covered, needs_merge);
}

/* ----- Profiles against global denies ----------------------------------------- */

static int
by_text(const void *a, const void *b)
{
	return cdn_str_cmp(*(const cdn_str *)a, *(const cdn_str *)b);
}

static void
sort_denies(struct check *c, enum cordon_op op)
{
	const struct cdn_rules *rules = &c->policy->deny[op];
	cdn_str *sorted = cdn_arena_array(c->scratch, rules->n,
	    sizeof(*sorted));
	size_t n = 0;

	if (sorted == NULL) {
		c->report->nomem = true;
		return;
	}
	for (size_t i = 0; i < rules->n; i++)
		if (!rules->v[i].negated)
			sorted[n++] = rules->v[i].pattern;
	qsort(sorted, n, sizeof(*sorted), by_text);
	c->denied[op] = sorted;
	c->denied_n[op] = n;
}

static bool
is_denied(const struct check *c, enum cordon_op op, cdn_str pattern)
{
	return c->denied_n[op] > 0 &&
	    bsearch(&pattern, c->denied[op], c->denied_n[op], sizeof(pattern),
		by_text) != NULL;
}

/* What is not readable cannot be granted for modifying either. */
static void
check_denied(struct check *c, const struct cdn_profile_def *profile,
    enum cordon_op op)
{
	for (size_t i = 0; i < profile->rules[op].n; i++) {
		const struct cdn_rule *rule = &profile->rules[op].v[i];

		if (rule->negated)
			continue;
		if (is_denied(c, op, rule->pattern))
			complain_equal(c, profile, op, rule, op);
		else if (op == CORDON_MODIFY &&
		    is_denied(c, CORDON_READ, rule->pattern))
			complain_equal(c, profile, op, rule, CORDON_READ);
	}
}

/* ----- Profiles by themselves --------------------------------------------------- */

static void
check_coverage(struct check *c, const struct cdn_profile_def *profile)
{
	const struct cdn_rules *modify = &profile->rules[CORDON_MODIFY];
	size_t *covered = cdn_arena_array(c->scratch, modify->n,
	    sizeof(*covered));

	if (covered == NULL ||
	    !cdn_cover_find(c->scratch, &profile->rules[CORDON_READ], modify,
		false, false, covered)) {
		c->report->nomem = true;
		return;
	}
	for (size_t i = 0; i < modify->n; i++)
		if (!modify->v[i].negated && covered[i] == CDN_NOT_COVERED)
			complain_rule(c, CDN_FINDING_COVERAGE, profile,
			    CORDON_MODIFY, &modify->v[i],
			    "add it, or a rule with /** above it, to 'read'",
			    "is not covered by any read rule");
}

static void
check_profiles(struct check *c, const struct cdn_doubt *doubt)
{
	for (size_t i = 0; i < c->policy->profile_count; i++) {
		const struct cdn_profile_def *profile = &c->policy->profiles[i];

		for (enum cordon_op op = CORDON_READ; op <= CORDON_EXEC; op++)
			check_denied(c, profile, op);
		if (doubt->profiles == NULL || !doubt->profiles[i])
			check_coverage(c, profile);
	}
}

/* ----- Names -------------------------------------------------------------------- */

static void
check_name(struct check *c)
{
	struct cordon_error err;

	/* Without a name and a place for it, that it is missing was said. */
	if (c->policy->name.n == 0 && c->policy->name_pos.line == 0)
		return;
	if (cdn_name_check(c->policy->name, &err) != 0)
		cdn_report_add(c->report, CDN_FINDING_NAME, c->policy->name_pos,
		    "a policy is named like its file, without '.yaml'", "%s",
		    err.text);
}

/* Sealing a name that nobody has protects nothing: it is a slip. */
static void
check_sealed(struct check *c)
{
	const struct cordon_policy *policy = c->policy;

	for (size_t i = 0; i < policy->sealed.n; i++) {
		const struct cdn_text *name = &policy->sealed.v[i];

		if (cdn_policy_find_profile(policy, name->text) != NULL ||
		    cdn_str_is(name->text, "unrestricted"))
			continue;
		cdn_report_add(c->report, CDN_FINDING_SEALED, name->pos,
		    "name a profile of spec.fsProfiles",
		    "policy '%s': spec.sealed: there is no profile '%s'",
		    cdn_shown(policy->name).text, cdn_shown(name->text).text);
	}
}

/* ----- All of it ------------------------------------------------------------------ */

void
cdn_validate(const struct cordon_policy *policy, const struct cdn_doubt *doubt,
    struct cdn_report *report)
{
	struct check c = { .policy = policy, .report = report };

	c.scratch = cdn_arena_new();
	if (c.scratch == NULL) {
		report->nomem = true;
		return;
	}
	check_name(&c);
	check_no_exceptions(&c, CORDON_READ);
	check_no_exceptions(&c, CORDON_EXEC);
	check_unprotect(&c);
	if (!doubt->deny_modify)
		check_deny_modify(&c, doubt->needs_merge);
	for (enum cordon_op op = CORDON_READ; op <= CORDON_EXEC; op++)
		sort_denies(&c, op);
	check_profiles(&c, doubt);
	check_sealed(&c);
	cdn_arena_free(c.scratch);
}

int
cdn_policy_validate(const struct cordon_policy *policy,
    struct cordon_diags *diags, struct cordon_error *err)
{
	static const struct cdn_doubt none;
	struct cdn_report report;
	int code;

	cdn_report_init(&report);
	cdn_validate(policy, &none, &report);
	code = cdn_report_tell(&report, false, diags, err);
	cdn_report_done(&report);
	return code;
}
