#include "front/cli/commands.h"

#define UNUSABLE_LOG "wrong usage, or a log that cannot be read"

/* clang-format off */
static const struct cli_command rows[] = {
	{
	.name = "audit",
	.usage = "COMMAND",
	.summary = "what runs did, what was denied, and is the log intact",
	.about =
"Every run, once its documents were read, is recorded with its policy, what is\n"
"enforced, each denial and its end, in ~/.local/state/cordon/audit.jsonl or\n"
"where --audit says.  FILE is that log unless another one is named; parts that\n"
"were put away when it was full (FILE.1, FILE.48211) belong to it.\n",
	.examples =
"cordon audit list\n"
"cordon audit show 4f1c70c2\n"
"cordon audit verify\n",
	.exits = { "yes, intact", "verify found something; grep found nothing",
		UNUSABLE_LOG },
	},
	{
	.name = "audit list",
	.usage = "[FILE]",
	.summary = "one line per run: id, time, how it ended, denials, command",
	.about =
"A run without an end goes on, or it was killed together with cordon.\n",
	.examples =
"cordon audit list\n"
"cordon audit list --json backup/audit.jsonl\n",
	.exits = { "they were listed", NULL, UNUSABLE_LOG },
	.options = CLI_PRINT,
	.operands_max = 1,
	.run = cli_audit_list,
	},
	{
	.name = "audit show",
	.usage = "RUN [FILE]",
	.summary = "one run: its events, its denials by rule and by path",
	.about =
"RUN is the id of a run or its beginning; --json prints its lines as they are.\n",
	.examples =
"cordon audit show 4f1c70c29d1b44aa\n"
"cordon audit show --json 4f1c | jq .path\n",
	.exits = { "it was shown", NULL, "wrong usage, no such run, or a log "
		"that cannot be read" },
	.options = CLI_BIT(CLI_ONLY_KIND) | CLI_PRINT,
	.operands_min = 1,
	.operands_max = 2,
	.run = cli_audit_show,
	},
	{
	.name = "audit grep",
	.usage = "TEXT [FILE]",
	.summary = "the events that hold TEXT",
	.about =
"TEXT is looked for, as it is, in every value of an event: paths, rules,\n"
"arguments, times.  --json prints the lines as they are.\n",
	.examples =
"cordon audit grep .git/hooks\n"
"cordon audit grep --kind net.denied --run 4f1c 192.168.\n",
	.exits = { "there are such events", "there are none", UNUSABLE_LOG },
	.options = CLI_BIT(CLI_ONLY_RUN) | CLI_BIT(CLI_ONLY_KIND) | CLI_PRINT,
	.operands_min = 1,
	.operands_max = 2,
	.run = cli_audit_grep,
	},
	{
	.name = "audit tail",
	.usage = "[FILE]",
	.summary = "the last events, and with -f those that come",
	.about =
"The last ten.  With -f it goes on until it is interrupted.\n",
	.examples =
"cordon audit tail -f\n"
"cordon audit tail -f --kind fs.call.denied\n",
	.exits = { "they were printed", NULL, UNUSABLE_LOG },
	.options = CLI_BIT(CLI_FOLLOW) | CLI_BIT(CLI_ONLY_RUN) |
	    CLI_BIT(CLI_ONLY_KIND) | CLI_PRINT,
	.operands_max = 1,
	.run = cli_audit_tail,
	},
	{
	.name = "audit verify",
	.usage = "[FILE]",
	.summary = "is the log as it was written",
	.about =
"Hashes every line and compares it with what the next one says of it, through\n"
"all parts, and the last one with FILE.head.  Sees a changed byte, a removed, a\n"
"repeated or a moved line, a cut end, a missing part.  A copy without its head\n"
"is checked from the inside only.\n",
	.examples =
"cordon audit verify\n"
"cordon audit verify --json backup/audit.jsonl\n",
	.exits = { "it is intact", "it is not", UNUSABLE_LOG },
	.options = CLI_PRINT,
	.operands_max = 1,
	.run = cli_audit_verify,
	},
	{
	.name = "audit export",
	.usage = "[FILE]",
	.summary = "all events as JSON lines, or for OpenTelemetry",
	.about =
"  --format jsonl  the lines as they are, of all parts, oldest first (default)\n"
"  --format otel   one OTLP/JSON log record per line, as collectors read it\n",
	.examples =
"cordon audit export --run 4f1c >run.jsonl\n"
"cordon audit export --format otel >events.otlp.jsonl\n",
	.exits = { "all was written", "a line of the log is no event",
		UNUSABLE_LOG },
	.options = CLI_BIT(CLI_LOG_FORMAT) | CLI_BIT(CLI_ONLY_RUN) |
	    CLI_BIT(CLI_ONLY_KIND) | CLI_BIT(CLI_QUIET),
	.operands_max = 1,
	.run = cli_audit_export,
	},
	{
	.name = "audit report",
	.usage = "[FILE]",
	.summary = "one HTML file: what happened, and what to look at now",
	.about =
"Runs, denials by rule and by path, grants, the timeline, and the files that\n"
"were written and that this machine would execute: hooks, configuration of\n"
"nested repositories, .envrc, editor tasks, package scripts, CI, executables.\n"
"The file needs no network and has no script.\n",
	.examples =
"cordon audit report -o report.html\n"
"cordon audit report --run 4f1c --output run.html\n",
	.exits = { "it was written", NULL,
		"wrong usage, a log that cannot be read, or it cannot be "
		"written" },
	.options = CLI_BIT(CLI_OUTPUT) | CLI_BIT(CLI_ONLY_RUN) |
	    CLI_BIT(CLI_QUIET),
	.operands_max = 1,
	.run = cli_audit_report,
	},
};
/* clang-format on */

const struct cli_table cli_table_audit = { rows, CDN_LEN(rows) };
