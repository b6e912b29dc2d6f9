#include "base/json.h"

#include "base/json_text.h"

const struct cdn_json_node *
cdn_json_first(const struct cdn_json *json, const struct cdn_json_node *parent)
{
	(void)json;
	return parent->count == 0 ? NULL : parent + 1;
}

const struct cdn_json_node *
cdn_json_next(const struct cdn_json *json, const struct cdn_json_node *node)
{
	return node->next == 0 ? NULL : &json->nodes[node->next];
}

const struct cdn_json_node *
cdn_json_find(const struct cdn_json *json, const struct cdn_json_node *object,
    const char *key)
{
	struct cdn_json_text want = { .raw = cdn_str_of(key) };
	const struct cdn_json_node *node;

	if (object->type != CDN_JSON_OBJECT)
		return NULL;
	for (node = cdn_json_first(json, object); node != NULL;
	    node = cdn_json_next(json, node)) {
		struct cdn_json_text have =
		    cdn_json_text_key(json->text, node);

		if (cdn_json_text_same(have, want))
			return node;
	}
	return NULL;
}

cdn_str
cdn_json_raw(const struct cdn_json *json, const struct cdn_json_node *node)
{
	return (cdn_str){ json->text.p + node->start,
		(size_t)node->end - node->start };
}

static bool
meaning(struct cdn_json_text text, struct cdn_arena *arena, cdn_str *ret)
{
	char *copy;

	if (!text.escaped) {
		*ret = text.raw;
		return true;
	}
	copy = cdn_arena_alloc(arena, text.raw.n);
	if (copy == NULL)
		return false;
	*ret = (cdn_str){ copy, cdn_json_text_decode(text, copy) };
	return true;
}

bool
cdn_json_string(const struct cdn_json *json, const struct cdn_json_node *node,
    struct cdn_arena *arena, cdn_str *ret)
{
	if (node->type != CDN_JSON_STRING)
		return false;
	return meaning(cdn_json_text_value(json->text, node), arena, ret);
}

bool
cdn_json_key(const struct cdn_json *json, const struct cdn_json_node *node,
    struct cdn_arena *arena, cdn_str *ret)
{
	if (node->key_end == 0)
		return false;
	return meaning(cdn_json_text_key(json->text, node), arena, ret);
}

bool
cdn_json_is(const struct cdn_json *json, const struct cdn_json_node *node,
    cdn_str want)
{
	if (node->type != CDN_JSON_STRING)
		return false;
	return cdn_json_text_same(cdn_json_text_value(json->text, node),
	    (struct cdn_json_text){ .raw = want });
}

bool
cdn_json_int(const struct cdn_json *json, const struct cdn_json_node *node,
    int64_t *ret)
{
	cdn_str digits = cdn_json_raw(json, node);
	bool negative = digits.p[0] == '-';
	uint64_t value;

	if (node->type != CDN_JSON_NUMBER || !node->integer)
		return false;
	if (!cdn_str_parse_u64(cdn_str_from(digits, negative), &value))
		return false;
	if (value > (uint64_t)INT64_MAX + negative)
		return false;
	*ret = negative ? (int64_t)(0 - value) : (int64_t)value;
	return true;
}

bool
cdn_json_bool(const struct cdn_json *json, const struct cdn_json_node *node,
    bool *ret)
{
	if (node->type != CDN_JSON_BOOL)
		return false;
	*ret = json->text.p[node->start] == 't';
	return true;
}
