#include "enforce/report/page.h"

#include "base/diag.h"
#include "enforce/audit/verify.h"
#include "enforce/report/handoff.h"
#include "enforce/report/html.h"

struct page {
	struct cdn_buf *out;
	const char *file;
	const char *run;
	struct cdn_gathered *g;
	struct cdn_handoff handoff;
	struct cordon_diags *diags;
	struct cordon_audit_verified verified;
};

/* ----- Pieces --------------------------------------------------------------- */

static void
raw(const struct page *p, const char *html)
{
	cdn_buf_puts(p->out, html);
}

static void
text(const struct page *p, const char *what)
{
	cdn_html_cstring(p->out, what);
}

static void
code(const struct page *p, const char *what)
{
	raw(p, "<code>");
	text(p, what);
	raw(p, "</code>");
}

static void
put_time(const struct page *p, int64_t ns)
{
	time_t seconds = (time_t)(ns / 1000000000);
	char shown[64] = "";
	struct tm tm;

	if (gmtime_r(&seconds, &tm) != NULL)
		(void)!strftime(shown, sizeof(shown), "%Y-%m-%d %H:%M:%S UTC",
		    &tm);
	text(p, shown);
}

/* How much of a long list there is; rows beyond stay in the log. */
static void
put_more(const struct page *p, size_t shown, size_t all, unsigned long others)
{
	if (all > shown || others > 0)
		cdn_buf_printf(p->out, "<p class=\"dim\">%zu more %s here; "
		    "they are in the log.</p>\n", all - shown + others,
		    all - shown + others == 1 ? "is not shown" :
						"are not shown");
}

static size_t
at_most(size_t n)
{
	return n < CDN_REPORT_SHOWN_MAX ? n : CDN_REPORT_SHOWN_MAX;
}

/* ----- The top --------------------------------------------------------------- */

static void
put_intact(const struct page *p)
{
	const struct cordon_audit_verified *v = &p->verified;
	size_t n = cordon_diags_count(p->diags);

	cdn_buf_printf(p->out, "<p class=\"%s\"><b>%s</b> %llu line%s, "
	    "%llu to %llu%s.</p>\n", v->intact ? "good" : "bad", v->intact ?
	    "The log is intact." : "The log is NOT intact.", v->lines,
	    v->lines == 1 ? "" : "s", v->first, v->last, v->has_head ? "" :
	    "; without its head a cut end cannot be seen");
	if (n == 0)
		return;
	raw(p, "<ul>");
	for (size_t i = 0; i < n && i < CDN_REPORT_SHOWN_MAX; i++) {
		const struct cordon_diag *d = cordon_diags_get(p->diags, i);

		cdn_buf_printf(p->out, "<li><span>line %u</span><span>",
		    d->line);
		text(p, d->text);
		raw(p, "</span></li>\n");
	}
	raw(p, "</ul>\n");
}

static void
put_card(const struct page *p, unsigned long n, const char *what,
    const char *class)
{
	cdn_buf_printf(p->out, "<div class=\"card\"><b class=\"%s\">%lu</b>%s"
	    "</div>\n", n > 0 ? class : "", n, what);
}

static void
put_top(const struct page *p, const struct timespec *now)
{
	unsigned long denials = 0, lost = 0, open = 0;

	for (size_t i = 0; i < p->g->runs.n; i++) {
		const struct cdn_gathered_run *run = p->g->runs.v[i]->more;

		denials += run->told.denials;
		lost += run->told.lost;
		open += run->told.end[0] == '\0' && !run->told.itself;
	}
	raw(p, "<h1>cordon audit report</h1>\n<p class=\"dim\">");
	if (p->run != NULL) {
		raw(p, "Run ");
		code(p, p->run);
		raw(p, " of ");
	}
	code(p, p->file);
	raw(p, ", made ");
	put_time(p, (int64_t)now->tv_sec * 1000000000);
	raw(p, "</p>\n");
	put_intact(p);
	raw(p, "<div class=\"cards\">\n");
	put_card(p, p->g->runs.n, "runs", "");
	put_card(p, denials, "denials", "bad");
	put_card(p, p->handoff.n, "files to look at", "warn");
	put_card(p, open, "runs without an end", "warn");
	if (lost > 0)
		put_card(p, lost, "denials not recorded", "bad");
	raw(p, "</div>\n");
}

/* ----- What is handed on ------------------------------------------------------ */

static void
put_places(const struct page *p)
{
	const struct cdn_handoff *f = &p->handoff;

	raw(p, "<p class=\"dim\">Looked at when this report was made: ");
	for (size_t i = 0; i < f->place_count; i++) {
		raw(p, i > 0 ? "; " : "");
		code(p, f->places[i]);
		if (f->gone[i]) {
			raw(p, " (could not be opened)");
			continue;
		}
		raw(p, " for what changed since ");
		put_time(p, f->since_ns[i]);
	}
	raw(p, f->place_count == 0 ? "nothing: no run says where it worked" :
				     "");
	raw(p, ". Writing that the kernel grants by itself leaves no event, so "
	       "a file is listed when it was changed since then, by the run "
	       "or by anybody later. What was recorded as written is listed "
	       "wherever it lies.</p>\n");
	if (f->incomplete)
		raw(p, "<p class=\"note\">Not everything could be looked at: "
		       "there is more than fits, or a directory could not be "
		       "opened.</p>\n");
}

#define FOLDED 12 /* more of one kind are not unfolded */

static void
put_handed(const struct page *p, size_t from, size_t to)
{
	const struct cdn_handed *v = p->handoff.v;
	size_t shown = at_most(to - from);

	cdn_buf_printf(p->out, "<details%s><summary><b>%s</b> <span "
	    "class=\"dim\">%zu</span></summary>\n<ul>\n", to - from <= FOLDED ?
	    " open" : "", v[from].what, to - from);
	for (size_t i = from; i < from + shown; i++) {
		raw(p, "<li><span>");
		put_time(p, v[i].changed_ns);
		raw(p, "</span><span>");
		code(p, v[i].path);
		if (v[i].recorded)
			raw(p, " <span class=\"dim\">written by a run, by its "
			       "record</span>");
		raw(p, "</span></li>\n");
	}
	raw(p, "</ul>\n");
	put_more(p, shown, to - from, 0);
	raw(p, "</details>\n");
}

static void
put_handoff(const struct page *p)
{
	const struct cdn_handoff *f = &p->handoff;
	size_t from = 0;

	raw(p, "<h2>Look at these before you use them</h2>\n<p>Files that this "
	       "machine would execute or obey: hooks and configuration of "
	       "repositories, shell environments, editor tasks, package and "
	       "build scripts, CI, executables.</p>\n");
	if (f->n == 0)
		raw(p, "<p class=\"good\">None was changed.</p>\n");
	for (size_t i = 1; i <= f->n; i++)
		if (i == f->n || strcmp(f->v[i].what, f->v[from].what) != 0) {
			put_handed(p, from, i);
			from = i;
		}
	if (f->left_out > 0)
		cdn_buf_printf(p->out, "<p class=\"note\">%zu more were found "
		    "than are listed.</p>\n", f->left_out);
	put_places(p);
}

/* ----- Runs -------------------------------------------------------------------- */

static void
put_outcome(const struct page *p, const struct cordon_audit_run *run)
{
	if (run->refused != NULL) {
		raw(p, "<span class=\"bad\">not started: ");
		text(p, run->refused);
		raw(p, "</span>");
	} else if (run->end[0] == '\0' && run->itself) {
		raw(p, "confined itself");
	} else if (run->end[0] == '\0') {
		raw(p, "<span class=\"warn\">no end: it goes on, or was "
		       "killed</span>");
	} else if (run->timed_out) {
		raw(p, "<span class=\"bad\">took too long</span>");
	} else if (run->signal > 0) {
		cdn_buf_printf(p->out, "<span class=\"bad\">signal %lld</span>",
		    run->signal);
	} else {
		cdn_buf_printf(p->out, "<span class=\"%s\">exit %lld</span>",
		    run->exit_code == 0 ? "good" : "bad", run->exit_code);
	}
	if (run->duration_ms > 0)
		cdn_buf_printf(p->out, " after %lld.%03lld s",
		    run->duration_ms / 1000, run->duration_ms % 1000);
	if (run->denials > 0)
		cdn_buf_printf(p->out, ", <b class=\"bad\">%lu denied</b>",
		    run->denials);
	if (run->lost > 0)
		cdn_buf_printf(p->out, ", <b class=\"bad\">%lu not "
		    "recorded</b>", run->lost);
}

static void
put_run(const struct page *p, const struct cdn_gathered_run *run)
{
	const struct cordon_audit_run *told = &run->told;

	raw(p, "<li><span>");
	text(p, told->start);
	raw(p, "<br>");
	code(p, told->run);
	raw(p, "</span><span>");
	code(p, told->command);
	raw(p, "<br>");
	put_outcome(p, told);
	raw(p, "<br><span class=\"dim\">in ");
	text(p, told->workspace);
	raw(p, ", profile ");
	text(p, told->profile);
	if (!told->enforced && told->refused == NULL)
		raw(p, ", <b class=\"bad\">not everything enforced</b>");
	raw(p, "</span></span></li>\n");
}

static void
put_runs(const struct page *p)
{
	const struct cdn_tally *runs = &p->g->runs;
	size_t shown = at_most(runs->n);

	raw(p, "<h2>Runs</h2>\n<ul>\n");
	for (size_t i = runs->n - shown; i < runs->n; i++)
		put_run(p, runs->v[i]->more);
	raw(p, "</ul>\n");
	put_more(p, shown, runs->n, 0);
}

/* ----- Counts ------------------------------------------------------------------- */

static void
put_count(const struct page *p, const struct cdn_tally_row *row)
{
	const struct cdn_gathered_count *more = row->more;

	cdn_buf_printf(p->out, "<li><b>%lu&times;</b><span>", row->count);
	text(p, more->op);
	raw(p, " ");
	code(p, more->rule != NULL ? more->rule : more->path);
	if (more->rule != NULL && more->source[0] != '\0') {
		raw(p, " <span class=\"dim\">");
		text(p, more->source);
		if (more->line > 0)
			cdn_buf_printf(p->out, ":%lld", (long long)more->line);
		raw(p, "</span>");
	}
	raw(p, "</span></li>\n");
}

static void
put_tally(const struct page *p, const char *title,
    const struct cdn_tally *tally, const char *none)
{
	size_t shown = at_most(tally->n);

	cdn_buf_printf(p->out, "<h2>%s</h2>\n", title);
	if (tally->n == 0) {
		cdn_buf_printf(p->out, "<p class=\"dim\">%s</p>\n", none);
		return;
	}
	raw(p, "<ul>\n");
	for (size_t i = 0; i < shown; i++)
		put_count(p, tally->v[i]);
	raw(p, "</ul>\n");
	put_more(p, shown, tally->n, tally->others);
}

/* ----- Grants -------------------------------------------------------------------- */

/* "[{"option":"--write","value":"/x"}]" of a start, as a person typed it. */
static size_t
put_options(const struct page *p, const struct cdn_gathered_run *run)
{
	const struct cdn_json_node *node;
	struct cdn_json json;
	size_t n = 0;

	if (run->grants[0] != '[' || cdn_json_parse(cdn_str_of(run->grants),
		NULL, p->g->arena, &json, NULL) != 0)
		return 0;
	for (node = cdn_json_first(&json, json.nodes);
	     node != NULL && n < CDN_REPORT_SHOWN_MAX;
	     node = cdn_json_next(&json, node)) {
		const struct cdn_json_node *parts[] = {
			cdn_json_find(&json, node, "option"),
			cdn_json_find(&json, node, "value") };
		cdn_str option, value;

		if (parts[0] == NULL || parts[1] == NULL ||
		    !cdn_json_string(&json, parts[0], p->g->arena, &option) ||
		    !cdn_json_string(&json, parts[1], p->g->arena, &value))
			continue;
		raw(p, "<li><code>");
		text(p, run->told.run);
		raw(p, "</code><code>");
		cdn_html_text(p->out, option);
		raw(p, " ");
		cdn_html_text(p->out, value);
		raw(p, "</code></li>\n");
		n++;
	}
	return n;
}

static void
put_moment(const struct page *p, const struct cdn_moment *m)
{
	raw(p, m->denial ? "<li class=\"deny\"><span>" : "<li><span>");
	text(p, m->time);
	raw(p, " ");
	raw(p, "<code>"); /* the id is long */
	cdn_html_text(p->out, (cdn_str){ m->run, strnlen(m->run, 8) });
	raw(p, "</code></span><span>");
	text(p, m->story);
	raw(p, "</span></li>\n");
}

static void
put_grants(const struct page *p)
{
	size_t n = 0;

	raw(p, "<h2>Grants</h2>\n<ul>\n");
	for (size_t i = 0; i < p->g->runs.n && n < CDN_REPORT_SHOWN_MAX; i++)
		n += put_options(p, p->g->runs.v[i]->more);
	for (size_t i = 0; i < at_most(p->g->grant_count); i++)
		put_moment(p, &p->g->grants[i]);
	raw(p, "</ul>\n");
	if (n + p->g->grant_count == 0)
		raw(p, "<p class=\"dim\">None besides what the policy "
		       "says.</p>\n");
}

/* ----- Files ---------------------------------------------------------------------- */

/* Where the kernel decides by itself, as the last run that says so has it. */
static const char *
find_unrecorded(const struct page *p)
{
	for (size_t i = p->g->runs.n; i > 0; i--) {
		const struct cdn_gathered_run *run = p->g->runs.v[i - 1]->more;

		if (run->unrecorded[0] == '{')
			return run->unrecorded;
	}
	return "";
}

static void
put_list(const struct page *p, const struct cdn_json *json, const char *op,
    const char *what)
{
	const struct cdn_json_node *list = cdn_json_find(json, json->nodes, op);
	const struct cdn_json_node *node = list == NULL ? NULL :
	    cdn_json_first(json, list);
	cdn_str path;

	if (node == NULL)
		return;
	cdn_buf_printf(p->out, "<li><span>%s</span><span>", what);
	for (; node != NULL; node = cdn_json_next(json, node))
		if (cdn_json_string(json, node, p->g->arena, &path)) {
			raw(p, "<code>");
			cdn_html_text(p->out, path);
			raw(p, "</code> ");
		}
	raw(p, "</span></li>\n");
}

/* What found no room, or was lost with a run that was killed. */
static void
put_unrecorded(const struct page *p)
{
	unsigned long n = 0;

	for (size_t i = 0; i < p->g->runs.n; i++) {
		const struct cdn_gathered_run *run = p->g->runs.v[i]->more;

		n += run->told.unrecorded;
	}
	if (n > 0)
		cdn_buf_printf(p->out, "<p class=\"note\">%lu allowed accesses "
		    "found no room in the record.</p>\n", n);
}

static void
put_files(const struct page *p)
{
	const char *unrecorded = find_unrecorded(p);
	struct cdn_json json;

	put_tally(p, "Files written, as far as recorded", &p->g->touched,
	    "No event of it.");
	put_tally(p, "Read, executed or connected to, as far as recorded",
	    &p->g->used, "No event of it.");
	put_unrecorded(p);
	if (unrecorded[0] == '\0' || cdn_json_parse(cdn_str_of(unrecorded),
		NULL, p->g->arena, &json, NULL) != 0)
		return;
	raw(p, "<details><summary>Where access leaves no event, because the "
	       "kernel grants it by itself (last run)</summary>\n<ul>\n");
	put_list(p, &json, "modify", "writing");
	put_list(p, &json, "read", "reading");
	raw(p, "</ul></details>\n");
}

/* ----- The timeline ---------------------------------------------------------------- */

static void
put_timeline(const struct page *p)
{
	const struct cdn_gathered *g = p->g;
	size_t n = g->moment_count < CDN_REPORT_MOMENTS_MAX ? g->moment_count :
	    CDN_REPORT_MOMENTS_MAX;

	raw(p, "<h2>Timeline</h2>\n<p class=\"dim\">Without allowed accesses, "
	       "which are listed above.</p>\n");
	if (g->moment_count > n)
		cdn_buf_printf(p->out, "<p class=\"dim\">The last %zu of %zu "
		    "events.</p>\n", n, g->moment_count);
	raw(p, "<ul>\n");
	for (size_t i = g->moment_count - n; i < g->moment_count; i++)
		put_moment(p, &g->moments[i % CDN_REPORT_MOMENTS_MAX]);
	raw(p, "</ul>\n");
	if (g->no_events > 0)
		cdn_buf_printf(p->out, "<p class=\"note\">%lu lines of the log "
		    "are no events.</p>\n", g->no_events);
}

/* ----- All of it --------------------------------------------------------------------- */

static void
put_page(const struct page *p, const struct timespec *now)
{
	cdn_html_begin(p->out, "cordon audit report");
	put_top(p, now);
	put_handoff(p);
	put_runs(p);
	put_tally(p, "Denied, by rule", &p->g->rules, "Nothing was denied.");
	put_tally(p, "Denied, by path", &p->g->paths, "Nothing was denied.");
	put_grants(p);
	put_files(p);
	put_timeline(p);
	raw(p, "<p class=\"dim\">What the kernel refuses by itself leaves no "
	       "event, unless a run was traced.</p>\n");
	cdn_html_end(p->out);
}

int
cdn_page_make(const char *file, const struct cdn_page_options *options,
    struct cdn_buf *out, struct cordon_error *err)
{
	const struct cdn_gather_options gather = { .run = options->run,
		.moments = true };
	struct page p = { .out = out, .file = file, .run = options->run };
	int r = cdn_gather(file, &gather, &p.g, err);

	if (r == 0) {
		p.diags = cordon_diags_new();
		r = p.diags == NULL ? cdn_err_nomem(err) :
		    cdn_verify(file, options->needs_head, p.diags, &p.verified,
			err);
	}
	if (r == 0 && options->look)
		r = cdn_handoff_find(p.g, &p.handoff, err);
	if (r == 0) {
		put_page(&p, &options->now);
		if (cdn_buf_failed(out))
			r = cdn_err_nomem(err);
	}
	cordon_diags_free(p.diags);
	cdn_gathered_free(p.g);
	return r;
}
