/* engine/dialect, with every allocation failing once. */
#include "engine/dialect/install.h"
#include "support/chaos.h"

static int
answer(struct cdn_arena *arena, struct cdn_buf *out)
{
	struct cdn_dialect_call call;
	int code = cdn_dialect_read(CORDON_HOOK_CURSOR,
	    CDN_STR("{\"hook_event_name\":\"beforeMCPExecution\",\"tool_n\\u0061me"
		    "\":\"\\u0071\",\"workspace_roots\":[\"\\/w\"],\"cwd\":\"\\/w"
		    "\",\"tool_input\":\"{\\\"path\\\":\\\"\\/x\\\"}\"}"),
	    arena, &call, NULL);

	if (code == 0)
		cdn_dialect_answer(call.dialect, call.event, "no", out);
	return cdn_buf_failed(out) ? CORDON_E_NOMEM : code;
}

static int
install(struct cdn_arena *arena, struct cdn_buf *out)
{
	const struct cdn_install_spec spec = {
		.dialect = cdn_dialect(CORDON_HOOK_CURSOR),
		.program = "/usr/bin/cordon",
	};
	struct cdn_wrap_result edits;
	cdn_str text = CDN_STR("{\"hooks\":{\"preToolUse\":[{}],},}");
	int code = cdn_install_add(text, &spec, arena, &edits, NULL);

	if (code == 0)
		cdn_wrap_apply(text, &edits, out);
	return cdn_buf_failed(out) ? CORDON_E_NOMEM : code;
}

static int
with_memory(int (*step)(struct cdn_arena *arena, struct cdn_buf *out))
{
	struct cdn_arena *arena = cdn_arena_new();
	struct cdn_buf out;
	int code;

	cdn_buf_init(&out, 65536);
	code = arena == NULL ? CORDON_E_NOMEM : step(arena, &out);
	cdn_buf_done(&out);
	cdn_arena_free(arena);
	return code;
}

static int
run_answer(void *arg)
{
	(void)arg;
	return with_memory(answer);
}

static int
run_install(void *arg)
{
	(void)arg;
	return with_memory(install);
}

int
main(void)
{
	chaos_run("an event, read and answered", run_answer, NULL, 0);
	chaos_run("settings with a hook", run_install, NULL, 0);
	return done_testing();
}
