#include "front/mcp/message.h"

/* Whole numbers that every reader of JSON understands in the same way. */
#define ID_MAX ((int64_t)1 << 53)

static void
bad(struct mcp_message *m, int code, const char *what)
{
	m->kind = MCP_BAD;
	m->code = code;
	snprintf(m->what, sizeof(m->what), "%s", what);
}

const struct cdn_json_node *
mcp_member(const struct mcp_message *m, const struct cdn_json_node *object,
    const char *key)
{
	return object == NULL || object->type != CDN_JSON_OBJECT ? NULL :
	    cdn_json_find(&m->json, object, key);
}

static const struct cdn_json_node *
object_of(const struct mcp_message *m, const struct cdn_json_node *object,
    const char *key)
{
	const struct cdn_json_node *node = mcp_member(m, object, key);

	return node != NULL && node->type == CDN_JSON_OBJECT ? node : NULL;
}

const struct cdn_json_node *
mcp_version(const struct mcp_message *m)
{
	return mcp_member(m, m->meta, MCP_META("protocolVersion"));
}

bool
mcp_elicits(const struct mcp_message *m,
    const struct cdn_json_node *capabilities)
{
	const struct cdn_json_node *how = object_of(m, capabilities,
	    "elicitation");

	/* An empty one means forms; one that has only `url` shows none. */
	return how != NULL && (how->count == 0 ||
	    object_of(m, how, "form") != NULL ||
	    object_of(m, how, "url") == NULL);
}

bool
mcp_id_key(const struct mcp_message *m, const struct cdn_json_node *node,
    struct cdn_arena *arena, cdn_str *ret)
{
	int64_t number;
	cdn_str text;
	char *key;

	if (cdn_json_string(&m->json, node, arena, &text))
		key = cdn_arena_printf(arena, "s%.*s", CDN_STR_ARG(text));
	else if (cdn_json_int(&m->json, node, &number) && number <= ID_MAX &&
	    number >= -ID_MAX)
		key = cdn_arena_printf(arena, "n%lld", (long long)number);
	else
		return false;
	if (key == NULL)
		return false;
	*ret = cdn_str_of(key);
	return true;
}

static void
read_call(struct mcp_message *m, const struct cdn_json_node *method,
    const struct cdn_json_node *params, struct cdn_arena *arena)
{
	m->kind = m->id.n > 0 ? MCP_REQUEST : MCP_NOTIFICATION;
	if (!cdn_json_string(&m->json, method, arena, &m->method))
		bad(m, MCP_INVALID_REQUEST, "the method is not a string");
	else if (params != NULL && params->type != CDN_JSON_OBJECT)
		bad(m, MCP_INVALID_PARAMS, "params is not an object");
	else
		m->params = params;
	m->meta = object_of(m, m->params, "_meta");
}

static void
read_response(struct mcp_message *m)
{
	const struct cdn_json_node *root = &m->json.nodes[0];

	m->kind = MCP_RESPONSE;
	m->result = mcp_member(m, root, "result");
	if ((m->result == NULL) == (mcp_member(m, root, "error") == NULL))
		bad(m, MCP_INVALID_REQUEST,
		    "neither a request nor a response, or both");
}

static void
read_object(struct mcp_message *m, struct cdn_arena *arena)
{
	const struct cdn_json_node *root = &m->json.nodes[0];
	const struct cdn_json_node *id = mcp_member(m, root, "id");
	const struct cdn_json_node *version = mcp_member(m, root, "jsonrpc");
	const struct cdn_json_node *method = mcp_member(m, root, "method");

	if (id != NULL && !mcp_id_key(m, id, arena, &m->key)) {
		bad(m, MCP_INVALID_REQUEST,
		    "the id is neither a string nor a whole number");
		return;
	}
	if (id != NULL)
		m->id = cdn_json_raw(&m->json, id);
	if (version == NULL || !cdn_json_is(&m->json, version, CDN_STR("2.0")))
		bad(m, MCP_INVALID_REQUEST, "\"jsonrpc\" is not \"2.0\"");
	else if (method == NULL)
		read_response(m);
	else if (mcp_member(m, root, "result") != NULL ||
	    mcp_member(m, root, "error") != NULL)
		bad(m, MCP_INVALID_REQUEST, "a request and a response at once");
	else
		read_call(m, method, mcp_member(m, root, "params"), arena);
}

bool
mcp_message_read(cdn_str line, struct cdn_arena *arena,
    struct mcp_message *ret)
{
	const struct cdn_json_options options = {
		.max_bytes = CDN_RPC_LINE_MAX,
		.max_depth = CDN_RPC_DEPTH_MAX,
	};
	struct cordon_error why = { 0 };
	int code;

	*ret = (struct mcp_message){ .kind = MCP_BLANK };
	if (cdn_str_trim(line).n == 0)
		return true;
	code = cdn_json_parse(line, &options, arena, &ret->json, &why);
	if (code == CORDON_E_NOMEM)
		return false;
	if (code != 0)
		bad(ret, MCP_PARSE_ERROR, why.text);
	else if (ret->json.nodes[0].type == CDN_JSON_ARRAY)
		bad(ret, MCP_INVALID_REQUEST,
		    "batches are not supported (send one message per line)");
	else if (ret->json.nodes[0].type != CDN_JSON_OBJECT)
		bad(ret, MCP_INVALID_REQUEST, "a message is an object");
	else
		read_object(ret, arena);
	return true;
}
