/*
 * docs/limits.md, made from the tables behind the enforcement report.
 *
 *	docs-limits --write DIR		writes DIR/docs/limits.md anew
 *
 * The page as it lies in the repository is the page that the tables make.
 */
#include "base/buf.h"
#include "enforce/launch/launch.h"
#include "engine/seatbelt/seatbelt.h"

#include "support/tap.h"

#define PAGE	 "docs/limits.md"
#define PAGE_MAX (1UL << 16)

/* clang-format off */
static const char intro[] =
"# What is not held\n"
"\n"
"<!-- Made from the tables behind `cordon plan`; a test compares it.\n"
"     To make it anew: BUILD/tests/docs/docs-limits --write . -->\n"
"\n"
"`cordon plan` says of every rule who holds it here, and what cannot be held. This page\n"
"lists all that it can ever say. The identifiers do not change from one version to the\n"
"next; `--json` has them as `limits` and `shortfall`.\n"
"\n"
"## Limits\n"
"\n"
"What no policy can close, on any host; some of it `--isolation namespaces` does.\n"
"\n"
"| Id | What stays open | Closed by namespaces |\n"
"|---|---|---|\n";

static const char shortfalls[] =
"\n"
"## Shortfalls\n"
"\n"
"What this host, or this policy on this host, lacks. With `--enforcement required`, the\n"
"default, nothing is started while one of these is in the plan:\n"
"\n";

static const char stricter[] =
"\n"
"These stand in nobody's way: more is refused than the policy asks for, or less is held\n"
"of what is no rule.\n"
"\n";

static const char head[] =
"| Id | What is lost | Remedy |\n"
"|---|---|---|\n";

static const char whys[] =
"\n"
"## Rules\n"
"\n"
"What can stand behind `NOT ENFORCED` or `best effort` in the line of a rule:\n"
"\n";
/* clang-format on */

/* What is filled in at run time is "..." here, '|' would end a cell. */
static void
put_cell(struct cdn_buf *out, const char *text)
{
	for (; *text != '\0'; text++) {
		if (text[0] == '%' && text[1] == 's') {
			cdn_buf_puts(out, "...");
			text++;
			continue;
		}
		if (*text == '|')
			cdn_buf_putc(out, '\\');
		cdn_buf_putc(out, *text);
	}
}

static void
put_shortfall(struct cdn_buf *out, const struct cdn_shortfall *s, bool harmless)
{
	if ((s->stricter || s->accepted) != harmless)
		return;
	cdn_buf_printf(out, "| `%s` | ", s->id);
	put_cell(out, s->text);
	cdn_buf_puts(out, " | ");
	put_cell(out, s->remedy);
	cdn_buf_puts(out, " |\n");
}

static void
put_shortfalls(struct cdn_buf *out, bool harmless)
{
	struct cdn_shortfall s;

	cdn_buf_puts(out, head);
	for (size_t i = 0; cdn_plan_shortfall(i, &s); i++)
		put_shortfall(out, &s, harmless);
	for (size_t i = 0; cdn_launch_shortfall(i, &s); i++)
		put_shortfall(out, &s, harmless);
	for (size_t i = 0; cdn_bwrap_shortfall(i, &s); i++)
		put_shortfall(out, &s, harmless);
	for (size_t i = 0; cdn_seatbelt_shortfall(i, &s); i++)
		put_shortfall(out, &s, harmless);
}

static bool
make(struct cdn_buf *ret)
{
	const struct cdn_plan_limit *limit;
	const char *why;

	cdn_buf_init(ret, PAGE_MAX);
	cdn_buf_puts(ret, intro);
	for (size_t i = 0; (limit = cdn_plan_limit(i)) != NULL; i++)
		cdn_buf_printf(ret, "| `%s` | %s |%s\n", limit->id,
		    limit->text, limit->apart ? " yes |" : " |");
	cdn_buf_puts(ret, shortfalls);
	put_shortfalls(ret, false);
	cdn_buf_puts(ret, stricter);
	put_shortfalls(ret, true);
	cdn_buf_puts(ret, whys);
	for (size_t i = 0; (why = cdn_plan_why(i)) != NULL; i++)
		cdn_buf_printf(ret, "- %s\n", why);
	return !cdn_buf_failed(ret);
}

static int
write_page(const char *dir)
{
	struct cdn_buf text;
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/" PAGE, dir);
	file = fopen(path, "wb");
	if (file == NULL || !make(&text) ||
	    fwrite(text.p, 1, text.n, file) != text.n || fclose(file) != 0) {
		perror(path);
		return 1;
	}
	cdn_buf_done(&text);
	return 0;
}

static bool
is_page(const char *path, const struct cdn_buf *text)
{
	static char had[PAGE_MAX];
	FILE *file = fopen(path, "rb");
	size_t n;

	if (file == NULL)
		return false;
	n = fread(had, 1, sizeof(had), file);
	fclose(file);
	return n == text->n && memcmp(had, text->p, n) == 0;
}

/* An id stands for one thing; only rows that share it on purpose repeat it. */
static void
check_ids(void)
{
	const struct cdn_plan_limit *limit;
	struct cdn_shortfall s;

	for (size_t i = 0; (limit = cdn_plan_limit(i)) != NULL; i++) {
		bool once = true;

		for (size_t j = 0; j < i; j++)
			once = once &&
			    strcmp(cdn_plan_limit(j)->id, limit->id) != 0;
		for (size_t j = 0; cdn_plan_shortfall(j, &s); j++)
			once = once && strcmp(s.id, limit->id) != 0;
		for (size_t j = 0; cdn_launch_shortfall(j, &s); j++)
			once = once && strcmp(s.id, limit->id) != 0;
		ok_f(once, "'%s' means one thing", limit->id);
	}
}

int
main(int argc, char **argv)
{
	const char *source = getenv("CORDON_SOURCE");
	struct cdn_buf text;
	char path[4096];

	if (argc == 3 && strcmp(argv[1], "--write") == 0)
		return write_page(argv[2]);
	snprintf(path, sizeof(path), "%s/" PAGE, source == NULL ? "." : source);
	ok(make(&text), "the page can be made");
	ok(is_page(path, &text), PAGE " is what the tables say");
	cdn_buf_done(&text);
	check_ids();
	return done_testing();
}
