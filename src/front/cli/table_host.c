#include "front/cli/commands.h"

/* clang-format off */
static const struct cli_command rows[] = {
	{
	.name = "trust",
	.usage = "[DIR] | --list | --revoke DIR",
	.summary = "let a project's own policy do more than narrow",
	.about =
"A project's policy can be written by whoever writes the project, so it can\n"
"only take away until its bytes are trusted.  Shows what is being trusted,\n"
"then records the SHA-256 of DIR/.cordon/policy.yaml (default: the current\n"
"directory).  A changed file is not trusted.\n",
	.examples =
"cordon trust\n"
"cordon trust --list\n",
	.exits = { "it was recorded, listed, revoked", NULL,
		"wrong usage, an unusable document, or nothing to revoke" },
	.options = CLI_BIT(CLI_LIST) | CLI_BIT(CLI_REVOKE) |
	    CLI_BIT(CLI_WORKSPACE) | CLI_PRINT,
	.operands_max = 1,
	.run = cli_trust,
	},
	{
	.name = "doctor",
	.usage = "",
	.summary = "what this machine can enforce, and what is missing",
	.about =
"Tries what a run needs, really and on this machine, and says what is missing\n"
"and how to get it: 'error' where nothing can be confined, 'warning' where\n"
"not everything can be, 'note' where nothing is lost.\n",
	.examples =
"cordon doctor\n"
"cordon doctor --floor\n",
	.exits = { "everything a policy can say can be enforced here",
		"not everything can be", "wrong usage" },
	.options = CLI_BIT(CLI_FLOOR) | CLI_PRINT,
	.run = cli_doctor,
	},
	{
	.name = "manual",
	.usage = "PAGE",
	.summary = "a man page or a shell's completions, made from the tables",
	.about =
"PAGE is cordon.1, cordon-policy.5, bash, zsh or fish.\n",
	.examples = "cordon manual bash >cordon.bash\n",
	.exits = { "it was printed", NULL, "wrong usage" },
	.options = CLI_BIT(CLI_QUIET),
	.operands_min = 1,
	.operands_max = 1,
	.run = cli_manual,
	.hidden = true,
	},
};
/* clang-format on */

const struct cli_table cli_table_host = { rows, CDN_LEN(rows) };
