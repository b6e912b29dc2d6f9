#include "front/mcp/answer.h"

#include "base/question.h"
#include "front/mcp/message.h"

static void
begin(struct cdn_json_writer *w, struct cdn_buf *out)
{
	cdn_json_begin(w, out);
	cdn_json_open(w, '{');
	cdn_json_put_member(w, "jsonrpc", "2.0");
}

static void
put_raw(struct cdn_json_writer *w, const char *key, cdn_str json)
{
	cdn_json_put_key(w, key);
	if (json.n > 0)
		cdn_json_put_raw(w, json);
	else
		cdn_json_put_null(w);
}

static void
open_member(struct cdn_json_writer *w, const char *key, char bracket)
{
	cdn_json_put_key(w, key);
	cdn_json_open(w, bracket);
}

/* ----- Results ------------------------------------------------------------- */

void
mcp_answer_begin(struct mcp_answer *answer, const struct mcp_address *to,
    const char *type, struct cdn_buf *out)
{
	answer->modern = to->modern;
	begin(&answer->w, out);
	put_raw(&answer->w, "id", to->id);
	open_member(&answer->w, "result", '{');
	if (to->modern)
		cdn_json_put_member(&answer->w, "resultType", type);
}

static void
put_meta(struct mcp_answer *answer, cdn_str denial)
{
	struct cdn_json_writer *w = &answer->w;

	if (!answer->modern && denial.n == 0)
		return;
	open_member(w, "_meta", '{');
	if (answer->modern) {
		open_member(w, MCP_META("serverInfo"), '{');
		cdn_json_put_member(w, "name", "cordon");
		cdn_json_put_member(w, "version", cordon_version());
		cdn_json_close(w);
	}
	if (denial.n > 0)
		put_raw(w, "cordon/denial", denial);
	cdn_json_close(w);
}

void
mcp_answer_end(struct mcp_answer *answer, cdn_str denial)
{
	put_meta(answer, denial);
	cdn_json_close(&answer->w);
	cdn_json_end_line(&answer->w);
}

static void
put_content(struct cdn_json_writer *w, cdn_str text)
{
	open_member(w, "content", '[');
	cdn_json_open(w, '{');
	cdn_json_put_member(w, "type", "text");
	cdn_json_put_key(w, "text");
	cdn_json_put_string(w, text);
	cdn_json_close(w);
	cdn_json_close(w);
}

void
mcp_answer_result(const struct mcp_address *to, cdn_str result,
    struct cdn_buf *out)
{
	struct mcp_answer answer;

	mcp_answer_begin(&answer, to, "complete", out);
	put_content(&answer.w, result);
	put_raw(&answer.w, "structuredContent", result);
	cdn_json_put_key(&answer.w, "isError");
	cdn_json_put_bool(&answer.w, false);
	mcp_answer_end(&answer, (cdn_str){ "", 0 });
}

void
mcp_answer_refusal(const struct mcp_address *to, const char *text,
    cdn_str denial, struct cdn_buf *out)
{
	struct mcp_answer answer;

	mcp_answer_begin(&answer, to, "complete", out);
	put_content(&answer.w, cdn_str_of(text));
	cdn_json_put_key(&answer.w, "isError");
	cdn_json_put_bool(&answer.w, true);
	mcp_answer_end(&answer, denial);
}

void
mcp_answer_error(const struct mcp_address *to, int code, const char *text,
    cdn_str data, struct cdn_buf *out)
{
	struct cdn_json_writer w;

	begin(&w, out);
	put_raw(&w, "id", to->id);
	open_member(&w, "error", '{');
	cdn_json_put_key(&w, "code");
	cdn_json_put_int(&w, code);
	cdn_json_put_member(&w, "message", text);
	if (data.n > 0)
		put_raw(&w, "data", data);
	cdn_json_close(&w);
	cdn_json_end_line(&w);
}

/* ----- Questions ------------------------------------------------------------ */

void
mcp_ask_input(const struct mcp_address *to, const char *question,
    const char *state, struct cdn_buf *out)
{
	struct mcp_answer answer;

	mcp_answer_begin(&answer, to, "input_required", out);
	cdn_question_put(&answer.w, MCP_APPROVAL, question, state);
	mcp_answer_end(&answer, (cdn_str){ "", 0 });
}

void
mcp_tell_progress(cdn_str token, uint64_t progress, const char *text,
    struct cdn_buf *out)
{
	struct cdn_json_writer w;

	begin(&w, out);
	cdn_json_put_member(&w, "method", "notifications/progress");
	open_member(&w, "params", '{');
	put_raw(&w, "progressToken", token);
	cdn_json_put_key(&w, "progress");
	cdn_json_put_uint(&w, progress);
	cdn_json_put_member(&w, "message", text);
	cdn_json_close(&w);
	cdn_json_end_line(&w);
}
