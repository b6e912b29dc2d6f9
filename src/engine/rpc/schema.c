#include "engine/rpc/schema.h"

#include <strings.h>

#define STEPS_MAX 32 /* references and choices, from one field */

/* ----- What is settled ------------------------------------------------------ */

/* The label without its "[1]"s is the field. */
static bool
label_is(cdn_str label, cdn_str field)
{
	size_t k = 0;

	for (size_t i = 0; i < label.n; i++) {
		if (label.p[i] == '[') {
			while (i < label.n && label.p[i] != ']')
				i++;
			continue;
		}
		if (k == field.n || label.p[i] != field.p[k])
			return false;
		k++;
	}
	return k == field.n;
}

enum cdn_rpc_field
cdn_rpc_settled(const struct cdn_rpc_settings *settings, cdn_str tool,
    cdn_str label)
{
	enum cdn_rpc_field found = CDN_RPC_FIELD_UNKNOWN;

	for (size_t i = 0; i < settings->n; i++) {
		const struct cdn_rpc_setting *s = &settings->v[i];

		if (!cdn_str_eq(s->tool, tool) || !label_is(label, s->field))
			continue;
		if (s->is_path)
			return CDN_RPC_FIELD_PATH;
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
		if (strcmp(folded, names[i]) == 0)
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

/* ----- Walking a schema ----------------------------------------------------- */

static const char *const choices[] = { "anyOf", "oneOf", "allOf" };

/* "#/$defs/x" -> that node; NULL when it is not there, or elsewhere. */
static const struct cdn_json_node *
follow(const struct cdn_json *json, const struct cdn_json_node *schema)
{
	const struct cdn_json_node *ref = cdn_json_find(json, schema, "$ref");
	const struct cdn_json_node *at = &json->nodes[0];
	char word[CDN_NAME_MAX + 1];
	cdn_str rest, part;

	/* The text as it stands: an escaped reference is one we do not follow. */
	if (ref == NULL || ref->type != CDN_JSON_STRING || ref->escaped)
		return NULL;
	part = cdn_json_raw(json, ref);
	if (part.n < 2) /* its quotes; never so */
		return NULL;
	rest = (cdn_str){ part.p + 1, part.n - 2 };
	if (!cdn_str_starts(rest, CDN_STR("#/")))
		return NULL;
	rest = cdn_str_from(rest, 2);
	/* The document is the tool: its schema stands in it. */
	at = cdn_json_find(json, at, "inputSchema");
	while (at != NULL && cdn_str_next(&rest, '/', &part)) {
		if (part.n > CDN_NAME_MAX)
			return NULL;
		memcpy(word, part.p, part.n);
		word[part.n] = '\0';
		at = cdn_json_find(json, at, word);
	}
	return at;
}

/* Calls back for the schema and all that apply with it; true stops. */
typedef bool visit_fn(const struct cdn_json *json,
    const struct cdn_json_node *schema, const void *arg,
    const struct cdn_json_node **ret);

static bool
visit(const struct cdn_json *json, const struct cdn_json_node *schema,
    unsigned *steps, visit_fn *fn, const void *arg,
    const struct cdn_json_node **ret)
{
	const struct cdn_json_node *list, *one;

	if (schema == NULL || schema->type != CDN_JSON_OBJECT || *steps == 0)
		return false;
	--*steps;
	if (fn(json, schema, arg, ret) ||
	    visit(json, follow(json, schema), steps, fn, arg, ret))
		return true;
	for (size_t i = 0; i < CDN_LEN(choices); i++) {
		list = cdn_json_find(json, schema, choices[i]);
		if (list == NULL || list->type != CDN_JSON_ARRAY)
			continue;
		for (one = cdn_json_first(json, list); one != NULL;
		     one = cdn_json_next(json, one))
			if (visit(json, one, steps, fn, arg, ret))
				return true;
	}
	return false;
}

static const struct cdn_json_node *
find_part(const struct cdn_json *json, const struct cdn_json_node *schema,
    visit_fn *fn, const void *arg)
{
	const struct cdn_json_node *found = NULL;
	unsigned steps = STEPS_MAX;

	return visit(json, schema, &steps, fn, arg, &found) ? found : NULL;
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

static bool
is_member(const struct cdn_json *json, const struct cdn_json_node *schema,
    const void *arg, const struct cdn_json_node **ret)
{
	const cdn_str *name = arg;
	const struct cdn_json_node *all = cdn_json_find(json, schema,
	    "properties");

	*ret = all == NULL ? NULL : member_named(json, all, *name);
	if (*ret == NULL)
		*ret = cdn_json_find(json, schema, "additionalProperties");
	return *ret != NULL && (*ret)->type == CDN_JSON_OBJECT;
}

const struct cdn_json_node *
cdn_rpc_schema_member(const struct cdn_json *json,
    const struct cdn_json_node *schema, cdn_str name)
{
	return find_part(json, schema, is_member, &name);
}

static bool
is_item(const struct cdn_json *json, const struct cdn_json_node *schema,
    const void *arg, const struct cdn_json_node **ret)
{
	(void)arg;
	*ret = cdn_json_find(json, schema, "items");
	return *ret != NULL && (*ret)->type == CDN_JSON_OBJECT;
}

const struct cdn_json_node *
cdn_rpc_schema_item(const struct cdn_json *json,
    const struct cdn_json_node *schema)
{
	return find_part(json, schema, is_item, NULL);
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
says_path(const struct cdn_json *json, const struct cdn_json_node *schema,
    const void *arg, const struct cdn_json_node **ret)
{
	const struct cdn_json_node *format = cdn_json_find(json, schema,
	    "format");
	const struct cdn_json_node *about = cdn_json_find(json, schema,
	    "description");
	cdn_str text;

	(void)arg;
	*ret = schema;
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
cdn_rpc_schema_is_path(const struct cdn_json *json,
    const struct cdn_json_node *schema)
{
	return find_part(json, schema, says_path, NULL) != NULL;
}

bool
cdn_rpc_schema_forbids(const struct cdn_json *json,
    const struct cdn_json_node *schema, cdn_str name)
{
	const struct cdn_json_node *more, *all;
	bool allowed = true;

	if (schema == NULL || schema->type != CDN_JSON_OBJECT)
		return false;
	more = cdn_json_find(json, schema, "additionalProperties");
	all = cdn_json_find(json, schema, "properties");
	return more != NULL && cdn_json_bool(json, more, &allowed) &&
	    !allowed && (all == NULL || member_named(json, all, name) == NULL) &&
	    cdn_json_find(json, schema, "patternProperties") == NULL &&
	    name.n <= CDN_NAME_MAX;
}
