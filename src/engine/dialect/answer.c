#include "engine/dialect/dialect.h"

static void
put(struct cdn_json_writer *w, const char *key, const char *value)
{
	cdn_json_put_key(w, key);
	cdn_json_put_cstring(w, value);
}

/* {"hookSpecificOutput":{"hookEventName":..,...}}; {} leaves it to the agent. */
static void
put_claude(struct cdn_json_writer *w, const char *event, const char *reason)
{
	if (reason == NULL)
		return;
	cdn_json_put_key(w, "hookSpecificOutput");
	cdn_json_open(w, '{');
	put(w, "hookEventName", event);
	if (strcmp(event, "PermissionRequest") == 0) {
		cdn_json_put_key(w, "decision");
		cdn_json_open(w, '{');
		put(w, "behavior", "deny");
		put(w, "message", reason);
		cdn_json_close(w);
	} else {
		put(w, "permissionDecision", "deny");
		put(w, "permissionDecisionReason", reason);
	}
	cdn_json_close(w);
}

static void
put_gemini(struct cdn_json_writer *w, const char *reason)
{
	if (reason == NULL)
		return;
	put(w, "decision", "deny");
	put(w, "reason", reason);
}

/* Here an answer without a word would be a failure. */
static void
put_cursor(struct cdn_json_writer *w, const char *reason)
{
	put(w, "permission", reason == NULL ? "allow" : "deny");
	if (reason == NULL)
		return;
	put(w, "user_message", reason);
	put(w, "agent_message", reason);
}

void
cdn_dialect_answer(const struct cdn_dialect *dialect,
    const struct cdn_dialect_event *event, const char *reason,
    struct cdn_buf *out)
{
	struct cdn_json_writer w;

	cdn_json_begin(&w, out);
	cdn_json_open(&w, '{');
	switch (dialect->form) {
	case CDN_FORM_CLAUDE:
		put_claude(&w, event != NULL ? event->name :
					       dialect->events[0].name, reason);
		break;
	case CDN_FORM_GEMINI:
		put_gemini(&w, reason);
		break;
	case CDN_FORM_CURSOR:
		put_cursor(&w, reason);
		break;
	}
	cdn_json_close(&w);
	cdn_buf_putc(out, '\n');
}
