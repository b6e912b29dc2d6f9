/*
 * name - names that become file names.
 *
 * One validator for policies, workers and profiles kept as files; it runs
 * before any path is built from the name.
 */
#include "engine/policy/policy.h"

#include "engine/policy/tree.h"

/* White space beyond ASCII that an eye takes for a space. */
static bool
is_wide_space(unsigned c)
{
	return c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) ||
	    c == 0x202f || c == 0x205f || c == 0x3000;
}

static bool
is_space(const char *p, size_t len)
{
	unsigned c = cdn_char_value(p, len);

	return c == ' ' || (c >= '\t' && c <= '\r') || c == 0x85 ||
	    c == 0x2028 || c == 0x2029 || is_wide_space(c);
}

static bool
only_spaces(cdn_str s)
{
	const char *end = s.p + s.n;
	size_t len;

	for (const char *p = s.p; p < end; p += len) {
		len = cdn_utf8_len(p, end);
		if (!is_space(p, len))
			return false;
	}
	return true;
}

static bool
has_outer_space(cdn_str s)
{
	const char *end = s.p + s.n;
	const char *last = end - 1;

	while (last > s.p && ((unsigned char)*last & 0xc0) == 0x80)
		last--;
	return is_space(s.p, cdn_utf8_len(s.p, end)) ||
	    is_space(last, (size_t)(end - last));
}

static bool
has_any(cdn_str s, const char *set)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != '\0' && strchr(set, s.p[i]) != NULL)
			return true;
	return false;
}

static bool
has_control(cdn_str s)
{
	const char *end = s.p + s.n;
	size_t len;

	for (const char *p = s.p; p < end; p += len) {
		len = cdn_utf8_len(p, end);
		if (*p == '\n' || *p == '\t' || *p == '\r' ||
		    cdn_char_fault(p, len) != NULL)
			return true;
	}
	return false;
}

static bool
has_dots(cdn_str s)
{
	for (size_t i = 1; i < s.n; i++)
		if (s.p[i] == '.' && s.p[i - 1] == '.')
			return true;
	return false;
}

/* The first reason that applies, or NULL. */
static const char *
name_fault(cdn_str name)
{
	if (name.n > CDN_NAME_MAX)
		return "must not be longer than 128 bytes";
	if (cdn_utf8_bad(name) < name.n)
		return "must be UTF-8";
	if (name.n == 0 || only_spaces(name))
		return "must not be empty";
	if (has_outer_space(name))
		return "must not begin or end with whitespace";
	if (name.p[0] == '.')
		return "must not start with `.`";
	if (has_dots(name))
		return "must not contain `..`";
	if (has_any(name, "/\\:"))
		return "must not contain path separators or `:`";
	if (has_any(name, "."))
		return "must not contain `.`, it is a name without extension";
	if (has_control(name))
		return "must not contain control characters";
	return NULL;
}

int
cdn_name_check(cdn_str name, struct cordon_error *err)
{
	const char *fault = name_fault(name);

	if (fault == NULL)
		return 0;
	return cdn_err(err, CORDON_E_INVALID, "invalid resource name '%s': %s",
	    cdn_shown(name).text, fault);
}
