#include "engine/wrap/wrap.h"

/* Edits that touch the same lines, and those lines. */
struct hunk {
	size_t first, end;   /* edits */
	size_t start, stop;  /* bytes of the old text, whole lines */
};

static size_t
line_start(cdn_str text, size_t at)
{
	while (at > 0 && text.p[at - 1] != '\n')
		at--;
	return at;
}

static size_t
line_end(cdn_str text, size_t at)
{
	const char *end = at < text.n ?
	    memchr(text.p + at, '\n', text.n - at) : NULL;

	return end == NULL ? text.n : (size_t)(end - text.p) + 1;
}

static struct hunk
hunk_at(cdn_str text, const struct cdn_wrap_result *result, size_t first)
{
	const struct cdn_wrap_edit *edits = result->edits;
	struct hunk hunk = { .first = first, .end = first + 1,
		.start = line_start(text, edits[first].start),
		.stop = line_end(text, edits[first].end) };

	while (hunk.end < result->n && edits[hunk.end].start < hunk.stop)
		hunk.stop = line_end(text, edits[hunk.end++].end);
	return hunk;
}

static size_t
count_lines(cdn_str text)
{
	size_t lines = 0;

	for (size_t i = 0; i < text.n; i++)
		lines += text.p[i] == '\n' || i + 1 == text.n;
	return lines;
}

static void
put_lines(cdn_str text, char sign, struct cdn_buf *out)
{
	while (text.n > 0) {
		size_t end = line_end(text, 0);

		cdn_buf_putc(out, sign);
		cdn_buf_add(out, text.p, end);
		if (text.p[end - 1] != '\n')
			cdn_buf_puts(out, "\n\\ No newline at end of file\n");
		text = cdn_str_from(text, end);
	}
}

/* "7", or "7,2"; of no lines the line before them. */
static void
put_range(char sign, size_t line, size_t count, struct cdn_buf *out)
{
	cdn_buf_printf(out, "%c%zu", sign, count == 0 ? line - 1 : line);
	if (count != 1)
		cdn_buf_printf(out, ",%zu", count);
}

/* The lines of the hunk with its edits in them. */
static void
put_new(cdn_str text, const struct cdn_wrap_result *result,
    const struct hunk *hunk, struct cdn_buf *out)
{
	size_t at = hunk->start;

	for (size_t i = hunk->first; i < hunk->end; i++) {
		cdn_buf_add(out, text.p + at, result->edits[i].start - at);
		cdn_buf_str(out, result->edits[i].text);
		at = result->edits[i].end;
	}
	cdn_buf_add(out, text.p + at, hunk->stop - at);
}

void
cdn_wrap_diff(cdn_str text, const struct cdn_wrap_result *result,
    const char *file, struct cdn_buf *out)
{
	size_t line = 1, new_line = 1, at = 0;
	struct cdn_buf text_now;
	struct hunk hunk;

	if (result->n > 0)
		cdn_buf_printf(out, "--- %s\n+++ %s\n", file, file);
	cdn_buf_init(&text_now, 2 * CDN_WRAP_MAX);
	for (size_t i = 0; i < result->n; i = hunk.end) {
		cdn_str old, new;

		hunk = hunk_at(text, result, i);
		cdn_buf_reset(&text_now);
		put_new(text, result, &hunk, &text_now);
		out->failed |= cdn_buf_failed(&text_now);
		old = (cdn_str){ text.p + hunk.start, hunk.stop - hunk.start };
		new = (cdn_str){ text_now.p, text_now.n };
		line += count_lines((cdn_str){ text.p + at, hunk.start - at });
		new_line += count_lines((cdn_str){ text.p + at,
		    hunk.start - at });
		cdn_buf_puts(out, "@@ ");
		put_range('-', line, count_lines(old), out);
		cdn_buf_putc(out, ' ');
		put_range('+', new_line, count_lines(new), out);
		cdn_buf_puts(out, " @@\n");
		put_lines(old, '-', out);
		put_lines(new, '+', out);
		line += count_lines(old);
		new_line += count_lines(new);
		at = hunk.stop;
	}
	cdn_buf_done(&text_now);
}
