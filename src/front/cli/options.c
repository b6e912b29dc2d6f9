#include "front/cli/options.h"

#include "base/str.h"
#include "front/cli/output.h"

/* ----- Words that no library table has ---------------------------------- */

static const char *
home_word(int i)
{
	static const char *const words[] = { "own", "host", NULL };

	return words[i];
}

static const char *
allow_word(int i)
{
	return i == 0 ? "nested-git" : cordon_default_group((size_t)i - 1);
}

static const char *
format_word(int i)
{
	static const char *const words[] = { "text", "json", "argv",
		"sbpl", NULL };

	return words[i];
}

static const char *
log_format_word(int i)
{
	static const char *const words[] = { "jsonl", "otel", NULL };

	return words[i];
}

static const char *
installed_word(int i)
{
	static const char *const words[] = { "entry", "event", "hooks", "file",
		NULL };

	return words[i];
}

static const char *
wrapped_word(int i)
{
	static const char *const words[] = { "args", "bare", NULL };

	return words[i];
}

/* A list of endpoints is possible, too. */
static const char *
network_word(int i)
{
	static const char *const words[] = { "none", "loopback", "full", NULL };

	return words[i];
}

/* clang-format off */
static const struct cli_option_row rows[CLI_OPTION_MAX] = {
	[CLI_POLICY]	  = { "policy", CLI_MANY, "FILE",
	    "use FILE, not the user's and project's; repeatable" },
	[CLI_PROFILE]	  = { "profile", CLI_VALUE, "NAME",
	    "the profile to ask (default: unrestricted)" },
	[CLI_WORKER]	  = { "worker", CLI_VALUE, "FILE",
	    "the document of a worker; its roots are all there are" },
	[CLI_PRESET]	  = { "preset", CLI_VALUE, "NAME",
	    "workspace (default), protect or strict", cli_preset_word },
	[CLI_WORKSPACE]	  = { "workspace", CLI_VALUE, "DIR",
	    "the workspace (default: the current directory)" },
	[CLI_READ]	  = { "read", CLI_MANY, "PATH",
	    "PATH outside may be read; repeatable" },
	[CLI_WRITE]	  = { "write", CLI_MANY, "PATH",
	    "PATH outside may be read and modified; repeatable" },
	[CLI_NETWORK]	  = { "network", CLI_VALUE, "WHAT",
	    "none, loopback, full or HOST[:PORT][,...]", network_word },
	[CLI_AGENT]	  = { "agent", CLI_VALUE, "NAME",
	    "auto (default), claude, codex, gemini, opencode or none",
	    cli_agent_word },
	[CLI_BACKEND]	  = { "backend", CLI_VALUE, "NAME",
	    "auto (default), native, bwrap, seatbelt or none", cli_backend_word },
	[CLI_ENFORCEMENT] = { "enforcement", CLI_VALUE, "HOW",
	    "required (default), degraded or best-effort", cli_enforcement_word },
	[CLI_ISOLATION]	  = { "isolation", CLI_VALUE, "HOW",
	    "auto (default), none or namespaces", cli_isolation_word },
	[CLI_HOME]	  = { "home", CLI_VALUE, "WHICH",
	    "own (default) or host: the real home stays HOME", home_word },
	[CLI_ALLOW]	  = { "allow", CLI_MANY, "WHAT",
	    "nested-git, a group or an entry of the defaults; repeatable",
	    allow_word },
	[CLI_NO_SANDBOX]  = { "no-sandbox", CLI_FLAG, NULL,
	    "--backend none --enforcement best-effort" },
	[CLI_TIMEOUT]	  = { "timeout", CLI_VALUE, "DUR",
	    "end it after DUR: 500ms, 30s, 10m, 1h" },
	[CLI_ENV]	  = { "env", CLI_MANY, "NAME[=VALUE]",
	    "one more variable (NAME alone: as it is here)" },
	[CLI_AUDIT]	  = { "audit", CLI_VALUE, "FILE",
	    "record there, not in the user's own audit" },
	[CLI_TRACE]	  = { "trace", CLI_FLAG, NULL,
	    "judge every open, so that each refusal is told as it happens" },
	[CLI_APPROVE_WITH] = { "approve-with", CLI_VALUE, "CMD",
	    "ask CMD what needs approval: JSON on its input, 0 is yes" },
	[CLI_DRY_RUN]	  = { "dry-run", CLI_FLAG, NULL,
	    "print the plan, start nothing" },
	[CLI_FORMAT]	  = { "format", CLI_VALUE, "FORMAT",
	    "text (default), json, argv or sbpl", format_word },
	[CLI_AS]	  = { "as", CLI_VALUE, "WHO",
	    "process (default), agent, policy or block", cli_as_word },
	[CLI_OP]	  = { "op", CLI_VALUE, "OP",
	    "read (default), modify, exec, connect or bind", cli_op_word },
	[CLI_DATA_DIR]	  = { "data-dir", CLI_VALUE, "DIR",
	    "the directory that '--as block' protects" },
	[CLI_CONFIG_PATH] = { "config-path", CLI_VALUE, "FILE",
	    "one more file that '--as block' protects" },
	[CLI_STDIN]	  = { "stdin", CLI_FLAG, NULL,
	    "read one JSON query per line, answer one line each" },
	[CLI_SHELL]	  = { "shell", CLI_VALUE, "COMMAND",
	    "judge every path that can be seen in COMMAND" },
	[CLI_EXPLAIN]	  = { "explain", CLI_FLAG, NULL,
	    "add every rule that matched, in order" },
	[CLI_LIST]	  = { "list", CLI_FLAG, NULL,
	    "print what is trusted" },
	[CLI_REVOKE]	  = { "revoke", CLI_VALUE, "DIR",
	    "trust the policy of DIR no more" },
	[CLI_FLOOR]	  = { "floor", CLI_FLAG, NULL,
	    "list what is out of reach whatever a policy says" },
	[CLI_ONLY_RUN]	  = { "run", CLI_VALUE, "RUN",
	    "only this run; the beginning of its id is enough" },
	[CLI_ONLY_KIND]	  = { "kind", CLI_VALUE, "KIND",
	    "only events of this kind, or that begin so: fs, net.denied" },
	[CLI_FOLLOW]	  = { "follow", CLI_FLAG, NULL,
	    "-f: wait for more, also when the file is put away", NULL, 'f' },
	[CLI_LOG_FORMAT]  = { "format", CLI_VALUE, "FORMAT",
	    "jsonl (default) or otel", log_format_word },
	[CLI_OUTPUT]	  = { "output", CLI_VALUE, "FILE",
	    "-o FILE: write it there", NULL, 'o' },
	[CLI_SEED]	  = { "seed", CLI_VALUE, "N",
	    "try the same paths as another time" },
	[CLI_WRAPPED]	  = { "wrapped", CLI_VALUE, "HOW",
	    "written by 'cordon mcp wrap', for its --undo", wrapped_word },
	[CLI_INSTALLED]	  = { "installed", CLI_VALUE, "HOW",
	    "written by 'cordon hook install', for 'uninstall'", installed_word },
	[CLI_UNDO]	  = { "undo", CLI_FLAG, NULL,
	    "as it was before, byte for byte" },
	[CLI_SHOW_ONLY]	  = { "dry-run", CLI_FLAG, NULL,
	    "show the difference, change nothing" },
	[CLI_TOOL_DRY_RUN] = { "dry-run", CLI_FLAG, NULL,
	    "say what would become of it, do nothing" },
	[CLI_JSON]	  = { "json", CLI_FLAG, NULL,
	    "print JSON, one object per line" },
	[CLI_VERBOSE]	  = { "verbose", CLI_FLAG, NULL,
	    "print the plan first and each denial, on standard error" },
	[CLI_QUIET]	  = { "quiet", CLI_FLAG, NULL,
	    "no hints and warnings on standard error" },
	[CLI_HELP]	  = { "help", CLI_FLAG, NULL,
	    "print this page" },
};
/* clang-format on */

#define DISTANCE_MAX 2U /* edits between a typing error and what was meant */

const struct cli_option_row *
cli_option_row(enum cli_option option)
{
	return &rows[option];
}

const char *
cli_nearest(const char *text, const char *(*word)(size_t i, const void *arg),
    const void *arg)
{
	unsigned best = DISTANCE_MAX + 1;
	const char *found = NULL;
	const char *candidate;

	for (size_t i = 0; (candidate = word(i, arg)) != NULL; i++) {
		unsigned d = cdn_str_distance(cdn_str_of(text),
		    cdn_str_of(candidate), DISTANCE_MAX);

		/* Two wrong letters of three are another word. */
		if (d < best && d < strlen(candidate)) {
			best = d;
			found = candidate;
		}
	}
	return found;
}

/* ----- Words ------------------------------------------------------------ */

const char *
cli_op_word(int i)
{
	return cordon_op_name((enum cordon_op)i);
}

const char *
cli_as_word(int i)
{
	return cordon_as_name((enum cordon_as)i);
}

const char *
cli_preset_word(int i)
{
	return cordon_preset_name((enum cordon_preset)i);
}

/* "none", the first of the names, is the last here. */
const char *
cli_agent_word(int i)
{
	return i == CORDON_AGENT_MAX ? NULL :
	    cordon_agent_name((enum cordon_agent)((i + 1) % CORDON_AGENT_MAX));
}

/* The first word of two of these means "as the documents say": not to be said. */
const char *
cli_enforcement_word(int i)
{
	return cordon_enforcement_name((enum cordon_enforcement)(i + 1));
}

const char *
cli_backend_word(int i)
{
	return cordon_backend_name((enum cordon_backend)i);
}

const char *
cli_isolation_word(int i)
{
	return cordon_isolation_name((enum cordon_isolation)(i + 1));
}

int
cli_word_find(cli_words_fn *words, const char *text)
{
	const char *word;

	for (int i = 0; (word = words(i)) != NULL; i++)
		if (strcmp(word, text) == 0)
			return i;
	return -1;
}

bool
cli_word(const struct cli_args *args, enum cli_option option,
    cli_words_fn *words, int fallback, int *ret)
{
	const char *text = cli_value(args, option);
	int found;

	if (text == NULL) {
		*ret = fallback;
		return true;
	}
	found = cli_word_find(words, text);
	if (found < 0) {
		cli_error("'%s' is no value for '--%s' (%s)", text,
		    rows[option].name, rows[option].summary);
		return false;
	}
	*ret = found;
	return true;
}

/* ----- Parsing ---------------------------------------------------------- */

struct parser {
	int argc;
	char **argv;
	int next; /* of argv, still to be read */
	unsigned long takes;
	const char *command;
	struct cli_args *args;
};

/* One more than there can be: lists end with NULL, as exec wants them. */
static void
add(struct cli_strings *list, const char *text, int room)
{
	if (list->v == NULL)
		list->v = cli_alloc((size_t)room + 1, sizeof(*list->v));
	list->v[list->n++] = text;
}

static const char *
taken_name(size_t i, const void *arg)
{
	const unsigned long *takes = arg;

	for (int option = 0; option < CLI_OPTION_MAX; option++)
		if ((*takes & CLI_BIT(option)) != 0 && i-- == 0)
			return rows[option].name;
	return NULL;
}

static bool
unknown(const struct parser *p, cdn_str name)
{
	cdn_cleanup_free char *text = cli_copy(name);
	const char *near = cli_nearest(text, taken_name, &p->takes);

	cli_error("unknown option '--%s'", text);
	if (near != NULL)
		cli_hint("did you mean '--%s'?", near);
	else
		cli_hint("'cordon %s --help' lists the options", p->command);
	return false;
}

static int
find(const struct parser *p, cdn_str name)
{
	for (int option = 0; option < CLI_OPTION_MAX; option++)
		if ((p->takes & CLI_BIT(option)) != 0 &&
		    cdn_str_is(name, rows[option].name))
			return option;
	return -1;
}

/* value is NULL when there was no '='. */
static bool
take(struct parser *p, enum cli_option option, const char *value)
{
	const struct cli_option_row *row = &rows[option];
	struct cli_strings *list = &p->args->option[option];

	if (row->kind == CLI_FLAG && value != NULL) {
		cli_error("option '--%s' takes no value", row->name);
		return false;
	}
	if (row->kind != CLI_FLAG && value == NULL && p->next < p->argc)
		value = p->argv[p->next++];
	if (row->kind != CLI_FLAG && (value == NULL || value[0] == '\0')) {
		cli_error("option '--%s' needs a value", row->name);
		cli_hint("--%s %s: %s", row->name, row->value, row->summary);
		return false;
	}
	if (row->kind == CLI_VALUE && list->n > 0) {
		cli_error("option '--%s' is given twice", row->name);
		cli_hint("'%s' or '%s'? leave one of them out", list->v[0],
		    value);
		return false;
	}
	add(list, value == NULL ? "" : value, p->argc);
	return true;
}

static bool
read_option(struct parser *p, const char *arg)
{
	const char *equals = strchr(arg, '=');
	cdn_str name = { arg + 2,
		equals == NULL ? strlen(arg + 2) : (size_t)(equals - arg - 2) };
	int option = find(p, name);

	if (option < 0)
		return unknown(p, name);
	return take(p, (enum cli_option)option,
	    equals == NULL ? NULL : equals + 1);
}

static bool
read_short(struct parser *p, const char *arg)
{
	for (int option = 0; option < CLI_OPTION_MAX; option++)
		if ((p->takes & CLI_BIT(option)) != 0 && arg[2] == '\0' &&
		    arg[1] == rows[option].letter)
			return take(p, (enum cli_option)option, NULL);
	cli_error("unknown option '%s'", arg);
	if (strcmp(arg, "-h") == 0)
		cli_hint("did you mean '--help'?");
	else
		cli_hint("options are long ('--name'); a path that begins "
			 "with '-' goes behind '--'");
	return false;
}

static bool
read_all(struct parser *p)
{
	while (p->next < p->argc) {
		const char *arg = p->argv[p->next++];

		if (strcmp(arg, "--") == 0) {
			p->args->dashes = true;
			break;
		}
		if (strncmp(arg, "--", 2) == 0) {
			if (!read_option(p, arg))
				return false;
		} else if (arg[0] == '-' && arg[1] != '\0') {
			if (!read_short(p, arg))
				return false;
		} else {
			add(&p->args->operands, arg, p->argc);
		}
	}
	p->args->before_dashes = p->args->operands.n;
	while (p->next < p->argc)
		add(&p->args->operands, p->argv[p->next++], p->argc);
	return true;
}

bool
cli_args_parse(int argc, char **argv, unsigned long takes, const char *command,
    struct cli_args *ret)
{
	struct parser p = {
		.argc = argc,
		.argv = argv,
		.takes = takes | CLI_BIT(CLI_HELP),
		.command = command,
		.args = ret,
	};

	*ret = (struct cli_args){ 0 };
	if (read_all(&p))
		return true;
	cli_args_done(ret);
	return false;
}

void
cli_args_done(struct cli_args *args)
{
	for (int option = 0; option < CLI_OPTION_MAX; option++)
		free(args->option[option].v);
	free(args->operands.v);
	*args = (struct cli_args){ 0 };
}

bool
cli_has(const struct cli_args *args, enum cli_option option)
{
	return args->option[option].n > 0;
}

const char *
cli_value(const struct cli_args *args, enum cli_option option)
{
	const struct cli_strings *list = &args->option[option];

	return list->n > 0 ? list->v[0] : NULL;
}
