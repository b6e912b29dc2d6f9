/*
 * protect - what a rule takes away, whatever the other layers say.
 *
 * A verdict names the outermost layer that denies, and that one may merely not
 * grant the path.  For the other names of an object it matters whether anybody's
 * rule denies this one: else a document that grants less would open a file that
 * the document behind it protects.
 */
#include "engine/decide/authority.h"

/* One operation alone.  False: no rule takes it away. */
static bool
protects_one(const struct cdn_authority *a, enum cordon_as as,
    enum cordon_op op, cdn_str stripped, struct cdn_answer *ret)
{
	cdn_str relative;

	*ret = (struct cdn_answer){
		.finding = cdn_judge_floor(a, as, op, stripped),
		.layer = CORDON_LAYER_FLOOR };
	if (!ret->finding.allowed)
		return true;
	if (!cdn_authority_inside(a, stripped, &relative))
		return false; /* there it is granted, or it is not */
	for (size_t i = 0; i < cdn_judged_layers(a); i++) {
		*ret = cdn_judge_layer(a, i, op, relative, &stripped);
		if (!ret->finding.allowed &&
		    !cdn_merely_not_granted(&ret->finding))
			return true;
	}
	return false;
}

/* Of two that take it away the outer one is told, as in cdn_judge_path(). */
static bool
protects_path(const struct cdn_authority *a, const struct cdn_question *q,
    struct cdn_answer *ret)
{
	cdn_str stripped = cdn_authority_strip(q->path);
	bool given = protects_one(a, q->as, q->op, stripped, ret);
	struct cdn_answer read;

	if (q->op == CORDON_READ ||
	    !protects_one(a, q->as, CORDON_READ, stripped, &read))
		return given;
	if (!given || read.layer == CORDON_LAYER_FLOOR ||
	    cdn_layer_rank(ret->layer) > cdn_layer_rank(read.layer))
		*ret = read;
	return true;
}

/* Of a socket: what the verdict says. */
static bool
protects_socket(const struct cdn_authority *a, const struct cdn_question *q,
    struct cordon_verdict *ret)
{
	struct cordon_verdict verdict;

	cdn_decide(a, q, &verdict);
	if (verdict.allowed ||
	    (verdict.rule_text == NULL && verdict.deny_rule == NULL))
		return false;
	*ret = verdict;
	return true;
}

bool
cdn_decide_protects(const struct cdn_authority *authority,
    const struct cdn_question *question, struct cordon_verdict *ret)
{
	struct cdn_answer given;

	if (question->op > CORDON_EXEC)
		return protects_socket(authority, question, ret);
	if (authority->outer != NULL &&
	    cdn_decide_protects(authority->outer, question, ret))
		return true;
	if (!protects_path(authority, question, &given))
		return false;
	*ret = cdn_finding_verdict(&given.finding, question->as, question->op,
	    given.layer, authority->profile_name);
	return true;
}
