#include "enforce/run/redact_words.h"

#include <strings.h>

#define NAME_LOOK 64 /* bytes before a '=' or ':' that may be its name */

/* ----- Tables --------------------------------------------------------------- */

/* clang-format off */
/* Tokens that are known by how they begin, and bytes that must follow. */
static const struct {
	const char *prefix;
	size_t more;
} tokens[] = {
	{ "ghp_", 10 }, { "gho_", 10 }, { "ghu_", 10 }, { "ghs_", 10 },
	{ "ghr_", 10 }, { "github_pat_", 10 }, { "glpat-", 10 },
	{ "gldt-", 10 }, { "glrt-", 10 }, { "glcbt-", 10 },
	{ "xoxa-", 10 }, { "xoxb-", 10 }, { "xoxe-", 10 }, { "xoxp-", 10 },
	{ "xoxr-", 10 }, { "xoxs-", 10 }, { "xapp-", 10 },
	{ "sk-ant-", 8 }, { "sk-proj-", 8 }, { "sk-or-", 8 }, { "sk-", 20 },
	{ "sk_live_", 8 }, { "sk_test_", 8 }, { "rk_live_", 8 },
	{ "pk_live_", 8 }, { "whsec_", 10 },
	{ "AKIA", 16 }, { "ASIA", 16 }, { "AIza", 30 }, { "ya29.", 10 },
	{ "npm_", 20 }, { "pypi-", 20 }, { "hf_", 20 }, { "dop_v1_", 10 },
	{ "SG.", 20 }, { "dckr_pat_", 10 }, { "shpat_", 10 },
	{ "lin_api_", 10 }, { "tskey-", 10 }, { "figd_", 10 }, { "PMAK-", 10 },
	{ "sntrys_", 10 }, { "nvapi-", 10 }, { "r8_", 20 }, { "gsk_", 20 },
	{ "xai-", 20 }, { "AGE-SECRET-KEY-1", 10 }, { "eyJ", 20 },
	{ "hvs.", 10 }, { "atlasv1.", 10 }, { "secret_", 20 }, { "ATATT3", 20 },
};

/* Options of one program whose value is a secret, and has no name that says so. */
static const struct {
	const char *program; /* beginning of its name */
	const char *option;
	bool apart;	/* the value may be the next word */
	bool glued;	/* the value may follow at once */
} options[] = {
	{ "curl", "-u", true, true },
	{ "curl", "-U", true, true },
	{ "curl", "--user", true, false },
	{ "curl", "--proxy-user", true, false },
	{ "curl", "-b", true, true },
	{ "openssl", "-k", true, false },
	{ "openssl", "-K", true, false },
	{ "wget", "--user", true, false },
	{ "http", "-a", true, true },
	{ "mysql", "-p", false, true },
	{ "mariadb", "-p", false, true },
	{ "sshpass", "-p", true, true },
	{ "docker", "-p", true, false },
	{ "podman", "-p", true, false },
	{ "mongo", "-p", true, true },
	{ "redis-cli", "-a", true, true },
	{ "ldap", "-w", true, true },
	{ "smbclient", "-U", true, true },
	{ "mount.cifs", "-o", true, true },
	{ "7z", "-p", false, true },
	{ "zip", "-P", true, true },
	{ "unzip", "-P", true, true },
	{ "ansible-vault", "-p", true, true },
	{ "az", "-p", true, false },
	{ "sqlcmd", "-P", true, true },
	{ "snmp", "-A", true, true },
	{ "snmp", "-X", true, true },
	{ "snmp", "-c", true, true },
};
/* clang-format on */

/* ----- One word --------------------------------------------------------------- */

struct look {
	cdn_str text;
	bool *hide; /* one for each byte */
	size_t one; /* bytes before the first space or '?': one assignment */
};

static void
hide(const struct look *l, size_t from, size_t to)
{
	for (size_t i = from; i < to && i < l->text.n; i++)
		l->hide[i] = true;
}

static bool
is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool
is_quote(char c)
{
	return c == '"' || c == '\'' || c == '`';
}

static bool
is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

static size_t
skip_spaces(cdn_str s, size_t i)
{
	while (i < s.n && is_space(s.p[i]))
		i++;
	return i;
}

/* Behind the bytes of a token or a name. */
static size_t
skip_name(cdn_str s, size_t i)
{
	while (i < s.n && is_name(s.p[i]))
		i++;
	return i;
}

/* The name before a '=' or ':' at i, without the quote of JSON around it. */
static cdn_str
name_before(cdn_str s, size_t i)
{
	size_t end = i, begin;

	if (end > 0 && is_quote(s.p[end - 1]))
		end--;
	if (end > 0 && s.p[end - 1] == '\\') /* \"password\": in a string */
		end--;
	begin = end;
	while (begin > 0 && end - begin < NAME_LOOK && is_name(s.p[begin - 1]))
		begin--;
	return (cdn_str){ s.p + begin, end - begin };
}

/* Where the value that begins at i ends; stop: characters that end it, too. */
static size_t
value_end(cdn_str s, size_t i, const char *stop)
{
	char quote = '\0';

	if (i < s.n && s.p[i] == '\\')
		i++;
	if (i < s.n && is_quote(s.p[i]))
		quote = s.p[i++];
	for (; i < s.n && s.p[i] != '\0'; i++)
		if (quote != '\0' ? s.p[i] == quote :
				    strchr(stop, s.p[i]) != NULL)
			break;
	return i;
}

/* The quotes around a value stay readable. */
static void
hide_value(const struct look *l, size_t i, const char *stop)
{
	size_t end = value_end(l->text, i, stop);

	while (i < end && (l->text.p[i] == '\\' || is_quote(l->text.p[i])))
		i++;
	if (i < end && l->text.p[end - 1] == '\\')
		end--;
	hide(l, i, end);
}

static void
hide_named(const struct look *l, size_t i)
{
	cdn_str name = name_before(l->text, i);

	if (l->hide[i] || name.n == 0 || !cdn_redact_name(name))
		return;
	if (l->text.p[i] == ':')
		hide_value(l, skip_spaces(l->text, i + 1), "\n\r\"'`");
	else if ((size_t)(name.p - l->text.p) <= l->one)
		hide_value(l, i + 1, "");
	else
		hide_value(l, i + 1, " \t\n\r&#\"'`");
}

/* scheme://user:password@host: all before the last '@' of the authority. */
static void
hide_userinfo(const struct look *l, size_t i)
{
	cdn_str rest = cdn_str_from(l->text, i);
	size_t at = 0;

	if (!cdn_str_starts(rest, CDN_STR("://")))
		return;
	for (size_t k = 3; k < rest.n && !is_space(rest.p[k]) &&
	     !is_quote(rest.p[k]) && strchr("/?#", rest.p[k]) == NULL; k++)
		if (rest.p[k] == '@')
			at = k;
	if (at > 0)
		hide(l, i + 3, i + at);
}

static void
hide_token(const struct look *l, size_t i)
{
	cdn_str rest = cdn_str_from(l->text, i);
	size_t end;

	for (size_t k = 0; k < CDN_LEN(tokens); k++) {
		cdn_str prefix = cdn_str_of(tokens[k].prefix);

		if (!cdn_str_starts(rest, prefix))
			continue;
		end = skip_name(rest, 0);
		if (end < prefix.n + tokens[k].more)
			continue;
		hide(l, i, i + end);
		return;
	}
}

/* "Bearer X", "Basic X": the word behind the scheme. */
static void
hide_scheme(const struct look *l, size_t i)
{
	static const char *const schemes[] = { "bearer", "basic", "digest" };
	cdn_str rest = cdn_str_from(l->text, i);

	for (size_t k = 0; k < CDN_LEN(schemes); k++) {
		size_t n = strlen(schemes[k]);
		size_t from = skip_spaces(rest, n);
		size_t end = from;

		if (rest.n <= n || strncasecmp(rest.p, schemes[k], n) != 0 ||
		    from == n)
			continue;
		while (end < rest.n && !is_space(rest.p[end]) &&
		    !is_quote(rest.p[end]))
			end++;
		if (k == 0 || end - from >= 12)
			hide(l, i + from, i + end);
	}
}

/* What can be told by the text alone. */
static void
hide_forms(const struct look *l)
{
	cdn_str s = l->text;

	for (size_t i = 0; i < s.n; i++) {
		bool begins = i == 0 || !is_name(s.p[i - 1]);

		if (s.p[i] == '=' || s.p[i] == ':')
			hide_named(l, i);
		if (s.p[i] == ':')
			hide_userinfo(l, i);
		if (begins && is_name(s.p[i])) {
			hide_token(l, i);
			hide_scheme(l, i);
		}
	}
}

/* ----- Words that say something of the next --------------------------------------- */

static cdn_str
base_name(cdn_str word)
{
	size_t i = word.n;

	while (i > 0 && word.p[i - 1] != '/')
		i--;
	return cdn_str_from(word, i);
}

static bool
is_program(cdn_str word, const char *program)
{
	cdn_str name = base_name(word);

	return name.n > 0 && name.p[0] != '-' &&
	    cdn_str_starts(name, cdn_str_of(program)) && name.n < 24;
}

static void
note_program(struct cdn_redact_words *w, cdn_str word)
{
	for (size_t i = 0; i < CDN_LEN(options); i++)
		if (is_program(word, options[i].program)) {
			w->program = (unsigned)i + 1;
			return;
		}
}

/* "--password", "-token": its value follows. */
static bool
names_secret(cdn_str word)
{
	cdn_str name = word;

	while (name.n > 0 && name.p[0] == '-')
		name = cdn_str_from(name, 1);
	return name.n > 1 && name.n < word.n &&
	    skip_name(name, 0) == name.n &&
	    !cdn_str_starts(name, CDN_STR("no-")) &&
	    !cdn_str_ends(name, CDN_STR("-stdin")) && cdn_redact_name(name);
}

/* curl -su me:pw: where flags without a value end, or 0. */
static size_t
skip_flags(const char *program, cdn_str word)
{
	static const char flags[] = "#0123469afgGiIjJkLlnNOpqRsSvZB";
	size_t i = 1;

	if (strcmp(program, "curl") != 0 || word.n < 3 || word.p[0] != '-')
		return 0;
	while (i < word.n && word.p[i] != '\0' &&
	    strchr(flags, word.p[i]) != NULL)
		i++;
	return i > 1 && i < word.n ? i : 0;
}

/* --user=me:pw of any program; two numbers are a user and a group. */
static void
hide_user(const struct look *l, size_t from, size_t to)
{
	static const char *const names[] = { "--user=", "--proxy-user=" };
	cdn_str word = { l->text.p + from, to - from };

	for (size_t k = 0; k < CDN_LEN(names); k++) {
		size_t i = strlen(names[k]);
		bool number = true;

		if (!cdn_str_starts(word, cdn_str_of(names[k])))
			continue;
		while (i < word.n && word.p[i] != ':')
			i++;
		for (size_t j = i + 1; j < word.n; j++)
			number &= word.p[j] >= '0' && word.p[j] <= '9';
		if (!number)
			hide(l, from + i + 1, to);
	}
}

/* The option of the program that the word is, or begins with. */
static void
hide_option(struct cdn_redact_words *w, const struct look *l, size_t from,
    size_t to)
{
	cdn_str word = { l->text.p + from, to - from };
	const char *program = w->program == 0 ? NULL :
					       options[w->program - 1].program;

	size_t flags = program == NULL ? 0 : skip_flags(program, word);

	for (size_t i = 0; program != NULL && i < CDN_LEN(options); i++) {
		cdn_str option = cdn_str_of(options[i].option);

		if (strcmp(options[i].program, program) != 0)
			continue;
		if (flags > 0 && option.n == 2 && word.p[flags] == option.p[1]) {
			w->next |= flags + 1 == word.n;
			hide(l, from + flags + 1, to);
		}
		if (!cdn_str_starts(word, option))
			continue;
		if (word.n == option.n)
			w->next = options[i].apart;
		else if (options[i].glued)
			hide(l, from + option.n, to);
		else if (word.p[option.n] == '=')
			hide(l, from + option.n + 1, to);
	}
}

/* One word of a command: [from, to) of the text. */
static void
hide_word(struct cdn_redact_words *w, const struct look *l, size_t from,
    size_t to)
{
	cdn_str word;

	while (from < to && is_quote(l->text.p[from]))
		from++;
	while (to > from && is_quote(l->text.p[to - 1]))
		to--;
	word = (cdn_str){ l->text.p + from, to - from };
	if (w->next && !cdn_str_starts(word, CDN_STR("--"))) {
		w->next = false;
		hide(l, from, to);
		return;
	}
	w->next = names_secret(word);
	note_program(w, word);
	hide_option(w, l, from, to);
	hide_user(l, from, to);
}

/* Behind the word that begins at i, as a shell splits them. */
static size_t
word_end(cdn_str s, size_t i)
{
	char quote = '\0';

	for (; i < s.n; i++) {
		if (quote != '\0')
			quote = s.p[i] == quote ? '\0' : quote;
		else if (is_quote(s.p[i]))
			quote = s.p[i];
		else if (is_space(s.p[i]))
			break;
	}
	return i;
}

static void
hide_words(struct cdn_redact_words *w, const struct look *l)
{
	size_t i = skip_spaces(l->text, 0);

	if (w->next) { /* all of the word, spaces and quotes as well */
		hide_word(w, l, 0, l->text.n);
		return;
	}
	while (i < l->text.n) {
		size_t end = word_end(l->text, i);

		hide_word(w, l, i, end);
		i = skip_spaces(l->text, end);
	}
}

static void
put(const struct look *l, struct cdn_buf *out)
{
	for (size_t i = 0; i < l->text.n; i++) {
		if (!l->hide[i])
			cdn_buf_putc(out, l->text.p[i]);
		else if (i == 0 || !l->hide[i - 1])
			cdn_buf_puts(out, CDN_REDACTED);
	}
}

void
cdn_redact_word(struct cdn_redact_words *words, cdn_str word,
    struct cdn_buf *out)
{
	struct look l = { .text = word };

	if (word.n == 0) {
		words->next = false;
		return;
	}
	l.hide = calloc(word.n, sizeof(*l.hide));
	if (l.hide == NULL) {
		cdn_buf_puts(out, CDN_REDACTED);
		words->next = true; /* it may have said so */
		return;
	}
	while (l.one < word.n && word.p[l.one] != '?' &&
	    !is_space(word.p[l.one]))
		l.one++;
	hide_forms(&l);
	hide_words(words, &l);
	put(&l, out);
	free(l.hide);
}
