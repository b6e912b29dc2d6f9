/*
 * record - what a run leaves in the audit.
 */
#include "enforce/launch/launch.h"

#include "base/json.h"
#include "enforce/audit/audit.h"

#define DIGESTS_MAX (CDN_LAYERS_MAX * 80) /* bytes of the list of digests */

struct cdn_record {
	struct cdn_sink *sink;
	const char *run;
};

/* The audit must not lie where the run could change it. */
static int
check_place(const struct cordon_session *session, const char *file,
    struct cordon_error *err)
{
	struct cordon_query query = {
		.size = sizeof(query),
		.as = CORDON_AS_PROCESS,
		.op = CORDON_MODIFY,
		.path = file,
		.path_len = strlen(file),
	};
	struct cordon_verdict verdict;
	int code = cdn_session_check(session, &query, &verdict, err);

	if (code == 0 && verdict.allowed)
		return cdn_err(err, CORDON_E_INVALID,
		    "the audit '%s' lies where the run may write (put it "
		    "outside the workspace)", file);
	return code;
}

/* "" = nowhere: the state directory has a substitute that goes with the run. */
static const char *
find_file(const struct cordon_session *session,
    const struct cordon_run_options *options, struct cdn_arena *arena)
{
	if (options->audit != NULL)
		return options->audit;
	if (session->own.substitute || session->places.state[0] == '\0')
		return "";
	return cdn_arena_printf(arena, "%s/audit.jsonl",
	    session->places.state);
}

static int
open_file(const struct cordon_session *session, const char *file,
    struct cdn_record *record, struct cordon_error *err)
{
	int code = check_place(session, file, err);

	if (code == 0)
		code = cdn_audit_open(file, &record->sink, err);
	return code;
}

int
cdn_record_open(const struct cordon_session *session,
    const struct cordon_run_options *options, const char *run,
    struct cdn_record **ret, struct cordon_error *err)
{
	struct cdn_arena *arena = cdn_arena_new();
	struct cdn_record *record = calloc(1, sizeof(*record));
	const char *file = arena == NULL ? NULL :
	    find_file(session, options, arena);
	int code = 0;

	if (record == NULL || file == NULL)
		code = cdn_err_nomem(err);
	else if (file[0] != '\0')
		code = open_file(session, file, record, err);
	cdn_arena_free(arena);
	if (code == 0 && record->sink != NULL) {
		record->run = run;
		*ret = record;
		return 0;
	}
	free(record);
	if (code == 0)
		*ret = NULL;
	return code;
}

/* ----- Fields ------------------------------------------------------------------- */

static struct cdn_event_field
text(const char *name, const char *value)
{
	return (struct cdn_event_field){ .name = name, .type = value == NULL ?
		CDN_FIELD_NULL : CDN_FIELD_TEXT,
		.text = cdn_str_of(value == NULL ? "" : value) };
}

static struct cdn_event_field
number(const char *name, int64_t value)
{
	return (struct cdn_event_field){ .name = name,
		.type = CDN_FIELD_NUMBER, .number = value };
}

static struct cdn_event_field
boolean(const char *name, bool value)
{
	return (struct cdn_event_field){ .name = name,
		.type = CDN_FIELD_BOOL, .boolean = value };
}

static struct cdn_event_field
strings(const char *name, const char *const *values)
{
	return (struct cdn_event_field){ .name = name,
		.type = CDN_FIELD_STRINGS,
		.strings = (char *const *)(uintptr_t)values };
}

static int
put(struct cdn_record *record, enum cdn_event_kind kind,
    const struct cdn_event_field *fields, size_t n, struct cordon_error *err)
{
	struct cdn_event event = { .kind = kind, .run = record->run,
		.fields = fields, .field_count = n };

	return cdn_audit_write(record->sink, &event, err);
}

/* ----- Events ------------------------------------------------------------------- */

int
cdn_record_start(struct cdn_record *record, const struct cordon_plan *plan,
    const struct cordon_run_options *options, struct cordon_error *err)
{
	const struct cordon_session *session = plan->session;
	const char *digests[CDN_LAYERS_MAX + 1] = { NULL };
	struct cdn_buf report;
	int code;

	if (record == NULL)
		return 0;
	for (size_t i = 0; i < session->file_count && i < CDN_LAYERS_MAX; i++)
		digests[i] = session->files[i].digest;
	cdn_buf_init(&report, CDN_JSON_MAX);
	code = cdn_plan_report(plan->plan, &report, err);
	if (code == 0) {
		const struct cdn_event_field fields[] = {
			strings("policy", digests),
			strings("argv", options->argv),
			text("profile", session->profile),
			text("workspace", session->workspace),
			text("backend",
			    cordon_backend_name(plan->terms.backend)),
			boolean("enforced", plan->plan->enforced),
			{ .name = "report", .type = CDN_FIELD_JSON,
			    .text = { report.p, report.n } },
		};

		code = put(record, CDN_EVENT_RUN_START, fields,
		    CDN_LEN(fields), err);
	}
	cdn_buf_done(&report);
	return code;
}

int
cdn_record_refused(struct cdn_record *record,
    const struct cordon_run_options *options,
    const struct cordon_error *why, struct cordon_error *err)
{
	const struct cdn_event_field fields[] = {
		strings("argv", options->argv),
		text("error", cordon_code_name(why->code)),
		text("message", why->text),
		text("source", why->source[0] != '\0' ? why->source : NULL),
		number("line", why->line),
	};

	if (record == NULL)
		return 0;
	return put(record, why->code == CORDON_E_EXEC ?
		CDN_EVENT_EXEC_DENIED : CDN_EVENT_RUN_REFUSED, fields,
	    CDN_LEN(fields), err);
}

int
cdn_record_end(struct cdn_record *record,
    const struct cordon_run_result *result, struct cordon_error *err)
{
	const struct cdn_event_field fields[] = {
		boolean("success", result->success),
		result->has_exit_code ?
		    number("exit_code", result->exit_code) :
		    text("exit_code", NULL),
		number("signal", result->signal),
		boolean("timed_out", result->timed_out),
		number("duration_ms", (int64_t)result->duration_ms),
	};

	if (record == NULL)
		return 0;
	return put(record, CDN_EVENT_RUN_END, fields, CDN_LEN(fields), err);
}

void
cdn_record_close(struct cdn_record *record)
{
	if (record == NULL)
		return;
	cdn_audit_close(record->sink);
	free(record);
}
