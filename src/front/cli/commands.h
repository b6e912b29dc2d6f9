/*
 * commands - the table of commands, one file per group (table_*.c).
 *
 * A row says all there is to know of a command; dispatch, help, man pages and
 * completions are made from it.  A new command is a new row; a new group a
 * new file, and its name in commands.c.
 */
#ifndef CDN_CLI_COMMANDS_H
#define CDN_CLI_COMMANDS_H

#include "front/cli/cli.h"

struct cli_table {
	const struct cli_command *v;
	size_t n;
};

extern const struct cli_table cli_table_run;
extern const struct cli_table cli_table_mcp;
extern const struct cli_table cli_table_hook;
extern const struct cli_table cli_table_policy;
extern const struct cli_table cli_table_tool;
extern const struct cli_table cli_table_worker;
extern const struct cli_table cli_table_host;
extern const struct cli_table cli_table_audit;

/* ----- What rows of several tables say ---------------------------------- */

/* Options that decide which policy, profile and workspace are asked. */
#define CLI_SESSION                                         \
	(CLI_BIT(CLI_POLICY) | CLI_BIT(CLI_PROFILE) |       \
	    CLI_BIT(CLI_WORKER) |                           \
	    CLI_BIT(CLI_PRESET) | CLI_BIT(CLI_WORKSPACE) |  \
	    CLI_BIT(CLI_READ) | CLI_BIT(CLI_WRITE) |        \
	    CLI_BIT(CLI_NETWORK))
#define CLI_PRINT (CLI_BIT(CLI_JSON) | CLI_BIT(CLI_QUIET))

#define CLI_LAUNCH                                                   \
	(CLI_BIT(CLI_BACKEND) | CLI_BIT(CLI_ENFORCEMENT) |           \
	    CLI_BIT(CLI_ISOLATION) | CLI_BIT(CLI_HOME) |             \
	    CLI_BIT(CLI_ALLOW) | CLI_BIT(CLI_NO_SANDBOX) |           \
	    CLI_BIT(CLI_TIMEOUT) | CLI_BIT(CLI_ENV) |                \
	    CLI_BIT(CLI_AUDIT) | CLI_BIT(CLI_TRACE))

#define CLI_UNUSABLE "wrong usage, or a document that cannot be used"

/* Of a command that runs another one. */
#define CLI_RUN_EXITS(name)                                               \
	"  N    " name "'s own\n"                                         \
	"  124  it took longer than --timeout or the profile's limit\n"   \
	"  125  something of ours: usage, a document, what cannot be "    \
	"enforced here\n"                                                 \
	"  126  " name " was found, but is refused or no program\n"       \
	"  127  " name " was not found\n"                                 \
	"  128+N  signal N ended it\n"

#endif
