#include "front/cli/commands.h"

/* clang-format off */
static const struct cli_command rows[] = {
	{
	.name = "worker",
	.usage = "COMMAND",
	.summary = "run a worker; validate, show and migrate its document",
	.about =
"A worker is one activity of an agent: which profile and roots it has, whether\n"
"there is a network, who has to approve what.\n",
	.examples =
"cordon worker validate worker.yaml\n"
"cordon worker run worker.yaml -- ./agent.sh\n",
	.exits = { "yes, valid", NULL, CLI_UNUSABLE },
	},
	{
	.name = "worker run",
	.usage = "FILE -- COMMAND [ARG...]",
	.summary = "run a command as the worker",
	.about =
"The same as 'cordon run --worker FILE': COMMAND has the worker's profile, its\n"
"sandbox.paths are the only roots, and FILE itself cannot be changed.\n"
"\n"
"'executor.sandbox: none' opens nothing by itself: it goes with --no-sandbox.\n",
	.examples =
"cordon worker run worker.yaml -- ./agent.sh\n"
"cordon worker run worker.yaml --policy policy.yaml --json -- make\n",
	.exits = { NULL },
	.more_exits = CLI_RUN_EXITS("COMMAND"),
	.failure = CLI_RUN_FAILED,
	.options = (CLI_SESSION & ~CLI_BIT(CLI_WORKER)) | CLI_LAUNCH |
	    CLI_PRINT | CLI_BIT(CLI_DRY_RUN) | CLI_BIT(CLI_VERBOSE),
	.operands_min = 1,
	.operands_max = SIZE_MAX,
	.run = cli_worker_run,
	},
	{
	.name = "worker validate",
	.usage = "FILE...",
	.summary = "is the document valid; all that is wrong, at once",
	.about =
"Reads each FILE and prints every error with its line, column and remedy.\n",
	.examples = "cordon worker validate worker.yaml\n",
	.exits = { "every FILE is valid", NULL,
		"wrong usage, or a FILE is invalid or cannot be read" },
	.options = CLI_PRINT,
	.operands_min = 1,
	.operands_max = SIZE_MAX,
	.run = cli_worker_validate,
	},
	{
	.name = "worker show",
	.usage = "FILE",
	.summary = "the document as it was understood, JSON",
	.about =
"JSON is YAML, too: what is printed can be loaded again.\n",
	.examples = "cordon worker show worker.yaml\n",
	.exits = { "it was printed", NULL, CLI_UNUSABLE },
	.options = CLI_PRINT,
	.operands_min = 1,
	.operands_max = 1,
	.run = cli_worker_show,
	},
	{
	.name = "worker migrate",
	.usage = "FILE",
	.summary = "an older document in the form of today",
	.about =
"'sandboxes' with 'path' becomes 'sandbox.paths' with 'root', and tools get the\n"
"names they have now.  FILE is left as it is.  Where require_os_sandbox is not\n"
"written it means true now.\n",
	.examples = "cordon worker migrate old.yaml >worker.yaml\n",
	.exits = { "it was printed", NULL, CLI_UNUSABLE },
	.options = CLI_BIT(CLI_QUIET),
	.operands_min = 1,
	.operands_max = 1,
	.run = cli_worker_migrate,
	},
};
/* clang-format on */

const struct cli_table cli_table_worker = { rows, CDN_LEN(rows) };
