/* engine/rpc, with every allocation failing once. */
#include "engine/rpc/arguments.h"
#include "engine/rpc/reply.h"
#include "support/chaos.h"

static int
allow(const struct cdn_rpc_path *path, void *arg, struct cordon_error *err)
{
	(void)path;
	(void)arg;
	(void)err;
	return 0;
}

static int
deny(const char *label, void *arg, struct cordon_error *err)
{
	(void)label;
	(void)arg;
	(void)err;
	return 1;
}

static int
walk(struct cdn_arena *arena, struct cdn_buf *out)
{
	static const struct cdn_rpc_settings none;
	const struct cdn_rpc_tool tool = { .name = CDN_STR("t"),
		.settings = &none };
	const struct cdn_rpc_judge judge = { .path = allow,
		.undeclared = deny };
	const struct cdn_rpc_denial denial = { .text = "no" };
	struct cdn_rpc_message m;
	int code = cdn_rpc_read(CDN_STR("{\"id\":\"\\u0061\",\"meth\\u006fd\":"
	    "\"tools\\/call\",\"params\":{\"arguments\":{\"p\\u0061th\":"
	    "[\"\\/a%2f%2e\\\\b\",\"file:\\/\\/\\/x%20y\"]}}}"), arena, &m,
	    NULL);

	if (code == 0)
		code = cdn_rpc_walk_message(&m, &tool, &judge, arena, NULL);
	if (code == 0)
		cdn_rpc_refuse(&m, &denial, out);
	return cdn_buf_failed(out) ? CORDON_E_NOMEM : code;
}

static int
message(void *arg)
{
	struct cdn_arena *arena = cdn_arena_new();
	struct cdn_buf out;
	int code;

	(void)arg;
	cdn_buf_init(&out, 4096);
	code = arena == NULL ? CORDON_E_NOMEM : walk(arena, &out);
	cdn_buf_done(&out);
	cdn_arena_free(arena);
	return code;
}

int
main(void)
{
	chaos_run("a message, walked and refused", message, NULL, 0);
	return done_testing();
}
