/*
 * folded - directories that ignore case: a deny holds there for every spelling.
 *
 * What is allowed as it is spelled is asked about once more, spelled as such a
 * directory compares it.  The answers differ for few names (`A.ENV` where
 * `*.env` is denied), and only for these it is found out where they lie.
 */
#include "enforce/broker/folded.h"

#include "enforce/broker/inside.h"
#include "enforce/path/path.h"
#include "engine/match/fold.h"

/* Of the file system alone; most cannot. */
static bool
may_fold(const struct cdn_object *object)
{
	return (object->fd < 0 && object->parent < 0) || object->may_fold;
}

/* NULL with *ret_failed: it could not be made, and nothing may be allowed. */
static const struct cdn_authority *
folded_authority(const struct cdn_call *call, const struct cdn_object *object,
    bool *ret_failed)
{
	const struct cdn_broker_spec *spec = &call->broker->spec;
	const struct cdn_authority *authority;

	*ret_failed = false;
	if (spec->folded == NULL || object->on_proc || !may_fold(object))
		return NULL;
	authority = spec->folded(spec->folded_arg);
	*ret_failed = authority == NULL;
	return authority;
}

static void
deny_all(struct cordon_verdict *verdict)
{
	verdict->allowed = false;
	verdict->decision = CORDON_DENY;
	verdict->layer = CORDON_LAYER_FLOOR;
	verdict->matched_rule = "<no memory>";
	verdict->source = "<floor>";
}

static cdn_str
fold(const char *path, char text[CDN_PATH_MAX + 1])
{
	return (cdn_str){ text, cdn_fold(cdn_str_of(path), text) };
}

static bool
lies_in_one(const struct cdn_object *object)
{
	cdn_str path = cdn_str_of(object->path);

	return cdn_path_folds_somewhere(path.p, path.n);
}

void
cdn_call_judge_folded(const struct cdn_call *call,
    const struct cdn_question *asked, const struct cdn_object *object,
    struct cordon_verdict *verdict)
{
	struct cdn_question question = *asked;
	const struct cdn_authority *authority;
	struct cordon_verdict folded;
	CDN_UNINITIALIZED char text[CDN_PATH_MAX + 1];
	bool failed;

	if (!verdict->allowed)
		return;
	authority = folded_authority(call, object, &failed);
	if (failed)
		deny_all(verdict);
	if (authority == NULL)
		return;
	memset(&folded, 0, sizeof(folded));
	question.path = (cdn_str){ text, cdn_fold(asked->path, text) };
	cdn_decide(authority, &question, &folded);
	if (!folded.allowed && lies_in_one(object))
		*verdict = folded;
}

enum cdn_compound_result
cdn_call_judge_pair_folded(const struct cdn_call *call, enum cdn_compound what,
    const struct cdn_object *from, const struct cdn_object *to,
    struct cordon_verdict *verdict)
{
	CDN_UNINITIALIZED char one[CDN_PATH_MAX + 1], other[CDN_PATH_MAX + 1];
	const struct cdn_authority *authority;
	struct cordon_verdict folded;
	enum cdn_compound_result r;
	bool failed;

	authority = folded_authority(call, from->on_proc ? to : from, &failed);
	if (failed) {
		deny_all(verdict);
		return CDN_COMPOUND_DENY;
	}
	if (authority == NULL)
		return CDN_COMPOUND_ALLOW;
	memset(&folded, 0, sizeof(folded));
	r = cdn_decide_compound(authority, CORDON_AS_PROCESS, what,
	    fold(from->path, one), fold(to->path, other), &folded);
	if (r == CDN_COMPOUND_ALLOW || (!lies_in_one(from) && !lies_in_one(to)))
		return CDN_COMPOUND_ALLOW;
	*verdict = folded;
	return r;
}

bool
cdn_call_is_same_folded(const struct cdn_call *call,
    const struct cdn_object *from, const struct cdn_object *to)
{
	CDN_UNINITIALIZED char one[CDN_PATH_MAX + 1], other[CDN_PATH_MAX + 1];
	const struct cdn_authority *authority;
	bool failed;

	authority = folded_authority(call, from, &failed);
	if (authority == NULL)
		return !failed;
	return cdn_decide_same(authority, CORDON_AS_PROCESS,
	    fold(from->path, one), fold(to->path, other)) ||
	    (!lies_in_one(from) && !lies_in_one(to));
}
