#include "enforce/tool/approve.h"

#include <time.h>

#include "engine/policy/digest.h"

#define EXPIRES_MS 120000 /* unless the caller says otherwise */
#define WINDOW_MS  60000  /* in which CDN_APPROVALS_MAX may be asked */

static int64_t
now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ----- Not too often ---------------------------------------------------------------- */

int
cdn_tool_limit_init(struct cdn_tool_limit *limit, struct cordon_error *err)
{
	int code = pthread_mutex_init(&limit->lock, NULL);

	return code == 0 ? 0 : cdn_err_sys(err, code, "cannot make a lock");
}

void
cdn_tool_limit_done(struct cdn_tool_limit *limit)
{
	pthread_mutex_destroy(&limit->lock);
}

/* Whoever is asked all the time says yes one day without looking. */
static bool
may_ask(struct cdn_tool_limit *limit)
{
	int64_t now = now_ms();
	int64_t *oldest;
	bool may;

	pthread_mutex_lock(&limit->lock);
	oldest = &limit->asked_ms[limit->next];
	may = *oldest == 0 || now - *oldest >= WINDOW_MS;
	if (may) {
		*oldest = now;
		limit->next = (limit->next + 1) % CDN_APPROVALS_MAX;
	}
	pthread_mutex_unlock(&limit->lock);
	return may;
}

/* ----- What the answer is for ---------------------------------------------------------- */

static void
add_text(struct cdn_buf *out, const char *text)
{
	if (text != NULL)
		cdn_buf_add(out, text, strlen(text) + 1);
	else
		cdn_buf_putc(out, '\0');
}

/* Parts end in NUL, which none of them can hold, so no two give one text. */
static int
make_digest(struct cdn_tool_call *call, const struct cdn_tool_ask *ask,
    cdn_str grants, char ret[CDN_DIGEST_SIZE])
{
	struct cdn_buf all;
	int code = 0;

	cdn_buf_init(&all, CDN_TOOL_RESULT_MAX);
	add_text(&all, call->tool->info.name);
	for (size_t i = 0; ask->argv != NULL && ask->argv[i] != NULL; i++)
		add_text(&all, ask->argv[i]);
	cdn_buf_putc(&all, '\0');
	add_text(&all, ask->cwd);
	cdn_buf_str(&all, grants);
	cdn_buf_putc(&all, '\0');
	cdn_buf_str(&all, ask->arguments);
	if (cdn_buf_failed(&all))
		code = cdn_tool_nomem(call);
	else
		cdn_digest((cdn_str){ all.p, all.n }, ret);
	cdn_buf_done(&all);
	return code;
}

/* ----- Asking ----------------------------------------------------------------------------- */

struct question {
	struct cdn_tool_call *call;
	const struct cdn_tool_ask *ask;
	cdn_str grants; /* as JSON */
	const char *kept; /* the prompt without secrets */
	char digest[CDN_DIGEST_SIZE];
};

static int
tell(const struct question *q, enum cdn_event_kind kind, const char *why)
{
	const struct cdn_event_field fields[] = {
		cdn_field_text("tool", q->call->tool->info.name),
		cdn_field_text("prompt", q->kept),
		cdn_field_text("digest", q->digest),
		cdn_field_text("cwd", q->ask->cwd),
		cdn_field_json("grants", q->grants),
		cdn_field_text("reason", why),
	};

	return cdn_tool_event(q->call, kind, fields, CDN_LEN(fields));
}

static int
refuse(const struct question *q, enum cdn_event_kind kind, const char *why)
{
	int code = tell(q, kind, why);

	if (code != 0)
		return code;
	q->call->kept = cdn_arena_printf(q->call->arena, "%s: %s", why,
	    q->kept);
	if (q->call->kept == NULL)
		return cdn_tool_nomem(q->call);
	return cdn_tool_refuse(q->call, CORDON_REFUSAL_APPROVAL, "%s: %s", why,
	    q->ask->prompt);
}

static int
ask_somebody(const struct question *q)
{
	const struct cordon_tools_options *o = &q->call->tools->options;
	unsigned long long expires = o->approve_ms != 0 ? o->approve_ms :
							  EXPIRES_MS;
	struct cordon_approval approval = {
		.tool = q->call->tool->info.name,
		.prompt = q->ask->prompt,
		.digest = q->digest,
		.argv = q->ask->argv,
		.cwd = q->ask->cwd,
		.grants = q->ask->grants,
		.expires_ms = expires,
	};
	int64_t began = now_ms();
	enum cordon_answer answer = o->approve(&approval, o->approve_arg);

	if (answer == CORDON_ANSWER_NOBODY)
		return refuse(q, CDN_EVENT_GRANT_DENIED,
		    "it needs approval, and nobody can be asked");
	if (answer != CORDON_ANSWER_YES)
		return refuse(q, CDN_EVENT_GRANT_DENIED, "it was not approved");
	if ((unsigned long long)(now_ms() - began) > expires)
		return refuse(q, CDN_EVENT_GRANT_EXPIRED,
		    "the approval came too late");
	return tell(q, CDN_EVENT_GRANT_APPROVED, NULL);
}

/* As argv is kept: whoever reads the audit learns no password from it. */
static int
make_kept(struct question *q)
{
	struct cdn_arena *arena = q->call->arena;
	const char *const *words = cdn_record_words(arena,
	    q->ask->kept != NULL ? q->ask->kept : q->ask->argv);
	struct cdn_buf out;

	if (words == NULL)
		return cdn_tool_nomem(q->call);
	cdn_buf_init(&out, CDN_TOOL_RESULT_MAX);
	cdn_tool_prompt(words, q->ask->grants, &out);
	if (!cdn_buf_failed(&out))
		q->kept = cdn_arena_dup(arena, out.p, out.n);
	cdn_buf_done(&out);
	return q->kept != NULL ? 0 : cdn_tool_nomem(q->call);
}

static int
ask(struct question *q)
{
	int code = make_digest(q->call, q->ask, q->grants, q->digest);

	if (code == 0)
		code = make_kept(q);
	if (code == 0)
		code = tell(q, CDN_EVENT_GRANT_REQUESTED, NULL);
	if (code != 0)
		return code;
	if (q->call->tools->options.approve == NULL)
		return refuse(q, CDN_EVENT_GRANT_DENIED,
		    "it needs approval, and nobody can be asked");
	if (strlen(q->ask->prompt) > CDN_APPROVAL_PROMPT_MAX)
		return refuse(q, CDN_EVENT_GRANT_DENIED,
		    "it needs approval, and is too long to be shown");
	if (!may_ask(q->call->tools->limit))
		return refuse(q, CDN_EVENT_GRANT_DENIED,
		    "too many approvals were asked for (wait a minute)");
	return ask_somebody(q);
}

int
cdn_tool_approve(struct cdn_tool_call *call, const struct cdn_tool_ask *what)
{
	struct question q = { .call = call, .ask = what };
	struct cdn_json_writer w;
	struct cdn_buf grants;
	int code;

	cdn_buf_init(&grants, CDN_TOOL_RESULT_MAX);
	cdn_json_begin(&w, &grants);
	cdn_tool_put_grants(&w, what->grants);
	if (cdn_json_end(&w)) {
		q.grants = (cdn_str){ grants.p, grants.n };
		code = ask(&q);
	} else {
		code = cdn_tool_nomem(call);
	}
	cdn_buf_done(&grants);
	return code;
}

/* ----- Tools for files ----------------------------------------------------------------------- */

/* Nobody is asked about what the policy refuses in any case. */
static int
judge_first(struct cdn_tool_call *call)
{
	const struct cordon_tool_info *info = &call->tool->info;
	enum cordon_op op = info->destructive && !info->open_world ?
	    CORDON_MODIFY : CORDON_READ;
	struct cdn_real real;

	for (size_t i = 0; call->tool->takes[i].name != NULL; i++)
		if (call->tool->takes[i].type == CDN_TOOL_PATH &&
		    call->v[i].given)
			return cdn_tool_result_of(call,
			    cdn_gate_enforce(&call->tools->policy,
				call->tools->policy.base, op, call->v[i].text,
				&real, &call->refused, &call->err));
	return 0;
}

#define SHOWN_MAX 64 /* bytes of a text that is no path */

/* NULL: out of memory. */
static const char *
word_of(struct cdn_tool_call *call, const struct cdn_tool_field *field,
    const struct cdn_tool_value *v, size_t most)
{
	switch (field->type) {
	case CDN_TOOL_BOOL:
		return cdn_arena_printf(call->arena, "%s=%s", field->name,
		    v->flag ? "true" : "false");
	case CDN_TOOL_NUMBER:
		return cdn_arena_printf(call->arena, "%s=%lld", field->name,
		    (long long)v->number);
	case CDN_TOOL_TEXT:
		if (v->text.n > most)
			return cdn_arena_printf(call->arena, "%s=(%zu bytes)",
			    field->name, v->text.n);
		break;
	default: /* what it is about: in full, or nobody is asked */
		break;
	}
	return cdn_arena_printf(call->arena, "%s=%.*s", field->name,
	    CDN_STR_ARG(v->text));
}

static bool
add_words(struct cdn_tool_call *call, size_t i, size_t shown,
    const char **words, size_t *n)
{
	const struct cdn_tool_field *field = &call->tool->takes[i];
	const struct cdn_tool_value *v = &call->v[i];
	struct cdn_tool_value one = *v;
	bool list = field->type == CDN_TOOL_PATHS;

	for (size_t k = 0; k < (list ? v->count : 1); k++) {
		if (list)
			one.text = v->list[k];
		words[*n] = word_of(call, field, &one, shown);
		if (words[(*n)++] == NULL)
			return false;
	}
	return true;
}

/*
 * "write_text path=notes.md content=(120 bytes)", ends with NULL.  shown: bytes
 * of a text that are.
 */
static int
words_of(struct cdn_tool_call *call, size_t shown, const char ***ret)
{
	const struct cdn_tool_field *takes = call->tool->takes;
	size_t most = CDN_TOOL_ARGUMENTS_MAX + 2, n = 0;
	const char **words;

	for (size_t i = 0; takes[i].name != NULL; i++)
		most += call->v[i].count;
	words = cdn_arena_array(call->arena, most, sizeof(*words));
	if (words == NULL)
		return cdn_tool_nomem(call);
	words[n++] = call->tool->info.name;
	for (size_t i = 0; takes[i].name != NULL; i++)
		if (call->v[i].given && !add_words(call, i, shown, words, &n))
			return cdn_tool_nomem(call);
	words[n] = NULL;
	*ret = words;
	return 0;
}

static bool
is_wanted(const struct cdn_tool_call *call)
{
	for (size_t i = 0;; i++) {
		const struct cordon_worker *worker =
		    cdn_tool_worker(call->tools, i);

		if (worker == NULL)
			return false;
		if (cdn_tool_rule(worker, call->tool->info.name) ==
		    CDN_SAID_YES)
			return true;
	}
}

int
cdn_tool_approve_files(struct cdn_tool_call *call)
{
	static const struct cordon_grants none = { 0 };
	const char **words = NULL, **kept = NULL;
	struct cdn_tool_ask what = { .grants = &none,
		.arguments = { call->asked->arguments,
		    call->asked->arguments_len } };
	struct cdn_buf prompt;
	int code;

	if (!is_wanted(call))
		return 0;
	code = judge_first(call);
	if (code == 0)
		code = words_of(call, SHOWN_MAX, &words);
	if (code == 0) /* what a file says is no business of the audit */
		code = words_of(call, 0, &kept);
	if (code != 0)
		return code;
	what.kept = kept;
	cdn_buf_init(&prompt, CDN_TOOL_RESULT_MAX);
	cdn_tool_prompt(words, &none, &prompt);
	what.prompt = prompt.p;
	if (cdn_buf_failed(&prompt))
		code = cdn_tool_nomem(call);
	else if (call->asked->dry_run)
		call->decision = CORDON_ASK;
	else
		code = cdn_tool_approve(call, &what);
	cdn_buf_done(&prompt);
	return code;
}
