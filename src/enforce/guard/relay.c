#include "enforce/guard/relay.h"

#include "enforce/guard/passage.h"
#include "engine/rpc/key_case.h"
#include "engine/rpc/origin.h"
#include "engine/rpc/tools.h"

static const struct cdn_rpc_id nobody = { .type = CDN_RPC_ID_NONE };

void
cdn_relay_done(struct cdn_relay *relay)
{
	cdn_catalog_done(&relay->catalog);
	cdn_pending_done(&relay->asked_by_client);
	cdn_pending_done(&relay->asked_by_server);
	cdn_asks_done(&relay->asks);
}

void
cdn_passage_note(const struct passage *p, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	cdn_err_line(text, sizeof(text), fmt, ap);
	va_end(ap);
	p->relay->note(text, p->relay->arg);
}

static void
note_text(const char *text, void *arg)
{
	cdn_passage_note(arg, "%s", text);
}

/* ----- Answering ------------------------------------------------------------- */

int
cdn_passage_send(struct passage *p, struct cdn_buf *answer)
{
	bool failed = cdn_buf_failed(answer);

	if (!failed)
		cdn_outlet_put(p->relay->to_client,
		    (cdn_str){ answer->p, answer->n });
	cdn_buf_done(answer);
	return failed ? cdn_err_nomem(p->err) : 0;
}

static int
complain(struct passage *p, const struct cdn_rpc_id *id, int code,
    const char *text)
{
	struct cdn_buf answer;

	cdn_buf_init(&answer, CDN_RPC_LINE_MAX);
	cdn_rpc_complain(id, code, text, &answer);
	return cdn_passage_send(p, &answer);
}

int
cdn_passage_cut(struct passage *p, struct cdn_outlet *outlet,
    const struct cdn_json_node *parent, const bool *drops)
{
	struct cdn_buf text;
	bool failed;

	cdn_buf_init(&text, CDN_RPC_LINE_MAX + 1);
	cdn_rpc_cut(&p->m.json, parent, drops, &text);
	cdn_buf_putc(&text, '\n');
	failed = cdn_buf_failed(&text);
	if (!failed)
		cdn_outlet_put(outlet, (cdn_str){ text.p, text.n });
	cdn_buf_done(&text);
	return failed ? cdn_err_nomem(p->err) : 0;
}

static int
record(const struct passage *p, bool allowed, const char *reason,
    const struct cordon_mcp_refusal *refusal, struct cordon_error *err)
{
	const struct cdn_relay_event event = {
		.method = p->method,
		.tool = p->tool[0] == '\0' ? NULL : p->tool,
		.allowed = allowed,
		.reason = reason,
		.refusal = refusal,
	};

	return p->relay->record(&event, p->relay->arg, err);
}

/* That it could not be recorded changes nothing here: it is refused anyway. */
int
cdn_passage_refuse(struct passage *p, const struct cdn_rpc_denial *denial,
    const struct cordon_mcp_refusal *refusal)
{
	struct cdn_buf answer;

	(void)!record(p, false, denial->reason, refusal, NULL);
	cdn_buf_init(&answer, CDN_RPC_LINE_MAX);
	cdn_rpc_refuse(&p->m, denial, &answer);
	return cdn_passage_send(p, &answer);
}

/* A message that has no right to an answer, or none that could be had. */
static int
drop(struct passage *p, const char *who, const char *why)
{
	cdn_passage_note(p, "a message of the %s is dropped: %s", who, why);
	return 0;
}

/* ----- From the client ---------------------------------------------------------- */

static void
pass(struct cdn_outlet *outlet, const struct passage *p)
{
	cdn_outlet_put(outlet, p->line);
}

/* Of the results that are looked at, and of each root. */
static const char *const result_keys[] = { "tools", "roots", "inputRequests",
	"requestState", "resultType", "nextCursor", "content", "_meta", NULL };
static const char *const root_keys[] = { "uri", "name", "_meta", NULL };

/* Why the other side must not see it, in *ret_why, or NULL. */
static int
find_odd_key(struct passage *p, const struct cdn_json_node *object,
    const char *const *words, const char **ret_why)
{
	const char *word;
	cdn_str key;

	*ret_why = NULL;
	if (!cdn_rpc_find_odd_key(&p->m.json, object, words, p->arena, &key,
		&word))
		return cdn_err_nomem(p->err);
	if (word == NULL)
		return 0;
	*ret_why = cdn_arena_printf(p->arena, "key '%.*s' is not '%s', but some "
	    "programs take it for that", CDN_STR_ARG(key), word);
	return *ret_why == NULL ? cdn_err_nomem(p->err) : 0;
}

static int
find_odd_root(struct passage *p, const struct cdn_json_node *roots,
    const char **ret_why)
{
	const struct cdn_json_node *root = roots == NULL ? NULL :
	    cdn_json_first(&p->m.json, roots);
	int code = 0;

	for (; code == 0 && root != NULL && *ret_why == NULL;
	     root = cdn_json_next(&p->m.json, root))
		code = find_odd_key(p, root, root_keys, ret_why);
	return code;
}

/* The name of the tool; false when there is none that could be one. */
static bool
read_tool(struct passage *p, cdn_str *ret)
{
	const struct cdn_json_node *name = cdn_json_find(&p->m.json,
	    p->m.params, "name");

	if (name == NULL || name->type != CDN_JSON_STRING ||
	    name->end - name->start > 6 * CDN_NAME_MAX ||
	    !cdn_json_string(&p->m.json, name, p->arena, ret))
		return false;
	snprintf(p->tool, sizeof(p->tool), "%.*s", CDN_STR_ARG(*ret));
	return true;
}

/* What was judged, and what we know nothing of. */
static bool
is_recorded(enum cdn_rpc_method method)
{
	return method == CDN_RPC_OTHER || cdn_rpc_is_judged(method);
}

int
cdn_passage_pass_judged(struct passage *p)
{
	struct cordon_error why = { 0 };
	unsigned count = 0;
	const struct cdn_json_node *roots = p->again ? NULL :
	    cdn_passage_roots(p, &count);

	if (roots != NULL && count > 1)
		return complain(p, &p->m.id, CDN_RPC_INVALID_PARAMS,
		    "roots in more than one of the inputResponses");
	if (is_recorded(p->m.method) && record(p, true, NULL, NULL, &why) != 0) {
		const struct cdn_rpc_denial denial = { .reason = "audit",
			.text = why.text };

		return cdn_passage_refuse(p, &denial, NULL);
	}
	if (cdn_pending_add(&p->relay->asked_by_client, &p->m.id,
		p->m.method) != CDN_PENDING_ADDED)
		return complain(p, &p->m.id, CDN_RPC_INTERNAL_ERROR,
		    "too many requests in flight");
	if (roots != NULL)
		return cdn_passage_pass_roots(p, roots);
	if (p->again)
		return cdn_passage_pass_again(p);
	pass(p->relay->to_server, p);
	return 0;
}

static int
judge_message(struct passage *p, const struct cdn_catalog_tool *known,
    cdn_str name)
{
	struct cdn_relay *relay = p->relay;
	const struct cdn_rpc_tool tool = {
		.name = name,
		.json = known == NULL ? NULL : &known->json,
		.settings = &relay->judge.settings,
	};
	struct cdn_rpc_judge judge = cdn_guard_judge_of(&relay->judge);

	relay->judge.tool = name;
	return cdn_rpc_walk_message(&p->m, &tool, &judge, p->arena, p->err);
}

int
cdn_passage_request(struct passage *p)
{
	const struct cdn_catalog_tool *known = NULL;
	cdn_str name = { "", 0 };
	int code;

	if (p->m.method == CDN_RPC_TOOLS_CALL) {
		if (!read_tool(p, &name))
			return complain(p, &p->m.id, CDN_RPC_INVALID_PARAMS,
			    "'tools/call' needs a name of at most 128 bytes");
		if (!cdn_passage_take_answer(p))
			return cdn_err_nomem(p->err);
		known = cdn_catalog_find(&p->relay->catalog, name);
	}
	if (cdn_passage_has_token(p))
		return complain(p, &p->m.id, CDN_RPC_INVALID_PARAMS,
		    "this requestState is of another call");
	if (cdn_str_is(p->m.name, "initialize"))
		p->relay->elicits = cdn_rpc_elicits(&p->m);
	code = judge_message(p, known, name);
	if (code < 0)
		return code;
	return code == 1 ? cdn_passage_refuse_path(p) :
			   cdn_passage_settle(p, known);
}

static int
take_request(struct passage *p)
{
	/* An answer on that id would be taken for that of the first. */
	if (cdn_pending_has(&p->relay->asked_by_client, &p->m.id) ||
	    cdn_asks_has_call(&p->relay->asks, &p->m.id))
		return complain(p, &nobody, CDN_RPC_INVALID_REQUEST,
		    "this id is in flight already");
	return cdn_passage_request(p);
}

static int
take_notification(struct passage *p)
{
	const struct cdn_json_node *id;
	struct cdn_rpc_id request;
	int code;

	if (cdn_rpc_is_judged(p->m.method)) {
		(void)!record(p, false, "message", NULL, NULL);
		return drop(p, "client", "a call without an id");
	}
	if (p->m.method == CDN_RPC_CANCELLED && p->m.params != NULL) {
		id = cdn_json_find(&p->m.json, p->m.params, "requestId");
		if (id != NULL && cdn_rpc_id_read(&p->m.json, id, p->arena,
		    &request)) {
			if (cdn_passage_cancel(p, &request, &code))
				return code;
			(void)cdn_pending_take(&p->relay->asked_by_client,
			    &request, NULL);
		}
	}
	pass(p->relay->to_server, p);
	return 0;
}

static int
take_answer(struct passage *p)
{
	enum cdn_rpc_method method = CDN_RPC_OTHER;
	const struct cdn_json_node *roots = NULL;
	const char *why = NULL;
	int code = 0;

	if (cdn_passage_is_answer(p, &code))
		return code;
	if (!cdn_pending_take(&p->relay->asked_by_server, &p->m.id, &method))
		return drop(p, "client", "an answer that nobody asked for");
	if (method == CDN_RPC_ROOTS_LIST && p->m.result != NULL) {
		roots = cdn_passage_array(p, p->m.result, "roots");
		code = find_odd_key(p, p->m.result, result_keys, &why);
		if (code == 0 && why == NULL)
			code = find_odd_root(p, roots, &why);
	}
	if (code != 0 || why != NULL)
		return code != 0 ? code : drop(p, "client", why);
	if (roots != NULL)
		return cdn_passage_pass_roots(p, roots);
	pass(p->relay->to_server, p);
	return 0;
}

static int
take_bad(struct passage *p)
{
	(void)!record(p, false, "message", NULL, NULL);
	cdn_passage_note(p, "a message of the client is refused: %s", p->m.what);
	return complain(p, p->m.calls ? &p->m.id : &nobody, p->m.code,
	    p->m.what);
}

static int
from_client(struct passage *p)
{
	switch (p->m.kind) {
	case CDN_RPC_REQUEST:
		return take_request(p);
	case CDN_RPC_NOTIFICATION:
		return take_notification(p);
	case CDN_RPC_RESPONSE:
		return take_answer(p);
	case CDN_RPC_BLANK:
		return 0;
	case CDN_RPC_BAD:
	default:
		return take_bad(p);
	}
}

/* ----- From the server ------------------------------------------------------------ */

static int
see_tools(struct passage *p, const struct cdn_json_node *tools, bool *drops)
{
	struct cdn_relay *relay = p->relay;

	return cdn_catalog_see(&relay->catalog, &p->m.json, tools, drops,
	    note_text, p, p->arena, p->err);
}

/* To the client, with a mark where the server asks a person. */
static int
pass_marked(struct passage *p)
{
	struct cdn_rpc_origin origin;
	struct cdn_buf text;

	if (!cdn_rpc_origin_find(&p->m, p->arena, &origin))
		return cdn_err_nomem(p->err);
	if (origin.n == 0) {
		pass(p->relay->to_client, p);
		return 0;
	}
	cdn_buf_init(&text, 2 * CDN_RPC_LINE_MAX);
	cdn_rpc_origin_put(&p->m, &origin, &text);
	cdn_buf_putc(&text, '\n');
	return cdn_passage_send(p, &text);
}

/* The answer without some of its tools, read again: it may ask as well. */
static int
pass_cut(struct passage *p, const struct cdn_json_node *tools,
    const bool *drops)
{
	struct cdn_buf text;
	int code = 0;

	cdn_buf_init(&text, CDN_RPC_LINE_MAX + 1);
	cdn_rpc_cut(&p->m.json, tools, drops, &text);
	cdn_buf_putc(&text, '\n');
	if (cdn_buf_failed(&text) ||
	    !cdn_arena_str(p->arena, (cdn_str){ text.p, text.n }, &p->line))
		code = cdn_err_nomem(p->err);
	cdn_buf_done(&text);
	if (code == 0)
		code = cdn_passage_read(p, false);
	return code != 0 ? code : pass_marked(p);
}

static int
pass_tools(struct passage *p, const struct cdn_json_node *tools)
{
	struct cdn_relay *relay = p->relay;
	bool *drops = cdn_arena_array(p->arena, (size_t)tools->count + 1,
	    sizeof(*drops));
	bool any = false;
	int code = drops == NULL ? cdn_err_nomem(p->err) :
	    see_tools(p, tools, drops);

	/* What is new to us, another guard may have seen before us. */
	if (code == 0 && relay->catalog.grown) {
		if (!relay->save(relay->arg))
			return complain(p, &p->m.id, CDN_RPC_INTERNAL_ERROR,
			    "cordon cannot compare these tools with those that "
			    "were kept");
		code = see_tools(p, tools, drops);
	}
	if (code != 0)
		return code;
	for (size_t i = 0; i < tools->count; i++)
		any |= drops[i];
	return any ? pass_cut(p, tools, drops) : pass_marked(p);
}

/* Keys of the questions in a result that only some clients read. */
static int
find_odd_question(struct passage *p, const char **ret_why)
{
	static const char *const keys[] = { "method", "params", "message",
		"messages", "systemPrompt", NULL };
	const struct cdn_json *json = &p->m.json;
	const struct cdn_json_node *all = cdn_json_find(json, p->m.result,
	    "inputRequests");
	const struct cdn_json_node *one = all == NULL ? NULL :
	    cdn_json_first(json, all);
	const struct cdn_json_node *params;
	int code = 0;

	for (; code == 0 && one != NULL && *ret_why == NULL;
	     one = cdn_json_next(json, one)) {
		code = find_odd_key(p, one, keys, ret_why);
		params = cdn_json_find(json, one, "params");
		if (code == 0 && *ret_why == NULL && params != NULL)
			code = find_odd_key(p, params, keys, ret_why);
	}
	return code;
}

/* The same of an error that asks. */
static int
find_odd_error(struct passage *p, const char **ret_why)
{
	static const char *const keys[] = { "data", "elicitations", "message",
		NULL };
	const struct cdn_json *json = &p->m.json;
	const struct cdn_json_node *error = cdn_json_find(json,
	    &json->nodes[0], "error");
	const struct cdn_json_node *data = error == NULL ? NULL :
	    cdn_json_find(json, error, "data");
	const struct cdn_json_node *list = cdn_rpc_origin_required(json);
	const struct cdn_json_node *one = list == NULL ? NULL :
	    cdn_json_first(json, list);
	int code = error == NULL ? 0 : find_odd_key(p, error, keys, ret_why);

	if (code == 0 && *ret_why == NULL && data != NULL)
		code = find_odd_key(p, data, keys, ret_why);
	for (; code == 0 && one != NULL && *ret_why == NULL;
	     one = cdn_json_next(json, one))
		code = find_odd_key(p, one, keys, ret_why);
	return code;
}

/* The client waits for it: it hears why. */
static int
refuse_answer(struct passage *p, const char *why)
{
	cdn_passage_note(p, "an answer of the server is refused: %s", why);
	return complain(p, &p->m.id, CDN_RPC_INTERNAL_ERROR, why);
}

/* Results whose members the guard reads. */
static bool
is_compared(enum cdn_rpc_method method)
{
	return method == CDN_RPC_TOOLS_LIST || cdn_rpc_is_judged(method);
}

static int
give_answer(struct passage *p)
{
	enum cdn_rpc_method method = CDN_RPC_OTHER;
	const struct cdn_json_node *tools = NULL;
	const char *why = NULL;
	int code;

	/* An error that the server cannot attribute. */
	if (p->m.id.type != CDN_RPC_ID_NULL &&
	    !cdn_pending_take(&p->relay->asked_by_client, &p->m.id, &method))
		return drop(p, "server", "an answer that nobody asked for");
	if (is_compared(method) && p->m.result != NULL) {
		code = find_odd_key(p, p->m.result, result_keys, &why);
		if (code == 0 && why == NULL)
			code = find_odd_question(p, &why);
		if (code != 0 || why != NULL)
			return code != 0 ? code : refuse_answer(p, why);
	}
	if (is_compared(method) && p->m.result == NULL) {
		code = find_odd_error(p, &why);
		if (code != 0 || why != NULL)
			return code != 0 ? code : refuse_answer(p, why);
	}
	if (method == CDN_RPC_TOOLS_LIST)
		tools = cdn_passage_array(p, p->m.result, "tools");
	if (tools != NULL)
		return pass_tools(p, tools);
	return pass_marked(p);
}

static int
give_request(struct passage *p)
{
	/* An answer to it would be one to us. */
	if (p->m.id.type == CDN_RPC_ID_TEXT &&
	    cdn_asks_has(&p->relay->asks, p->m.id.text))
		return drop(p, "server", "its id is one of ours");
	if (cdn_pending_add(&p->relay->asked_by_server, &p->m.id,
		p->m.method) != CDN_PENDING_ADDED)
		return drop(p, "server", "its id is in flight already, or too "
		    "many are");
	return pass_marked(p);
}

static int
give_notification(struct passage *p)
{
	const struct cdn_json_node *id = p->m.method == CDN_RPC_CANCELLED &&
		p->m.params != NULL ?
	    cdn_json_find(&p->m.json, p->m.params, "requestId") : NULL;
	struct cdn_rpc_id request;

	if (id != NULL && cdn_rpc_id_read(&p->m.json, id, p->arena, &request))
		(void)cdn_pending_take(&p->relay->asked_by_server, &request,
		    NULL);
	pass(p->relay->to_client, p);
	return 0;
}

/* Whoever waits for it is told; he would wait for ever. */
static int
give_bad(struct passage *p)
{
	if (!p->m.calls && cdn_pending_take(&p->relay->asked_by_client,
		&p->m.id, NULL)) {
		return refuse_answer(p, p->m.what);
	}
	return drop(p, "server", p->m.what);
}

static int
from_server(struct passage *p)
{
	switch (p->m.kind) {
	case CDN_RPC_REQUEST:
		return give_request(p);
	case CDN_RPC_NOTIFICATION:
		return give_notification(p);
	case CDN_RPC_RESPONSE:
		return give_answer(p);
	case CDN_RPC_BLANK:
		return 0;
	case CDN_RPC_BAD:
	default:
		return give_bad(p);
	}
}

/* ----- Both ------------------------------------------------------------------------ */

int
cdn_passage_read(struct passage *p, bool too_long)
{
	cdn_str text = { p->line.p, p->line.n - (too_long ? 0 : 1) };
	int code;

	if (!too_long) {
		code = cdn_rpc_read(text, p->arena, &p->m, p->err);
		if (code == 0)
			snprintf(p->method, sizeof(p->method), "%.*s",
			    CDN_STR_ARG(p->m.name));
		return code;
	}
	p->m.kind = CDN_RPC_BAD;
	p->m.code = CDN_RPC_INVALID_REQUEST;
	p->m.id = cdn_rpc_salvage(text, &p->m.calls);
	snprintf(p->m.what, sizeof(p->m.what),
	    "a message of more than %lu bytes", CDN_RPC_LINE_MAX);
	return 0;
}

static int
relay(struct cdn_relay *relay, cdn_str line, bool too_long,
    int (*handle)(struct passage *p), struct cordon_error *err)
{
	struct passage p = { .relay = relay, .arena = cdn_arena_new(),
		.line = line, .err = err };
	int code = p.arena == NULL ? cdn_err_nomem(err) :
	    cdn_passage_read(&p, too_long);

	if (code == 0)
		code = handle(&p);
	cdn_arena_free(p.arena);
	if (code == 0 && (relay->to_client->failed || relay->to_server->failed))
		code = cdn_err_nomem(err);
	return code;
}

int
cdn_relay_from_client(struct cdn_relay *r, cdn_str line, bool too_long,
    struct cordon_error *err)
{
	return relay(r, line, too_long, from_client, err);
}

int
cdn_relay_from_server(struct cdn_relay *r, cdn_str line, bool too_long,
    struct cordon_error *err)
{
	return relay(r, line, too_long, from_server, err);
}
