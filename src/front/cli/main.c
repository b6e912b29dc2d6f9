#include "front/cli/cli.h"

#include <malloc.h>

/* Options that decide which policy, profile and workspace are asked. */
#define SESSION                                             \
	(CLI_BIT(CLI_POLICY) | CLI_BIT(CLI_PROFILE) |       \
	    CLI_BIT(CLI_PRESET) | CLI_BIT(CLI_WORKSPACE) |  \
	    CLI_BIT(CLI_READ) | CLI_BIT(CLI_WRITE) |        \
	    CLI_BIT(CLI_NETWORK))
#define PRINT (CLI_BIT(CLI_JSON) | CLI_BIT(CLI_QUIET))
#define CHECK                                                   \
	(CLI_BIT(CLI_AS) | CLI_BIT(CLI_OP) | CLI_BIT(CLI_STDIN) | \
	    CLI_BIT(CLI_EXPLAIN) | CLI_BIT(CLI_DATA_DIR) |      \
	    CLI_BIT(CLI_CONFIG_PATH) | CLI_BIT(CLI_SHELL))

#define LAUNCH                                                       \
	(CLI_BIT(CLI_BACKEND) | CLI_BIT(CLI_ENFORCEMENT) |           \
	    CLI_BIT(CLI_ISOLATION) | CLI_BIT(CLI_HOME) |             \
	    CLI_BIT(CLI_ALLOW) | CLI_BIT(CLI_NO_SANDBOX) |           \
	    CLI_BIT(CLI_TIMEOUT) | CLI_BIT(CLI_ENV) |                \
	    CLI_BIT(CLI_AUDIT) | CLI_BIT(CLI_TRACE))

#define UNUSABLE_LOG "wrong usage, or a log that cannot be read"
#define UNUSABLE "wrong usage, or a document that cannot be used"

/* clang-format off */
#define RUN_EXITS(name) \
"  N    " name "'s own\n" \
"  124  it took longer than --timeout or the profile's limit\n" \
"  125  something of ours: usage, a document, what cannot be enforced here\n" \
"  126  " name " was found, but is refused or no program\n" \
"  127  " name " was not found\n" \
"  128+N  signal N ended it\n"

static const struct cli_command commands[] = {
	{
	.name = "run",
	.usage = "-- COMMAND [ARG...]",
	.summary = "run a command inside the boundary",
	.about =
"COMMAND and everything it starts can use what the policy allows, and the\n"
"kernel sees to it.  HOME is a home of its own per workspace, TMPDIR a private\n"
"directory; the environment is composed, not inherited.  When COMMAND ends,\n"
"nobody of its process tree is left.\n"
"\n"
"One line sums up what was denied and by which rule; --verbose tells each as it\n"
"happens, the audit keeps them all.  What the kernel refuses by itself is seen\n"
"with --trace only.\n"
"\n"
"  --enforcement required     every rule holds, or nothing is started (default)\n"
"  --enforcement degraded     start with what this host can hold, and list the\n"
"                             rest\n"
"  --enforcement best-effort  start anyway, and warn\n",
	.examples =
"cordon run -- make test\n"
"cordon run --policy policy.yaml --profile dev -- ./build.sh\n"
"cordon run --network full --timeout 10m -- npm install\n"
"cordon run --dry-run -- make\n",
	.exits = { NULL },
	.more_exits = RUN_EXITS("COMMAND"),
	.failure = CLI_RUN_FAILED,
	.options = SESSION | LAUNCH | PRINT | CLI_BIT(CLI_DRY_RUN) |
	    CLI_BIT(CLI_VERBOSE),
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
"nobody), and what this host cannot hold.  Nothing is started.\n",
	.examples =
"cordon plan\n"
"cordon plan --json --policy policy.yaml --profile dev\n",
	.exits = { "a run would start",
		"the enforcement that is asked for is not met", UNUSABLE },
	.options = SESSION | LAUNCH | PRINT | CLI_BIT(CLI_FORMAT),
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
"redirections, values of options.  What cannot be read is denied.  What only a\n"
"shell can know ($X, *, $(...)) is 'dynamic', and allowed only where a run\n"
"would be enforced in full.  It is early advice, never the boundary.\n",
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
	.options = SESSION | CHECK | PRINT,
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
		"they do not, or this host cannot hold the policy", UNUSABLE },
	.options = SESSION | PRINT | CLI_BIT(CLI_BACKEND) |
	    CLI_BIT(CLI_ENFORCEMENT) | CLI_BIT(CLI_ISOLATION) |
	    CLI_BIT(CLI_HOME) | CLI_BIT(CLI_ALLOW) | CLI_BIT(CLI_TRACE) |
	    CLI_BIT(CLI_SEED) | CLI_BIT(CLI_VERBOSE),
	.run = cli_verify,
	},
	{
	.name = "mcp",
	.usage = "COMMAND",
	.summary = "run MCP servers behind the boundary",
	.about =
"The guard runs a server in a cage and looks at each call before it sees it.\n",
	.examples = "cordon mcp pins\n",
	.exits = { "yes", NULL, UNUSABLE },
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
	.more_exits = RUN_EXITS("SERVER"),
	.failure = CLI_RUN_FAILED,
	.options = SESSION | LAUNCH | CLI_BIT(CLI_QUIET) | CLI_BIT(CLI_VERBOSE),
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
	.exits = { "they were listed, or it was forgotten", NULL, UNUSABLE },
	.options = PRINT,
	.operands_max = 2,
	.run = cli_mcp_pins,
	},
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
	.exits = { "yes, valid, clean", "lint found something", UNUSABLE },
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
	.options = PRINT,
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
	.exits = { "nothing was found", "something was found", UNUSABLE },
	.options = CLI_BIT(CLI_POLICY) | CLI_BIT(CLI_WORKSPACE) | PRINT,
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
	.exits = { "it was printed", NULL, UNUSABLE },
	.options = SESSION | PRINT,
	.operands_max = 1,
	.run = cli_policy_show,
	},
	{
	.name = "policy list",
	.usage = "",
	.summary = "the named policies of the host and the user",
	.about =
"They lie in 'policies/NAME.yaml' below /etc/cordon and below the user's\n"
"configuration directory (~/.config/cordon).\n",
	.examples = "cordon policy list\n",
	.exits = { "they were listed", NULL, UNUSABLE },
	.options = PRINT,
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
	.options = PRINT,
	.operands_min = 2,
	.operands_max = 2,
	.run = cli_policy_merge,
	},
	{
	.name = "policy schema",
	.usage = "[policy]",
	.summary = "the JSON Schema of policy documents",
	.about =
"Editors that know JSON Schema complete and check policies with it.\n",
	.examples = "cordon policy schema >cordon-policy.schema.json\n",
	.exits = { "it was printed", NULL, UNUSABLE },
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
	.exits = { "it was printed", NULL, UNUSABLE },
	.options = CLI_BIT(CLI_QUIET),
	.run = cli_policy_reference,
	.hidden = true,
	},
	{
	.name = "worker",
	.usage = "COMMAND",
	.summary = "validate, show and migrate documents of workers",
	.about =
"A worker is one activity of an agent: which profile and roots it has, whether\n"
"there is a network, who has to approve what.\n",
	.examples = "cordon worker validate worker.yaml\n",
	.exits = { "yes, valid", NULL, UNUSABLE },
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
	.options = PRINT,
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
	.exits = { "it was printed", NULL, UNUSABLE },
	.options = PRINT,
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
	.exits = { "it was printed", NULL, UNUSABLE },
	.options = CLI_BIT(CLI_QUIET),
	.operands_min = 1,
	.operands_max = 1,
	.run = cli_worker_migrate,
	},
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
	    CLI_BIT(CLI_WORKSPACE) | PRINT,
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
	.options = CLI_BIT(CLI_FLOOR) | PRINT,
	.run = cli_doctor,
	},
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
	.options = PRINT,
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
	.options = CLI_BIT(CLI_ONLY_KIND) | PRINT,
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
	.options = CLI_BIT(CLI_ONLY_RUN) | CLI_BIT(CLI_ONLY_KIND) | PRINT,
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
	    CLI_BIT(CLI_ONLY_KIND) | PRINT,
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
	.options = PRINT,
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

const struct cli_command *
cli_command(size_t i)
{
	return i < CDN_LEN(commands) ? &commands[i] : NULL;
}

const struct cli_command *
cli_command_find(const char *name)
{
	for (size_t i = 0; i < CDN_LEN(commands); i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

static const char *
command_name(size_t i, const void *arg)
{
	(void)arg;
	return i < CDN_LEN(commands) ? commands[i].name : NULL;
}

static int
unknown(const char *name)
{
	const char *near = cli_nearest(name, command_name, NULL);

	cli_error("unknown command '%s'", name);
	if (near != NULL)
		cli_hint("did you mean 'cordon %s'?", near);
	else
		cli_hint("'cordon --help' lists the commands");
	return CLI_INVALID;
}

static bool
count_fits(const struct cli_command *command, const struct cli_args *args)
{
	size_t n = args->operands.n;

	if (n < command->operands_min)
		cli_error("'cordon %s' needs %s", command->name,
		    command->usage);
	else if (n > command->operands_max)
		cli_error("'%s' is one argument too many for 'cordon %s'",
		    args->operands.v[command->operands_max], command->name);
	else
		return true;
	return false;
}

static int
run(const struct cli_command *command, int argc, char **argv)
{
	int failure = command->failure != 0 ? command->failure : CLI_INVALID;
	struct cli_args args;
	int status;

	cli_output_failure(failure);
	if (!cli_args_parse(argc, argv, command->options, command->name, &args))
		return failure;
	if (cli_has(&args, CLI_QUIET))
		cli_output_quiet();
	if (cli_has(&args, CLI_HELP)) {
		cli_help(command);
		status = CLI_YES;
	} else if (!count_fits(command, &args)) {
		(void)cli_usage(command);
		status = failure;
	} else {
		status = command->run(&args);
	}
	cli_args_done(&args);
	return status;
}

/* `cordon policy ...`: argv begins with the word behind "policy". */
static int
run_group(const struct cli_command *group, int argc, char **argv)
{
	cdn_cleanup_free char *name = NULL;
	const struct cli_command *command;

	if (argc == 0) {
		cli_error("'cordon %s' needs a command", group->name);
		return cli_usage(group);
	}
	if (strcmp(argv[0], "--help") == 0) {
		cli_help(group);
		return CLI_YES;
	}
	name = cli_printf("%s %s", group->name, argv[0]);
	command = cli_command_find(name);
	if (command == NULL)
		return unknown(name);
	return run(command, argc - 1, argv + 1);
}

static int
dispatch(int argc, char **argv)
{
	const struct cli_command *command;

	if (argc == 0) {
		cli_error("which command?");
		return cli_usage(NULL);
	}
	if (strcmp(argv[0], "--version") == 0 && argc == 1) {
		printf("cordon %s\n", cordon_version());
		return CLI_YES;
	}
	if (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "help") == 0)
		return cli_help_words(argc - 1, argv + 1);
	command = cli_command_find(argv[0]);
	if (command == NULL)
		return unknown(argv[0]);
	if (command->run == NULL)
		return run_group(command, argc - 1, argv + 1);
	return run(command, argc - 1, argv + 1);
}

/* A start needs less than this: it is asked for once, and not given back. */
#define HEAP_BYTES (512 * 1024)

static void
keep_heap(void)
{
#ifdef __GLIBC__
	/* NOLINTBEGIN(concurrency-mt-unsafe): there is one thread yet */
	(void)mallopt(M_TOP_PAD, HEAP_BYTES);
	(void)mallopt(M_TRIM_THRESHOLD, 2 * HEAP_BYTES);
	(void)mallopt(M_MMAP_THRESHOLD, HEAP_BYTES);
	/* NOLINTEND(concurrency-mt-unsafe) */
#endif
}

int
main(int argc, char **argv)
{
	const struct cli_command *command = argc > 1 ?
	    cli_command_find(argv[1]) : NULL;
	int failure = command != NULL && command->failure != 0 ?
	    command->failure : CLI_INVALID;

	keep_heap();
	cli_output_failure(failure);
	if (!cli_output_init())
		return failure;
	return cli_output_finish(dispatch(argc - 1, argv + 1));
}
