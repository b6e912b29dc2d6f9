/*
 * judge - one list, one path, one finding.
 *
 * The contract of the strings:
 *	no positive rule in the list	denied, "[]"
 *	nothing matches			denied, "<no matching rule>"
 *	the last match decides		its pattern without '!'
 */
#include "engine/profile/profile.h"

#include "engine/match/endpoint.h"
#include "engine/match/fold.h"

static const char no_rules[] = "[]";
static const char no_match[] = "<no matching rule>";

int
cdn_rule_set_build(struct cdn_arena *arena, struct cdn_rules rules, bool fold,
    struct cdn_rule_set *ret, struct cordon_error *err)
{
	struct cdn_match_rule *match;
	bool any_positive = false, mentions_all = false;
	int code;

	match = cdn_arena_array(arena, rules.n, sizeof(*match));
	if (match == NULL)
		return cdn_err_nomem(err);
	for (size_t i = 0; i < rules.n; i++) {
		match[i].pattern = rules.v[i].pattern;
		if (fold && !cdn_fold_str(arena, &match[i].pattern))
			return cdn_err_nomem(err);
		if (rules.v[i].literal > 0) /* folding may change the length */
			match[i].literal = match[i].pattern.n -
			    (rules.v[i].pattern.n - rules.v[i].literal);
		match[i].negated = rules.v[i].negated;
		any_positive |= !rules.v[i].negated;
		mentions_all |= cdn_str_is(rules.v[i].pattern, "**");
	}
	code = cdn_matcher_build(arena, match, rules.n, &ret->matcher, err);
	if (code != 0)
		return code;
	ret->rules = rules;
	ret->any_positive = any_positive;
	ret->mentions_all = mentions_all;
	return 0;
}

struct cdn_finding
cdn_rule_set_finding(const struct cdn_rule_set *set, int index)
{
	const struct cdn_rule *rule =
	    index == CDN_NO_RULE ? NULL : &set->rules.v[index];

	if (!set->any_positive)
		return (struct cdn_finding){ .matched_rule = no_rules,
			.deny_rule = rule };
	if (rule == NULL)
		return (struct cdn_finding){ .matched_rule = no_match };
	return (struct cdn_finding){ .allowed = !rule->negated,
		.matched_rule = rule->pattern.p, .rule = rule };
}

struct cdn_finding
cdn_rule_set_judge(const struct cdn_rule_set *set, cdn_str path)
{
	return cdn_rule_set_finding(set, cdn_matcher_check(set->matcher, path));
}

/* 127.0.0.0/8, ::1 and the name that always means them. */
static bool
is_loopback(cdn_str endpoint)
{
	if (cdn_str_starts(endpoint, CDN_STR("localhost:")) ||
	    cdn_str_starts(endpoint, CDN_STR("[::1]:")))
		return true;
	return cdn_endpoint_is_address(endpoint) &&
	    cdn_str_starts(endpoint, CDN_STR("127."));
}

static struct cdn_finding
judge_mode(const struct cdn_network_set *network, cdn_str endpoint)
{
	bool matches = network->mode == CDN_NETWORK_FULL ||
	    (network->mode == CDN_NETWORK_LOOPBACK && is_loopback(endpoint));

	if (network->mode == CDN_NETWORK_LIST)
		return cdn_rule_set_judge(&network->list, endpoint);
	if (matches)
		return (struct cdn_finding){ .allowed = true,
			.matched_rule = network->mode_rule.pattern.p,
			.rule = &network->mode_rule };
	if (network->mode == CDN_NETWORK_LOOPBACK)
		return (struct cdn_finding){ .matched_rule = no_match };
	return (struct cdn_finding){ .matched_rule = no_rules };
}

/* Where nothing matched the key itself is what the author would look for. */
struct cdn_finding
cdn_network_judge(const struct cdn_network_set *network, cdn_str endpoint)
{
	struct cdn_finding finding = judge_mode(network, endpoint);

	if (network->mode_rule.pos.source != NULL)
		finding.key = &network->mode_rule;
	return finding;
}

/* A deny behind "[]" is told too: it is what the author would look for. */
struct cordon_verdict
cdn_finding_verdict(const struct cdn_finding *finding, enum cordon_as as,
    enum cordon_op op, enum cordon_layer layer, const char *profile)
{
	const struct cdn_rule *deny = finding->deny_rule;
	const struct cdn_rule *rule = finding->rule != NULL ? finding->rule :
	    deny != NULL ? deny : finding->key;
	struct cordon_verdict verdict = {
		.decision = finding->allowed ? CORDON_ALLOW : CORDON_DENY,
		.allowed = finding->allowed,
		.as = as,
		.operation = op,
		.layer = layer,
		.profile = profile,
		.matched_rule = finding->matched_rule,
		.deny_rule = deny == NULL ? NULL : deny->pattern.p,
	};

	if (rule != NULL) {
		verdict.rule_text = rule->text.p;
		verdict.source = rule->pos.source;
		verdict.line = rule->pos.line;
		verdict.column = rule->pos.column;
	}
	return verdict;
}
