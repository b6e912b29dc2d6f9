/*
 * wrapper - programs of the system that make a cage around another one.
 *
 * Looked for at fixed absolute places only: whoever controls PATH must not
 * choose what builds the boundary.
 */
#ifndef CDN_BACKEND_WRAPPER_H
#define CDN_BACKEND_WRAPPER_H

#include "base/arena.h"
#include "base/err.h"

#define CDN_WRAPPER_BWRAP    "/usr/bin/bwrap"
#define CDN_WRAPPER_SEATBELT "/usr/bin/sandbox-exec"

/*
 * The first that is absolute, a regular file (no link), executable, and that
 * nobody but root and ourselves can write; NULL when none is.
 */
const char *cdn_wrapper_find(const char *const *candidates, size_t n);

/*
 * The command that puts argv (ends with NULL) into the profile: by its text,
 * or by the name of a file that holds it and outlives the run.  In the arena;
 * strings are borrowed.  NULL: no memory.
 */
CDN_MUST_USE const char *const *cdn_wrapper_seatbelt(struct cdn_arena *arena,
    const char *profile, bool is_file, const char *const *argv);

#endif
