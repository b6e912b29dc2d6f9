/*
 * words - one word of a command line: quotes, escapes, expansions.
 */
#include "engine/shell/reader.h"

#include <ctype.h>

int
cdn_shell_fault(const struct cdn_shell_reader *r, const char *what)
{
	return cdn_err(r->err, CORDON_E_INVALID,
	    "the command cannot be read: %s (at byte %zu)", what, r->at);
}

char
cdn_shell_peek(const struct cdn_shell_reader *r, size_t ahead)
{
	return r->at < r->text.n && ahead < r->text.n - r->at ?
	    r->text.p[r->at + ahead] : '\0';
}

static bool
at_end(const struct cdn_shell_reader *r)
{
	return r->at >= r->text.n;
}

static bool
is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* From here on the word depends on what a shell would find. */
static void
unknown(struct cdn_shell_reader *r, struct cdn_shell_draft *d)
{
	if (!d->unknown)
		d->known = d->buf.n;
	d->unknown = true;
	r->out->dynamic = true;
}

/* What was just read becomes part of the word as it was written. */
static void
add_source(const struct cdn_shell_reader *r, struct cdn_shell_draft *d,
    size_t from)
{
	cdn_buf_add(&d->buf, r->text.p + from, r->at - from);
}

/* ----- Expansions --------------------------------------------------------- */

/* Behind an opening quote; moves behind the closing one. */
static int
skip_quoted(struct cdn_shell_reader *r, char quote, bool escapes)
{
	for (; !at_end(r); r->at++) {
		char c = r->text.p[r->at];

		if (c == quote) {
			r->at++;
			return 0;
		}
		if (c == '\\' && escapes && r->at + 1 < r->text.n)
			r->at++;
	}
	return cdn_shell_fault(r, "a quote is not closed");
}

/* Behind the opening of ${ or $((, up to its end; what is inside is opaque. */
static int
skip_balanced(struct cdn_shell_reader *r, char open, char close)
{
	for (size_t level = 1; !at_end(r);) {
		char c = r->text.p[r->at++];
		int code = 0;

		if (c == '\\')
			r->at += !at_end(r);
		else if (c == '\'' || c == '"')
			code = skip_quoted(r, c, c == '"');
		else if (c == open)
			level++;
		else if (c == close && --level == 0)
			return 0;
		if (code != 0)
			return code;
	}
	return cdn_shell_fault(r, "an expansion is not closed");
}

/* The commands of $( ), <( ) or ` `, which are listed like the others. */
static int
read_inside(struct cdn_shell_reader *r, char closer)
{
	int code;

	if (r->depth >= CDN_DEPTH_MAX)
		return cdn_shell_fault(r, "too many commands in each other");
	r->depth++;
	code = cdn_shell_read_list(r, closer);
	r->depth--;
	return code;
}

/* Inside ` ` a backslash protects \ ` and $ from the first reading. */
static int
unescape(struct cdn_shell_reader *r, cdn_str raw, cdn_str *ret)
{
	char *text = cdn_arena_dup(r->arena, raw.p, raw.n);
	size_t n = 0;

	if (text == NULL)
		return cdn_err_nomem(r->err);
	for (size_t i = 0; i < raw.n; i++) {
		if (raw.p[i] == '\\' && i + 1 < raw.n &&
		    strchr("\\`$", raw.p[i + 1]) != NULL)
			i++;
		text[n++] = raw.p[i];
	}
	*ret = (cdn_str){ text, n };
	return 0;
}

static int
read_backtick(struct cdn_shell_reader *r, struct cdn_shell_draft *d)
{
	struct cdn_shell_reader inner = *r;
	size_t from = r->at++;
	int code;

	unknown(r, d);
	code = skip_quoted(r, '`', true);
	if (code == 0)
		code = unescape(r,
		    (cdn_str){ r->text.p + from + 1, r->at - from - 2 },
		    &inner.text);
	if (code != 0)
		return code;
	inner.at = 0;
	inner.here_count = 0;
	code = read_inside(&inner, '\0');
	r->room = inner.room; /* the list of words is shared and has grown */
	add_source(r, d, from);
	return code;
}

/* Behind "$(".  Arithmetic holds no commands that would be worth reading. */
static int
read_substitution(struct cdn_shell_reader *r)
{
	int code;

	if (cdn_shell_peek(r, 0) != '(')
		return read_inside(r, ')');
	r->at++;
	code = skip_balanced(r, '(', ')');
	if (code == 0 && cdn_shell_peek(r, 0) != ')')
		code = cdn_shell_fault(r, "'$((' is not closed by '))'");
	if (code == 0)
		r->at++;
	return code;
}

/* $NAME, $1, $? */
static void
skip_parameter(struct cdn_shell_reader *r)
{
	if (!is_name(r->text.p[r->at]) ||
	    isdigit((unsigned char)r->text.p[r->at])) {
		r->at++;
		return;
	}
	while (is_name(cdn_shell_peek(r, 0)))
		r->at++;
}

static int
read_dollar(struct cdn_shell_reader *r, struct cdn_shell_draft *d, bool quoted)
{
	char next = cdn_shell_peek(r, 1);
	size_t from = r->at;
	int code = 0;

	if (next == '\0' || (!is_name(next) &&
	    strchr(quoted ? "({[@*#?$!-" : "({[@*#?$!-'\"", next) == NULL)) {
		cdn_buf_putc(&d->buf, '$');
		r->at++;
		return 0;
	}
	unknown(r, d);
	d->quoted = true;
	r->at += 2;
	if (next == '(')
		code = read_substitution(r);
	else if (next == '{')
		code = skip_balanced(r, '{', '}');
	else if (next == '[')
		code = skip_balanced(r, '[', ']');
	else if (next == '\'' || next == '"')
		code = skip_quoted(r, next, true);
	else {
		r->at--;
		skip_parameter(r);
	}
	if (code == 0)
		add_source(r, d, from);
	return code;
}

/* ----- Quotes --------------------------------------------------------------- */

static int
read_single(struct cdn_shell_reader *r, struct cdn_shell_draft *d)
{
	size_t from = ++r->at;
	int code = skip_quoted(r, '\'', false);

	if (code == 0)
		cdn_buf_add(&d->buf, r->text.p + from, r->at - from - 1);
	return code;
}

/* A backslash in double quotes; next is what follows it. */
static void
read_double_escape(struct cdn_shell_reader *r, struct cdn_shell_draft *d)
{
	char next = cdn_shell_peek(r, 1);

	if (next == '\n') {
		r->at += 2;
		return;
	}
	if (next != '\0' && strchr("$`\"\\", next) != NULL)
		r->at++;
	cdn_buf_putc(&d->buf, r->text.p[r->at++]);
}

static int
read_double(struct cdn_shell_reader *r, struct cdn_shell_draft *d)
{
	int code = 0;

	r->at++;
	while (!at_end(r) && code == 0) {
		char c = r->text.p[r->at];

		if (c == '"') {
			r->at++;
			return 0;
		}
		if (c == '$')
			code = read_dollar(r, d, true);
		else if (c == '`')
			code = read_backtick(r, d);
		else if (c == '\\')
			read_double_escape(r, d);
		else {
			cdn_buf_putc(&d->buf, c);
			r->at++;
		}
	}
	return code != 0 ? code : cdn_shell_fault(r, "a quote is not closed");
}

static int
read_escape(struct cdn_shell_reader *r, struct cdn_shell_draft *d)
{
	char next = cdn_shell_peek(r, 1);

	if (r->at + 1 >= r->text.n)
		return cdn_shell_fault(r, "it ends in a backslash");
	r->at += 2;
	if (next == '\n')
		return 0;
	d->quoted = true;
	cdn_buf_putc(&d->buf, next);
	return 0;
}

/* ----- Words ---------------------------------------------------------------- */

/*
 * '*', '?' and '[' are looked up, '{a,b}' becomes several words ("{" and "{}"
 * do not), and '~' is a home where a value begins.
 */
static void
read_plain(struct cdn_shell_reader *r, struct cdn_shell_draft *d)
{
	char c = r->text.p[r->at], next = cdn_shell_peek(r, 1);
	char before = d->buf.n > 0 ? d->buf.p[d->buf.n - 1] : '\0';

	if (c == '*' || c == '?' || c == '[' ||
	    (c == '{' && next != '}' && next != '\0' &&
	    strchr(" \t\n;&|<>()", next) == NULL))
		unknown(r, d);
	if (c == '~' && d->buf.n == 0 && !d->quoted)
		d->home = true;
	if (c == '~' && (before == '=' || before == ':'))
		d->home_value = true;
	cdn_buf_putc(&d->buf, c);
	r->at++;
}

static int
read_piece(struct cdn_shell_reader *r, struct cdn_shell_draft *d)
{
	switch (r->text.p[r->at]) {
	case '\'':
		d->quoted = true;
		return read_single(r, d);
	case '"':
		d->quoted = true;
		return read_double(r, d);
	case '\\':
		return read_escape(r, d);
	case '$':
		return read_dollar(r, d, false);
	case '`':
		d->quoted = true;
		return read_backtick(r, d);
	default:
		read_plain(r, d);
		return 0;
	}
}

int
cdn_shell_read_word(struct cdn_shell_reader *r, struct cdn_shell_draft *draft)
{
	int code = 0;

	while (!at_end(r) && code == 0 &&
	    strchr(" \t\n;&|<>()", r->text.p[r->at]) == NULL)
		code = read_piece(r, draft);
	if (code == 0 && cdn_buf_failed(&draft->buf))
		code = cdn_err_nomem(r->err);
	if (!draft->unknown)
		draft->known = draft->buf.n;
	return code;
}
