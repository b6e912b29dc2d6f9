/*
 * examine - the agents of this user, for doctor.
 *
 * Who is installed, whose own sandbox would fail in a run, and which of their
 * MCP servers run without the guard.
 * Each is a finding like those of the host; none changes what is enforced.
 */
#ifndef CDN_AGENTS_EXAMINE_H
#define CDN_AGENTS_EXAMINE_H

#include "base/arena.h"
#include "enforce/host/doctor.h"

/*
 * Adds to the findings; their texts lie in the arena.  program: our own, by
 * which a guard is known besides the name "cordon".  Reads HOME, PATH, the
 * variables that move an agent's state, and the current directory.  What
 * cannot be read is no finding.
 */
CDN_MUST_USE int cdn_agents_examine(struct cdn_arena *arena,
    const char *program, struct cdn_doctor *doctor, struct cordon_error *err);

#endif
