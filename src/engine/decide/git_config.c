#include "engine/decide/git_config.h"

#define WORD_MAX 32
#define VALUE_MAX 4096

/* A variable: its section, and its line without the blanks around it. */
struct entry {
	cdn_str header; /* "[branch \"x\"]" */
	cdn_str line;
	cdn_str sub; /* x; p NULL: none */
	cdn_str key, value;
	char section[WORD_MAX]; /* lower case; "": too long, or with a dot */
	bool has_value;
};

struct config {
	struct entry *v;
	size_t n, room;
	bool odd; /* names of sections are not what they look like */
};

struct reading {
	struct cdn_arena *arena;
	struct config *config;
	struct entry in; /* the section that lines belong to */
};

/* ----- Lines ---------------------------------------------------------------------- */

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool
is_word(char c)
{
	return is_letter(c) || (c >= '0' && c <= '9') || c == '-';
}

static cdn_str
trim(cdn_str s)
{
	while (s.n > 0 && is_blank(s.p[0]))
		s = cdn_str_from(s, 1);
	while (s.n > 0 && is_blank(s.p[s.n - 1]))
		s.n--;
	return s;
}

static bool
is_comment(cdn_str line)
{
	return line.n == 0 || line.p[0] == '#' || line.p[0] == ';';
}

/* What no line may hold, in either file. */
static bool
is_plain(cdn_str text)
{
	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.p[i];

		if ((c < ' ' && c != '\t' && c != '\n') || c == 0x7f)
			return false;
		if (c == '\\' && (i + 1 == text.n || text.p[i + 1] == '\n'))
			return false;
	}
	return true;
}

static size_t
span(cdn_str s, bool (*is)(char c))
{
	size_t n = 0;

	while (n < s.n && is(s.p[n]))
		n++;
	return n;
}

static bool
lower(cdn_str from, char to[WORD_MAX])
{
	if (from.n == 0 || from.n >= WORD_MAX)
		return false;
	for (size_t i = 0; i < from.n; i++)
		to[i] = from.p[i] >= 'A' && from.p[i] <= 'Z' ?
		    (char)(from.p[i] - 'A' + 'a') : from.p[i];
	to[from.n] = '\0';
	return true;
}

/* [name] or [name "sub"], and a comment perhaps. */
static bool
read_section(struct reading *r, cdn_str line)
{
	cdn_str rest = cdn_str_from(line, 1);
	size_t n = span(rest, is_word), end;

	r->in = (struct entry){ .section = "" };
	if (n == 0)
		return false;
	if (n < rest.n && rest.p[n] == '.') {
		r->config->odd = true; /* [a.b] is [a "b"], in lower case */
		while (n < rest.n && (is_word(rest.p[n]) || rest.p[n] == '.'))
			n++;
	} else if (!lower((cdn_str){ rest.p, n }, r->in.section)) {
		r->in.section[0] = '\0';
	}
	rest = cdn_str_from(rest, n);
	if (rest.n > 1 && rest.p[0] == ' ' && rest.p[1] == '"') {
		rest = cdn_str_from(rest, 2);
		for (end = 0; end < rest.n && rest.p[end] != '"'; end++)
			if (rest.p[end] == '\\' && ++end == rest.n)
				return false;
		if (end == rest.n)
			return false;
		r->in.sub = (cdn_str){ rest.p, end };
		if (end > 0 && memchr(rest.p, '\\', end) != NULL)
			r->config->odd = true;
		rest = cdn_str_from(rest, end + 1);
	}
	if (rest.n == 0 || rest.p[0] != ']')
		return false;
	r->in.header = (cdn_str){ line.p, (size_t)(rest.p + 1 - line.p) };
	return is_comment(trim(cdn_str_from(rest, 1)));
}

static bool
read_variable(struct reading *r, cdn_str line)
{
	size_t n = span(line, is_word);
	cdn_str rest = trim(cdn_str_from(line, n));
	struct entry *v;

	if (r->in.header.n == 0 || !is_letter(line.p[0]) ||
	    (rest.n > 0 && rest.p[0] != '='))
		return false;
	v = cdn_arena_grow(r->arena, r->config->v, r->config->n,
	    &r->config->room, sizeof(*v));
	if (v == NULL)
		return false;
	r->config->v = v;
	v += r->config->n++;
	*v = r->in;
	v->line = line;
	v->key = (cdn_str){ line.p, n };
	v->has_value = rest.n > 0;
	if (v->has_value)
		v->value = trim(cdn_str_from(rest, 1));
	return true;
}

static bool
read_config(struct cdn_arena *arena, cdn_str text, struct config *ret)
{
	struct reading r = { .arena = arena, .config = ret };
	cdn_str line;

	*ret = (struct config){ 0 };
	if (text.n > CDN_GIT_CONFIG_MAX || !is_plain(text))
		return false;
	while (cdn_str_next(&text, '\n', &line)) {
		line = trim(line);
		if (is_comment(line))
			continue;
		if (!(line.p[0] == '[' ? read_section(&r, line) :
			read_variable(&r, line)))
			return false;
	}
	return true;
}

/* ----- What may differ ------------------------------------------------------------ */

static bool
is_in(const struct entry *e, const char *section, bool sub)
{
	return strcmp(e->section, section) == 0 && (e->sub.p != NULL) == sub;
}

static bool
is_key(const struct entry *e, const char *key)
{
	char word[WORD_MAX];

	return lower(e->key, word) && strcmp(word, key) == 0;
}

/* key: a variable that it has; NULL: any. */
static bool
has_remote(const struct config *config, cdn_str name, const char *key)
{
	for (size_t i = 0; i < config->n; i++)
		if (is_in(&config->v[i], "remote", true) &&
		    cdn_str_eq(config->v[i].sub, name) &&
		    (key == NULL || is_key(&config->v[i], key)))
			return true;
	return false;
}

/* `git remote add` writes the URL first, and then what is fetched. */
static bool
is_half_made(const struct config *config, cdn_str name)
{
	for (size_t i = 0; i < config->n; i++)
		if (is_in(&config->v[i], "remote", true) &&
		    cdn_str_eq(config->v[i].sub, name) &&
		    !is_key(&config->v[i], "url"))
			return false;
	return true;
}

static bool
is_free_remote(const struct config *old, const struct entry *e)
{
	if (old->odd)
		return false;
	if (has_remote(old, e->sub, NULL))
		return is_key(e, "fetch") && is_half_made(old, e->sub);
	return is_key(e, "url") || is_key(e, "fetch");
}

/* Of a variable whose value may be another one, or none; old: for new remotes. */
static bool
is_free(const struct config *old, const struct entry *e)
{
	if (is_in(e, "branch", true))
		return is_key(e, "remote") || is_key(e, "merge") ||
		    is_key(e, "rebase") || is_key(e, "description");
	if (is_in(e, "user", false))
		return is_key(e, "name") || is_key(e, "email");
	if (is_in(e, "remote", true))
		return is_free_remote(old, e);
	return false;
}

/* ----- Values --------------------------------------------------------------------- */

static bool
is_name(char c)
{
	return is_word(c) || c == '_' || c == '.' || c == '/';
}

static bool
is_ref(char c)
{
	return is_name(c) || c == '+' || c == '@' || c == '=' || c == ',' ||
	    c == '%' || (unsigned char)c >= 0x80;
}

static bool
is_url(char c)
{
	return is_name(c) || strchr("~%+@:?&=,[]", c) != NULL;
}

static bool
is_host(char c)
{
	return is_word(c) || c == '.';
}

/* No part of it is "..", nor begins or ends where it should not. */
static bool
is_remote_name(cdn_str s)
{
	return s.n > 0 && s.n < VALUE_MAX && span(s, is_name) == s.n &&
	    s.p[0] != '-' && s.p[0] != '.' && s.p[0] != '/' &&
	    s.p[s.n - 1] != '/' && memmem(s.p, s.n, "..", 2) == NULL &&
	    memmem(s.p, s.n, "//", 2) == NULL &&
	    memmem(s.p, s.n, "/.", 2) == NULL;
}

static bool
is_remote(const struct config *now, cdn_str value)
{
	return cdn_str_is(value, ".") ||
	    (is_remote_name(value) && has_remote(now, value, "url"));
}

static bool
is_below(cdn_str s, cdn_str above)
{
	cdn_str rest = cdn_str_from(s, above.n);

	return cdn_str_starts(s, above) && rest.n > 0 &&
	    span(rest, is_ref) == rest.n;
}

/* USER@HOST:PATH, which git takes for ssh. */
static bool
is_scp(cdn_str s)
{
	size_t at = span(s, is_host), colon;

	if (at == 0 || at >= s.n || s.p[at] != '@' || s.p[0] == '-')
		return false;
	s = cdn_str_from(s, at + 1);
	colon = span(s, is_host);
	if (colon == 0 || colon + 1 >= s.n || s.p[colon] != ':' ||
	    s.p[0] == '-')
		return false;
	s = cdn_str_from(s, colon + 1);
	return s.p[0] != ':' && s.p[0] != '-' && span(s, is_name) == s.n;
}

static bool
is_remote_url(cdn_str s)
{
	static const char *const schemes[] = { "https://", "ssh://" };

	if (s.n == 0 || s.n >= VALUE_MAX || span(s, is_url) != s.n)
		return false;
	for (size_t i = 0; i < CDN_LEN(schemes); i++) {
		size_t n = strlen(schemes[i]);

		if (cdn_str_starts(s, cdn_str_of(schemes[i])))
			return s.n > n && is_word(s.p[n]) && s.p[n] != '-' &&
			    memmem(s.p, s.n, "@-", 2) == NULL;
	}
	return is_scp(s);
}

/* [+]refs/heads/X:refs/remotes/NAME/Y, with or without a star at the ends. */
static bool
is_fetch(cdn_str name, cdn_str s)
{
	const cdn_str from = CDN_STR("refs/heads/");
	const cdn_str to = CDN_STR("refs/remotes/");
	const char *colon;
	cdn_str left, right;

	if (s.n > 0 && s.p[0] == '+')
		s = cdn_str_from(s, 1);
	colon = s.n == 0 ? NULL : memchr(s.p, ':', s.n);
	if (colon == NULL)
		return false;
	left = (cdn_str){ s.p, (size_t)(colon - s.p) };
	right = cdn_str_from(s, left.n + 1);
	if (!cdn_str_starts(left, from) || !cdn_str_starts(right, to))
		return false;
	left = cdn_str_from(left, from.n);
	right = cdn_str_from(right, to.n);
	if (!cdn_str_starts(right, name) || right.n <= name.n + 1 ||
	    right.p[name.n] != '/')
		return false;
	right = cdn_str_from(right, name.n + 1);
	if (cdn_str_is(left, "*"))
		return cdn_str_is(right, "*");
	return left.n > 0 && span(left, is_ref) == left.n &&
	    span(right, is_ref) == right.n;
}

/* For people.  With an open quote, or another escape, git would read nothing. */
static bool
is_text(cdn_str s)
{
	bool quoted = false;

	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '"')
			quoted = !quoted;
		else if (!quoted && (s.p[i] == '#' || s.p[i] == ';'))
			return false;
		else if (s.p[i] == '\\' && (++i == s.n ||
			strchr("ntb\"\\", s.p[i]) == NULL))
			return false;
	}
	return !quoted && s.n < VALUE_MAX;
}

static bool
is_sound(const struct config *now, const struct entry *e)
{
	if (!e->has_value)
		return false;
	if (is_key(e, "remote"))
		return is_remote(now, e->value);
	if (is_key(e, "merge"))
		return is_below(e->value, CDN_STR("refs/"));
	if (is_key(e, "rebase"))
		return e->value.n > 0 && span(e->value, is_letter) == e->value.n;
	if (is_key(e, "url"))
		return is_remote_name(e->sub) && is_remote_url(e->value);
	if (is_key(e, "fetch"))
		return is_remote_name(e->sub) && is_fetch(e->sub, e->value);
	return is_text(e->value); /* description, name, email */
}

/* ----- All of it ------------------------------------------------------------------ */

static bool
is_same(const struct entry *a, const struct entry *b)
{
	return cdn_str_eq(a->header, b->header) && cdn_str_eq(a->line, b->line);
}

static bool
was_there(const struct config *old, const struct entry *e)
{
	for (size_t i = 0; i < old->n; i++)
		if (is_same(&old->v[i], e))
			return true;
	return false;
}

/* The next one that must be the same; NULL: there is none. */
static const struct entry *
next_fixed(const struct config *old, const struct config *of, size_t *at)
{
	while (*at < of->n) {
		const struct entry *e = &of->v[(*at)++];

		if (!is_free(old, e))
			return e;
	}
	return NULL;
}

bool
cdn_git_config_may_replace(struct cdn_arena *arena, cdn_str old, cdn_str now)
{
	const struct entry *a, *b;
	struct config before, after;
	size_t i = 0, k = 0;

	if (!read_config(arena, old, &before) ||
	    !read_config(arena, now, &after))
		return false;
	do {
		a = next_fixed(&before, &before, &i);
		b = next_fixed(&before, &after, &k);
		if ((a == NULL) != (b == NULL) ||
		    (a != NULL && !is_same(a, b)))
			return false;
	} while (a != NULL);
	for (i = 0; i < after.n; i++)
		if (is_free(&before, &after.v[i]) &&
		    !was_there(&before, &after.v[i]) &&
		    !is_sound(&after, &after.v[i]))
			return false;
	return true;
}
