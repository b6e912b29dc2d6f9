/* Which names hold secrets, and what is left of their values. */
#include "enforce/run/redact_words.h"

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
	{ "SSHPASS", true }, { "PGPASSFILE", true }, { "SLACK_WEBHOOK", true },
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

/* Words of a command, and how they are kept: '|' between them. */
static const struct {
	const char *words;
	const char *kept;
} commands[] = {
	{ "x|--password|hunter2|y", "x|--password|[REDACTED]|y" },
	{ "x|--password=hunter2|y", "x|--password=[REDACTED]|y" },
	{ "x|--token|a b|y", "x|--token|[REDACTED]|y" },
	{ "x|--api-key|k|y", "x|--api-key|[REDACTED]|y" },
	{ "x|--password|--verbose", "x|--password|--verbose" },
	{ "x|--no-auth|y", "x|--no-auth|y" },
	{ "login|--password-stdin|y", "login|--password-stdin|y" },
	{ "curl|-H|Authorization: Bearer abc", "curl|-H|Authorization: [REDACTED]" },
	{ "curl|-HX-Api-Key: abc|u", "curl|-HX-Api-Key: [REDACTED]|u" },
	{ "curl|-u|me:pw|u", "curl|-u|[REDACTED]|u" },
	{ "/usr/bin/curl|-ume:pw|u", "/usr/bin/curl|-u[REDACTED]|u" },
	{ "curl|--user=me:pw", "curl|--user=[REDACTED]" },
	{ "curl|-su|me:pw|u", "curl|-su|[REDACTED]|u" },
	{ "curl|-sSLume:pw|u", "curl|-sSLu[REDACTED]|u" },
	{ "openssl|enc|-k|pw|-in|f", "openssl|enc|-k|[REDACTED]|-in|f" },
	{ "openssl|rsa|-passin|pass:pw", "openssl|rsa|-passin|[REDACTED]" },
	{ "keytool|-storepass|pw|-list", "keytool|-storepass|[REDACTED]|-list" },
	{ "x|--pw|hunter2|y", "x|--pw|[REDACTED]|y" },
	{ "x|--user=me:pw|y", "x|--user=me:[REDACTED]|y" },
	{ "git|clone|https://u:pw@h/x", "git|clone|https://[REDACTED]@h/x" },
	{ "git|clone|https://h/x?token=a&b=c", "git|clone|https://h/x?token=[REDACTED]&b=c" },
	{ "x|ghp_0123456789abcdef", "x|[REDACTED]" },
	{ "x|a=ghp_0123456789abcdef,b", "x|a=[REDACTED],b" },
	{ "x|sk-ant-api03-abcdefgh", "x|[REDACTED]" },
	{ "x|AKIAIOSFODNN7EXAMPLE", "x|[REDACTED]" },
	{ "kubectl|--from-literal=password=pw", "kubectl|--from-literal=password=[REDACTED]" },
	{ "mysql|-phunter2|-u|me", "mysql|-p[REDACTED]|-u|me" },
	{ "sudo|mysqldump|-phunter2|db", "sudo|mysqldump|-p[REDACTED]|db" },
	{ "sshpass|-p|pw|ssh|h", "sshpass|-p|[REDACTED]|ssh|h" },
	{ "env|SSHPASS=pw|x", "env|SSHPASS=[REDACTED]|x" },
	{ "sh|-c|curl -u me:pw -H 'Authorization: Basic abc' u",
	    "sh|-c|curl -u [REDACTED] -H 'Authorization: [REDACTED]' u" },
	{ "sh|-c|mysql --password 'a b' db", "sh|-c|mysql --password '[REDACTED]' db" },
	{ "sh|-c|x; TOKEN=abc make all", "sh|-c|x; TOKEN=[REDACTED] make all" },
	{ "sh|-c|TOKEN=abc make all", "sh|-c|TOKEN=[REDACTED]" },
	{ "x|{\"password\": \"pw\", \"a\": 1}",
	    "x|{\"password\": \"[REDACTED]\", \"a\": 1}" },
	/* What is no secret stays readable. */
	{ "git|commit|-m|fix: the tokenizer", "git|commit|-m|fix: the tokenizer" },
	{ "ls|-l|--color=auto|a:b", "ls|-l|--color=auto|a:b" },
	{ "curl|https://host:8080/x?y=1", "curl|https://host:8080/x?y=1" },
	{ "mkdir|-p|dir/sub", "mkdir|-p|dir/sub" },
	{ "docker|run|-p8080:80|i", "docker|run|-p8080:80|i" },
	{ "docker|run|--user=1000:1000|i", "docker|run|--user=1000:1000|i" },
	{ "x|--user=me|y", "x|--user=me|y" },
	{ "curl|-sSLo|f|u", "curl|-sSLo|f|u" },
	{ "ssh|git@host", "ssh|git@host" },
	{ "sk-|npm_install|basic x", "sk-|npm_install|basic x" },
	{ "x||y", "x||y" },
};

static void
test_words(void)
{
	struct cdn_buf out;

	cdn_buf_init(&out, 10000);
	for (size_t i = 0; i < CDN_LEN(commands); i++) {
		struct cdn_redact_words words = { 0 };
		cdn_str rest = cdn_str_of(commands[i].words), word;
		bool first = true;

		cdn_buf_reset(&out);
		while (cdn_str_next(&rest, '|', &word)) {
			cdn_buf_puts(&out, first ? "" : "|");
			cdn_redact_word(&words, word, &out);
			first = false;
		}
		ok_f(strcmp(out.p, commands[i].kept) == 0, "%s: %s",
		    commands[i].words, out.p);
	}
	cdn_buf_done(&out);
}

static char variables[][64] = { "DB_PASSWORD=hunter2-hunter2",
	"PLAIN=visible", "http_proxy=http://u:pw@h:1", "SHORT_KEY=x",
	"CERT_PEM=firstline\nsecondline\n",
	"EMPTY_TOKEN=", "NO_VALUE_TOKEN", "A_KEY=prefix-", "B_KEY=prefix-more" };

static const char all[] = "DB_PASSWORD=[REDACTED]\nPLAIN=visible\n"
    "http_proxy=http://[REDACTED]@h:1\nSHORT_KEY=[REDACTED]\n"
    "CERT_PEM=[REDACTED]\nEMPTY_TOKEN=[REDACTED]\n"
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
	test_words();
	ok(cdn_secrets_build(&none, NULL, NULL) == 0 && none.count == 0 &&
	    none.list == NULL, "none without an environment");
	cdn_secrets_done(&none);
	return done_testing();
}
