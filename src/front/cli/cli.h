/*
 * cli - the command `cordon`, a door over cordon.h.
 *
 * Commands are rows of tables (commands.h): what they are called, which
 * options of options.h they take, what their exit codes mean.  The help pages
 * are printed from the same rows.  A command's function gets the parsed
 * arguments and returns the exit code.
 */
#ifndef CDN_CLI_CLI_H
#define CDN_CLI_CLI_H

#include <limits.h>

#include "front/cli/options.h"
#include "front/cli/output.h"

struct cli_command {
	const char *name;    /* "check", "policy validate"; a group has no run */
	const char *usage;   /* what follows the name and the options */
	const char *summary; /* one line */
	const char *about;   /* what it teaches; lines end in \n */
	const char *examples;
	const char *exits[CLI_ASK + 1]; /* meaning of each code, NULL: never */
	const char *more_exits; /* of codes beyond those, as lines; or NULL */
	int failure; /* what it ends with when we fail; 0: CLI_INVALID */
	unsigned long options;		/* CLI_BITs */
	size_t operands_min;
	size_t operands_max;
	int (*run)(const struct cli_args *args);
	bool hidden; /* from lists; its own page exists */
};

/* ----- commands.c ------------------------------------------------------- */

/* The rows of all tables; NULL past the end. */
const struct cli_command *cli_command(size_t i);
/* The row of that whole name, or NULL. */
const struct cli_command *cli_command_find(const char *name);

/* ----- help.c ----------------------------------------------------------- */

void cli_help(const struct cli_command *command); /* NULL: the whole */
/* `cordon help [COMMAND...]` */
CDN_MUST_USE int cli_help_words(int argc, char **argv);
/* A usage error was printed; this says where to read more. */
int cli_usage(const struct cli_command *command);

/* ----- workspace.c ------------------------------------------------------ */

/*
 * False, after a message, when no --workspace is given and the current
 * directory is a home directory or "/": a boundary that large is no accident
 * anybody should have.
 */
CDN_MUST_USE bool cli_workspace_named(const struct cli_args *args);
/* The same question without a message. */
CDN_MUST_USE bool cli_workspace_too_wide(const struct cli_args *args);
/* One line when the current directory is not the top of its work tree. */
void cli_workspace_hint(const struct cli_args *args);

/*
 * Opens a session from the options given; profile NULL: --profile.  Nothing is
 * printed.  diags may be NULL.
 */
CDN_MUST_USE int cli_session_new(const struct cli_args *args,
    const char *profile, struct cordon_diags *diags,
    struct cordon_session **ret, struct cordon_error *err);

/* The same up to the session; what it points to lives as long as args. */
CDN_MUST_USE int cli_session_options(const struct cli_args *args,
    const char *profile, struct cordon_diags *diags,
    struct cordon_session_options *ret, struct cordon_error *err);

/* Never NULL. */
struct cordon_diags *cli_diags_new(void);

/*
 * A document a person named; NULL after a message.  Warnings are kept quiet
 * about: `policy validate` and `policy lint` are asked for those.
 */
struct cordon_policy *cli_policy_load(const char *file);
/* For the second document of a merge. */
struct cordon_policy *cli_policy_load_part(const char *file);

/* ----- cmd_policy.c ----------------------------------------------------- */

/* What `validate` says of one document: its findings, or that it is ok. */
void cli_findings(const struct cli_args *args, const char *file, bool failed,
    const struct cordon_diags *diags, const struct cordon_error *err);

/* ----- launch.c --------------------------------------------------------- */

/*
 * What --backend, --timeout and their like come to; false after a message.
 * Strings are those of args.
 */
CDN_MUST_USE bool cli_launch_options(const struct cli_args *args,
    struct cordon_run_options *ret);
/* The session of a command that starts something; NULL after a message. */
struct cordon_session *cli_launch_session(const struct cli_args *args);
/* The plan on `to`; false after a message. */
CDN_MUST_USE bool cli_launch_print(FILE *to, const struct cordon_plan *plan,
    enum cordon_format format);

/* ----- approve.c -------------------------------------------------------- */

/*
 * Asks whoever can say yes: the command of --approve-with, else the terminal.
 * For cordon_tools_options; arg: the command, or NULL.
 */
enum cordon_answer cli_approve(const struct cordon_approval *approval,
    void *arg);

/* ----- cmd_mcp_wrap.c --------------------------------------------------- */

/* Where this very program lies, absolute; false when that cannot be told. */
CDN_MUST_USE bool cli_own_place(char ret[PATH_MAX]);

/* ----- cmd_hook_install.c ----------------------------------------------- */

const char *cli_hook_agent_word(int i);

/* ----- The commands ----------------------------------------------------- */

int cli_check(const struct cli_args *args);
int cli_run(const struct cli_args *args);
int cli_stand_in(void); /* of a run inside of a run: see CORDON_STAND_IN */
int cli_plan(const struct cli_args *args);
int cli_policy_validate(const struct cli_args *args);
int cli_policy_lint(const struct cli_args *args);
int cli_policy_show(const struct cli_args *args);
int cli_policy_notice(const struct cli_args *args);
int cli_policy_list(const struct cli_args *args);
int cli_policy_merge(const struct cli_args *args);
int cli_policy_schema(const struct cli_args *args);
int cli_policy_reference(const struct cli_args *args);
int cli_policy_init(const struct cli_args *args);
int cli_trust(const struct cli_args *args);
int cli_doctor(const struct cli_args *args);
int cli_audit_list(const struct cli_args *args);
int cli_audit_show(const struct cli_args *args);
int cli_audit_grep(const struct cli_args *args);
int cli_audit_tail(const struct cli_args *args);
int cli_audit_verify(const struct cli_args *args);
int cli_audit_export(const struct cli_args *args);
int cli_audit_report(const struct cli_args *args);
int cli_manual(const struct cli_args *args);
int cli_verify(const struct cli_args *args);
int cli_worker_run(const struct cli_args *args);
int cli_worker_validate(const struct cli_args *args);
int cli_worker_show(const struct cli_args *args);
int cli_worker_migrate(const struct cli_args *args);
int cli_tool(const struct cli_args *args);
int cli_mcp_guard(const struct cli_args *args);
int cli_mcp_serve(const struct cli_args *args);
int cli_mcp_pins(const struct cli_args *args);
int cli_mcp_wrap(const struct cli_args *args);
int cli_hook_claude(const struct cli_args *args);
int cli_hook_codex(const struct cli_args *args);
int cli_hook_gemini(const struct cli_args *args);
int cli_hook_cursor(const struct cli_args *args);
int cli_hook_install(const struct cli_args *args);
int cli_hook_uninstall(const struct cli_args *args);
int cli_hook_status(const struct cli_args *args);

#endif
