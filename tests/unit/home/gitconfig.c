/* What is kept of a git configuration, and what git would not read either. */
#include "enforce/home/gitconfig.h"

#include "support/tap.h"

static const struct {
	const char *in;
	const char *want; /* NULL: CORDON_E_INVALID */
} cases[] = {
	{ "", "" },
	{ "\n\n", "" },
	{ "# only\n; comments", "" },
	{ "[user]\n\tname = A B\n\temail = a@b\n",
	    "[user]\n\tname = \"A B\"\n\temail = \"a@b\"\n" },
	{ "\xef\xbb\xbf[user]\nname=x", "[user]\n\tname = \"x\"\n" },
	{ "[user]\r\nname = x\r\n", "[user]\n\tname = \"x\"\n" },
	{ "[USER] NaMe = x", "[user]\n\tname = \"x\"\n" },
	{ "[user]name=x\n[core]eol=lf\n[user]email=y\n",
	    "[user]\n\tname = \"x\"\n[core]\n\teol = \"lf\"\n"
	    "[user]\n\temail = \"y\"\n" },
	/* what is not kept */
	{ "[user]\nsigningkey = k\n", "" },
	{ "[core]\nsshCommand = evil\nautocrlf = input\npager = evil\n",
	    "[core]\n\tautocrlf = \"input\"\n" },
	{ "[core]\nhooksPath = /x\nfsmonitor = /x\neditor = x\n", "" },
	{ "[credential]\nhelper = store\n", "" },
	{ "[include]\npath = /x\n[includeIf \"gitdir:/\"]\npath=/y\n", "" },
	{ "[url \"https://u:p@h/\"]\ninsteadOf = x\n", "" },
	{ "[user \"x\"]\nname = y\n", "" },
	{ "[user.x]\nname = y\n", "" },
	{ "[user \"\"]\nname = y\n", "" },
	{ "[http]\nproxy = http://u:p@h\n", "" },
	{ "[filter \"lfs\"]\nclean = evil\nsmudge = evil\n", "" },
	{ "[aliasaliasaliasaliasaliasaliasalias]\nx = y\n", "" },
	{ "[alias]\nst = status\nx = !echo hi\n",
	    "[alias]\n\tst = \"status\"\n" },
	{ "[alias]\nco = checkout\n"
	  "p = push https://u:hunter2@example.org/r\n"
	  "q = push https://hunter2@example.org/r\n"
	  "t = -c http.x=GHP_hunter2 fetch\n"
	  "h = -c http.extraHeader=x fetch\n"
	  "k = push https://example.org/a@b\n"
	  "s = \\\"!sh\n",
	    "[alias]\n\tco = \"checkout\"\n"
	    "\tk = \"push https://example.org/a@b\"\n"
	    "\ts = \"\\\"!sh\"\n" },
	{ "[alias]\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa = y\n", "" },
	{ "[init]\ndefaultBranch = main\n",
	    "[init]\n\tdefaultbranch = \"main\"\n" },
	{ "[safe]\ndirectory = *\ndirectory = /w\n",
	    "[safe]\n\tdirectory = \"*\"\n\tdirectory = \"/w\"\n" },
	/* values */
	{ "[user]\nname\n", "[user]\n\tname\n" },
	{ "[user]\nname =\n", "[user]\n\tname = \"\"\n" },
	{ "[user]\nname =   a  b\t \n", "[user]\n\tname = \"a  b\"\n" },
	{ "[user]\nname = \"  a \" \n", "[user]\n\tname = \"  a \"\n" },
	{ "[user]\nname = a # c\n", "[user]\n\tname = \"a\"\n" },
	{ "[user]\nname = \"a # c\"; d\n", "[user]\n\tname = \"a # c\"\n" },
	{ "[user]\nname = a\\\n b\n", "[user]\n\tname = \"a b\"\n" },
	{ "[user]\nname = a\\\r\n b\n", "[user]\n\tname = \"a b\"\n" },
	{ "[user]\nname = a\\n\\t\\b\\\"\\\\b\n",
	    "[user]\n\tname = \"a\\n\\t\\b\\\"\\\\b\"\n" },
	{ "[user]\nname = a \"b\" c\n", "[user]\n\tname = \"a b c\"\n" },
	{ "[user]\nname = a\tb\n", "[user]\n\tname = \"a\\tb\"\n" },
	{ "[user]\nname = \\\n\\\nx\n", "[user]\n\tname = \"x\"\n" },
	{ "[user]\nname = \xff\xfe\n", "[user]\n\tname = \"\xff\xfe\"\n" },
	{ "[user]\nname = x\\\n[core]\neol = lf\n",
	    "[user]\n\tname = \"x[core]\"\n" },
	{ "[user]\nname = \"]\n[core]\"\n", NULL },
	/* what git refuses */
	{ "[user\nname = x\n", NULL },
	{ "[user]\nname = x\n[", NULL },
	{ "[user \"a]\nname = x\n", NULL },
	{ "[user \"a\nb\"]\nname = x\n", NULL },
	{ "[user \"a\" ]\nname = x\n", NULL },
	{ "[us er]\n", NULL },
	{ "[user]\n1name = x\n", NULL },
	{ "[user]\nna_me = x\n", NULL },
	{ "[user]\nname : x\n", NULL },
	{ "[user]\nname = \"x\n", NULL },
	{ "[user]\nname = \\x\n", NULL },
	{ "[user]\nname = x\\", NULL },
	{ "= x\n", NULL },
};

static bool
filters(cdn_str in, const char *want)
{
	struct cordon_error err = { .code = 99 };
	struct cdn_buf out;
	bool good;
	int r;

	cdn_buf_init(&out, 65536);
	cdn_buf_puts(&out, "head\n");
	r = cdn_gitconfig_filter(in, &out, &err);
	if (want == NULL)
		good = r == CORDON_E_INVALID && err.code == r &&
		    strcmp(out.p, "head\n") == 0;
	else
		good = r == 0 && err.code == 99 &&
		    strcmp(out.p + strlen("head\n"), want) == 0;
	if (!good)
		printf("# %d %s\n# %s\n", r, err.text, out.p);
	cdn_buf_done(&out);
	return good;
}

/* ----- What leads elsewhere -------------------------------------------------------- */

static const struct {
	const char *in, *want; /* "key=value;" of all */
} leading[] = {
	{ "", "" },
	{ "[core]\nhooksPath = .githooks\n", "hookspath=.githooks;" },
	{ "[CORE]\n\tHooksPath=\"a b\" # c\n", "hookspath=a b;" },
	{ "[core]\nhookspath\nbare = false\n", "" },
	{ "[core \"x\"]\nhookspath = a\n", "" },
	{ "[include]\npath = ../a\n[includeIf \"gitdir:~\"]\npath = b\\\\c\n",
	  "path=../a;path=b\\c;" },
	{ "[user]\nname = x\n[core]\nhookspath = a\n[", "hookspath=a;" },
};

static void
one_leading(const char *key, cdn_str value, void *arg)
{
	cdn_buf_printf(arg, "%s=%.*s;", key, CDN_STR_ARG(value));
}

static void
test_leading(void)
{
	for (size_t i = 0; i < CDN_LEN(leading); i++) {
		struct cdn_buf out;

		cdn_buf_init(&out, 4096);
		cdn_buf_puts(&out, "");
		(void)!cdn_gitconfig_leading(cdn_str_of(leading[i].in),
		    one_leading, &out, NULL);
		if (!ok_f(out.n == strlen(leading[i].want) &&
			(out.n == 0 || memcmp(out.p, leading[i].want, out.n) == 0),
			"leads to: %s", leading[i].want))
			printf("# got %.*s\n", (int)out.n, out.p);
		cdn_buf_done(&out);
	}
}

int
main(void)
{
	test_leading();
	for (size_t i = 0; i < CDN_LEN(cases); i++) {
		ok_f(filters(cdn_str_of(cases[i].in), cases[i].want), "%s %s",
		    cases[i].want == NULL ? "refused:" : "read:", cases[i].in);
		if (cases[i].want != NULL)
			ok(filters(cdn_str_of(cases[i].want), cases[i].want),
			    "... and what is kept reads as itself");
	}
	ok(filters(CDN_STR("[user]\nname = a\0b\n"), NULL), "no NUL bytes");
	return done_testing();
}
