/*
 * grep - lines that hold a text.
 */
#include "enforce/tool/walk.h"

#include <ctype.h>
#include <errno.h>
#include <unistd.h>

#include "engine/match/pattern.h"

enum { TEXT, PATH, FILES, CASE, LIMIT, AFTER };

#define LIMIT_DEFAULT 100
#define SHOWN_MAX     400 /* bytes of a line */
#define BINARY_LOOK   8192 /* a NUL in so many bytes: no text */

struct search {
	cdn_str text;
	bool ignore_case;
	bool filtered;
	struct cdn_pattern files;
	size_t count;
	size_t limit;
	unsigned long searched;
	unsigned long skipped; /* too large, no text, not for this worker */
	struct cdn_buf bytes;
};

/* ----- Lines ------------------------------------------------------------------------ */

static bool
same(char a, char b, bool ignore_case)
{
	return a == b || (ignore_case &&
	    tolower((unsigned char)a) == tolower((unsigned char)b));
}

static bool
starts(cdn_str line, cdn_str text, bool ignore_case)
{
	for (size_t i = 0; i < text.n; i++)
		if (i >= line.n || !same(line.p[i], text.p[i], ignore_case))
			return false;
	return true;
}

/* Where it stands, or SIZE_MAX. */
static size_t
find(const struct search *s, cdn_str line)
{
	const char *p;

	if (line.n < s->text.n)
		return SIZE_MAX;
	if (!s->ignore_case) {
		p = memmem(line.p, line.n, s->text.p, s->text.n);
		return p == NULL ? SIZE_MAX : (size_t)(p - line.p);
	}
	for (size_t i = 0; i + s->text.n <= line.n; i++)
		if (starts(cdn_str_from(line, i), s->text, true))
			return i;
	return SIZE_MAX;
}

/* A part of a long line, with what was found in it. */
static cdn_str
part_of(cdn_str line, size_t at)
{
	size_t from = at > SHOWN_MAX / 2 ? at - SHOWN_MAX / 2 : 0;

	if (line.n <= SHOWN_MAX)
		return line;
	while (from > 0 && ((unsigned char)line.p[from] & 0xc0) == 0x80)
		from--;
	line = cdn_str_from(line, from);
	if (line.n <= SHOWN_MAX)
		return line;
	line.n = SHOWN_MAX;
	while (line.n > 0 && ((unsigned char)line.p[line.n] & 0xc0) == 0x80)
		line.n--;
	return line;
}

static void
put_line(struct cdn_tool_walk *walk, const struct cdn_tool_entry *entry,
    uint64_t number, cdn_str line, bool cut)
{
	struct cdn_json_writer *w = walk->call->result;

	cdn_json_open(w, '{');
	cdn_json_put_key(w, "path");
	cdn_json_put_string(w, entry->shown);
	cdn_json_put_key(w, "line");
	cdn_json_put_uint(w, number);
	cdn_json_put_key(w, "text");
	cdn_json_put_string(w, line);
	cdn_json_put_key(w, "cut");
	cdn_json_put_bool(w, cut);
	cdn_json_close(w);
}

/* ----- Files ------------------------------------------------------------------------- */

static void
search_text(struct cdn_tool_walk *walk, const struct cdn_tool_entry *entry)
{
	struct search *s = walk->arg;
	cdn_str rest = { s->bytes.p, s->bytes.n };
	cdn_str line;
	size_t here = 0;

	for (uint64_t number = 1; here < s->limit &&
	     cdn_str_next(&rest, '\n', &line); number++) {
		size_t at = find(s, line);

		if (at == SIZE_MAX)
			continue;
		here++;
		put_line(walk, entry, number, part_of(line, at),
		    here == s->limit && find(s, rest) != SIZE_MAX);
	}
	s->count += here;
}

static int
search_file(struct cdn_tool_walk *walk, const struct cdn_tool_entry *entry,
    int fd, const struct cdn_child *child)
{
	struct search *s = walk->arg;
	struct cdn_tool_file file = { .fd = fd };
	size_t look;
	int code;

	memcpy(&file.real, &child->real, sizeof(file.real));
	cdn_buf_reset(&s->bytes);
	code = cdn_tool_read(walk->call, &file, 0, CDN_TOOL_TEXT_MAX,
	    &s->bytes);
	if (code != 0)
		return code;
	look = s->bytes.n < BINARY_LOOK ? s->bytes.n : BINARY_LOOK;
	if (look == 0)
		return 0;
	if (memchr(s->bytes.p, '\0', look) != NULL) {
		s->skipped++;
		return 0;
	}
	s->searched++;
	search_text(walk, entry);
	return s->count < s->limit ? 0 : CDN_TOOL_STOP;
}

static int
search_entry(struct cdn_tool_walk *walk, const struct cdn_tool_entry *entry)
{
	struct search *s = walk->arg;
	struct cdn_child child;
	int fd = -1;
	int code;

	if (!S_ISREG(entry->child->mode) ||
	    (s->filtered && !cdn_pattern_match(&s->files, entry->relative)))
		return 0;
	if (entry->child->size > (uint64_t)CDN_TOOL_TEXT_MAX ||
	    !cdn_tool_filter_takes(walk->call, &entry->child->real,
		entry->child->size)) {
		s->skipped++;
		return 0;
	}
	code = cdn_tool_entry_open(walk, entry, &fd, &child);
	if (code == 0 && fd >= 0 && S_ISREG(child.mode))
		code = search_file(walk, entry, fd, &child);
	if (fd >= 0)
		close(fd);
	return code;
}

/* ----- The whole ----------------------------------------------------------------------- */

static int
search(struct cdn_tool_walk *walk, struct search *s)
{
	struct cdn_json_writer *w = walk->call->result;
	int code;

	cdn_json_put_key(w, "matches");
	cdn_json_open(w, '[');
	code = cdn_tool_walk_run(walk);
	if (code != 0)
		return code;
	cdn_json_close(w);
	cdn_json_put_key(w, "searched");
	cdn_json_put_uint(w, s->searched);
	cdn_json_put_key(w, "skipped");
	cdn_json_put_uint(w, s->skipped);
	cdn_tool_walk_put_next(walk);
	return 0;
}

static int
check_text(struct cdn_tool_call *call, cdn_str text)
{
	if (text.n == 0 || text.n > CDN_PATH_MAX ||
	    memchr(text.p, '\n', text.n) != NULL)
		return cdn_tool_refuse(call, CORDON_REFUSAL_INVALID,
		    "argument 'text' must be from 1 to %d bytes of one line",
		    CDN_PATH_MAX);
	return 0;
}

int
cdn_tool_grep(struct cdn_tool_call *call)
{
	const struct cdn_tool_value *v = call->v;
	struct search s = {
		.text = v[TEXT].text,
		.ignore_case = v[CASE].flag,
		.filtered = v[FILES].given,
		.limit = v[LIMIT].given ? (size_t)v[LIMIT].number :
					  LIMIT_DEFAULT,
	};
	struct cdn_tool_walk walk = {
		.call = call,
		.path = v[PATH].text,
		.has_path = v[PATH].given,
		.after = v[AFTER].text,
		.recursive = true,
		.each = search_entry,
		.arg = &s,
	};
	int code = check_text(call, s.text);

	if (code == 0 && s.filtered)
		code = cdn_tool_pattern(call, "files", v[FILES].text,
		    &s.files);
	if (code != 0)
		return code;
	cdn_buf_init(&s.bytes, CDN_TOOL_TEXT_MAX);
	code = search(&walk, &s);
	cdn_buf_done(&s.bytes);
	return code;
}
