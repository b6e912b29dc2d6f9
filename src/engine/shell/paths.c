/*
 * paths - which parts of a word may name a file.
 */
#include "engine/shell/shell.h"

#include <ctype.h>

struct search {
	const struct cdn_shell_word *word;
	bool (*each)(const struct cdn_shell_path *path, void *arg);
	void *arg;
};

bool
cdn_shell_pseudo_path(cdn_str path)
{
	static const char *const names[] = { "null", "zero", "full", "random",
		"urandom", "tty", "stdin", "stdout", "stderr" };
	cdn_str name;

	if (!cdn_str_starts(path, CDN_STR("/dev/")))
		return false;
	name = cdn_str_from(path, sizeof("/dev/") - 1);
	for (size_t i = 0; i < CDN_LEN(names); i++)
		if (cdn_str_is(name, names[i]))
			return true;
	if (!cdn_str_starts(name, CDN_STR("fd/")) || name.n == 3)
		return false;
	for (size_t i = 3; i < name.n; i++)
		if (!isdigit((unsigned char)name.p[i]))
			return false;
	return true;
}

/* Bytes of "scheme://", or 0. */
static size_t
scheme(cdn_str text)
{
	size_t i = 0;

	while (i < text.n && (isalnum((unsigned char)text.p[i]) ||
	    (i > 0 && strchr("+.-", text.p[i]) != NULL)))
		i++;
	return i > 0 && isalpha((unsigned char)text.p[0]) &&
		cdn_str_starts(cdn_str_from(text, i), CDN_STR("://")) ?
	    i + 3 : 0;
}

static bool
is_file_url(cdn_str text)
{
	static const char name[] = "file://";

	if (text.n < sizeof(name) - 1)
		return false;
	for (size_t i = 0; i < sizeof(name) - 1; i++)
		if (tolower((unsigned char)text.p[i]) != name[i])
			return false;
	return true;
}

/* Bytes of "file://", with the machine itself if it is named. */
static size_t
url_length(cdn_str text)
{
	static const char machine[] = "localhost/";
	size_t n = sizeof("file://") - 1;

	for (size_t i = 0; i < sizeof(machine) - 1; i++)
		if (n + i >= text.n ||
		    tolower((unsigned char)text.p[n + i]) != machine[i])
			return n;
	return n + sizeof(machine) - 2;
}

/* The part from byte `from` on, or of it what is known to be a directory. */
static bool
give(const struct search *s, size_t from)
{
	cdn_str text = s->word->text;
	struct cdn_shell_path path = {
		.path = cdn_str_from(text, from),
		.whole = from == 0,
		.home = from == 0 ? s->word->home :
		    s->word->home_value && from < text.n && text.p[from] == '~',
	};
	size_t n = s->word->known;

	if (n < text.n) {
		while (n > from && text.p[n - 1] != '/')
			n--;
		if (n <= from && !path.home)
			return true;
		path.path.n = n > from ? n - from : path.path.n;
		path.prefix = n > from;
	}
	return path.path.n == 0 || s->each(&path, s->arg);
}

static bool
leads(char c)
{
	return c == '/' || c == '~';
}

/* The word itself, unless it is an option or an URL. */
static bool
give_whole(const struct search *s)
{
	cdn_str text = s->word->text;

	if (is_file_url(text))
		return give(s, url_length(text));
	if (text.n == 0 || scheme(text) > 0)
		return true;
	if (text.p[0] != '-')
		return give(s, 0);
	return text.n < 3 || !isalpha((unsigned char)text.p[1]) ||
	    !leads(text.p[2]) || give(s, 2);
}

/*
 * A value may name a file wherever it begins with '/' or '~'; that of an option
 * or an assignment may also be relative.
 */
static bool
give_value(const struct search *s, size_t at, bool first)
{
	cdn_str text = s->word->text;
	cdn_str value = cdn_str_from(text, at + 1);

	if (value.n == 0)
		return true;
	if (is_file_url(value))
		return give(s, at + 1 + url_length(value));
	if (scheme(value) > 0)
		return true;
	if (leads(value.p[0]))
		return give(s, at + 1);
	return text.p[at] != '=' || !first ||
	    memchr(value.p, '/', value.n) == NULL || give(s, at + 1);
}

/* ----- Guesses ------------------------------------------------------------ */

static bool
separates(char c)
{
	return c != '\0' && strchr("=:,;@<", c) != NULL;
}

/*
 * text[from, to) as a name, if all of it is known.  What follows a comma is as
 * often a part of an expression ("s,../x,y,"): no way up is seen in that.
 */
static bool
guess(const struct search *s, size_t from, size_t to)
{
	cdn_str text = s->word->text;
	struct cdn_shell_path path = {
		.path = { text.p + from, to - from },
		.guess = true,
	};
	bool listed = from > 0 && strchr(",;", text.p[from - 1]) != NULL;

	if (to > s->word->known || from >= to || leads(text.p[from]) ||
	    (listed && cdn_str_starts(path.path, CDN_STR(".."))))
		return true;
	return s->each(&path, s->arg);
}

/* From there to the end, and to the next that separates. */
static bool
guess_from(const struct search *s, size_t from)
{
	cdn_str text = s->word->text;
	size_t to = from;

	while (to < text.n && !separates(text.p[to]))
		to++;
	return (from == 0 || guess(s, from, text.n)) &&
	    (to == text.n || guess(s, from, to));
}

/* -fNAME, -xvfNAME: nobody knows which letter has a value. */
static bool
guess_cluster(const struct search *s)
{
	cdn_str text = s->word->text;
	size_t i = 1;

	if (s->word->role == CDN_SHELL_ASSIGNMENT || text.n < 3 ||
	    text.p[0] != '-')
		return true;
	while (i + 1 < text.n && i <= CDN_SHELL_CLUSTER_MAX &&
	    isalnum((unsigned char)text.p[i]))
		if (!guess_from(s, ++i))
			return false;
	return true;
}

static bool
guess_parts(const struct search *s)
{
	cdn_str text = s->word->text;
	size_t begin = scheme(text);

	if (s->word->role == CDN_SHELL_COMMAND ||
	    s->word->role == CDN_SHELL_INPUT ||
	    s->word->role == CDN_SHELL_OUTPUT)
		return true; /* the whole word is the name */
	if (begin == 0 && s->word->role == CDN_SHELL_ARGUMENT &&
	    text.n > 0 && text.p[0] != '-' && !guess_from(s, 0))
		return false;
	if (!guess_cluster(s))
		return false;
	for (size_t i = begin; i < text.n; i++)
		if (separates(text.p[i]) && !guess_from(s, i + 1))
			return false;
	return true;
}

/* ----- All of them -------------------------------------------------------- */

/* False: each() had enough. */
static bool
give_values(const struct search *s)
{
	cdn_str text = s->word->text;
	bool first = true;

	for (size_t i = scheme(text); i < text.n; i++) {
		if (strchr("=:,@", text.p[i]) == NULL || text.p[i] == '\0')
			continue;
		if (text.p[i] == ':' &&
		    cdn_str_starts(cdn_str_from(text, i), CDN_STR("://")))
			continue;
		if (!give_value(s, i, first))
			return false;
		first = first && text.p[i] != '=';
	}
	return true;
}

void
cdn_shell_paths(const struct cdn_shell_word *word,
    bool (*each)(const struct cdn_shell_path *path, void *arg), void *arg)
{
	struct search s = { word, each, arg };

	if (word->role != CDN_SHELL_ASSIGNMENT && !give_whole(&s))
		return;
	if (give_values(&s))
		(void)guess_parts(&s);
}
