#include "engine/shell/rules.h"

#include "support/tap.h"

/*
 * The paths in the words behind the first, with '~' for homes, '+' for
 * prefixes, '?' for guesses.
 */
static const struct {
	const char *command;
	const char *want;
} finds[] = {
	{ "x a", "a" },
	{ "x /etc/x ../y", "/etc/x ../y" },
	{ "x -v --long -", "" },
	{ "x -C/etc", "/etc" },
	{ "x -C~/a", "~/a" },
	{ "x --file=/etc/x", "/etc/x" },
	{ "x --file=a/b", "a/b a/b?" },
	{ "x --name=value", "value?" },
	{ "x if=/dev/sda", "if=/dev/sda /dev/sda if?" },
	{ "x --file=~/x", "~/x~" },
	{ "x '--file=~/x'", "~/x" },
	{ "x ~/x", "~/x~" },
	{ "x '~/x'", "~/x" },
	{ "x https://h/etc/passwd git+ssh://h/x", "" },
	{ "x file:///etc/passwd", "/etc/passwd" },
	{ "x file://LocalHost/etc/passwd", "/etc/passwd" },
	{ "x 'a=<b'", "a=<b a? <b? b?" },
	{ "x FILE:///etc/passwd", "/etc/passwd" },
	{ "x --url=file:///etc/x", "/etc/x file:///etc/x? file?" },
	{ "x --url=https://h/x", "https://h/x? https?" },
	{ "x a:/etc", "a:/etc /etc a?" },
	{ "x -v/a:/etc", "/a:/etc /etc" },
	{ "x @/etc/x -d@/etc/x", "@/etc/x /etc/x /etc/x @/etc/x?" },
	{ "x a,/etc", "a,/etc /etc a?" },
	{ "x /etc/*", "/etc/+" },
	{ "x /$x", "/+" },
	{ "x $x/y", "" },
	{ "x src/*.c *.c", "src/+" },
	{ "x --f=/etc/$x", "/etc/+" },
	{ "P=/a:/b x", "/a:/b /b" },
	{ "x <i >/o <<<t", "i /o" },
	{ "x ''", "" },
	{ "x -fa.b", "a.b? .b?" },
	{ "x -xvfa.b", "vfa.b? fa.b? a.b? .b?" },
	{ "x -f=a", "=a? a?" },
	{ "x -d@a", "@a? a?" },
	{ "x f=@a;t", "f=@a f? @a? a?" },
	{ "x 'f=@a;t=u'", "f=@a;t=u f? @a;t=u? a;t=u? a? t=u? t? u?" },
	{ "x h:a", "h:a h? a?" },
	{ "x --a=b$c,d", "" },
	{ "x s,../a,b,", "s,../a,b, s? b,? b?" },
	{ "P=a x", "a?" },
	{ "x -abcdefghijklmnopqrs/t", "bcdefghijklmnopqrs/t? "
	    "cdefghijklmnopqrs/t? defghijklmnopqrs/t? efghijklmnopqrs/t? "
	    "fghijklmnopqrs/t? ghijklmnopqrs/t? hijklmnopqrs/t? "
	    "ijklmnopqrs/t? jklmnopqrs/t? klmnopqrs/t? lmnopqrs/t? "
	    "mnopqrs/t? nopqrs/t? opqrs/t? pqrs/t? qrs/t?" },
};

/* Behind each word: w written, m moved, s surely, i into, p a part of it. */
static const struct {
	const char *command;
	const char *want;
} uses[] = {
	{ "x a", "a:s" },
	{ "tee a -x b", "a:ws -x b:ws" },
	{ "/usr/bin/tee a", "a:ws" },
	{ "tee -- -x", "-- -x:ws" },
	{ "tee --long a b", "--long a:w b:ws" },
	{ "tee --long=v a", "--long=v a:ws" },
	{ "cp a b c", "a:s b:s c:wsi" },
	{ "cp -t a b", "-t a:wsi b:s" },
	{ "cp -rta b", "-rta:wip b:s" },
	{ "cp --target-dir=a b", "--target-dir=a:wip b:s" },
	{ "cp -S a b c", "-S a b:s c:wsi" },
	{ "mv a b", "a:ms b:wsi" },
	{ "install -d a b", "-d a:ws b:wsi" },
	{ "chmod +x a", "+x:w a:ws" },
	{ "sed s/a/b/ a", "s/a/b/:s a:s" },
	{ "sed -i s/a/b/ a", "-i s/a/b/:w a:ws" },
	{ "sed -nie p a", "-nie p:w a:ws" },
	{ "sed -ei a", "-ei a:s" },
	{ "dd if=a of=b", "if=a:s of=b:wp" },
	{ "sort -o a b", "-o a:ws b:s" },
	{ "x --output a --output=b", "--output a:w --output=b:wp" },
	{ "x --output-dir a --prefix=b", "--output-dir a:w --prefix=b:wp" },
	{ "x --directory=c", "--directory=c:wp" },
	{ "ls --directory a", "--directory a" },
	{ "tar xf a -C b", "xf:s a:s -C b:ws" },
	{ "tar cf a -C b c", "cf:s a:s -C b c:s" },
	{ "unzip a -d b", "a:s -d b:ws" },
	{ "rsync -a a b", "-a a:s b:wsi" },
	{ "mknod a p", "a:ws p:ws" },
	{ "sponge a", "a:ws" },
	{ "go build -o a", "build:s -o a:ws" },
	{ "env A=b nice -n 5 tee a", "A=b nice -n 5 tee a:w" },
	{ "env", "" },
	{ "tee $(rm a) b; x c", "a:ws $(rm a):ws b:ws c:s" },
	{ "tee <a >b", "a b" },
};

static const struct {
	const char *path;
	bool want;
} pseudo[] = {
	{ "/dev/null", true },
	{ "/dev/stdin", true },
	{ "/dev/fd/3", true },
	{ "/dev/tty", true },
	{ "/dev/fd/", false },
	{ "/dev/fd/../sda", false },
	{ "/dev/sda", false },
	{ "/dev/nullx", false },
	{ "/dev/null/x", false },
	{ "dev/null", false },
};

static bool
put_path(const struct cdn_shell_path *path, void *arg)
{
	fprintf(arg, " %.*s%s%s", CDN_STR_ARG(path->path),
	    path->home ? "~" : "", path->prefix ? "+" : path->guess ? "?" :
	    "");
	return true;
}

static void
check_finds(const char *command, const char *want)
{
	struct cdn_arena *arena = cdn_arena_new();
	struct cdn_shell s = { 0 };
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	int code = cdn_shell_parse(arena, cdn_str_of(command), &s, NULL);

	for (size_t i = 0; i < s.n; i++)
		if (s.v[i].role != CDN_SHELL_COMMAND &&
		    s.v[i].role != CDN_SHELL_TEXT)
			cdn_shell_paths(&s.v[i], put_path, out);
	fclose(out);
	ok_f(code == 0 && strcmp(text + (text[0] == ' '), want) == 0,
	    "%s:%s", command, text);
	free(text);
	cdn_arena_free(arena);
}

static void
put_use(const struct cdn_shell_word *word, FILE *out)
{
	static const char letters[] = { [CDN_SHELL_USE_WRITE] = 'w',
		[CDN_SHELL_USE_MOVE] = 'm' };

	fprintf(out, " %.*s", CDN_STR_ARG(word->text));
	if (word->use != CDN_SHELL_USE_READ || word->sure)
		fputc(':', out);
	if (word->use != CDN_SHELL_USE_READ)
		fputc(letters[word->use], out);
	fprintf(out, "%s%s%s", word->sure ? "s" : "", word->into ? "i" : "",
	    word->part ? "p" : "");
}

static const struct {
	const char *command;
	bool want;
} started[] = {
	{ "env A=b sh -c x", true },
	{ "sudo -u y /bin/bash x", true },
	{ "timeout 5 xargs rm", true },
	{ "find . -name x -exec rm {} +", true },
	{ "find . -delete", true },
	{ "nice find . -okdir x", true },
	{ "su -c x", true },
	{ "sudo su root -c x", true },
	{ "script -qc x /dev/null", true },
	{ "env -S 'cat x'", true },
	{ "sudo env -iS 'cat x'", true },
	{ "env --split-string='cat x'", true },
	{ "flock l -c x", true },
	{ "watch x", true },
	{ "nsenter -t 1 sh", true },
	{ "busybox sh -c x", true },
	{ "bash -lc x", true },
	{ "env ls -S", false },
	{ "sudo -S ls", false },
	{ "timeout 5 ls", false },
	{ "find . -name sh", false },
	{ "env ls sh.c", false },
	{ "grep -exec sh", false },
	{ "tee sh", false },
};

static void
check_started(void)
{
	for (size_t i = 0; i < CDN_LEN(started); i++) {
		struct cdn_arena *arena = cdn_arena_new();
		struct cdn_shell s = { 0 };

		ok_f(cdn_shell_parse(arena, cdn_str_of(started[i].command), &s,
			NULL) == 0 && cdn_shell_operands(arena, &s, NULL) == 0 &&
			s.dynamic == started[i].want, "%s: %s",
		    started[i].command, started[i].want ? "dynamic" : "plain");
		cdn_arena_free(arena);
	}
}

static void
check_uses(const char *command, const char *want)
{
	struct cdn_arena *arena = cdn_arena_new();
	struct cdn_shell s = { 0 };
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	int code = cdn_shell_parse(arena, cdn_str_of(command), &s, NULL);

	if (code == 0)
		code = cdn_shell_operands(arena, &s, NULL);
	for (size_t i = 0; i < s.n; i++)
		if (s.v[i].role != CDN_SHELL_COMMAND)
			put_use(&s.v[i], out);
	fclose(out);
	ok_f(code == 0 && strcmp(text + (text[0] == ' '), want) == 0,
	    "%s:%s", command, text);
	free(text);
	cdn_arena_free(arena);
}

/* ----- Rules ---------------------------------------------------------------- */

static const char *const patterns[] = { "git push", "git", "make 'a b'" };

static const struct {
	const char *command;
	int want;
} fits[] = {
	{ "git push", 0 },
	{ "git 'push' -f", 0 },
	{ "git  push", 0 },
	{ "git pushx", 1 },
	{ "git -C x push", 1 },
	{ "gitx push", CDN_SHELL_NO_RULE },
	{ "/usr/bin/git push", CDN_SHELL_NO_RULE },
	{ "make a\\ b", 2 },
	{ "make a b", CDN_SHELL_NO_RULE },
	{ "git push; x", CDN_SHELL_NO_RULE },
	{ "git push &", CDN_SHELL_NO_RULE },
	{ "git push >x", CDN_SHELL_NO_RULE },
	{ "git push $(x)", CDN_SHELL_NO_RULE },
	{ "git push `x`", CDN_SHELL_NO_RULE },
	{ "git push $x", CDN_SHELL_NO_RULE },
	{ "git push *", CDN_SHELL_NO_RULE },
	{ "git push ~", CDN_SHELL_NO_RULE },
	{ "A=b git push", CDN_SHELL_NO_RULE },
	{ "(git push)", CDN_SHELL_NO_RULE },
	{ "! git push", CDN_SHELL_NO_RULE },
	{ "git push <<E\nE", CDN_SHELL_NO_RULE },
	{ "git push\nx", CDN_SHELL_NO_RULE },
};

static void
check_rules(void)
{
	struct cdn_arena *arena = cdn_arena_new();
	struct cdn_shell_rule rules[CDN_LEN(patterns)];

	for (size_t i = 0; i < CDN_LEN(patterns); i++)
		ok_f(cdn_shell_rule_build(arena, cdn_str_of(patterns[i]),
			i == 0, &rules[i], NULL) == 0, "pattern %s",
		    patterns[i]);
	ok(cdn_shell_rule_build(arena, CDN_STR("a; b"), true, &rules[0],
	    NULL) == CORDON_E_INVALID, "a compound pattern is refused");
	for (size_t i = 0; i < CDN_LEN(fits); i++) {
		struct cdn_shell s = { 0 };
		int code = cdn_shell_parse(arena, cdn_str_of(fits[i].command),
		    &s, NULL);

		ok_f(code == 0 && cdn_shell_rule_find(rules, CDN_LEN(rules),
			&s) == fits[i].want, "%s: rule %d", fits[i].command,
		    fits[i].want);
	}
	ok(cdn_shell_rule_decide(rules, 0, CDN_SHELL_DEFAULT_ALLOW) ==
		CORDON_ASK &&
	    cdn_shell_rule_decide(rules, 1, CDN_SHELL_DEFAULT_NONE) ==
		CORDON_ALLOW, "a rule decides");
	ok(cdn_shell_rule_decide(rules, CDN_SHELL_NO_RULE,
	       CDN_SHELL_DEFAULT_NONE) == CORDON_DENY &&
	    cdn_shell_rule_decide(rules, CDN_SHELL_NO_RULE,
		CDN_SHELL_DEFAULT_ASK) == CORDON_ASK &&
	    cdn_shell_rule_decide(rules, CDN_SHELL_NO_RULE,
		CDN_SHELL_DEFAULT_ALLOW) == CORDON_ALLOW,
	    "without one the default does");
	cdn_arena_free(arena);
}

static void
check_programs(void)
{
	const char *const list[] = { "git", "/usr/bin/make" };
	char rule[32], cut[6];

	ok(cdn_programs_allow(list, 2, true, "git") &&
	    cdn_programs_allow(list, 2, false, "/usr/bin/make"), "listed");
	ok(!cdn_programs_allow(list, 2, true, "make") &&
	    !cdn_programs_allow(list, 2, false, "/usr/bin/git"), "not listed");
	ok(!cdn_programs_allow(list, 0, true, "git"), "none are allowed");
	ok(cdn_programs_allow(list, 0, false, "git"), "there is no list");
	cdn_programs_rule(list, 2, rule, sizeof(rule));
	ok_f(strcmp(rule, "git, /usr/bin/make") == 0, "the rule is %s", rule);
	cdn_programs_rule(list, 2, cut, sizeof(cut));
	ok_f(strcmp(cut, "git, ") == 0, "cut, never overrun: %s", cut);
	cdn_programs_rule(list, 0, rule, sizeof(rule));
	ok_f(strcmp(rule, "<no allowed programs>") == 0, "none: %s", rule);
}

int
main(void)
{
	for (size_t i = 0; i < CDN_LEN(finds); i++)
		check_finds(finds[i].command, finds[i].want);
	for (size_t i = 0; i < CDN_LEN(uses); i++)
		check_uses(uses[i].command, uses[i].want);
	for (size_t i = 0; i < CDN_LEN(pseudo); i++)
		ok_f(cdn_shell_pseudo_path(cdn_str_of(pseudo[i].path)) ==
			pseudo[i].want, "%s is %spseudo", pseudo[i].path,
		    pseudo[i].want ? "" : "not ");
	check_started();
	check_rules();
	check_programs();
	return done_testing();
}
