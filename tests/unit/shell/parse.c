#include "engine/shell/shell.h"

#include "support/tap.h"

/*
 * What a command becomes: words in order, each with a letter for its role
 * (c a = < > t r), '?' behind it when not all of it is known, '~' when a home
 * is; commands are told apart by '|'.
 */
static const struct {
	const char *command;
	const char *want;
	const char *flags; /* s simple, d dynamic, q sequential */
} reads[] = {
	{ "git status", "c:git a:status", "sq" },
	{ "  git\tstatus \n", "c:git a:status", "sq" },
	{ "echo a\\ b 'c d' \"e f\"g ''", "c:echo a:a b a:c d a:e fg a:", "sq" },
	{ "echo 'it'\\''s'", "c:echo a:it's", "sq" },
	{ "echo \"a\\$b\\x\"", "c:echo a:a$b\\x", "sq" },
	{ "a\\\nb c", "c:ab a:c", "sq" },
	{ "ls # not this", "c:ls", "sq" },
	{ "ls a#b", "c:ls a:a#b", "sq" },
	{ "echo $", "c:echo a:$", "sq" },
	{ "echo 'a'$", "c:echo a:a$", "sq" },
	{ "find . -exec x {} ';'", "c:find a:. a:-exec a:x a:{} a:;", "sq" },

	/* more than one command */
	{ "a; b", "c:a|c:b", "q" },
	{ "a && b", "c:a|c:b", "q" },
	{ "a\nb", "c:a|c:b", "q" },
	{ "a & b", "c:a|c:b", "" },
	{ "a || b", "c:a|c:b", "" },
	{ "a | b", "c:a|c:b", "" },
	{ "a |& b", "c:a|c:b", "" },
	{ "(a; b)", "c:a|c:b", "" },
	{ "a;", "c:a", "q" },
	{ "f() { a; }", "c:f|r:{ c:a|r:}", "" },
	{ "{ a; }", "r:{ c:a|r:}", "" },
	{ "! a", "r:! c:a", "" },
	{ "if a; then b; fi", "r:if c:a|r:then c:b|r:fi", "" },
	{ "for i in 1 2; do a; done", "r:for a:i a:in a:1 a:2|r:do c:a|r:done",
	    "" },
	{ "case x in a|b) c;; *) d;; esac",
	    "r:case a:x a:in a:a|c:b|c:c|c:*?|c:d|r:esac", "d" },
	{ "echo if", "c:echo a:if", "sq" },
	{ "'if' x", "c:if a:x", "sq" },

	/* assignments and redirections */
	{ "A=1 b", "=:A=1 c:b", "q" },
	{ "A+=1 b", "=:A+=1 c:b", "q" },
	{ "b A=1", "c:b a:A=1", "sq" },
	{ "1=2 b", "c:1=2 a:b", "sq" },
	{ "a <i >o", "c:a <:i >:o", "q" },
	{ "a >>o 2>&1", "c:a >:o", "q" },
	{ "a 2>e", "c:a >:e", "q" },
	{ "a 2 >e", "c:a a:2 >:e", "q" },
	{ "a >&-", "c:a", "q" },
	{ "a >&o", "c:a >:o", "q" },
	{ "a &>o", "c:a >:o", "q" },
	{ "a &>>o b", "c:a >:o a:b", "q" },
	{ "a <>o >|p", "c:a >:o >:p", "q" },
	{ ">o a", ">:o c:a", "q" },
	{ "a <<<t", "c:a t:t", "q" },
	{ "a <<E\n/etc/x\nE\nb", "c:a|c:b", "q" },
	{ "a <<E\n$x\nE", "c:a", "dq" },
	{ "a <<'E'\n$x\nE", "c:a", "q" },
	{ "a <<-E\n\tx\n\tE\nb", "c:a|c:b", "q" },
	{ "a <<E <<F\n1\nE\n2\nF\nb", "c:a|c:b", "q" },

	/* what only a shell would know */
	{ "cat $x", "c:cat a:$x?", "dq" },
	{ "cat a/$x", "c:cat a:a/$x?", "dq" },
	{ "cat \"$x\"y", "c:cat a:$xy?", "dq" },
	{ "cat '$x'", "c:cat a:$x", "sq" },
	{ "cat ${x:-'}'}", "c:cat a:${x:-'}'}?", "dq" },
	{ "cat $((1 + (2)))", "c:cat a:$((1 + (2)))?", "dq" },
	{ "cat $'a\\'b'", "c:cat a:$'a\\'b'?", "dq" },
	{ "ls *.c", "c:ls a:*.c?", "dq" },
	{ "ls '*.c' \\?", "c:ls a:*.c a:?", "sq" },
	{ "ls {a,b}", "c:ls a:{a,b}?", "dq" },
	{ "ls ~/x", "c:ls a:~/x~", "dq" },
	{ "ls '~/x' a~", "c:ls a:~/x a:a~", "sq" },
	{ "A=~/x b", "=:A=~/x~ c:b", "dq" },
	{ "eval a", "c:eval a:a", "sdq" },
	{ "/bin/sh -c a", "c:/bin/sh a:-c a:a", "sdq" },

	/* commands inside words */
	{ "a $(b c)", "c:a|c:b a:c|a:$(b c)?", "dq" },
	{ "a `b c`", "c:a|c:b a:c|a:`b c`?", "dq" },
	{ "a \"$(b)\"", "c:a|c:b|a:$(b)?", "dq" },
	{ "a `b \\`c\\``", "c:a|c:b|c:c|a:`c`?|a:`b \\`c\\``?", "dq" },
	{ "a $(b $(c))", "c:a|c:b|c:c|a:$(c)?|a:$(b $(c))?", "dq" },
	{ "a <(b)", "c:a|c:b", "dq" },
	{ "a $(case x in y) b;; esac)",
	    "c:a|r:case a:x a:in a:y|c:b|r:esac|"
	    "a:$(case x in y) b;; esac)?", "d" },
};

static const struct {
	const char *command;
	const char *why;
} refuses[] = {
	{ "", "there is none" },
	{ " \n", "there is none" },
	{ "# a", "there is none" },
	{ "a 'b", "a quote is not closed" },
	{ "a \"b", "a quote is not closed" },
	{ "a `b", "a quote is not closed" },
	{ "a \"`b\"", "a quote is not closed" },
	{ "a `b\\", "a quote is not closed" },
	{ "a ${b\\", "is not closed" },
	{ "a \\", "it ends in a backslash" },
	{ "a $(b", "'(' is not closed" },
	{ "a $((1)", "is not closed by" },
	{ "a ${b", "an expansion is not closed" },
	{ "(a", "'(' is not closed" },
	{ "a)", "')' without '('" },
	{ "a >", "a redirection leads nowhere" },
	{ "a > ; b", "a redirection leads nowhere" },
	{ "a <<E\nb", "a here-document does not end" },
	{ "a <<E", "a here-document does not end" },
	{ "if a; then b", "a block is begun and does not end" },
	{ "a; done", "a block ends that was not begun" },
	{ "a $(b 'c)", "a quote is not closed" },
};

static void
put_word(FILE *out, const struct cdn_shell_word *w, const char *before)
{
	static const char letters[] = { 'c', 'a', '=', '<', '>', 't', 'r' };

	fprintf(out, "%s%c:%.*s%s%s", before, letters[w->role],
	    CDN_STR_ARG(w->text), w->known < w->text.n ? "?" : "",
	    w->home || w->home_value ? "~" : "");
}

static void
check_reads(const char *command, const char *want, const char *want_flags)
{
	struct cdn_arena *arena = cdn_arena_new();
	struct cdn_shell s = { 0 };
	struct cordon_error err = { 0 };
	char *text = NULL, flags[8];
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	int code = cdn_shell_parse(arena, cdn_str_of(command), &s, &err);

	for (size_t i = 0; i < s.n; i++)
		put_word(out, &s.v[i], i == 0 ? "" :
		    s.v[i].command == s.v[i - 1].command ? " " : "|");
	fclose(out);
	snprintf(flags, sizeof(flags), "%s%s%s", s.simple ? "s" : "",
	    s.dynamic ? "d" : "", s.sequential ? "q" : "");
	ok_f(code == 0 && strcmp(text, want) == 0 &&
		strcmp(flags, want_flags) == 0,
	    "%s: %s [%s] %s", command, text, flags, err.text);
	free(text);
	cdn_arena_free(arena);
}

static void
check_refuses(const char *command, const char *why)
{
	struct cdn_arena *arena = cdn_arena_new();
	struct cdn_shell s = { .n = 77 };
	struct cordon_error err = { 0 };
	int code = cdn_shell_parse(arena, cdn_str_of(command), &s, &err);

	ok_f(code == CORDON_E_INVALID && s.n == 77 &&
		strstr(err.text, why) != NULL,
	    "refused: %s: %s", command, err.text);
	cdn_arena_free(arena);
}

/* A limit refuses; right below it all is well. */
static void
check_limits(void)
{
	char *deep = NULL;
	size_t size = 0;

	for (int over = 0; over <= 1; over++) {
		struct cdn_arena *arena = cdn_arena_new();
		FILE *out = open_memstream(&deep, &size);
		struct cdn_shell s;
		int code;

		for (int i = 0; i < CDN_DEPTH_MAX + over; i++)
			fputs("a $(", out);
		fputs("b", out);
		for (int i = 0; i < CDN_DEPTH_MAX + over; i++)
			fputs(")", out);
		fclose(out);
		code = cdn_shell_parse(arena, cdn_str_of(deep), &s, NULL);
		ok_f((code == 0) == (over == 0), "%d commands in each other",
		    CDN_DEPTH_MAX + over);
		free(deep);
		cdn_arena_free(arena);
	}
}

static void
check_bytes(void)
{
	struct cdn_arena *arena = cdn_arena_new();
	struct cdn_shell s;
	char *many = malloc(CDN_SHELL_MAX + 1);

	ok(cdn_shell_parse(arena, CDN_STR("a\0b"), &s, NULL) ==
	    CORDON_E_INVALID, "NUL is refused");
	memset(many, 'x', CDN_SHELL_MAX + 1);
	ok(cdn_shell_parse(arena, (cdn_str){ many, CDN_SHELL_MAX }, &s,
	    NULL) == 0, "as long as it may be");
	ok(cdn_shell_parse(arena, (cdn_str){ many, CDN_SHELL_MAX + 1 }, &s,
	    NULL) == CORDON_E_INVALID, "longer than it may be");
	for (size_t i = 1; i < CDN_SHELL_MAX; i += 2)
		many[i] = ' ';
	ok(cdn_shell_parse(arena,
	    (cdn_str){ many, (size_t)CDN_SHELL_WORDS_MAX * 2 }, &s,
	    NULL) == 0, "as many words as may be");
	ok(cdn_shell_parse(arena,
	    (cdn_str){ many, (size_t)CDN_SHELL_WORDS_MAX * 2 + 1 }, &s,
	    NULL) == CORDON_E_INVALID, "one word too many");
	free(many);
	cdn_arena_free(arena);
}

int
main(void)
{
	for (size_t i = 0; i < CDN_LEN(reads); i++)
		check_reads(reads[i].command, reads[i].want, reads[i].flags);
	for (size_t i = 0; i < CDN_LEN(refuses); i++)
		check_refuses(refuses[i].command, refuses[i].why);
	check_limits();
	check_bytes();
	return done_testing();
}
