/*
 * outcome - what became of a call, and what one wants meanwhile.
 */
#include "base/question.h"
#include "front/mcp/server.h"

#define PROGRESS_MS 1000 /* between two lines about one call */

/* ----- Results --------------------------------------------------------------- */

/* Cut where it is too long, never inside of a character. */
static void
put_cut(struct cdn_json_writer *w, cdn_str text, struct cdn_buf *scratch)
{
	size_t n = CDN_MCP_RESULT_MAX / 16; /* however it is escaped, it fits */

	while (n > 0 && cdn_utf8_bad((cdn_str){ text.p, n }) < n)
		n--;
	cdn_buf_reset(scratch);
	cdn_buf_add(scratch, text.p, n);
	cdn_buf_printf(scratch, "\n[cordon: %zu more bytes are left out; write "
	    "long output to a file and read that]\n", text.n - n);
	cdn_json_put_string(w, (cdn_str){ scratch->p, scratch->n });
}

/* The same object with its long texts cut.  False when memory ran out. */
static bool
cut_texts(const struct cdn_json *json, const struct cdn_json_node *object,
    struct cdn_arena *arena, struct cdn_buf *out)
{
	const struct cdn_json_node *node = cdn_json_first(json, object);
	struct cdn_json_writer w;
	struct cdn_buf scratch;
	cdn_str key, text;
	bool good = true;

	cdn_buf_init(&scratch, CDN_MCP_RESULT_MAX);
	cdn_json_begin(&w, out);
	cdn_json_open(&w, '{');
	for (; good && node != NULL; node = cdn_json_next(json, node)) {
		good = cdn_json_key(json, node, arena, &key);
		if (!good)
			break;
		cdn_json_put_key(&w, cdn_arena_dup(arena, key.p, key.n));
		if (node->type == CDN_JSON_STRING && node->end - node->start >
			CDN_MCP_RESULT_MAX / 16) {
			good = cdn_json_string(json, node, arena, &text);
			put_cut(&w, good ? text : CDN_STR(""), &scratch);
		} else {
			cdn_json_put_raw(&w, cdn_json_raw(json, node));
		}
	}
	good = good && !cdn_buf_failed(&scratch);
	cdn_buf_done(&scratch);
	if (!good)
		return false;
	cdn_json_close(&w);
	return cdn_json_end(&w) && out->n <= CDN_MCP_RESULT_MAX;
}

/*
 * A line that no client would take: what can be asked for in parts is refused,
 * what was done and cannot be done again is cut.
 */
static void
put_large(const struct mcp_call *call, const struct cdn_json *json,
    const struct cdn_json_node *result, struct cdn_arena *arena,
    struct cdn_buf *line)
{
	struct cdn_buf cut;
	char why[192];

	cdn_buf_init(&cut, CDN_RPC_LINE_MAX);
	if (!call->tool.read_only && cut_texts(json, result, arena, &cut)) {
		mcp_answer_result(&call->to, (cdn_str){ cut.p, cut.n }, line);
	} else {
		snprintf(why, sizeof(why), "the result has more than %lu bytes: "
		    "ask for less at a time", CDN_MCP_RESULT_MAX);
		mcp_answer_refusal(&call->to, why, (cdn_str){ "", 0 }, line);
	}
	cdn_buf_done(&cut);
}

/* ----- Refusals ---------------------------------------------------------------- */

/* In single quotes, for a shell. */
static void
put_quoted(cdn_str text, struct cdn_buf *out)
{
	cdn_buf_putc(out, '\'');
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] == '\'')
			cdn_buf_puts(out, "'\\''");
		else
			cdn_buf_putc(out, text.p[i]);
	cdn_buf_putc(out, '\'');
}

static void
put_refusal(const struct mcp_server *s, const struct mcp_call *call,
    const struct cdn_json *json, const struct cdn_json_node *error,
    struct cdn_arena *arena, struct cdn_buf *line)
{
	const struct cdn_json_node *node = cdn_json_find(json, error,
	    "message");
	cdn_str message = CDN_STR("the tool refused");
	struct cdn_buf text;

	cdn_buf_init(&text, CDN_RPC_LINE_MAX);
	if (node != NULL && node->type == CDN_JSON_STRING)
		(void)!cdn_json_string(json, node, arena, &message);
	cdn_buf_str(&text, message);
	if (call->question == MCP_ASK_NOBODY) {
		cdn_buf_printf(&text, "; this client cannot ask its user: "
		    "somebody who approves can run  %s %s ",
		    s->options->tool_command, call->tool.name);
		put_quoted(call->arguments, &text);
	}
	if (cdn_buf_failed(&text))
		line->failed = true;
	else
		mcp_answer_refusal(&call->to, text.p, cdn_json_raw(json, error),
		    line);
	cdn_buf_done(&text);
}

static void
put_outcome(struct mcp_server *s, const struct mcp_call *call,
    struct cdn_arena *arena, struct cdn_buf *line)
{
	const struct cdn_json_options options = {
		.max_bytes = CDN_TOOL_RESULT_MAX,
		.max_nodes = CDN_TOOL_RESULT_MAX / 8,
		.max_depth = CDN_RPC_DEPTH_MAX,
	};
	const struct cdn_json_node *node;
	struct cordon_error why = { 0 };
	struct cdn_json json;

	if (cdn_json_parse((cdn_str){ call->result.json,
		call->result.json_len }, &options, arena, &json, &why) != 0) {
		mcp_answer_refusal(&call->to, why.text, (cdn_str){ "", 0 },
		    line);
		return;
	}
	node = cdn_json_find(&json, &json.nodes[0], "error");
	if (node != NULL) {
		put_refusal(s, call, &json, node, arena, line);
		return;
	}
	node = cdn_json_find(&json, &json.nodes[0], "result");
	if (node == NULL)
		mcp_answer_refusal(&call->to, "the tool gave no result",
		    (cdn_str){ "", 0 }, line);
	else if (node->end - node->start > CDN_MCP_RESULT_MAX)
		put_large(call, &json, node, arena, line);
	else
		mcp_answer_result(&call->to, cdn_json_raw(&json, node), line);
}

/* ----- Questions ------------------------------------------------------------------ */

static void
put_prompt(const struct mcp_call *call, struct cdn_buf *out)
{
	cdn_buf_printf(out, "cordon: may the tool '%s' do this, once? %s",
	    call->tool.name, call->prompt);
}

static void
put_input_question(struct mcp_server *s, const struct mcp_call *call,
    struct cdn_buf *line)
{
	struct cdn_buf question, state;
	char digest[MCP_DIGEST];

	cdn_buf_init(&question, CDN_RPC_LINE_MAX);
	cdn_buf_init(&state, CDN_RPC_LINE_MAX);
	put_prompt(call, &question);
	mcp_call_digest(cdn_str_of(call->tool.name), call->arguments, digest);
	mcp_state_put(&s->states, digest, call->digest,
	    mcp_now_ms() + CDN_MCP_APPROVAL_MS, &state);
	if (cdn_buf_failed(&question) || cdn_buf_failed(&state))
		line->failed = true;
	else
		mcp_ask_input(&call->to, question.p, state.p, line);
	cdn_buf_done(&question);
	cdn_buf_done(&state);
}

void
mcp_conclude(struct mcp_server *s, struct mcp_call *call)
{
	struct cdn_arena *arena;
	struct cdn_buf line;

	if (call->cancelled)
		return; /* nobody waits for it */
	cdn_buf_init(&line, CDN_RPC_LINE_MAX);
	arena = cdn_arena_new();
	if (arena == NULL)
		line.failed = true;
	else if (call->code != 0)
		mcp_answer_refusal(&call->to, call->error.text,
		    (cdn_str){ "", 0 }, &line);
	else if (call->question == MCP_ASK_INPUT &&
	    call->result.code == CORDON_REFUSAL_APPROVAL)
		put_input_question(s, call, &line);
	else
		put_outcome(s, call, arena, &line);
	cdn_arena_free(arena);
	mcp_send(s, &line);
}

/* ----- Meanwhile -------------------------------------------------------------------- */

static void
ask_user(struct mcp_server *s, struct mcp_call *call)
{
	struct cdn_buf question, line;

	cdn_buf_init(&question, CDN_RPC_LINE_MAX);
	cdn_buf_init(&line, CDN_RPC_LINE_MAX);
	snprintf(call->own_id, sizeof(call->own_id), "cordon-%llu",
	    ++s->questions);
	call->question = MCP_USER_ASKED;
	put_prompt(call, &question);
	if (cdn_buf_failed(&question))
		line.failed = true;
	else
		cdn_question_ask(call->own_id, question.p, &line);
	cdn_buf_done(&question);
	mcp_send(s, &line);
}

static void
tell_progress(struct mcp_server *s, struct mcp_call *call, uint64_t now_ms)
{
	uint64_t seconds = (now_ms - call->begun_ms) / 1000;
	struct cdn_buf line;
	char text[96];

	if (call->token.n == 0 || !call->started ||
	    now_ms - call->told_ms < PROGRESS_MS ||
	    cdn_outlet_is_full(&s->out))
		return;
	call->told_ms = now_ms;
	snprintf(text, sizeof(text), "%s: %llu s, %llu so far",
	    call->tool.name, (unsigned long long)seconds, call->done);
	cdn_buf_init(&line, CDN_RPC_LINE_MAX);
	mcp_tell_progress(call->token, seconds, text, &line);
	mcp_send(s, &line);
}

void
mcp_attend(struct mcp_server *s, uint64_t now_ms)
{
	pthread_mutex_lock(&s->calls.lock);
	for (struct mcp_call *c = s->calls.v; c != NULL; c = c->next) {
		if (c->over || c->cancelled)
			continue;
		if (c->question == MCP_ASK_USER)
			ask_user(s, c);
		tell_progress(s, c, now_ms);
	}
	pthread_mutex_unlock(&s->calls.lock);
}
