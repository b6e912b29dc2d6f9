#include "enforce/home/gitconfig.h"

#include <strings.h>

#define WORD_MAX 32 /* longer names are none that is kept */
#define END	 (-1)

struct kept {
	const char *section;
	const char *key; /* NULL = any */
	bool subsection;
};

/* clang-format off */
static const struct kept kept[] = {
	{ "alias",	NULL },
	{ "core",	"autocrlf" },
	{ "core",	"eol" },
	{ "init",	NULL },
	{ "safe",	"directory" },
	{ "user",	"email" },
	{ "user",	"name" },
};

/* What names another file or directory, and what doctor asks for. */
static const struct kept leading[] = {
	{ "core",	"hookspath" },
	{ "include",	"path" },
	{ "includeif",	"path", true },
	{ "safe",	"barerepository" },
};
/* clang-format on */

/* A name in lower case; one that is too long is known to be unknown. */
struct word {
	char text[WORD_MAX + 1];
	size_t n;
	bool too_long;
};

struct parser {
	cdn_str in;
	size_t at;
	unsigned line;
	struct word section;
	bool subsection;
	const char *shown; /* the section that out is in; NULL = none yet */
	struct cdn_buf *out;
	cdn_gitconfig_fn *found; /* NULL: what is kept goes to out */
	void *arg;
	struct cordon_error *err;
};

/* ----- Characters --------------------------------------------------------------- */

/* The next character, CRLF as one newline; END behind the last. */
static int
next(struct parser *p)
{
	unsigned char c;

	if (p->at == p->in.n)
		return END;
	c = (unsigned char)p->in.p[p->at++];
	if (c == '\r' && p->at < p->in.n && p->in.p[p->at] == '\n')
		c = (unsigned char)p->in.p[p->at++];
	if (c == '\n')
		p->line++;
	return c;
}

static bool
is_end_of_line(int c)
{
	return c == '\n' || c == END;
}

static bool
is_space(int c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool
is_letter(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool
is_key(int c)
{
	return is_letter(c) || (c >= '0' && c <= '9') || c == '-';
}

static int
invalid(const struct parser *p, const char *what)
{
	return cdn_err(p->err, CORDON_E_INVALID,
	    "not a git configuration: %s in line %u", what, p->line);
}

/* ----- Names -------------------------------------------------------------------- */

static void
word_add(struct word *word, int c)
{
	if (word->n == WORD_MAX) {
		word->too_long = true;
		return;
	}
	if (c >= 'A' && c <= 'Z')
		c += 'a' - 'A';
	word->text[word->n++] = (char)c;
	word->text[word->n] = '\0';
}

/* Behind the blank in [section "subsection"]. */
static int
skip_subsection(struct parser *p)
{
	int c;

	do {
		c = next(p);
	} while (c == ' ' || c == '\t' || c == '\r');
	if (c != '"')
		return invalid(p, "a section");
	for (;;) {
		c = next(p);
		if (c == '"')
			break;
		if (c == '\\')
			c = next(p);
		if (is_end_of_line(c))
			return invalid(p, "a section without an end");
	}
	return next(p) == ']' ? 0 : invalid(p, "a section without an end");
}

/* Behind the '['. */
static int
parse_section(struct parser *p)
{
	int c;

	p->section = (struct word){ .n = 0 };
	p->subsection = false;
	for (;;) {
		c = next(p);
		if (c == ']')
			return 0;
		if (is_space(c) && c != '\n') {
			p->subsection = true;
			return skip_subsection(p);
		}
		if (!is_key(c) && c != '.')
			return invalid(p, "a section");
		word_add(&p->section, c);
	}
}

/* ----- Values ------------------------------------------------------------------- */

struct value {
	struct cdn_buf *out; /* NULL: nobody wants it */
	bool raw;	     /* as it is, not in git's syntax */
	cdn_str blanks;	     /* unquoted, perhaps the last of the line */
	bool quoted;
	bool any; /* something was there before the blanks */
};

static void
put(const struct value *v, int c)
{
	static const char from[] = "\n\t\b\"\\", to[] = "ntb\"\\";
	const char *special = v->raw ? NULL :
	    memchr(from, c, sizeof(from) - 1);

	if (special != NULL)
		cdn_buf_putc(v->out, '\\');
	cdn_buf_putc(v->out, special != NULL ? to[special - from] : (char)c);
}

static void
value_add(struct value *v, int c)
{
	if (v->out != NULL) {
		for (size_t i = 0; v->any && i < v->blanks.n; i++)
			put(v, (unsigned char)v->blanks.p[i]);
		put(v, c);
	}
	v->blanks = (cdn_str){ NULL, 0 };
	v->any = true;
}

/* Blanks count only between two other characters. */
static void
value_blank(struct value *v, const char *at)
{
	if (v->blanks.n == 0)
		v->blanks.p = at;
	v->blanks.n = (size_t)(at - v->blanks.p) + 1;
}

/* Behind a backslash.  0, or a negative code. */
static int
parse_escape(struct parser *p, struct value *v)
{
	static const char from[] = "ntb\"\\", to[] = "\n\t\b\"\\";
	int c = next(p);
	const char *known;

	if (c == '\n')
		return 0;
	known = c == END ? NULL : memchr(from, c, sizeof(from) - 1);
	if (known == NULL)
		return invalid(p, "an unknown escape");
	value_add(v, to[known - from]);
	return 0;
}

static void
skip_line(struct parser *p)
{
	int c;

	do {
		c = next(p);
	} while (!is_end_of_line(c));
}

/* Behind the '='. */
static int
parse_value(struct parser *p, struct cdn_buf *out)
{
	struct value v = { .out = out, .raw = p->found != NULL };
	int c, r;

	for (;;) {
		c = next(p);
		if (is_end_of_line(c))
			return v.quoted ? invalid(p, "an open quote") : 0;
		if (!v.quoted && (c == '#' || c == ';')) {
			skip_line(p);
			return 0;
		}
		if (!v.quoted && is_space(c)) {
			value_blank(&v, p->in.p + p->at - 1);
		} else if (c == '"') {
			v.quoted = !v.quoted;
		} else if (c == '\\') {
			r = parse_escape(p, &v);
			if (r != 0)
				return r;
		} else {
			value_add(&v, c);
		}
	}
}

/* ----- Variables ---------------------------------------------------------------- */

/* The name of the section when the variable is kept, else NULL. */
static const char *
find_kept(const struct parser *p, const struct word *key)
{
	const struct kept *list = p->found != NULL ? leading : kept;
	size_t n = p->found != NULL ? CDN_LEN(leading) : CDN_LEN(kept);

	if (p->section.too_long || key->too_long)
		return NULL;
	for (size_t i = 0; i < n; i++)
		if (list[i].subsection == p->subsection &&
		    strcmp(list[i].section, p->section.text) == 0 &&
		    (list[i].key == NULL || strcmp(list[i].key, key->text) == 0))
			return list[i].section;
	return NULL;
}

/* ----- Aliases ------------------------------------------------------------------ */

/*
 * Words that a value with a credential has: prefixes of tokens, and names that
 * a secret follows.  Compared without case.
 */
static const char *const credential_words[] = {
	"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-",
	"xoxb-", "xoxp-", "sk-", "akia", "eyj", "token", "passw", "secret",
	"authorization", "bearer", "api-key", "apikey", "api_key",
	"extraheader", "credential",
};

static bool
has_word(cdn_str text, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; n <= text.n && i <= text.n - n; i++)
		if (strncasecmp(text.p + i, word, n) == 0)
			return true;
	return false;
}

/* SCHEME://USER@HOST, with or without a password. */
static bool
has_userinfo(cdn_str text)
{
	size_t i = 0;

	while (i + 3 <= text.n) {
		if (memcmp(text.p + i, "://", 3) != 0) {
			i++;
			continue;
		}
		for (i += 3; i < text.n && !is_space(text.p[i]) &&
		     text.p[i] != '/'; i++)
			if (text.p[i] == '@')
				return true;
	}
	return false;
}

/*
 * An alias is copied only if it is a git command of the user's: a shell command
 * ('!') names programs and files of the real home, and often a token.
 */
static bool
is_kept_alias(cdn_str value)
{
	if (value.n > 0 && value.p[0] == '!')
		return false;
	for (size_t i = 0; i < CDN_LEN(credential_words); i++)
		if (has_word(value, credential_words[i]))
			return false;
	return !has_userinfo(value);
}

static void
show_section(struct parser *p, const char *section)
{
	if (p->shown != NULL && strcmp(p->shown, section) == 0)
		return;
	cdn_buf_printf(p->out, "[%s]\n", section);
	p->shown = section;
}

static int
tell_value(struct parser *p, const struct word *key)
{
	struct cdn_buf value;
	int r;

	cdn_buf_init(&value, CDN_PATH_MAX);
	r = parse_value(p, &value);
	if (r == 0 && !cdn_buf_failed(&value) && value.n > 0)
		p->found(key->text, (cdn_str){ value.p, value.n }, p->arg);
	cdn_buf_done(&value);
	return r;
}

/* An alias that is not kept leaves nothing, not even its section. */
static int
write_variable(struct parser *p, const char *section, const struct word *key,
    bool has_value)
{
	struct cdn_buf *out = p->out;
	const char *shown = p->shown;
	size_t start = out->n, value;
	int r = 0;

	show_section(p, section);
	cdn_buf_printf(out, has_value ? "\t%s = \"" : "\t%s", key->text);
	value = out->n;
	if (has_value)
		r = parse_value(p, out);
	cdn_buf_puts(out, has_value ? "\"\n" : "\n");
	if (strcmp(section, "alias") != 0 || cdn_buf_failed(out) ||
	    is_kept_alias((cdn_str){ out->p + value, out->n - value }))
		return r;
	out->n = start;
	out->p[start] = '\0';
	p->shown = shown;
	return r;
}

/* c is the first letter of its name. */
static int
parse_variable(struct parser *p, int c)
{
	struct word key = { .n = 0 };
	const char *section;

	for (; is_key(c); c = next(p))
		word_add(&key, c);
	while (c == ' ' || c == '\t')
		c = next(p);
	if (!is_end_of_line(c) && c != '=')
		return invalid(p, "a variable");
	section = find_kept(p, &key);
	if (p->found != NULL && section != NULL && c == '=')
		return tell_value(p, &key);
	if (section == NULL || p->out == NULL)
		return c == '=' ? parse_value(p, NULL) : 0;
	return write_variable(p, section, &key, c == '=');
}

static int
parse_all(struct parser *p)
{
	int c, r = 0;

	while (r == 0 && (c = next(p)) != END) {
		if (is_space(c))
			continue;
		if (c == '#' || c == ';')
			skip_line(p);
		else if (c == '[')
			r = parse_section(p);
		else if (is_letter(c))
			r = parse_variable(p, c);
		else
			r = invalid(p, "an unexpected character");
	}
	return r;
}

int
cdn_gitconfig_filter(cdn_str text, struct cdn_buf *out,
    struct cordon_error *err)
{
	struct parser p = { .in = text, .line = 1, .out = out, .err = err };
	size_t before = out->n;
	int r;

	if (cdn_str_starts(text, CDN_STR("\xef\xbb\xbf")))
		p.at = 3;
	if (text.n > 0 && memchr(text.p, '\0', text.n) != NULL)
		return invalid(&p, "a NUL byte");
	r = parse_all(&p);
	if (r != 0 && !out->failed && out->p != NULL) {
		out->n = before;
		out->p[before] = '\0';
	}
	return r;
}

int
cdn_gitconfig_leading(cdn_str text, cdn_gitconfig_fn *found, void *arg,
    struct cordon_error *err)
{
	struct parser p = { .in = text, .line = 1, .found = found, .arg = arg,
		.err = err };

	if (cdn_str_starts(text, CDN_STR("\xef\xbb\xbf")))
		p.at = 3;
	return parse_all(&p);
}
