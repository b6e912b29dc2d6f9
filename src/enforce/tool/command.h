/*
 * command - what it takes until a command of an agent runs.
 */
#ifndef CDN_TOOL_COMMAND_H
#define CDN_TOOL_COMMAND_H

#include "enforce/session/workers.h"
#include "enforce/tool/tool.h"
#include "engine/shell/shell.h"

/* ----- What the workers say (rules.c) ----------------------------------------- */

struct cdn_tool_ruling {
	enum cordon_decision decision;
	const struct cdn_worker_rule *rule; /* of the innermost; or NULL */
	const struct cordon_worker *denied_by;
	struct cordon_grants grants; /* what all of them grant */
	const char **read, **write, **sockets;
};

CDN_MUST_USE int cdn_tool_rules(struct cdn_tool_call *call,
    const struct cdn_shell *shell, struct cdn_tool_ruling *ret);

/* ----- The command (command.c) --------------------------------------------------- */

struct cdn_tool_command {
	struct cdn_tool_call *call;
	cdn_str text;
	struct cdn_shell shell;
	struct cdn_tool_ruling ruling;
	const char **argv; /* what will be executed */
	cdn_str cwd_raw;
	bool cwd_given; /* else it is the workspace */
	struct cdn_real cwd;
	struct cordon_path_policy policy; /* of the session it runs in, */
	struct cordon_session *widened; /* which is this one, or the tools' */
	const char *prompt; /* in the arena */
	bool not_listed; /* it was `programs` that refused it, at the end */
};

/*
 * All that can be said before anybody is asked and anything runs.  Whatever it
 * returns, cdn_tool_command_done() gives back what it took.
 */
CDN_MUST_USE int cdn_tool_command_find(struct cdn_tool_call *call,
    cdn_str text, const struct cdn_tool_value *cwd,
    struct cdn_tool_command *ret);
void cdn_tool_command_done(struct cdn_tool_command *command);

/* Where it starts, now. */
CDN_MUST_USE int cdn_tool_command_cwd(struct cdn_tool_command *command,
    struct cdn_real *ret);

/* programs.c: may all programs in it be started? */
CDN_MUST_USE int cdn_tool_programs(struct cdn_tool_command *command);
/* The same for what argv[0] came to; false: it is on no list. */
bool cdn_tool_program_found(const struct cdn_tool_command *command,
    const char *program);

#endif
