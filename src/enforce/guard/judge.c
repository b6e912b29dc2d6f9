#include "enforce/guard/judge.h"

#include <errno.h>
#include <sys/stat.h>

/* ----- Settings -------------------------------------------------------------- */

/*
 * A project that nobody trusts can have a field guarded, but cannot take a
 * guard away.
 */
static bool
has_a_say(const struct cdn_loaded *loaded, const struct cdn_mcp_field *field)
{
	return field->is_path || loaded->trusted ||
	    loaded->layer != CORDON_LAYER_PROJECT;
}

int
cdn_guard_judge_init(struct cdn_guard_judge *judge,
    const struct cordon_session *session, struct cdn_arena *arena,
    struct cordon_error *err)
{
	struct cdn_rpc_setting *all = NULL;
	size_t n = 0, total = 0;

	for (size_t i = 0; i < session->loaded_count; i++)
		total += session->loaded[i].policy->mcp_count;
	if (total > 0) {
		all = cdn_arena_array(arena, total, sizeof(*all));
		if (all == NULL)
			return cdn_err_nomem(err);
	}
	for (size_t i = 0; all != NULL && i < session->loaded_count; i++) {
		const struct cordon_policy *policy = session->loaded[i].policy;

		for (size_t k = 0; k < policy->mcp_count; k++)
			if (has_a_say(&session->loaded[i], &policy->mcp[k]))
				all[n++] = (struct cdn_rpc_setting){
					.tool = policy->mcp[k].tool,
					.field = policy->mcp[k].field,
					.is_path = policy->mcp[k].is_path,
				};
	}
	*judge = (struct cdn_guard_judge){
		.session = session,
		.settings = { all, n },
	};
	return 0;
}

/* ----- What is told ----------------------------------------------------------- */

static const char *
verb(enum cordon_op op)
{
	return op == CORDON_MODIFY ? "modified" : "read";
}

/* "edits[0].path" is settled as "edits.path". */
static void
put_setting(const char *label, struct cdn_buf *out)
{
	for (; *label != '\0'; label++) {
		if (*label == '[')
			label += strcspn(label, "]");
		else
			cdn_buf_putc(out, *label);
		if (*label == '\0')
			return; /* a label that was cut */
	}
}

/* The way out that fits whoever refused. */
static void
put_remedy(const struct cdn_guard_judge *j, struct cdn_buf *out)
{
	const struct cordon_mcp_refusal *r = &j->refusal;
	enum cordon_layer layer = r->has_verdict ? r->verdict.layer :
						   CORDON_LAYER_MAX;

	if (layer == CORDON_LAYER_WORKDIR || layer == CORDON_LAYER_PRESET)
		cdn_buf_printf(out, "; use a path below '%s', or have "
		    "cordon started with '%s PATH'", j->session->workspace,
		    r->verdict.operation == CORDON_MODIFY ? "--write" :
							    "--read");
	else if (layer == CORDON_LAYER_FLOOR)
		cdn_buf_puts(out, "; no policy opens it");
	else if (r->has_verdict)
		cdn_buf_puts(out, "; only whoever owns that policy can "
		    "change the rule");
	if (strcmp(r->reason, "heuristic") != 0 || j->tool.n == 0)
		return;
	cdn_buf_printf(out, " (if '%s' is text and no path, say so in a "
	    "policy: spec: {mcp: {%.*s: {", r->field, CDN_STR_ARG(j->tool));
	put_setting(r->field, out);
	cdn_buf_puts(out, ": text}}})");
}

static void
put_rule(const struct cordon_verdict *v, struct cdn_buf *out)
{
	cdn_buf_printf(out, ": rule '%s'", v->matched_rule);
	if (v->source != NULL && v->line > 0)
		cdn_buf_printf(out, " at %s:%u", v->source, v->line);
	else if (v->source != NULL)
		cdn_buf_printf(out, " of %s", v->source);
	cdn_buf_printf(out, " (layer %s)", cordon_layer_name(v->layer));
}

/* Cut where it is too long, never inside of a character. */
static void
put_text(struct cordon_mcp_refusal *r, const struct cdn_buf *text)
{
	size_t n = text->n < sizeof(r->text) ? text->n : sizeof(r->text) - 1;

	memcpy(r->text, text->p, n);
	while (n > 0 && cdn_utf8_bad((cdn_str){ r->text, n }) < n)
		n--;
	r->text[n] = '\0';
}

/* Fills the refusal; why is what to say when there is no verdict. */
static int
refuse(struct cdn_guard_judge *j, const char *label, const char *reason,
    cdn_str path, const struct cordon_verdict *verdict, const char *why,
    struct cordon_error *err)
{
	struct cordon_mcp_refusal *r = &j->refusal;
	struct cdn_buf text;
	bool failed;

	*r = (struct cordon_mcp_refusal){
		.refused = true,
		.reason = reason,
		.has_verdict = verdict != NULL,
	};
	snprintf(r->field, sizeof(r->field), "%s", label);
	snprintf(r->path, sizeof(r->path), "%.*s", CDN_STR_ARG(path));
	cdn_buf_init(&text, 64UL * 1024UL);
	cdn_buf_printf(&text, "cordon refused this call: '%s'", label);
	if (verdict != NULL) {
		r->verdict = *verdict;
		cdn_buf_printf(&text, " names '%s', which may not be %s here",
		    r->path, verb(verdict->operation));
		put_rule(verdict, &text);
	} else {
		cdn_buf_printf(&text, " %s", why);
	}
	put_remedy(j, &text);
	failed = cdn_buf_failed(&text);
	if (!failed)
		put_text(r, &text);
	cdn_buf_done(&text);
	return failed ? cdn_err_nomem(err) : 1;
}

/* ----- Asking ------------------------------------------------------------------ */

static const char *
reason_of(const struct cdn_rpc_path *path)
{
	return path->door == CDN_RPC_KNOWN ? "schema" : "heuristic";
}

static int
refuse_unjudged(struct cdn_guard_judge *j, const struct cdn_rpc_path *path,
    cdn_str text, const char *why, struct cordon_error *err)
{
	char sentence[CDN_PATH_MAX + 768];

	snprintf(sentence, sizeof(sentence), "is '%.*s', which %s",
	    CDN_STR_ARG(text), why);
	return refuse(j, path->label, reason_of(path), text, NULL, sentence,
	    err);
}

/* "/help": nothing of that name is there, and nothing of it could be. */
static bool
is_only_a_word(const struct cdn_rpc_path *path, const char *name)
{
	struct stat st;

	return path->word && path->form->kind == CDN_RPC_PATH &&
	    name[0] == '/' && strchr(name + 1, '/') == NULL &&
	    lstat(name, &st) != 0 && errno == ENOENT;
}

static int
ask(struct cdn_guard_judge *j, const struct cdn_rpc_path *path, cdn_str name,
    struct cordon_error *err)
{
	const struct cordon_query query = {
		.size = sizeof(query),
		.as = CORDON_AS_AGENT,
		.op = path->op,
		.path = name.p,
		.path_len = name.n,
	};
	struct cordon_error why = { 0 };
	struct cordon_verdict verdict;
	char text[sizeof(why.text) + 32];
	int code = cdn_session_check(j->session, &query, &verdict, &why);

	if (code == 0 && (verdict.allowed ||
		(verdict.decision == CORDON_ASK && j->asked++ > 0)))
		return 0;
	if (code == 0) {
		code = refuse(j, path->label, reason_of(path), name, &verdict,
		    NULL, err);
		return code == 1 && verdict.decision == CORDON_ASK ? 0 : code;
	}
	if (code == CORDON_E_NOMEM)
		return cdn_err_nomem(err);
	snprintf(text, sizeof(text), "cannot be judged: %s", why.text);
	return refuse_unjudged(j, path, name, text, err);
}

static int
judge_path(const struct cdn_rpc_path *path, void *arg,
    struct cordon_error *err)
{
	const struct cdn_rpc_form *form = path->form;
	struct cdn_guard_judge *j = arg;
	const char *home = form->kind == CDN_RPC_HOME ?
	    j->session->places.home : "";
	char name[2 * CDN_PATH_MAX + 2];
	int n;

	if (form->kind == CDN_RPC_FOREIGN)
		return refuse_unjudged(j, path, form->text, form->why, err);
	n = snprintf(name, sizeof(name), "%s%.*s", home,
	    CDN_STR_ARG(form->text));
	if (n < 0 || (size_t)n >= sizeof(name) ||
	    (form->kind == CDN_RPC_HOME && home[0] == '\0'))
		return refuse_unjudged(j, path, form->text,
		    "has no home to begin in", err);
	if (is_only_a_word(path, name))
		return 0;
	return ask(j, path, (cdn_str){ name, (size_t)n }, err);
}

static int
judge_undeclared(const char *label, void *arg, struct cordon_error *err)
{
	struct cdn_guard_judge *j = arg;

	return refuse(j, label, "schema", (cdn_str){ "", 0 }, NULL,
	    "is no argument of this tool: its schema allows no others", err);
}

struct cdn_rpc_judge
cdn_guard_judge_of(struct cdn_guard_judge *judge)
{
	judge->asked = 0;
	return (struct cdn_rpc_judge){
		.path = judge_path,
		.undeclared = judge_undeclared,
		.arg = judge,
	};
}

/* ----- One call ----------------------------------------------------------------- */

static int
parse(const char *text, size_t len, const char *what, struct cdn_arena *arena,
    struct cdn_json *ret, struct cordon_error *err)
{
	const struct cdn_json_options options = {
		.max_bytes = CDN_RPC_LINE_MAX,
		.max_depth = CDN_RPC_DEPTH_MAX,
	};
	int code = cdn_json_parse((cdn_str){ text, len }, &options, arena, ret,
	    err);

	return code == 0 ? 0 : cdn_err_context(err, code, "%s", what);
}

static int
check_in(const struct cordon_session *session,
    const struct cordon_mcp_call *call, struct cdn_arena *arena,
    struct cordon_mcp_refusal *ret, struct cordon_error *err)
{
	struct cdn_guard_judge judge;
	struct cdn_rpc_judge asked;
	struct cdn_json definition, arguments;
	struct cdn_rpc_tool tool = { .name = cdn_str_of(call->tool) };
	int code = cdn_guard_judge_init(&judge, session, arena, err);

	if (code == 0 && call->definition != NULL) {
		code = parse(call->definition, call->definition_len,
		    "definition of the tool", arena, &definition, err);
		tool.json = &definition;
	}
	if (code == 0)
		code = parse(call->arguments, call->arguments_len,
		    "arguments", arena, &arguments, err);
	if (code != 0)
		return code;
	judge.tool = tool.name;
	tool.settings = &judge.settings;
	asked = cdn_guard_judge_of(&judge);
	code = cdn_rpc_walk(&tool, &arguments, &arguments.nodes[0], &asked,
	    arena, err);
	if (code < 0)
		return code;
	if (code == 0 && judge.asked == 0)
		judge.refusal = (struct cordon_mcp_refusal){ .reason = "" };
	*ret = judge.refusal;
	return 0;
}

int
cdn_guard_check(const struct cordon_session *session,
    const struct cordon_mcp_call *call, struct cordon_mcp_refusal *ret,
    struct cordon_error *err)
{
	struct cdn_arena *arena = cdn_arena_new();
	int code;

	if (arena == NULL)
		return cdn_err_nomem(err);
	code = check_in(session, call, arena, ret, err);
	cdn_arena_free(arena);
	return code;
}
