#include "api/api.h"

#include "enforce/audit/verify.h"
#include "enforce/report/gather.h"
#include "enforce/report/otel.h"
#include "enforce/report/page.h"
#include "enforce/report/story.h"
#include "enforce/store/places.h"

/* ----- Which file --------------------------------------------------------- */

int
cordon_audit_file(char **ret, struct cordon_error *err)
{
	struct cdn_arena *arena = cdn_arena_new();
	struct cdn_places places;
	int code;

	if (arena == NULL)
		return cdn_err_nomem(err);
	code = ret == NULL ? cdn_err(err, CORDON_E_INVALID,
	    "cordon_audit_file: missing argument 'ret'") :
	    cdn_places_find(arena, &places, err);
	if (code == 0 && places.state[0] == '\0')
		code = cdn_err(err, CORDON_E_INVALID,
		    "no state directory: set HOME or XDG_STATE_HOME");
	if (code == 0 && asprintf(ret, "%s/audit.jsonl", places.state) < 0)
		code = cdn_err_nomem(err);
	cdn_arena_free(arena);
	return code;
}

/* The one that was named, or the user's own: free() *ret_own. */
static int
find_file(const char **file, char **ret_own, struct cordon_error *err)
{
	int code = 0;

	if (*file == NULL) {
		code = cordon_audit_file(ret_own, err);
		if (code == 0)
			*file = *ret_own;
	} else if (strlen(*file) > CDN_PATH_MAX) {
		code = cdn_err(err, CORDON_E_INVALID,
		    "the name of the audit file has more than %d bytes",
		    CDN_PATH_MAX);
	}
	return code;
}

int
cordon_audit_verify(const char *file, struct cordon_diags *diags,
    struct cordon_audit_verified *ret, struct cordon_error *err)
{
	bool named = file != NULL;
	cdn_cleanup_free char *own = NULL;
	int code;

	CDN_NEED(ret, err);
	code = find_file(&file, &own, err);
	return code != 0 ? code : cdn_verify(file, !named, diags, ret, err);
}

/* ----- Put together ------------------------------------------------------- */

static int
gather(const char *file, const char *run, struct cdn_gathered **ret,
    struct cordon_error *err)
{
	const struct cdn_gather_options options = { .run = run };
	cdn_cleanup_free char *own = NULL;
	int code = find_file(&file, &own, err);

	return code != 0 ? code : cdn_gather(file, &options, ret, err);
}

int
cordon_audit_runs(const char *file,
    void (*each)(const struct cordon_audit_run *run, void *arg), void *arg,
    struct cordon_error *err)
{
	struct cdn_gathered *g;
	int code;

	CDN_NEED(each, err);
	code = gather(file, NULL, &g, err);
	if (code != 0)
		return code;
	for (size_t i = 0; i < g->runs.n; i++) {
		const struct cdn_gathered_run *run = g->runs.v[i]->more;

		each(&run->told, arg);
	}
	if (g->runs.others > 0)
		code = cdn_err(err, CORDON_E_INVALID,
		    "there are more than %d runs in it: name one of its parts",
		    CDN_REPORT_RUNS_MAX);
	cdn_gathered_free(g);
	return code;
}

int
cordon_audit_find(const char *file, const char *beginning, char **ret,
    struct cordon_error *err)
{
	cdn_cleanup_free char *own = NULL;
	int code;

	CDN_NEED(beginning, err);
	CDN_NEED(ret, err);
	code = find_file(&file, &own, err);
	return code != 0 ? code : cdn_gather_name(file, beginning, ret, err);
}

int
cordon_audit_denials(const char *file, const char *run,
    enum cordon_audit_by by,
    void (*each)(const struct cordon_audit_count *count, void *arg), void *arg,
    struct cordon_error *err)
{
	const struct cdn_tally *tally;
	struct cdn_gathered *g;
	int code;

	CDN_NEED(each, err);
	code = gather(file, run, &g, err);
	if (code != 0)
		return code;
	tally = by == CORDON_AUDIT_BY_RULE ? &g->rules : &g->paths;
	for (size_t i = 0; i < tally->n; i++) {
		const struct cdn_gathered_count *more = tally->v[i]->more;
		struct cordon_audit_count told = {
			.op = more->op,
			.path = more->path,
			.rule = more->rule,
			.source = more->source[0] == '\0' ? NULL : more->source,
			.layer = more->layer,
			.line = more->line > 0 && more->line <= UINT_MAX ?
			    (unsigned)more->line : 0,
			.count = tally->v[i]->count,
		};

		each(&told, arg);
	}
	cdn_gathered_free(g);
	return 0;
}

int
cordon_audit_report(const char *file, const char *run, char **ret,
    struct cordon_error *err)
{
	struct cdn_page_options options = { .run = run,
		.needs_head = file == NULL, .look = true };
	cdn_cleanup_free char *own = NULL;
	struct cdn_buf buf;
	int code;

	CDN_NEED(ret, err);
	code = find_file(&file, &own, err);
	if (code != 0)
		return code;
	(void)clock_gettime(CLOCK_REALTIME, &options.now);
	cdn_buf_init(&buf, CDN_TEXT_MAX);
	return cdn_api_give(cdn_page_make(file, &options, &buf, err),
	    &buf, ret, err);
}

/* ----- Line by line ------------------------------------------------------- */

struct cordon_audit {
	struct cdn_log *log;
	struct cdn_arena *line; /* of the event given last; NULL: none */
	struct cdn_entry entry;
	bool is_event;
};

int
cordon_audit_open(const char *file, struct cordon_audit **ret,
    struct cordon_error *err)
{
	cdn_cleanup_free char *own = NULL;
	struct cordon_audit *audit;
	int code;

	CDN_NEED(ret, err);
	code = find_file(&file, &own, err);
	if (code != 0)
		return code;
	audit = calloc(1, sizeof(*audit));
	code = audit == NULL ? cdn_err_nomem(err) :
			       cdn_log_open(file, &audit->log, err);
	if (code == 0)
		*ret = audit;
	else
		free(audit);
	return code;
}

void
cordon_audit_free(struct cordon_audit *audit)
{
	if (audit == NULL)
		return;
	cdn_log_free(audit->log);
	cdn_arena_free(audit->line);
	free(audit);
}

static const char *
kept_story(const struct cordon_audit *audit)
{
	struct cdn_buf text;
	const char *story = NULL;

	cdn_buf_init(&text, 4UL * CDN_AUDIT_LINE_MAX);
	cdn_story_put(&audit->entry, audit->line, &text);
	if (!cdn_buf_failed(&text))
		story = cdn_arena_dup(audit->line, text.p, text.n);
	cdn_buf_done(&text);
	return story;
}

static int
fill_event(const struct cordon_audit *audit, struct cordon_audit_event *ret,
    struct cordon_error *err)
{
	const struct cdn_entry *entry = &audit->entry;

	ret->is_event = true;
	ret->seq = entry->link.seq;
	ret->time = cdn_arena_dup(audit->line, entry->time.p, entry->time.n);
	ret->run = cdn_arena_dup(audit->line, entry->run.p, entry->run.n);
	ret->kind = cdn_arena_dup(audit->line, entry->kind.p, entry->kind.n);
	ret->story = kept_story(audit);
	return ret->time == NULL || ret->run == NULL || ret->kind == NULL ||
	    ret->story == NULL ? cdn_err_nomem(err) : 0;
}

int
cordon_audit_next(struct cordon_audit *audit, struct cordon_audit_event *ret,
    struct cordon_error *err)
{
	struct cordon_audit_event event = { 0 };
	struct cdn_log_line line;
	bool nomem = false;
	int code;

	CDN_NEED(audit, err);
	CDN_NEED(ret, err);
	cdn_arena_free(audit->line);
	audit->line = NULL;
	audit->is_event = false;
	code = cdn_log_next(audit->log, &line, err);
	if (code != 1)
		return code;
	event = (struct cordon_audit_event){ .line = line.text.p,
		.len = line.text.n, .file = line.file, .number = line.number,
		.time = "", .run = "", .kind = "", .story = "" };
	audit->line = cdn_arena_new();
	if (audit->line == NULL)
		return cdn_err_nomem(err);
	audit->is_event = !line.too_long && cdn_entry_parse(line.text,
	    audit->line, &audit->entry, &nomem);
	code = nomem ? cdn_err_nomem(err) :
	    audit->is_event ? fill_event(audit, &event, err) : 0;
	if (code != 0)
		return code;
	*ret = event;
	return 1;
}

bool
cordon_audit_holds(const struct cordon_audit *audit, const char *text,
    size_t len)
{
	return audit != NULL && text != NULL && audit->is_event &&
	    cdn_entry_holds(&audit->entry, audit->line, (cdn_str){ text, len });
}

int
cordon_audit_otel(const struct cordon_audit *audit, char **ret,
    struct cordon_error *err)
{
	struct cdn_buf buf;

	CDN_NEED(audit, err);
	CDN_NEED(ret, err);
	if (!audit->is_event)
		return cdn_err(err, CORDON_E_INVALID,
		    "cordon_audit_otel: the last line was no event");
	cdn_buf_init(&buf, CDN_TEXT_MAX);
	return cdn_api_give(cdn_otel_format(&audit->entry, audit->line, &buf,
	    err), &buf, ret, err);
}

size_t
cordon_audit_unfinished(const struct cordon_audit *audit)
{
	return audit == NULL ? 0 : cdn_log_unfinished(audit->log);
}
