#include "enforce/tool/command.h"

#include "enforce/tool/approve.h"

/* ----- Rules ------------------------------------------------------------------------ */

/* No rule let it through; the worker's document is what says so. */
static int
refuse_unmatched(struct cdn_tool_command *c)
{
	const struct cordon_worker *worker = c->ruling.denied_by;
	int code = cdn_tool_refuse(c->call, CORDON_REFUSAL_DENIED,
	    "the shell_rules of the worker have no rule for this command%s",
	    c->shell.simple ? "" : " (only one simple command fits any)");

	c->call->refused.has_verdict = true;
	c->call->refused.verdict = (struct cordon_verdict){
		.decision = CORDON_DENY,
		.as = CORDON_AS_AGENT,
		.operation = CORDON_EXEC,
		.layer = CORDON_LAYER_WORKER,
		.profile = c->call->tools->options.session->profile,
		.matched_rule = "<no matching rule>",
		.source = worker->source,
	};
	return code;
}

/* ----- A cage that is wider by what is granted ----------------------------------------- */

/* The session that it is borrowed from goes before the answer does. */
static int
keep_verdict(struct cdn_tool_command *c, struct cordon_verdict verdict,
    int code)
{
	struct cdn_arena *arena = c->call->arena;

	if (verdict.matched_rule != NULL) {
		verdict.matched_rule = cdn_arena_dup(arena,
		    verdict.matched_rule, strlen(verdict.matched_rule));
		if (verdict.matched_rule == NULL)
			return cdn_tool_nomem(c->call);
	}
	if (verdict.source != NULL)
		verdict.source = cdn_arena_dup(arena, verdict.source,
		    strlen(verdict.source));
	verdict.rule_text = verdict.deny_rule = NULL;
	verdict.profile = c->call->tools->options.session->profile;
	c->call->refused.has_verdict = true;
	c->call->refused.verdict = verdict;
	c->call->refused.profile = NULL;
	return code;
}

static int
check_path(struct cdn_tool_command *c, enum cordon_op op, const char *path)
{
	const struct cordon_session *session = c->widened;
	struct cordon_query query = {
		.size = sizeof(query),
		.as = CORDON_AS_PROCESS,
		.op = op,
		.path = path,
		.path_len = strlen(path),
	};
	struct cordon_verdict verdict;
	int code = cdn_session_check(session, &query, &verdict, &c->call->err);

	if (code != 0)
		return cdn_tool_result_of(c->call, code);
	if (verdict.allowed)
		return 0;
	code = cdn_tool_refuse(c->call, CORDON_REFUSAL_DENIED,
	    "'%s' cannot be granted: %s of '%s' is denied by '%s' (%s)",
	    c->ruling.rule->pattern.p, cordon_op_name(op), path,
	    verdict.matched_rule, cordon_layer_name(verdict.layer));
	return keep_verdict(c, verdict, code);
}

/* Is what somebody is asked for really what the command would get? */
static int
check_ceiling(struct cdn_tool_command *c)
{
	const struct cordon_grants *g = &c->ruling.grants;
	int code = 0;

	if (g->network) /* an address that is nobody's */
		code = check_path(c, CORDON_CONNECT, "192.0.2.1:443");
	for (size_t i = 0; i < g->read_count && code == 0; i++)
		code = check_path(c, CORDON_READ, c->ruling.read[i]);
	for (size_t i = 0; i < g->write_count && code == 0; i++)
		code = check_path(c, CORDON_MODIFY, c->ruling.write[i]);
	for (size_t i = 0; i < g->socket_count && code == 0; i++)
		code = check_path(c, CORDON_CONNECT, c->ruling.sockets[i]);
	return code;
}

static int
widen(struct cdn_tool_command *c)
{
	const struct cordon_tools *tools = c->call->tools;
	struct cordon_session_options options;
	int code;

	if (!cdn_tool_grants_any(&c->ruling.grants))
		return 0;
	if (tools->options.session_options == NULL)
		return cdn_tool_refuse(c->call, CORDON_REFUSAL_DENIED,
		    "'%s' cannot be granted: nobody said how the session was "
		    "made", c->ruling.rule->pattern.p);
	options = *tools->options.session_options;
	options.grants = &c->ruling.grants;
	code = cdn_session_new(&options, NULL, &c->widened, &c->call->err);
	if (code != 0)
		return cdn_tool_result_of(c->call, code);
	c->policy.session = c->widened;
	if (!cdn_tool_same_session(tools->options.session, c->widened))
		return cdn_tool_refuse(c->call, CORDON_REFUSAL_DENIED,
		    "'%s' cannot be granted: a document of the policy was "
		    "changed, or the workspace replaced (start a new "
		    "session)", c->ruling.rule->pattern.p);
	return check_ceiling(c);
}

/* ----- What is executed ------------------------------------------------------------------- */

/*
 * One simple command is executed as the words it is made of, so that what was
 * approved is what runs; all else needs a shell, and is shown as such.
 */
static bool
is_direct(const struct cdn_tool_command *c)
{
	return c->shell.simple && (c->ruling.rule != NULL ||
	    c->ruling.decision == CORDON_ASK ||
	    cdn_tool_programs_given(c->call->tools));
}

static int
make_argv(struct cdn_tool_command *c)
{
	struct cdn_arena *arena = c->call->arena;
	bool direct = is_direct(c);
	size_t n = direct ? c->shell.n : 3;

	c->argv = cdn_arena_array(arena, n + 1, sizeof(*c->argv));
	if (c->argv == NULL)
		return cdn_tool_nomem(c->call);
	for (size_t i = 0; direct && i < n; i++) {
		c->argv[i] = cdn_arena_dup(arena, c->shell.v[i].text.p,
		    c->shell.v[i].text.n);
		if (c->argv[i] == NULL)
			return cdn_tool_nomem(c->call);
	}
	if (direct)
		return 0;
	c->argv[0] = CDN_TOOL_SHELL;
	c->argv[1] = "-c";
	c->argv[2] = cdn_arena_dup(arena, c->text.p, c->text.n);
	return c->argv[2] != NULL ? 0 : cdn_tool_nomem(c->call);
}

static int
make_prompt(struct cdn_tool_command *c)
{
	struct cdn_buf out;

	cdn_buf_init(&out, CDN_TOOL_RESULT_MAX);
	cdn_tool_prompt(c->argv, &c->ruling.grants, &out);
	if (!cdn_buf_failed(&out))
		c->prompt = cdn_arena_dup(c->call->arena, out.p, out.n);
	cdn_buf_done(&out);
	return c->prompt != NULL ? 0 : cdn_tool_nomem(c->call);
}

/* ----- Before it runs ----------------------------------------------------------------------- */

static int
parse(struct cdn_tool_command *c)
{
	int code;

	if (memchr(c->text.p, '\0', c->text.n) != NULL)
		return cdn_tool_refuse(c->call, CORDON_REFUSAL_INVALID,
		    "the command holds a NUL byte");
	code = cdn_shell_parse(c->call->arena, c->text, &c->shell,
	    &c->call->err);
	if (code == CORDON_E_NOMEM)
		return cdn_tool_nomem(c->call);
	if (code != 0 || c->shell.n == 0) {
		struct cordon_error why = c->call->err;

		return cdn_tool_refuse(c->call, CORDON_REFUSAL_INVALID, "%s",
		    code != 0 ? why.text : "there is no command");
	}
	return 0;
}

int
cdn_tool_command_cwd(struct cdn_tool_command *c, struct cdn_real *ret)
{
	int code = c->cwd_given ?
	    cdn_gate_enforce(&c->policy, c->policy.base, CORDON_READ,
		c->cwd_raw, ret, &c->call->refused, &c->call->err) :
	    cdn_session_find(c->policy.session, c->policy.base, CDN_STR(""),
		ret, &c->call->err);

	if (code != 0)
		code = cdn_tool_result_of(c->call, code);
	if (code == CDN_TOOL_REFUSED && c->widened != NULL &&
	    c->call->refused.has_verdict)
		return keep_verdict(c, c->call->refused.verdict, code);
	if (code != 0)
		return code;
	if (!ret->exists)
		return cdn_tool_refuse(c->call, CORDON_REFUSAL_MISSING,
		    "'%s' does not exist", ret->path);
	if (!ret->is_directory)
		return cdn_tool_refuse(c->call, CORDON_REFUSAL_INVALID,
		    "'%s' is no directory", ret->path);
	return 0;
}

/* Is all of it held by the kernel, whatever it expands to? */
static bool
is_enforced(const struct cdn_tool_command *c)
{
	struct cordon_run_options run = c->call->tools->run;
	struct cordon_plan *plan = NULL;
	bool enforced;

	if (c->call->tools->terms.backend == CORDON_BACKEND_NONE)
		return false;
	if (c->call->tools->terms.enforcement == CDN_ENFORCEMENT_REQUIRED)
		return true; /* or it will not start */
	run.enforcement = CORDON_ENFORCEMENT_REQUIRED;
	enforced = cdn_launch_plan(c->policy.session, &run, &plan, NULL) == 0 &&
	    cdn_launch_accept(plan, NULL) == 0;
	cdn_launch_plan_free(plan);
	return enforced;
}

static int
check_words(struct cdn_tool_command *c)
{
	struct cordon_shell_query query = {
		.size = sizeof(query),
		.command = c->text.p,
		.command_len = c->text.n,
		.cwd = c->cwd_given ? c->cwd.path : NULL,
		.enforced = !c->shell.dynamic || is_enforced(c),
	};
	struct cordon_shell_verdict verdict;
	struct cordon_refused refused;
	int code = cdn_gate_shell(&c->policy, &query, &verdict, &c->call->err);

	if (code != 0)
		return cdn_tool_result_of(c->call, code);
	if (verdict.allowed)
		return 0;
	refused = verdict.refused;
	code = cdn_tool_refuse(c->call, refused.code, "%s", verdict.reason);
	if (c->widened != NULL && refused.has_verdict)
		return keep_verdict(c, refused.verdict, code);
	if (c->widened == NULL)
		c->call->refused = refused;
	return code;
}

int
cdn_tool_command_find(struct cdn_tool_call *call, cdn_str text,
    const struct cdn_tool_value *cwd, struct cdn_tool_command *ret)
{
	int code;

	*ret = (struct cdn_tool_command){ .call = call, .text = text,
		.cwd_raw = cwd->text, .cwd_given = cwd->given,
		.policy = call->tools->policy };
	code = parse(ret);
	if (code == 0)
		code = cdn_tool_rules(call, &ret->shell, &ret->ruling);
	if (code == 0)
		code = make_argv(ret);
	if (code == 0)
		code = make_prompt(ret);
	if (code == 0 && ret->ruling.decision == CORDON_DENY)
		return call->asked->dry_run ? 0 : refuse_unmatched(ret);
	if (code == 0)
		code = cdn_tool_programs(ret);
	if (code == 0)
		code = widen(ret);
	if (code == 0)
		code = cdn_tool_command_cwd(ret, &ret->cwd);
	return code != 0 ? code : check_words(ret);
}

void
cdn_tool_command_done(struct cdn_tool_command *command)
{
	cdn_session_free(command->widened);
	command->widened = NULL;
}
