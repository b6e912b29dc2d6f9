/*
 * agent - the agent that is run, and where it keeps its state here.
 *
 * Who it is, the caller says or the name of the program; the table of
 * engine/decide says what that means.  What comes of it are places like all
 * others: what a process of the run may read of the real state, and that it
 * writes none of it.  The state of the run lies in its private home.
 */
#ifndef CDN_SESSION_AGENT_H
#define CDN_SESSION_AGENT_H

#include "enforce/session/placelist.h"
#include "engine/decide/agents.h"

/*
 * Fills session->agent; places, cwd, workspace and own must be known.
 * CORDON_E_INVALID when its variable names a directory that holds a home or the
 * workspace.
 */
CDN_MUST_USE int cdn_agent_here_find(struct cordon_session *session,
    const struct cordon_session_options *options, struct cordon_error *err);

/* Is the row a directory of the agent's own, in the caller's home? */
bool cdn_agent_owns(const struct cordon_session *session,
    const struct cdn_floor_row *row);

/* Its real state, which no run writes. */
void cdn_gather_sealed_state(struct cdn_placelist *sealed);

/* What of it no run reads: transcripts of others, and its credentials. */
void cdn_gather_private_state(struct cdn_placelist *hidden);

/* What a process of its run may read and write besides. */
void cdn_gather_state(struct cdn_placelist *read, struct cdn_placelist *write);

#endif
