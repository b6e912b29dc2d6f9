/*
 * What an agent says to its hook, whatever it is: read without harm, in every
 * dialect; what was read is what the tables know; the answer is one line of JSON
 * that says no when there is a reason.
 */
#include "engine/dialect/dialect.h"

#include <assert.h>

static void
check_answer(const struct cdn_dialect *dialect,
    const struct cdn_dialect_event *event, const char *reason,
    struct cdn_arena *arena)
{
	struct cdn_json json;
	struct cdn_buf out;
	int r;

	cdn_buf_init(&out, 65536);
	cdn_dialect_answer(dialect, event, reason, &out);
	assert(!cdn_buf_failed(&out) && out.n > 0);
	assert(memchr(out.p, '\n', out.n) == out.p + out.n - 1);
	r = cdn_json_parse((cdn_str){ out.p, out.n }, NULL, arena, &json,
	    NULL);
	assert(r == 0);
	assert((strstr(out.p, "deny") != NULL) == (reason != NULL));
	cdn_buf_done(&out);
}

static void
check_patch(cdn_str text)
{
	struct cdn_patch_file file;
	size_t at = 0, before = 0;

	while (cdn_patch_next(text, &at, &file)) {
		assert(at > before && at <= text.n);
		assert(file.path.n <= text.n);
		before = at;
	}
	(void)cdn_patch_is(text);
}

static void
check_call(const struct cdn_dialect_call *call, struct cdn_arena *arena)
{
	assert(call->event != NULL && call->input != NULL);
	assert(call->input->type == CDN_JSON_OBJECT);
	assert(call->row == NULL || !call->mcp);
	assert(!call->mcp || call->mcp_tool.n <= call->tool.n);
	check_answer(call->dialect, call->event, NULL, arena);
	check_answer(call->dialect, call->event, "it is so", arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cdn_str text = { (const char *)data, size };

	for (int i = 0; i < CORDON_HOOK_AGENT_MAX; i++) {
		struct cdn_arena *arena = cdn_arena_new();
		struct cdn_dialect_call call;

		if (cdn_dialect_read((enum cordon_hook_agent)i, text, arena,
			&call, NULL) == 0)
			check_call(&call, arena);
		cdn_arena_free(arena);
	}
	check_patch(text);
	return 0;
}
