/*
 * relay_ask - a call that somebody has to approve.
 */
#include "enforce/guard/passage.h"

#include "engine/rpc/tools.h"

/* Which of the two questions its client understands; false: none. */
static bool
can_be_asked(const struct passage *p)
{
	if (p->answered || p->m.method != CDN_RPC_TOOLS_CALL)
		return false;
	if (!p->m.modern)
		return p->relay->elicits;
	/* A state of the server's own would be lost behind ours. */
	return cdn_rpc_elicits(&p->m) &&
	    cdn_json_find(&p->m.json, p->m.params, "requestState") == NULL;
}

int
cdn_passage_ask(struct passage *p, const char *why,
    const struct cdn_rpc_denial *denial,
    const struct cordon_mcp_refusal *refusal)
{
	const struct cdn_ask *ask = !can_be_asked(p) ? NULL :
	    cdn_asks_add(&p->relay->asks, &p->m,
		p->m.modern ? CDN_STR("") : p->line);
	const char *question;
	struct cdn_buf line;

	if (ask == NULL)
		return cdn_passage_refuse(p, denial, refusal);
	question = cdn_arena_printf(p->arena, "cordon: may this call of the "
	    "tool '%s' reach its server, this once? %s", p->tool, why);
	if (question == NULL)
		return cdn_err_nomem(p->err);
	cdn_buf_init(&line, CDN_RPC_LINE_MAX);
	if (p->m.modern)
		cdn_rpc_ask_again(&p->m, ask->token, question, &line);
	else
		cdn_rpc_ask(ask->token, question, &line);
	return cdn_passage_send(p, &line);
}

static bool
is_yes(const struct cdn_json *json, const struct cdn_json_node *answer)
{
	const struct cdn_json_node *action = answer == NULL ? NULL :
	    cdn_json_find(json, answer, "action");

	return action != NULL && cdn_json_is(json, action, CDN_STR("accept"));
}

static int
refuse_unapproved(struct passage *p)
{
	static const struct cdn_rpc_denial denial = {
		.reason = "approval",
		.text = "cordon refused this call: it was not approved, or too "
			"late; do not make it again unless you are asked to",
	};

	return cdn_passage_refuse(p, &denial, NULL);
}

/* ----- The older era: the call was kept ---------------------------------------- */

static int
go_on(struct passage *p, struct cdn_ask *ask, bool yes)
{
	struct passage kept = {
		.relay = p->relay,
		.arena = p->arena,
		.line = { ask->line, ask->n },
		.answered = true,
		.approved = yes,
		.err = p->err,
	};
	int code = cdn_passage_read(&kept, false);

	if (code != 0)
		return code;
	return yes && cdn_ask_fits(ask, &kept.m) ? cdn_passage_request(&kept) :
						   refuse_unapproved(&kept);
}

bool
cdn_passage_is_answer(struct passage *p, int *ret_code)
{
	struct cdn_ask ask;

	if (p->m.id.type != CDN_RPC_ID_TEXT ||
	    !cdn_asks_take(&p->relay->asks, p->m.id.text, &ask))
		return false;
	*ret_code = ask.line == NULL ? 0 :
	    go_on(p, &ask, is_yes(&p->m.json, p->m.result));
	cdn_ask_done(&ask);
	return true;
}

bool
cdn_passage_cancel(struct passage *p, const struct cdn_rpc_id *id,
    int *ret_code)
{
	struct cdn_buf line;
	struct cdn_ask ask;

	if (!cdn_asks_take_call(&p->relay->asks, id, &ask))
		return false;
	cdn_buf_init(&line, CDN_RPC_LINE_MAX);
	cdn_rpc_ask_no_more(ask.token, &line);
	*ret_code = cdn_passage_send(p, &line);
	cdn_ask_done(&ask);
	return true;
}

/* ----- The newer era: it is made anew -------------------------------------------- */

int
cdn_passage_take_answer(struct passage *p, bool *ret_done)
{
	const struct cdn_json *json = &p->m.json;
	const struct cdn_json_node *state = cdn_json_find(json, p->m.params,
	    "requestState");
	const struct cdn_json_node *answers = cdn_json_find(json, p->m.params,
	    "inputResponses");
	struct cdn_ask ask;
	cdn_str token;
	bool fits;

	*ret_done = false;
	if (!p->m.modern || state == NULL || state->type != CDN_JSON_STRING)
		return 0;
	if (!cdn_json_string(json, state, p->arena, &token))
		return cdn_err_nomem(p->err);
	if (!cdn_asks_take(&p->relay->asks, token, &ask))
		return 0; /* the server's own */
	fits = ask.line == NULL && cdn_ask_fits(&ask, &p->m);
	cdn_ask_done(&ask);
	p->answered = p->again = true;
	p->approved = fits && answers != NULL &&
	    is_yes(json, cdn_json_find(json, answers, CDN_RPC_APPROVAL));
	*ret_done = !p->approved;
	return p->approved ? 0 : refuse_unapproved(p);
}

int
cdn_passage_pass_again(struct passage *p)
{
	const struct cdn_json *json = &p->m.json;
	const struct cdn_json_node *node = cdn_json_first(json, p->m.params);
	const struct cdn_json_node *state = cdn_json_find(json, p->m.params,
	    "requestState");
	const struct cdn_json_node *answers = cdn_json_find(json, p->m.params,
	    "inputResponses");
	bool *drops = cdn_arena_array(p->arena, (size_t)p->m.params->count + 1,
	    sizeof(*drops));

	if (drops == NULL)
		return cdn_err_nomem(p->err);
	for (size_t i = 0; node != NULL; i++) {
		drops[i] = node == state || node == answers;
		node = cdn_json_next(json, node);
	}
	return cdn_passage_cut(p, p->relay->to_server, p->m.params, drops);
}
