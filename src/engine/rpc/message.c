#include "engine/rpc/message.h"

#include <stdarg.h>

#include "engine/rpc/key_case.h"

/* Numbers that every reader of JSON understands in the same way. */
#define ID_MAX ((int64_t)1 << 53)

#define VERSION_KEY "io.modelcontextprotocol/protocolVersion"

/* ----- Methods ------------------------------------------------------------ */

/* clang-format off */
static const struct {
	const char *name;
	enum cdn_rpc_method method;
} methods[] = {
	{ "tools/call",			CDN_RPC_TOOLS_CALL },
	{ "tools/list",			CDN_RPC_TOOLS_LIST },
	{ "resources/read",		CDN_RPC_RESOURCES_READ },
	{ "resources/subscribe",	CDN_RPC_RESOURCES_READ },
	{ "prompts/get",		CDN_RPC_PROMPTS_GET },
	{ "completion/complete",	CDN_RPC_COMPLETE },
	{ "tasks/update",		CDN_RPC_TASKS_UPDATE },
	{ "roots/list",			CDN_RPC_ROOTS_LIST },
	{ "notifications/cancelled",	CDN_RPC_CANCELLED },
	{ "initialize",			CDN_RPC_HARMLESS },
	{ "server/discover",		CDN_RPC_HARMLESS },
	{ "ping",			CDN_RPC_HARMLESS },
	{ "resources/list",		CDN_RPC_HARMLESS },
	{ "resources/templates/list",	CDN_RPC_HARMLESS },
	{ "resources/unsubscribe",	CDN_RPC_HARMLESS },
	{ "prompts/list",		CDN_RPC_HARMLESS },
	{ "logging/setLevel",		CDN_RPC_HARMLESS },
	{ "sampling/createMessage",	CDN_RPC_HARMLESS },
	{ "elicitation/create",		CDN_RPC_HARMLESS },
	{ "subscriptions/listen",	CDN_RPC_HARMLESS },
	{ "tasks/get",			CDN_RPC_HARMLESS },
	{ "tasks/list",			CDN_RPC_HARMLESS },
	{ "tasks/result",		CDN_RPC_HARMLESS },
	{ "tasks/cancel",		CDN_RPC_HARMLESS },
};
/* clang-format on */

static enum cdn_rpc_method
method_of(cdn_str name)
{
	for (size_t i = 0; i < CDN_LEN(methods); i++)
		if (cdn_str_is(name, methods[i].name))
			return methods[i].method;
	return cdn_str_starts(name, CDN_STR("notifications/")) ?
	    CDN_RPC_HARMLESS : CDN_RPC_OTHER;
}

bool
cdn_rpc_is_judged(enum cdn_rpc_method method)
{
	switch (method) {
	case CDN_RPC_TOOLS_CALL:
	case CDN_RPC_RESOURCES_READ:
	case CDN_RPC_PROMPTS_GET:
	case CDN_RPC_COMPLETE:
	case CDN_RPC_TASKS_UPDATE:
		return true;
	case CDN_RPC_OTHER:
	case CDN_RPC_HARMLESS:
	case CDN_RPC_TOOLS_LIST:
	case CDN_RPC_ROOTS_LIST:
	case CDN_RPC_CANCELLED:
	default:
		return false;
	}
}

/* ----- Ids ---------------------------------------------------------------- */

bool
cdn_rpc_id_same(const struct cdn_rpc_id *a, const struct cdn_rpc_id *b)
{
	if (a->type != b->type)
		return false;
	if (a->type == CDN_RPC_ID_NUMBER)
		return a->number == b->number;
	return a->type != CDN_RPC_ID_TEXT || cdn_str_eq(a->text, b->text);
}

bool
cdn_rpc_id_read(const struct cdn_json *json, const struct cdn_json_node *node,
    struct cdn_arena *arena, struct cdn_rpc_id *ret)
{
	struct cdn_rpc_id id = { .raw = cdn_json_raw(json, node) };

	if (cdn_json_string(json, node, arena, &id.text)) {
		id.type = CDN_RPC_ID_TEXT;
	} else if (cdn_json_int(json, node, &id.number)) {
		if (id.number > ID_MAX || id.number < -ID_MAX)
			return false;
		id.type = CDN_RPC_ID_NUMBER;
	} else if (node->type == CDN_JSON_NULL) {
		id.type = CDN_RPC_ID_NULL;
	} else {
		return false;
	}
	*ret = id;
	return true;
}

/* ----- Refusing ----------------------------------------------------------- */

CDN_PRINTF(3, 4)
static void
bad(struct cdn_rpc_message *m, int code, const char *fmt, ...)
{
	va_list ap;

	if (m->kind == CDN_RPC_BAD)
		return; /* the first reason is the one to tell */
	va_start(ap, fmt);
	cdn_err_line(m->what, sizeof(m->what), fmt, ap);
	va_end(ap);
	m->kind = CDN_RPC_BAD;
	m->code = code;
}

static const char *const message_keys[] = { "jsonrpc", "id", "method",
	"params", "result", "error", NULL };
static const char *const params_keys[] = { "name", "arguments", "uri", "_meta",
	"inputResponses", "requestState", "argument", "ref", "context",
	"requestId", "capabilities", "message", "messages", "systemPrompt",
	"requestedSchema", "mode", "url", NULL };
static const char *const argument_keys[] = { "name", "value", NULL };

/* False when memory ran out. */
static bool
check_keys(struct cdn_rpc_message *m, const struct cdn_json_node *object,
    const char *const *words, struct cdn_arena *arena)
{
	const char *word;
	cdn_str key;

	if (!cdn_rpc_find_odd_key(&m->json, object, words, arena, &key, &word))
		return false;
	if (word != NULL)
		bad(m, CDN_RPC_INVALID_REQUEST, "key '%.*s' is not '%s', but "
		    "some programs take it for that (write '%s')",
		    CDN_STR_ARG(key), word, word);
	return true;
}

/* Notifications of unknown methods may name their parameters as they like. */
static bool
has_known_params(const struct cdn_rpc_message *m)
{
	return m->params != NULL && m->method != CDN_RPC_OTHER &&
	    (m->kind == CDN_RPC_REQUEST || m->method != CDN_RPC_HARMLESS);
}

static bool
check_params(struct cdn_rpc_message *m, struct cdn_arena *arena)
{
	const struct cdn_json_node *argument;

	if (!has_known_params(m))
		return true;
	argument = m->method != CDN_RPC_COMPLETE ? NULL :
	    cdn_json_find(&m->json, m->params, "argument");
	return check_keys(m, m->params, params_keys, arena) &&
	    (argument == NULL || check_keys(m, argument, argument_keys, arena));
}

/*
 * The protocol knows objects only.  A server that decodes a string, or takes a
 * list by position, would read names that nobody judged.
 */
static void
check_arguments(struct cdn_rpc_message *m)
{
	const struct cdn_json_node *node = m->params == NULL ||
		(m->method != CDN_RPC_TOOLS_CALL &&
		    m->method != CDN_RPC_PROMPTS_GET) ? NULL :
	    cdn_json_find(&m->json, m->params, "arguments");

	if (node != NULL && node->type != CDN_JSON_OBJECT &&
	    node->type != CDN_JSON_NULL)
		bad(m, CDN_RPC_INVALID_PARAMS, "the arguments of '%.*s' are "
		    "not an object", CDN_STR_ARG(m->name));
}

/* ----- Reading ------------------------------------------------------------ */

static bool
read_id(struct cdn_rpc_message *m, struct cdn_arena *arena)
{
	const struct cdn_json_node *root = &m->json.nodes[0];
	const struct cdn_json_node *node = cdn_json_find(&m->json, root, "id");

	if (node == NULL)
		return true;
	if (!cdn_rpc_id_read(&m->json, node, arena, &m->id)) {
		if (node->type == CDN_JSON_STRING)
			return false;
		bad(m, CDN_RPC_INVALID_REQUEST,
		    "the id is neither a string nor a whole number");
	}
	return true;
}

static void
find_version(struct cdn_rpc_message *m)
{
	const struct cdn_json_node *meta = m->params == NULL ? NULL :
	    cdn_json_find(&m->json, m->params, "_meta");

	m->modern = meta != NULL &&
	    cdn_json_find(&m->json, meta, VERSION_KEY) != NULL;
}

static bool
read_call(struct cdn_rpc_message *m, const struct cdn_json_node *method,
    struct cdn_arena *arena)
{
	const struct cdn_json_node *root = &m->json.nodes[0];
	const struct cdn_json_node *params = cdn_json_find(&m->json, root,
	    "params");

	m->kind = m->id.type == CDN_RPC_ID_NONE ? CDN_RPC_NOTIFICATION :
						  CDN_RPC_REQUEST;
	if (method->type != CDN_JSON_STRING) {
		bad(m, CDN_RPC_INVALID_REQUEST, "the method is not a string");
		return true;
	}
	if (!cdn_json_string(&m->json, method, arena, &m->name))
		return false;
	m->method = method_of(m->name);
	if (m->id.type == CDN_RPC_ID_NULL)
		bad(m, CDN_RPC_INVALID_REQUEST, "a request needs an id that "
		    "is not null");
	if (params != NULL && params->type == CDN_JSON_OBJECT)
		m->params = params;
	else if (cdn_rpc_is_judged(m->method))
		bad(m, CDN_RPC_INVALID_PARAMS, "'%.*s' needs params that are "
		    "an object", CDN_STR_ARG(m->name));
	find_version(m);
	check_arguments(m);
	return check_params(m, arena);
}

static void
read_response(struct cdn_rpc_message *m)
{
	const struct cdn_json_node *root = &m->json.nodes[0];
	bool failed = cdn_json_find(&m->json, root, "error") != NULL;

	m->result = cdn_json_find(&m->json, root, "result");
	m->kind = CDN_RPC_RESPONSE;
	if (failed == (m->result != NULL))
		bad(m, CDN_RPC_INVALID_REQUEST, failed ?
			"a response with both result and error" :
			"neither a method nor a result nor an error");
	if (m->id.type == CDN_RPC_ID_NONE ||
	    (m->id.type == CDN_RPC_ID_NULL && !failed))
		bad(m, CDN_RPC_INVALID_REQUEST, "a response without an id");
}

static bool
read_object(struct cdn_rpc_message *m, struct cdn_arena *arena)
{
	const struct cdn_json_node *root = &m->json.nodes[0];
	const struct cdn_json_node *method = cdn_json_find(&m->json, root,
	    "method");

	m->calls = method != NULL;
	if (!check_keys(m, root, message_keys, arena) || !read_id(m, arena))
		return false;
	if (m->kind == CDN_RPC_BAD)
		return true;
	if (method == NULL) {
		read_response(m);
		return true;
	}
	if (cdn_json_find(&m->json, root, "result") != NULL ||
	    cdn_json_find(&m->json, root, "error") != NULL) {
		bad(m, CDN_RPC_INVALID_REQUEST,
		    "a request and a response at once");
		return true;
	}
	return read_call(m, method, arena);
}

/* White space to JSON, but to some readers the end of a line: two messages. */
static bool
has_inner_return(cdn_str line)
{
	if (line.n > 0 && line.p[line.n - 1] == '\r')
		line.n--;
	return line.n > 0 && memchr(line.p, '\r', line.n) != NULL;
}

int
cdn_rpc_read(cdn_str line, struct cdn_arena *arena,
    struct cdn_rpc_message *ret, struct cordon_error *err)
{
	const struct cdn_json_options options = {
		.max_bytes = CDN_RPC_LINE_MAX,
		.max_depth = CDN_RPC_DEPTH_MAX,
	};
	struct cordon_error why = { 0 };
	int code;

	*ret = (struct cdn_rpc_message){ .kind = CDN_RPC_BLANK };
	if (cdn_str_trim(line).n == 0)
		return 0;
	code = cdn_json_parse(line, &options, arena, &ret->json, &why);
	if (code == CORDON_E_NOMEM)
		return cdn_err_nomem(err);
	ret->kind = CDN_RPC_REQUEST;
	if (code != 0) {
		bad(ret, CDN_RPC_PARSE_ERROR, "%s", why.text);
		ret->id = cdn_rpc_salvage(line, &ret->calls);
	} else if (has_inner_return(line)) {
		bad(ret, CDN_RPC_PARSE_ERROR, "a carriage return in a line");
		ret->id = cdn_rpc_salvage(line, &ret->calls);
	} else if (ret->json.nodes[0].type == CDN_JSON_ARRAY) {
		bad(ret, CDN_RPC_INVALID_REQUEST,
		    "batches are not supported (send one message per line)");
	} else if (ret->json.nodes[0].type != CDN_JSON_OBJECT) {
		bad(ret, CDN_RPC_INVALID_REQUEST, "a message is an object");
	} else if (!read_object(ret, arena)) {
		return cdn_err_nomem(err);
	}
	return 0;
}

bool
cdn_rpc_elicits(const struct cdn_rpc_message *m)
{
	const struct cdn_json_node *node = m->params;

	if (node != NULL && m->modern)
		node = cdn_json_find(&m->json, node, "_meta");
	if (node != NULL)
		node = cdn_json_find(&m->json, node, m->modern ?
			"io.modelcontextprotocol/clientCapabilities" :
			"capabilities");
	if (node != NULL)
		node = cdn_json_find(&m->json, node, "elicitation");
	/* An empty one means forms; one that has only `url` shows none. */
	return node != NULL && node->type == CDN_JSON_OBJECT &&
	    (cdn_json_find(&m->json, node, "form") != NULL ||
		cdn_json_find(&m->json, node, "url") == NULL);
}

/* ----- What is left of a bad line ------------------------------------------ */

/* Behind the string that begins at i, quotes included. */
static size_t
skip_string(cdn_str line, size_t i)
{
	for (i++; i < line.n && line.p[i] != '"'; i++)
		if (line.p[i] == '\\')
			i++;
	return i < line.n ? i + 1 : line.n;
}

static size_t
skip_blank(cdn_str line, size_t i)
{
	while (i < line.n && (line.p[i] == ' ' || line.p[i] == '\t'))
		i++;
	return i;
}

/* The plain string or number at i, if it is one that can be sent back. */
static struct cdn_rpc_id
plain_id(cdn_str line, size_t i)
{
	struct cdn_rpc_id none = { .type = CDN_RPC_ID_NONE };
	size_t end = i;
	struct cdn_rpc_id id = { .type = CDN_RPC_ID_NUMBER };
	uint64_t number;

	if (i < line.n && line.p[i] == '"') {
		end = skip_string(line, i);
		if (end - i < 2 || end - i > CDN_NAME_MAX ||
		    line.p[end - 1] != '"')
			return none;
		id.raw = (cdn_str){ line.p + i, end - i };
		id.text = (cdn_str){ line.p + i + 1, end - i - 2 };
		id.type = CDN_RPC_ID_TEXT;
		for (size_t k = 0; k < id.text.n; k++)
			if (id.text.p[k] < ' ' || id.text.p[k] > '~' ||
			    id.text.p[k] == '\\')
				return none;
		return id;
	}
	while (end < line.n && line.p[end] >= '0' && line.p[end] <= '9')
		end++;
	id.raw = (cdn_str){ line.p + i, end - i };
	if (!cdn_str_parse_u64(id.raw, &number) || number > ID_MAX ||
	    (id.raw.n > 1 && id.raw.p[0] == '0'))
		return none;
	id.number = (int64_t)number;
	return id;
}

/* Is the string from i to behind a key of that name? */
static bool
is_key(cdn_str line, size_t i, size_t behind, cdn_str name)
{
	size_t at = skip_blank(line, behind);

	return behind - i == name.n && memcmp(line.p + i, name.p, name.n) == 0 &&
	    at < line.n && line.p[at] == ':';
}

struct cdn_rpc_id
cdn_rpc_salvage(cdn_str line, bool *ret_calls)
{
	struct cdn_rpc_id id = { .type = CDN_RPC_ID_NONE };
	size_t depth = 0;
	bool found = false;

	*ret_calls = false;
	for (size_t i = 0; i < line.n;) {
		size_t behind;
		char c = line.p[i];

		if (c != '"') {
			depth += c == '{' || c == '[';
			depth -= depth > 0 && (c == '}' || c == ']');
			i++;
			continue;
		}
		behind = skip_string(line, i);
		if (depth == 1 && is_key(line, i, behind, CDN_STR("\"method\"")))
			*ret_calls = true;
		if (depth == 1 && !found &&
		    is_key(line, i, behind, CDN_STR("\"id\""))) {
			i = skip_blank(line, behind) + 1;
			i = skip_blank(line, i);
			id = plain_id(line, i);
			found = true;
			continue;
		}
		i = behind;
	}
	return id;
}
