#include "enforce/home/rcfile.h"

static const char *const npm_keys[] = {
	"registry", "proxy", "https-proxy", "http-proxy", "noproxy", "cafile",
	"ca", "ca[]",
};

static const char *const pip_keys[] = {
	"index-url", "extra-index-url", "trusted-host", "proxy", "cert",
};

static bool
is_among(const char *const *table, size_t count, cdn_str key)
{
	for (size_t i = 0; i < count; i++)
		if (cdn_str_is(key, table[i]))
			return true;
	return false;
}

/* Text that can hold no credential and means the same in another file. */
static bool
is_harmless(cdn_str value)
{
	if (value.n == 0)
		return false;
	for (size_t i = 0; i < value.n; i++) {
		unsigned char c = (unsigned char)value.p[i];

		if (c < ' ' || c == 0x7f || c == '@' || c == '?' ||
		    (c == '$' && i + 1 < value.n && value.p[i + 1] == '{'))
			return false;
	}
	return true;
}

static bool
is_name(cdn_str name)
{
	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') &&
		    !(c >= '0' && c <= '9') && c != '-' && c != '_' && c != '.')
			return false;
	}
	return name.n > 0;
}

/* ----- npm ---------------------------------------------------------------------- */

#define SCOPED CDN_STR(":registry")

static bool
is_npm_key(cdn_str key)
{
	if (is_among(npm_keys, CDN_LEN(npm_keys), key))
		return true;
	return key.n > SCOPED.n && key.p[0] == '@' &&
	    cdn_str_ends(key, SCOPED) &&
	    is_name((cdn_str){ key.p + 1, key.n - 1 - SCOPED.n });
}

void
cdn_rcfile_npm(cdn_str text, struct cdn_buf *out)
{
	cdn_str line, key;

	while (cdn_str_next(&text, '\n', &line)) {
		line = cdn_str_trim(line);
		/* Behind a section header keys mean something else. */
		if (line.n > 0 && line.p[0] == '[')
			return;
		if (!cdn_str_next(&line, '=', &key) || line.p == NULL)
			continue;
		key = cdn_str_trim(key);
		line = cdn_str_trim(line);
		if (is_npm_key(key) && is_harmless(line))
			cdn_buf_printf(out, "%.*s=%.*s\n", CDN_STR_ARG(key),
			    CDN_STR_ARG(line));
	}
}

/* ----- pip ---------------------------------------------------------------------- */

struct pip {
	struct cdn_buf *out;
	cdn_str section; /* p NULL = none that is kept */
	bool section_shown;
	char key[32]; /* "" = none that is kept */
	bool key_shown;
};

/* pip takes "Index_URL" for "index-url". */
static void
set_key(struct pip *pip, cdn_str key)
{
	char *k = pip->key;
	size_t n = key.n < sizeof(pip->key) ? key.n : 0;

	pip->key_shown = false;
	for (size_t i = 0; i < n; i++) {
		k[i] = key.p[i] == '_' ? '-' : key.p[i];
		if (k[i] >= 'A' && k[i] <= 'Z')
			k[i] = (char)(k[i] + ('a' - 'A'));
	}
	k[n] = '\0';
	if (!is_among(pip_keys, CDN_LEN(pip_keys), (cdn_str){ k, n }))
		k[0] = '\0';
}

/* Several values of one key stand in lines of their own, indented. */
static void
add_value(struct pip *pip, cdn_str value)
{
	if (pip->section.p == NULL || pip->key[0] == '\0' ||
	    !is_harmless(value))
		return;
	if (!pip->section_shown)
		cdn_buf_printf(pip->out, "[%.*s]\n", CDN_STR_ARG(pip->section));
	pip->section_shown = true;
	if (pip->key_shown)
		cdn_buf_printf(pip->out, "    %.*s\n", CDN_STR_ARG(value));
	else
		cdn_buf_printf(pip->out, "%s = %.*s\n", pip->key,
		    CDN_STR_ARG(value));
	pip->key_shown = true;
}

static void
set_section(struct pip *pip, cdn_str line)
{
	cdn_str name = { line.p + 1, line.n - 1 };

	pip->section = (cdn_str){ NULL, 0 };
	pip->section_shown = false;
	pip->key[0] = '\0';
	if (name.n < 2 || name.p[name.n - 1] != ']')
		return;
	name.n--;
	if (is_name(name))
		pip->section = name;
}

static void
add_option(struct pip *pip, cdn_str line)
{
	size_t n = 0;

	while (n < line.n && line.p[n] != '=' && line.p[n] != ':')
		n++;
	set_key(pip, cdn_str_trim((cdn_str){ line.p, n }));
	add_value(pip, cdn_str_trim(cdn_str_from(line, n + 1)));
}

void
cdn_rcfile_pip(cdn_str text, struct cdn_buf *out)
{
	struct pip pip = { .out = out };
	cdn_str line;

	while (cdn_str_next(&text, '\n', &line)) {
		bool indented = line.n > 0 &&
		    (line.p[0] == ' ' || line.p[0] == '\t');

		line = cdn_str_trim(line);
		if (line.n == 0 || line.p[0] == '#' || line.p[0] == ';')
			continue;
		if (indented)
			add_value(&pip, line);
		else if (line.p[0] == '[')
			set_section(&pip, line);
		else
			add_option(&pip, line);
	}
}
