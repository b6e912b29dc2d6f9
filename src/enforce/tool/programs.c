/*
 * programs - the only ones that a worker's tools may start.
 *
 * A bare name in the list is that name in a command, which is found on the
 * composed PATH; a path is that path.  A shell is needed for anything but one
 * simple command, so it has to be on the list, too.
 */
#include "enforce/tool/command.h"

const char cdn_tool_shell_path[] = "/bin/sh";

bool
cdn_tool_programs_given(const struct cordon_tools *tools)
{
	const struct cordon_worker *worker;

	for (size_t i = 0; (worker = cdn_tool_worker(tools, i)) != NULL; i++)
		if (worker->programs.given)
			return true;
	return false;
}

static bool
is_listed(const struct cordon_worker *worker, cdn_str program)
{
	for (size_t i = 0; i < worker->programs.n; i++)
		if (cdn_str_eq(worker->programs.v[i], program))
			return true;
	return false;
}

/* "/usr/bin/make" for `make`: whether it is that one, its start will show. */
static bool
may_be_listed(const struct cordon_worker *worker, cdn_str program)
{
	if (memchr(program.p, '/', program.n) != NULL)
		return false;
	for (size_t i = 0; i < worker->programs.n; i++) {
		cdn_str path = worker->programs.v[i];

		if (path.p[0] == '/' && path.n > program.n &&
		    path.p[path.n - program.n - 1] == '/' &&
		    cdn_str_ends(path, program))
			return true;
	}
	return false;
}

/* ----- Refusing ------------------------------------------------------------------- */

static const char *
rule_of(struct cdn_tool_call *call, const struct cordon_worker *worker)
{
	const char **list = cdn_arena_array(call->arena,
	    worker->programs.n + 1, sizeof(*list));
	char *rule = cdn_arena_alloc(call->arena, 512);

	if (list == NULL || rule == NULL)
		return NULL;
	for (size_t i = 0; i < worker->programs.n; i++)
		list[i] = worker->programs.v[i].p;
	cdn_programs_rule(list, worker->programs.n, rule, 512);
	return rule;
}

static int
refuse(struct cdn_tool_call *call, const struct cordon_worker *worker,
    cdn_str program)
{
	struct cordon_verdict verdict = {
		.decision = CORDON_DENY,
		.as = CORDON_AS_AGENT,
		.operation = CORDON_EXEC,
		.layer = CORDON_LAYER_WORKER,
		.profile = "proc.allowed_programs",
		.matched_rule = rule_of(call, worker),
		.source = worker->source,
	};
	struct cdn_event_field fields[CDN_VERDICT_FIELDS + 1];
	int code;

	if (verdict.matched_rule == NULL)
		return cdn_tool_nomem(call);
	cdn_fields_verdict(&verdict, program, fields);
	fields[CDN_VERDICT_FIELDS] = cdn_field_text("tool", "proc.spawn");
	code = cdn_tool_event(call, CDN_EVENT_EXEC_DENIED, fields,
	    CDN_VERDICT_FIELDS + 1);
	if (code != 0)
		return code;
	code = cdn_tool_refuse(call, CORDON_REFUSAL_PROGRAM,
	    "'%.*s' is none of the programs that the worker may start (%s)",
	    CDN_STR_ARG(program), verdict.matched_rule);
	call->refused.profile = verdict.profile;
	call->refused.has_verdict = true;
	call->refused.verdict = verdict;
	return code;
}

/* ----- Before and at the start ------------------------------------------------------ */

static int
check_shell(struct cdn_tool_command *c, const struct cordon_worker *worker)
{
	if (c->argv[0] != CDN_TOOL_SHELL || is_listed(worker, CDN_STR("sh")) ||
	    is_listed(worker, cdn_str_of(CDN_TOOL_SHELL)))
		return 0;
	return refuse(c->call, worker, CDN_STR("sh"));
}

static int
check_worker(struct cdn_tool_command *c, const struct cordon_worker *worker)
{
	int code = check_shell(c, worker);

	for (size_t i = 0; i < c->shell.n && code == 0; i++) {
		const struct cdn_shell_word *word = &c->shell.v[i];

		if (word->role != CDN_SHELL_COMMAND)
			continue;
		if (word->known < word->text.n ||
		    (!is_listed(worker, word->text) &&
		    !may_be_listed(worker, word->text)))
			code = refuse(c->call, worker, word->text);
	}
	return code;
}

int
cdn_tool_programs(struct cdn_tool_command *c)
{
	const struct cordon_worker *worker;
	int code = 0;

	for (size_t i = 0; code == 0 &&
	     (worker = cdn_tool_worker(c->call->tools, i)) != NULL; i++)
		if (worker->programs.given)
			code = check_worker(c, worker);
	return code;
}

bool
cdn_tool_program_found(const struct cdn_tool_command *c, const char *program)
{
	const struct cordon_worker *worker;

	for (size_t i = 0;
	     (worker = cdn_tool_worker(c->call->tools, i)) != NULL; i++)
		if (worker->programs.given && c->argv[0] != CDN_TOOL_SHELL &&
		    !is_listed(worker, cdn_str_of(c->argv[0])) &&
		    !is_listed(worker, cdn_str_of(program)))
			return false;
	return true;
}
