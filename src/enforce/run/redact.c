#include "enforce/run/redact.h"

#include "enforce/run/redact_words.h"

/* Where in the words of a name does it have to stand? */
enum place {
	ANYWHERE,    /* TOKEN: MYTOKEN, TOKENFILE */
	END_OF_WORD, /* KEY: API_KEY, APIKEY, KEYS, but not KEYBOARD */
	WHOLE_WORD   /* PAT: GITHUB_PAT, but not COMPAT */
};

/* clang-format off */
static const struct {
	const char *word; /* upper case */
	enum place place;
} words[] = {
	{ "TOKEN",	 ANYWHERE },
	{ "PASSWORD",	 ANYWHERE },
	{ "PASSWD",	 ANYWHERE },
	{ "PASSPHRASE",	 ANYWHERE },
	{ "PASSCODE",	 ANYWHERE },
	{ "SSHPASS",	 ANYWHERE },
	{ "PGPASS",	 ANYWHERE },
	{ "DBPASS",	 ANYWHERE },
	{ "USERPASS",	 ANYWHERE },
	{ "ROOTPASS",	 ANYWHERE },
	{ "STOREPASS",	 ANYWHERE },
	{ "KEYPASS",	 ANYWHERE },
	{ "WEBHOOK",	 ANYWHERE },
	{ "CREDENTIAL",	 ANYWHERE },
	{ "SECRET",	 ANYWHERE },
	{ "COOKIE",	 ANYWHERE },
	{ "AUTHORIZ",	 ANYWHERE },
	{ "AUTHENTIC",	 ANYWHERE },
	{ "PRIVATE",	 ANYWHERE },
	{ "SIGNATURE",	 ANYWHERE },
	{ "SESSION",	 ANYWHERE },
	{ "BEARER",	 ANYWHERE },
	{ "CONNECTION_STRING", ANYWHERE },
	{ "DATABASE_URL", ANYWHERE },
	{ "KEY",	 END_OF_WORD },
	{ "AUTH",	 END_OF_WORD },
	{ "PEM",	 WHOLE_WORD },
	{ "PASS",	 WHOLE_WORD },
	{ "PASSIN",	 WHOLE_WORD },
	{ "PASSOUT",	 WHOLE_WORD },
	{ "PWD",	 WHOLE_WORD },
	{ "PW",		 WHOLE_WORD },
	{ "JWT",	 WHOLE_WORD },
	{ "DSN",	 WHOLE_WORD },
	{ "PAT",	 WHOLE_WORD },
	{ "OTP",	 WHOLE_WORD },
	{ "SALT",	 WHOLE_WORD },
};
/* clang-format on */

/* Directories, whatever the words in their names. */
static const char *const plain[] = { "PWD", "OLDPWD" };

static char
upper(char c)
{
	return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

static bool
is_letter(char c)
{
	return upper(c) >= 'A' && upper(c) <= 'Z';
}

static bool
stands_at(cdn_str name, size_t at, const char *word, size_t n)
{
	if (n > name.n - at)
		return false;
	for (size_t i = 0; i < n; i++)
		if (upper(name.p[at + i]) != word[i])
			return false;
	return true;
}

/* Behind it no letter follows, but for the S of several. */
static bool
ends_word(cdn_str name, size_t end)
{
	if (end < name.n && upper(name.p[end]) == 'S')
		end++;
	return end == name.n || !is_letter(name.p[end]);
}

static bool
begins_word(cdn_str name, size_t at)
{
	return at == 0 || !is_letter(name.p[at - 1]);
}

static bool
has_word(cdn_str name, const char *word, enum place place)
{
	size_t n = strlen(word);

	for (size_t at = 0; at + n <= name.n; at++)
		if (stands_at(name, at, word, n) &&
		    (place == ANYWHERE || ends_word(name, at + n)) &&
		    (place != WHOLE_WORD || begins_word(name, at)))
			return true;
	return false;
}

bool
cdn_redact_name(cdn_str name)
{
	for (size_t i = 0; i < CDN_LEN(plain); i++)
		if (cdn_str_is(name, plain[i]))
			return false;
	for (size_t i = 0; i < CDN_LEN(words); i++)
		if (has_word(name, words[i].word, words[i].place))
			return true;
	return false;
}

cdn_str
cdn_redact_value(cdn_str name, cdn_str value)
{
	return cdn_redact_name(name) ? CDN_STR(CDN_REDACTED) : value;
}

/* "NAME=value"; without '=' all of it is the name. */
static void
split(const char *variable, cdn_str *ret_name, cdn_str *ret_value)
{
	cdn_str rest = cdn_str_of(variable);

	if (!cdn_str_next(&rest, '=', ret_name))
		*ret_name = rest;
	*ret_value = rest.p == NULL ? CDN_STR("") : rest;
}

void
cdn_redact_env(struct cdn_buf *out, char *const *envp)
{
	for (; envp != NULL && *envp != NULL; envp++) {
		cdn_str name, value;

		split(*envp, &name, &value);
		cdn_buf_str(out, name);
		cdn_buf_putc(out, '=');
		/* Other variables hold secrets as well: a proxy's password. */
		if (cdn_redact_name(name))
			cdn_buf_puts(out, CDN_REDACTED);
		else
			cdn_redact_word(&(struct cdn_redact_words){ 0 }, value,
			    out);
		cdn_buf_putc(out, '\n');
	}
}

/* ----- In other text ------------------------------------------------------ */

/* Counts, and keeps them when there is a list to keep them in. */
static void
add_lines(struct cdn_secrets *secrets, cdn_str value)
{
	cdn_str line;

	while (cdn_str_next(&value, '\n', &line)) {
		line = cdn_str_trim(line);
		if (line.n < CDN_SECRET_MIN)
			continue;
		if (secrets->list != NULL)
			secrets->list[secrets->count] = line;
		secrets->count++;
		if (line.n > secrets->longest)
			secrets->longest = line.n;
	}
}

static void
add_all(struct cdn_secrets *secrets, char *const *envp)
{
	secrets->count = 0;
	for (; envp != NULL && *envp != NULL; envp++) {
		cdn_str name, value;

		split(*envp, &name, &value);
		if (cdn_redact_name(name))
			add_lines(secrets, value);
	}
}

int
cdn_secrets_build(struct cdn_secrets *ret, char *const *envp,
    struct cordon_error *err)
{
	struct cdn_secrets secrets = { 0 };

	add_all(&secrets, envp);
	if (secrets.count > 0) {
		secrets.list = calloc(secrets.count, sizeof(*secrets.list));
		if (secrets.list == NULL)
			return cdn_err_nomem(err);
		add_all(&secrets, envp);
	}
	*ret = secrets;
	return 0;
}

void
cdn_secrets_done(struct cdn_secrets *secrets)
{
	free(secrets->list);
	*secrets = (struct cdn_secrets){ 0 };
}

/* The longest secret that begins here: one may begin with another. */
static size_t
secret_at(const struct cdn_secrets *secrets, cdn_str text)
{
	size_t longest = 0;

	for (size_t i = 0; i < secrets->count; i++) {
		cdn_str secret = secrets->list[i];

		if (secret.n > longest && cdn_str_starts(text, secret))
			longest = secret.n;
	}
	return longest;
}

size_t
cdn_redact_text(struct cdn_buf *out, const struct cdn_secrets *secrets,
    cdn_str text, size_t until)
{
	size_t plain_from = 0;
	size_t at = 0;

	while (at < until) {
		size_t n = secret_at(secrets, cdn_str_from(text, at));

		if (n == 0) {
			at++;
			continue;
		}
		cdn_buf_add(out, text.p + plain_from, at - plain_from);
		cdn_buf_puts(out, CDN_REDACTED);
		at += n;
		plain_from = at;
	}
	if (at > plain_from)
		cdn_buf_add(out, text.p + plain_from, at - plain_from);
	return at;
}
