#include "front/cli/commands.h"

/* clang-format off */
static const struct cli_command rows[] = {
	{
	.name = "mcp",
	.usage = "COMMAND",
	.summary = "MCP servers behind the boundary, and one of ours",
	.about =
"The guard runs a server in a cage and looks at each call before it sees it;\n"
"'serve' gives a client tools that stay inside the boundary by themselves.\n",
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
	.options = CLI_SESSION | CLI_LAUNCH | CLI_BIT(CLI_WRAPPED) | CLI_BIT(CLI_QUIET) |
	    CLI_BIT(CLI_VERBOSE),
	.operands_max = SIZE_MAX,
	.run = cli_mcp_guard,
	},
	{
	.name = "mcp serve",
	.usage = "",
	.summary = "give an MCP client the guarded tools",
	.about =
"A server of the Model Context Protocol on standard input and output, for a\n"
"client's configuration: files are read, written, edited, listed and searched,\n"
"and commands are run, all inside the boundary that the options name.  A refusal\n"
"tells the model which rule it was, and what would do instead.\n"
"What needs approval is asked through the client (elicitation), if it can; else\n"
"it is refused, with the command that somebody who approves can run.  Commands\n"
"of a call that is cancelled, or whose client is gone, end with all they started.\n",
	.examples = "cordon mcp serve --workspace ~/src/app\n",
	.exits = { "its client is gone", NULL, CLI_UNUSABLE },
	.more_exits = "  128+N  signal N ended it\n",
	.options = CLI_SESSION | CLI_LAUNCH | CLI_BIT(CLI_QUIET),
	.run = cli_mcp_serve,
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
	{
	.name = "mcp wrap",
	.usage = "FILE [-- GUARD_OPTIONS...]",
	.summary = "put the servers of an MCP client behind the guard",
	.about =
"FILE is what a client starts its servers by: .mcp.json, the JSON of Claude,\n"
"Gemini, VS Code or opencode, Codex' config.toml.  Each server that is a command\n"
"becomes one of 'cordon mcp guard', with the options behind '--'.  The difference\n"
"is shown, then written at once; nothing else in FILE changes, and --undo gives\n"
"the bytes back.  Servers behind a URL, and those that are guarded, are left\n"
"alone; one that says itself guarded by other options, or stands at a place that\n"
"cordon does not know, is named, and the status is 1.\n",
	.examples =
"cordon mcp wrap --dry-run .mcp.json\n"
"cordon mcp wrap ~/.codex/config.toml -- --network full\n"
"cordon mcp wrap --undo .mcp.json\n",
	.exits = { "it is as you wanted", "a server is left open",
		CLI_UNUSABLE },
	.options = CLI_BIT(CLI_UNDO) | CLI_BIT(CLI_SHOW_ONLY) | CLI_PRINT,
	.operands_max = SIZE_MAX,
	.run = cli_mcp_wrap,
	},
};
/* clang-format on */

const struct cli_table cli_table_mcp = { rows, CDN_LEN(rows) };
