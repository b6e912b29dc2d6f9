/*
 * schema - which fields of a tool's arguments hold paths.
 *
 * By what the policy settles (`spec.mcp`), by the field's name, by the schema
 * that the server gave: `format: path`, or a description that speaks of an
 * absolute path or a file path.  A schema is input like any other: references
 * are followed inside of it only, and not for ever.
 */
#ifndef CDN_RPC_SCHEMA_H
#define CDN_RPC_SCHEMA_H

#include "base/json.h"

enum cdn_rpc_field {
	CDN_RPC_FIELD_UNKNOWN,
	CDN_RPC_FIELD_PATH,
	CDN_RPC_FIELD_TEXT, /* settled: never looked at */
};

/* One line of `spec.mcp`, of all documents. */
struct cdn_rpc_setting {
	cdn_str tool;
	cdn_str field; /* "path", "edits.path": without "[1]" */
	bool is_path;
};

struct cdn_rpc_settings {
	const struct cdn_rpc_setting *v;
	size_t n;
};

/*
 * label: "files[1]", "edits[0].path".  A path wins over text, whoever says it:
 * what only one of two documents guards is guarded.
 */
enum cdn_rpc_field cdn_rpc_settled(const struct cdn_rpc_settings *settings,
    cdn_str tool, cdn_str label);

/* Is it the name of a path: "file_path", "cwd", "outputDir"? */
bool cdn_rpc_name_is_path(cdn_str name);
/* Of those, one that is only read even by a tool that writes: "source". */
bool cdn_rpc_name_is_source(cdn_str name);

/*
 * Schemas are nodes of one document; NULL is the schema of anything.  Walking
 * into them gives one of the parts that apply (there may be more, in anyOf and
 * its like: cdn_rpc_schema_is_path() looks at those by itself).
 */
const struct cdn_json_node *cdn_rpc_schema_member(const struct cdn_json *json,
    const struct cdn_json_node *schema, cdn_str name);
const struct cdn_json_node *cdn_rpc_schema_item(const struct cdn_json *json,
    const struct cdn_json_node *schema);
bool cdn_rpc_schema_is_path(const struct cdn_json *json,
    const struct cdn_json_node *schema);
/* It lists its members and says that there are no others. */
bool cdn_rpc_schema_forbids(const struct cdn_json *json,
    const struct cdn_json_node *schema, cdn_str name);

#endif
