#include "front/cli/commands.h"

/* clang-format off */
static const struct cli_command rows[] = {
	{
	.name = "mcp",
	.usage = "COMMAND",
	.summary = "run MCP servers behind the boundary",
	.about =
"The guard runs a server in a cage and looks at each call before it sees it.\n",
	.examples = "cordon mcp pins\n",
	.exits = { "yes", NULL, CLI_UNUSABLE },
	},
	{
	.name = "mcp guard",
	.usage = "-- SERVER [ARG...]",
	.summary = "run an MCP server in a cage and judge what it is asked",
	.about =
"Put it in front of a server's command in a client's configuration.  SERVER\n"
"runs as under 'cordon run', with the same options; the client speaks to it as\n"
"before.  A call that names a path outside the boundary never reaches it: the\n"
"model is told which rule refused it, and what would do instead.\n"
"Each call is recorded; tools that are described otherwise than when they were\n"
"first seen are stopped ('cordon mcp pins'); a policy settles which fields are\n"
"paths: spec: {mcp: {TOOL: {FIELD: text}}}.  What SERVER opens, the cage decides.\n",
	.examples = "cordon mcp guard --network full --workspace ~/src/app -- node server.js\n",
	.exits = { NULL },
	.more_exits = CLI_RUN_EXITS("SERVER"),
	.failure = CLI_RUN_FAILED,
	.options = CLI_SESSION | CLI_LAUNCH | CLI_BIT(CLI_QUIET) | CLI_BIT(CLI_VERBOSE),
	.operands_max = SIZE_MAX,
	.run = cli_mcp_guard,
	},
	{
	.name = "mcp pins",
	.usage = "[list | forget NAME]",
	.summary = "the servers whose tools are pinned",
	.about =
"'forget NAME' (a beginning will do) takes the server's tools anew, next time.\n",
	.examples = "cordon mcp pins forget 4f1c70c2\n",
	.exits = { "they were listed, or it was forgotten", NULL, CLI_UNUSABLE },
	.options = CLI_PRINT,
	.operands_max = 2,
	.run = cli_mcp_pins,
	},
};
/* clang-format on */

const struct cli_table cli_table_mcp = { rows, CDN_LEN(rows) };
