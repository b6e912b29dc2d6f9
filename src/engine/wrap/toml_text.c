#include "engine/wrap/toml.h"

#define NO_MEMORY ""

/* One string on its way; out has room for all of it. */
struct string {
	cdn_str text;
	size_t at;
	char *out;
	size_t n;
	char quote;
	bool lines; /* three quotes */
};

static int
peek(const struct string *s, size_t ahead)
{
	size_t at = s->at + ahead;

	return at < s->text.n ? (unsigned char)s->text.p[at] : -1;
}

static void
put_utf8(struct string *s, uint32_t c)
{
	if (c < 0x80) {
		s->out[s->n++] = (char)c;
		return;
	}
	if (c < 0x800) {
		s->out[s->n++] = (char)(0xc0 | c >> 6);
	} else if (c < 0x10000) {
		s->out[s->n++] = (char)(0xe0 | c >> 12);
		s->out[s->n++] = (char)(0x80 | (c >> 6 & 0x3f));
	} else {
		s->out[s->n++] = (char)(0xf0 | c >> 18);
		s->out[s->n++] = (char)(0x80 | (c >> 12 & 0x3f));
		s->out[s->n++] = (char)(0x80 | (c >> 6 & 0x3f));
	}
	s->out[s->n++] = (char)(0x80 | (c & 0x3f));
}

static const char *
read_code(struct string *s, int digits)
{
	uint32_t c = 0;

	for (int i = 0; i < digits; i++) {
		int value = peek(s, 0) < 0 ? -1 :
		    cdn_hex_value((char)peek(s, 0));

		if (value < 0)
			return "a hexadecimal digit is missing";
		c = c << 4 | (uint32_t)value;
		s->at++;
	}
	if (c == 0 || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return "there is no such character";
	put_utf8(s, c);
	return NULL;
}

static bool
is_blank(int c)
{
	return c == ' ' || c == '\t';
}

/* A '\' at the end of a line: all white space behind it is nothing. */
static const char *
join_lines(struct string *s)
{
	size_t at = s->at;

	while (at < s->text.n && is_blank(s->text.p[at]))
		at++;
	if (at < s->text.n && s->text.p[at] == '\r')
		at++;
	if (at >= s->text.n || s->text.p[at] != '\n')
		return "this is no escape sequence";
	while (at < s->text.n && (is_blank(s->text.p[at]) ||
	    s->text.p[at] == '\n' || s->text.p[at] == '\r'))
		at++;
	s->at = at;
	return NULL;
}

static const char *
read_escape(struct string *s)
{
	static const char from[] = "btnfr\"\\", to[] = "\b\t\n\f\r\"\\";
	int c = peek(s, 1);
	const char *known = c <= 0 ? NULL : strchr(from, c);

	s->at++;
	if (s->lines && (is_blank(c) || c == '\n' || c == '\r'))
		return join_lines(s);
	s->at++;
	if (known != NULL) {
		s->out[s->n++] = to[known - from];
		return NULL;
	}
	if (c == 'u' || c == 'U')
		return read_code(s, c == 'u' ? 4 : 8);
	return "this is no escape sequence";
}

/* Does it end here?  Up to two quotes before the end belong to it. */
static bool
at_end(struct string *s)
{
	if (peek(s, 0) != s->quote)
		return false;
	if (!s->lines) {
		s->at++;
		return true;
	}
	if (peek(s, 1) != s->quote || peek(s, 2) != s->quote)
		return false;
	for (int i = 0; i < 2 && peek(s, 3) == s->quote; i++) {
		s->out[s->n++] = s->quote;
		s->at++;
	}
	s->at += 3;
	return true;
}

static const char *
read_rest(struct string *s)
{
	const char *wrong = NULL;

	while (wrong == NULL && !at_end(s)) {
		int c = peek(s, 0);

		if (c < 0)
			return "this string has no end";
		if (c == '\\' && s->quote == '"') {
			wrong = read_escape(s);
			continue;
		}
		if ((c < ' ' && c != '\t' && !(s->lines &&
		    (c == '\n' || (c == '\r' && peek(s, 1) == '\n')))) ||
		    c == 0x7f)
			return c == '\n' ? "this string has no end" :
					   "a control character in a string";
		s->out[s->n++] = (char)c;
		s->at++;
	}
	return wrong;
}

/* At most so many bytes come of it: as many as stand there. */
static size_t
measure(const struct string *s)
{
	size_t i = s->at;

	for (; i < s->text.n; i++) {
		if (s->text.p[i] == '\\' && s->quote == '"')
			i++;
		else if (s->text.p[i] == s->quote && (!s->lines ||
		    (i + 2 < s->text.n && s->text.p[i + 1] == s->quote &&
			s->text.p[i + 2] == s->quote)))
			break;
	}
	return i - s->at + 2;
}

const char *
cdn_toml_string(cdn_str text, size_t *at, bool lines,
    struct cdn_arena *arena, cdn_str *ret)
{
	struct string s = { .text = text, .at = *at, .quote = text.p[*at] };
	const char *wrong;

	s.lines = peek(&s, 1) == s.quote && peek(&s, 2) == s.quote;
	if (s.lines && !lines)
		return "no string of several lines can stand here";
	s.at += s.lines ? 3 : 1;
	if (s.lines && peek(&s, 0) == '\r' && peek(&s, 1) == '\n')
		s.at++;
	if (s.lines && peek(&s, 0) == '\n')
		s.at++;
	s.out = cdn_arena_alloc(arena, measure(&s));
	if (s.out == NULL)
		return NO_MEMORY;
	wrong = read_rest(&s);
	if (wrong != NULL)
		return wrong;
	*at = s.at;
	*ret = (cdn_str){ s.out, s.n };
	return NULL;
}
