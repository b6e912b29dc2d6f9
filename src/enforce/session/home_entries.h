/*
 * home_entries - where the user's home lies in the workspace, and what the host
 * executes from it (engine/decide/home_rules.h).
 *
 * Threat:    with `--workspace ~`, or a directory above it, a run modifies what
 *	      the next login, shell, desktop or service manager executes.
 * Invariant: these places are denied under the name the kernel uses: that of
 *	      the home, and that of the file a symlink there ends at.
 * Held by:   both $HOME and the home of the password database, by their real
 *	      paths; directories on PATH inside a home; $XDG_CONFIG_HOME.
 *	      tests/cli/home_workspace.bats.
 */
#ifndef CDN_SESSION_HOME_ENTRIES_H
#define CDN_SESSION_HOME_ENTRIES_H

#include "base/arena.h"
#include "base/err.h"
#include "enforce/store/places.h"
#include "engine/decide/preset.h"

/*
 * Appends to the n entries at *v.  A workspace that does not contain a home
 * gets none.  More than CDN_HOME_LOOKS_MAX entries that would have to be looked
 * at for symlinks: a configuration error.
 */
CDN_MUST_USE int cdn_home_entries_add(struct cdn_arena *arena,
    const char *workspace, const struct cdn_places *places,
    const struct cdn_found_executed **v, size_t *n, struct cordon_error *err);

#endif
