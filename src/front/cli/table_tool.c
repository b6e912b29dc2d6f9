#include "front/cli/commands.h"

/* clang-format off */
static const struct cli_command rows[] = {
	{
	.name = "tool",
	.usage = "NAME JSON|-",
	.summary = "call one of the agent's tools, once",
	.about =
"For frameworks without a library of ours: the tool NAME with the arguments in\n"
"JSON ('-': from standard input), inside the boundary that the options name.\n"
"The answer is one line of JSON, a refusal too:\n"
"  {\"schema\":1,\"ok\":true,\"result\":{...}}\n"
"  {\"schema\":1,\"ok\":false,\"error\":{\"code\":\"outside\",\"message\":\"...\"}}\n"
"\n"
"  read_text    a file, in parts if it is long\n"
"  write_text   a file, all of it at once\n"
"  edit_text    one text in a file by another\n"
"  list_files   what is in a directory\n"
"  glob         files by their names, in all directories below\n"
"  grep         lines that hold a text\n"
"  shell        a command, in the cage\n"
"  worker_call  another tool, as a worker that has less\n"
"\n"
"What a worker's tool_rules and shell_rules let be approved is asked of CMD, or\n"
"at the terminal; where there is neither it is refused.  An approval is for that\n"
"one command, as are the grants it comes with.\n",
	.examples =
"cordon tool read_text '{\"path\":\"README.md\"}'\n"
"cordon tool grep '{\"text\":\"TODO\",\"files\":\"**/*.c\"}'\n"
"cordon tool shell '{\"command\":\"git status\"}' --worker worker.yaml\n"
"cordon tool shell '{\"command\":\"git push\"}' --worker worker.yaml --dry-run\n",
	.exits = { "it was done",
		"it is not there, or the system refused",
		"wrong usage or arguments, or a document that is none",
		"denied", "it needs approval" },
	.options = CLI_SESSION | CLI_LAUNCH | CLI_PRINT |
	    CLI_BIT(CLI_APPROVE_WITH) | CLI_BIT(CLI_TOOL_DRY_RUN),
	.operands_min = 2,
	.operands_max = 2,
	.run = cli_tool,
	},
};
/* clang-format on */

const struct cli_table cli_table_tool = { rows, CDN_LEN(rows) };
