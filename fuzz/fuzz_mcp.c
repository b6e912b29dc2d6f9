/*
 * A line to our own MCP server: whatever it is, it is read without harm, what
 * is answered is one line of JSON, and arguments stay an object.  Who reads
 * lines never hands on one with a newline inside: it ends the input here, too.
 */
#include "front/mcp/answer.c"
#include "front/mcp/message.c"
#include "front/mcp/page.c"

#include <assert.h>

static void
check_json(cdn_str text, struct cdn_arena *arena)
{
	const struct cdn_json_options options = {
		.max_bytes = 8 * CDN_RPC_LINE_MAX, .max_depth = 64 };
	struct cdn_json json;
	int r = cdn_json_parse(text, &options, arena, &json, NULL);

	assert(r == 0 && json.nodes[0].type == CDN_JSON_OBJECT);
}

static void
check_line(struct cdn_buf *out, struct cdn_arena *arena)
{
	assert(!cdn_buf_failed(out) && out->n > 0);
	assert(memchr(out->p, '\n', out->n) == out->p + out->n - 1);
	check_json((cdn_str){ out->p, out->n }, arena);
	cdn_buf_reset(out);
}

static void
check_message(const struct mcp_message *m, struct cdn_arena *arena,
    struct cdn_buf *out)
{
	const struct mcp_address to = { .id = m->id,
		.modern = mcp_version(m) != NULL };
	const struct cdn_json_node *arguments = mcp_member(m, m->params,
	    "arguments");
	cdn_str given = { "", 0 };
	bool good;

	assert((m->id.n > 0) == (m->key.n > 0));
	mcp_answer_error(&to, m->code, m->what, given, out);
	check_line(out, arena);
	if (m->kind != MCP_REQUEST && m->kind != MCP_NOTIFICATION)
		return;
	(void)mcp_elicits(m, mcp_member(m, m->meta,
	    MCP_META("clientCapabilities")));
	if (arguments != NULL && arguments->type != CDN_JSON_OBJECT)
		return;
	good = mcp_page_arguments("read_text", m, arguments, arena, &given);
	assert(good);
	check_json(given, arena);
	mcp_answer_result(&to, given, out);
	check_line(out, arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cdn_arena *arena = cdn_arena_new();
	const uint8_t *end = size > 0 ? memchr(data, '\n', size) : NULL;
	struct mcp_message m;
	struct cdn_buf out;
	bool good;

	size = end != NULL ? (size_t)(end - data) : size;
	cdn_buf_init(&out, 16 * size + 65536);
	good = mcp_message_read((cdn_str){ (const char *)data, size }, arena,
	    &m);
	assert(good);
	if (m.kind != MCP_BLANK)
		check_message(&m, arena, &out);
	cdn_buf_done(&out);
	cdn_arena_free(arena);
	return 0;
}
