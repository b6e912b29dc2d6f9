#include "front/mcp/catalog.h"

#include "front/mcp/answer.h"

static void
put_hint(struct cdn_json_writer *w, const char *key, bool value)
{
	cdn_json_put_key(w, key);
	cdn_json_put_bool(w, value);
}

static int
put_schema(struct cdn_json_writer *w, const char *key, size_t i,
    enum cordon_tool_schema which, struct cordon_error *err)
{
	cdn_cleanup_free char *schema = NULL;
	int code = cordon_tool_schema(i, which, &schema, err);

	if (code != 0)
		return code;
	cdn_json_put_key(w, key);
	cdn_json_put_raw(w, cdn_str_of(schema));
	return 0;
}

static int
put_tool(struct cdn_json_writer *w, size_t i,
    const struct cordon_tool_info *info, struct cordon_error *err)
{
	int code;

	cdn_json_open(w, '{');
	cdn_json_put_member(w, "name", info->name);
	cdn_json_put_member(w, "title", info->title);
	cdn_json_put_member(w, "description", info->description);
	code = put_schema(w, "inputSchema", i, CORDON_TOOL_INPUT, err);
	if (code == 0)
		code = put_schema(w, "outputSchema", i, CORDON_TOOL_OUTPUT,
		    err);
	if (code != 0)
		return code;
	cdn_json_put_key(w, "annotations");
	cdn_json_open(w, '{');
	cdn_json_put_member(w, "title", info->title);
	put_hint(w, "readOnlyHint", info->read_only);
	put_hint(w, "destructiveHint", info->destructive);
	put_hint(w, "idempotentHint", info->idempotent);
	put_hint(w, "openWorldHint", info->open_world);
	cdn_json_close(w);
	cdn_json_close(w);
	return 0;
}

int
mcp_catalog_init(struct mcp_catalog *catalog, struct cordon_error *err)
{
	struct cordon_tool_info info;
	struct cdn_json_writer w;
	int code = 0;

	cdn_buf_init(&catalog->list, CDN_MCP_RESULT_MAX);
	cdn_json_begin(&w, &catalog->list);
	cdn_json_open(&w, '[');
	for (size_t i = 0; code == 0 && cordon_tool_info(i, &info); i++)
		code = put_tool(&w, i, &info, err);
	if (code != 0)
		return code;
	cdn_json_close(&w);
	return cdn_json_end(&w) ? 0 : cdn_err_nomem(err);
}

void
mcp_catalog_done(struct mcp_catalog *catalog)
{
	cdn_buf_done(&catalog->list);
}

bool
mcp_catalog_find(cdn_str name, struct cordon_tool_info *ret)
{
	for (size_t i = 0; cordon_tool_info(i, ret); i++)
		if (cdn_str_is(name, ret->name))
			return true;
	return false;
}
