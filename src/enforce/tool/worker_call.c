/*
 * worker_call - a tool in the hands of another worker.
 *
 * The document is read as the caller may read it, and the worker gets what both
 * allow: its session has the caller's workers and itself.  What the caller gives
 * along must be the caller's to read, and within what is said about it.
 */
#include "enforce/tool/approve.h"

#include <fcntl.h>
#include <unistd.h>

#include "engine/policy/digest.h"

enum { WORKER, ATTACHMENTS, TOOL, ARGUMENTS };

struct calling {
	struct cdn_tool_call *call;
	struct cordon_worker *worker;
	struct cordon_session_options options;
	const struct cordon_worker **chain;
	struct cordon_session *session;
	struct cordon_tools *tools;
	struct cordon_tool_result answer;
};

/* ----- The worker ------------------------------------------------------------------- */

static int
parse(struct calling *c, const struct cdn_tool_file *file,
    const struct cdn_buf *text)
{
	struct cordon_error why = { 0 };
	const char *source = cdn_arena_dup(c->call->arena, file->real.path,
	    file->real.len);
	int code = source == NULL ? CORDON_E_NOMEM :
	    cdn_worker_parse((cdn_str){ text->p, text->n }, source,
		CDN_WORKER_NOW, NULL, &c->worker, &why);

	if (code == CORDON_E_NOMEM)
		return cdn_tool_nomem(c->call);
	if (code == 0) {
		c->worker->is_file = true;
		return 0;
	}
	return cdn_tool_refuse(c->call, CORDON_REFUSAL_INVALID, "%s:%u: %s",
	    file->real.path, why.line, why.text);
}

static int
load(struct calling *c)
{
	struct cdn_tool_file file;
	struct cdn_buf text;
	int code = cdn_tool_open(c->call, c->call->v[WORKER].text, O_RDONLY,
	    &file);

	if (code != 0)
		return code;
	cdn_buf_init(&text, CDN_DOCUMENT_MAX);
	if (file.is_directory || file.size > CDN_DOCUMENT_MAX)
		code = cdn_tool_refuse(c->call, CORDON_REFUSAL_INVALID,
		    "'%s' is no document of a worker", file.real.path);
	else
		code = cdn_tool_filter(c->call, &file.real, file.size);
	if (code == 0)
		code = cdn_tool_read(c->call, &file, 0, CDN_DOCUMENT_MAX,
		    &text);
	if (code == 0)
		code = parse(c, &file, &text);
	cdn_buf_done(&text);
	close(file.fd);
	return code;
}

/*
 * The caller's workers, and behind them the one that is called.  Without any,
 * the caller is the session, which bounds the worker in the same way.
 */
static int
make_session(struct calling *c)
{
	const struct cordon_tools *caller = c->call->tools;
	struct cordon_error why = { 0 };
	size_t n;
	int code;

	if (caller->options.session_options == NULL)
		return cdn_tool_refuse(c->call, CORDON_REFUSAL_DENIED,
		    "no worker can be called: nobody said how the session was "
		    "made");
	c->options = *caller->options.session_options;
	n = c->options.worker_count;
	c->chain = cdn_arena_array(c->call->arena, n + 1,
	    sizeof(*c->chain)); /* NOLINT(bugprone-sizeof-expression): of pointers */
	if (c->chain == NULL)
		return cdn_tool_nomem(c->call);
	for (size_t i = 0; i < n; i++)
		c->chain[i] = c->options.workers[i];
	c->chain[n] = c->worker;
	c->options.workers = c->chain;
	c->options.called |= n == 0;
	c->options.worker_count = n + 1;
	code = cdn_session_new(&c->options, NULL, &c->session, &why);
	if (code == CORDON_E_NOMEM)
		return cdn_tool_nomem(c->call);
	if (code != 0)
		return cdn_tool_refuse(c->call, CORDON_REFUSAL_INVALID, "%s",
		    why.text);
	return cdn_tool_same_session(caller->options.session, c->session) ?
	    0 : cdn_tool_refuse(c->call, CORDON_REFUSAL_DENIED,
	    "no worker can be called: a document of the policy was changed, "
	    "or the workspace replaced (start a new session)");
}

/* ----- What it gets along --------------------------------------------------------------- */

struct allowance {
	uint64_t count, bytes;
};

static void
narrow(uint64_t *most, const struct cdn_worker_number *by)
{
	if (by->given && by->value < *most)
		*most = by->value;
}

static struct allowance
allowance_of(const struct calling *c)
{
	struct allowance most = { UINT64_MAX, UINT64_MAX };

	for (size_t i = 0; i < c->options.worker_count; i++) {
		narrow(&most.count, &c->chain[i]->max_count);
		narrow(&most.bytes, &c->chain[i]->max_total_bytes);
	}
	return most;
}

static int
put_attachment(struct cdn_tool_call *call, const struct cdn_tool_file *file)
{
	struct cdn_json_writer *w = call->result;
	char digest[CDN_DIGEST_SIZE];
	struct cdn_buf bytes;
	int code;

	cdn_buf_init(&bytes, CDN_TOOL_TEXT_MAX);
	code = cdn_tool_read(call, file, 0, CDN_TOOL_TEXT_MAX, &bytes);
	cdn_digest((cdn_str){ bytes.p, bytes.n }, digest);
	cdn_json_open(w, '{');
	cdn_json_put_key(w, "path");
	cdn_json_put_string(w, cdn_tool_shown(call, &file->real));
	cdn_json_put_key(w, "size");
	cdn_json_put_uint(w, bytes.n);
	cdn_json_put_key(w, "sha256");
	cdn_json_put_cstring(w, digest);
	cdn_json_close(w);
	cdn_buf_done(&bytes);
	return code;
}

static int
attach(struct cdn_tool_call *call, cdn_str raw, const struct allowance *most,
    uint64_t *total)
{
	struct cdn_tool_file file;
	int code = cdn_tool_open(call, raw, O_RDONLY, &file);

	if (code != 0)
		return code;
	if (file.is_directory)
		code = cdn_tool_refuse(call, CORDON_REFUSAL_INVALID,
		    "'%s' is a directory", file.real.path);
	else
		code = cdn_tool_filter(call, &file.real, file.size);
	if (code == 0 && file.size > CDN_TOOL_TEXT_MAX)
		code = cdn_tool_refuse(call, CORDON_REFUSAL_SIZE,
		    "'%s' has more than %ld bytes", file.real.path,
		    CDN_TOOL_TEXT_MAX);
	if (code == 0 && file.size > most->bytes - *total)
		code = cdn_tool_refuse(call, CORDON_REFUSAL_MAX_TOTAL_BYTES,
		    "the attachments have more than %llu bytes in all",
		    (unsigned long long)most->bytes);
	*total += file.size;
	if (code == 0)
		code = put_attachment(call, &file);
	close(file.fd);
	return code;
}

static int
attach_all(struct calling *c)
{
	const struct cdn_tool_value *list = &c->call->v[ATTACHMENTS];
	struct allowance most = allowance_of(c);
	uint64_t total = 0;
	int code = 0;

	if (list->count > most.count)
		return cdn_tool_refuse(c->call, CORDON_REFUSAL_MAX_COUNT,
		    "%zu attachments, and %llu are allowed", list->count,
		    (unsigned long long)most.count);
	cdn_json_put_key(c->call->result, "attachments");
	cdn_json_open(c->call->result, '[');
	for (size_t i = 0; i < list->count && code == 0; i++)
		code = attach(c->call, list->list[i], &most, &total);
	if (code == 0)
		cdn_json_close(c->call->result);
	return code;
}

/* ----- The call --------------------------------------------------------------------------- */

static int
call_tool(struct calling *c)
{
	struct cordon_tools_options options = c->call->tools->options;
	struct cordon_tool_call asked = *c->call->asked;
	cdn_str name = c->call->v[TOOL].text;
	cdn_str arguments = c->call->v[ARGUMENTS].given ?
	    c->call->v[ARGUMENTS].text : CDN_STR("{}");
	int code;

	options.session = c->session;
	options.session_options = &c->options;
	asked.name = cdn_arena_dup(c->call->arena, name.p, name.n);
	asked.arguments = arguments.p;
	asked.arguments_len = arguments.n;
	if (asked.name == NULL)
		return cdn_tool_nomem(c->call);
	code = cdn_tools_new_below(c->call->tools, &options, &c->tools,
	    &c->call->broken);
	if (code == 0)
		code = cdn_tools_call(c->tools, &asked, &c->answer,
		    &c->call->broken);
	return code;
}

static int
put(struct calling *c)
{
	struct cdn_json_writer *w = c->call->result;
	int code;

	cdn_json_put_key(w, "worker");
	cdn_json_put_string(w, c->worker->name);
	code = attach_all(c);
	if (code == 0 && c->call->v[TOOL].given)
		code = call_tool(c);
	if (code != 0)
		return code;
	cdn_json_put_key(w, "answer");
	if (c->answer.json != NULL)
		cdn_json_put_raw(w, (cdn_str){ c->answer.json,
		    c->answer.json_len });
	else
		cdn_json_put_null(w);
	return 0;
}

int
cdn_tool_worker_call(struct cdn_tool_call *call)
{
	struct calling c = { .call = call };
	int code = load(&c);

	if (code == 0)
		code = make_session(&c);
	if (code == 0)
		code = put(&c);
	free(c.answer.json);
	cdn_tools_free(c.tools);
	cdn_session_free(c.session);
	cdn_worker_free(c.worker);
	return code;
}
