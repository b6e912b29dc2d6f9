/*
 * approve - a tool wants somebody to say yes.
 */
#include "front/mcp/call.h"

#include "front/mcp/server.h"
#include "front/mcp/told.h"

/* Until somebody answers, the call is cancelled, or it is too late. */
static enum cordon_answer
wait_for_user(struct mcp_call *call)
{
	uint64_t until_ms = mcp_now_ms() + CDN_MCP_APPROVAL_MS;
	enum cordon_answer answer = CORDON_ANSWER_NO;
	bool in_time = true;

	call->question = MCP_ASK_USER;
	mcp_calls_wake(call->all);
	while (call->question != MCP_USER_ANSWERED && !call->cancelled &&
	    in_time)
		in_time = mcp_told_wait(&call->told, &call->all->lock,
		    until_ms);
	if (call->question == MCP_USER_ANSWERED && call->accepted &&
	    !call->cancelled)
		answer = CORDON_ANSWER_YES;
	call->question = MCP_ASKED_NOTHING;
	return answer;
}

/* What is asked for, and where; a directory may be called anything. */
static char *
make_prompt(const struct cordon_approval *approval)
{
	struct cdn_buf text;
	char *prompt;

	cdn_buf_init(&text, CDN_RPC_LINE_MAX);
	cdn_buf_printf(&text, "%s", approval->prompt);
	if (approval->cwd != NULL)
		cdn_buf_printf(&text, " in ");
	for (const char *p = approval->cwd; p != NULL && *p != '\0'; p++)
		cdn_buf_printf(&text, *p < ' ' || *p > '~' || *p == '\\' ?
		    "\\x%02x" : "%c", (unsigned char)*p);
	prompt = cdn_buf_failed(&text) ? NULL : strdup(text.p);
	cdn_buf_done(&text);
	return prompt;
}

static enum cordon_answer
ask(struct mcp_call *call, const struct cordon_approval *approval)
{
	if (call->answered)
		return call->accepted && strcmp(call->answered_digest,
			approval->digest) == 0 ?
		    CORDON_ANSWER_YES : CORDON_ANSWER_NO;
	if (!call->elicits) {
		call->question = MCP_ASK_NOBODY;
		return CORDON_ANSWER_NOBODY;
	}
	free(call->prompt);
	call->prompt = make_prompt(approval);
	if (call->prompt == NULL ||
	    strlen(approval->digest) != sizeof(call->digest) - 1)
		return CORDON_ANSWER_NO;
	memcpy(call->digest, approval->digest, sizeof(call->digest));
	if (!call->to.modern)
		return wait_for_user(call);
	call->question = MCP_ASK_INPUT;
	return CORDON_ANSWER_NOBODY;
}

enum cordon_answer
mcp_approve(const struct cordon_approval *approval, void *arg)
{
	struct mcp_call *call = mcp_call_current();
	struct mcp_calls *all = arg;
	enum cordon_answer answer = CORDON_ANSWER_NO;

	if (call == NULL)
		return CORDON_ANSWER_NOBODY;
	pthread_mutex_lock(&all->lock);
	if (!call->cancelled)
		answer = ask(call, approval);
	pthread_mutex_unlock(&all->lock);
	return answer;
}
