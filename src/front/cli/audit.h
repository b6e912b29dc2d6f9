/*
 * audit - what the commands about the audit share.
 */
#ifndef CDN_CLI_AUDIT_H
#define CDN_CLI_AUDIT_H

#include "front/cli/cli.h"

/* The operand that names the log, or NULL: the user's own. */
const char *cli_audit_log(const struct cli_args *args, size_t operand);

/* The whole id of --run or `beginning`; NULL after a message.  free() it. */
char *cli_audit_run(const char *log, const char *beginning);

/* How a run ended, in a word or two; free() it. */
char *cli_audit_outcome(const struct cordon_audit_run *run);

#endif
