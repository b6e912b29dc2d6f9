/* Which names hold secrets, and what is left of their values. */
#include "enforce/run/redact.h"

#include "support/tap.h"

static const struct {
	const char *name;
	bool secret;
} names[] = {
	{ "GITHUB_TOKEN", true }, { "github_token", true },
	{ "MYTOKEN", true }, { "TOKEN_FILE", true },
	{ "DB_PASSWORD", true }, { "PGPASSWORD", true },
	{ "MYSQL_PWD", true }, { "SMTP_PASS", true },
	{ "AWS_CREDENTIALS", true }, { "AWS_SECRET_ACCESS_KEY", true },
	{ "AWS_ACCESS_KEY_ID", true }, { "OPENAI_API_KEY", true },
	{ "APIKEY", true }, { "SSH_KEYS", true }, { "Api-Key", true },
	{ "SESSION_ID", true }, { "COOKIE", true }, { "AUTH_HEADER", true },
	{ "NPM_AUTH", true }, { "OAUTH", true }, { "AUTHORIZATION", true },
	{ "PRIVATE_PEM", true }, { "GITHUB_PAT", true }, { "JWT", true },
	{ "DATABASE_URL", true }, { "SENTRY_DSN", true },
	{ "VAULT_PASSPHRASE", true }, { "KEY", true }, { "key1", true },

	{ "PATH", false }, { "HOME", false }, { "LANG", false },
	{ "LC_ALL", false }, { "TERM", false }, { "PWD", false },
	{ "OLDPWD", false }, { "USER", false }, { "SHELL", false },
	{ "TMPDIR", false }, { "EDITOR", false }, { "CI", false },
	{ "GIT_AUTHOR_NAME", false }, { "KEYBOARD_LAYOUT", false },
	{ "KEYMAP", false }, { "AUTHOR", false }, { "COMPAT", false },
	{ "BYPASS_CACHE", false }, { "TEMPERATURE", false },
	{ "SPEMCO", false }, { "", false }, { "K", false },
};

static const struct {
	const char *text;
	const char *want;
} shown[] = {
	{ "", "" },
	{ "nothing", "nothing" },
	{ "hunter2-hunter2", "[REDACTED]" },
	{ "a hunter2-hunter2 b", "a [REDACTED] b" },
	{ "hunter2-hunter2hunter2-hunter2", "[REDACTED][REDACTED]" },
	{ "hunter2-hunter", "hunter2-hunter" },
	{ "secondline", "[REDACTED]" },
	{ "visible x", "visible x" },
	/* One secret begins with the other: the longer one goes whole. */
	{ "prefix-more!", "[REDACTED]!" },
	{ "prefix-!", "[REDACTED]!" },
};

static char variables[][64] = { "DB_PASSWORD=hunter2-hunter2",
	"PLAIN=visible", "SHORT_KEY=x", "CERT_PEM=firstline\nsecondline\n",
	"EMPTY_TOKEN=", "NO_VALUE_TOKEN", "A_KEY=prefix-", "B_KEY=prefix-more" };

static const char all[] = "DB_PASSWORD=[REDACTED]\nPLAIN=visible\n"
    "SHORT_KEY=[REDACTED]\nCERT_PEM=[REDACTED]\nEMPTY_TOKEN=[REDACTED]\n"
    "NO_VALUE_TOKEN=[REDACTED]\nA_KEY=[REDACTED]\nB_KEY=[REDACTED]\n";

static void
test_text(char *const *envp)
{
	struct cdn_secrets secrets = { 0 };
	struct cdn_buf out;

	cdn_buf_init(&out, 10000);
	if (cdn_secrets_build(&secrets, envp, NULL) != 0)
		return;
	for (size_t i = 0; i < CDN_LEN(shown); i++) {
		cdn_str text = cdn_str_of(shown[i].text);

		cdn_buf_reset(&out);
		ok_f(cdn_redact_text(&out, &secrets, text, text.n) == text.n &&
		    strcmp(out.p == NULL ? "" : out.p, shown[i].want) == 0,
		    "'%s' is shown as '%s'", shown[i].text,
		    out.p == NULL ? "" : out.p);
	}
	cdn_buf_reset(&out);
	ok(cdn_redact_text(&out, &secrets, CDN_STR("ab hunter2-hunter2 c"),
	    5) == 18 && strcmp(out.p, "ab [REDACTED]") == 0,
	    "a secret is not cut in two");
	cdn_secrets_done(&secrets);
	cdn_buf_done(&out);
}

int
main(void)
{
	char *envp[CDN_LEN(variables) + 1] = { NULL };
	struct cdn_secrets none;
	struct cdn_buf out;

	for (size_t i = 0; i < CDN_LEN(variables); i++)
		envp[i] = variables[i];
	for (size_t i = 0; i < CDN_LEN(names); i++) {
		cdn_str name = cdn_str_of(names[i].name);
		cdn_str value = cdn_redact_value(name, CDN_STR("v"));

		ok_f(cdn_redact_name(name) == names[i].secret &&
		    cdn_str_is(value, names[i].secret ? "[REDACTED]" : "v"),
		    "'%s' is %s", names[i].name,
		    names[i].secret ? "a secret" : "none");
	}
	cdn_buf_init(&out, 10000);
	cdn_redact_env(&out, NULL);
	ok(out.n == 0, "no environment");
	cdn_redact_env(&out, envp);
	ok(strcmp(out.p, all) == 0, "an environment, line by line");
	cdn_buf_done(&out);
	test_text(envp);
	ok(cdn_secrets_build(&none, NULL, NULL) == 0 && none.count == 0 &&
	    none.list == NULL, "none without an environment");
	cdn_secrets_done(&none);
	return done_testing();
}
