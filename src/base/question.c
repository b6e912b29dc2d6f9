#include "base/question.h"

static void
open_member(struct cdn_json_writer *w, const char *key)
{
	cdn_json_put_key(w, key);
	cdn_json_open(w, '{');
}

static void
begin(struct cdn_json_writer *w, struct cdn_buf *out)
{
	cdn_json_begin(w, out);
	cdn_json_open(w, '{');
	cdn_json_put_member(w, "jsonrpc", "2.0");
}

static void
put_form(struct cdn_json_writer *w, const char *text)
{
	cdn_json_put_member(w, "method", "elicitation/create");
	open_member(w, "params");
	cdn_json_put_member(w, "mode", "form");
	cdn_json_put_member(w, "message", text);
	open_member(w, "requestedSchema");
	cdn_json_put_member(w, "type", "object");
	open_member(w, "properties");
	cdn_json_close(w);
	cdn_json_close(w);
	cdn_json_close(w);
}

void
cdn_question_ask(const char *id, const char *text, struct cdn_buf *out)
{
	struct cdn_json_writer w;

	begin(&w, out);
	cdn_json_put_member(&w, "id", id);
	put_form(&w, text);
	cdn_json_end_line(&w);
}

void
cdn_question_withdraw(const char *id, struct cdn_buf *out)
{
	struct cdn_json_writer w;

	begin(&w, out);
	cdn_json_put_member(&w, "method", "notifications/cancelled");
	open_member(&w, "params");
	cdn_json_put_member(&w, "requestId", id);
	cdn_json_close(&w);
	cdn_json_end_line(&w);
}

void
cdn_question_put(struct cdn_json_writer *w, const char *key, const char *text,
    const char *state)
{
	open_member(w, "inputRequests");
	open_member(w, key);
	put_form(w, text);
	cdn_json_close(w);
	cdn_json_close(w);
	cdn_json_put_member(w, "requestState", state);
}

bool
cdn_question_is_yes(const struct cdn_json *json,
    const struct cdn_json_node *answer)
{
	const struct cdn_json_node *action = answer == NULL ? NULL :
	    cdn_json_find(json, answer, "action");

	return action != NULL && cdn_json_is(json, action, CDN_STR("accept"));
}
