/*
 * `cordon hook`: answering agents, and telling them to ask.
 */
#include "front/cli/cli.h"

#include <limits.h>
#include <unistd.h>

#include "base/err.h"
#include "front/hook/door.h"

/* ----- hook AGENT ------------------------------------------------------- */

/* A boundary around a whole home would be none. */
static int
check_workspace(const char *dir, struct cordon_error *err)
{
	bool home = false;
	int code = cordon_is_home(dir, &home, err);

	if (code == 0 && (home || strcmp(dir, "/") == 0))
		code = cdn_err(err, CORDON_E_WORKSPACE, "'%s' is no workspace "
		    "by itself (start the agent in a project, or install the "
		    "hook with '--workspace DIR')", dir);
	return code;
}

static int
open_session(const char *workspace, void *arg, struct cordon_session **ret,
    struct cordon_error *err)
{
	const struct cli_args *args = arg;
	const char *list[] = { workspace, NULL };
	struct cli_args with = *args;
	char here[PATH_MAX];
	int code = 0;

	if (!cli_has(args, CLI_WORKSPACE)) {
		if (workspace == NULL && getcwd(here, sizeof(here)) == NULL)
			return cdn_err(err, CORDON_E_WORKSPACE,
			    "there is no current directory");
		list[0] = workspace != NULL ? workspace : here;
		code = check_workspace(list[0], err);
		with.option[CLI_WORKSPACE] = (struct cli_strings){ list, 1 };
	}
	return code != 0 ? code : cli_session_new(&with, NULL, NULL, ret, err);
}

static int
answer(const struct cli_args *args, enum cordon_hook_agent agent)
{
	struct cli_args copy = *args;
	const struct hook_door door = {
		.agent = agent,
		.audit = cli_value(args, CLI_AUDIT),
		.session = open_session,
		.arg = &copy,
	};

	return hook_answer(&door);
}

int
cli_hook_claude(const struct cli_args *args)
{
	return answer(args, CORDON_HOOK_CLAUDE);
}

int
cli_hook_codex(const struct cli_args *args)
{
	return answer(args, CORDON_HOOK_CODEX);
}

int
cli_hook_gemini(const struct cli_args *args)
{
	return answer(args, CORDON_HOOK_GEMINI);
}

int
cli_hook_cursor(const struct cli_args *args)
{
	return answer(args, CORDON_HOOK_CURSOR);
}
