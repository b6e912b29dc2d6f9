#include "api/api.h"

#include "engine/match/endpoint.h"
#include "engine/match/normalize.h"
#include "engine/profile/profile.h"

int
cordon_profile_resolve(const struct cordon_policy *policy, const char *name,
    struct cordon_profile **ret, struct cordon_error *err)
{
	CDN_NEED(policy, err);
	CDN_NEED(ret, err);
	return cdn_profile_resolve(policy,
	    cdn_str_of(name == NULL ? CDN_UNRESTRICTED : name),
	    CDN_RESOLVE_STRICT, ret, err);
}

void
cordon_profile_free(struct cordon_profile *profile)
{
	cdn_profile_free(profile);
}

const char *
cordon_profile_name(const struct cordon_profile *profile)
{
	return profile->name;
}

/* The list of an operation; CONNECT and BIND have the network's. */
static const struct cdn_rule_set *
set_of(const struct cordon_profile *profile, enum cordon_op op)
{
	if ((unsigned)op < CDN_RULE_OPS)
		return &profile->sets[op];
	return &profile->network.list;
}

size_t
cordon_profile_rule_count(const struct cordon_profile *profile,
    enum cordon_op op)
{
	return set_of(profile, op)->rules.n;
}

static struct cordon_rule
public_rule(const struct cdn_rule *rule)
{
	return (struct cordon_rule){
		.pattern = rule->pattern.p,
		.negated = rule->negated,
		.text = rule->text.p,
		.source = rule->pos.source,
		.line = rule->pos.line,
		.column = rule->pos.column,
	};
}

bool
cordon_profile_rule(const struct cordon_profile *profile, enum cordon_op op,
    size_t i, struct cordon_rule *ret)
{
	const struct cdn_rule_set *set = set_of(profile, op);

	if (i >= set->rules.n)
		return false;
	*ret = public_rule(&set->rules.v[i]);
	return true;
}

int
cordon_profile_format(const struct cordon_profile *profile,
    enum cordon_format format, char **ret, struct cordon_error *err)
{
	struct cdn_buf buf;

	CDN_NEED(profile, err);
	CDN_NEED(ret, err);
	cdn_buf_init(&buf, CDN_TEXT_MAX);
	return cdn_api_give(cdn_profile_format(profile, format, NULL, NULL,
	    &buf, err), &buf, ret, err);
}

/* The string in its normal form, in a buffer of the caller. */
static int
normalize(enum cordon_op op, cdn_str in, char *out, size_t size, cdn_str *ret,
    struct cordon_error *err)
{
	int code;

	if ((unsigned)op >= CORDON_OP_MAX)
		return cdn_err(err, CORDON_E_INVALID, "unknown operation");
	ret->p = out;
	if (op == CORDON_CONNECT || op == CORDON_BIND)
		code = cdn_endpoint_normalize(in, CDN_ENDPOINT_QUESTION, out,
		    size, &ret->n, err);
	else
		code = cdn_path_normalize(in, out, size, &ret->n, err);
	return code;
}

int
cordon_profile_check(const struct cordon_profile *profile, enum cordon_op op,
    const char *path, size_t len, struct cordon_verdict *ret,
    struct cordon_error *err)
{
	char text[CDN_PATH_MAX + 1];
	struct cdn_finding finding;
	cdn_str normal;
	int code;

	CDN_NEED(profile, err);
	CDN_NEED(path, err);
	CDN_NEED(ret, err);
	code = normalize(op, (cdn_str){ path, len }, text, sizeof(text),
	    &normal, err);
	if (code != 0)
		return code;
	finding = (unsigned)op < CDN_RULE_OPS ?
	    cdn_rule_set_judge(&profile->sets[op], normal) :
	    cdn_network_judge(&profile->network, normal);
	*ret = cdn_finding_verdict(&finding, CORDON_AS_POLICY, op,
	    CORDON_LAYER_POLICY, profile->name);
	return 0;
}

int
cordon_profile_explain(const struct cordon_profile *profile, enum cordon_op op,
    const char *path, size_t len,
    void (*matched)(const struct cordon_rule *rule, void *arg), void *arg,
    struct cordon_error *err)
{
	const struct cdn_rule_set *set;
	char text[CDN_PATH_MAX + 1];
	cdn_str normal;
	int code;

	CDN_NEED(profile, err);
	CDN_NEED(path, err);
	CDN_NEED(matched, err);
	code = normalize(op, (cdn_str){ path, len }, text, sizeof(text),
	    &normal, err);
	if (code != 0)
		return code;
	set = set_of(profile, op);
	for (size_t i = 0; i < set->rules.n; i++) {
		struct cordon_rule rule = public_rule(&set->rules.v[i]);

		if (cdn_matcher_rule(set->matcher, i, normal))
			matched(&rule, arg);
	}
	return 0;
}

/* ----- Bridge to yes-or-no callers ------------------------------------------ */

void
cordon_decision_from_verdict(const struct cordon_verdict *verdict,
    const char *path, struct cordon_policy_decision *ret)
{
	*ret = (struct cordon_policy_decision){ .allow = verdict->allowed };
	if (verdict->allowed)
		return;
	snprintf(ret->reason, sizeof(ret->reason), "%s %s: %s (%s)",
	    cordon_op_name(verdict->operation), path, verdict->matched_rule,
	    verdict->source != NULL ? verdict->source :
				      cordon_layer_name(verdict->layer));
}

void
cordon_verdict_from_decision(const struct cordon_policy_decision *decision,
    enum cordon_op op, struct cordon_verdict *ret)
{
	*ret = (struct cordon_verdict){
		.decision = decision->allow ? CORDON_ALLOW : CORDON_DENY,
		.allowed = decision->allow,
		.as = CORDON_AS_POLICY,
		.operation = op,
		.layer = CORDON_LAYER_POLICY,
		.matched_rule = decision->reason,
	};
}
