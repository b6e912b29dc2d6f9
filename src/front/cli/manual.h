/*
 * manual - man pages and completions, made from the tables of commands and
 * options (cli.h, options.h).  All of it goes to standard output.
 */
#ifndef CDN_CLI_MANUAL_H
#define CDN_CLI_MANUAL_H

#include "front/cli/cli.h"

/* ----- manual_roff.c: what both pages are written with ------------------- */

/* .TH; the section is its number. */
void cli_roff_title(const char *name, int section, const char *summary);
/* ".SH TEXT", or another macro that takes a title. */
void cli_roff_head(const char *macro, const char *text);
/* Text that may begin a line; what roff would obey is escaped. */
void cli_roff_text(cdn_str text);
/* In bold. */
void cli_roff_bold(cdn_str text);
/* Lines as they are; `lines` is text with or without a last newline. */
void cli_roff_verbatim(cdn_str lines);

/* ----- The products ------------------------------------------------------ */

void cli_manual_command(void);			/* cordon.1 */
void cli_manual_markdown(const char *markdown); /* the rest of cordon-policy.5 */
void cli_complete_bash(void);
void cli_complete_zsh(void);
void cli_complete_fish(void);

/* ----- The rows they are made from --------------------------------------- */

/* The next command that is shown, from *i on; NULL past the end. */
const struct cli_command *cli_manual_next(size_t *i);
/* "validate" of "policy validate". */
const char *cli_manual_word(const struct cli_command *command);
/* Is it one of the group's?  group NULL: one that begins a command line. */
bool cli_manual_within(const struct cli_command *command,
    const struct cli_command *group);

/* What can be completed behind an option, or as an operand. */
enum cli_complete {
	CLI_COMPLETE_NOTHING,
	CLI_COMPLETE_WORDS, /* those of the option's row */
	CLI_COMPLETE_FILES,
	CLI_COMPLETE_DIRECTORIES,
	CLI_COMPLETE_PROGRAM /* and its arguments, behind "--" */
};

enum cli_complete cli_option_completes(const struct cli_option_row *row);
enum cli_complete cli_operand_completes(const struct cli_command *command);

#endif
