/* What is handed on, and the page that tells of it. */
#include "logs.h"

#include "enforce/report/handoff.h"
#include "enforce/report/html.h"
#include "enforce/report/page.h"

static char file[PATH_MAX * 2];

/* ----- Text ---------------------------------------------------------------- */

static void
test_text(void)
{
	static const struct {
		const char *from, *to;
	} rows[] = {
		{ "plain", "plain" },
		{ "<script>", "&lt;script&gt;" },
		{ "a & \"b\" 'c'", "a &amp; &quot;b&quot; &#39;c&#39;" },
		{ "\033[31m", "\\u{1b}[31m" },
		{ "a\nb\tc", "a\\u{a}b\\u{9}c" },
		{ "x\xe2\x80\xaey", "x\\u{202e}y" },
		{ "\xff\xfe", "\\xff\\xfe" },
		{ "gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f" },
		{ "\xc2\x9b", "\\u{9b}" },
	};

	for (size_t i = 0; i < CDN_LEN(rows); i++) {
		struct cdn_buf out;

		cdn_buf_init(&out, 4096);
		cdn_html_cstring(&out, rows[i].from);
		ok_f(strcmp(out.p, rows[i].to) == 0, "%s", rows[i].to);
		cdn_buf_done(&out);
	}
}

/* ----- What is handed on --------------------------------------------------- */

/* Changed before the runs began, or after. */
static const struct {
	const char *name;
	bool after, executable;
	const char *what; /* NULL: not told */
} files[] = {
	{ "ws/old/package.json", false, false, NULL },
	{ "ws/old/tool", false, true, NULL },
	{ "ws/plain.txt", true, false, NULL },
	{ "ws/.git/objects/tool", true, true, NULL },
	{ "beside/package.json", true, false, NULL },
	{ "ws/package.json", true, false, "package script" },
	{ "ws/sub/Makefile", true, false, "build script" },
	{ "ws/tool", true, true, "executable" },
	{ "ws/sub/.envrc", true, false, "shell environment" },
	{ "ws/sub/.git/config", true, false, "git configuration" },
	{ "ws/sub/.git/hooks/pre-push", true, true, "git hook" },
	{ "ws/sub/.git/hooks/x.sample", true, true,
	    "git hook, a sample that is not run" },
	{ "ws/.github/workflows/a.yml", true, false, "CI" },
	{ "ws/sub/.vscode/tasks.json", true, false, "editor tasks" },
	{ "ws/sub/.claude/settings.json", true, false,
	    "agent configuration" },
	{ "ws/sub/.mcp.json", true, false, "agent configuration" },
	{ "ws/.opencode/plugin/a.js", true, false, "agent configuration" },
	{ "ws/sub/.cordon/policy.yaml", true, false, "cordon policy" },
	{ "ws/sub/.clauder/x", true, false, NULL },
	{ "granted/justfile", true, false, "build script" },
};

static void
make_files(bool after)
{
	for (size_t i = 0; i < CDN_LEN(files); i++) {
		char dir[PATH_MAX];
		char *slash;

		if (files[i].after != after)
			continue;
		snprintf(dir, sizeof(dir), "%s", files[i].name);
		for (slash = dir; (slash = strchr(slash, '/')) != NULL;
		     slash++) {
			*slash = '\0';
			(void)mkdir(tmp_path(dir), 0700);
			*slash = '/';
		}
		tmp_file(files[i].name, "x");
		if (files[i].executable)
			tmp_mode(files[i].name, 0755);
		else
			tmp_mode(files[i].name, 0600);
	}
}

static const struct cdn_handed *
find(const struct cdn_handoff *f, const char *path)
{
	for (size_t i = 0; i < f->n; i++)
		if (strcmp(f->v[i].path, path) == 0)
			return &f->v[i];
	return NULL;
}

static void
put_granting_start(struct cdn_sink *sink)
{
	char grants[PATH_MAX * 3];
	const struct cdn_event_field fields[] = {
		cdn_field_text("workspace", tmp_path("ws")),
		cdn_field_json("grants", (cdn_str){ grants,
		    (size_t)snprintf(grants, sizeof(grants), "[{\"option\":"
			"\"--write\",\"value\":\"%s\"},{\"option\":1},5]",
			tmp_path("granted")) }),
	};

	put_event(sink, CDN_EVENT_RUN_START, "r1", fields, CDN_LEN(fields));
}

static void
make_runs(void)
{
	struct cdn_sink *sink = NULL;

	make_files(false);
	tmp_link("/etc/passwd", "ws/old/link");
	usleep(100000); /* the clock of inodes has ticks */
	tmp_need(cdn_audit_open(file, &sink, NULL) == 0, "open", file);
	put_granting_start(sink);
	put_verdict(sink, "r1", true, tmp_path("ws/package.json"), "**", 1);
	put_verdict(sink, "r1", false, "/x/<img src=x>", "!<b>", 2);
	cdn_audit_close(sink);
	make_files(true);
	tmp_link("..", "ws/loop");
}

static void
test_handoff(void)
{
	const struct cdn_gather_options all = { 0 };
	struct cdn_handoff found;
	struct cdn_gathered *g;
	size_t told = 0;

	if (!ok(cdn_gather(file, &all, &g, NULL) == 0 &&
		cdn_handoff_find(g, &found, NULL) == 0, "look"))
		return;
	for (size_t i = 0; i < CDN_LEN(files); i++) {
		const struct cdn_handed *h = find(&found,
		    tmp_path(files[i].name));

		ok_f(files[i].what == NULL ? h == NULL :
		    h != NULL && strcmp(h->what, files[i].what) == 0,
		    "%s: %s", files[i].name,
		    h == NULL ? "not told" : h->what);
		told += files[i].what != NULL;
	}
	ok_f(found.n == told, "nothing else (%zu)", found.n);
	ok(found.place_count == 2 && !found.incomplete, "both places");
	ok(find(&found, tmp_path("ws/package.json"))->recorded &&
	    !find(&found, tmp_path("ws/tool"))->recorded,
	    "what an event tells of is known");
	cdn_gathered_free(g);
}

/* ----- The page ------------------------------------------------------------ */

static void
test_page(void)
{
	struct cdn_page_options options = { .needs_head = true, .look = true,
		.now.tv_sec = 1794822000 };
	struct cordon_error err = { 0 };
	struct cdn_buf out;
	int r;

	cdn_buf_init(&out, 1UL << 22);
	r = cdn_page_make(file, &options, &out, &err);
	if (!ok_f(r == 0, "a page %s", err.text))
		return;
	ok(strstr(out.p, "<!doctype html>") == out.p, "of HTML");
	ok(strstr(out.p, "2026-11-16 09:40:00 UTC") != NULL, "its time");
	ok(strstr(out.p, "<img") == NULL && strstr(out.p, "<script") == NULL &&
	    strstr(out.p, "http://") == NULL &&
	    strstr(out.p, "https://") == NULL, "nothing of the log is HTML");
	ok(strstr(out.p, "&lt;img src=x&gt;") != NULL &&
	    strstr(out.p, "!&lt;b&gt;") != NULL, "but it is told");
	ok(strstr(out.p, "The log is intact.") != NULL, "that it is intact");
	ok(strstr(out.p, "written by a run, by its record") != NULL,
	    "what is known to be the run's");
	cdn_buf_done(&out);
	cdn_buf_init(&out, 1UL << 22);
	options.run = "none";
	r = cdn_page_make(file, &options, &out, &err);
	options.run = NULL;
	ok(r == CORDON_E_NOT_FOUND, "no such run");
	cdn_buf_done(&out);
	cdn_buf_init(&out, 100);
	r = cdn_page_make(file, &options, &out, &err);
	ok(r == CORDON_E_NOMEM, "a page that does not fit");
	cdn_buf_done(&out);
}

int
main(void)
{
	tmp_begin();
	snprintf(file, sizeof(file), "%s", tmp_path("log"));
	test_text();
	make_runs();
	test_handoff();
	test_page();
	tmp_end();
	return done_testing();
}
