/*
 * manual_markdown - the reference page of policies as a man page.
 *
 * Only the Markdown that page is written in: headings, paragraphs, lists,
 * tables, fenced code; `code`, **bold** and *emphasis* within a line.
 */
#include "front/cli/manual.h"

#define COLUMNS_MAX 8

struct reader {
	cdn_str rest;
	cdn_str line;
	bool again; /* the line was looked at, but not used */
	bool title; /* a heading stands before what comes now */
};

static bool
next(struct reader *r)
{
	if (r->again) {
		r->again = false;
		return true;
	}
	return r->rest.n > 0 && cdn_str_next(&r->rest, '\n', &r->line);
}

/* ----- Within a line ----------------------------------------------------- */

static const struct {
	const char *mark;
	const char *font;
	bool literal; /* no marks within */
} marks[] = {
	{ "`", "\\fB", true },
	{ "**", "\\fB", false },
	{ "*", "\\fI", false },
};

/* The bytes before the next `mark`, or -1. */
static long
until(cdn_str text, const char *mark)
{
	size_t n = strlen(mark);

	for (size_t i = 0; i + n <= text.n; i++)
		if (memcmp(text.p + i, mark, n) == 0)
			return (long)i;
	return -1;
}

/* What is marked at the start of text; 0 when nothing is. */
static size_t
put_marked(cdn_str text)
{
	for (size_t i = 0; i < CDN_LEN(marks); i++) {
		size_t n = strlen(marks[i].mark);
		long inside;

		if (!cdn_str_starts(text, cdn_str_of(marks[i].mark)))
			continue;
		inside = until(cdn_str_from(text, n), marks[i].mark);
		if (inside <= 0)
			continue;
		fputs(marks[i].font, stdout);
		cli_roff_text((cdn_str){ text.p + n, (size_t)inside });
		fputs("\\fR", stdout);
		return (size_t)inside + 2 * n;
	}
	return 0;
}

static void
put_inline(cdn_str text)
{
	while (text.n > 0) {
		size_t n = put_marked(text);

		if (n == 0) {
			for (n = 1; n < text.n && text.p[n] != '`' &&
			     text.p[n] != '*'; n++)
				;
			cli_roff_text((cdn_str){ text.p, n });
		}
		text = cdn_str_from(text, n);
	}
}

static void
put_line(cdn_str text)
{
	put_inline(text);
	putchar('\n');
}

/* ----- Blocks ------------------------------------------------------------ */

static bool
is_marker(cdn_str line)
{
	return line.n == 0 || cdn_str_starts(line, CDN_STR("#")) ||
	    cdn_str_starts(line, CDN_STR("- ")) ||
	    cdn_str_starts(line, CDN_STR("|")) ||
	    cdn_str_starts(line, CDN_STR("```"));
}

/* What goes on in the next lines belongs to it. */
static void
put_paragraph(struct reader *r)
{
	bool more;

	do {
		put_line(r->line);
		more = next(r);
	} while (more && !is_marker(r->line));
	r->again = more;
}

static void
put_heading(struct reader *r)
{
	cdn_cleanup_free char *title = NULL;
	cdn_str line = r->line;
	size_t level = 0;

	while (level < line.n && line.p[level] == '#')
		level++;
	line = cdn_str_trim(cdn_str_from(line, level));
	title = cli_copy(line);
	for (char *c = title; *c != '\0'; c++)
		if (*c == '`')
			*c = '"';
	if (level == 2)
		for (char *c = title; *c != '\0'; c++)
			*c = *c >= 'a' && *c <= 'z' ? (char)(*c & ~0x20) : *c;
	cli_roff_head(level == 2 ? ".SH" : ".SS", title);
	r->title = true;
}

static void
put_code(struct reader *r)
{
	const char *from = r->rest.p;

	while (next(r) && !cdn_str_starts(r->line, CDN_STR("```")))
		;
	cli_roff_verbatim((cdn_str){ from, (size_t)(r->line.p - from) });
}

/* The cells of "| a | b |"; a bar within code does not end one. */
static size_t
split(cdn_str line, cdn_str cells[COLUMNS_MAX])
{
	size_t n = 0, start = 1;
	bool code = false;

	for (size_t i = 1; i < line.n && n < COLUMNS_MAX; i++) {
		if (line.p[i] == '`')
			code = !code;
		if (line.p[i] != '|' || code)
			continue;
		cells[n++] = cdn_str_trim((cdn_str){ line.p + start,
		    i - start });
		start = i + 1;
	}
	return n;
}

/* The first cell is the title, the last says it, the others stand behind. */
static void
put_row(const cdn_str *titles, const cdn_str *cells, size_t n)
{
	puts(".TP");
	put_line(cells[0]);
	put_inline(cells[n - 1]);
	for (size_t i = 1; i + 1 < n; i++) {
		fputs(i == 1 ? "\n(" : "; ", stdout);
		put_inline(titles[i]);
		fputs(": ", stdout);
		put_inline(cells[i]);
	}
	puts(n > 2 ? ")" : "");
}

static void
put_table(struct reader *r)
{
	cdn_str titles[COLUMNS_MAX], cells[COLUMNS_MAX];
	size_t n = split(r->line, titles);
	bool more = next(r); /* the rule below the titles */

	while (more) {
		more = next(r);
		if (!more || !cdn_str_starts(r->line, CDN_STR("|")))
			break;
		if (n >= 2 && split(r->line, cells) == n)
			put_row(titles, cells, n);
	}
	r->again = more;
}

static void
put_block(struct reader *r)
{
	static const struct {
		const char *mark;
		void (*put)(struct reader *r);
	} blocks[] = {
		{ "```", put_code },
		{ "|", put_table },
	};

	for (size_t i = 0; i < CDN_LEN(blocks); i++)
		if (cdn_str_starts(r->line, cdn_str_of(blocks[i].mark))) {
			blocks[i].put(r);
			r->title = false;
			return;
		}
	if (cdn_str_starts(r->line, CDN_STR("- "))) {
		puts(".IP \\(bu 2");
		r->line = cdn_str_from(r->line, 2);
	} else if (!r->title) {
		puts(".PP");
	}
	put_paragraph(r);
	r->title = false;
}

/* The title is that of the page; a comment is for who reads the source. */
void
cli_manual_markdown(const char *markdown)
{
	struct reader r = { .rest = cdn_str_of(markdown), .title = true };
	bool comment = false;

	cli_roff_head(".SH", "DESCRIPTION");
	while (next(&r)) {
		if (cdn_str_starts(r.line, CDN_STR("<!--")))
			comment = true;
		if (!comment && cdn_str_starts(r.line, CDN_STR("##")))
			put_heading(&r);
		else if (!comment && r.line.n > 0 &&
		    !cdn_str_starts(r.line, CDN_STR("# ")))
			put_block(&r);
		if (comment && until(r.line, "-->") >= 0)
			comment = false;
	}
}
