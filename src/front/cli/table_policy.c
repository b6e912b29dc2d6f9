#include "front/cli/commands.h"

/* clang-format off */
static const struct cli_command rows[] = {
	{
	.name = "policy",
	.usage = "COMMAND",
	.summary = "validate, lint, show and write policies",
	.about =
"A policy is a YAML document: ordered rules in named profiles, and denies\n"
"that hold for all of them.\n",
	.examples =
"cordon policy init\n"
"cordon policy lint\n",
	.exits = { "yes, valid, clean", "lint found something", CLI_UNUSABLE },
	},
	{
	.name = "policy validate",
	.usage = "FILE...",
	.summary = "is the document valid; all that is wrong, at once",
	.about =
"Reads each FILE and prints every error with its line, column and remedy.\n",
	.examples = "cordon policy validate .cordon/policy.yaml\n",
	.exits = { "every FILE is valid", NULL,
		"wrong usage, or a FILE is invalid or cannot be read" },
	.options = CLI_PRINT,
	.operands_min = 1,
	.operands_max = SIZE_MAX,
	.run = cli_policy_validate,
	},
	{
	.name = "policy lint",
	.usage = "[FILE...]",
	.summary = "what is legal but probably not meant",
	.about =
"Looks for shadowed rules, rules that match nothing in the workspace, lists\n"
"of negations only, '[' and '{' (which are literal), paths that may be\n"
"modified but not read, negations undone by a later rule, and files the host\n"
"would execute that are left modifiable.\n"
"Without FILE: every document that would be loaded here.\n",
	.examples =
"cordon policy lint\n"
"cordon policy lint --workspace ~/src/app policy.yaml\n",
	.exits = { "nothing was found", "something was found", CLI_UNUSABLE },
	.options = CLI_BIT(CLI_POLICY) | CLI_BIT(CLI_WORKSPACE) | CLI_PRINT,
	.operands_max = SIZE_MAX,
	.run = cli_policy_lint,
	},
	{
	.name = "policy show",
	.usage = "[NAME]",
	.summary = "the effective profile, denies included",
	.about =
"Prints the profile that would hold here: rules normalised and in order,\n"
"global denies as '!rule' at the end.  With NAME: the profiles of that named\n"
"policy ('cordon policy list'), or the one of --profile.\n",
	.examples =
"cordon policy show --profile dev\n"
"cordon policy show --json --policy policy.yaml\n",
	.exits = { "it was printed", NULL, CLI_UNUSABLE },
	.options = CLI_SESSION | CLI_PRINT,
	.operands_max = 1,
	.run = cli_policy_show,
	},
	{
	.name = "policy notice",
	.usage = "",
	.summary = "the boundary in words, for an agent's instructions",
	.about =
"Prints Markdown for CLAUDE.md, AGENTS.md or a prompt: who knows what will be\n"
"refused does not try it.  It is advice; the kernel is the boundary.\n",
	.examples =
"cordon policy notice >>AGENTS.md\n"
"cordon policy notice --worker worker.yaml\n",
	.exits = { "it was printed", NULL, CLI_UNUSABLE },
	.options = CLI_SESSION | CLI_BIT(CLI_QUIET),
	.run = cli_policy_notice,
	},
	{
	.name = "policy list",
	.usage = "",
	.summary = "the named policies of the host and the user",
	.about =
"They lie in 'policies/NAME.yaml' below /etc/cordon and below the user's\n"
"configuration directory (~/.config/cordon).\n",
	.examples = "cordon policy list\n",
	.exits = { "they were listed", NULL, CLI_UNUSABLE },
	.options = CLI_PRINT,
	.run = cli_policy_list,
	},
	{
	.name = "policy merge",
	.usage = "GLOBAL WORKSPACE",
	.summary = "one policy of two: profiles replaced, denies added up",
	.about =
"Profiles of WORKSPACE replace those of GLOBAL by name, the denies of both\n"
"hold, and the result is validated again.  Prints YAML that loads again; a\n"
"warning names the profiles that grant more than GLOBAL did.\n",
	.examples =
"cordon policy merge ~/.config/cordon/policy.yaml .cordon/policy.yaml\n",
	.exits = { "the merged policy was printed", NULL,
		"wrong usage, or documents that cannot be used together" },
	.options = CLI_PRINT,
	.operands_min = 2,
	.operands_max = 2,
	.run = cli_policy_merge,
	},
	{
	.name = "policy schema",
	.usage = "[policy | worker]",
	.summary = "the JSON Schema of policies, or of documents of workers",
	.about =
"Editors that know JSON Schema complete and check documents with it.\n",
	.examples =
"cordon policy schema >cordon-policy.schema.json\n"
"cordon policy schema worker >cordon-worker.schema.json\n",
	.exits = { "it was printed", NULL, CLI_UNUSABLE },
	.options = CLI_BIT(CLI_QUIET),
	.operands_max = 1,
	.run = cli_policy_schema,
	},
	{
	.name = "policy init",
	.usage = "[DIR]",
	.summary = "write a commented policy to start from",
	.about =
"Writes DIR/.cordon/policy.yaml (default: the current directory).  Never\n"
"overwrites one.\n",
	.examples = "cordon policy init\n",
	.exits = { "it was written", NULL,
		"wrong usage, it was there already, or it cannot be written" },
	.options = CLI_BIT(CLI_WORKSPACE) | CLI_BIT(CLI_QUIET),
	.operands_max = 1,
	.run = cli_policy_init,
	},
	{
	.name = "policy reference",
	.usage = "",
	.summary = "the reference page of all keys, Markdown",
	.about = "",
	.examples = "cordon policy reference >docs/policy.md\n",
	.exits = { "it was printed", NULL, CLI_UNUSABLE },
	.options = CLI_BIT(CLI_QUIET),
	.run = cli_policy_reference,
	.hidden = true,
	},
};
/* clang-format on */

const struct cli_table cli_table_policy = { rows, CDN_LEN(rows) };
