/*
 * agent - the agent that is run, and where it keeps its state here.
 *
 * Who it is, the caller says or the name of the program; the table of
 * engine/decide says what that means.  What comes of it are places like all
 * others: grants for a process of the run, sealed names among them, and entries
 * of the floor that are closed to tools, guard and hooks alone.
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

/* Is the row one of the agent's own, in the caller's home? */
bool cdn_agent_owns(const struct cordon_session *session,
    const struct cdn_floor_row *row);

/* What it later executes or obeys: never written. */
void cdn_gather_obeyed(struct cdn_placelist *sealed);

/* What of that is data, and written all the same. */
void cdn_gather_data(struct cdn_placelist *own);

/* What a process of its run may read and write besides. */
void cdn_gather_state(struct cdn_placelist *read, struct cdn_placelist *write);

#endif
