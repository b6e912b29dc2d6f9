/*
 * arguments - the JSON of a call, by the table.
 *
 * What the table does not know is refused, not ignored: an agent that spells
 * an argument wrong should hear of it.
 */
#include "enforce/tool/tool.h"

static int
wrong(struct cdn_tool_call *call, const struct cdn_tool_field *field,
    const char *what)
{
	return cdn_tool_refuse(call, CORDON_REFUSAL_INVALID,
	    "argument '%s' of %s must be %s", field->name,
	    call->tool->info.name, what);
}

static int
take_text(struct cdn_tool_call *call, const struct cdn_tool_field *field,
    const struct cdn_json *json, const struct cdn_json_node *node,
    cdn_str *ret)
{
	if (node->type != CDN_JSON_STRING)
		return wrong(call, field, "a string");
	if (!cdn_json_string(json, node, call->arena, ret))
		return cdn_tool_nomem(call);
	return 0;
}

static int
take_number(struct cdn_tool_call *call, const struct cdn_tool_field *field,
    const struct cdn_json *json, const struct cdn_json_node *node,
    int64_t *ret)
{
	if (!cdn_json_int(json, node, ret))
		return wrong(call, field, "a whole number");
	if (*ret < field->min || *ret > field->max)
		return cdn_tool_refuse(call, CORDON_REFUSAL_INVALID,
		    "argument '%s' of %s must be from %lld to %lld",
		    field->name, call->tool->info.name, (long long)field->min,
		    (long long)field->max);
	return 0;
}

static int
take_list(struct cdn_tool_call *call, const struct cdn_tool_field *field,
    const struct cdn_json *json, const struct cdn_json_node *node,
    struct cdn_tool_value *ret)
{
	cdn_str *list;
	size_t n = 0;
	int code = 0;

	if (node->type != CDN_JSON_ARRAY)
		return wrong(call, field, "a list of strings");
	if ((int64_t)node->count > field->max)
		return cdn_tool_refuse(call, CORDON_REFUSAL_INVALID,
		    "argument '%s' of %s has more than %lld entries",
		    field->name, call->tool->info.name, (long long)field->max);
	list = cdn_arena_array(call->arena, node->count + 1U, sizeof(*list));
	if (list == NULL)
		return cdn_tool_nomem(call);
	for (const struct cdn_json_node *item = cdn_json_first(json, node);
	     item != NULL && code == 0; item = cdn_json_next(json, item))
		code = take_text(call, field, json, item, &list[n++]);
	ret->list = list;
	ret->count = n;
	return code;
}

static int
take(struct cdn_tool_call *call, const struct cdn_tool_field *field,
    const struct cdn_json *json, const struct cdn_json_node *node,
    struct cdn_tool_value *ret)
{
	ret->given = true;
	switch (field->type) {
	case CDN_TOOL_TEXT:
	case CDN_TOOL_PATH:
		return take_text(call, field, json, node, &ret->text);
	case CDN_TOOL_NUMBER:
		return take_number(call, field, json, node, &ret->number);
	case CDN_TOOL_BOOL:
		return cdn_json_bool(json, node, &ret->flag) ? 0 :
		    wrong(call, field, "true or false");
	case CDN_TOOL_PATHS:
		return take_list(call, field, json, node, ret);
	default:
		if (node->type != CDN_JSON_OBJECT)
			return wrong(call, field, "an object");
		ret->text = cdn_json_raw(json, node);
		return 0;
	}
}

static int
unknown(struct cdn_tool_call *call, const struct cdn_json *json,
    const struct cdn_json_node *node)
{
	cdn_str key;

	if (!cdn_json_key(json, node, call->arena, &key))
		return cdn_tool_nomem(call);
	return cdn_tool_refuse(call, CORDON_REFUSAL_INVALID,
	    "%s takes no argument '%.*s'", call->tool->info.name,
	    CDN_STR_ARG(key));
}

static bool
is_key(const struct cdn_json *json, const struct cdn_json_node *object,
    const struct cdn_json_node *node, const char *name)
{
	return cdn_json_find(json, object, name) == node;
}

static int
take_member(struct cdn_tool_call *call, const struct cdn_json *json,
    const struct cdn_json_node *node)
{
	const struct cdn_tool_field *takes = call->tool->takes;

	for (size_t i = 0; takes[i].name != NULL; i++)
		if (is_key(json, json->nodes, node, takes[i].name))
			return take(call, &takes[i], json, node, &call->v[i]);
	return unknown(call, json, node);
}

static int
check_needed(struct cdn_tool_call *call)
{
	const struct cdn_tool_field *takes = call->tool->takes;

	for (size_t i = 0; takes[i].name != NULL; i++)
		if ((takes[i].flags & CDN_TOOL_NEEDED) != 0 &&
		    !call->v[i].given)
			return cdn_tool_refuse(call, CORDON_REFUSAL_INVALID,
			    "%s needs the argument '%s'",
			    call->tool->info.name, takes[i].name);
	return 0;
}

int
cdn_tool_arguments(struct cdn_tool_call *call)
{
	const struct cdn_json_options options = {
		.max_bytes = CDN_TOOL_CALL_MAX,
		.max_nodes = CDN_TOOL_NODES_MAX,
	};
	cdn_str text = { call->asked->arguments, call->asked->arguments_len };
	struct cdn_json json;
	int code = cdn_json_parse(text, &options, call->arena, &json,
	    &call->err);

	if (code == CORDON_E_NOMEM)
		return cdn_tool_nomem(call);
	if (code != 0)
		return cdn_tool_refuse(call, CORDON_REFUSAL_INVALID,
		    "arguments of %s: %s", call->tool->info.name,
		    call->err.text);
	if (json.nodes->type != CDN_JSON_OBJECT)
		return cdn_tool_refuse(call, CORDON_REFUSAL_INVALID,
		    "arguments of %s are no JSON object",
		    call->tool->info.name);
	for (const struct cdn_json_node *node =
	     cdn_json_first(&json, json.nodes);
	     node != NULL && code == 0; node = cdn_json_next(&json, node))
		code = take_member(call, &json, node);
	return code != 0 ? code : check_needed(call);
}
