#include "enforce/session/gitenv.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"

static const char count_name[] = "GIT_CONFIG_COUNT";
static const char parameters_name[] = "GIT_CONFIG_PARAMETERS";

/* ----- By number ------------------------------------------------------------------ */

static const char *
numbered(const char *prefix, unsigned long i)
{
	char name[64];

	snprintf(name, sizeof(name), "%s%lu", prefix, i);
	return getenv(name);
}

static const char *
read_numbered(cdn_gitenv_fn *fn, void *arg)
{
	const char *text = getenv(count_name);
	unsigned long n;
	char *end;

	if (text == NULL || text[0] == '\0')
		return NULL;
	n = strtoul(text, &end, 10);
	if (text[0] == '-' || end[0] != '\0' || n > CDN_GIT_SETTINGS_MAX)
		return count_name;
	for (unsigned long i = 0; i < n; i++) {
		const char *key = numbered("GIT_CONFIG_KEY_", i);
		const char *value = numbered("GIT_CONFIG_VALUE_", i);

		if (key == NULL || value == NULL)
			return count_name; /* git ends there, too */
		fn(key, cdn_str_of(value), arg);
	}
	return NULL;
}

/* ----- In one --------------------------------------------------------------------- */

/*
 * What stands in single quotes at *at; of quotes and exclamation marks in it
 * outside of them, behind a backslash.  To `out`, which has room for all; false:
 * it is not so.
 */
static bool
unquote(const char **at, char *out)
{
	const char *p = *at;

	if (*p++ != '\'')
		return false;
	for (;;) {
		while (*p != '\'' && *p != '\0')
			*out++ = *p++;
		if (*p++ == '\0')
			return false;
		if (p[0] != '\\' || (p[1] != '\'' && p[1] != '!') ||
		    p[2] != '\'')
			break;
		*out++ = p[1];
		p += 3;
	}
	*out = '\0';
	*at = p;
	return true;
}

/* One setting at *at, in either form; key and value have room for all. */
static bool
read_parameter(const char **at, char *key, char *value)
{
	char *equals;

	value[0] = '\0';
	if (!unquote(at, key))
		return false;
	if (**at == '=') {
		(*at)++;
		return **at == '\0' || **at == ' ' || unquote(at, value);
	}
	equals = strchr(key, '=');
	if (equals != NULL) {
		memcpy(value, equals + 1, strlen(equals + 1) + 1);
		*equals = '\0';
	}
	return true;
}

static const char *
read_parameters(cdn_gitenv_fn *fn, void *arg)
{
	const char *at = getenv(parameters_name);
	size_t room = at == NULL ? 0 : strlen(at) + 1;
	char *texts = at == NULL ? NULL : malloc(2 * room);
	bool understood = at == NULL || texts != NULL;

	while (texts != NULL && understood) {
		at += strspn(at, " \t\n");
		if (*at == '\0')
			break;
		understood = read_parameter(&at, texts, texts + room);
		if (understood)
			fn(texts, cdn_str_of(texts + room), arg);
	}
	free(texts);
	return understood ? NULL : parameters_name;
}

const char *
cdn_gitenv_read(cdn_gitenv_fn *fn, void *arg)
{
	const char *bad = read_numbered(fn, arg);

	return bad != NULL ? bad : read_parameters(fn, arg);
}
