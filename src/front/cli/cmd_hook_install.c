/*
 * `cordon hook install`, `uninstall` and `status`: the settings of agents.
 */
#include "front/cli/cli.h"

#include <limits.h>

const char *
cli_hook_agent_word(int i)
{
	return i < 0 ? NULL : cordon_hook_agent_name((enum cordon_hook_agent)i);
}

/* ----- What is to be changed -------------------------------------------- */

struct change {
	const struct cli_args *args;
	struct cordon_hook_install install;
	char program[PATH_MAX];
	char project[PATH_MAX];
	const char **options; /* of the hook; owned */
	bool changes;
};

static bool
show(const char *difference, void *arg)
{
	struct change *c = arg;

	c->changes = true;
	if (!cli_has(c->args, CLI_QUIET))
		cli_put_lines(difference);
	cli_output_flush();
	return !cli_has(c->args, CLI_SHOW_ONLY) && !cli_output_broken();
}

/* --workspace DIR: in the project's settings, and for that project alone. */
static bool
find_project(struct change *c)
{
	const char *given = cli_value(c->args, CLI_WORKSPACE);

	if (given == NULL)
		return true;
	if (realpath(given, c->project) == NULL) {
		cli_error("there is no directory '%s'", given);
		return false;
	}
	c->install.project = c->project;
	return true;
}

/* What stands behind "--", and the project that the hook is meant for. */
static void
find_options(struct change *c)
{
	const struct cli_args *args = c->args;
	size_t n = 0;

	c->options = cli_alloc(args->operands.n + 3, sizeof(*c->options));
	if (c->install.project != NULL) {
		c->options[n++] = "--workspace";
		c->options[n++] = c->install.project;
	}
	for (size_t i = args->before_dashes; i < args->operands.n; i++)
		c->options[n++] = args->operands.v[i];
	c->install.options = c->options;
}

static bool
begin(struct change *c, const struct cli_args *args, int agent)
{
	*c = (struct change){ .args = args, .install = {
		.size = sizeof(c->install),
		.agent = (enum cordon_hook_agent)agent,
		.program = c->program,
		.show = show,
		.arg = c,
	} };
	if (!cli_own_place(c->program)) {
		cli_error("cannot find out where 'cordon' is");
		return false;
	}
	if (!find_project(c))
		return false;
	find_options(c);
	return true;
}

/* The agent that is named; -1 after a message. */
static int
named_agent(const struct cli_args *args)
{
	const char *name = args->operands.n > 0 ? args->operands.v[0] : "";
	int agent = args->before_dashes != 1 ? -1 :
	    cli_word_find(cli_hook_agent_word, name);

	if (agent >= 0)
		return agent;
	if (args->before_dashes == 0)
		cli_error("which agent?");
	else if (args->before_dashes > 1)
		cli_error("one agent at a time (options of the hook stand "
			  "behind '--')");
	else
		cli_error("'%s' is no agent with hooks", name);
	cli_hint("claude, codex, gemini or cursor");
	return -1;
}

/* ----- hook status ------------------------------------------------------ */

static const struct {
	const char *word;
	const char *text;
	const char *hint;
} states[] = {
	[CORDON_HOOK_ABSENT] = { "absent", "not installed", NULL },
	[CORDON_HOOK_OTHER] = { "other",
	    "installed, but not as 'hook install' would now",
	    "install it again, with the same options" },
	[CORDON_HOOK_INSTALLED] = { "installed", "installed", NULL },
	[CORDON_HOOK_OFF] = { "off",
	    "installed, but the same file turns hooks off", NULL },
	[CORDON_HOOK_UNTRUSTED] = { "untrusted",
	    "installed, but not trusted: the agent skips it without a word",
	    "start the agent and trust the hook: /hooks" },
};

static void
print_state(const struct cli_args *args, const char *agent,
    const struct cordon_hook_status *status)
{
	struct cli_json json;

	if (cli_has(args, CLI_JSON)) {
		cli_json_begin(&json);
		cli_json_member(&json, "agent", agent);
		cli_json_member(&json, "state", states[status->state].word);
		cli_json_member(&json, "file", status->file);
		cli_json_end(&json);
		return;
	}
	printf("%-8s", agent);
	cli_put_coloured(stdout, status->state == CORDON_HOOK_INSTALLED ?
		CLI_GREEN : CLI_YELLOW, states[status->state].text);
	fputs("  ", stdout);
	cli_put_safe(stdout, cdn_str_of(status->file));
	putchar('\n');
	if (states[status->state].hint != NULL)
		cli_hint("%s", states[status->state].hint);
}

/* True when it is installed; *failed: that could not be found out. */
static bool
tell_one(const struct cli_args *args, int agent, bool *failed)
{
	struct cordon_hook_status status = { .state = CORDON_HOOK_ABSENT };
	struct cordon_error err = { 0 };
	struct change c;
	int code;

	if (!begin(&c, args, agent)) {
		*failed = true;
		return false;
	}
	code = cordon_hook_status(&c.install, &status, &err);
	free(c.options);
	if (code != 0) {
		cli_failure(NULL, &err);
		*failed = true;
		return false;
	}
	print_state(args, cli_hook_agent_word(agent), &status);
	return status.state == CORDON_HOOK_INSTALLED;
}

int
cli_hook_status(const struct cli_args *args)
{
	bool failed = false, installed = false;
	int agent = -1;

	if (args->before_dashes > 0) {
		agent = named_agent(args);
		if (agent < 0)
			return CLI_INVALID;
		installed = tell_one(args, agent, &failed);
	} else {
		for (int i = 0; cli_hook_agent_word(i) != NULL; i++)
			installed |= tell_one(args, i, &failed);
	}
	return failed ? CLI_INVALID : installed ? CLI_YES : CLI_FOUND;
}

/* ----- hook install, uninstall ------------------------------------------ */

/* What there is to know afterwards; it must not be a surprise. */
static void
tell_after(struct change *c)
{
	struct cordon_hook_status status = { 0 };

	if (c->install.undo ||
	    cordon_hook_status(&c->install, &status, NULL) != 0)
		return;
	if (status.state != CORDON_HOOK_INSTALLED) {
		cli_note("%s", states[status.state].text);
		if (states[status.state].hint != NULL)
			cli_hint("%s", states[status.state].hint);
	}
	if (c->install.agent == CORDON_HOOK_CURSOR)
		cli_note("Cursor is spoken to by its documentation; it was "
			 "not tried");
}

static int
change(const struct cli_args *args, bool undo)
{
	struct cordon_error err = { 0 };
	struct change c;
	int agent = named_agent(args), code;

	if (agent < 0 || !begin(&c, args, agent))
		return CLI_INVALID;
	c.install.undo = undo;
	code = cordon_hook_install(&c.install, &err);
	if (code != 0)
		cli_failure(NULL, &err);
	else if (!c.changes)
		cli_note(undo ? "there is no hook of cordon's: nothing "
				"changes" :
				"it is installed already: nothing changes");
	if (code == 0 && !cli_has(args, CLI_SHOW_ONLY))
		tell_after(&c);
	free(c.options);
	return code != 0 ? CLI_INVALID : CLI_YES;
}

int
cli_hook_install(const struct cli_args *args)
{
	return change(args, false);
}

int
cli_hook_uninstall(const struct cli_args *args)
{
	return change(args, true);
}
