#include "front/cli/commands.h"

#define ANSWER(agent, title, function)                                      \
	{                                                                   \
		.name = "hook " agent,                                      \
		.usage = "",                                                \
		.summary = "answer " title ", which asks before it uses "   \
			   "a tool",                                        \
		.about = ANSWER_ABOUT,                                      \
		.examples = "cordon hook " agent " <event.json\n",          \
		.exits = { "the tool may be used", NULL,                    \
		    "it is blocked: by a rule, or by anything that went "   \
		    "wrong" },                                              \
		.options = CLI_SESSION | CLI_BIT(CLI_AUDIT) |               \
		    CLI_BIT(CLI_INSTALLED),                                 \
		.run = (function),                                          \
	}

/* clang-format off */
#define ANSWER_ABOUT \
"An agent runs this before each of its tools ('cordon hook install').  The event\n" \
"on standard input says which; its paths and commands are judged, the verdict is\n" \
"recorded, and the answer has the agent's own form.  Agents go on when their hook\n" \
"fails, so every failure of ours (a policy that cannot be read, an event that is\n" \
"not understood, a crash, ten seconds without an answer) blocks the tool, too.\n" \
"The workspace is the agent's current directory unless --workspace names it.\n"

static const struct cli_command rows[] = {
	{
	.name = "hook",
	.usage = "COMMAND",
	.summary = "have an agent ask before each of its tools",
	.about =
"For agents that run without a cage, and for better words in one: the agent asks\n"
"before it uses a tool, and is told which rule refuses it.  Only its own tools ask;\n"
"what a command does when it runs, 'cordon run' holds.\n",
	.examples = "cordon hook install claude\n",
	.exits = { "yes", NULL, CLI_UNUSABLE },
	},
	ANSWER("claude", "Claude Code", cli_hook_claude),
	ANSWER("codex", "Codex", cli_hook_codex),
	ANSWER("gemini", "Gemini CLI", cli_hook_gemini),
	ANSWER("cursor", "Cursor", cli_hook_cursor),
	{
	.name = "hook install",
	.usage = "AGENT [-- HOOK_OPTIONS...]",
	.summary = "put the hook into an agent's settings",
	.about =
"AGENT is claude, codex, gemini or cursor.  The hook goes into the user's own\n"
"settings of it; with --workspace DIR into those of the project in DIR, and holds\n"
"for DIR alone.  The difference is shown, then written at once; nothing else in the\n"
"file changes, and doing it again changes nothing.  HOOK_OPTIONS are those of 'cordon\n"
"hook AGENT', such as --policy FILE.  Codex runs a hook only after its user has\n"
"trusted it (/hooks); Cursor is spoken to by its documentation.\n",
	.examples =
"cordon hook install --dry-run claude\n"
"cordon hook install codex -- --policy ~/agents.yaml\n",
	.exits = { "it is installed", NULL,
		"wrong usage, or settings that cannot be used" },
	.options = CLI_BIT(CLI_WORKSPACE) | CLI_BIT(CLI_SHOW_ONLY) | CLI_BIT(CLI_QUIET),
	.operands_max = SIZE_MAX,
	.run = cli_hook_install,
	},
	{
	.name = "hook uninstall",
	.usage = "AGENT",
	.summary = "take the hook out of an agent's settings",
	.about =
"Gives back the bytes that were there before 'cordon hook install'; where others\n"
"have changed the file since, only what is ours goes.\n",
	.examples = "cordon hook uninstall claude\n",
	.exits = { "it is not installed any more", NULL,
		"wrong usage, or settings that cannot be used" },
	.options = CLI_BIT(CLI_WORKSPACE) | CLI_BIT(CLI_SHOW_ONLY) | CLI_BIT(CLI_QUIET),
	.operands_max = 1,
	.run = cli_hook_uninstall,
	},
	{
	.name = "hook status",
	.usage = "[AGENT [-- HOOK_OPTIONS...]]",
	.summary = "is the hook in the settings of an agent?",
	.about =
"Also whether the agent runs it: Codex skips a hook that nobody has trusted, and\n"
"settings can turn all hooks off.\n",
	.examples = "cordon hook status codex\n",
	.exits = { "it is installed, and runs (without AGENT: that of one of them)",
		"it is not, or would not run", "wrong usage, or settings that cannot be used" },
	.options = CLI_BIT(CLI_WORKSPACE) | CLI_PRINT,
	.operands_max = SIZE_MAX,
	.run = cli_hook_status,
	},
};
/* clang-format on */

const struct cli_table cli_table_hook = { rows, CDN_LEN(rows) };
