/*
 * rules - what the workers say about a command.
 *
 * Of workers that call each other all must agree: the strictest word counts,
 * and a command gets only what each of them grants to it.
 */
#include "enforce/tool/command.h"

const struct cordon_worker *
cdn_tool_worker(const struct cordon_tools *tools, size_t i)
{
	const struct cordon_session *session = tools->options.session;

	return i < session->worker_count ? session->workers[i].worker : NULL;
}

enum cdn_said
cdn_tool_rule(const struct cordon_worker *worker, const char *tool)
{
	for (size_t i = 0; i < worker->tool_count; i++)
		if (cdn_str_is(worker->tools[i].name, tool))
			return worker->tools[i].approval_required;
	return CDN_UNSAID;
}

/* ----- One worker ---------------------------------------------------------------------- */

struct word {
	enum cordon_decision decision;
	const struct cdn_worker_rule *rule; /* or NULL */
};

static const struct cdn_worker_rule *
find_rule(const struct cordon_worker *worker, const struct cdn_shell *shell)
{
	for (size_t i = 0; i < worker->rule_count; i++)
		if (cdn_shell_rule_find(&worker->rules[i].built, 1, shell) !=
		    CDN_SHELL_NO_RULE)
			return &worker->rules[i];
	return NULL;
}

static enum cordon_decision
asks(enum cdn_said approval_required, enum cordon_decision unsaid)
{
	if (approval_required == CDN_UNSAID)
		return unsaid;
	return approval_required == CDN_SAID_YES ? CORDON_ASK : CORDON_ALLOW;
}

static struct word
hear(const struct cordon_worker *worker, const struct cdn_shell *shell)
{
	const struct cdn_worker_rule *rule;

	if (!worker->has_rules)
		return (struct word){
			asks(cdn_tool_rule(worker, "shell"), CORDON_ALLOW),
			NULL };
	rule = find_rule(worker, shell);
	if (rule != NULL)
		return (struct word){ rule->built.approval_required ?
			CORDON_ASK : CORDON_ALLOW, rule };
	return (struct word){ asks(worker->default_approval, CORDON_DENY),
		NULL };
}

/* ----- All of them ----------------------------------------------------------------------- */

static bool
has_text(const struct cdn_worker_texts *texts, const char *text)
{
	for (size_t i = 0; i < texts->n; i++)
		if (cdn_str_is(texts->v[i], text))
			return true;
	return false;
}

static void
keep(const char **list, size_t *n, const struct cdn_worker_texts *texts)
{
	size_t left = 0;

	for (size_t i = 0; i < *n; i++)
		if (has_text(texts, list[i]))
			list[left++] = list[i];
	*n = left;
}

/* NULL: out of memory. */
static const char **
list_of(struct cdn_arena *arena, const struct cdn_worker_texts *texts)
{
	const char **list = cdn_arena_array(arena, texts->n + 1,
	    sizeof(*list));

	for (size_t i = 0; list != NULL && i < texts->n; i++)
		list[i] = texts->v[i].p;
	return list;
}

static int
take_grants(struct cdn_tool_call *call, const struct cdn_worker_grants *from,
    struct cdn_tool_ruling *ret)
{
	ret->read = list_of(call->arena, &from->read);
	ret->write = list_of(call->arena, &from->write);
	ret->sockets = list_of(call->arena, &from->sockets);
	if (ret->read == NULL || ret->write == NULL || ret->sockets == NULL)
		return cdn_tool_nomem(call);
	ret->grants = (struct cordon_grants){
		.network = from->network == CDN_SAID_YES,
		.read = ret->read, .read_count = from->read.n,
		.write = ret->write, .write_count = from->write.n,
		.sockets = ret->sockets, .socket_count = from->sockets.n,
	};
	return 0;
}

/* What another worker does not grant, it takes away. */
static void
narrow(struct cdn_tool_ruling *r, const struct cdn_worker_rule *rule)
{
	static const struct cdn_worker_grants none = { 0 };
	const struct cdn_worker_grants *by = rule != NULL ? &rule->grants :
							    &none;

	r->grants.network &= by->network == CDN_SAID_YES;
	keep(r->read, &r->grants.read_count, &by->read);
	keep(r->write, &r->grants.write_count, &by->write);
	keep(r->sockets, &r->grants.socket_count, &by->sockets);
}

static enum cordon_decision
stricter(enum cordon_decision a, enum cordon_decision b)
{
	if (a == CORDON_DENY || b == CORDON_DENY)
		return CORDON_DENY;
	return a == CORDON_ASK || b == CORDON_ASK ? CORDON_ASK : CORDON_ALLOW;
}

int
cdn_tool_rules(struct cdn_tool_call *call, const struct cdn_shell *shell,
    struct cdn_tool_ruling *ret)
{
	size_t n = call->tools->options.session->worker_count;
	int code = 0;

	*ret = (struct cdn_tool_ruling){ .decision = CORDON_ALLOW };
	/* The innermost first: it is the one that asks for grants. */
	for (size_t i = n; i-- > 0 && code == 0;) {
		const struct cordon_worker *worker =
		    cdn_tool_worker(call->tools, i);
		struct word word = hear(worker, shell);

		ret->decision = stricter(ret->decision, word.decision);
		if (word.decision == CORDON_DENY && ret->denied_by == NULL)
			ret->denied_by = worker;
		if (i + 1 < n) {
			narrow(ret, word.rule);
			continue;
		}
		ret->rule = word.rule;
		if (word.rule != NULL)
			code = take_grants(call, &word.rule->grants, ret);
	}
	/* A session without a worker of the user's grants nothing. */
	if (code == 0 && n > 0 &&
	    cdn_workers_called(call->tools->options.session, 0))
		narrow(ret, NULL);
	return code;
}
