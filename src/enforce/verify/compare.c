#include "enforce/verify/verify.h"

#include <errno.h>

#include "base/str.h"
#include "enforce/session/placelist.h"
#include "enforce/verify/probe.h"

/* ----- What is known ---------------------------------------------------------------- */

static bool
is_among(const char *words, const char *word)
{
	cdn_str rest = cdn_str_of(words), part;

	while (words != NULL && cdn_str_next(&rest, ' ', &part))
		if (cdn_str_is(part, word))
			return true;
	return false;
}

static const struct cdn_region *
region_of(const struct cdn_plan *plan, const char *path)
{
	const struct cdn_region *found = NULL;

	for (size_t i = 0; i < plan->region_count; i++)
		if (cdn_placelist_below(path, plan->regions[i].path))
			found = &plan->regions[i];
	return found;
}

static bool
lies_in_passage(const struct cdn_plan *plan, const char *path)
{
	for (size_t i = 0; i < plan->region_count; i++)
		if (plan->regions[i].held == CDN_REGION_PASSAGE &&
		    cdn_placelist_below(path, plan->regions[i].path))
			return true;
	return false;
}

/* Where a directory is granted entry by entry nothing can be added to it. */
static bool
is_entry_of_passage(const struct cdn_plan *plan, const char *path)
{
	const struct cdn_region *region = region_of(plan, path);

	return region != NULL && region->held == CDN_REGION_PASSAGE;
}

/*
 * One that takes away explains what is refused, another what is not.  Without
 * Landlock there is no cage, and nothing is as it should be.
 */
static const char *
known_shortfall(const struct cdn_plan *plan, const struct cdn_probe *probe,
    bool worked)
{
	const char *known = probe->how == CDN_TRY_ESCAPE ?
	    cdn_escapes[probe->escape].known : cdn_tries[probe->how].known;
	bool entry = !worked && is_entry_of_passage(plan, probe->path);

	for (size_t i = 0; i < plan->shortfall_count; i++) {
		const struct cdn_shortfall *lost = &plan->shortfalls[i];

		if (!plan->caged && is_among("landlock", lost->id))
			return lost->text;
		if (lost->stricter != worked && (is_among(known, lost->id) ||
			(entry && is_among("new-names", lost->id))))
			return lost->text;
	}
	return NULL;
}

/* What is said of every plan of that kind: names can be listed there. */
static const char *
known_limit(const struct cdn_plan *plan, const struct cdn_probe *probe,
    bool worked)
{
	const struct cdn_plan_limit *limit;

	if (!worked || probe->how != CDN_TRY_LIST ||
	    !lies_in_passage(plan, probe->path))
		return NULL;
	for (size_t i = 0; (limit = cdn_plan_limit(i)) != NULL; i++)
		if (strcmp(limit->id, "visible-passages") == 0)
			return limit->text;
	return NULL;
}

static bool
is_rule_of(const struct cdn_plan_rule *row,
    const struct cordon_verdict *verdict)
{
	const struct cdn_pos *pos = &row->rule->pos;

	return row->op == verdict->operation && row->layer == verdict->layer &&
	    pos->line == verdict->line && pos->column == verdict->column &&
	    pos->source != NULL && verdict->source != NULL &&
	    strcmp(pos->source, verdict->source) == 0 &&
	    (verdict->line != 0 || verdict->rule_text == NULL ||
	     cdn_str_is(row->rule->text, verdict->rule_text));
}

/* The report says of the rule that nobody holds it, or not quite. */
static const char *
known_rule(const struct cdn_plan *plan, const struct cdn_probe *probe)
{
	for (size_t i = 0; i < plan->rule_count; i++) {
		const struct cdn_plan_rule *row = &plan->rules[i];

		if ((row->by == CDN_BY_NOBODY || row->by == CDN_BY_EFFORT ||
			row->by == CDN_BY_APPLICATION) &&
		    is_rule_of(row, &probe->verdict))
			return row->why;
	}
	return NULL;
}

/* ----- Words -------------------------------------------------------------------------- */

static void
say_kernel(const struct cdn_probe *probe, char *out, size_t size)
{
	int r = probe->result;

	if (probe->there)
		snprintf(out, size, "the name appeared");
	else if (cdn_prober_worked(probe, r))
		snprintf(out, size, "the kernel let it through");
	else if (r <= -CDN_DIED)
		snprintf(out, size, "signal %d ended it", -r - CDN_DIED);
	else
		snprintf(out, size, "the kernel answered %s",
		    strerrorname_np(-r) != NULL ? strerrorname_np(-r) :
						  "an error");
}

static void
say_policy(const struct cordon_verdict *v, char *out, size_t size)
{
	char at[256] = "";

	if (v->source != NULL && v->line > 0)
		snprintf(at, sizeof(at), ", %s:%u:%u", v->source, v->line,
		    v->column);
	snprintf(out, size, "the policy %s it (%s%s, layer %s)",
	    v->allowed ? "allows" : "denies",
	    v->rule_text != NULL ? v->rule_text : v->matched_rule, at,
	    cordon_layer_name(v->layer));
}

/* Both sides, and where they meet. */
static void
explain(const struct cdn_plan *plan, const struct cdn_probe *probe,
    const char *known, char why[CDN_WHY_SIZE])
{
	const struct cdn_region *region = region_of(plan, probe->path);
	char kernel[128], policy[512], where[256] = "";

	say_kernel(probe, kernel, sizeof(kernel));
	if (probe->how == CDN_TRY_ESCAPE)
		snprintf(policy, sizeof(policy), "a way out (%s)",
		    cdn_escapes[probe->escape].what);
	else
		say_policy(&probe->verdict, policy, sizeof(policy));
	if (region != NULL && probe->path[0] == '/')
		snprintf(where, sizeof(where), "; region '%s': %s",
		    region->path, cdn_region_kind_name(region->held));
	snprintf(why, CDN_WHY_SIZE, "%s, but %s%s%s%s%s", policy, kernel,
	    where, probe->other != NULL ? "; to " : "",
	    probe->other != NULL ? probe->other : "", "");
	if (known != NULL) {
		size_t n = strlen(why);

		snprintf(why + n, CDN_WHY_SIZE - n, "; known: %s", known);
	}
}

/* ----- The outcome --------------------------------------------------------------------- */

/* These tell of the moment, not of a boundary. */
static bool
is_accident(int result)
{
	static const int accidents[] = { ENOENT, EEXIST, EMFILE, ENFILE,
		ENOMEM, ENOSPC, EDQUOT, ETXTBSY, EINTR, EAGAIN, EIO, EBUSY,
		EADDRINUSE, ECONNREFUSED, ENAMETOOLONG, EROFS, ENOTDIR,
		EMLINK, ESTALE, ENXIO };

	for (size_t i = 0; i < CDN_LEN(accidents); i++)
		if (result == -accidents[i])
			return true;
	return false;
}

static void
say_error(int result, const char *words, char why[CDN_WHY_SIZE])
{
	const char *name = result < 0 && result > -CDN_DIED ?
	    strerrorname_np(-result) : NULL;

	snprintf(why, CDN_WHY_SIZE, "%s%s%s", words, name != NULL ? ": " : "",
	    name != NULL ? name : "");
}

static bool
is_probed(const struct cdn_probe *probe, char why[CDN_WHY_SIZE])
{
	if (probe->control == CDN_NOT_TRIED || probe->result == CDN_NOT_TRIED)
		say_error(0, "the prober ended before", why);
	else if (!cdn_prober_worked(probe, probe->control))
		say_error(probe->control, "it does not work outside either",
		    why);
	else if (probe->result == CDN_NOT_SAME)
		say_error(0, "inside the name means another object", why);
	else if (probe->result == CDN_NOT_MADE)
		say_error(0, "what it is tried on could not be made", why);
	else if (probe->how != CDN_TRY_ESCAPE &&
	    !cdn_prober_worked(probe, probe->result) &&
	    is_accident(probe->result))
		say_error(probe->result, "it failed for another reason", why);
	else
		return true;
	return false;
}

enum cordon_outcome
cdn_compare(const struct cordon_plan *plan, const struct cdn_probe *probe,
    char why[CDN_WHY_SIZE])
{
	bool worked, allowed = probe->verdict.allowed;
	const char *known;

	if (!is_probed(probe, why))
		return CORDON_NOT_PROBED;
	worked = cdn_prober_worked(probe, probe->result);
	if (worked == allowed)
		return CORDON_AGREES;
	if (allowed && probe->result == -EXDEV &&
	    cdn_expect_split(plan->session, probe))
		return CORDON_AGREES;
	known = known_shortfall(plan->plan, probe, worked);
	if (known == NULL)
		known = known_rule(plan->plan, probe);
	if (known == NULL)
		known = known_limit(plan->plan, probe, worked);
	explain(plan->plan, probe, known, why);
	if (known != NULL)
		return CORDON_KNOWN;
	return worked ? CORDON_LEAKS : CORDON_REFUSES;
}

/* ----- Landlock alone ------------------------------------------------------------------- */

bool
cdn_compare_is_native(const struct cdn_plan *plan,
    const struct cdn_probe *probe)
{
	enum cordon_op op = cdn_tries[probe->how].op;
	bool reads = op == CORDON_READ || op == CORDON_EXEC;

	if (plan->mode != CDN_PLAN_MODE_B && plan->mode != CDN_PLAN_MODE_C)
		return false;
	/* In mode C what is read rests on the broker, and is never let go on. */
	return cdn_tries[probe->how].covered && !probe->verdict.allowed &&
	    (!reads || plan->mode == CDN_PLAN_MODE_B);
}

enum cordon_outcome
cdn_compare_alone(const struct cordon_plan *plan,
    const struct cdn_probe *probe, char why[CDN_WHY_SIZE])
{
	struct cdn_probe alone = *probe;
	enum cordon_outcome outcome;
	size_t n;

	alone.result = probe->alone;
	outcome = cdn_compare(plan, &alone, why);
	n = strlen(why);
	if (outcome == CORDON_LEAKS || outcome == CORDON_KNOWN)
		snprintf(why + n, CDN_WHY_SIZE - n, "; without the broker, "
		    "which refuses it: what it lets go on would not be held");
	return outcome;
}
