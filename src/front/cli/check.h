/*
 * check - what the two ways of asking (arguments, --stdin) have in common.
 */
#ifndef CDN_CLI_CHECK_H
#define CDN_CLI_CHECK_H

#include "front/cli/cli.h"

/* Sessions kept open for different profiles; more are opened again. */
#define CLI_SESSIONS_MAX 8

struct cli_check {
	const struct cli_args *args;
	enum cordon_as as; /* what --as and --op said */
	enum cordon_op op;
	bool json;
	bool too_wide; /* no workspace was named where one must be */
	struct {
		char *profile; /* owned */
		struct cordon_session *session;
	} kept[CLI_SESSIONS_MAX];
	size_t kept_next; /* the one to give up next */
	struct cordon_session *session; /* of the command line's own profile */
};

struct cli_question {
	cdn_str path;
	enum cordon_as as;
	enum cordon_op op;
	const char *profile; /* NULL: the command line's */
	const char *data_dir;
	const char *config_path;
};

/* Asks, prints the answer or why there is none; 0, 2, 3 or 4. */
int cli_check_ask(struct cli_check *check,
    const struct cli_question *question);

/* `--shell COMMAND`; the exit code. */
CDN_MUST_USE int cli_check_shell(const struct cli_check *check);

/* `--stdin`; the exit code. */
CDN_MUST_USE int cli_check_stdin(struct cli_check *check);

#endif
