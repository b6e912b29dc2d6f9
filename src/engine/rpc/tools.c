#include "engine/rpc/tools.h"

bool
cdn_rpc_tool_name(cdn_str name)
{
	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		    (c >= '0' && c <= '9') || strchr("_./-", c) != NULL))
			return false;
	}
	return name.n >= 1 && name.n <= CDN_NAME_MAX;
}

/* What a key stands for, as long as nobody escapes plain letters. */
static cdn_str
key_of(const struct cdn_json *json, const struct cdn_json_node *node)
{
	return (cdn_str){ json->text.p + node->key_start + 1,
		(size_t)node->key_end - node->key_start - 2 };
}

static bool
is_pinned(cdn_str key)
{
	return !cdn_str_is(key, "_meta") && !cdn_str_is(key, "icons");
}

static const struct cdn_json_node *
member(const struct cdn_json *json, const struct cdn_json_node *object,
    cdn_str key)
{
	const struct cdn_json_node *node = cdn_json_first(json, object);

	while (node != NULL && !cdn_str_eq(key_of(json, node), key))
		node = cdn_json_next(json, node);
	return node;
}

/* Every member of x is in y, too, and says the same. */
static bool
is_within(const struct cdn_json *a, const struct cdn_json_node *x,
    const struct cdn_json *b, const struct cdn_json_node *y, cdn_str *differs)
{
	const struct cdn_json_node *node = cdn_json_first(a, x);

	for (; node != NULL; node = cdn_json_next(a, node)) {
		cdn_str key = key_of(a, node);
		const struct cdn_json_node *other = member(b, y, key);

		if (!is_pinned(key) || (other != NULL && cdn_str_eq(
		    cdn_json_raw(a, node), cdn_json_raw(b, other))))
			continue;
		*differs = key;
		return false;
	}
	return true;
}

bool
cdn_rpc_tool_same(const struct cdn_json *a, const struct cdn_json_node *x,
    const struct cdn_json *b, const struct cdn_json_node *y,
    cdn_str *ret_member)
{
	return is_within(a, x, b, y, ret_member) &&
	    is_within(b, y, a, x, ret_member);
}

void
cdn_rpc_cut(const struct cdn_json *json, const struct cdn_json_node *parent,
    const bool *drop, struct cdn_buf *out)
{
	const struct cdn_json_node *node = cdn_json_first(json, parent);
	uint32_t start;
	bool first = true;

	cdn_buf_add(out, json->text.p, (size_t)parent->start + 1);
	for (size_t i = 0; node != NULL; i++) {
		if (!drop[i]) {
			cdn_buf_puts(out, first ? "" : ",");
			start = node->key_end > 0 ? node->key_start :
						    node->start;
			cdn_buf_add(out, json->text.p + start,
			    node->end - start);
			first = false;
		}
		node = cdn_json_next(json, node);
	}
	cdn_buf_str(out, cdn_str_from(json->text, (size_t)parent->end - 1));
}
