/*
 * requests - what a client can say.
 */
#include "base/question.h"
#include "front/mcp/page.h"
#include "front/mcp/server.h"

/* The newest first.  What we do not know is answered with the newest. */
static const char *const legacy_versions[] = { "2025-11-25", "2025-06-18",
	"2025-03-26", "2024-11-05" };
#define MODERN_VERSION "2026-07-28"
#define VERSIONS_JSON  "[\"" MODERN_VERSION "\"]"

#define LIST_TTL_MS 3600000 /* the tools of one program do not change */

static const char instructions[] =
    "Files and commands of one workspace, inside a boundary that its owner "
    "wrote down. A refusal names the rule and what would do instead: do not "
    "look for a way around it.";

static const cdn_str nothing = { "", 0 };

static void
refuse_as(struct mcp_server *s, const struct mcp_address *to, int code,
    const char *text, cdn_str data)
{
	struct cdn_buf line;

	cdn_buf_init(&line, CDN_RPC_LINE_MAX);
	mcp_answer_error(to, code, text, data, &line);
	mcp_send(s, &line);
}

static void
refuse(struct mcp_server *s, const struct mcp_address *to, int code,
    const char *text)
{
	refuse_as(s, to, code, text, nothing);
}

/* A result, of which the members follow. */
static void
begin(struct mcp_answer *answer, const struct mcp_address *to,
    struct cdn_buf *line)
{
	cdn_buf_init(line, CDN_RPC_LINE_MAX);
	mcp_answer_begin(answer, to, "complete", line);
}

static void
finish(struct mcp_server *s, struct mcp_answer *answer)
{
	mcp_answer_end(answer, nothing);
	mcp_send(s, answer->w.buf);
}

/* ----- What the server is --------------------------------------------------- */

static void
put_capabilities(struct cdn_json_writer *w)
{
	cdn_json_put_key(w, "capabilities");
	cdn_json_put_raw(w, CDN_STR("{\"tools\":{}}"));
}

static const char *
choose_version(const struct mcp_message *m)
{
	const struct cdn_json_node *asked = mcp_member(m, m->params,
	    "protocolVersion");

	for (size_t i = 0; asked != NULL && i < CDN_LEN(legacy_versions); i++)
		if (cdn_json_is(&m->json, asked, cdn_str_of(legacy_versions[i])))
			return legacy_versions[i];
	return legacy_versions[0];
}

static void
initialize(struct mcp_server *s, const struct mcp_message *m,
    const struct mcp_address *to, struct cdn_arena *arena)
{
	struct mcp_answer answer;
	struct cdn_buf line;

	(void)arena;
	s->legacy = true;
	s->elicits = mcp_elicits(m, mcp_member(m, m->params, "capabilities"));
	begin(&answer, to, &line);
	cdn_json_put_member(&answer.w, "protocolVersion", choose_version(m));
	put_capabilities(&answer.w);
	cdn_json_put_key(&answer.w, "serverInfo");
	cdn_json_open(&answer.w, '{');
	cdn_json_put_member(&answer.w, "name", "cordon");
	cdn_json_put_member(&answer.w, "version", cordon_version());
	cdn_json_close(&answer.w);
	cdn_json_put_member(&answer.w, "instructions", instructions);
	finish(s, &answer);
}

/* What a client may keep: it is the same for everybody. */
static void
put_cache(struct mcp_answer *answer)
{
	if (!answer->modern)
		return;
	cdn_json_put_key(&answer->w, "ttlMs");
	cdn_json_put_uint(&answer->w, LIST_TTL_MS);
	cdn_json_put_member(&answer->w, "cacheScope", "public");
}

static void
discover(struct mcp_server *s, const struct mcp_message *m,
    const struct mcp_address *to, struct cdn_arena *arena)
{
	struct mcp_answer answer;
	struct cdn_buf line;

	(void)m;
	(void)arena;
	begin(&answer, to, &line);
	cdn_json_put_key(&answer.w, "supportedVersions");
	cdn_json_put_raw(&answer.w, CDN_STR(VERSIONS_JSON));
	put_capabilities(&answer.w);
	cdn_json_put_member(&answer.w, "instructions", instructions);
	put_cache(&answer);
	finish(s, &answer);
}

static void
ping(struct mcp_server *s, const struct mcp_message *m,
    const struct mcp_address *to, struct cdn_arena *arena)
{
	struct mcp_answer answer;
	struct cdn_buf line;

	(void)m;
	(void)arena;
	begin(&answer, to, &line);
	finish(s, &answer);
}

/* ----- Tools ------------------------------------------------------------------ */

static void
list_tools(struct mcp_server *s, const struct mcp_message *m,
    const struct mcp_address *to, struct cdn_arena *arena)
{
	struct mcp_answer answer;
	struct cdn_buf line;

	(void)arena;
	if (mcp_member(m, m->params, "cursor") != NULL) {
		refuse(s, to, MCP_INVALID_PARAMS,
		    "no such cursor: all tools are on one page");
		return;
	}
	begin(&answer, to, &line);
	cdn_json_put_key(&answer.w, "tools");
	cdn_json_put_raw(&answer.w,
	    (cdn_str){ s->catalog.list.p, s->catalog.list.n });
	put_cache(&answer);
	finish(s, &answer);
}

/* The answer to a question of ours that came with the call; false: refused. */
static bool
read_answer(struct mcp_server *s, const struct mcp_message *m,
    struct mcp_call *call)
{
	const struct cdn_json_node *state = mcp_member(m, m->params,
	    "requestState");
	const struct cdn_json_node *answer = mcp_member(m, mcp_member(m,
	    m->params, "inputResponses"), MCP_APPROVAL);
	const struct cdn_json_node *action = mcp_member(m, answer, "action");
	char digest[MCP_DIGEST];
	enum mcp_state found;
	cdn_str text;

	if (!call->to.modern || state == NULL)
		return true;
	if (action == NULL || action->type != CDN_JSON_STRING ||
	    !cdn_json_string(&m->json, state, call->arena, &text)) {
		refuse(s, &call->to, MCP_INVALID_PARAMS, "requestState without "
		    "an answer in inputResponses.approval");
		return false;
	}
	mcp_call_digest(cdn_str_of(call->tool.name), call->arguments, digest);
	found = mcp_state_take(&s->states, text, digest, mcp_now_ms(),
	    call->answered_digest);
	if (found != MCP_STATE_GOOD) {
		refuse(s, &call->to, MCP_INVALID_PARAMS,
		    found == MCP_STATE_FORGED ?
			"Invalid requestState: it is not of this call" :
			"Invalid requestState: it was used before, or too long "
			"ago (call again without it)");
		return false;
	}
	call->answered = true;
	call->accepted = cdn_question_is_yes(&m->json, answer);
	return true;
}

/* The members of a call, in an arena of its own; NULL: memory ran out. */
static struct mcp_call *
make_call(const struct mcp_server *s, const struct mcp_message *m,
    const struct mcp_address *to, const struct cordon_tool_info *tool,
    const struct cdn_json_node *given)
{
	const struct cdn_json_node *token = mcp_member(m, m->meta,
	    "progressToken");
	struct cdn_arena *arena = cdn_arena_new();
	struct mcp_call *call = arena == NULL ? NULL :
	    cdn_arena_alloc(arena, sizeof(*call));

	if (call == NULL) {
		cdn_arena_free(arena);
		return NULL;
	}
	*call = (struct mcp_call){ .arena = arena, .tool = *tool,
		.to.modern = to->modern,
		.elicits = to->modern ? mcp_elicits(m, mcp_member(m, m->meta,
			MCP_META("clientCapabilities"))) : s->elicits };
	if (!cdn_arena_str(arena, to->id, &call->to.id) ||
	    !cdn_arena_str(arena, m->key, &call->key) ||
	    !mcp_page_arguments(tool->name, m, given, arena,
		&call->arguments) ||
	    (token != NULL && !cdn_arena_str(arena,
		cdn_json_raw(&m->json, token), &call->token))) {
		cdn_arena_free(arena);
		return NULL;
	}
	return call;
}

static void
start_call(struct mcp_server *s, const struct mcp_message *m,
    struct mcp_call *call)
{
	const struct mcp_address to = { .id = m->id,
		.modern = call->to.modern };
	struct cordon_error err = { 0 };

	if (!read_answer(s, m, call))
		mcp_call_free(call);
	else if (mcp_call_add(&s->calls, call, &err) != 0)
		refuse(s, &to, MCP_INTERNAL_ERROR, err.text);
}

static void
call_tool(struct mcp_server *s, const struct mcp_message *m,
    const struct mcp_address *to, struct cdn_arena *arena)
{
	const struct cdn_json_node *name = mcp_member(m, m->params, "name");
	const struct cdn_json_node *given = mcp_member(m, m->params,
	    "arguments");
	struct cordon_tool_info tool;
	struct mcp_call *call;
	char why[192];
	cdn_str text = nothing;

	if (name == NULL || !cdn_json_string(&m->json, name, arena, &text)) {
		refuse(s, to, MCP_INVALID_PARAMS, "'tools/call' needs a name");
		return;
	}
	if (!mcp_catalog_find(text, &tool)) {
		snprintf(why, sizeof(why), "Unknown tool: %.*s",
		    text.n > 64 ? 64 : (int)text.n, text.p);
		refuse(s, to, MCP_INVALID_PARAMS, why);
		return;
	}
	if (given != NULL && given->type != CDN_JSON_OBJECT) {
		refuse(s, to, MCP_INVALID_PARAMS, "arguments is not an object");
		return;
	}
	call = make_call(s, m, to, &tool, given);
	if (call == NULL)
		refuse(s, to, MCP_INTERNAL_ERROR, "out of memory");
	else
		start_call(s, m, call);
}

/* ----- Which of them ---------------------------------------------------------- */

enum { LEGACY = 1, MODERN = 2 };

/* clang-format off */
static const struct method {
	const char *name;
	unsigned eras;
	void (*handle)(struct mcp_server *s, const struct mcp_message *m,
	    const struct mcp_address *to, struct cdn_arena *arena);
} methods[] = {
	{ "initialize",		LEGACY,			initialize },
	{ "ping",		LEGACY,			ping },
	{ "server/discover",	MODERN,			discover },
	{ "tools/list",		LEGACY | MODERN,	list_tools },
	{ "tools/call",		LEGACY | MODERN,	call_tool },
};
/* clang-format on */

static const struct method *
find_method(cdn_str name)
{
	for (size_t i = 0; i < CDN_LEN(methods); i++)
		if (cdn_str_is(name, methods[i].name))
			return &methods[i];
	return NULL;
}

/*
 * By its own word; one that names no version is of the older era when that was
 * opened, or when only that one has the method.
 */
static bool
is_modern(const struct mcp_server *s, const struct mcp_message *m,
    const struct method *method)
{
	return mcp_version(m) != NULL ||
	    (!s->legacy && (method == NULL || method->eras != LEGACY));
}

static void
refuse_version(struct mcp_server *s, const struct mcp_message *m,
    const struct mcp_address *to)
{
	cdn_str asked = cdn_json_raw(&m->json, mcp_version(m));
	struct cdn_buf data;

	cdn_buf_init(&data, CDN_RPC_LINE_MAX);
	cdn_buf_puts(&data, "{\"supported\":" VERSIONS_JSON ",\"requested\":");
	cdn_buf_str(&data, asked);
	cdn_buf_putc(&data, '}');
	refuse_as(s, to, MCP_WRONG_VERSION, "Unsupported protocol version",
	    cdn_buf_failed(&data) ? nothing : (cdn_str){ data.p, data.n });
	cdn_buf_done(&data);
}

/* What each request of the newer era has; false: it was refused. */
static bool
check_meta(struct mcp_server *s, const struct mcp_message *m,
    const struct mcp_address *to)
{
	const struct cdn_json_node *version = mcp_version(m);
	const struct cdn_json_node *can = mcp_member(m, m->meta,
	    MCP_META("clientCapabilities"));

	if (version == NULL || version->type != CDN_JSON_STRING)
		refuse(s, to, MCP_INVALID_PARAMS, "Missing required _meta "
		    "field " MCP_META("protocolVersion"));
	else if (!cdn_json_is(&m->json, version, CDN_STR(MODERN_VERSION)))
		refuse_version(s, m, to);
	else if (can == NULL || can->type != CDN_JSON_OBJECT)
		refuse(s, to, MCP_INVALID_PARAMS, "Missing required _meta "
		    "field " MCP_META("clientCapabilities"));
	else
		return true;
	return false;
}

static void
handle_request(struct mcp_server *s, const struct mcp_message *m,
    struct cdn_arena *arena)
{
	const struct method *method = find_method(m->method);
	const struct mcp_address to = { .id = m->id,
		.modern = is_modern(s, m, method) };
	const struct mcp_address nobody = { .id = nothing };
	char why[192];

	/* An answer on that id would be taken for that of the first. */
	if (mcp_call_find(&s->calls, m->key) != NULL) {
		refuse(s, &nobody, MCP_INVALID_REQUEST,
		    "this id is in flight already");
		return;
	}
	if (to.modern && !check_meta(s, m, &to))
		return;
	if (method != NULL && (method->eras & (to.modern ? MODERN : LEGACY)) !=
		0) {
		method->handle(s, m, &to, arena);
		return;
	}
	snprintf(why, sizeof(why), "Method not found: %.*s",
	    m->method.n > 64 ? 64 : (int)m->method.n, m->method.p);
	refuse(s, &to, MCP_NO_METHOD, why);
}

/* ----- The rest ----------------------------------------------------------------- */

static void
handle_notification(struct mcp_server *s, const struct mcp_message *m,
    struct cdn_arena *arena)
{
	const struct cdn_json_node *id = mcp_member(m, m->params, "requestId");
	struct mcp_call *call = NULL;
	struct cdn_buf line;
	cdn_str key;

	if (!cdn_str_is(m->method, "notifications/cancelled") || id == NULL)
		return;
	if (mcp_id_key(m, id, arena, &key))
		call = mcp_call_find(&s->calls, key);
	if (call == NULL)
		return;
	mcp_call_cancel(call);
	if (call->own_id[0] == '\0')
		return;
	cdn_buf_init(&line, CDN_RPC_LINE_MAX);
	cdn_question_withdraw(call->own_id, &line);
	mcp_send(s, &line);
}

/* What somebody said to a question of ours. */
static void
handle_response(struct mcp_server *s, const struct mcp_message *m)
{
	struct mcp_call *call = s->calls.v;

	pthread_mutex_lock(&s->calls.lock);
	while (call != NULL && (call->question != MCP_USER_ASKED ||
		!cdn_str_is(cdn_str_from(m->key, 1), call->own_id)))
		call = call->next;
	if (call != NULL) {
		call->accepted = cdn_question_is_yes(&m->json, m->result);
		call->question = MCP_USER_ANSWERED;
		call->own_id[0] = '\0';
		pthread_cond_broadcast(&call->told);
	}
	pthread_mutex_unlock(&s->calls.lock);
}

void
mcp_handle(struct mcp_server *s, const struct mcp_message *m,
    struct cdn_arena *arena)
{
	const struct mcp_address to = { .id = m->id };

	switch (m->kind) {
	case MCP_REQUEST:
		handle_request(s, m, arena);
		break;
	case MCP_NOTIFICATION:
		handle_notification(s, m, arena);
		break;
	case MCP_RESPONSE:
		handle_response(s, m);
		break;
	case MCP_BAD:
		refuse(s, &to, m->code, m->what);
		break;
	case MCP_BLANK:
	default:
		break;
	}
}
