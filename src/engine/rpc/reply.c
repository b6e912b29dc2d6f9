#include "engine/rpc/reply.h"

#include "base/question.h"

static void
begin(struct cdn_json_writer *w, const struct cdn_rpc_id *id,
    struct cdn_buf *out)
{
	cdn_json_begin(w, out);
	cdn_json_open(w, '{');
	cdn_json_put_key(w, "jsonrpc");
	cdn_json_put_cstring(w, "2.0");
	cdn_json_put_key(w, "id");
	if (id->type == CDN_RPC_ID_NUMBER || id->type == CDN_RPC_ID_TEXT)
		cdn_json_put_raw(w, id->raw);
	else
		cdn_json_put_null(w);
}

static void
put_denial(struct cdn_json_writer *w, const struct cdn_rpc_denial *d)
{
	const struct cordon_verdict *v = d->verdict;

	cdn_json_put_key(w, "cordon/denial");
	cdn_json_open(w, '{');
	cdn_json_put_member(w, "field", d->field);
	cdn_json_put_member(w, "reason", d->reason);
	cdn_json_put_member(w, "matched_rule", v == NULL ? NULL :
	    v->matched_rule);
	cdn_json_put_member(w, "layer", v == NULL ? NULL :
	    cordon_layer_name(v->layer));
	cdn_json_put_member(w, "source", v == NULL ? NULL : v->source);
	cdn_json_put_key(w, "line");
	if (v == NULL || v->line == 0)
		cdn_json_put_null(w);
	else
		cdn_json_put_uint(w, v->line);
	cdn_json_close(w);
}

static void
put_result(struct cdn_json_writer *w, const struct cdn_rpc_message *request,
    const struct cdn_rpc_denial *d)
{
	cdn_json_put_key(w, "result");
	cdn_json_open(w, '{');
	if (request->modern)
		cdn_json_put_member(w, "resultType", "complete");
	cdn_json_put_key(w, "content");
	cdn_json_open(w, '[');
	cdn_json_open(w, '{');
	cdn_json_put_member(w, "type", "text");
	cdn_json_put_member(w, "text", d->text);
	cdn_json_close(w);
	cdn_json_close(w);
	cdn_json_put_key(w, "isError");
	cdn_json_put_bool(w, true);
	cdn_json_put_key(w, "_meta");
	cdn_json_open(w, '{');
	put_denial(w, d);
	cdn_json_close(w);
	cdn_json_close(w);
}

/* d: what goes into its data, or NULL. */
static void
put_error(struct cdn_json_writer *w, int code, const char *text,
    const struct cdn_rpc_denial *d)
{
	cdn_json_put_key(w, "error");
	cdn_json_open(w, '{');
	cdn_json_put_key(w, "code");
	cdn_json_put_int(w, code);
	cdn_json_put_member(w, "message", text);
	if (d != NULL) {
		cdn_json_put_key(w, "data");
		cdn_json_open(w, '{');
		put_denial(w, d);
		cdn_json_close(w);
	}
	cdn_json_close(w);
}

void
cdn_rpc_refuse(const struct cdn_rpc_message *request,
    const struct cdn_rpc_denial *denial, struct cdn_buf *out)
{
	struct cdn_json_writer w;

	begin(&w, &request->id, out);
	if (request->method == CDN_RPC_TOOLS_CALL)
		put_result(&w, request, denial);
	else
		put_error(&w, CDN_RPC_REFUSED, denial->text, denial);
	cdn_json_end_line(&w);
}

void
cdn_rpc_ask_again(const struct cdn_rpc_message *request, const char *token,
    const char *question, struct cdn_buf *out)
{
	struct cdn_json_writer w;

	begin(&w, &request->id, out);
	cdn_json_put_key(&w, "result");
	cdn_json_open(&w, '{');
	cdn_json_put_member(&w, "resultType", "input_required");
	cdn_question_put(&w, CDN_RPC_APPROVAL, question, token);
	cdn_json_close(&w);
	cdn_json_end_line(&w);
}

void
cdn_rpc_complain(const struct cdn_rpc_id *id, int code, const char *text,
    struct cdn_buf *out)
{
	struct cdn_json_writer w;

	begin(&w, id, out);
	put_error(&w, code, text, NULL);
	cdn_json_end_line(&w);
}
