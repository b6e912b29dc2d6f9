/*
 * command - how bwrap is called.
 *
 * It is started with no environment at all and nothing open but what it needs:
 * the words it is told are not in its command line, which everybody may read,
 * because the variables of the run are among them.
 */
#ifndef CDN_BUBBLE_COMMAND_H
#define CDN_BUBBLE_COMMAND_H

#include "enforce/backend/filter.h"
#include "engine/bwrap/bwrap.h"

struct cdn_command {
	/* What bwrap is given, until it has it; never one of the first three. */
	int words_fd, filter_fd;
	struct cdn_filter strict; /* for who has something that is not sealed */
};

/* All closed; cdn_command_close() of it is nothing. */
void cdn_command_init(struct cdn_command *command);

/* The filter of the plan, in a file, and the one that is stricter. */
CDN_MUST_USE int cdn_command_filter(struct cdn_command *command,
    const struct cdn_plan *plan, const struct cdn_host *host,
    struct cordon_error *err);
/* All that bwrap is told, in a file; seccomp_fd of `how` is that filter. */
CDN_MUST_USE int cdn_command_words(struct cdn_command *command,
    struct cdn_arena *arena, const struct cdn_bwrap_plan *mounts,
    struct cdn_bwrap_command how, struct cordon_error *err);
/* Then: its argv, around the program and its own.  In the arena, borrowed. */
CDN_MUST_USE int cdn_command_argv(const struct cdn_command *command,
    struct cdn_arena *arena, const char *program, char *const *argv,
    char *const **ret, struct cordon_error *err);

/*
 * In the process that executes bwrap: no mode, owner or time of anything can be
 * changed in the run.  0 or -errno.  CDN_BARE.
 */
CDN_MUST_USE long cdn_command_be_strict(const struct cdn_command *command);

/* bwrap has them, or nobody is to have them any more. */
void cdn_command_close(struct cdn_command *command);

#endif
