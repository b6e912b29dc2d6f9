/*
 * launch - the options that `run` and `plan` have in common.
 */
#include "front/cli/cli.h"

#include "base/err.h"

/* Those of them that mean nothing here must be right all the same. */
static bool
check_choices(const struct cli_args *args)
{
	static const enum cli_option choices[] = { CLI_HOME,
		CLI_FORMAT };
	int ignored;

	for (size_t i = 0; i < CDN_LEN(choices); i++)
		if (!cli_word(args, choices[i],
			cli_option_row(choices[i])->words, 0, &ignored))
			return false;
	return true;
}

static bool
read_timeout(const struct cli_args *args, unsigned long long *ret)
{
	const char *text = cli_value(args, CLI_TIMEOUT);
	struct cordon_error err = { 0 };

	if (text == NULL || cordon_duration_parse(text, ret, &err) == 0)
		return true;
	cli_error("--timeout: %s", err.text);
	cli_hint("--timeout DUR: a number and ms, s, m or h; seconds when "
		 "there is no unit");
	return false;
}

/* --no-sandbox is short for two others, and contradicts them. */
static bool
read_no_sandbox(const struct cli_args *args, struct cordon_run_options *ret)
{
	if (!cli_has(args, CLI_NO_SANDBOX))
		return true;
	if (cli_has(args, CLI_BACKEND) || cli_has(args, CLI_ENFORCEMENT)) {
		cli_error("--no-sandbox means '--backend none --enforcement "
			  "best-effort': give one or the other");
		return false;
	}
	ret->backend = CORDON_BACKEND_NONE;
	ret->enforcement = CORDON_ENFORCEMENT_BEST_EFFORT;
	return true;
}

bool
cli_launch_options(const struct cli_args *args, struct cordon_run_options *ret)
{
	int backend, enforcement, isolation;

	*ret = (struct cordon_run_options){
		.size = sizeof(*ret),
		.argv = args->operands.v,
		.env = args->option[CLI_ENV].v,
		.env_count = args->option[CLI_ENV].n,
		.audit = cli_value(args, CLI_AUDIT),
		.trace = cli_has(args, CLI_TRACE),
		.stand_in = "/proc/self/exe",
	};
	if (!cli_word(args, CLI_BACKEND, cli_backend_word, 0, &backend) ||
	    !cli_word(args, CLI_ENFORCEMENT, cli_enforcement_word, -1,
		&enforcement) ||
	    !cli_word(args, CLI_ISOLATION, cli_isolation_word, -1,
		&isolation) ||
	    !check_choices(args) || !read_timeout(args, &ret->timeout_ms))
		return false;
	ret->backend = (enum cordon_backend)backend;
	ret->enforcement = (enum cordon_enforcement)(enforcement + 1);
	ret->isolation = (enum cordon_isolation)(isolation + 1);
	return read_no_sandbox(args, ret);
}

/* The session knows already where the homes are. */
static bool
is_nowhere(const struct cli_args *args, const struct cordon_session *session)
{
	return !cli_has(args, CLI_WORKSPACE) &&
	    cordon_session_is_wide(session) && !cli_workspace_named(args);
}

/* What a document says in vain. */
static void
note_ignored(const struct cordon_diags *diags)
{
	for (size_t i = 0; i < cordon_diags_count(diags); i++) {
		const struct cordon_diag *d = cordon_diags_get(diags, i);

		if (strcmp(d->id, "S002") == 0)
			cli_note("%s:%u: %s", d->source, d->line, d->text);
	}
}

/* What the defaults do not protect in this run: one line for each. */
static void
note_unprotected(const struct cli_args *args,
    const struct cordon_session *session)
{
	const struct cli_strings *allow = &args->option[CLI_ALLOW];
	struct cordon_unprotected one;

	for (size_t i = 0; i < allow->n; i++)
		if (strcmp(allow->v[i], "nested-git") == 0)
			cli_note("repositories may be made in the workspace: "
				 "look at their hooks and configuration before "
				 "you use git there");
	for (size_t i = 0; cordon_session_unprotected(session, i, &one); i++)
		if (one.line > 0)
			cli_note("not protected by the defaults: '%s' "
				 "(unprotect, %s:%u)", one.rule, one.source,
			    one.line);
		else
			cli_note("not protected by the defaults: '%s' "
				 "(--allow)", one.rule);
}

struct cordon_session *
cli_launch_session(const struct cli_args *args)
{
	struct cordon_diags *diags;
	struct cordon_session *session = NULL;
	struct cordon_error err = { 0 };

	diags = cli_diags_new();
	/* Where nobody should be comes before what does not hold there. */
	if (cli_session_new(args, NULL, diags, &session, &err) != 0) {
		if (cli_workspace_named(args))
			cli_failure(diags, &err);
		session = NULL;
	} else if (is_nowhere(args, session)) {
		cordon_session_free(session);
		session = NULL;
	} else {
		cli_workspace_hint(args);
		note_unprotected(args, session);
		note_ignored(diags);
	}
	cordon_diags_free(diags);
	return session;
}

/* Safe for a terminal, line by line. */
static void
put_lines(FILE *to, const char *text)
{
	cdn_str rest = cdn_str_of(text);
	cdn_str line;

	while (cdn_str_next(&rest, '\n', &line) && (line.n > 0 || rest.n > 0)) {
		cli_put_safe(to, line);
		fputc('\n', to);
	}
}

bool
cli_launch_print(FILE *to, const struct cordon_plan *plan,
    enum cordon_format format)
{
	cdn_cleanup_free char *text = NULL;
	struct cordon_error err = { 0 };

	if (cordon_plan_format(plan, format, &text, &err) != 0) {
		cli_failure(NULL, &err);
		return false;
	}
	/* What programs read must not be changed. */
	if (format == CORDON_FORMAT_YAML)
		put_lines(to, text);
	else
		fputs(text, to);
	return true;
}
