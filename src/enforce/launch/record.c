/*
 * record - what a run leaves in the audit.
 */
#include "enforce/launch/record.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/json.h"
#include "enforce/run/redact_words.h"

extern char **environ;

static int
check_op(const struct cordon_session *session, const char *file,
    enum cordon_op op, struct cordon_error *err)
{
	struct cordon_query query = {
		.size = sizeof(query),
		.as = CORDON_AS_PROCESS,
		.op = op,
		.path = file,
		.path_len = strlen(file),
	};
	struct cordon_verdict verdict;
	int code = cdn_session_check(session, &query, &verdict, err);

	if (code == 0 && verdict.allowed)
		return cdn_err(err, CORDON_E_INVALID,
		    "the audit '%s' lies where the run may %s (put it where it "
		    "can neither read nor write, such as ~/.local/state)",
		    file, op == CORDON_MODIFY ? "write" : "read");
	return code;
}

/*
 * The audit must not lie where the run could change it, or read what others
 * did; nor must its head and what is put away when it is full.
 */
static int
check_place(const struct cordon_session *session, const char *file,
    struct cdn_arena *arena, struct cordon_error *err)
{
	static const char *const suffixes[] = { "", ".head", ".1" };
	int code = 0;

	for (size_t i = 0; code == 0 && i < CDN_LEN(suffixes); i++) {
		const char *name = cdn_arena_printf(arena, "%s%s", file,
		    suffixes[i]);

		code = name == NULL ? cdn_err_nomem(err) :
		    check_op(session, name, CORDON_MODIFY, err);
		if (code == 0)
			code = check_op(session, name, CORDON_READ, err);
	}
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
	struct cdn_journal_sum sum;

	if (record == NULL)
		return;
	cdn_journal_close(record->journal, &sum);
	cdn_repeats_free(record->repeats);
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

int
cdn_launch_recorded(const struct cdn_terms *terms,
    const struct cordon_run_options *options, int code,
    const struct cordon_error *why, struct cordon_error *err)
{
	if (code == 0)
		return 0;
	if (!terms->audit_warn) {
		if (err != NULL)
			*err = *why;
		return cdn_err_context(err, code, "audit");
	}
	if (options->notice != NULL)
		options->notice(why->text, options->notice_arg);
	return 0;
}

/* ----- Fields ------------------------------------------------------------------- */

int
cdn_record_put(struct cdn_record *record, enum cdn_event_kind kind,
    const struct cdn_event_field *fields, size_t n, struct cordon_error *err)
{
	struct cdn_event event = { .kind = kind, .run = record->run,
		.fields = fields, .field_count = n };

	return cdn_audit_write(record->sink, &event, err);
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

/* Values of the environment anywhere; then by the form and place of the word. */
static const char *
redacted(struct cdn_arena *arena, const struct cdn_secrets *secrets,
    struct cdn_redact_words *words, const char *arg)
{
	struct cdn_buf text, out;
	const char *result;

	cdn_buf_init(&text, CDN_AUDIT_LINE_MAX);
	cdn_buf_init(&out, (size_t)8 * CDN_AUDIT_LINE_MAX);
	(void)cdn_redact_text(&text, secrets, cdn_str_of(arg), strlen(arg));
	cdn_redact_word(words, (cdn_str){ text.p, text.n }, &out);
	result = cdn_buf_failed(&text) || cdn_buf_failed(&out) ? CDN_REDACTED :
	    cdn_arena_dup(arena, out.p == NULL ? "" : out.p, out.n);
	cdn_buf_done(&text);
	cdn_buf_done(&out);
	return result;
}

/* Of this very process; NULL: out of memory.  What is too long is cut. */
static const char *const *
own_argv(struct cdn_arena *arena)
{
	char *text = cdn_arena_alloc(arena, CDN_AUDIT_LINE_MAX + 1);
	const char **argv = cdn_arena_array(arena, CDN_OWN_ARGV_MAX + 1,
	    sizeof(*argv));
	cdn_cleanup_fd int fd = open("/proc/self/cmdline",
	    O_RDONLY | O_CLOEXEC);
	ssize_t length = text == NULL || fd < 0 ? 0 :
	    read(fd, text, CDN_AUDIT_LINE_MAX);
	size_t n = 0;

	if (text == NULL || argv == NULL)
		return NULL;
	for (ssize_t at = 0; at < length && n < CDN_OWN_ARGV_MAX; n++) {
		argv[n] = text + at;
		at += (ssize_t)strlen(text + at) + 1;
	}
	return argv;
}

const char *const *
cdn_record_words(struct cdn_arena *arena, const char *const *argv)
{
	struct cdn_redact_words words = { 0 };
	struct cdn_secrets secrets = { 0 };
	const char **kept;
	size_t n = 0;
	char **names;

	names = suspects(arena, argv);
	if (names == NULL || cdn_secrets_build(&secrets, names, NULL) != 0)
		return NULL;
	while (argv[n] != NULL)
		n++;
	kept = cdn_arena_array(arena, n + 1, sizeof(*kept));
	for (size_t i = 0; kept != NULL && i < n; i++) {
		kept[i] = redacted(arena, &secrets, &words, argv[i]);
		if (kept[i] == NULL)
			kept = NULL;
	}
	cdn_secrets_done(&secrets);
	return kept;
}

/* NULL: out of memory. */
static const char *const *
kept_argv(struct cdn_record *record, const char *const *argv)
{
	if (argv == NULL)
		argv = own_argv(record->arena);
	return argv == NULL ? NULL : cdn_record_words(record->arena, argv);
}

/* ----- Events ------------------------------------------------------------------- */

/* Every document that was read: where it lies, and the digest of its bytes. */
static void
put_documents(struct cdn_buf *out, const struct cordon_session *session)
{
	struct cdn_json_writer w;

	cdn_json_begin(&w, out);
	cdn_json_open(&w, '[');
	for (size_t i = 0; i < session->file_count; i++) {
		const struct cordon_document *d = &session->files[i];

		cdn_json_open(&w, '{');
		cdn_json_put_key(&w, "layer");
		cdn_json_put_cstring(&w, cordon_layer_name(d->layer));
		cdn_json_put_key(&w, "file");
		cdn_json_put_cstring(&w, d->file);
		cdn_json_put_key(&w, "digest");
		cdn_json_put_cstring(&w, d->digest);
		cdn_json_put_key(&w, "trusted");
		cdn_json_put_bool(&w, d->trusted);
		cdn_json_close(&w);
	}
	cdn_json_close(&w);
}

static void
put_grant(struct cdn_json_writer *w, const char *option, cdn_str what)
{
	cdn_json_open(w, '{');
	cdn_json_put_key(w, "option");
	cdn_json_put_cstring(w, option);
	cdn_json_put_key(w, "value");
	cdn_json_put_string(w, what);
	cdn_json_close(w);
}

static void
put_places(struct cdn_json_writer *w, const char *option,
    const struct cdn_place_list *places)
{
	for (size_t i = 0; i < places->n; i++)
		put_grant(w, option, cdn_str_of(places->v[i].path));
}

static cdn_str
network_word(const struct cdn_network_set *network)
{
	return network->mode == CDN_NETWORK_NONE ? CDN_STR("none") :
	    network->mode == CDN_NETWORK_LIST ? CDN_STR("a list of hosts") :
						network->mode_rule.text;
}

/* What the command line gave besides the documents. */
static void
put_grants(struct cdn_buf *out, const struct cordon_session *session)
{
	const struct cdn_authority_spec *spec = &session->spec;
	struct cdn_json_writer w;

	cdn_json_begin(&w, out);
	cdn_json_open(&w, '[');
	put_places(&w, "--read", &spec->command_read);
	put_places(&w, "--write", &spec->command_write);
	if (session->network != NULL)
		put_grant(&w, "--network", network_word(session->network));
	if (spec->facts.git != CDN_GIT_FIXED)
		put_grant(&w, "--allow", CDN_STR("nested-git"));
	for (size_t i = 0; i < spec->facts.allow_count; i++)
		put_grant(&w, "--allow", cdn_str_of(spec->facts.allow[i]));
	for (size_t i = 0; i < spec->facts.unprotect.n; i++)
		put_grant(&w, "unprotect", spec->facts.unprotect.v[i].text);
	cdn_json_close(&w);
}

/* The three values of a start that are more than a word. */
struct header {
	struct cdn_buf documents, grants, report;
};

static int
header_make(struct header *h, const struct cordon_plan *plan,
    struct cordon_error *err)
{
	cdn_buf_init(&h->documents, CDN_JSON_MAX);
	cdn_buf_init(&h->grants, CDN_JSON_MAX);
	cdn_buf_init(&h->report, CDN_JSON_MAX);
	put_documents(&h->documents, plan->session);
	put_grants(&h->grants, plan->session);
	if (cdn_buf_failed(&h->documents) || cdn_buf_failed(&h->grants))
		return cdn_err_nomem(err);
	return cdn_plan_report(plan->plan, &h->report, err);
}

static void
header_done(struct header *h)
{
	cdn_buf_done(&h->documents);
	cdn_buf_done(&h->grants);
	cdn_buf_done(&h->report);
}

static cdn_str
in(const struct cdn_buf *buf)
{
	return (cdn_str){ buf->p, buf->n };
}

#define START_FIELDS 11 /* and what not all have */

static int
put_start(struct cdn_record *record, const struct cordon_plan *plan,
    const char *const *argv, const struct header *h, struct cordon_error *err)
{
	const struct cordon_session *session = plan->session;
	size_t n;
	const char *digests[CDN_LAYERS_MAX + 1] = { NULL };

	for (size_t i = 0; i < session->file_count && i < CDN_LAYERS_MAX; i++)
		digests[i] = session->files[i].digest;
	struct cdn_event_field fields[START_FIELDS + 1] = {
		cdn_field_text("version", cordon_version()),
		cdn_field_strings("policy", digests),
		cdn_field_json("documents", in(&h->documents)),
		cdn_field_strings("argv", argv),
		cdn_field_text("profile", session->profile),
		cdn_field_text("preset", cordon_preset_name(session->preset)),
		cdn_field_text("workspace", session->workspace),
		cdn_field_json("grants", in(&h->grants)),
		cdn_field_text("backend",
		    cordon_backend_name(plan->terms.backend)),
		cdn_field_bool("enforced", plan->plan->enforced),
		cdn_field_json("report", in(&h->report)),
	};

	n = START_FIELDS;
	if (record->itself)
		fields[n++] = cdn_field_bool("itself", true);
	else if (record->outer != NULL)
		fields[n++] = cdn_field_text("inside", record->outer);
	return cdn_record_put(record, CDN_EVENT_RUN_START, fields, n, err);
}

int
cdn_record_start(struct cdn_record *record, const struct cordon_plan *plan,
    const struct cordon_run_options *options, struct cordon_error *err)
{
	const char *const *argv;
	struct header header;
	int code;

	if (record == NULL)
		return 0;
	record->itself = options->argv == NULL;
	argv = kept_argv(record, options->argv);
	if (argv == NULL)
		return cdn_err_nomem(err);
	code = header_make(&header, plan, err);
	if (code == 0)
		code = put_start(record, plan, argv, &header, err);
	header_done(&header);
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
		cdn_field_strings("argv", argv),
		cdn_field_text("error", cordon_code_name(why->code)),
		cdn_field_text("message", why->text),
		cdn_field_text("source", why->source[0] != '\0' ? why->source : NULL),
		cdn_field_number("line", why->line),
		cdn_field_text("inside", record->outer),
	};

	return cdn_record_put(record, why->code == CORDON_E_EXEC ?
		CDN_EVENT_EXEC_DENIED : CDN_EVENT_RUN_REFUSED, fields,
	    CDN_LEN(fields) - (record->outer == NULL), err);
}

int
cdn_record_event(struct cdn_record *record, enum cdn_event_kind kind,
    const struct cdn_event_field *fields, size_t n, struct cordon_error *err)
{
	return record == NULL ? 0 :
	    cdn_record_put(record, kind, fields, n, err);
}
