#include "engine/seatbelt/sbpl.h"

#include <ctype.h>

/* ----- Text ------------------------------------------------------------------- */

/* One byte inside of quotes. */
static void
put_quoted(struct cdn_buf *out, char c)
{
	switch (c) {
	case '\n':
		cdn_buf_puts(out, "\\n");
		return;
	case '\r':
		cdn_buf_puts(out, "\\r");
		return;
	case '\t':
		cdn_buf_puts(out, "\\t");
		return;
	case '"':
	case '\\':
		cdn_buf_putc(out, '\\');
		break;
	default:
		break;
	}
	cdn_buf_putc(out, c);
}

static void
put_bytes(struct cdn_buf *out, cdn_str text)
{
	for (size_t i = 0; i < text.n; i++)
		put_quoted(out, text.p[i]);
}

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The byte and no other, of a regular expression; a letter in both cases. */
static void
put_literal(struct cdn_buf *out, cdn_str text)
{
	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];

		if (is_letter(c)) {
			cdn_buf_printf(out, "[%c%c]", toupper(c), tolower(c));
			continue;
		}
		if (c != '\0' && strchr(".^$*+?()[]{}|\\", c) != NULL)
			put_quoted(out, '\\');
		put_quoted(out, c);
	}
}

/* ----- Patterns ---------------------------------------------------------------- */

static const char *const expressions[] = {
	[CDN_TOKEN_LITERAL] = "",
	[CDN_TOKEN_SLASH] = "/",
	[CDN_TOKEN_ANY] = "[^/]",
	[CDN_TOKEN_STAR] = "[^/]*",
	[CDN_TOKEN_STARS] = ".*",
	[CDN_TOKEN_DIRS] = "(?:.*/)?",
	[CDN_TOKEN_BELOW] = "(?:/.*)?",
};

static void
put_regex(struct cdn_buf *out, const struct cdn_shape *shape)
{
	cdn_buf_puts(out, "(regex \"^/");
	put_literal(out, shape->prefix);
	if (shape->prefix.n > 0)
		cdn_buf_putc(out, '/');
	for (size_t i = 0; i < shape->pattern->n; i++) {
		const struct cdn_token *token = &shape->pattern->tokens[i];

		if (token->kind == CDN_TOKEN_LITERAL)
			put_literal(out, token->text);
		else
			cdn_buf_puts(out, expressions[token->kind]);
	}
	cdn_buf_puts(out, "$\")");
}

/* PREFIX/ and the first n tokens, which are all literal. */
static void
put_path(struct cdn_buf *out, const char *filter, const struct cdn_shape *shape,
    size_t n)
{
	cdn_buf_printf(out, "(%s \"/", filter);
	put_bytes(out, shape->prefix);
	if (shape->prefix.n > 0 && n > 0)
		cdn_buf_putc(out, '/');
	for (size_t i = 0; i < n; i++)
		put_bytes(out, shape->pattern->tokens[i].kind ==
			CDN_TOKEN_SLASH ? CDN_STR("/") :
					  shape->pattern->tokens[i].text);
	cdn_buf_puts(out, "\")");
}

static size_t
leading_literals(const struct cdn_pattern *pattern)
{
	size_t n = 0;

	while (n < pattern->n && (pattern->tokens[n].kind ==
		CDN_TOKEN_LITERAL || pattern->tokens[n].kind ==
		CDN_TOKEN_SLASH))
		n++;
	return n;
}

/*
 * The prefix itself has no slash behind it, so an expression cannot match it
 * where the pattern matches the empty path.
 */
static void
put_pattern(struct cdn_buf *out, const struct cdn_shape *shape,
    bool as_expression)
{
	const struct cdn_pattern *pattern = shape->pattern;
	size_t n = leading_literals(pattern);
	bool rest = n + 1 == pattern->n;
	bool whole = shape->prefix.n > 0 &&
	    cdn_pattern_match(pattern, (cdn_str){ "", 0 });

	if (n == pattern->n) {
		put_path(out, "literal", shape, n);
	} else if (!as_expression && rest && (pattern->tokens[n].kind == CDN_TOKEN_BELOW ||
	    (n == 0 && pattern->tokens[n].kind == CDN_TOKEN_STARS))) {
		put_path(out, "subpath", shape, n);
	} else if (whole) {
		cdn_buf_puts(out, "(require-any ");
		put_path(out, "literal", shape, 0);
		cdn_buf_putc(out, ' ');
		put_regex(out, shape);
		cdn_buf_putc(out, ')');
	} else {
		put_regex(out, shape);
	}
}

/* ----- Shapes ------------------------------------------------------------------- */

/*
 * What is left out of something that is denied is written as an expression, so
 * that whoever looks for a directory finds it where it is meant.  Nested no
 * deeper than the lists of the authority change sides.
 */
/* NOLINTNEXTLINE(misc-no-recursion) */
static void
put_filter(struct cdn_buf *out, const struct cdn_shape *shape,
    bool as_expression)
{
	static const char *const words[] = {
		[CDN_SHAPE_ALL] = "require-all",
		[CDN_SHAPE_ANY] = "require-any",
		[CDN_SHAPE_NOT] = "require-not",
	};

	if (shape->kind == CDN_SHAPE_PATTERN) {
		put_pattern(out, shape, as_expression);
		return;
	}
	cdn_buf_printf(out, "(%s", words[shape->kind]);
	for (size_t i = 0; i < shape->n; i++) {
		const struct cdn_shape *part = shape->parts[i];

		cdn_buf_putc(out, ' ');
		put_filter(out, part, shape->kind == CDN_SHAPE_ALL ?
			part->kind == CDN_SHAPE_NOT : as_expression);
	}
	cdn_buf_putc(out, ')');
}

void
cdn_sbpl_filter(struct cdn_buf *out, const struct cdn_shape *shape)
{
	put_filter(out, shape, false);
}

void
cdn_sbpl_rule(struct cdn_buf *out, const char *action, const char *operation,
    const struct cdn_shape *shape)
{
	cdn_buf_printf(out, "(%s %s ", action, operation);
	cdn_sbpl_filter(out, shape);
	cdn_buf_puts(out, ")\n");
}

void
cdn_sbpl_place(struct cdn_buf *out, const char *action, const char *operation,
    const struct cdn_place *place)
{
	cdn_buf_printf(out, "(%s %s (%s \"", action, operation,
	    place->alone ? "literal" : "subpath");
	put_bytes(out, cdn_str_of(place->path));
	cdn_buf_puts(out, "\"))\n");
}
