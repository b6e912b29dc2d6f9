#include "front/mcp/page.h"

/* Is it a limit that fits, or one that the tool itself will not take? */
static bool
is_small(const struct mcp_message *m, const struct cdn_json_node *limit)
{
	int64_t number;

	return limit != NULL && (!cdn_json_int(&m->json, limit, &number) ||
	    number <= (int64_t)CDN_MCP_PAGE);
}

bool
mcp_page_arguments(const char *tool, const struct mcp_message *m,
    const struct cdn_json_node *given, struct cdn_arena *arena, cdn_str *ret)
{
	const struct cdn_json_node *limit = mcp_member(m, given, "limit");
	cdn_str text = given == NULL ? CDN_STR("{}") :
				       cdn_json_raw(&m->json, given);
	size_t start;
	char *made;

	if (strcmp(tool, "read_text") != 0 || is_small(m, limit))
		return cdn_arena_str(arena, text, ret);
	if (limit == NULL) { /* before the bracket that closes it */
		start = text.n - 1;
		made = cdn_arena_printf(arena, "%.*s%s\"limit\":%lu}",
		    (int)start, text.p, given == NULL || given->count == 0 ?
		    "" : ",", CDN_MCP_PAGE);
	} else {
		start = limit->start - given->start;
		made = cdn_arena_printf(arena, "%.*s%lu%.*s", (int)start,
		    text.p, CDN_MCP_PAGE,
		    CDN_STR_ARG(cdn_str_from(text,
			limit->end - given->start)));
	}
	*ret = cdn_str_of(made);
	return made != NULL;
}
