#include "engine/rpc/schema.h"

#include <strings.h>

#include "engine/rpc/key_case.h"

/* ----- What is settled ------------------------------------------------------ */

/* "edits[0].path" -> "edits.path"; false when it has no room. */
static bool
field_of_label(cdn_str label, char out[CDN_NAME_MAX + 1], cdn_str *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < label.n; i++) {
		if (label.p[i] == '[') {
			while (i < label.n && label.p[i] != ']')
				i++;
			continue;
		}
		if (n == CDN_NAME_MAX)
			return false;
		out[n++] = label.p[i];
	}
	*ret = (cdn_str){ out, n };
	return true;
}

enum cdn_rpc_field
cdn_rpc_settled(const struct cdn_rpc_settings *settings, cdn_str tool,
    cdn_str label)
{
	enum cdn_rpc_field found = CDN_RPC_FIELD_UNKNOWN;
	char text[CDN_NAME_MAX + 1];
	cdn_str field;

	if (settings->n == 0 || !field_of_label(label, text, &field))
		return found;
	for (size_t i = 0; i < settings->n; i++) {
		const struct cdn_rpc_setting *s = &settings->v[i];

		if (!cdn_str_eq(s->tool, tool))
			continue;
		/* A server that ignores case reads "PATH" as well. */
		if (s->is_path && cdn_rpc_same_folded(s->field, field))
			return CDN_RPC_FIELD_PATH;
		if (!s->is_path && cdn_str_eq(s->field, field))
			found = CDN_RPC_FIELD_TEXT;
	}
	return found;
}

/* ----- Names ---------------------------------------------------------------- */

/* Small letters, no '_' and '-': as fold_name() makes them. */
static const char *const path_names[] = { "path", "paths", "filepath",
	"filepaths", "file", "files", "filename", "filenames", "dir", "dirs",
	"directory", "directories", "dirpath", "directorypath", "folder",
	"folders", "folderpath", "cwd", "workdir", "workingdir",
	"workingdirectory", "source", "sources", "sourcepath", "sourcefile",
	"src", "target", "targets", "targetpath", "targetfile", "destination",
	"destinationpath", "dest", "destpath", "dst", "oldpath", "newpath",
	"root", "roots", "rootpath", "rootdir", "basepath", "basedir",
	"absolutepath", "relativepath", "inputpath", "inputfile", "outputpath",
	"outputfile", "outputdir", "outdir", "outfile", "infile", "savepath",
	"localpath", "projectpath", "repopath", "repositorypath",
	"workspacepath", "workspaceroot", "notebookpath", "configpath",
	"configfile", "logfile", "dbpath", "databasepath" };
static const char *const source_names[] = { "source", "sources", "sourcepath",
	"sourcefile", "src", "cwd", "workdir", "workingdir",
	"workingdirectory", "root", "roots", "rootpath", "rootdir", "basepath",
	"basedir", "inputpath", "inputfile", "infile", "projectpath",
	"repopath", "repositorypath", "workspacepath", "workspaceroot",
	"configpath", "configfile" };

#define NAME_ROOM 32

static bool
fold_name(cdn_str name, char out[NAME_ROOM])
{
	size_t n = 0;

	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];

		if (c == '_' || c == '-')
			continue;
		if (n + 1 == NAME_ROOM)
			return false;
		out[n++] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
	}
	out[n] = '\0';
	return true;
}

static bool
is_among(cdn_str name, const char *const *names, size_t count)
{
	char folded[NAME_ROOM];

	if (!fold_name(name, folded))
		return false;
	for (size_t i = 0; i < count; i++)
		if (folded[0] == names[i][0] && strcmp(folded, names[i]) == 0)
			return true;
	return false;
}

bool
cdn_rpc_name_is_path(cdn_str name)
{
	return is_among(name, path_names, CDN_LEN(path_names));
}

bool
cdn_rpc_name_is_source(cdn_str name)
{
	return is_among(name, source_names, CDN_LEN(source_names));
}

/* ----- References ----------------------------------------------------------- */

/* One step of a JSON pointer, "~1" and "~0" decoded; false: too long. */
static bool
pointer_step(cdn_str part, char out[CDN_NAME_MAX + 1])
{
	size_t n = 0;

	for (size_t i = 0; i < part.n; i++) {
		char c = part.p[i];

		if (c == '\\') /* "\/": some writers escape every slash */
			continue;
		if (n == CDN_NAME_MAX)
			return false;
		if (c == '~' && i + 1 < part.n)
			c = part.p[++i] == '1' ? '/' : '~';
		out[n++] = c;
	}
	out[n] = '\0';
	return true;
}

static const struct cdn_json_node *
nth(const struct cdn_json *json, const struct cdn_json_node *array, size_t i)
{
	const struct cdn_json_node *node = array == NULL ||
		array->type != CDN_JSON_ARRAY ? NULL :
	    cdn_json_first(json, array);

	for (; node != NULL && i > 0; i--)
		node = cdn_json_next(json, node);
	return node;
}

static const struct cdn_json_node *
step_into(const struct cdn_json *json, const struct cdn_json_node *at,
    const char *word)
{
	uint64_t i;

	if (at->type != CDN_JSON_ARRAY)
		return cdn_json_find(json, at, word);
	return cdn_str_parse_u64(cdn_str_of(word), &i) && i < at->count ?
	    nth(json, at, (size_t)i) : NULL;
}

/* "#/$defs/x" -> that node; NULL when it is not there, or elsewhere. */
static const struct cdn_json_node *
follow(const struct cdn_json *json, const struct cdn_json_node *ref)
{
	/* The document is the tool: its schema stands in it. */
	const struct cdn_json_node *at = cdn_json_find(json, &json->nodes[0],
	    "inputSchema");
	char word[CDN_NAME_MAX + 1];
	cdn_str rest, part;

	part = cdn_json_raw(json, ref);
	if (ref->type != CDN_JSON_STRING || part.n < 3 || part.p[1] != '#')
		return NULL;
	rest = (cdn_str){ part.p + 2, part.n - 3 };
	if (rest.n == 0)
		return at;
	(void)cdn_str_next(&rest, '/', &part); /* "", or "\" of an escape */
	while (at != NULL && cdn_str_next(&rest, '/', &part))
		at = pointer_step(part, word) ? step_into(json, at, word) :
						NULL;
	return at;
}

/* ----- Sets of schemas ------------------------------------------------------ */

static bool
is_in(const struct cdn_rpc_schemas *set, const struct cdn_json_node *schema)
{
	for (size_t i = 0; i < set->n; i++)
		if (set->v[i] == schema)
			return true;
	return false;
}

static void
add_schema(struct cdn_rpc_schemas *set, const struct cdn_json_node *schema)
{
	if (schema == NULL || schema->type != CDN_JSON_OBJECT ||
	    is_in(set, schema))
		return;
	if (set->n == CDN_RPC_SCHEMAS_MAX)
		set->cut = true;
	else
		set->v[set->n++] = schema;
}

static void
add_children(struct cdn_rpc_schemas *set, const struct cdn_json_node *parent)
{
	const struct cdn_json_node *one = parent == NULL ? NULL :
	    cdn_json_first(set->json, parent);

	for (; one != NULL && !set->cut; one = cdn_json_next(set->json, one))
		add_schema(set, one);
}

/* What a keyword of a schema holds that applies to the same value. */
static const struct {
	const char *keyword;
	bool many; /* an array or an object of schemas */
} applies[] = {
	{ "anyOf", true },
	{ "oneOf", true },
	{ "allOf", true },
	{ "dependentSchemas", true },
	{ "dependencies", true },
	{ "if", false },
	{ "then", false },
	{ "else", false },
};

/* Adds all that apply with those that are there; the set grows meanwhile. */
static void
close_set(struct cdn_rpc_schemas *set)
{
	static const char *const refs[] = { "$ref", "$dynamicRef",
		"$recursiveRef" };
	const struct cdn_json_node *node;

	for (size_t i = 0; i < set->n; i++) {
		for (size_t k = 0; k < CDN_LEN(refs); k++) {
			node = cdn_json_find(set->json, set->v[i], refs[k]);
			if (node != NULL)
				add_schema(set, follow(set->json, node));
		}
		for (size_t k = 0; k < CDN_LEN(applies); k++) {
			node = cdn_json_find(set->json, set->v[i],
			    applies[k].keyword);
			if (node != NULL && applies[k].many)
				add_children(set, node);
			else if (node != NULL)
				add_schema(set, node);
		}
	}
}

static void
begin_set(const struct cdn_json *json, bool cut, struct cdn_rpc_schemas *ret)
{
	ret->json = json;
	ret->n = 0;
	ret->cut = cut;
}

void
cdn_rpc_schemas_begin(const struct cdn_json *json, struct cdn_rpc_schemas *ret)
{
	begin_set(json, false, ret);
	if (json == NULL)
		return;
	add_schema(ret, cdn_json_find(json, &json->nodes[0], "inputSchema"));
	close_set(ret);
}

/* True when one of the properties has that name. */
static bool
add_properties(struct cdn_rpc_schemas *set, const struct cdn_json_node *schema,
    cdn_str name)
{
	const struct cdn_json_node *all = cdn_json_find(set->json, schema,
	    "properties");
	const struct cdn_json_node *one = all == NULL ||
		all->type != CDN_JSON_OBJECT ? NULL :
	    cdn_json_first(set->json, all);
	bool found = false;

	for (; one != NULL; one = cdn_json_next(set->json, one)) {
		cdn_str key = { set->json->text.p + one->key_start + 1,
			(size_t)one->key_end - one->key_start - 2 };

		/* An escaped key may be it: then it is taken for it. */
		if (!one->key_escaped && !cdn_rpc_same_folded(key, name))
			continue;
		add_schema(set, one);
		found = found || !one->key_escaped;
	}
	return found;
}

/* Patterns are not matched: each may apply. */
static void
add_member(struct cdn_rpc_schemas *set, const struct cdn_json_node *schema,
    cdn_str name)
{
	bool named = add_properties(set, schema, name);

	add_children(set, cdn_json_find(set->json, schema,
	    "patternProperties"));
	if (named)
		return;
	add_schema(set, cdn_json_find(set->json, schema,
	    "additionalProperties"));
	add_schema(set, cdn_json_find(set->json, schema,
	    "unevaluatedProperties"));
}

void
cdn_rpc_schemas_member(const struct cdn_rpc_schemas *around, cdn_str name,
    struct cdn_rpc_schemas *ret)
{
	begin_set(around->json, around->cut, ret);
	for (size_t i = 0; i < around->n; i++)
		add_member(ret, around->v[i], name);
	close_set(ret);
}

static void
add_item(struct cdn_rpc_schemas *set, const struct cdn_json_node *schema,
    size_t index)
{
	static const char *const all[] = { "items", "additionalItems",
		"unevaluatedItems", "contains" };

	add_schema(set, nth(set->json, cdn_json_find(set->json, schema,
	    "prefixItems"), index));
	/* A list of items is what prefixItems were called before. */
	add_schema(set, nth(set->json, cdn_json_find(set->json, schema,
	    "items"), index));
	for (size_t i = 0; i < CDN_LEN(all); i++)
		add_schema(set, cdn_json_find(set->json, schema, all[i]));
}

void
cdn_rpc_schemas_item(const struct cdn_rpc_schemas *around, size_t index,
    struct cdn_rpc_schemas *ret)
{
	begin_set(around->json, around->cut, ret);
	for (size_t i = 0; i < around->n; i++)
		add_item(ret, around->v[i], index);
	close_set(ret);
}

/* ----- What it says --------------------------------------------------------- */

/* Looks for a word of small letters, whatever the case of the text. */
static bool
speaks_of(cdn_str text, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i + n <= text.n; i++)
		if (strncasecmp(text.p + i, word, n) == 0)
			return true;
	return false;
}

static bool
says_path(const struct cdn_json *json, const struct cdn_json_node *schema)
{
	const struct cdn_json_node *format = cdn_json_find(json, schema,
	    "format");
	const struct cdn_json_node *about = cdn_json_find(json, schema,
	    "description");
	cdn_str text;

	if (format != NULL && (cdn_json_is(json, format, CDN_STR("path")) ||
	    cdn_json_is(json, format, CDN_STR("file-path")) ||
	    cdn_json_is(json, format, CDN_STR("directory-path"))))
		return true;
	if (about == NULL || about->type != CDN_JSON_STRING)
		return false;
	text = cdn_json_raw(json, about);
	return speaks_of(text, "absolute path") || speaks_of(text, "file path");
}

bool
cdn_rpc_schemas_say_path(const struct cdn_rpc_schemas *set)
{
	for (size_t i = 0; i < set->n; i++)
		if (says_path(set->json, set->v[i]))
			return true;
	return set->cut;
}

bool
cdn_rpc_schemas_say_path_keys(const struct cdn_rpc_schemas *set)
{
	CDN_UNINITIALIZED struct cdn_rpc_schemas keys;

	if (set->n == 0)
		return false;
	begin_set(set->json, false, &keys);
	for (size_t i = 0; i < set->n; i++)
		add_schema(&keys, cdn_json_find(set->json, set->v[i],
		    "propertyNames"));
	close_set(&keys);
	return cdn_rpc_schemas_say_path(&keys);
}

bool
cdn_rpc_schemas_say_string(const struct cdn_rpc_schemas *set)
{
	bool found = false;

	for (size_t i = 0; i < set->n; i++) {
		const struct cdn_json_node *type = cdn_json_find(set->json,
		    set->v[i], "type");

		if (type == NULL)
			continue;
		if (!cdn_json_is(set->json, type, CDN_STR("string")) &&
		    !cdn_json_is(set->json, type, CDN_STR("null")))
			return false;
		found = true;
	}
	return found && !set->cut;
}

/* The member of that name, which may hold any bytes. */
static const struct cdn_json_node *
member_named(const struct cdn_json *json, const struct cdn_json_node *object,
    cdn_str name)
{
	char key[CDN_NAME_MAX + 1];

	if (name.n > CDN_NAME_MAX || object->type != CDN_JSON_OBJECT)
		return NULL;
	memcpy(key, name.p, name.n);
	key[name.n] = '\0';
	return cdn_json_find(json, object, key);
}

bool
cdn_rpc_schemas_forbid(const struct cdn_rpc_schemas *set, cdn_str name)
{
	const struct cdn_json_node *schema, *more, *all;
	const struct cdn_json *json = set->json;
	bool allowed = true;

	if (set->n == 0)
		return false;
	schema = set->v[0];
	more = cdn_json_find(json, schema, "additionalProperties");
	all = cdn_json_find(json, schema, "properties");
	return more != NULL && cdn_json_bool(json, more, &allowed) &&
	    !allowed && (all == NULL || member_named(json, all, name) == NULL) &&
	    cdn_json_find(json, schema, "patternProperties") == NULL &&
	    name.n <= CDN_NAME_MAX;
}
