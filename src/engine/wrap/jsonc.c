#include "engine/wrap/jsonc.h"

/* Behind the string that begins at i; at its end when it does not end. */
static size_t
string_end(const char *p, size_t n, size_t i)
{
	for (i++; i < n && p[i] != '"'; i++)
		if (p[i] == '\\')
			i++;
	return i < n ? i + 1 : n;
}

/* Behind the comment that begins at i; i when there is none, or no end of it. */
static size_t
comment_end(const char *p, size_t n, size_t i)
{
	size_t at = i;

	if (n - i < 2 || p[i] != '/')
		return i;
	if (p[i + 1] == '/') {
		while (at < n && p[at] != '\n' && p[at] != '\r')
			at++;
		return at;
	}
	if (p[i + 1] != '*')
		return i;
	for (at = i + 2; at + 1 < n; at++)
		if (p[at] == '*' && p[at + 1] == '/')
			return at + 2;
	return i;
}

/* Lines stay where they are. */
static void
blank(char *p, size_t start, size_t end)
{
	for (; start < end; start++)
		if (p[start] != '\n' && p[start] != '\r')
			p[start] = ' ';
}

static bool
is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool
ends_value(char c)
{
	return c != '[' && c != '{' && c != ',' && c != ':' && c != '\0';
}

bool
cdn_jsonc_blank(cdn_str text, struct cdn_arena *arena, cdn_str *ret)
{
	char *p = cdn_arena_dup(arena, text.p, text.n);
	char last = '\0', before = '\0'; /* bytes that are neither */
	size_t comma = 0, next;

	if (p == NULL)
		return false;
	for (size_t i = 0; i < text.n; i = next) {
		next = comment_end(p, text.n, i);
		if (next > i) {
			blank(p, i, next);
			continue;
		}
		next = p[i] == '"' ? string_end(p, text.n, i) : i + 1;
		if (is_space(p[i]))
			continue;
		if ((p[i] == ']' || p[i] == '}') && last == ',' &&
		    ends_value(before))
			p[comma] = ' ';
		if (p[i] == ',')
			comma = i;
		before = last;
		last = p[i];
	}
	*ret = (cdn_str){ p, text.n };
	return true;
}
