/* engine/wrap, with every allocation failing once. */
#include "engine/wrap/wrap.h"

#include "support/chaos.h"

struct text {
	enum cdn_wrap_language language;
	const char *text;
};

static int
rewrite(void *arg)
{
	static const char *const given[] = { "--quiet", NULL };
	const struct text *text = arg;
	const struct cdn_wrap_options options = { .language = text->language,
		.command = "cordon", .options = given };
	struct cdn_arena *arena = cdn_arena_new();
	struct cdn_wrap_result result;
	struct cdn_buf out;
	int code = arena == NULL ? CORDON_E_NOMEM :
	    cdn_wrap(cdn_str_of(text->text), &options, arena, &result, NULL);

	cdn_buf_init(&out, 65536);
	if (code == 0) {
		cdn_wrap_apply(cdn_str_of(text->text), &result, &out);
		cdn_wrap_diff(cdn_str_of(text->text), &result, "f", &out);
	}
	if (code == 0 && cdn_buf_failed(&out))
		code = CORDON_E_NOMEM;
	cdn_buf_done(&out);
	cdn_arena_free(arena);
	return code;
}

int
main(void)
{
	struct text texts[] = {
		{ CDN_WRAP_JSON, "{\"projects\":{\"p\":{\"mcpServers\":{"
		    "\"\\u0061\":{\"command\":\"\\u006e\",\"args\":[\"x\"]},"
		    "\"b\":{\"command\":\"m\",\"\\u0065nv\":{"
		    "\"\\u0048OME\":\"/\"}},\"c\":{\"command\":\"cordon\","
		    "\"args\":[\"mcp\",\"guard\",\"--json\",\"--\",\"n\"]}}}},"
		    "\"mcp\":{\"\\u0064\":{\"command\":[]}}}" },
		{ CDN_WRAP_TOML, "[mcp_servers.\"a\"]\ncommand = \"n\"\n"
		    "[mcp_servers]\nb = {command = 'm', args = ['y', \"z\"]}\n"
		    "[profiles.p.mcp_servers.c]\ncommand = 'n'\n" },
	};

	chaos_run("JSON", rewrite, &texts[0], 0);
	chaos_run("TOML", rewrite, &texts[1], 0);
	return done_testing();
}
