/* What a line of the protocol is, and what is wrong with it. */
#include "engine/rpc/message.h"

#include "support/tap.h"

/* clang-format off */
static const struct {
	const char *line;
	enum cdn_rpc_kind kind;
	enum cdn_rpc_method method;
	int code;
	const char *id;		/* as it would be answered with; "" = none */
} rows[] = {
	{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}",
	    CDN_RPC_REQUEST, CDN_RPC_TOOLS_LIST, 0, "1" },
	{ "{\"id\":\"a\",\"method\":\"tools/call\",\"params\":{\"name\":\"x\"}}\r",
	    CDN_RPC_REQUEST, CDN_RPC_TOOLS_CALL, 0, "\"a\"" },
	{ "{\"id\":0,\"method\":\"tools\\/c\\u0061ll\",\"params\":{}}",
	    CDN_RPC_REQUEST, CDN_RPC_TOOLS_CALL, 0, "0" },
	{ "{\"id\":2,\"method\":\"resources/subscribe\",\"params\":{}}",
	    CDN_RPC_REQUEST, CDN_RPC_RESOURCES_READ, 0, "2" },
	{ "{\"id\":2,\"method\":\"x/own\",\"params\":{\"Name\":1}}",
	    CDN_RPC_REQUEST, CDN_RPC_OTHER, 0, "2" },
	{ "{\"method\":\"notifications/progress\"}",
	    CDN_RPC_NOTIFICATION, CDN_RPC_HARMLESS, 0, "" },
	{ "{\"method\":\"tools/call\",\"params\":{}}",
	    CDN_RPC_NOTIFICATION, CDN_RPC_TOOLS_CALL, 0, "" },
	{ "{\"id\":-7,\"result\":{}}", CDN_RPC_RESPONSE, 0, 0, "-7" },
	{ "{\"id\":\"s1\",\"error\":{\"code\":1}}",
	    CDN_RPC_RESPONSE, 0, 0, "\"s1\"" },
	{ "{\"id\":null,\"error\":{\"code\":1}}",
	    CDN_RPC_RESPONSE, 0, 0, "null" },
	{ "", CDN_RPC_BLANK, 0, 0, "" },
	{ " \t\r", CDN_RPC_BLANK, 0, 0, "" },

	/* what two readers could understand differently */
	{ "{\"id\":1,\"id\":2,\"method\":\"ping\"}",
	    CDN_RPC_BAD, 0, CDN_RPC_PARSE_ERROR, "1" },
	{ "{\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":\"x\","
	    "\"arguments\":{\"path\":\"ok\",\"p\\u0061th\":\"/etc/passwd\"}}}",
	    CDN_RPC_BAD, 0, CDN_RPC_PARSE_ERROR, "3" },
	{ "{\"id\":4,\"method\":\"ping\",\"params\":{\"a\":\"\\u0000\"}}",
	    CDN_RPC_BAD, 0, CDN_RPC_PARSE_ERROR, "4" },
	{ "{\"params\":[\"\xff\"],\"id\":5,\"method\":\"ping\"}",
	    CDN_RPC_BAD, 0, CDN_RPC_PARSE_ERROR, "5" },
	{ "{\"id\":6,\"method\":\"ping\",\"params\":{\"a\":\"\\ud800\"}}",
	    CDN_RPC_BAD, 0, CDN_RPC_PARSE_ERROR, "6" },
	{ "\xef\xbb\xbf{\"id\":6,\"method\":\"ping\"}",
	    CDN_RPC_BAD, 0, CDN_RPC_PARSE_ERROR, "6" },
	{ "{\"id\":6,\"method\":\"ping\",\"params\":{\"a\":NaN}}",
	    CDN_RPC_BAD, 0, CDN_RPC_PARSE_ERROR, "6" },
	{ "{\"id\":6,\"method\":\"ping\"} {}",
	    CDN_RPC_BAD, 0, CDN_RPC_PARSE_ERROR, "6" },
	{ "{\"id\":6,\"method\":\"ping\",\r\"params\":{}}",
	    CDN_RPC_BAD, 0, CDN_RPC_PARSE_ERROR, "6" },
	{ "Content-Length: 20", CDN_RPC_BAD, 0, CDN_RPC_PARSE_ERROR, "" },
	{ "[{\"id\":1,\"method\":\"ping\"}]",
	    CDN_RPC_BAD, 0, CDN_RPC_INVALID_REQUEST, "" },
	{ "\"ping\"", CDN_RPC_BAD, 0, CDN_RPC_INVALID_REQUEST, "" },
	{ "{\"id\":1}", CDN_RPC_BAD, 0, CDN_RPC_INVALID_REQUEST, "1" },
	{ "{\"id\":1,\"result\":{},\"error\":{}}",
	    CDN_RPC_BAD, 0, CDN_RPC_INVALID_REQUEST, "1" },
	{ "{\"id\":1,\"result\":{},\"method\":\"tools/call\"}",
	    CDN_RPC_BAD, 0, CDN_RPC_INVALID_REQUEST, "1" },
	{ "{\"result\":{}}", CDN_RPC_BAD, 0, CDN_RPC_INVALID_REQUEST, "" },
	{ "{\"id\":null,\"result\":{}}",
	    CDN_RPC_BAD, 0, CDN_RPC_INVALID_REQUEST, "null" },
	{ "{\"id\":null,\"method\":\"tools/call\",\"params\":{}}",
	    CDN_RPC_BAD, CDN_RPC_TOOLS_CALL, CDN_RPC_INVALID_REQUEST, "null" },
	{ "{\"id\":1.5,\"method\":\"ping\"}",
	    CDN_RPC_BAD, 0, CDN_RPC_INVALID_REQUEST, "" },
	{ "{\"id\":9007199254740993,\"method\":\"ping\"}",
	    CDN_RPC_BAD, 0, CDN_RPC_INVALID_REQUEST, "" },
	{ "{\"id\":{},\"method\":\"ping\"}",
	    CDN_RPC_BAD, 0, CDN_RPC_INVALID_REQUEST, "" },
	{ "{\"id\":1,\"method\":7}",
	    CDN_RPC_BAD, 0, CDN_RPC_INVALID_REQUEST, "1" },
	{ "{\"id\":1,\"method\":\"tools/call\",\"params\":[]}",
	    CDN_RPC_BAD, CDN_RPC_TOOLS_CALL, CDN_RPC_INVALID_PARAMS, "1" },
	{ "{\"id\":1,\"method\":\"tools/call\"}",
	    CDN_RPC_BAD, CDN_RPC_TOOLS_CALL, CDN_RPC_INVALID_PARAMS, "1" },
	{ "{\"id\":1,\"method\":\"ping\",\"Method\":\"tools/call\"}",
	    CDN_RPC_BAD, 0, CDN_RPC_INVALID_REQUEST, "1" },
	{ "{\"id\":1,\"method\":\"tools/call\",\"param\xc5\xbf\":{},"
	    "\"params\":{}}",
	    CDN_RPC_BAD, 0, CDN_RPC_INVALID_REQUEST, "1" },
	{ "{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"x\","
	    "\"Arguments\":{\"path\":\"/etc/passwd\"}}}",
	    CDN_RPC_BAD, CDN_RPC_TOOLS_CALL, CDN_RPC_INVALID_REQUEST, "1" },
};
/* clang-format on */

static bool
id_is(const struct cdn_rpc_id *id, const char *want)
{
	return cdn_str_is(id->raw, want) &&
	    (id->type == CDN_RPC_ID_NONE) == (want[0] == '\0');
}

static void
check_rows(struct cdn_arena *arena)
{
	struct cdn_rpc_message m;

	for (size_t i = 0; i < CDN_LEN(rows); i++) {
		int r = cdn_rpc_read(cdn_str_of(rows[i].line), arena, &m, NULL);

		ok_f(r == 0 && m.kind == rows[i].kind &&
			m.code == rows[i].code && id_is(&m.id, rows[i].id) &&
			m.method == rows[i].method &&
			(m.code == 0) == (m.what[0] == '\0'),
		    "%s: kind %d method %d code %d id '%.*s' %s", rows[i].line,
		    (int)m.kind, (int)m.method, m.code, CDN_STR_ARG(m.id.raw),
		    m.what);
	}
}

static void
check_eras(struct cdn_arena *arena)
{
	struct cdn_rpc_message m;
	int r = cdn_rpc_read(CDN_STR("{\"id\":1,\"method\":\"tools/call\","
	    "\"params\":{\"_meta\":{\"io.modelcontextprotocol/"
	    "protocolVersion\":\"2026-07-28\"}}}"), arena, &m, NULL);

	ok(r == 0 && m.modern, "a request that names its version is modern");
	r = cdn_rpc_read(CDN_STR("{\"id\":1,\"method\":\"tools/call\","
	    "\"params\":{\"_meta\":{\"progressToken\":1}}}"), arena, &m, NULL);
	ok(r == 0 && m.kind == CDN_RPC_REQUEST && !m.modern,
	    "and another is not");
}

static void
check_depth(struct cdn_arena *arena)
{
	char line[4 * CDN_RPC_DEPTH_MAX] = "{\"method\":\"x\",\"a\":";
	struct cdn_rpc_message m;
	size_t n = strlen(line);

	for (int extra = 0; extra < 2; extra++) {
		size_t levels = CDN_RPC_DEPTH_MAX - 1 + (size_t)extra;

		memset(line + n, '[', levels);
		memset(line + n + levels, ']', levels);
		line[n + 2 * levels] = '}';
		line[n + 2 * levels + 1] = '\0';
		ok_f(cdn_rpc_read(cdn_str_of(line), arena, &m, NULL) == 0 &&
			(m.kind == CDN_RPC_BAD) == (extra == 1),
		    "%zu levels: %s", levels + 1, m.what);
	}
}

static void
check_ids(void)
{
	struct cdn_rpc_id one = { .type = CDN_RPC_ID_NUMBER, .number = 1 };
	struct cdn_rpc_id text = { .type = CDN_RPC_ID_TEXT,
		.text = CDN_STR("1") };
	struct cdn_rpc_id two = { .type = CDN_RPC_ID_NUMBER, .number = 2 };

	ok(cdn_rpc_id_same(&one, &one) && cdn_rpc_id_same(&text, &text),
	    "an id is itself");
	ok(!cdn_rpc_id_same(&one, &text) && !cdn_rpc_id_same(&one, &two),
	    "1 is neither \"1\" nor 2");
}

/* Nothing of these may be read beyond their end (ASan sees it). */
static void
check_salvage(void)
{
	static const char *const lines[] = { "{\"id\":\"", "{\"id\":\"a",
		"{\"id\":", "{\"id\"", "{\"id", "{\"id\":\"\\", "{\"a\":{\"id\":1}",
		"{\"id\":01}", "{\"id\":-", "}}}{\"id\":\"a\\n\"" };

	for (size_t i = 0; i < CDN_LEN(lines); i++) {
		size_t n = strlen(lines[i]);
		char *copy = malloc(n);
		struct cdn_rpc_id id;
		bool calls;

		if (copy == NULL)
			return;
		memcpy(copy, lines[i], n);
		id = cdn_rpc_salvage((cdn_str){ copy, n }, &calls);
		ok_f(id.type == CDN_RPC_ID_NONE, "no id in %s", lines[i]);
		free(copy);
	}
}

int
main(void)
{
	struct cdn_arena *arena = cdn_arena_new();

	if (arena == NULL)
		return 1;
	check_rows(arena);
	check_eras(arena);
	check_depth(arena);
	check_ids();
	check_salvage();
	cdn_arena_free(arena);
	return done_testing();
}
