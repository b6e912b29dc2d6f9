/*
 * record - what a run leaves in the audit.
 */
#include "enforce/launch/launch.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "enforce/audit/audit.h"
#include "enforce/broker/broker.h"
#include "enforce/run/redact.h"

extern char **environ;

struct cdn_record {
	struct cdn_arena *arena; /* owns this struct too */
	struct cdn_sink *sink;
	const char *run;
	const char *file;
};

static int
check_file(const struct cordon_session *session, const char *file,
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

/* The audit must not lie where the run could change it. */
static int
check_place(const struct cordon_session *session, const char *file,
    struct cdn_arena *arena, struct cordon_error *err)
{
	const char *head;
	int code;

	head = cdn_arena_printf(arena, "%s.head", file);
	code = head == NULL ? cdn_err_nomem(err) :
			      check_file(session, file, err);
	return code != 0 ? code : check_file(session, head, err);
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
open_file(const struct cordon_session *session, const char *file, bool own,
    struct cdn_record *record, struct cordon_error *err)
{
	int code = 0;

	if (!own) /* the user's own is on the floor */
		code = check_place(session, file, record->arena, err);
	if (code == 0)
		code = cdn_audit_open(file, &record->sink, err);
	return code;
}

void
cdn_record_close(struct cdn_record *record)
{
	if (record == NULL)
		return;
	cdn_audit_close(record->sink);
	cdn_arena_free(record->arena);
}

const char *
cdn_record_file(const struct cdn_record *record)
{
	return record == NULL ? NULL : record->file;
}

/* No audit: silently never, and not at all where there was one before. */
static int
without(const struct cordon_session *session,
    const struct cordon_run_options *options, const struct cdn_terms *terms,
    struct cordon_error *err)
{
	char text[CDN_PATH_MAX + 128];
	char file[CDN_PATH_MAX + 16];

	if (options->audit != NULL)
		return 0;
	snprintf(text, sizeof(text), "nothing is recorded: '%s' cannot be "
	    "written (name another file: --audit FILE)",
	    session->places.state);
	snprintf(file, sizeof(file), "%s/audit.jsonl", session->places.state);
	if (terms->enforcement == CDN_ENFORCEMENT_REQUIRED ||
	    (session->places.state[0] != '\0' && access(file, F_OK) == 0))
		return cdn_err(err, CORDON_E_SYSTEM, "%s", text);
	if (options->notice != NULL)
		options->notice(text, options->notice_arg);
	return 0;
}

int
cdn_record_open(const struct cordon_session *session,
    const struct cordon_run_options *options, const struct cdn_terms *terms,
    const char *run, struct cdn_record **ret, struct cordon_error *err)
{
	struct cdn_arena *arena = cdn_arena_new();
	struct cdn_record *record = arena == NULL ? NULL :
	    cdn_arena_alloc(arena, sizeof(*record));
	const char *file = record == NULL ? NULL :
	    find_file(session, options, arena);
	int code = 0;

	if (file == NULL) {
		cdn_arena_free(arena);
		return cdn_err_nomem(err);
	}
	record->arena = arena;
	record->run = run;
	record->file = file;
	if (file[0] != '\0')
		code = open_file(session, file, options->audit == NULL, record,
		    err);
	if (code == 0 && record->sink != NULL) {
		*ret = record;
		return 0;
	}
	cdn_record_close(record);
	if (code == 0)
		code = without(session, options, terms, err);
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
		.strings = values };
}

static int
put(struct cdn_record *record, enum cdn_event_kind kind,
    const struct cdn_event_field *fields, size_t n, struct cordon_error *err)
{
	struct cdn_event event = { .kind = kind, .run = record->run,
		.fields = fields, .field_count = n };

	return cdn_audit_write(record->sink, &event, err);
}

/* The part of --name=VALUE that says what VALUE is; else the whole. */
static cdn_str
option_name(const char *arg)
{
	const char *equals = strchr(arg, '=');
	cdn_str name = { arg, equals == NULL ? 0 : (size_t)(equals - arg) };

	while (name.n > 0 && name.p[0] == '-') {
		name.p++;
		name.n--;
	}
	return name;
}

/* Does the value of NAME=VALUE stand in one of them?  Or a line of it? */
static bool
occurs(const char *variable, const char *const *argv)
{
	const char *value = strchr(variable, '=');

	if (value == NULL || strlen(value + 1) < CDN_SECRET_MIN)
		return false;
	if (strchr(value, '\n') != NULL)
		return true;
	for (; *argv != NULL; argv++)
		if (strstr(*argv, value + 1) != NULL)
			return true;
	return false;
}

/*
 * The variables that could have to be redacted, normally none: most commands
 * name no value of the environment.  NULL: out of memory.
 */
static char **
suspects(struct cdn_arena *arena, const char *const *argv)
{
	char **list;
	size_t n = 0;

	for (char **v = environ; v != NULL && *v != NULL; v++)
		n += occurs(*v, argv);
	list = cdn_arena_array(arena, n + 1, sizeof(*list));
	for (char **v = environ; list != NULL && n > 0; v++)
		if (occurs(*v, argv))
			list[--n] = *v;
	return list;
}

/* Secrets by the names of options, and those of the environment anywhere. */
static const char *
redacted(struct cdn_record *record, const struct cdn_secrets *secrets,
    const char *arg)
{
	cdn_str name = option_name(arg);
	struct cdn_buf text;
	const char *result;

	if (name.n > 0 && cdn_redact_name(name))
		return cdn_arena_printf(record->arena, "%.*s=" CDN_REDACTED,
		    (int)(name.p + name.n - arg), arg);
	if (secrets->count == 0)
		return arg;
	cdn_buf_init(&text, CDN_AUDIT_LINE_MAX);
	(void)cdn_redact_text(&text, secrets, cdn_str_of(arg), strlen(arg));
	result = cdn_buf_failed(&text) ? CDN_REDACTED :
	    cdn_arena_dup(record->arena, text.p, text.n);
	cdn_buf_done(&text);
	return result;
}

/* argv as it is kept; NULL: out of memory. */
static const char *const *
kept_argv(struct cdn_record *record, const char *const *argv)
{
	char **names = suspects(record->arena, argv);
	struct cdn_secrets secrets = { 0 };
	const char **kept;
	size_t n = 0;

	if (names == NULL || cdn_secrets_build(&secrets, names, NULL) != 0)
		return NULL;
	while (argv[n] != NULL)
		n++;
	kept = cdn_arena_array(record->arena, n + 1, sizeof(*kept));
	for (size_t i = 0; kept != NULL && i < n; i++) {
		kept[i] = redacted(record, &secrets, argv[i]);
		if (kept[i] == NULL)
			kept = NULL;
	}
	cdn_secrets_done(&secrets);
	return kept;
}

/* ----- Events ------------------------------------------------------------------- */

int
cdn_record_start(struct cdn_record *record, const struct cordon_plan *plan,
    const struct cordon_run_options *options, struct cordon_error *err)
{
	const struct cordon_session *session = plan->session;
	const char *digests[CDN_LAYERS_MAX + 1] = { NULL };
	const char *const *argv;
	struct cdn_buf report;
	int code;

	if (record == NULL)
		return 0;
	argv = kept_argv(record, options->argv);
	if (argv == NULL)
		return cdn_err_nomem(err);
	for (size_t i = 0; i < session->file_count && i < CDN_LAYERS_MAX; i++)
		digests[i] = session->files[i].digest;
	cdn_buf_init(&report, CDN_JSON_MAX);
	code = cdn_plan_report(plan->plan, &report, err);
	if (code == 0) {
		const struct cdn_event_field fields[] = {
			strings("policy", digests),
			strings("argv", argv),
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
	const char *const *argv = record == NULL ? NULL :
	    kept_argv(record, options->argv);

	if (record == NULL)
		return 0;
	if (argv == NULL)
		return cdn_err_nomem(err);
	const struct cdn_event_field fields[] = {
		strings("argv", argv),
		text("error", cordon_code_name(why->code)),
		text("message", why->text),
		text("source", why->source[0] != '\0' ? why->source : NULL),
		number("line", why->line),
	};

	return put(record, why->code == CORDON_E_EXEC ?
		CDN_EVENT_EXEC_DENIED : CDN_EVENT_RUN_REFUSED, fields,
	    CDN_LEN(fields), err);
}

static enum cdn_event_kind
kind_of(const struct cdn_question *question)
{
	if (question->op == CORDON_EXEC)
		return CDN_EVENT_EXEC_DENIED;
	return question->op >= CORDON_CONNECT && !question->is_socket ?
	    CDN_EVENT_NET_DENIED : CDN_EVENT_FS_DENIED;
}

/* The parent of a process; 0 when it cannot be told. */
static long
parent_of(long pid)
{
	char name[64], stat[512];
	cdn_cleanup_fd int fd = -1;
	const char *rest;
	ssize_t n;

	snprintf(name, sizeof(name), "/proc/%ld/stat", pid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, stat, sizeof(stat) - 1);
	if (n <= 0)
		return 0;
	stat[n] = '\0';
	rest = strrchr(stat, ')'); /* "(NAME) S PARENT", and a name is anything */
	return rest == NULL || strlen(rest) < 5 ? 0 :
						  strtol(rest + 4, NULL, 10);
}

/* As a JSON array: who asked, who started him, up to the first of the run. */
static void
put_chain(struct cdn_buf *out, long pid)
{
	long us = (long)getpid();

	cdn_buf_printf(out, "[%ld", pid);
	for (int i = 1; i < CDN_AUDIT_CHAIN_MAX; i++) {
		pid = parent_of(pid);
		if (pid <= 1 || pid == us)
			break;
		cdn_buf_printf(out, ",%ld", pid);
	}
	cdn_buf_puts(out, "]");
}

static struct cdn_event_field
position(const char *name, unsigned value)
{
	return value == 0 ? text(name, NULL) : number(name, value);
}

int
cdn_record_denied(struct cdn_record *record, const struct cdn_denial *denial,
    struct cordon_error *err)
{
	const struct cordon_verdict *v = denial->verdict;
	struct cdn_buf chain;
	int code;

	if (record == NULL)
		return 0;
	cdn_buf_init(&chain, 4096);
	put_chain(&chain, denial->pid);
	const struct cdn_event_field fields[] = {
		text("profile", v->profile),
		text("op", cordon_op_name(v->operation)),
		{ .name = "path", .type = CDN_FIELD_TEXT,
		    .text = denial->question->path },
		boolean("allowed", false),
		text("matched_rule", v->matched_rule),
		text("layer", cordon_layer_name(v->layer)),
		text("rule_text", v->rule_text),
		text("source", v->source),
		position("line", v->line),
		position("column", v->column),
		text("call", denial->call),
		number("pid", denial->pid),
		{ .name = "pids", .type = CDN_FIELD_JSON,
		    .text = { chain.p, chain.n } },
		number("errno", denial->error),
	};

	code = cdn_buf_failed(&chain) ? cdn_err_nomem(err) :
	    put(record, kind_of(denial->question), fields, CDN_LEN(fields),
		err);
	cdn_buf_done(&chain);
	return code;
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
