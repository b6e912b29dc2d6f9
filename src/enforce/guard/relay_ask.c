/*
 * relay_ask - a call that somebody has to approve.
 */
#include "enforce/guard/passage.h"

#include "base/question.h"
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

/*
 * Somebody has to approve this call, for that reason: he is asked, or else it
 * is refused.  about: what his answer is good for.
 */
static int
ask_user(struct passage *p, const char *why, const char *about,
    const struct cdn_rpc_denial *denial,
    const struct cordon_mcp_refusal *refusal)
{
	const struct cdn_ask *made = !can_be_asked(p) ? NULL :
	    cdn_asks_add(&p->relay->asks, &p->m, about,
		p->m.modern ? CDN_STR("") : p->line);
	const char *question;
	struct cdn_buf line;

	if (made == NULL)
		return cdn_passage_refuse(p, denial, refusal);
	question = cdn_arena_printf(p->arena, "cordon: may this call of the "
	    "tool '%s' reach its server, this once? %s", p->tool, why);
	if (question == NULL)
		return cdn_err_nomem(p->err);
	cdn_buf_init(&line, CDN_RPC_LINE_MAX);
	if (p->m.modern)
		cdn_rpc_ask_again(&p->m, made->token, question, &line);
	else
		cdn_question_ask(made->token, question, &line);
	return cdn_passage_send(p, &line);
}

/* He said yes, to this and nothing else, and in time. */
static bool
is_approved(const struct passage *p, const char *about)
{
	return p->answered && p->yes && cdn_ask_fits(&p->ask, &p->m, about);
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

static int
stop(struct passage *p, const struct cdn_catalog_tool *tool, bool asks)
{
	struct cdn_rpc_denial denial = { .reason = "pin" };

	denial.text = cdn_arena_printf(p->arena, "cordon refused this call: "
	    "%s; look at the difference, and if it is what you want: %s",
	    tool->stopped, p->relay->forget);
	if (denial.text == NULL)
		return cdn_err_nomem(p->err);
	return asks ? ask_user(p, tool->stopped, tool->other, &denial, NULL) :
		      cdn_passage_refuse(p, &denial, NULL);
}

/* What a path has against it; asks: somebody may approve that. */
static int
refuse_path(struct passage *p, bool asks)
{
	const struct cordon_mcp_refusal *r = &p->relay->judge.refusal;
	const struct cdn_rpc_denial denial = {
		.field = r->field,
		.reason = r->reason,
		.text = r->text,
		.verdict = r->has_verdict ? &r->verdict : NULL,
	};

	return asks ? ask_user(p, r->text, r->text, &denial, r) :
		      cdn_passage_refuse(p, &denial, r);
}

int
cdn_passage_refuse_path(struct passage *p)
{
	return refuse_path(p, false);
}

int
cdn_passage_settle(struct passage *p, const struct cdn_catalog_tool *known)
{
	const struct cdn_guard_judge *judge = &p->relay->judge;
	bool stopped = known != NULL && known->stopped != NULL;
	unsigned reasons = judge->asked + stopped;

	if (p->answered && (reasons != 1 || !is_approved(p,
		stopped ? known->other : judge->refusal.text)))
		return refuse_unapproved(p);
	if (p->answered || reasons == 0)
		return cdn_passage_pass_judged(p);
	return stopped ? stop(p, known, reasons == 1) :
			 refuse_path(p, reasons == 1);
}

/* ----- The older era: the call was kept ---------------------------------------- */

static int
go_on(struct passage *p, const struct cdn_ask *ask, bool yes)
{
	struct passage kept = {
		.relay = p->relay,
		.arena = p->arena,
		.line = { ask->line, ask->n },
		.answered = true,
		.yes = yes,
		.ask = *ask,
		.err = p->err,
	};
	int code = cdn_passage_read(&kept, false);

	return code != 0 ? code : cdn_passage_request(&kept);
}

bool
cdn_passage_is_answer(struct passage *p, int *ret_code)
{
	struct cdn_ask ask;

	if (p->m.id.type != CDN_RPC_ID_TEXT ||
	    !cdn_asks_take(&p->relay->asks, p->m.id.text, true, &ask))
		return false;
	*ret_code = go_on(p, &ask,
	    cdn_question_is_yes(&p->m.json, p->m.result));
	cdn_ask_done(&ask);
	return true;
}

/* The client need not show it any more. */
static int
ask_no_more(struct passage *p, const struct cdn_ask *ask)
{
	struct cdn_buf line;

	cdn_buf_init(&line, CDN_RPC_LINE_MAX);
	cdn_question_withdraw(ask->token, &line);
	return cdn_passage_send(p, &line);
}

bool
cdn_passage_cancel(struct passage *p, const struct cdn_rpc_id *id,
    int *ret_code)
{
	struct cdn_ask ask;

	if (!cdn_asks_take_call(&p->relay->asks, id, &ask))
		return false;
	*ret_code = ask_no_more(p, &ask);
	cdn_ask_done(&ask);
	return true;
}

static int
refuse_late(struct cdn_relay *relay, const struct cdn_ask *ask,
    struct cordon_error *err)
{
	struct passage p = { .relay = relay, .arena = cdn_arena_new(),
		.err = err };
	int code = p.arena == NULL ? cdn_err_nomem(err) : go_on(&p, ask, false);

	if (code == 0)
		code = ask_no_more(&p, ask);
	cdn_arena_free(p.arena);
	return code;
}

int
cdn_relay_late(struct cdn_relay *relay, struct cordon_error *err)
{
	struct cdn_ask ask;
	int code = 0;

	while (code == 0 && cdn_asks_take_late(&relay->asks, &ask)) {
		code = refuse_late(relay, &ask, err);
		cdn_ask_done(&ask);
	}
	return code;
}

/* ----- The newer era: it is made anew -------------------------------------------- */

bool
cdn_passage_take_answer(struct passage *p)
{
	const struct cdn_json *json = &p->m.json;
	const struct cdn_json_node *state = cdn_json_find(json, p->m.params,
	    "requestState");
	const struct cdn_json_node *answers = cdn_json_find(json, p->m.params,
	    "inputResponses");
	cdn_str token;

	if (!p->m.modern || state == NULL || state->type != CDN_JSON_STRING)
		return true;
	if (!cdn_json_string(json, state, p->arena, &token))
		return false;
	if (!cdn_asks_take(&p->relay->asks, token, false, &p->ask))
		return true; /* the server's own */
	p->answered = p->again = true;
	p->yes = answers != NULL &&
	    cdn_question_is_yes(json, cdn_json_find(json, answers,
		CDN_RPC_APPROVAL));
	return true;
}

bool
cdn_passage_has_token(const struct passage *p)
{
	const struct cdn_json_node *state = p->m.params == NULL ? NULL :
	    cdn_json_find(&p->m.json, p->m.params, "requestState");
	cdn_str token;

	return !p->again && state != NULL && state->type == CDN_JSON_STRING &&
	    cdn_json_string(&p->m.json, state, p->arena, &token) &&
	    cdn_asks_has(&p->relay->asks, token);
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
