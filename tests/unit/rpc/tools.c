/* Descriptions that are compared and cut out, and what we say ourselves. */
#include "engine/rpc/tools.h"

#include "engine/rpc/reply.h"
#include "support/tap.h"

static const struct {
	const char *name;
	bool good;
} names[] = {
	{ "read_file", true }, { "a.b/c-D9", true }, { "", false },
	{ "read file", false }, { "re\xd0\xb0" "d", false }, { "a\n", false },
	{ "server__tool", true },
};

static const struct {
	const char *a;
	const char *b;
	const char *differs; /* NULL: the same */
} pairs[] = {
	{ "{\"name\":\"a\",\"description\":\"x\"}",
	    "{\"description\":\"x\",\"name\":\"a\"}", NULL },
	{ "{\"name\":\"a\"}", "{\"name\":\"a\",\"_meta\":{\"x\":1}}", NULL },
	{ "{\"name\":\"a\"}", "{\"name\":\"a\",\"icons\":[]}", NULL },
	{ "{\"description\":\"x\"}", "{\"description\":\"y\"}",
	    "description" },
	{ "{\"name\":\"a\"}", "{\"name\":\"a\",\"description\":\"y\"}",
	    "description" },
	{ "{\"name\":\"a\",\"annotations\":{}}", "{\"name\":\"a\"}",
	    "annotations" },
	{ "{\"inputSchema\":{\"a\":1}}", "{\"inputSchema\":{\"a\":2}}",
	    "inputSchema" },
	{ "{\"description\":\"x\"}",
	    "{\"description\":\"x\",\"descripti\\u006fn2\":1}",
	    "descripti\\u006fn2" },
};

static void
parse(const char *text, struct cdn_arena *arena, struct cdn_json *ret)
{
	if (cdn_json_parse(cdn_str_of(text), NULL, arena, ret, NULL) != 0)
		abort();
}

static void
check_pairs(struct cdn_arena *arena)
{
	for (size_t i = 0; i < CDN_LEN(pairs); i++) {
		cdn_str member = { "", 0 };
		struct cdn_json a, b;
		bool same;

		parse(pairs[i].a, arena, &a);
		parse(pairs[i].b, arena, &b);
		same = cdn_rpc_tool_same(&a, &a.nodes[0], &b, &b.nodes[0],
		    &member);
		ok_f(same == (pairs[i].differs == NULL) &&
			(same || cdn_str_is(member, pairs[i].differs)),
		    "%s and %s: '%.*s'", pairs[i].a, pairs[i].b,
		    CDN_STR_ARG(member));
	}
}

static void
check_cut(struct cdn_arena *arena)
{
	static const struct {
		bool drop[3];
		const char *want;
	} rows[] = {
		{ { false, false, false },
		    "{ \"tools\" : [{\"a\": 1},2,\"3\"] , \"x\":1.0 }" },
		{ { true, false, false },
		    "{ \"tools\" : [2,\"3\"] , \"x\":1.0 }" },
		{ { false, true, true },
		    "{ \"tools\" : [{\"a\": 1}] , \"x\":1.0 }" },
		{ { true, true, true },
		    "{ \"tools\" : [] , \"x\":1.0 }" },
	};
	struct cdn_json json;
	struct cdn_buf out;

	parse("{ \"tools\" : [ {\"a\": 1} , 2,\"3\" ] , \"x\":1.0 }", arena,
	    &json);
	for (size_t i = 0; i < CDN_LEN(rows); i++) {
		cdn_buf_init(&out, 1024);
		cdn_rpc_cut(&json, cdn_json_find(&json, &json.nodes[0],
		    "tools"), rows[i].drop, &out);
		ok_f(!cdn_buf_failed(&out) && strcmp(out.p, rows[i].want) == 0,
		    "cut: %s", out.p);
		cdn_buf_done(&out);
	}
}

static void
check_reply(const char *line, const struct cordon_verdict *verdict,
    const char *want, struct cdn_arena *arena)
{
	const struct cdn_rpc_denial denial = {
		.field = "files[1]",
		.reason = "schema",
		.text = "no \"way\"",
		.verdict = verdict,
	};
	struct cdn_rpc_message m;
	struct cdn_buf out;

	cdn_buf_init(&out, 4096);
	if (cdn_rpc_read(cdn_str_of(line), arena, &m, NULL) == 0)
		cdn_rpc_refuse(&m, &denial, &out);
	ok_f(out.p != NULL && strcmp(out.p, want) == 0, "%s", out.p);
	cdn_buf_done(&out);
}

#define DENIAL_META                                                       \
	"{\"cordon/denial\":{\"field\":\"files[1]\",\"reason\":"          \
	"\"schema\",\"matched_rule\":\"!x\",\"layer\":\"policy\","        \
	"\"source\":\"p.yaml\",\"line\":9}}"

static void
check_replies(struct cdn_arena *arena)
{
	const struct cordon_verdict verdict = {
		.layer = CORDON_LAYER_POLICY,
		.matched_rule = "!x",
		.source = "p.yaml",
		.line = 9,
	};
	struct cdn_rpc_id none = { .type = CDN_RPC_ID_NONE };
	struct cdn_buf out;

	check_reply("{\"id\":\"\\u0061\",\"method\":\"tools/call\","
	    "\"params\":{}}", &verdict, "{\"jsonrpc\":\"2.0\",\"id\":"
	    "\"\\u0061\",\"result\":{\"content\":[{\"type\":\"text\","
	    "\"text\":\"no \\\"way\\\"\"}],\"isError\":true,\"_meta\":"
	    DENIAL_META "}}\n", arena);
	check_reply("{\"id\":1,\"method\":\"tools/call\",\"params\":{\"_meta\":"
	    "{\"io.modelcontextprotocol/protocolVersion\":\"x\"}}}", NULL,
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":"
	    "\"complete\",\"content\":[{\"type\":\"text\",\"text\":"
	    "\"no \\\"way\\\"\"}],\"isError\":true,\"_meta\":"
	    "{\"cordon/denial\":{\"field\":\"files[1]\",\"reason\":\"schema\","
	    "\"matched_rule\":null,\"layer\":null,\"source\":null,\"line\":"
	    "null}}}}\n", arena);
	check_reply("{\"id\":1,\"method\":\"resources/read\",\"params\":{}}",
	    &verdict, "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":403,"
	    "\"message\":\"no \\\"way\\\"\",\"data\":" DENIAL_META "}}\n",
	    arena);
	cdn_buf_init(&out, 4096);
	cdn_rpc_complain(&none, CDN_RPC_PARSE_ERROR, "bad", &out);
	ok(strcmp(out.p, "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":"
	    "{\"code\":-32700,\"message\":\"bad\"}}\n") == 0, "a complaint");
	cdn_buf_done(&out);
}

int
main(void)
{
	struct cdn_arena *arena = cdn_arena_new();

	if (arena == NULL)
		return 1;
	for (size_t i = 0; i < CDN_LEN(names); i++)
		ok_f(cdn_rpc_tool_name(cdn_str_of(names[i].name)) ==
			names[i].good, "'%s'", names[i].name);
	check_pairs(arena);
	check_cut(arena);
	check_replies(arena);
	cdn_arena_free(arena);
	return done_testing();
}
