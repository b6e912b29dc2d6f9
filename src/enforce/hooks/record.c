#include "enforce/hooks/hooks.h"

#include "base/siphash.h"
#include "enforce/launch/launch.h"

/*
 * All calls of one conversation are one run.  Its name is what the agent says,
 * so it is hashed: any text will do, and none can be chosen to look like the
 * id of a run of ours.
 */
static void
name_run(const struct cordon_session *session, cdn_str said, char ret[17])
{
	static const struct cdn_siphash_key key = { { 0x636f72646f6e2068U,
	    0x6f6f6b2072756e73U } };

	if (said.n == 0)
		snprintf(ret, 17, "%s", session->own.id);
	else
		snprintf(ret, 17, "%016llx",
		    (unsigned long long)cdn_siphash(&key, said));
}

static int
write_event(struct cdn_record *record, const struct cdn_dialect_call *call,
    const struct cdn_hook_verdict *v, struct cordon_error *err)
{
	struct cdn_event_field fields[CDN_VERDICT_FIELDS + 7];
	size_t n = 0;

	fields[n++] = cdn_field_text("agent", call->dialect->name);
	fields[n++] = cdn_field_text("event", call->event->name);
	fields[n++] = cdn_field_str("tool", call->tool);
	fields[n++] = cdn_field_text("field", v->field);
	fields[n++] = cdn_field_text("reason", v->refused ? v->reason : NULL);
	if (v->has_verdict) {
		cdn_fields_verdict(&v->verdict, cdn_str_of(v->path),
		    fields + n);
		n += CDN_VERDICT_FIELDS;
	} else {
		fields[n++] = cdn_field_text("path", v->path[0] == '\0' ?
			NULL : v->path);
		fields[n++] = cdn_field_bool("allowed", !v->refused);
	}
	return cdn_record_event(record, CDN_EVENT_TOOL_CALL, fields, n, err);
}

int
cdn_hook_record(const struct cordon_session *session, const char *audit,
    const struct cdn_dialect_call *call,
    const struct cdn_hook_verdict *verdict, struct cordon_error *err)
{
	const struct cordon_run_options options = { .size = sizeof(options),
		.audit = audit };
	struct cordon_error why = { 0 };
	struct cdn_record *record = NULL;
	struct cdn_terms terms;
	char run[17];
	int code;

	cdn_terms_find(session, &options, &terms);
	name_run(session, call->session, run);
	code = cdn_record_open(session, &options, &terms, run, &record, &why);
	if (code == 0)
		code = write_event(record, call, verdict, &why);
	cdn_record_close(record);
	return cdn_launch_recorded(&terms, &options, code, &why, err);
}

/* ----- From the event to the answer ------------------------------------- */

static int
answer_in(const struct cordon_session *session,
    const struct cordon_hook_event *event, struct cdn_arena *arena,
    struct cordon_hook_answer *ret, struct cordon_error *err)
{
	struct cdn_hook_verdict verdict;
	struct cdn_dialect_call call;
	struct cdn_buf text;
	int code = cdn_dialect_read(event->agent,
	    (cdn_str){ event->text, event->len }, arena, &call, err);

	if (code == 0)
		code = cdn_hook_judge(session, &call, arena, &verdict, err);
	if (code == 0)
		code = cdn_hook_record(session, event->audit, &call, &verdict,
		    err);
	if (code != 0)
		return code;
	cdn_buf_init(&text, 64UL * 1024UL);
	cdn_dialect_answer(call.dialect, call.event,
	    verdict.refused ? verdict.reason : NULL, &text);
	ret->output = cdn_buf_take(&text);
	if (ret->output == NULL) {
		cdn_buf_done(&text);
		return cdn_err_nomem(err);
	}
	ret->allowed = !verdict.refused;
	snprintf(ret->reason, sizeof(ret->reason), "%s", verdict.reason);
	return 0;
}

int
cdn_hook_answer(const struct cordon_session *session,
    const struct cordon_hook_event *event, struct cordon_hook_answer *ret,
    struct cordon_error *err)
{
	struct cdn_arena *arena = cdn_arena_new();
	int code = arena == NULL ? cdn_err_nomem(err) :
	    answer_in(session, event, arena, ret, err);

	cdn_arena_free(arena);
	return code;
}
