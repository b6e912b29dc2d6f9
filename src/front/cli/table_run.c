#include "front/cli/commands.h"

#define CHECK                                                   \
	(CLI_BIT(CLI_AS) | CLI_BIT(CLI_OP) | CLI_BIT(CLI_STDIN) | \
	    CLI_BIT(CLI_EXPLAIN) | CLI_BIT(CLI_DATA_DIR) |      \
	    CLI_BIT(CLI_CONFIG_PATH) | CLI_BIT(CLI_SHELL))

/* clang-format off */
static const struct cli_command rows[] = {
	{
	.name = "run",
	.usage = "-- COMMAND [ARG...]",
	.summary = "run a command inside the boundary",
	.about =
"COMMAND and everything it starts can use what the policy allows, and the\n"
"kernel sees to it.  HOME is a home of its own, kept for runs of this workspace\n"
"that may do the same outside of it; TMPDIR is a private directory; the\n"
"environment is composed, not inherited.  When COMMAND ends, nobody of its\n"
"process tree is left.\n"
"\n"
"One line sums up what was denied and by which rule; --verbose tells each as it\n"
"happens, the audit keeps them all.  What the kernel refuses by itself is seen\n"
"with --trace only.\n"
"\n"
"An agent is known by its name (claude, codex, gemini, opencode): it keeps its\n"
"state in that home, reads the settings, hooks and instructions of the real one,\n"
"and uses its login; other agents' state is closed; the network is open unless a\n"
"policy or --network closes it.  --agent none treats it as any other command.\n"
"\n"
"  --enforcement required     every rule holds, or nothing is started (default)\n"
"  --enforcement degraded     start with what this host can hold, and list the\n"
"                             rest\n"
"  --enforcement best-effort  start anyway, and warn\n",
	.examples =
"cordon run -- make test\n"
"cordon run --policy policy.yaml --profile dev -- ./build.sh\n"
"cordon run --network full --timeout 10m -- npm install\n"
"cordon run -- claude\n"
"cordon run --dry-run -- make\n",
	.exits = { NULL },
	.more_exits = CLI_RUN_EXITS("COMMAND"),
	.failure = CLI_RUN_FAILED,
	.options = CLI_SESSION | CLI_BIT(CLI_AGENT) | CLI_LAUNCH | CLI_PRINT |
	    CLI_BIT(CLI_DRY_RUN) | CLI_BIT(CLI_VERBOSE),
	.operands_max = SIZE_MAX,
	.run = cli_run,
	},
	{
	.name = "plan",
	.usage = "[-- COMMAND [ARG...]]",
	.summary = "what would be enforced here, and by whom",
	.about =
"Prints what 'cordon run' with the same options would hold: the regions of\n"
"the file system, each rule with who enforces it (the kernel, the broker,\n"
"nobody), and what this host cannot hold.  Nothing is started.\n"
"\n"
"  --backend seatbelt --format sbpl  the boundary as a profile for macOS\n",
	.examples =
"cordon plan\n"
"cordon plan --json --policy policy.yaml --profile dev\n",
	.exits = { "a run would start",
		"the enforcement that is asked for is not met", CLI_UNUSABLE },
	.options = CLI_SESSION | CLI_BIT(CLI_AGENT) | CLI_LAUNCH | CLI_PRINT | CLI_BIT(CLI_FORMAT),
	.operands_max = SIZE_MAX,
	.run = cli_plan,
	},
	{
	.name = "check",
	.usage = "PATH... | --stdin | --shell COMMAND",
	.summary = "may this path be used, and which line says so",
	.about =
"Asks the policy about each PATH and names the rule that decided, with its\n"
"file, line and column.  Nothing is opened or changed.\n"
"\n"
"  --as process  may a process of the run use it (default)\n"
"  --as agent    may the agent name it to a tool: no runtime view\n"
"  --as policy   the documents alone, on a workspace-relative string\n"
"  --as block    the block list of --data-dir, on absolute paths\n"
"\n"
"With --stdin every line is a query and gets one line of JSON:\n"
"  {\"path\":\"src/a\",\"op\":\"modify\",\"profile\":\"dev\",\"as\":\"agent\"}\n"
"Only \"path\" is required; \"data_dir\" and \"config_path\" go with \"block\".\n"
"\n"
"With --shell the words of COMMAND are judged as an agent's: arguments,\n"
"redirections, values of options, denied names inside of words (if=x, -fx, @x),\n"
"what known programs write.  What cannot be read is denied.  What only a shell\n"
"can know ($X, *, $(...)) is 'dynamic', and allowed only where a run would be\n"
"enforced in full.  It is early advice, never the boundary.  With --worker the\n"
"shell_rules and programs of the worker have a say, too.\n",
	.examples =
"cordon check --op modify src/main.c .git/config\n"
"cordon check --explain --policy policy.yaml --profile dev secrets/key\n"
"cordon check --shell 'git -C /etc log'\n",
	.exits = {
		"every path is allowed (--stdin: every line was a query)",
		NULL,
		"wrong usage, an unusable document, or a path without a verdict",
		"a path is denied",
		"a path needs approval, none is denied",
	},
	.options = CLI_SESSION | CLI_BIT(CLI_AGENT) | CHECK | CLI_PRINT,
	.operands_max = SIZE_MAX,
	.run = cli_check,
	},
	{
	.name = "verify",
	.usage = "",
	.summary = "does the kernel do what the policy says, here and now",
	.about =
"Builds the cage that 'cordon run' with the same options would build, enters\n"
"it, and tries what the policy allows and what it denies: files of the\n"
"workspace, the floor, the boundary of every rule, names at random, sockets,\n"
"and known ways out.  What the kernel answers is compared with the verdict\n"
"('cordon check --as process'); what does not work without a cage either\n"
"counts for nothing.\n"
"\n"
"What is there is opened and closed, never changed.  Where the run may write,\n"
"names that do not exist are made for a moment: empty files and directories,\n"
"links, sockets, most of them called 'cordon-verify-...'.  Nothing is executed,\n"
"no packet leaves the machine, nothing is recorded.\n",
	.examples =
"cordon verify\n"
"cordon verify --policy policy.yaml --profile dev --json\n"
"cordon verify --preset strict --seed 7\n",
	.exits = { "the kernel and the policy agree",
		"they do not, or this host cannot hold the policy", CLI_UNUSABLE },
	.options = CLI_SESSION | CLI_BIT(CLI_AGENT) | CLI_PRINT | CLI_BIT(CLI_BACKEND) |
	    CLI_BIT(CLI_ENFORCEMENT) | CLI_BIT(CLI_ISOLATION) |
	    CLI_BIT(CLI_HOME) | CLI_BIT(CLI_ALLOW) | CLI_BIT(CLI_TRACE) |
	    CLI_BIT(CLI_SEED) | CLI_BIT(CLI_VERBOSE),
	.run = cli_verify,
	},
};
/* clang-format on */

const struct cli_table cli_table_run = { rows, CDN_LEN(rows) };
