/*
 * inner - an agent's own sandbox, which a cage leaves no room for.
 *
 * Measured: inside of a run the sandboxes of Claude Code and Codex fail each
 * command, for they need namespaces of users.
 */
#ifndef CDN_SESSION_INNER_H
#define CDN_SESSION_INNER_H

#include "base/arena.h"

struct cdn_agent;

struct cdn_inner {
	const struct cdn_agent *agent;
	const char *state;	 /* the directory of its state, or NULL */
	const char *workspace;
	const char *const *argv; /* how it is started, or NULL */
};

/* What to do about it; NULL when it is off, or the agent has none. */
const char *cdn_inner_remedy(const struct cdn_inner *inner,
    struct cdn_arena *arena);

#endif
