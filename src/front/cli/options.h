/*
 * options - the one option parser, driven by one table.
 *
 * Long options: `--name value` or `--name=value`.  Never abbreviated; two have
 * a letter of their own (`-f`, `-o FILE`).
 * `--` ends them.  What a command does not declare, it does not accept.
 * Values are borrowed from argv, which lives as long as the program.
 */
#ifndef CDN_CLI_OPTIONS_H
#define CDN_CLI_OPTIONS_H

#include "base/base.h"

enum cli_option {
	CLI_POLICY,
	CLI_PROFILE,
	CLI_WORKER,
	CLI_PRESET,
	CLI_WORKSPACE,
	CLI_READ,
	CLI_WRITE,
	CLI_NETWORK,
	CLI_AGENT,
	CLI_BACKEND,
	CLI_ENFORCEMENT,
	CLI_ISOLATION,
	CLI_HOME,
	CLI_ALLOW,
	CLI_NO_SANDBOX,
	CLI_TIMEOUT,
	CLI_ENV,
	CLI_AUDIT,
	CLI_TRACE,
	CLI_APPROVE_WITH,
	CLI_DRY_RUN,
	CLI_FORMAT,
	CLI_AS,
	CLI_OP,
	CLI_DATA_DIR,
	CLI_CONFIG_PATH,
	CLI_STDIN,
	CLI_SHELL,
	CLI_EXPLAIN,
	CLI_LIST,
	CLI_REVOKE,
	CLI_FLOOR,
	CLI_ONLY_RUN,
	CLI_ONLY_KIND,
	CLI_FOLLOW,
	CLI_LOG_FORMAT,
	CLI_OUTPUT,
	CLI_SEED,
	CLI_WRAPPED,
	CLI_INSTALLED,
	CLI_UNDO,
	CLI_SHOW_ONLY,
	CLI_TOOL_DRY_RUN,
	CLI_JSON,
	CLI_VERBOSE,
	CLI_QUIET,
	CLI_HELP,
	CLI_OPTION_MAX
};

/* For the set of options that a command takes. */
#define CLI_BIT(option) (1UL << (option))

enum cli_option_kind {
	CLI_FLAG,  /* no value */
	CLI_VALUE, /* once */
	CLI_MANY   /* any number of times, order kept */
};

/* The words of a choice, one after the other; NULL past the last. */
typedef const char *cli_words_fn(int i);

struct cli_option_row {
	const char *name; /* without the dashes */
	enum cli_option_kind kind;
	const char *value; /* what the help calls it; NULL for a flag */
	const char *summary;
	cli_words_fn *words; /* what the value can be, or NULL */
	char letter; /* "-o" means the same; '\0': nothing does */
};

struct cli_strings {
	const char **v; /* owned by cli_args; NULL behind the last */
	size_t n;
};

struct cli_args {
	struct cli_strings option[CLI_OPTION_MAX];
	struct cli_strings operands;
	/* Operands that stand before "--"; all of them when there is none. */
	size_t before_dashes;
	bool dashes; /* there was a "--" */
	/* The program that the command is going to run; it fills it in. */
	const char *command;
	bool is_agent; /* its name may be an agent's: --agent auto */
};

const struct cli_option_row *cli_option_row(enum cli_option option);

/*
 * Reads argv (without program and command name); `takes` is a set of
 * CLI_BITs, --help is always among them.  On failure the message has been
 * printed and *ret needs no cli_args_done().
 */
CDN_MUST_USE bool cli_args_parse(int argc, char **argv, unsigned long takes,
    const char *command, struct cli_args *ret);
void cli_args_done(struct cli_args *args);

bool cli_has(const struct cli_args *args, enum cli_option option);
/* The value, or NULL when the option was not given. */
const char *cli_value(const struct cli_args *args, enum cli_option option);

/*
 * The place of a word in a vocabulary of the library (cordon_op_name and its
 * like), or -1 after a message that names the words.
 */
CDN_MUST_USE int cli_word_find(cli_words_fn *words, const char *text);
CDN_MUST_USE bool cli_word(const struct cli_args *args, enum cli_option option,
    cli_words_fn *words, int fallback, int *ret);

const char *cli_op_word(int i);
const char *cli_as_word(int i);
const char *cli_preset_word(int i);
const char *cli_agent_word(int i);
const char *cli_enforcement_word(int i);
const char *cli_backend_word(int i);
const char *cli_isolation_word(int i);

/* The word nearest to text, or NULL when none is near. */
const char *cli_nearest(const char *text,
    const char *(*word)(size_t i, const void *arg), const void *arg);

#endif
