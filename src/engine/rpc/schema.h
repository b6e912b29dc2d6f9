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
 * All schemas that apply to one value, or may: those behind $ref, the branches
 * of anyOf, oneOf, allOf and if/then/else, dependentSchemas.  Nodes of one
 * document.  An empty set is the schema of anything.
 */
struct cdn_rpc_schemas {
	const struct cdn_json *json; /* of the tool's description; NULL: none */
	const struct cdn_json_node *v[CDN_RPC_SCHEMAS_MAX];
	size_t n;
	bool cut; /* there were more: what is not known is taken for a path */
};

/* Of the arguments; json may be NULL. */
void cdn_rpc_schemas_begin(const struct cdn_json *json,
    struct cdn_rpc_schemas *ret);
/* Of the member, whatever the case of its name; of the item. */
void cdn_rpc_schemas_member(const struct cdn_rpc_schemas *around, cdn_str name,
    struct cdn_rpc_schemas *ret);
void cdn_rpc_schemas_item(const struct cdn_rpc_schemas *around, size_t index,
    struct cdn_rpc_schemas *ret);

bool cdn_rpc_schemas_say_path(const struct cdn_rpc_schemas *schemas);
/* Of the keys of an object (propertyNames). */
bool cdn_rpc_schemas_say_path_keys(const struct cdn_rpc_schemas *schemas);
/* A string and nothing else: a server has no reason to decode it. */
bool cdn_rpc_schemas_say_string(const struct cdn_rpc_schemas *schemas);
/* The first of them lists its members and says that there are no others. */
bool cdn_rpc_schemas_forbid(const struct cdn_rpc_schemas *schemas,
    cdn_str name);

#endif
