#include "engine/dialect/dialect.h"

struct reader {
	struct cdn_arena *arena;
	struct cdn_json *json;
	struct cdn_dialect_call *call;
	struct cordon_error *err;
};

static int
parse(struct reader *r, cdn_str text, const char *what)
{
	const struct cdn_json_options options = {
		.max_bytes = CDN_HOOK_EVENT_MAX,
		.max_depth = CDN_RPC_DEPTH_MAX,
	};
	int code;

	r->json = cdn_arena_alloc(r->arena, sizeof(*r->json));
	if (r->json == NULL)
		return cdn_err_nomem(r->err);
	code = cdn_json_parse(text, &options, r->arena, r->json, r->err);
	if (code != 0)
		return cdn_err_context(r->err, code, "%s", what);
	if (r->json->nodes[0].type != CDN_JSON_OBJECT)
		return cdn_err(r->err, CORDON_E_INVALID, "%s: no JSON object",
		    what);
	return 0;
}

/* A member that is a text; where it is missing, needed says what of it. */
static int
take_text(struct reader *r, const char *name, bool needed, cdn_str *ret)
{
	const struct cdn_json_node *node = cdn_json_find(r->json,
	    &r->json->nodes[0], name);

	*ret = CDN_STR("");
	if (node == NULL || (node->type == CDN_JSON_NULL && !needed))
		return !needed ? 0 : cdn_err(r->err, CORDON_E_INVALID,
		    "the event has no '%s'", name);
	if (node->type != CDN_JSON_STRING)
		return cdn_err(r->err, CORDON_E_INVALID,
		    "'%s' of the event is no text", name);
	return cdn_json_string(r->json, node, r->arena, ret) ? 0 :
	    cdn_err_nomem(r->err);
}

static int
find_event(struct reader *r)
{
	const struct cdn_dialect *dialect = r->call->dialect;
	cdn_str name;
	int code = take_text(r, "hook_event_name", true, &name);

	if (code != 0)
		return code;
	for (size_t i = 0; i < CDN_DIALECT_EVENTS; i++)
		if (dialect->events[i].name != NULL &&
		    cdn_str_is(name, dialect->events[i].name)) {
			r->call->event = &dialect->events[i];
			return 0;
		}
	return cdn_err(r->err, CORDON_E_INVALID, "'%.*s' is no event of %s "
	    "that asks before a tool is used ('cordon hook install %s' knows "
	    "which do)", CDN_STR_ARG(name), dialect->name, dialect->name);
}

static int
find_root(struct reader *r)
{
	const char *name = r->call->dialect->roots;
	const struct cdn_json_node *list = name == NULL ? NULL :
	    cdn_json_find(r->json, &r->json->nodes[0], name);
	const struct cdn_json_node *first = list == NULL ||
		list->type != CDN_JSON_ARRAY ? NULL :
	    cdn_json_first(r->json, list);

	r->call->root = CDN_STR("");
	if (first == NULL || first->type != CDN_JSON_STRING)
		return 0;
	return cdn_json_string(r->json, first, r->arena, &r->call->root) ? 0 :
	    cdn_err_nomem(r->err);
}

static int
find_tool(struct reader *r)
{
	struct cdn_dialect_call *c = r->call;
	int code;

	if (c->event->tool != NULL) {
		c->tool = cdn_str_of(c->event->tool);
	} else {
		code = take_text(r, "tool_name", true, &c->tool);
		if (code != 0)
			return code;
	}
	c->mcp = cdn_dialect_tool_mcp(c->agent, c->tool, &c->mcp_tool) || c->event->mcp;
	if (c->mcp_tool.p == NULL)
		c->mcp_tool = c->tool;
	if (!c->mcp)
		c->row = cdn_dialect_tool_find(c->agent, c->tool);
	return 0;
}

/* An object, or the text of one: so Cursor says what an MCP tool is given. */
static int
find_input(struct reader *r)
{
	const struct cdn_json_node *node;
	struct cdn_dialect_call *c = r->call;
	cdn_str text;
	int code = 0;

	if (c->row != NULL && c->row->whole) {
		node = &r->json->nodes[0];
	} else {
		node = cdn_json_find(r->json, &r->json->nodes[0],
		    "tool_input");
		if (node != NULL && node->type == CDN_JSON_STRING &&
		    c->event->mcp) {
			if (!cdn_json_string(r->json, node, r->arena, &text))
				return cdn_err_nomem(r->err);
			code = parse(r, text, "tool_input");
			node = &r->json->nodes[0];
		}
	}
	if (code != 0)
		return code;
	if (node == NULL || node->type != CDN_JSON_OBJECT)
		return cdn_err(r->err, CORDON_E_INVALID,
		    "'tool_input' of the event is no object");
	c->json = r->json;
	c->input = node;
	return 0;
}

int
cdn_dialect_read(enum cordon_hook_agent agent, cdn_str text,
    struct cdn_arena *arena, struct cdn_dialect_call *ret,
    struct cordon_error *err)
{
	struct cdn_dialect_call call = { .dialect = cdn_dialect(agent),
		.agent = agent };
	struct reader r = { .arena = arena, .call = &call, .err = err };
	int code = parse(&r, text, "the event");

	if (code == 0)
		code = find_event(&r);
	if (code == 0)
		code = find_tool(&r);
	if (code == 0)
		code = take_text(&r, "cwd", false, &call.cwd);
	if (code == 0)
		code = take_text(&r, call.dialect->session, false,
		    &call.session);
	if (code == 0)
		code = find_root(&r);
	if (code == 0)
		code = find_input(&r);
	if (code == 0)
		*ret = call;
	return code;
}
