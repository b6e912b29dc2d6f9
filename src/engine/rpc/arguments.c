#include "engine/rpc/arguments.h"

#include "engine/rpc/literal.h"

struct walk {
	const struct cdn_rpc_tool *tool;
	const struct cdn_json *json; /* what is walked */
	const struct cdn_rpc_judge *judge;
	struct cdn_arena *arena;
	struct cordon_error *err;
	enum cordon_op op; /* of the field at hand */
	bool writes;	   /* the tool says so */
	bool answers;	   /* of the user: a list of roots is not looked at */
	char label[CDN_RPC_LABEL_MAX + 1];
	size_t n; /* of the label */
	unsigned level; /* objects and arrays around the value */
	unsigned inner; /* strings of JSON around it */
};

/* ----- Labels --------------------------------------------------------------- */

/* What does not fit is left out, and three dots say so. */
CDN_PRINTF(2, 3)
static void
push(struct walk *w, const char *fmt, ...)
{
	size_t room = sizeof(w->label) - w->n;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(w->label + w->n, room, fmt, ap);
	va_end(ap);
	if (n > 0 && (size_t)n < room) {
		w->n += (size_t)n;
		return;
	}
	w->n = sizeof(w->label) - 1;
	memcpy(w->label + w->n - 3, "...", 4);
}

/* A name, behind a dot if it is not the first: what most labels are made of. */
static void
push_name(struct walk *w, cdn_str name)
{
	size_t dot = w->n > 0;

	if (dot + name.n >= sizeof(w->label) - w->n ||
	    memchr(name.p, '\0', name.n) != NULL) {
		push(w, dot > 0 ? ".%.*s" : "%.*s", CDN_STR_ARG(name));
		return;
	}
	if (dot > 0)
		w->label[w->n] = '.';
	memcpy(w->label + w->n + dot, name.p, name.n);
	w->n += dot + name.n;
	w->label[w->n] = '\0';
}

static void
pop(struct walk *w, size_t n)
{
	w->n = n;
	w->label[n] = '\0';
}

/* ----- Strings --------------------------------------------------------------- */

static int
judge_string(struct walk *w, cdn_str text, enum cdn_rpc_field field)
{
	enum cdn_rpc_door door = field == CDN_RPC_FIELD_PATH ? CDN_RPC_KNOWN :
							      CDN_RPC_GUESS;
	struct cdn_rpc_value value;
	int code = 0;

	if (field == CDN_RPC_FIELD_TEXT)
		return 0;
	if (!cdn_rpc_value_read(text, door, w->arena, &value))
		return cdn_err_nomem(w->err);
	for (size_t i = 0; code == 0 && i < value.count; i++) {
		const struct cdn_rpc_path path = {
			.label = w->label,
			.door = door,
			.op = w->op,
			.form = &value.forms[i],
			.word = value.word,
		};

		code = w->judge->path(&path, w->judge->arg, w->err);
	}
	return code;
}

static int walk_value(struct walk *w, const struct cdn_json_node *node,
    const struct cdn_rpc_schemas *schemas, enum cdn_rpc_field field);
static int walk_text(struct walk *w, cdn_str text,
    const struct cdn_rpc_schemas *schemas, enum cdn_rpc_field field);

/* ----- Strings that hold JSON -------------------------------------------------- */

static int
refuse_depth(struct walk *w, cdn_str text, enum cdn_rpc_field field)
{
	const struct cdn_rpc_form form = { CDN_RPC_FOREIGN,
		{ text.p, text.n < CDN_NAME_MAX ? text.n : CDN_NAME_MAX },
		"holds JSON in a string of JSON, many times over" };
	const struct cdn_rpc_path path = {
		.label = w->label,
		.door = field == CDN_RPC_FIELD_PATH ? CDN_RPC_KNOWN :
						      CDN_RPC_GUESS,
		.op = w->op,
		.form = &form,
	};

	return w->judge->path(&path, w->judge->arg, w->err);
}

/* Every quoted part, of a text that only a lenient reader takes for JSON. */
static int
walk_literals(struct walk *w, cdn_str text, char quote,
    enum cdn_rpc_field field)
{
	static const struct cdn_rpc_schemas none;
	struct cdn_rpc_literals all = { text, quote };
	enum cdn_rpc_literal found;
	enum cdn_rpc_field own = field;
	cdn_str part, before = { "", 0 };
	int code = 0;

	/* What stands before the first quote was judged with the whole. */
	found = cdn_rpc_literal_next(&all, w->arena, &part);
	while (code == 0 && found == CDN_RPC_LITERAL_PART) {
		found = cdn_rpc_literal_next(&all, w->arena, &part);
		if (found != CDN_RPC_LITERAL_PART)
			break;
		if (cdn_str_starts(cdn_rpc_value_trim(part), CDN_STR(":")))
			own = cdn_rpc_name_is_path(before) ?
			    CDN_RPC_FIELD_PATH : field;
		code = walk_text(w, part, &none, own);
		before = part;
	}
	return found == CDN_RPC_LITERAL_NOMEM ? cdn_err_nomem(w->err) : code;
}

static int
walk_strict(struct walk *w, const struct cdn_json *json,
    const struct cdn_rpc_schemas *schemas, enum cdn_rpc_field field)
{
	const struct cdn_json *around = w->json;
	bool answers = w->answers;
	int code;

	w->json = json;
	w->answers = false;
	code = walk_value(w, &json->nodes[0], schemas, field);
	w->json = around;
	w->answers = answers;
	return code;
}

/*
 * Threat:    a server decodes a string, and finds paths that nobody judged.
 * Invariant: what a decoder finds in it is judged as if it stood there itself.
 * Held by:   cdn_json_parse() where the text is strict JSON; walk_literals()
 *            for what other decoders accept.
 */
static int
walk_inner(struct walk *w, cdn_str text, const struct cdn_rpc_schemas *schemas,
    enum cdn_rpc_field field)
{
	const struct cdn_json_options options = {
		.max_bytes = CDN_RPC_LINE_MAX,
		.max_depth = CDN_RPC_DEPTH_MAX,
	};
	struct cdn_json json;
	int code;

	if (w->inner == CDN_RPC_INNER_MAX || w->level >= CDN_RPC_DEPTH_MAX)
		return refuse_depth(w, text, field);
	code = cdn_json_parse(text, &options, w->arena, &json, NULL);
	if (code == CORDON_E_NOMEM)
		return cdn_err_nomem(w->err);
	w->inner++;
	if (code == 0) {
		code = walk_strict(w, &json, schemas, field);
	} else {
		code = walk_literals(w, text, '"', field);
		if (code == 0)
			code = walk_literals(w, text, '\'', field);
	}
	w->inner--;
	return code;
}

/* Of a field that holds a string and nothing else: several lines, or many. */
static bool
is_prose(cdn_str text, const struct cdn_rpc_schemas *schemas,
    enum cdn_rpc_field field)
{
	return field == CDN_RPC_FIELD_UNKNOWN &&
	    (text.n > CDN_PATH_MAX || memchr(text.p, '\n', text.n) != NULL) &&
	    cdn_rpc_schemas_say_string(schemas);
}

static int
walk_text(struct walk *w, cdn_str text, const struct cdn_rpc_schemas *schemas,
    enum cdn_rpc_field field)
{
	cdn_str inner = cdn_rpc_value_trim(text);
	int code = judge_string(w, text, field);

	if (code != 0 || field == CDN_RPC_FIELD_TEXT ||
	    !cdn_rpc_literal_begins(inner) || is_prose(inner, schemas, field))
		return code;
	return walk_inner(w, inner, schemas, field);
}

/* ----- Members and items ------------------------------------------------------ */

static enum cdn_rpc_field
field_of(const struct walk *w, cdn_str name,
    const struct cdn_rpc_schemas *schemas, enum cdn_rpc_field around)
{
	cdn_str label = { w->label, w->n };
	enum cdn_rpc_field settled = w->tool == NULL ? CDN_RPC_FIELD_UNKNOWN :
	    cdn_rpc_settled(w->tool->settings, w->tool->name, label);

	if (settled != CDN_RPC_FIELD_UNKNOWN)
		return settled;
	if (around != CDN_RPC_FIELD_UNKNOWN)
		return around;
	if (cdn_rpc_name_is_path(name) || cdn_rpc_schemas_say_path(schemas))
		return CDN_RPC_FIELD_PATH;
	return CDN_RPC_FIELD_UNKNOWN;
}

/* "inputResponses.NAME.roots", and a list. */
static bool
is_roots(const struct walk *w, const struct cdn_json_node *node, cdn_str name)
{
	return w->answers && w->level == 2 && node->type == CDN_JSON_ARRAY &&
	    cdn_str_is(name, "roots");
}

/* A key below a field that holds paths: no name of a member. */
static bool
is_path_key(cdn_str name)
{
	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		    (c >= '0' && c <= '9') || c == '_' || c == '-'))
			return true;
	}
	return false;
}

/* keys: the field that the keys of its object are. */
static int
walk_member(struct walk *w, const struct cdn_json_node *node,
    const struct cdn_rpc_schemas *around, enum cdn_rpc_field keys,
    enum cdn_rpc_field field)
{
	CDN_UNINITIALIZED struct cdn_rpc_schemas schemas;
	enum cordon_op op = w->op;
	size_t n = w->n;
	cdn_str name;
	int code;

	if (!cdn_json_key(w->json, node, w->arena, &name))
		return cdn_err_nomem(w->err);
	if (field == CDN_RPC_FIELD_PATH && is_path_key(name))
		keys = field;
	if (is_roots(w, node, name))
		return 0;
	push_name(w, name);
	if (cdn_rpc_schemas_forbid(around, name))
		return w->judge->undeclared(w->label, w->judge->arg, w->err);
	cdn_rpc_schemas_member(around, name, &schemas);
	field = field_of(w, name, &schemas, field);
	if (w->writes)
		w->op = cdn_rpc_name_is_source(name) ? CORDON_READ :
						       CORDON_MODIFY;
	code = judge_string(w, name, field == CDN_RPC_FIELD_TEXT ? field :
								   keys);
	if (code == 0)
		code = walk_value(w, node, &schemas, field);
	w->op = op;
	if (code == 0)
		pop(w, n);
	return code;
}

static int
walk_item(struct walk *w, const struct cdn_json_node *node, size_t i,
    const struct cdn_rpc_schemas *around, enum cdn_rpc_field field)
{
	CDN_UNINITIALIZED struct cdn_rpc_schemas schemas;

	push(w, "[%zu]", i);
	cdn_rpc_schemas_item(around, i, &schemas);
	if (field == CDN_RPC_FIELD_UNKNOWN &&
	    cdn_rpc_schemas_say_path(&schemas))
		field = CDN_RPC_FIELD_PATH;
	return walk_value(w, node, &schemas, field);
}

static int
walk_array(struct walk *w, const struct cdn_json_node *array,
    const struct cdn_rpc_schemas *schemas, enum cdn_rpc_field field)
{
	const struct cdn_json_node *node = cdn_json_first(w->json, array);
	size_t n = w->n;

	w->level++;
	for (size_t i = 0; node != NULL; i++) {
		int code = walk_item(w, node, i, schemas, field);

		if (code != 0)
			return code;
		pop(w, n);
		node = cdn_json_next(w->json, node);
	}
	w->level--;
	return 0;
}

static int
walk_object(struct walk *w, const struct cdn_json_node *object,
    const struct cdn_rpc_schemas *schemas, enum cdn_rpc_field field)
{
	const struct cdn_json_node *node = cdn_json_first(w->json, object);
	enum cdn_rpc_field keys = cdn_rpc_schemas_say_path_keys(schemas) ?
	    CDN_RPC_FIELD_PATH : CDN_RPC_FIELD_UNKNOWN;
	int code = 0;

	w->level++;
	for (; code == 0 && node != NULL; node = cdn_json_next(w->json, node))
		code = walk_member(w, node, schemas, keys, field);
	w->level--;
	return code;
}

/* As deep as messages may be nested, and JSON in them: CDN_RPC_DEPTH_MAX. */
static int
walk_value(struct walk *w, const struct cdn_json_node *node,
    const struct cdn_rpc_schemas *schemas, enum cdn_rpc_field field)
{
	cdn_str text = { w->json->text.p + node->start,
		node->end - node->start };

	if (node->type == CDN_JSON_OBJECT)
		return walk_object(w, node, schemas, field);
	if (node->type == CDN_JSON_ARRAY)
		return walk_array(w, node, schemas, field);
	if (node->type != CDN_JSON_STRING)
		return 0;
	if (field == CDN_RPC_FIELD_TEXT)
		return 0;
	/* Too long for a path however it is written, and not worth a copy. */
	if (text.n > 6 * CDN_PATH_MAX + 2 && field == CDN_RPC_FIELD_UNKNOWN &&
	    !cdn_rpc_value_may_matter((cdn_str){ text.p + 1, text.n - 2 }))
		return 0;
	if (!cdn_json_string(w->json, node, w->arena, &text))
		return cdn_err_nomem(w->err);
	return walk_text(w, text, schemas, field);
}

/* ----- Tools ------------------------------------------------------------------ */

/* Only a tool that says outright that it writes is taken for one. */
static bool
says_it_writes(const struct cdn_rpc_tool *tool)
{
	const struct cdn_json_node *notes, *hint;
	bool read_only = true;

	if (tool->json == NULL)
		return false;
	notes = cdn_json_find(tool->json, &tool->json->nodes[0], "annotations");
	hint = notes == NULL ? NULL :
	    cdn_json_find(tool->json, notes, "readOnlyHint");
	return hint != NULL && cdn_json_bool(tool->json, hint, &read_only) &&
	    !read_only;
}

int
cdn_rpc_walk(const struct cdn_rpc_tool *tool, const struct cdn_json *json,
    const struct cdn_json_node *arguments, const struct cdn_rpc_judge *judge,
    struct cdn_arena *arena, struct cordon_error *err)
{
	struct walk w = {
		.tool = tool,
		.json = json,
		.judge = judge,
		.arena = arena,
		.err = err,
		.op = CORDON_READ,
		.writes = says_it_writes(tool),
	};
	CDN_UNINITIALIZED struct cdn_rpc_schemas schemas;

	cdn_rpc_schemas_begin(tool->json, &schemas);
	return walk_value(&w, arguments, &schemas, CDN_RPC_FIELD_UNKNOWN);
}

/* ----- Messages ---------------------------------------------------------------- */

static const struct cdn_rpc_schemas anything;

static struct walk
walk_of(const struct cdn_rpc_message *m, const struct cdn_rpc_judge *judge,
    struct cdn_arena *arena, struct cordon_error *err)
{
	return (struct walk){
		.json = m == NULL ? NULL : &m->json,
		.judge = judge,
		.arena = arena,
		.err = err,
		.op = CORDON_READ,
	};
}

int
cdn_rpc_walk_uri(cdn_str uri, const char *label,
    const struct cdn_rpc_judge *judge, struct cdn_arena *arena,
    struct cordon_error *err)
{
	struct walk w = walk_of(NULL, judge, arena, err);

	push(&w, "%s", label);
	return judge_string(&w, uri, CDN_RPC_FIELD_UNKNOWN);
}

/* An argument that is being completed has its name beside it. */
static int
walk_completion(struct walk *w, const struct cdn_json_node *node)
{
	const struct cdn_json_node *name = cdn_json_find(w->json, node, "name");
	const struct cdn_json_node *value = cdn_json_find(w->json, node,
	    "value");
	cdn_str text;
	int code;

	if (name == NULL || value == NULL || name->type != CDN_JSON_STRING)
		return walk_value(w, node, &anything, CDN_RPC_FIELD_UNKNOWN);
	if (!cdn_json_string(w->json, name, w->arena, &text))
		return cdn_err_nomem(w->err);
	pop(w, 0);
	push(w, "%.*s", CDN_STR_ARG(text));
	code = walk_value(w, value, &anything, cdn_rpc_name_is_path(text) ?
		CDN_RPC_FIELD_PATH : CDN_RPC_FIELD_UNKNOWN);
	if (code != 0)
		return code;
	pop(w, 0);
	push(w, "argument");
	return walk_value(w, node, &anything, CDN_RPC_FIELD_UNKNOWN);
}

/* Names of tools and prompts, and what only the server reads again. */
static bool
is_opaque(const struct cdn_json_node *node, cdn_str key)
{
	return node->type == CDN_JSON_STRING && (cdn_str_is(key, "name") ||
	    cdn_str_is(key, "requestState"));
}

/* The template that is completed: "file:///{path}" names no file yet. */
static int
walk_ref(struct walk *w, const struct cdn_json_node *ref)
{
	const struct cdn_json_node *uri = cdn_json_find(w->json, ref, "uri");
	cdn_str text;

	if (uri == NULL || uri->type != CDN_JSON_STRING)
		return 0;
	if (!cdn_json_string(w->json, uri, w->arena, &text))
		return cdn_err_nomem(w->err);
	if (text.n > 0 && memchr(text.p, '{', text.n) != NULL)
		return 0;
	push(w, ".uri");
	return judge_string(w, text, CDN_RPC_FIELD_UNKNOWN);
}

/* "x://y" is the server's own; what has no scheme may be joined to a directory. */
static bool
has_scheme(const struct walk *w, const struct cdn_json_node *node)
{
	cdn_str s = { w->json->text.p + node->start, node->end - node->start };
	size_t i = 1;

	while (i < s.n && ((s.p[i] >= 'a' && s.p[i] <= 'z') ||
	    (s.p[i] >= 'A' && s.p[i] <= 'Z') ||
	    (i > 1 && s.p[i] != '\0' && strchr("0123456789+-.", s.p[i]))))
		i++;
	return i > 1 && i < s.n && s.p[i] == ':';
}

static enum cdn_rpc_field
param_field(const struct cdn_rpc_message *m, const struct walk *w,
    const struct cdn_json_node *node, cdn_str key)
{
	bool uri = m->method == CDN_RPC_RESOURCES_READ &&
	    cdn_str_is(key, "uri") && node->type == CDN_JSON_STRING;

	return cdn_rpc_name_is_path(key) || (uri && !has_scheme(w, node)) ?
	    CDN_RPC_FIELD_PATH : CDN_RPC_FIELD_UNKNOWN;
}

/*
 * One member of params.  Roots in what the user answered are left out: those
 * that are not the agent's are taken out of the list, and the rest may pass.
 */
static int
walk_param(const struct cdn_rpc_message *m, const struct cdn_json_node *node,
    cdn_str key, const struct cdn_rpc_tool *tool, struct walk *w)
{
	bool prompt = m->method == CDN_RPC_PROMPTS_GET;
	int code;

	if (is_opaque(node, key))
		return 0;
	if (cdn_str_is(key, "arguments") && m->method == CDN_RPC_TOOLS_CALL)
		return cdn_rpc_walk(tool, &m->json, node, w->judge, w->arena,
		    w->err);
	if (!prompt || !cdn_str_is(key, "arguments"))
		push(w, "%.*s", CDN_STR_ARG(key));
	if (m->method == CDN_RPC_COMPLETE && cdn_str_is(key, "argument"))
		return walk_completion(w, node);
	if (m->method == CDN_RPC_COMPLETE && cdn_str_is(key, "ref"))
		return walk_ref(w, node);
	w->answers = cdn_str_is(key, "inputResponses");
	code = judge_string(w, key, CDN_RPC_FIELD_UNKNOWN);
	return code != 0 ? code : walk_value(w, node, &anything,
	    param_field(m, w, node, key));
}

int
cdn_rpc_walk_message(const struct cdn_rpc_message *m,
    const struct cdn_rpc_tool *tool, const struct cdn_rpc_judge *judge,
    struct cdn_arena *arena, struct cordon_error *err)
{
	const struct cdn_json_node *node;
	int code = 0;

	if (m->params == NULL || !cdn_rpc_is_judged(m->method))
		return 0;
	node = cdn_json_first(&m->json, m->params);
	for (; code == 0 && node != NULL; node = cdn_json_next(&m->json, node)) {
		struct walk w = walk_of(m, judge, arena, err);
		cdn_str key;

		if (!cdn_json_key(&m->json, node, arena, &key))
			return cdn_err_nomem(err);
		code = walk_param(m, node, key, tool, &w);
	}
	return code;
}
