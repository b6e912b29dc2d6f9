#include "enforce/report/gather.h"

#include "enforce/report/story.h"

struct gathering {
	struct cdn_gathered *g;
	const struct cdn_gather_options *options;
	struct cdn_arena *line; /* lives as long as one line */
	struct cdn_entry parsed;
	const struct cdn_entry *entry; /* that one */
	struct cdn_gathered_run *run; /* of this line; NULL: one too many */
	struct cordon_error *err;
};

/* ----- Strings that stay -------------------------------------------------- */

/* NULL when memory ran out. */
static const char *
keep(const struct gathering *s, cdn_str text)
{
	return cdn_arena_dup(s->g->arena, text.p, text.n);
}

static const char *
keep_field(const struct gathering *s, const char *name)
{
	return keep(s, cdn_entry_text(s->entry, s->line, name));
}

/* A value of JSON as it stands there. */
static const char *
keep_raw(const struct gathering *s, const struct cdn_json_node *node)
{
	return keep(s, node == NULL ? CDN_STR("") :
	    cdn_json_raw(&s->entry->json, node));
}

static const char *
keep_told(const struct gathering *s, void (*tell)(const struct cdn_entry *entry,
    struct cdn_arena *arena, struct cdn_buf *out))
{
	struct cdn_buf text;
	const char *kept = NULL;

	cdn_buf_init(&text, 4UL * CDN_AUDIT_LINE_MAX);
	tell(s->entry, s->line, &text);
	if (!cdn_buf_failed(&text))
		kept = keep(s, (cdn_str){ text.p, text.n });
	cdn_buf_done(&text);
	return kept;
}

/* ----- Runs --------------------------------------------------------------- */

static int
find_run(struct gathering *s)
{
	struct cdn_tally_row *row;
	struct cdn_gathered_run *run;
	int code = cdn_tally_add(&s->g->runs, s->entry->run, 1, &row, s->err);

	s->run = row == NULL ? NULL : row->more;
	if (code != 0 || row == NULL || row->more != NULL)
		return code;
	run = row->more = cdn_arena_alloc(s->g->arena, sizeof(*run));
	if (run == NULL)
		return cdn_err_nomem(s->err);
	*run = (struct cdn_gathered_run){ .grants = "", .unrecorded = "" };
	run->told.run = row->key.p;
	run->told.start = run->told.end = run->told.command = "";
	run->told.workspace = run->told.profile = "";
	s->run = run;
	return 0;
}

static bool
take_start(struct gathering *s)
{
	const struct cdn_json *json = &s->entry->json;
	const struct cdn_json_node *report = cdn_json_find(json, json->nodes,
	    "report");
	struct cordon_audit_run *told = &s->run->told;

	told->start = keep(s, s->entry->time);
	told->command = keep_told(s, cdn_story_command);
	told->workspace = keep_field(s, "workspace");
	told->profile = keep_field(s, "profile");
	told->enforced = cdn_entry_is_true(s->entry, "enforced");
	told->itself = cdn_entry_is_true(s->entry, "itself");
	s->run->grants = keep_raw(s, cdn_json_find(json, json->nodes,
	    "grants"));
	s->run->unrecorded = keep_raw(s, report == NULL ? NULL :
	    cdn_json_find(json, report, "unrecorded"));
	(void)!cdn_entry_time(s->entry->time, &s->run->start_ns);
	return told->start != NULL && told->command != NULL &&
	    told->workspace != NULL && told->profile != NULL &&
	    s->run->grants != NULL && s->run->unrecorded != NULL;
}

/* How often; 0 when it is not said. */
static unsigned long
number(const struct gathering *s, const char *name)
{
	int64_t n = cdn_entry_number(s->entry, name, 0);

	return n > 0 ? (unsigned long)n : 0;
}

static bool
take_end(struct gathering *s)
{
	struct cordon_audit_run *told = &s->run->told;
	int64_t code = cdn_entry_number(s->entry, "exit_code", INT64_MIN);

	told->end = keep(s, s->entry->time);
	told->has_exit_code = code != INT64_MIN;
	told->exit_code = told->has_exit_code ? code : 0;
	told->signal = cdn_entry_number(s->entry, "signal", 0);
	told->timed_out = cdn_entry_is_true(s->entry, "timed_out");
	told->duration_ms = cdn_entry_number(s->entry, "duration_ms", 0);
	told->lost = number(s, "lost");
	told->allowed = number(s, "allowed");
	told->unrecorded = number(s, "unrecorded");
	return told->end != NULL;
}

static bool
take_refused(struct gathering *s)
{
	struct cordon_audit_run *told = &s->run->told;

	if (told->start[0] == '\0') {
		told->start = keep(s, s->entry->time);
		told->command = keep_told(s, cdn_story_command);
	}
	told->end = keep(s, s->entry->time);
	told->refused = keep_field(s, "message");
	return told->start != NULL && told->command != NULL &&
	    told->end != NULL && told->refused != NULL;
}

/* An event of a verdict has a path; one of a program not started has none. */
static bool
has_path(const struct gathering *s)
{
	return cdn_json_find(&s->entry->json, s->entry->json.nodes, "path") !=
	    NULL;
}

/* An event may stand for several denials of the same. */
static unsigned long
times(const struct gathering *s)
{
	unsigned long n = number(s, "repeats");

	return n == 0 ? 1 : n;
}

static int
take_run(struct gathering *s)
{
	cdn_str kind = s->entry->kind;
	bool good = true;

	if (s->run == NULL)
		return 0;
	if (cdn_str_is(kind, "run.start"))
		good = take_start(s);
	else if (cdn_str_is(kind, "run.end"))
		good = take_end(s);
	else if (cdn_str_is(kind, "run.refused") ||
	    (cdn_str_is(kind, "exec.denied") && !has_path(s)))
		good = take_refused(s);
	else if (cdn_story_is_denial(s->entry))
		s->run->told.denials += times(s);
	return good ? 0 : cdn_err_nomem(s->err);
}

/* ----- Counts ------------------------------------------------------------- */

/*
 * A value that is counted by.  An event that stands for many denials has those
 * of the last: its path, or even its rule, is not that of the others.
 */
static cdn_str
counted(const struct gathering *s, const char *name)
{
	cdn_str alike = cdn_entry_text(s->entry, s->line, "alike");
	bool path = strcmp(name, "path") == 0;

	if (alike.n > 0 && path)
		return CDN_STR("<many paths>");
	if (!path && cdn_str_is(alike, "run"))
		return strcmp(name, "matched_rule") == 0 ?
		    CDN_STR("<many rules>") : CDN_STR("");
	return cdn_entry_text(s->entry, s->line, name);
}

static long long
counted_line(const struct gathering *s)
{
	return cdn_str_is(cdn_entry_text(s->entry, s->line, "alike"), "run") ?
	    0 : (long long)cdn_entry_number(s->entry, "line", 0);
}

/* Values of an event between newlines, which they cannot be mistaken for. */
static int
count(struct gathering *s, struct cdn_tally *tally, bool by_path, bool by_rule,
    struct cdn_tally_row **ret)
{
	struct cdn_gathered_count *more;
	struct cdn_tally_row *row = NULL;
	struct cdn_buf key;
	int code;

	cdn_buf_init(&key, 4UL * CDN_AUDIT_LINE_MAX);
	cdn_buf_str(&key, cdn_entry_text(s->entry, s->line, "op"));
	if (by_path) {
		cdn_buf_putc(&key, '\n');
		cdn_buf_str(&key, counted(s, "path"));
	}
	if (by_rule) {
		cdn_buf_putc(&key, '\n');
		cdn_buf_str(&key, counted(s, "matched_rule"));
		cdn_buf_putc(&key, '\n');
		cdn_buf_str(&key, counted(s, "source"));
		cdn_buf_printf(&key, "\n%lld", counted_line(s));
	}
	code = cdn_buf_failed(&key) ? cdn_err_nomem(s->err) :
	    cdn_tally_add(tally, (cdn_str){ key.p, key.n }, times(s), &row,
		s->err);
	cdn_buf_done(&key);
	*ret = row;
	if (code != 0 || row == NULL || row->more != NULL)
		return code;
	more = row->more = cdn_arena_alloc(s->g->arena, sizeof(*more));
	if (more == NULL)
		return cdn_err_nomem(s->err);
	more->op = keep_field(s, "op");
	more->path = by_path ? keep(s, counted(s, "path")) : NULL;
	more->rule = by_rule ? keep(s, counted(s, "matched_rule")) : NULL;
	more->source = keep(s, counted(s, "source"));
	more->layer = keep(s, counted(s, "layer"));
	more->line = counted_line(s);
	return more->op == NULL || (by_path && more->path == NULL) ||
	    (by_rule && more->rule == NULL) || more->source == NULL ||
	    more->layer == NULL ? cdn_err_nomem(s->err) : 0;
}

/* Allowed is not yet done: the call may have failed. */
static int
take_allowed(struct gathering *s)
{
	cdn_str op = cdn_entry_text(s->entry, s->line, "op");
	cdn_str call = cdn_entry_text(s->entry, s->line, "call");
	bool modified = cdn_str_is(op, "modify");
	struct cdn_tally_row *row;
	int code;

	if (cdn_entry_number(s->entry, "errno", 0) > 0)
		return 0;
	code = count(s, modified ? &s->g->touched : &s->g->used, true, false,
	    &row);
	if (code == 0 && row != NULL && modified &&
	    cdn_str_starts(call, CDN_STR("rename"))) {
		struct cdn_gathered_count *more = row->more;

		more->moved = true;
	}
	return code;
}

static int
take_verdict(struct gathering *s)
{
	struct cdn_tally_row *row;
	int code;

	if (!has_path(s))
		return 0;
	if (cdn_entry_is_true(s->entry, "allowed"))
		return take_allowed(s);
	if (!cdn_story_is_denial(s->entry))
		return 0;
	code = count(s, &s->g->rules, false, true, &row);
	return code != 0 ? code : count(s, &s->g->paths, true, false, &row);
}

static int
take_left(struct gathering *s)
{
	struct cdn_gathered *g = s->g;
	struct cdn_gathered_left *v;

	if (!cdn_str_is(s->entry->kind, "run.left") ||
	    g->left_count >= CDN_REPORT_HANDED_MAX)
		return 0;
	v = cdn_arena_grow(g->arena, g->left, g->left_count, &g->left_room,
	    sizeof(*v));
	if (v == NULL)
		return cdn_err_nomem(s->err);
	g->left = v;
	v[g->left_count] = (struct cdn_gathered_left){ keep_field(s, "path"),
		keep_field(s, "what") };
	if (v[g->left_count].path == NULL || v[g->left_count].what == NULL)
		return cdn_err_nomem(s->err);
	g->left_count++;
	return 0;
}

/* ----- Moments ------------------------------------------------------------ */

static int
make_moment(const struct gathering *s, struct cdn_moment *ret)
{
	*ret = (struct cdn_moment){ keep(s, s->entry->time),
		keep(s, s->entry->run), keep(s, s->entry->kind),
		keep_told(s, cdn_story_put), cdn_story_is_denial(s->entry) };
	return ret->time == NULL || ret->run == NULL || ret->kind == NULL ||
	    ret->story == NULL ? cdn_err_nomem(s->err) : 0;
}

static int
take_moment(const struct gathering *s)
{
	struct cdn_gathered *g = s->g;
	struct cdn_moment *v;
	size_t i = g->moment_count++ % CDN_REPORT_MOMENTS_MAX;

	if (g->moments == NULL)
		g->moments = cdn_arena_array(g->arena, CDN_REPORT_MOMENTS_MAX,
		    sizeof(*g->moments));
	if (g->moments == NULL)
		return cdn_err_nomem(s->err);
	if (cdn_str_starts(s->entry->kind, CDN_STR("grant.")) &&
	    g->grant_count < CDN_REPORT_GRANTS_MAX) {
		v = cdn_arena_grow(g->arena, g->grants, g->grant_count,
		    &g->grant_room, sizeof(*v));
		if (v == NULL || make_moment(s, &v[g->grant_count]) != 0)
			return cdn_err_nomem(s->err);
		g->grants = v;
		g->grant_count++;
	}
	return make_moment(s, &g->moments[i]);
}

/* ----- All of it ---------------------------------------------------------- */

static int
take(struct gathering *s)
{
	const char *only = s->options->run;
	int code;

	if (only != NULL && !cdn_str_is(s->entry->run, only))
		return 0;
	s->g->events++;
	code = find_run(s);
	if (code == 0)
		code = take_run(s);
	if (code == 0)
		code = take_verdict(s);
	if (code == 0)
		code = take_left(s);
	if (code == 0 && s->options->moments &&
	    !cdn_str_is(s->entry->kind, "fs.call.result"))
		code = take_moment(s); /* results are many, and counted */
	return code;
}

static int
take_line(struct gathering *s, const struct cdn_log_line *line)
{
	bool nomem = false;
	int code = 0;

	s->line = cdn_arena_new();
	if (s->line == NULL)
		return cdn_err_nomem(s->err);
	s->entry = &s->parsed;
	if (!line->too_long &&
	    cdn_entry_parse(line->text, s->line, &s->parsed, &nomem))
		code = take(s);
	else
		s->g->no_events++;
	cdn_arena_free(s->line);
	return nomem ? cdn_err_nomem(s->err) : code;
}

static int
gather_all(struct gathering *s, const char *file)
{
	struct cdn_log_line line;
	struct cdn_log *log;
	int code = cdn_log_open(file, &log, s->err);

	if (code != 0)
		return code;
	while ((code = cdn_log_next(log, &line, s->err)) == 1) {
		code = take_line(s, &line);
		if (code != 0)
			break;
	}
	cdn_log_free(log);
	return code;
}

int
cdn_gather(const char *file, const struct cdn_gather_options *options,
    struct cdn_gathered **ret, struct cordon_error *err)
{
	struct cdn_arena *arena = cdn_arena_new();
	struct cdn_gathered *g = arena == NULL ? NULL :
	    cdn_arena_alloc(arena, sizeof(*g));
	struct gathering s = { .g = g, .options = options, .err = err };
	int code;

	if (g == NULL) {
		cdn_arena_free(arena);
		return cdn_err_nomem(err);
	}
	g->arena = arena;
	cdn_tally_init(&g->runs, arena, CDN_REPORT_RUNS_MAX);
	cdn_tally_init(&g->rules, arena, CDN_REPORT_ROWS_MAX);
	cdn_tally_init(&g->paths, arena, CDN_REPORT_ROWS_MAX);
	cdn_tally_init(&g->touched, arena, CDN_REPORT_ROWS_MAX);
	cdn_tally_init(&g->used, arena, CDN_REPORT_ROWS_MAX);
	code = gather_all(&s, file);
	if (code == 0 && options->run != NULL && g->runs.n == 0)
		code = cdn_err(err, CORDON_E_NOT_FOUND,
		    "there is no run '%s' in '%s' (see `cordon audit list`)",
		    options->run, file);
	if (code != 0) {
		cdn_gathered_free(g);
		return code;
	}
	cdn_tally_sort(&g->rules);
	cdn_tally_sort(&g->paths);
	cdn_tally_sort(&g->touched);
	cdn_tally_sort(&g->used);
	*ret = g;
	return 0;
}

void
cdn_gathered_free(struct cdn_gathered *gathered)
{
	if (gathered != NULL)
		cdn_arena_free(gathered->arena);
}

/* ----- Names -------------------------------------------------------------- */

int
cdn_gather_name(const char *file, const char *beginning, char **ret,
    struct cordon_error *err)
{
	const struct cdn_gather_options all = { 0 };
	const struct cdn_tally_row *found = NULL;
	struct cdn_gathered *g;
	size_t matches = 0;
	int code = cdn_gather(file, &all, &g, err);

	if (code != 0)
		return code;
	for (size_t i = 0; i < g->runs.n; i++) {
		const struct cdn_tally_row *row = g->runs.v[i];

		if (!cdn_str_starts(row->key, cdn_str_of(beginning)))
			continue;
		found = row;
		matches++;
		if (cdn_str_is(row->key, beginning)) {
			matches = 1;
			break;
		}
	}
	if (matches == 0)
		code = cdn_err(err, CORDON_E_NOT_FOUND,
		    "there is no run '%s' in '%s' (see `cordon audit list`)",
		    beginning, file);
	else if (matches > 1)
		code = cdn_err(err, CORDON_E_INVALID,
		    "%zu runs begin with '%s': give more of it", matches,
		    beginning);
	else if ((*ret = strndup(found->key.p, found->key.n)) == NULL)
		code = cdn_err_nomem(err);
	cdn_gathered_free(g);
	return code;
}
