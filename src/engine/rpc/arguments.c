#include "engine/rpc/arguments.h"

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
    const struct cdn_json_node *schema, enum cdn_rpc_field field);

/* ----- Members and items ------------------------------------------------------ */

static enum cdn_rpc_field
field_of(const struct walk *w, cdn_str name,
    const struct cdn_json_node *schema, enum cdn_rpc_field around)
{
	cdn_str label = { w->label, w->n };
	enum cdn_rpc_field settled = w->tool == NULL ? CDN_RPC_FIELD_UNKNOWN :
	    cdn_rpc_settled(w->tool->settings, w->tool->name, label);

	if (settled != CDN_RPC_FIELD_UNKNOWN)
		return settled;
	if (around != CDN_RPC_FIELD_UNKNOWN)
		return around;
	if (cdn_rpc_name_is_path(name) || (schema != NULL && w->tool != NULL &&
	    cdn_rpc_schema_is_path(w->tool->json, schema)))
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

static int
walk_member(struct walk *w, const struct cdn_json_node *node,
    const struct cdn_json_node *around, enum cdn_rpc_field field)
{
	const struct cdn_json_node *schema = NULL;
	enum cordon_op op = w->op;
	size_t n = w->n;
	cdn_str name;
	int code;

	if (!cdn_json_key(w->json, node, w->arena, &name))
		return cdn_err_nomem(w->err);
	if (is_roots(w, node, name))
		return 0;
	push(w, n == 0 ? "%.*s" : ".%.*s", CDN_STR_ARG(name));
	if (around != NULL) {
		if (cdn_rpc_schema_forbids(w->tool->json, around, name))
			return w->judge->undeclared(w->label, w->judge->arg,
			    w->err);
		schema = cdn_rpc_schema_member(w->tool->json, around, name);
	}
	field = field_of(w, name, schema, field);
	if (w->writes)
		w->op = cdn_rpc_name_is_source(name) ? CORDON_READ :
						       CORDON_MODIFY;
	code = judge_string(w, name, field == CDN_RPC_FIELD_TEXT ? field :
						CDN_RPC_FIELD_UNKNOWN);
	if (code == 0)
		code = walk_value(w, node, schema, field);
	w->op = op;
	if (code == 0)
		pop(w, n);
	return code;
}

static int
walk_array(struct walk *w, const struct cdn_json_node *array,
    const struct cdn_json_node *schema, enum cdn_rpc_field field)
{
	const struct cdn_json_node *node = cdn_json_first(w->json, array);
	const struct cdn_json_node *item = schema == NULL ? NULL :
	    cdn_rpc_schema_item(w->tool->json, schema);
	size_t n = w->n;

	if (field == CDN_RPC_FIELD_UNKNOWN && item != NULL &&
	    cdn_rpc_schema_is_path(w->tool->json, item))
		field = CDN_RPC_FIELD_PATH;
	w->level++;
	for (size_t i = 0; node != NULL; i++) {
		int code;

		push(w, "[%zu]", i);
		code = walk_value(w, node, item, field);
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
    const struct cdn_json_node *schema, enum cdn_rpc_field field)
{
	const struct cdn_json_node *node = cdn_json_first(w->json, object);
	int code = 0;

	w->level++;
	for (; code == 0 && node != NULL; node = cdn_json_next(w->json, node))
		code = walk_member(w, node, schema, field);
	w->level--;
	return code;
}

/* As deep as messages may be nested: CDN_RPC_DEPTH_MAX. */
static int
walk_value(struct walk *w, const struct cdn_json_node *node,
    const struct cdn_json_node *schema, enum cdn_rpc_field field)
{
	cdn_str text = { w->json->text.p + node->start,
		node->end - node->start };

	if (node->type == CDN_JSON_OBJECT)
		return walk_object(w, node, schema, field);
	if (node->type == CDN_JSON_ARRAY)
		return walk_array(w, node, schema, field);
	if (node->type != CDN_JSON_STRING)
		return 0;
	if (field == CDN_RPC_FIELD_TEXT)
		return 0;
	/* Too long for a path however it is written, and not worth a copy. */
	if (text.n > 6 * CDN_PATH_MAX + 2)
		return judge_string(w, cdn_str_from(text, 1), field);
	if (!cdn_json_string(w->json, node, w->arena, &text))
		return cdn_err_nomem(w->err);
	return judge_string(w, text, field);
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
	const struct cdn_json_node *schema = tool->json == NULL ? NULL :
	    cdn_json_find(tool->json, &tool->json->nodes[0], "inputSchema");

	return walk_value(&w, arguments, schema, CDN_RPC_FIELD_UNKNOWN);
}

/* ----- Messages ---------------------------------------------------------------- */

/* Anything of params, without a schema; label is the name it begins with. */
static int
walk_part(const struct cdn_rpc_message *m, const char *key,
    const struct cdn_rpc_judge *judge, struct cdn_arena *arena,
    struct cordon_error *err)
{
	const struct cdn_json_node *node = cdn_json_find(&m->json, m->params,
	    key);
	struct walk w = {
		.json = &m->json,
		.judge = judge,
		.arena = arena,
		.err = err,
		.op = CORDON_READ,
	};

	if (node == NULL)
		return 0;
	if (strcmp(key, "arguments") != 0)
		push(&w, "%s", key);
	return walk_value(&w, node, NULL, CDN_RPC_FIELD_UNKNOWN);
}

int
cdn_rpc_walk_uri(cdn_str uri, const char *label,
    const struct cdn_rpc_judge *judge, struct cdn_arena *arena,
    struct cordon_error *err)
{
	struct walk w = {
		.judge = judge,
		.arena = arena,
		.err = err,
		.op = CORDON_READ,
	};

	push(&w, "%s", label);
	return judge_string(&w, uri, CDN_RPC_FIELD_UNKNOWN);
}

/* An argument that is being completed has its name beside it. */
static int
walk_completion(const struct cdn_rpc_message *m,
    const struct cdn_rpc_judge *judge, struct cdn_arena *arena,
    struct cordon_error *err)
{
	const struct cdn_json_node *node = cdn_json_find(&m->json, m->params,
	    "argument");
	const struct cdn_json_node *name, *value;
	struct walk w = {
		.json = &m->json,
		.judge = judge,
		.arena = arena,
		.err = err,
		.op = CORDON_READ,
	};
	cdn_str text;

	name = node == NULL ? NULL : cdn_json_find(&m->json, node, "name");
	value = node == NULL ? NULL : cdn_json_find(&m->json, node, "value");
	if (name == NULL || value == NULL || name->type != CDN_JSON_STRING)
		return walk_part(m, "argument", judge, arena, err);
	if (!cdn_json_string(&m->json, name, arena, &text))
		return cdn_err_nomem(err);
	push(&w, "%.*s", CDN_STR_ARG(text));
	return walk_value(&w, value, NULL, cdn_rpc_name_is_path(text) ?
		CDN_RPC_FIELD_PATH : CDN_RPC_FIELD_UNKNOWN);
}

static int
walk_own(const struct cdn_rpc_message *m, const struct cdn_rpc_tool *tool,
    const struct cdn_rpc_judge *judge, struct cdn_arena *arena,
    struct cordon_error *err)
{
	const struct cdn_json_node *arguments;
	int code;

	switch (m->method) {
	case CDN_RPC_TOOLS_CALL:
		arguments = cdn_json_find(&m->json, m->params, "arguments");
		return arguments == NULL ? 0 : cdn_rpc_walk(tool, &m->json,
		    arguments, judge, arena, err);
	case CDN_RPC_RESOURCES_READ:
		return walk_part(m, "uri", judge, arena, err);
	case CDN_RPC_PROMPTS_GET:
		return walk_part(m, "arguments", judge, arena, err);
	case CDN_RPC_COMPLETE:
		code = walk_completion(m, judge, arena, err);
		return code != 0 ? code :
		    walk_part(m, "context", judge, arena, err);
	case CDN_RPC_OTHER:
	case CDN_RPC_HARMLESS:
	case CDN_RPC_TOOLS_LIST:
	case CDN_RPC_TASKS_UPDATE:
	case CDN_RPC_ROOTS_LIST:
	case CDN_RPC_CANCELLED:
	default:
		return 0;
	}
}

/*
 * What the user answered, by name.  Lists of roots are left out: what is not
 * the agent's is taken out of them, and no reason to refuse the rest.
 */
static int
walk_answers(const struct cdn_rpc_message *m,
    const struct cdn_rpc_judge *judge, struct cdn_arena *arena,
    struct cordon_error *err)
{
	const struct cdn_json_node *all = cdn_json_find(&m->json, m->params,
	    "inputResponses");
	struct walk w = {
		.json = &m->json,
		.judge = judge,
		.arena = arena,
		.err = err,
		.op = CORDON_READ,
		.answers = true,
	};

	if (all == NULL)
		return 0;
	push(&w, "inputResponses");
	return walk_value(&w, all, NULL, CDN_RPC_FIELD_UNKNOWN);
}

int
cdn_rpc_walk_message(const struct cdn_rpc_message *m,
    const struct cdn_rpc_tool *tool, const struct cdn_rpc_judge *judge,
    struct cdn_arena *arena, struct cordon_error *err)
{
	int code;

	if (m->params == NULL || !cdn_rpc_is_judged(m->method))
		return 0;
	code = walk_own(m, tool, judge, arena, err);
	return code != 0 ? code : walk_answers(m, judge, arena, err);
}
