/*
 * The harmless part of a git configuration, and of npm's and pip's: what is
 * kept reads as itself, holds nothing but what may be kept, and is bounded.
 * A configuration that may replace another one is one to both of its readers.
 */
#include <assert.h>

#include "enforce/home/gitconfig.h"
#include "enforce/home/rcfile.h"
#include "engine/decide/git_config.h"

#define INPUT_MAX 65536

static const char *const sections[] = { "[alias]", "[core]", "[init]",
	"[safe]", "[user]" };

static void
check_line(cdn_str line)
{
	bool known = line.n > 1 && line.p[0] == '\t';

	for (size_t i = 0; i < CDN_LEN(sections); i++)
		known |= cdn_str_is(line, sections[i]);
	assert(known || line.n == 0);
}

static void
check_git(cdn_str in)
{
	struct cdn_buf once, twice;
	cdn_str rest, line;

	cdn_buf_init(&once, 8 * INPUT_MAX);
	cdn_buf_init(&twice, 8 * INPUT_MAX);
	if (cdn_gitconfig_filter(in, &once, NULL) == 0) {
		int r;

		assert(!cdn_buf_failed(&once));
		rest = (cdn_str){ once.p, once.n };
		r = cdn_gitconfig_filter(rest, &twice, NULL);
		assert(r == 0);
		assert(once.n == twice.n &&
		    (once.n == 0 || memcmp(once.p, twice.p, once.n) == 0));
		while (cdn_str_next(&rest, '\n', &line))
			check_line(line);
	} else {
		assert(once.n == 0);
	}
	cdn_buf_done(&once);
	cdn_buf_done(&twice);
}

static void
check_rc(cdn_str in, void (*filter)(cdn_str, struct cdn_buf *))
{
	struct cdn_buf once, twice;

	cdn_buf_init(&once, 8 * INPUT_MAX);
	cdn_buf_init(&twice, 8 * INPUT_MAX);
	filter(in, &once);
	assert(!cdn_buf_failed(&once));
	filter((cdn_str){ once.p, once.n }, &twice);
	assert(once.n == twice.n &&
	    (once.n == 0 || memcmp(once.p, twice.p, once.n) == 0));
	assert(once.n == 0 || memmem(once.p, once.n, "${", 2) == NULL);
	cdn_buf_done(&once);
	cdn_buf_done(&twice);
}

/* Behind a harmless one; what is accepted names nothing by another way. */
static void
check_replaced(cdn_str in)
{
	static const char old[] = "[core]\n\tbare = false\n";
	struct cdn_arena *arena = cdn_arena_new();
	struct cdn_buf now;

	cdn_buf_init(&now, 2 * INPUT_MAX);
	cdn_buf_puts(&now, old);
	cdn_buf_str(&now, in);
	assert(arena != NULL && !cdn_buf_failed(&now));
	if (cdn_git_config_may_replace(arena, cdn_str_of(old),
		(cdn_str){ now.p, now.n })) {
		struct cdn_buf kept;
		cdn_str rest, line;
		int r;

		/* The other reader of this syntax reads it, too. */
		cdn_buf_init(&kept, 8 * INPUT_MAX);
		r = cdn_gitconfig_filter((cdn_str){ now.p, now.n }, &kept,
		    NULL);
		assert(r == 0 && !cdn_buf_failed(&kept));
		rest = (cdn_str){ kept.p, kept.n };
		while (cdn_str_next(&rest, '\n', &line))
			assert(!cdn_str_is(line, "[alias]") &&
			    !cdn_str_is(line, "[safe]"));
		cdn_buf_done(&kept);
	}
	cdn_buf_done(&now);
	cdn_arena_free(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cdn_str in = { (const char *)data, size };

	if (size > INPUT_MAX)
		return 0;
	check_git(in);
	check_replaced(in);
	check_rc(in, cdn_rcfile_npm);
	check_rc(in, cdn_rcfile_pip);
	return 0;
}
