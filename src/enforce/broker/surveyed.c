#include "enforce/broker/surveyed.h"

#include "enforce/broker/inside.h"

static void
deny_all(struct cordon_verdict *verdict)
{
	verdict->allowed = false;
	verdict->decision = CORDON_DENY;
	verdict->layer = CORDON_LAYER_FLOOR;
	verdict->matched_rule = "<not all repositories are known>";
	verdict->rule_text = verdict->deny_rule = NULL;
	verdict->source = "<floor>";
	verdict->line = verdict->column = 0;
}

static bool
next(const struct cdn_call *call, size_t i, cdn_str path,
    const struct cdn_authority **ret)
{
	const struct cdn_broker_spec *spec = &call->broker->spec;

	return spec->surveyed != NULL &&
	    spec->surveyed(i, path, ret, spec->surveyed_arg);
}

void
cdn_call_judge_surveyed(const struct cdn_call *call,
    const struct cdn_question *question, struct cordon_verdict *verdict)
{
	const struct cdn_authority *authority;
	struct cordon_verdict surveyed;

	if (question->op != CORDON_MODIFY)
		return;
	for (size_t i = 0; verdict->allowed &&
	     next(call, i, question->path, &authority); i++) {
		if (authority == NULL) {
			deny_all(verdict);
			return;
		}
		memset(&surveyed, 0, sizeof(surveyed));
		cdn_decide(authority, question, &surveyed);
		if (!surveyed.allowed)
			*verdict = surveyed;
	}
}

static enum cdn_compound_result
judge_by(const struct cdn_authority *authority, enum cdn_compound what,
    const struct cdn_object *from, const struct cdn_object *to,
    struct cordon_verdict *verdict)
{
	struct cordon_verdict surveyed;
	enum cdn_compound_result r;

	if (authority == NULL) {
		deny_all(verdict);
		return CDN_COMPOUND_DENY;
	}
	memset(&surveyed, 0, sizeof(surveyed));
	r = cdn_decide_compound(authority, CORDON_AS_PROCESS, what,
	    cdn_str_of(from->path), cdn_str_of(to->path), &surveyed);
	if (r != CDN_COMPOUND_ALLOW)
		*verdict = surveyed;
	return r;
}

/* Of two places either may be concerned. */
enum cdn_compound_result
cdn_call_judge_pair_surveyed(const struct cdn_call *call,
    enum cdn_compound what, const struct cdn_object *from,
    const struct cdn_object *to, struct cordon_verdict *verdict)
{
	const struct cdn_object *const both[] = { from, to };
	enum cdn_compound_result r = CDN_COMPOUND_ALLOW;
	const struct cdn_authority *authority;

	for (size_t k = 0; k < CDN_LEN(both); k++)
		for (size_t i = 0; r == CDN_COMPOUND_ALLOW &&
		     next(call, i, cdn_str_of(both[k]->path), &authority); i++)
			r = judge_by(authority, what, from, to, verdict);
	return r;
}

bool
cdn_call_is_same_surveyed(const struct cdn_call *call,
    const struct cdn_object *from, const struct cdn_object *to)
{
	const struct cdn_object *const both[] = { from, to };
	const struct cdn_authority *authority;

	for (size_t k = 0; k < CDN_LEN(both); k++)
		for (size_t i = 0; next(call, i, cdn_str_of(both[k]->path),
			&authority); i++)
			if (authority == NULL || !cdn_decide_same(authority,
				CORDON_AS_PROCESS, cdn_str_of(from->path),
				cdn_str_of(to->path)))
				return false;
	return true;
}
