/*
 * tools - one call, from its name to its answer.
 */
#include "enforce/tool/approve.h"

#include <poll.h>
#include <stdarg.h>

#include "enforce/session/own.h"

/* ----- Refusing ---------------------------------------------------------------------- */

int
cdn_tool_refuse(struct cdn_tool_call *call, enum cordon_refusal why,
    const char *fmt, ...)
{
	char text[sizeof(call->err.text)];
	va_list ap;

	va_start(ap, fmt);
	(void)cdn_err_line(text, sizeof(text), fmt, ap);
	va_end(ap);
	call->refused = (struct cordon_refused){ .code = why };
	(void)cdn_err(&call->err, CORDON_E_DENIED, "%s", text);
	return CDN_TOOL_REFUSED;
}

int
cdn_tool_refuse_sys(struct cdn_tool_call *call, int sys_errno,
    const char *what, cdn_str path)
{
	call->refused = (struct cordon_refused){ .code = CORDON_REFUSAL_OS };
	(void)cdn_err_sys(&call->err, sys_errno, "cannot %s '%.*s'", what,
	    CDN_STR_ARG(path));
	return CDN_TOOL_REFUSED;
}

int
cdn_tool_nomem(struct cdn_tool_call *call)
{
	return cdn_err_nomem(&call->broken);
}

int
cdn_tool_result_of(struct cdn_tool_call *call, int code)
{
	if (code == 0)
		return 0;
	if (code == CORDON_E_NOMEM)
		return cdn_tool_nomem(call);
	if (call->refused.code == CORDON_REFUSAL_NONE)
		call->refused.code = CORDON_REFUSAL_OS;
	return CDN_TOOL_REFUSED;
}

int
cdn_tool_check_cancel(struct cdn_tool_call *call)
{
	struct pollfd fd = { .fd = call->asked->cancel_fd, .events = POLLIN };

	if (call->asked->cancel_fd <= 0 || poll(&fd, 1, 0) <= 0)
		return 0;
	return cdn_tool_refuse(call, CORDON_REFUSAL_OS, "%s was cancelled",
	    call->tool->info.name);
}

/* ----- The audit ----------------------------------------------------------------------- */

int
cdn_tool_event(struct cdn_tool_call *call, enum cdn_event_kind kind,
    const struct cdn_event_field *fields, size_t n)
{
	struct cordon_error why = { 0 };
	int code = cdn_record_event(call->tools->record, kind, fields, n,
	    &why);

	return cdn_launch_recorded(&call->tools->terms, &call->tools->run,
	    code, &why, &call->broken);
}

/* Names only: the values of arguments are the agent's business. */
static int
tell_call(struct cdn_tool_call *call, cdn_str name)
{
	bool ok = call->refused.code == CORDON_REFUSAL_NONE;
	const char *const said[] = { call->kept != NULL ? call->kept :
		    call->err.text, NULL };
	const char *const *kept = cdn_record_words(call->arena, said);
	struct cdn_event_field fields[] = {
		cdn_field_str("tool", name),
		cdn_field_bool("ok", ok),
		cdn_field_text("code", ok ? NULL :
		    cordon_refusal_name(call->refused.code)),
		cdn_field_text("message", ok || kept == NULL ? NULL : kept[0]),
		cdn_field_bool("dry_run", call->asked->dry_run),
	};

	if (kept == NULL)
		return cdn_tool_nomem(call);
	return cdn_tool_event(call, CDN_EVENT_TOOL_CALL, fields,
	    CDN_LEN(fields));
}

/* ----- The answer ------------------------------------------------------------------------ */

static void
put_member(struct cdn_json_writer *w, const char *key, const char *text)
{
	cdn_json_put_key(w, key);
	cdn_json_put_cstring(w, text);
}

static void
put_error(struct cdn_json_writer *w, const struct cdn_tool_call *call)
{
	const struct cordon_verdict *verdict = call->refused.has_verdict ?
	    &call->refused.verdict : NULL;

	put_member(w, "code", cordon_refusal_name(call->refused.code));
	put_member(w, "message", call->err.text);
	put_member(w, "matched_rule",
	    verdict != NULL ? verdict->matched_rule : NULL);
	put_member(w, "layer",
	    verdict != NULL ? cordon_layer_name(verdict->layer) : NULL);
	put_member(w, "source", verdict != NULL ? verdict->source : NULL);
	cdn_json_put_key(w, "line");
	if (verdict != NULL && verdict->line != 0)
		cdn_json_put_uint(w, verdict->line);
	else
		cdn_json_put_null(w);
}

static int
run(struct cdn_tool_call *call)
{
	int code = cdn_tool_find(cdn_str_of(call->asked->name), &call->tool,
	    &call->err);

	if (code != 0) {
		call->refused.code = CORDON_REFUSAL_INVALID;
		return CDN_TOOL_REFUSED;
	}
	code = cdn_tool_arguments(call);
	if (code == 0)
		code = cdn_tool_check_cancel(call);
	if (code == 0 && call->tool->plan == NULL)
		code = cdn_tool_approve_files(call);
	if (code != 0)
		return code;
	return call->asked->dry_run && call->tool->plan != NULL ?
	    call->tool->plan(call) : call->tool->run(call);
}

static void
open_answer(struct cdn_json_writer *w, struct cdn_buf *out)
{
	cdn_json_begin(w, out);
	cdn_json_open(w, '{');
	cdn_json_put_key(w, "schema");
	cdn_json_put_int(w, 1);
}

static void
open_part(struct cdn_json_writer *w, bool ok, const char *key)
{
	cdn_json_put_key(w, "ok");
	cdn_json_put_bool(w, ok);
	cdn_json_put_key(w, key);
	cdn_json_open(w, '{');
}

/* What a tool plans stands alone; what it does is a result. */
static bool
is_plan(const struct cordon_tool_call *asked)
{
	const struct cdn_tool *tool;

	return asked->dry_run && cdn_tool_find(cdn_str_of(asked->name), &tool,
	    NULL) == 0 && tool->plan != NULL;
}

static int
answer(struct cdn_tool_call *call, struct cdn_buf *out)
{
	struct cdn_json_writer *w = call->result;
	bool part = !is_plan(call->asked);
	int code;

	open_answer(w, out);
	if (part)
		open_part(w, true, "result");
	code = run(call);
	if (code == CDN_TOOL_REFUSED) {
		cdn_buf_reset(out);
		open_answer(w, out);
		part = true;
		open_part(w, false, "error");
		put_error(w, call);
	} else if (code != 0) {
		return code;
	}
	if (part)
		cdn_json_close(w);
	cdn_json_close(w);
	return cdn_json_end(w) ? 0 : cdn_tool_nomem(call);
}

static int
give(struct cdn_tool_call *call, struct cdn_buf *out,
    struct cordon_tool_result *ret)
{
	size_t n = out->n;
	char *json = cdn_buf_take(out);

	if (json == NULL)
		return cdn_tool_nomem(call);
	*ret = (struct cordon_tool_result){
		.code = call->refused.code,
		.decision = call->decision,
		.json = json,
		.json_len = n,
	};
	return 0;
}

int
cdn_tools_call(struct cordon_tools *tools,
    const struct cordon_tool_call *asked, struct cordon_tool_result *ret,
    struct cordon_error *err)
{
	struct cdn_json_writer writer;
	struct cdn_tool_call call = {
		.tools = tools,
		.result = &writer,
		.asked = asked,
		.arena = cdn_arena_new(),
		.decision = CORDON_ALLOW,
	};
	struct cdn_buf out;
	int code;

	if (call.arena == NULL)
		return cdn_err_nomem(err);
	cdn_buf_init(&out, CDN_TOOL_RESULT_MAX);
	code = answer(&call, &out);
	if (code == 0)
		code = tell_call(&call, cdn_str_of(asked->name));
	if (code == 0)
		code = give(&call, &out, ret);
	cdn_buf_done(&out);
	cdn_arena_free(call.arena);
	if (code != 0 && err != NULL)
		*err = call.broken;
	return code;
}

/* ----- All of them ------------------------------------------------------------------------ */

static int
open_record(struct cordon_tools *tools, struct cordon_error *err)
{
	struct cordon_error why = { 0 };
	int code = cdn_own_make_id(tools->id, err);

	if (code != 0)
		return code;
	code = cdn_record_open(tools->options.session, &tools->run,
	    &tools->terms, tools->id, &tools->record, &why);
	return cdn_launch_recorded(&tools->terms, &tools->run, code, &why,
	    err);
}

static int
make_limit(struct cordon_tools *tools, struct cordon_error *err)
{
	struct cdn_tool_limit *limit = cdn_arena_alloc(tools->arena,
	    sizeof(*limit));
	int code = limit == NULL ? cdn_err_nomem(err) :
				   cdn_tool_limit_init(limit, err);

	if (code == 0)
		tools->limit = limit;
	return code;
}

static int
open_all(struct cordon_tools *tools, const struct cordon_tools_options *options,
    struct cordon_error *err)
{
	int code;

	tools->options = *options;
	if (options->session_options != NULL) {
		tools->made = *options->session_options;
		tools->options.session_options = &tools->made;
	}
	code = tools->called ? 0 : make_limit(tools, err);
	if (code != 0)
		return code;
	if (options->run != NULL)
		tools->run = *options->run;
	tools->run.size = sizeof(tools->run);
	tools->policy = (struct cordon_path_policy){ options->session,
		options->session->workspace };
	cdn_terms_find(options->session, &tools->run, &tools->terms);
	code = cdn_tool_roots(tools, err);
	return code != 0 ? code : open_record(tools, err);
}

bool
cdn_tool_same_session(const struct cordon_session *was,
    const struct cordon_session *now)
{
	if (was->file_count > now->file_count ||
	    strcmp(was->workspace, now->workspace) != 0)
		return false;
	for (size_t i = 0; i < was->file_count; i++)
		if (strcmp(was->files[i].digest, now->files[i].digest) != 0)
			return false;
	return true;
}

int
cdn_tools_new_below(const struct cordon_tools *caller,
    const struct cordon_tools_options *options, struct cordon_tools **ret,
    struct cordon_error *err)
{
	struct cdn_arena *arena;
	struct cordon_tools *tools;
	int code = cdn_gate_apart(options->session, NULL, 0, err);

	if (code != 0)
		return code;
	arena = cdn_arena_new();
	tools = arena == NULL ? NULL : cdn_arena_alloc(arena, sizeof(*tools));
	if (tools == NULL) {
		cdn_arena_free(arena);
		return cdn_err_nomem(err);
	}
	tools->arena = arena;
	tools->called = caller != NULL;
	tools->limit = caller != NULL ? caller->limit : NULL;
	code = open_all(tools, options, err);
	if (code != 0)
		cdn_tools_free(tools);
	else
		*ret = tools;
	return code;
}

int
cdn_tools_new(const struct cordon_tools_options *options,
    struct cordon_tools **ret, struct cordon_error *err)
{
	return cdn_tools_new_below(NULL, options, ret, err);
}

void
cdn_tools_free(struct cordon_tools *tools)
{
	if (tools == NULL)
		return;
	cdn_record_close(tools->record);
	if (tools->limit != NULL && !tools->called)
		cdn_tool_limit_done(tools->limit);
	cdn_arena_free(tools->arena);
}
