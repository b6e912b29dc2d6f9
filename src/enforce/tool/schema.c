/*
 * schema - the table as JSON Schema.
 */
#include "enforce/tool/tool.h"

static const char *const type_names[CDN_TOOL_TYPE_MAX] = {
	[CDN_TOOL_TEXT] = "string",
	[CDN_TOOL_PATH] = "string",
	[CDN_TOOL_NUMBER] = "integer",
	[CDN_TOOL_BOOL] = "boolean",
	[CDN_TOOL_PATHS] = "array",
	[CDN_TOOL_OBJECT] = "object",
	[CDN_TOOL_ROWS] = "array",
};

static void put_fields(struct cdn_json_writer *w,
    const struct cdn_tool_field *fields);

static void
put_type(struct cdn_json_writer *w, const struct cdn_tool_field *field)
{
	cdn_json_put_key(w, "type");
	if ((field->flags & CDN_TOOL_NULLABLE) == 0) {
		cdn_json_put_cstring(w, type_names[field->type]);
		return;
	}
	cdn_json_open(w, '[');
	cdn_json_put_cstring(w, type_names[field->type]);
	cdn_json_put_cstring(w, "null");
	cdn_json_close(w);
}

static void
put_bounds(struct cdn_json_writer *w, const struct cdn_tool_field *field)
{
	if (field->max == 0)
		return;
	cdn_json_put_key(w, "minimum");
	cdn_json_put_int(w, field->min);
	if (field->max == INT64_MAX)
		return;
	cdn_json_put_key(w, "maximum");
	cdn_json_put_int(w, field->max);
}

static void
put_paths(struct cdn_json_writer *w, const struct cdn_tool_field *field)
{
	cdn_json_put_key(w, "items");
	cdn_json_open(w, '{');
	cdn_json_put_key(w, "type");
	cdn_json_put_cstring(w, "string");
	cdn_json_close(w);
	cdn_json_put_key(w, "maxItems");
	cdn_json_put_int(w, field->max);
}

static void
put_field(struct cdn_json_writer *w, const struct cdn_tool_field *field)
{
	cdn_json_put_key(w, field->name);
	cdn_json_open(w, '{');
	put_type(w, field);
	cdn_json_put_key(w, "description");
	cdn_json_put_cstring(w, field->text);
	if (field->type == CDN_TOOL_NUMBER)
		put_bounds(w, field);
	if (field->type == CDN_TOOL_PATHS)
		put_paths(w, field);
	if (field->row != NULL && field->type == CDN_TOOL_ROWS) {
		cdn_json_put_key(w, "items");
		put_fields(w, field->row);
	} else if (field->row != NULL) {
		cdn_json_put_key(w, "properties");
		cdn_json_open(w, '{');
		for (const struct cdn_tool_field *f = field->row;
		     f->name != NULL; f++)
			put_field(w, f);
		cdn_json_close(w);
	}
	cdn_json_close(w);
}

/* One object and nothing besides. */
static void
put_fields(struct cdn_json_writer *w, const struct cdn_tool_field *fields)
{
	cdn_json_open(w, '{');
	cdn_json_put_key(w, "type");
	cdn_json_put_cstring(w, "object");
	cdn_json_put_key(w, "properties");
	cdn_json_open(w, '{');
	for (const struct cdn_tool_field *f = fields; f->name != NULL; f++)
		put_field(w, f);
	cdn_json_close(w);
	cdn_json_put_key(w, "required");
	cdn_json_open(w, '[');
	for (const struct cdn_tool_field *f = fields; f->name != NULL; f++)
		if ((f->flags & CDN_TOOL_NEEDED) != 0)
			cdn_json_put_cstring(w, f->name);
	cdn_json_close(w);
	cdn_json_put_key(w, "additionalProperties");
	cdn_json_put_bool(w, false);
	cdn_json_close(w);
}

int
cdn_tool_schema(const struct cdn_tool *tool, enum cordon_tool_schema which,
    struct cdn_buf *out, struct cordon_error *err)
{
	struct cdn_json_writer w;

	cdn_json_begin(&w, out);
	put_fields(&w, which == CORDON_TOOL_INPUT ? tool->takes : tool->gives);
	return cdn_json_end(&w) ? 0 : cdn_err_nomem(err);
}
