/*
 * The reader of shell commands: it ends, stays in its bounds, gives words that
 * lie where they say, and what is called simple is read the same when it is
 * written out again in quotes.
 */
#include <assert.h>

#include "base/buf.h"
#include "engine/shell/rules.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool
check_path(const struct cdn_shell_path *path, void *arg)
{
	const struct cdn_shell_word *word = arg;

	assert(path->path.n > 0);
	assert(path->path.p >= word->text.p &&
	    path->path.p + path->path.n <= word->text.p + word->text.n);
	assert(!path->whole || path->path.p == word->text.p);
	(void)cdn_shell_pseudo_path(path->path);
	return true;
}

/* 'it'\''s' */
static void
quote(struct cdn_buf *buf, cdn_str text)
{
	cdn_buf_putc(buf, '\'');
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] == '\'')
			cdn_buf_puts(buf, "'\\''");
		else
			cdn_buf_putc(buf, text.p[i]);
	cdn_buf_puts(buf, "' ");
}

static void
check_again(struct cdn_arena *arena, const struct cdn_shell *first)
{
	struct cdn_shell again;
	struct cdn_shell_rule rule;
	struct cdn_buf buf;

	cdn_buf_init(&buf, CDN_SHELL_MAX);
	for (size_t i = 0; i < first->n; i++)
		quote(&buf, first->v[i].text);
	if (!cdn_buf_failed(&buf)) {
		cdn_str text = { buf.p, buf.n };

		assert(cdn_shell_parse(arena, text, &again, NULL) == 0);
		assert(again.simple && again.n == first->n);
		for (size_t i = 0; i < first->n; i++)
			assert(cdn_str_eq(again.v[i].text, first->v[i].text));
		assert(cdn_shell_rule_build(arena, text, true, &rule, NULL) ==
		    0);
		assert(cdn_shell_rule_find(&rule, 1, first) == 0);
	}
	cdn_buf_done(&buf);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cdn_arena *arena = cdn_arena_new();
	struct cdn_shell shell;

	if (arena != NULL && cdn_shell_parse(arena,
		(cdn_str){ (const char *)data, size }, &shell, NULL) == 0 &&
	    cdn_shell_operands(arena, &shell, NULL) == 0) {
		assert(shell.n > 0 && shell.n <= CDN_SHELL_WORDS_MAX);
		for (size_t i = 0; i < shell.n; i++) {
			assert(shell.v[i].known <= shell.v[i].text.n);
			assert(shell.v[i].command < shell.commands);
			assert(shell.v[i].next > i && shell.v[i].next <= shell.n);
			assert(!shell.simple ||
			    shell.v[i].known == shell.v[i].text.n);
			cdn_shell_paths(&shell.v[i], check_path, &shell.v[i]);
		}
		if (shell.simple)
			check_again(arena, &shell);
	}
	cdn_arena_free(arena);
	return 0;
}
