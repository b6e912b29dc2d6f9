/*
 * relay_roots - which directories a server is told of.
 */
#include "enforce/guard/passage.h"

static int
judge_root(struct passage *p, const struct cdn_json_node *root, bool *ret_drop)
{
	const struct cdn_json_node *uri = cdn_json_find(&p->m.json, root,
	    "uri");
	struct cdn_rpc_judge judge = cdn_guard_judge_of(&p->relay->judge);
	cdn_str text = { "", 0 };
	int code;

	*ret_drop = true;
	if (uri == NULL || uri->type != CDN_JSON_STRING)
		return 0;
	if (!cdn_json_string(&p->m.json, uri, p->arena, &text))
		return cdn_err_nomem(p->err);
	p->relay->judge.tool = (cdn_str){ "", 0 };
	code = cdn_rpc_walk_uri(text, "uri", &judge, p->arena, p->err);
	if (code < 0)
		return code;
	*ret_drop = code == 1 || p->relay->judge.asked > 0;
	if (*ret_drop)
		cdn_passage_note(p, "root '%.*s' is kept from the server: it "
		    "is not the agent's", CDN_STR_ARG(text));
	return 0;
}

int
cdn_passage_pass_roots(struct passage *p, const struct cdn_json_node *roots)
{
	const struct cdn_json_node *root = cdn_json_first(&p->m.json, roots);
	bool *drops = cdn_arena_array(p->arena, (size_t)roots->count + 1,
	    sizeof(*drops));
	int code = 0;

	if (drops == NULL)
		return cdn_err_nomem(p->err);
	for (size_t i = 0; code == 0 && root != NULL; i++) {
		code = judge_root(p, root, &drops[i]);
		root = cdn_json_next(&p->m.json, root);
	}
	return code != 0 ? code :
	    cdn_passage_cut(p, p->relay->to_server, roots, drops);
}

const struct cdn_json_node *
cdn_passage_array(const struct passage *p, const struct cdn_json_node *object,
    const char *key)
{
	const struct cdn_json_node *node = object == NULL ? NULL :
	    cdn_json_find(&p->m.json, object, key);

	return node != NULL && node->type == CDN_JSON_ARRAY ? node : NULL;
}

const struct cdn_json_node *
cdn_passage_roots(const struct passage *p, unsigned *ret_count)
{
	const struct cdn_json_node *answers = p->m.params == NULL ? NULL :
	    cdn_json_find(&p->m.json, p->m.params, "inputResponses");
	const struct cdn_json_node *one, *found = NULL;

	*ret_count = 0;
	for (one = answers == NULL ? NULL : cdn_json_first(&p->m.json, answers);
	     one != NULL; one = cdn_json_next(&p->m.json, one)) {
		const struct cdn_json_node *roots = cdn_passage_array(p, one,
		    "roots");

		found = roots != NULL ? roots : found;
		*ret_count += roots != NULL;
	}
	return found;
}
