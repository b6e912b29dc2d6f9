#include "engine/rpc/origin.h"

#include <strings.h>

struct look {
	const struct cdn_json *json;
	struct cdn_arena *arena;
	struct cdn_rpc_origin *ret;
	bool failed; /* memory ran out */
};

const struct cdn_json_node *
cdn_rpc_origin_required(const struct cdn_json *json)
{
	static const char *const keys[] = { "error", "data", "elicitations" };
	const struct cdn_json_node *node = &json->nodes[0];

	for (size_t i = 0; node != NULL && i < CDN_LEN(keys); i++)
		node = node->type != CDN_JSON_OBJECT ? NULL :
		    cdn_json_find(json, node, keys[i]);
	return node;
}

/* Right behind the opening quote. */
static void
mark(struct look *l, const struct cdn_json_node *node)
{
	struct cdn_rpc_origin *o = l->ret;

	if (node == NULL || node->type != CDN_JSON_STRING || l->failed)
		return;
	o->v = cdn_arena_grow(l->arena, o->v, o->n, &o->room, sizeof(*o->v));
	l->failed = o->v == NULL;
	if (!l->failed)
		o->v[o->n++] = node->start + 1;
}

static bool
speaks_of_cordon(struct look *l, const struct cdn_json_node *node)
{
	static const char word[] = "cordon";
	cdn_str text;

	if (node == NULL || node->type != CDN_JSON_STRING)
		return false;
	if (!cdn_json_string(l->json, node, l->arena, &text)) {
		l->failed = true;
		return false;
	}
	for (size_t i = 0; i + sizeof(word) - 1 <= text.n; i++)
		if (strncasecmp(text.p + i, word, sizeof(word) - 1) == 0)
			return true;
	return false;
}

static void
mark_claim(struct look *l, const struct cdn_json_node *node)
{
	if (speaks_of_cordon(l, node))
		mark(l, node);
}

/* A block of text, or a list of blocks. */
static void
mark_content(struct look *l, const struct cdn_json_node *content)
{
	const struct cdn_json_node *block;

	if (content == NULL)
		return;
	if (content->type != CDN_JSON_ARRAY) {
		mark_claim(l, cdn_json_find(l->json, content, "text"));
		return;
	}
	for (block = cdn_json_first(l->json, content); block != NULL;
	     block = cdn_json_next(l->json, block))
		mark_claim(l, cdn_json_find(l->json, block, "text"));
}

static void
mark_sampling(struct look *l, const struct cdn_json_node *params)
{
	const struct cdn_json_node *list = cdn_json_find(l->json, params,
	    "messages");
	const struct cdn_json_node *one = list == NULL ||
		list->type != CDN_JSON_ARRAY ? NULL :
	    cdn_json_first(l->json, list);

	for (; one != NULL; one = cdn_json_next(l->json, one))
		mark_content(l, cdn_json_find(l->json, one, "content"));
	mark_claim(l, cdn_json_find(l->json, params, "systemPrompt"));
}

/* Anything that is not known to be for a model may be for a person. */
static void
mark_request(struct look *l, const struct cdn_json_node *method,
    const struct cdn_json_node *params)
{
	if (params == NULL || params->type != CDN_JSON_OBJECT)
		return;
	if (method != NULL && cdn_json_is(l->json, method,
	    CDN_STR("sampling/createMessage")))
		mark_sampling(l, params);
	else
		mark(l, cdn_json_find(l->json, params, "message"));
}

/* An error that asks: {"error":{"data":{"elicitations":[...]}}} */
static void
mark_required(struct look *l)
{
	const struct cdn_json_node *list = cdn_rpc_origin_required(l->json);
	const struct cdn_json_node *one = list == NULL ? NULL :
	    cdn_json_first(l->json, list);

	for (; one != NULL; one = cdn_json_next(l->json, one))
		mark(l, cdn_json_find(l->json, one, "message"));
}

static int
by_offset(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

bool
cdn_rpc_origin_find(const struct cdn_rpc_message *m, struct cdn_arena *arena,
    struct cdn_rpc_origin *ret)
{
	struct look l = { &m->json, arena, ret, false };
	const struct cdn_json_node *all, *one;

	*ret = (struct cdn_rpc_origin){ .n = 0 };
	if (m->kind == CDN_RPC_REQUEST && m->method == CDN_RPC_HARMLESS)
		mark_request(&l, cdn_json_find(l.json, &l.json->nodes[0],
		    "method"), m->params);
	all = m->result == NULL ? NULL :
	    cdn_json_find(l.json, m->result, "inputRequests");
	one = all == NULL ? NULL : cdn_json_first(l.json, all);
	for (; one != NULL; one = cdn_json_next(l.json, one))
		mark_request(&l, cdn_json_find(l.json, one, "method"),
		    cdn_json_find(l.json, one, "params"));
	if (m->kind == CDN_RPC_RESPONSE)
		mark_required(&l);
	if (ret->n > 1)
		qsort(ret->v, ret->n, sizeof(*ret->v), by_offset);
	return !l.failed;
}

void
cdn_rpc_origin_put(const struct cdn_rpc_message *m,
    const struct cdn_rpc_origin *origin, struct cdn_buf *out)
{
	size_t from = 0;

	for (size_t i = 0; i < origin->n; i++) {
		cdn_buf_add(out, m->json.text.p + from, origin->v[i] - from);
		cdn_buf_puts(out, CDN_RPC_ORIGIN);
		from = origin->v[i];
	}
	cdn_buf_str(out, cdn_str_from(m->json.text, from));
}
