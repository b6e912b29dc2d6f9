#include "engine/wrap/toml.h"

#include "engine/wrap/servers.h"

struct reader {
	const struct cdn_toml *toml;
	const char *p; /* the text */
	size_t n;
	size_t at;
	cdn_str *path; /* of the header, then of keys; CDN_DEPTH_MAX of them */
	size_t depth;
	unsigned nested; /* arrays and inline tables in each other */
	struct cordon_error *err;
};

static int read_value(struct reader *r, struct cdn_toml_value *ret,
    bool in_array);

static int
bad(const struct reader *r, const char *what)
{
	return cdn_wrap_bad(r->toml->text, r->at, what, r->err);
}

static char
peek(const struct reader *r)
{
	return r->at < r->n ? r->p[r->at] : '\0';
}

static bool
take(struct reader *r, char c)
{
	if (peek(r) != c || r->at >= r->n)
		return false;
	r->at++;
	return true;
}

/* ----- What means nothing ----------------------------------------------------- */

static void
skip_blanks(struct reader *r)
{
	while (peek(r) == ' ' || peek(r) == '\t')
		r->at++;
}

static bool
take_newline(struct reader *r)
{
	if (r->at + 1 < r->n && r->p[r->at] == '\r' && r->p[r->at + 1] == '\n')
		r->at++;
	return take(r, '\n');
}

static int
skip_comment(struct reader *r)
{
	if (peek(r) != '#')
		return 0;
	for (; r->at < r->n && peek(r) != '\n'; r->at++)
		if ((unsigned char)peek(r) < ' ' && peek(r) != '\t' &&
		    !(peek(r) == '\r' && r->at + 1 < r->n &&
			r->p[r->at + 1] == '\n'))
			return bad(r, "a control character in a comment");
	return 0;
}

/* White space, comments, ends of lines. */
static int
skip_all(struct reader *r)
{
	int code;

	do {
		skip_blanks(r);
		code = skip_comment(r);
	} while (code == 0 && take_newline(r));
	return code;
}

static int
end_line(struct reader *r)
{
	int code;

	skip_blanks(r);
	code = skip_comment(r);
	if (code == 0 && r->at < r->n && !take_newline(r))
		code = bad(r, "the line should end here");
	return code;
}

/* ----- Keys ------------------------------------------------------------------- */

static bool
is_bare(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (c >= '0' && c <= '9') || c == '_' || c == '-';
}

static int
read_string(struct reader *r, bool lines, cdn_str *ret)
{
	const char *wrong = cdn_toml_string(r->toml->text, &r->at, lines,
	    r->toml->arena, ret);

	if (wrong == NULL)
		return 0;
	return wrong[0] == '\0' ? cdn_err_nomem(r->err) : bad(r, wrong);
}

static int
read_segment(struct reader *r)
{
	size_t start = r->at;
	cdn_str name;
	int code = 0;

	if (r->depth == CDN_DEPTH_MAX)
		return bad(r, "keys are too deep in each other");
	if (peek(r) == '"' || peek(r) == '\'') {
		code = read_string(r, false, &name);
	} else {
		while (is_bare(peek(r)))
			r->at++;
		if (r->at == start)
			return bad(r, "a key should stand here");
		name = (cdn_str){ r->p + start, r->at - start };
	}
	if (code == 0)
		r->path[r->depth++] = name;
	return code;
}

/* A dotted key, added to the path. */
static int
read_key(struct reader *r, size_t *ret_last)
{
	int code;

	do {
		skip_blanks(r);
		*ret_last = r->at;
		code = read_segment(r);
		skip_blanks(r);
	} while (code == 0 && take(r, '.'));
	return code;
}

/* ----- Values ----------------------------------------------------------------- */

static bool
is_plain(char c)
{
	return is_bare(c) || c == '+' || c == '.' || c == ':';
}

/* "1979-05-27 07:32:00" is one value. */
static bool
is_date(const struct reader *r, size_t start)
{
	return r->at - start == 10 && r->p[start + 4] == '-' &&
	    r->at + 1 < r->n && r->p[r->at] == ' ' &&
	    r->p[r->at + 1] >= '0' && r->p[r->at + 1] <= '9';
}

static int
read_plain(struct reader *r)
{
	static const char *const words[] = { "true", "false", "inf", "nan" };
	size_t start = r->at;
	cdn_str text;

	while (is_plain(peek(r)))
		r->at++;
	if (is_date(r, start))
		for (r->at++; is_plain(peek(r));)
			r->at++;
	text = (cdn_str){ r->p + start, r->at - start };
	if (text.n > 0 && strchr("+-0123456789", text.p[0]) != NULL)
		return 0;
	for (size_t i = 0; i < CDN_LEN(words); i++)
		if (cdn_str_is(text, words[i]))
			return 0;
	r->at = start;
	return bad(r, "a value should stand here");
}

static int
read_array(struct reader *r, struct cdn_toml_value *ret)
{
	size_t room = 0;
	int code = skip_all(r);

	while (code == 0 && !take(r, ']')) {
		ret->items = cdn_arena_grow(r->toml->arena, ret->items, ret->n,
		    &room, sizeof(*ret->items));
		if (ret->items == NULL)
			return cdn_err_nomem(r->err);
		code = read_value(r, &ret->items[ret->n], true);
		ret->n++;
		if (code == 0)
			code = skip_all(r);
		if (code == 0 && !take(r, ',') && peek(r) != ']')
			code = bad(r, "',' or ']' should stand here");
		if (code == 0)
			code = skip_all(r);
	}
	return code;
}

static int
read_pair(struct reader *r, bool inlined, bool in_array)
{
	struct cdn_toml_entry entry = { .inlined = inlined,
		.in_array = in_array, .key = r->at };
	size_t depth = r->depth;
	int code = read_key(r, &entry.last);

	if (code == 0 && !take(r, '='))
		code = bad(r, "'=' should stand here");
	skip_blanks(r);
	if (code == 0)
		code = read_value(r, &entry.value, in_array);
	entry.path = r->path;
	entry.n = r->depth;
	if (code == 0)
		code = r->toml->visit(&entry, r->toml->arg, r->err);
	r->depth = depth;
	return code;
}

static int
read_table(struct reader *r, bool in_array)
{
	int code = 0;

	skip_blanks(r);
	if (take(r, '}'))
		return 0;
	do {
		skip_blanks(r);
		code = read_pair(r, true, in_array);
		skip_blanks(r);
	} while (code == 0 && take(r, ','));
	if (code == 0 && !take(r, '}'))
		code = bad(r, "',' or '}' should stand here");
	return code;
}

static int
read_value(struct reader *r, struct cdn_toml_value *ret, bool in_array)
{
	int code;

	*ret = (struct cdn_toml_value){ .start = r->at };
	if (r->nested == CDN_DEPTH_MAX)
		return bad(r, "values are too deep in each other");
	r->nested++;
	switch (peek(r)) {
	case '"':
	case '\'':
		ret->type = CDN_TOML_STRING;
		code = read_string(r, true, &ret->text);
		break;
	case '[':
		ret->type = CDN_TOML_ARRAY;
		r->at++;
		code = read_array(r, ret);
		break;
	case '{':
		ret->type = CDN_TOML_TABLE;
		r->at++;
		code = read_table(r, in_array);
		break;
	default:
		ret->type = CDN_TOML_PLAIN;
		code = read_plain(r);
	}
	r->nested--;
	ret->end = r->at;
	return code;
}

/* ----- The document ------------------------------------------------------------- */

static int
read_header(struct reader *r)
{
	struct cdn_toml_entry entry = { .key = r->at };
	bool many;
	int code;

	r->depth = 0;
	r->at++;
	many = take(r, '[');
	code = read_key(r, &entry.last);
	if (code == 0 && (!take(r, ']') || (many && !take(r, ']'))))
		code = bad(r, "']' should stand here");
	entry.path = r->path;
	entry.n = r->depth;
	entry.value.type = many ? CDN_TOML_HEADER_MANY : CDN_TOML_HEADER;
	return code != 0 ? code : r->toml->visit(&entry, r->toml->arg, r->err);
}

int
cdn_toml_read(const struct cdn_toml *toml, struct cordon_error *err)
{
	struct reader r = { .toml = toml, .p = toml->text.p, .n = toml->text.n,
		.err = err };
	int code = 0;

	r.path = cdn_arena_array(toml->arena, CDN_DEPTH_MAX, sizeof(*r.path));
	if (r.path == NULL)
		return cdn_err_nomem(err);
	r.at = cdn_utf8_bad(toml->text);
	if (r.at < r.n)
		return bad(&r, "this is not UTF-8");
	r.at = 0;
	for (code = skip_all(&r); code == 0 && r.at < r.n;
	     code = code == 0 ? skip_all(&r) : code) {
		code = peek(&r) == '[' ? read_header(&r) :
					 read_pair(&r, false, false);
		if (code == 0)
			code = end_line(&r);
	}
	return code;
}
