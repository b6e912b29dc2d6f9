/*
 * lint_reach - findings that an example path proves.
 *
 * From the patterns involved a few paths are made up on which they meet; the
 * compiled lists are asked about each.  No example, no finding.
 */
#include "engine/decide/lint_internal.h"

#include "engine/decide/preset.h"

#define SHOWN_MAX 3 /* entries named in one finding */

struct reach {
	struct cdn_lint *lint;
	const struct cdn_profile_def *def;
	const struct cordon_profile *profile; /* of that definition, resolved */
	char path[CDN_PATH_MAX + 1];	      /* the example */
	cdn_str example;
};

/* ----- Examples ---------------------------------------------------------------- */

/*
 * The shortest path a pattern matches, with "x" for what must be something;
 * at most as long as the pattern.
 */
static size_t
make_example(cdn_str pattern, char *out)
{
	size_t n = 0;

	if (cdn_str_is(pattern, "."))
		return 0;
	for (size_t i = 0; i < pattern.n; i++) {
		bool stars = cdn_str_starts(cdn_str_from(pattern, i),
		    CDN_STR("**"));

		if (pattern.p[i] != '*' && pattern.p[i] != '?') {
			out[n++] = pattern.p[i];
			continue;
		}
		while (stars && i + 1 < pattern.n && pattern.p[i + 1] == '*')
			i++;
		if (stars && i + 1 < pattern.n && pattern.p[i + 1] == '/')
			i++; /* no directories */
		else
			out[n++] = 'x';
	}
	return n;
}

static bool
floats(cdn_str pattern)
{
	return cdn_str_starts(pattern, CDN_STR("**/"));
}

/* DIR/example of a pattern, its leading double star left out. */
static bool
example_below(struct reach *r, cdn_str dir, cdn_str pattern)
{
	size_t n = 0;

	if (floats(pattern))
		pattern = cdn_str_from(pattern, 3);
	if (dir.n + 1 + pattern.n > CDN_PATH_MAX)
		return false;
	if (dir.n > 0) {
		memcpy(r->path, dir.p, dir.n);
		n = dir.n;
		r->path[n++] = '/';
	}
	n += make_example(pattern, r->path + n);
	r->path[n] = '\0';
	r->example = (cdn_str){ r->path, n };
	return true;
}

/*
 * What the example is to be about: a rule that the path must match, and that
 * must have the last word there if it is one of a list that decides.
 */
struct target {
	cdn_str pattern;
	const struct cdn_matcher *matcher;
	size_t index;
	bool decides;
};

/* Does the example show that what the target is about may be modified? */
static bool
shows(struct reach *r, const struct target *target)
{
	bool about;

	if (r->lint->tries == 0) {
		r->lint->exhausted = true;
		return false;
	}
	r->lint->tries--;
	about = target->decides ?
	    cdn_matcher_check(target->matcher, r->example) ==
		(long)target->index :
	    cdn_matcher_rule(target->matcher, target->index, r->example);
	return about && cdn_rule_set_judge(&r->profile->sets[CORDON_MODIFY],
	    r->example).allowed;
}

/*
 * Where could it meet a grant?  Where either floats, below the directory of
 * the other; and at the grant itself.
 */
static bool
meets(struct reach *r, const struct target *target,
    const struct cdn_rule *grant)
{
	cdn_str here = cdn_lint_anchor(target->pattern);
	cdn_str there = cdn_lint_anchor(grant->pattern);

	if (floats(target->pattern) && there.n > 0 &&
	    example_below(r, there, target->pattern) && shows(r, target))
		return true;
	if (floats(grant->pattern) && here.n > 0 &&
	    example_below(r, here, grant->pattern) && shows(r, target))
		return true;
	return example_below(r, CDN_STR(""), grant->pattern) &&
	    shows(r, target);
}

/* Leaves the example in r; false when none was found. */
static bool
find_example(struct reach *r, const struct target *target)
{
	const struct cdn_rules *modify = &r->def->rules[CORDON_MODIFY];

	if (example_below(r, CDN_STR(""), target->pattern) &&
	    shows(r, target))
		return true;
	if (floats(target->pattern) &&
	    example_below(r, CDN_STR("x"), target->pattern) &&
	    shows(r, target))
		return true;
	for (size_t i = 0; i < modify->n && !r->lint->exhausted; i++)
		if (!modify->v[i].negated &&
		    meets(r, target, &modify->v[i]))
			return true;
	return false;
}

/* ----- Not to be read, but to be modified ----------------------------------------- */

static void
lint_modifiable(struct reach *r)
{
	const struct cdn_rule_set *read = &r->profile->sets[CORDON_READ];
	size_t own = r->def->rules[CORDON_READ].n;

	for (size_t i = 0; i < read->rules.n; i++) {
		const struct cdn_rule *rule = &read->rules.v[i];
		struct target target = { .pattern = rule->pattern,
			.matcher = read->matcher, .index = i,
			.decides = true };
		bool *told = i < own ? NULL : &r->lint->told[i - own];

		if (!rule->negated || (told != NULL && *told) ||
		    !find_example(r, &target))
			continue;
		if (told != NULL)
			*told = true;
		cdn_diag_add(r->lint->diags, CORDON_WARNING,
		    CDN_LINT_MODIFIABLE, rule->pos,
		    told != NULL ? "put it into spec.denyModify as well" :
				   "negate it in 'modify' as well",
		    "'%s' keeps '%s' from being read, but profile '%s' may "
		    "modify it", rule->text.p, r->path, r->def->name.p);
	}
}

/* ----- What the host would execute -------------------------------------------------- */

/* The defaults protect it unless the policy takes it out. */
static bool
is_unprotected(const struct reach *r)
{
	return cdn_matcher_check(r->lint->unprotect, r->example) !=
	    CDN_NO_RULE;
}

struct executed {
	char shown[200];
	size_t n; /* bytes of shown */
	size_t count;
	const struct cdn_rule *rule; /* that grants the first of them */
};

static void
add_executed(struct reach *r, struct executed *found, const char *pattern)
{
	const struct cdn_rule_set *modify = &r->profile->sets[CORDON_MODIFY];

	if (found->count == 0)
		found->rule = cdn_rule_set_judge(modify, r->example).rule;
	if (found->count++ < SHOWN_MAX)
		found->n += (size_t)snprintf(found->shown + found->n,
		    sizeof(found->shown) - found->n, "%s'%s'",
		    found->count > 1 ? ", " : "", pattern);
}

static void
lint_executed(struct reach *r)
{
	struct executed found = { .shown = "" };
	char more[32] = "";
	const char *pattern;

	for (size_t i = 0; r->lint->policy->unprotect.n > 0 &&
	    (pattern = cdn_preset_executed(i)) != NULL; i++) {
		struct target target = { .pattern = cdn_str_of(pattern),
			.matcher = r->lint->executed, .index = i };

		if (find_example(r, &target) && is_unprotected(r))
			add_executed(r, &found, pattern);
	}
	if (found.count == 0)
		return;
	if (found.count > SHOWN_MAX)
		snprintf(more, sizeof(more), " and %zu more",
		    found.count - SHOWN_MAX);
	cdn_diag_add(r->lint->diags, CORDON_WARNING, CDN_LINT_EXECUTED,
	    found.rule->pos, "take out of spec.unprotect what need not be "
	    "written",
	    "profile '%s' may modify what this machine would later execute: "
	    "%s%s", r->def->name.p, found.shown, more);
}

int
cdn_lint_reach(struct cdn_lint *lint, const struct cdn_profile_def *def)
{
	struct reach r = { .lint = lint, .def = def };
	struct cordon_profile *profile;
	int code = cdn_profile_resolve(lint->policy, def->name,
	    CDN_RESOLVE_STRICT, &profile, lint->err);

	if (code != 0)
		return code;
	r.profile = profile;
	if (profile->sets[CORDON_MODIFY].any_positive) {
		lint_modifiable(&r);
		lint_executed(&r);
	}
	cdn_profile_free(profile);
	return 0;
}
