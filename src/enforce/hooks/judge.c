#include "enforce/hooks/ask.h"

#include <strings.h>

#include "enforce/guard/judge.h"

/* ----- Arguments -------------------------------------------------------- */

/* "file:/" wherever it stands: the prompt of a tool may hold the URL. */
static int
judge_url(struct cdn_hook_ask *j, cdn_str text)
{
	static const char file[] = "file:/";
	size_t n = sizeof(file) - 1;

	for (size_t i = 0; i + n <= text.n; i++)
		if (strncasecmp(text.p + i, file, n) == 0)
			return cdn_hook_refuse(j, "'%s' names a file by a URL "
			    "(use the tool that reads files)", j->field);
	return 0;
}

static int
judge_text(struct cdn_hook_ask *j, enum cdn_want want, cdn_str text)
{
	switch (want) {
	case CDN_WANT_NOTHING:
	case CDN_WANT_NEVER:
	case CDN_WANT_EDITS:
		break;
	case CDN_WANT_URL:
		return judge_url(j, text);
	case CDN_WANT_READ:
	case CDN_WANT_BASE:
	case CDN_WANT_OLD_BASE:
		return cdn_hook_ask_path(j, CORDON_READ, text);
	case CDN_WANT_MODIFY:
		return cdn_hook_ask_path(j, CORDON_MODIFY, text);
	case CDN_WANT_PATTERN:
		return cdn_hook_ask_pattern(j, text);
	case CDN_WANT_SHELL:
		return cdn_hook_ask_shell(j, text);
	case CDN_WANT_TYPED:
		return cdn_hook_ask_typed(j, text);
	case CDN_WANT_INTERPRETER:
		return cdn_dialect_is_interpreter(text) ? 0 :
		    cdn_hook_refuse(j, "'%s' is not a shell of the system "
			"(leave it out)", j->field);
	case CDN_WANT_PATCH:
		return cdn_hook_ask_patch(j, text);
	}
	return 0;
}

/* "true", or any word but the one that changes nothing. */
static int
judge_never(struct cdn_hook_ask *j, const struct cdn_json_node *node)
{
	const struct cdn_json *json = j->call->json;
	bool value = true;

	if ((cdn_json_bool(json, node, &value) && !value) ||
	    cdn_json_is(json, node, CDN_STR("use_default")))
		return 0;
	return cdn_hook_refuse(j, "'%s' leaves the agent's own sandbox, which "
	    "only a person can allow", j->field);
}

/* [{"old_string": ..., "file_path": ...}]: such a name is written, too. */
static int
judge_edits(struct cdn_hook_ask *j, const struct cdn_json_node *list)
{
	static const char *const names[] = { "file_path", "path", "filePath",
		"target_file", "notebook_path" };
	const struct cdn_json *json = j->call->json;
	const struct cdn_json_node *one = cdn_json_first(json, list), *file;
	cdn_str text;
	int code = 0;

	for (; list->type == CDN_JSON_ARRAY && one != NULL && code == 0;
	     one = cdn_json_next(json, one))
		for (size_t i = 0; i < CDN_LEN(names) && code == 0; i++) {
			file = cdn_json_find(json, one, names[i]);
			if (file == NULL || file->type == CDN_JSON_NULL)
				continue;
			if (file->type != CDN_JSON_STRING)
				return cdn_hook_refuse(j, "'%s' is no text",
				    names[i]);
			if (!cdn_json_string(json, file, j->arena, &text))
				return cdn_err_nomem(j->err);
			code = cdn_hook_ask_path(j, CORDON_MODIFY, text);
		}
	return code;
}

static int
judge_value(struct cdn_hook_ask *j, enum cdn_want want,
    const struct cdn_json_node *node)
{
	const struct cdn_json *json = j->call->json;
	const struct cdn_json_node *item;
	cdn_str text;
	int code = 0;

	if (want == CDN_WANT_NOTHING || node->type == CDN_JSON_NULL)
		return 0;
	if (want == CDN_WANT_NEVER)
		return judge_never(j, node);
	if (want == CDN_WANT_EDITS)
		return judge_edits(j, node);
	if (node->type == CDN_JSON_OBJECT) { /* an attachment */
		item = cdn_json_find(json, node, "file_path");
		node = item != NULL ? item : node;
	}
	if (node->type == CDN_JSON_STRING)
		return cdn_json_string(json, node, j->arena, &text) ?
		    judge_text(j, want, text) : cdn_err_nomem(j->err);
	if (node->type != CDN_JSON_ARRAY)
		return cdn_hook_refuse(j, "'%s' is neither a text nor a list of "
		    "texts", j->field);
	if (want == CDN_WANT_SHELL)
		return cdn_hook_ask_words(j, node);
	if (want == CDN_WANT_TYPED || want == CDN_WANT_INTERPRETER)
		return cdn_hook_refuse(j, "'%s' is not a text", j->field);
	for (item = cdn_json_first(json, node); item != NULL && code == 0;
	     item = cdn_json_next(json, item))
		code = item->type == CDN_JSON_ARRAY ?
		    cdn_hook_refuse(j, "'%s' is a list of lists", j->field) :
		    judge_value(j, want, item);
	return code;
}

/* ----- Where names begin -------------------------------------------------- */

struct walk {
	bool bases;	     /* only those, before all others */
	bool moved;	     /* there was one */
	bool doubtful;	     /* and the agent may not know of it */
	struct cdn_real start; /* where names begin without any */
	size_t asked;	     /* arguments that something was asked about */
	struct cdn_buf rest; /* an object of those that are not known */
};

static bool
is_base(enum cdn_want want)
{
	return want == CDN_WANT_BASE || want == CDN_WANT_OLD_BASE;
}

/*
 * The directory that the others begin at, which is asked about as well.  A
 * second one must be the same: nobody knows which of them the agent takes.
 */
static int
move_base(struct cdn_hook_ask *j, struct walk *w,
    const struct cdn_json_node *node)
{
	struct cordon_error why = { 0 };
	struct cdn_real real;
	cdn_str text;
	int code = w->moved ? 0 : judge_value(j, CDN_WANT_BASE, node);

	if (code != 0 || node->type == CDN_JSON_NULL)
		return code;
	if (node->type != CDN_JSON_STRING)
		return cdn_hook_refuse(j, "'%s' is no text", j->field);
	if (!cdn_json_string(j->call->json, node, j->arena, &text))
		return cdn_err_nomem(j->err);
	code = cdn_session_find(j->policy.session, w->start.path, text, &real,
	    &why);
	if (code != 0)
		return code == CORDON_E_NOMEM ? cdn_err_nomem(j->err) :
		    cdn_hook_refuse(j, "%s", why.text);
	if (w->moved && strcmp(real.path, j->base.path) != 0)
		return cdn_hook_refuse(j, "'%s' names a second directory to "
		    "begin in", j->field);
	w->moved = true;
	j->base = real;
	return 0;
}

/* ----- Tools nobody knows ----------------------------------------------- */

static int
judge_unknown(struct cdn_hook_ask *j, cdn_str name, cdn_str arguments, bool writes)
{
	static const char definition[] =
	    "{\"annotations\":{\"readOnlyHint\":false}}";
	struct cordon_mcp_call call = {
		.size = sizeof(call),
		.tool = cdn_arena_dup(j->arena, name.p, name.n),
		.definition = writes ? definition : NULL,
		.definition_len = writes ? sizeof(definition) - 1 : 0,
		.arguments = arguments.p,
		.arguments_len = arguments.n,
	};
	struct cordon_mcp_refusal *refusal = cdn_arena_alloc(j->arena,
	    sizeof(*refusal));
	struct cdn_hook_verdict *v = j->ret;
	int code;

	if (call.tool == NULL || refusal == NULL)
		return cdn_err_nomem(j->err);
	code = cdn_guard_check(j->policy.session, &call, refusal, j->err);
	if (code != 0 || !refusal->refused)
		return code;
	v->refused = true;
	v->field = refusal->field;
	v->has_verdict = refusal->has_verdict;
	v->verdict = refusal->verdict;
	snprintf(v->path, sizeof(v->path), "%s", refusal->path);
	snprintf(v->reason, sizeof(v->reason), "%s", refusal->text);
	return 1;
}

/* What is called a command is one, also where nobody knows the tool. */
static int
judge_commands(struct cdn_hook_ask *j)
{
	const struct cdn_json *json = j->call->json;
	const struct cdn_json_node *node;
	cdn_str name;
	int code = 0;

	for (node = cdn_json_first(json, j->call->input);
	     node != NULL && code == 0; node = cdn_json_next(json, node)) {
		if (!cdn_json_key(json, node, j->arena, &name))
			return cdn_err_nomem(j->err);
		if (!cdn_dialect_is_command(name, j->call->mcp))
			continue;
		j->field = cdn_arena_dup(j->arena, name.p, name.n);
		code = j->field == NULL ? cdn_err_nomem(j->err) :
		    judge_value(j, CDN_WANT_SHELL, node);
	}
	return code;
}

/* ----- Tools of the table ----------------------------------------------- */

static bool
row_writes(const struct cdn_dialect_tool *row)
{
	for (size_t i = 0; i < CDN_DIALECT_ARGUMENTS; i++)
		if (row->arguments[i].name != NULL &&
		    row->arguments[i].want == CDN_WANT_MODIFY)
			return true;
	return false;
}

static int
walk_member(struct cdn_hook_ask *j, struct walk *w, const struct cdn_json_node *node)
{
	const struct cdn_json *json = j->call->json;
	const struct cdn_dialect_tool *row = j->call->row;
	enum cdn_want want;
	cdn_str name;

	if (!cdn_json_key(json, node, j->arena, &name))
		return cdn_err_nomem(j->err);
	if (!cdn_dialect_tool_want(row, name, &want)) {
		if (w->bases || row->whole)
			return 0;
		cdn_buf_puts(&w->rest, w->rest.n > 1 ? "," : "");
		cdn_buf_str(&w->rest, (cdn_str){ json->text.p +
		    node->key_start, node->end - node->key_start });
		return 0;
	}
	w->asked += want != CDN_WANT_NOTHING && want != CDN_WANT_NEVER &&
	    want != CDN_WANT_EDITS &&
	    !is_base(want) && node->type != CDN_JSON_NULL;
	if (w->bases != is_base(want))
		return 0;
	w->doubtful |= want == CDN_WANT_OLD_BASE;
	j->field = cdn_arena_dup(j->arena, name.p, name.n);
	if (j->field == NULL)
		return cdn_err_nomem(j->err);
	return w->bases ? move_base(j, w, node) : judge_value(j, want, node);
}

static int
walk_members(struct cdn_hook_ask *j, struct walk *w)
{
	const struct cdn_json *json = j->call->json;
	const struct cdn_json_node *node;
	int code = 0;

	for (node = cdn_json_first(json, j->call->input);
	     node != NULL && code == 0; node = cdn_json_next(json, node))
		code = walk_member(j, w, node);
	return code;
}

/* All but the bases, from each place that they could begin at. */
static int
walk_from(struct cdn_hook_ask *j, struct walk *w)
{
	int code = 0;

	w->bases = false;
	if (w->doubtful) {
		struct cdn_real moved = j->base;

		j->base = w->start;
		code = walk_members(j, w);
		j->base = moved;
	}
	w->asked = 0;
	cdn_buf_reset(&w->rest);
	cdn_buf_putc(&w->rest, '{');
	return code != 0 ? code : walk_members(j, w);
}

static int
judge_row(struct cdn_hook_ask *j)
{
	const struct cdn_dialect_tool *row = j->call->row;
	struct walk w = { .bases = true, .start = j->base };
	int code;

	cdn_buf_init(&w.rest, CDN_HOOK_EVENT_MAX + 2);
	code = walk_members(j, &w);
	if (code == 0)
		code = walk_from(j, &w);
	cdn_buf_putc(&w.rest, '}');
	j->field = NULL;
	if (code == 0 && w.asked == 0 && !row->bare)
		code = cdn_hook_refuse(j, "'%s' comes without any of the arguments "
		    "that are known of it", row->name);
	if (code == 0 && cdn_buf_failed(&w.rest))
		code = cdn_err_nomem(j->err);
	if (code == 0 && w.rest.n > 2)
		code = judge_unknown(j, j->call->tool,
		    (cdn_str){ w.rest.p, w.rest.n }, row_writes(row));
	cdn_buf_done(&w.rest);
	return code;
}

/* ----- The whole -------------------------------------------------------- */

/* Where the agent says it is; the workspace when it does not say. */
static int
find_base(struct cdn_hook_ask *j)
{
	const struct cordon_session *session = j->policy.session;
	cdn_str cwd = j->call->cwd;
	int code;

	if (cwd.n == 0)
		cwd = cdn_str_of(session->workspace);
	if (cwd.p[0] != '/')
		return cdn_err(j->err, CORDON_E_INVALID,
		    "'cwd' of the event is no absolute path");
	code = cdn_session_find(session, session->workspace, cwd, &j->base,
	    j->err);
	return code == 0 ? 0 : cdn_err_context(j->err, code, "cwd");
}

int
cdn_hook_judge(const struct cordon_session *session,
    const struct cdn_dialect_call *call, struct cdn_arena *arena,
    struct cdn_hook_verdict *ret, struct cordon_error *err)
{
	struct cdn_hook_ask j = { .policy = { session, session->workspace },
		.call = call, .arena = arena, .ret = ret, .err = err };
	int code = cdn_gate_apart(session, NULL, 0, err);

	*ret = (struct cdn_hook_verdict){ 0 };
	if (code == 0)
		code = find_base(&j);
	if (code != 0)
		return code;
	if (call->row != NULL && call->row->text)
		return 0;
	if (call->row != NULL)
		code = judge_row(&j);
	else
		code = judge_commands(&j);
	j.field = NULL;
	if (call->row == NULL && code == 0)
		code = judge_unknown(&j, call->mcp ? call->mcp_tool : call->tool,
		    cdn_json_raw(call->json, call->input),
		    cdn_dialect_tool_writes(call->tool));
	return code < 0 ? code : 0;
}
