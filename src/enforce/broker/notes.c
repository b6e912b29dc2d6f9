/*
 * What was allowed in the course of a call.  It is told when the call has been
 * answered: with what became of it, and without making the caller wait.
 */
#include "enforce/broker/inside.h"

/* Not by a rule: the caller's own in /proc, and terminals of the run. */
static void
attribute(struct cordon_verdict *verdict)
{
	if (verdict->decision == CORDON_ALLOW)
		return;
	verdict->decision = CORDON_ALLOW;
	verdict->layer = CORDON_LAYER_FLOOR;
	verdict->matched_rule = "<its own>";
	verdict->rule_text = verdict->deny_rule = NULL;
	verdict->source = "<floor>";
	verdict->line = verdict->column = 0;
}

/* A call that is begun anew, or judged again, is one all the same. */
static bool
is_noted(const struct cdn_notes *notes, enum cordon_op op, cdn_str path)
{
	for (size_t i = 0; i < notes->n; i++)
		if (notes->v[i].verdict.operation == op &&
		    cdn_str_eq(notes->v[i].path, path))
			return true;
	return false;
}

/* One of many, as sendmmsg(2) has: what becomes of it nobody will know. */
static void
tell_at_once(const struct cdn_call *call, const struct cordon_verdict *verdict,
    cdn_str path)
{
	const struct cdn_broker_spec *spec = &call->broker->spec;
	const struct cdn_allowance told = { call->name, call->tid, path,
		verdict, -1 };

	spec->allowed(&told, spec->allowed_arg);
}

void
cdn_call_note(struct cdn_call *call, const struct cordon_verdict *verdict,
    cdn_str path)
{
	struct cdn_notes *notes = call->notes;
	struct cdn_note *note;

	if (notes == NULL || is_noted(notes, verdict->operation, path))
		return;
	if (notes->n == CDN_LEN(notes->v) ||
	    path.n > sizeof(notes->space) - notes->used) {
		tell_at_once(call, verdict, path);
		return;
	}
	note = &notes->v[notes->n++];
	note->verdict = *verdict;
	attribute(&note->verdict);
	note->path = (cdn_str){ notes->space + notes->used, path.n };
	memcpy(notes->space + notes->used, path.p, path.n);
	notes->used += path.n;
}

void
cdn_call_forget(struct cdn_call *call)
{
	if (call->notes != NULL)
		call->notes->n = call->notes->used = 0;
}

static bool
is_of_landlock(const struct cdn_note *note)
{
	return note->verdict.operation == CORDON_READ ||
	    note->verdict.operation == CORDON_MODIFY;
}

/*
 * What Landlock grants by itself is not told, as the start of the run says, also
 * when it came by here.  What went on was granted by it in any case.
 */
static bool
may_be_told(const struct cdn_note *note, const struct cdn_call_answer *answer)
{
	return !is_of_landlock(note) || answer->kind != CDN_ANSWER_CONTINUE;
}

static bool
is_told(const struct cdn_broker *broker, const struct cdn_note *note,
    const struct cdn_call_answer *answer)
{
	return may_be_told(note, answer) &&
	    (!is_of_landlock(note) ||
		!cdn_broker_is_native(broker, note->path));
}

bool
cdn_call_has_to_tell(const struct cdn_call *call,
    const struct cdn_call_answer *answer)
{
	const struct cdn_notes *notes = call->notes;

	for (size_t i = 0; notes != NULL && i < notes->n; i++)
		if (may_be_told(&notes->v[i], answer))
			return true;
	return false;
}

static int
error_of(const struct cdn_call_answer *answer)
{
	return answer->kind == CDN_ANSWER_CONTINUE ? -1 :
	    answer->kind == CDN_ANSWER_ERROR	   ? answer->error :
						     0;
}

void
cdn_call_tell_allowed(struct cdn_call *call,
    const struct cdn_call_answer *answer)
{
	struct cdn_broker *broker = call->broker;
	const struct cdn_notes *notes = call->notes;
	struct cdn_allowance told = { .call = call->name, .pid = call->tid,
		.error = error_of(answer) };

	if (notes == NULL || notes->n == 0)
		return;
	/* What a verdict points to is there until the close. */
	pthread_rwlock_rdlock(&broker->judging);
	for (size_t i = 0; !broker->closed && i < notes->n; i++) {
		told.verdict = &notes->v[i].verdict;
		told.path = notes->v[i].path;
		if (is_told(broker, &notes->v[i], answer))
			broker->spec.allowed(&told, broker->spec.allowed_arg);
	}
	pthread_rwlock_unlock(&broker->judging);
}
