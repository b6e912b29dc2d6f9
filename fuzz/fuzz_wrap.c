/*
 * A client's configuration: '{' or '[' begins JSON, anything else is TOML.  What
 * is accepted can be undone to the byte, is accepted again, and then stays as it
 * is.
 */
#include "engine/wrap/wrap.h"

#include <assert.h>

static int
rewrite(cdn_str text, bool undo, struct cdn_arena *arena, struct cdn_buf *out,
    size_t *ret_edits)
{
	const struct cdn_wrap_options options = {
		.language = text.n > 0 && (text.p[0] == '{' ||
		    text.p[0] == '/') ? CDN_WRAP_JSON : CDN_WRAP_TOML,
		.command = "cordon", .undo = undo };
	struct cdn_wrap_result result;
	int code = cdn_wrap(text, &options, arena, &result, NULL);

	if (code != 0)
		return code;
	*ret_edits = result.n;
	cdn_wrap_apply(text, &result, out);
	for (size_t i = 0; i < result.n; i++)
		assert(result.edits[i].start <= result.edits[i].end &&
		    result.edits[i].end <= text.n && (i == 0 ||
			result.edits[i - 1].end <= result.edits[i].start));
	return 0;
}

static void
check(cdn_str text, struct cdn_arena *arena, struct cdn_buf bufs[4])
{
	size_t edits, more;
	cdn_str now;

	/* Without what we wrote before, if the input holds such. */
	if (rewrite(text, true, arena, &bufs[0], &edits) != 0)
		return;
	if (edits > 0)
		return;
	if (rewrite(text, false, arena, &bufs[1], &edits) != 0)
		return;
	now = (cdn_str){ bufs[1].p, bufs[1].n };
	assert(rewrite(now, false, arena, &bufs[2], &more) == 0 && more == 0);
	assert(rewrite(now, true, arena, &bufs[3], &more) == 0);
	assert(cdn_str_eq((cdn_str){ bufs[3].p, bufs[3].n }, text));
	bufs[0].n = 0;
	cdn_wrap_diff(text, &(struct cdn_wrap_result){ .n = 0 }, "f", &bufs[0]);
	assert(bufs[0].n == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cdn_arena *arena = cdn_arena_new();
	struct cdn_buf bufs[4];

	for (size_t i = 0; i < CDN_LEN(bufs); i++)
		cdn_buf_init(&bufs[i], 64 * size + 65536);
	check((cdn_str){ (const char *)data, size }, arena, bufs);
	for (size_t i = 0; i < CDN_LEN(bufs); i++)
		cdn_buf_done(&bufs[i]);
	cdn_arena_free(arena);
	return 0;
}
