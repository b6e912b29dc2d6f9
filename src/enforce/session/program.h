/*
 * program - the package that a command belongs to.
 *
 * A command is often a link into a directory that holds what it needs:
 *
 *	~/.local/bin/x -> ~/.local/share/x/versions/1.2/bin/x
 *	/usr/local/bin/y -> ../lib/node_modules/y/cli.js
 */
#ifndef CDN_SESSION_PROGRAM_H
#define CDN_SESSION_PROGRAM_H

#include "base/base.h"
#include "enforce/path/lookup.h"

/*
 * The first executable file of that name in the absolute directories of `path`
 * (PATH); false when there is none.
 */
bool cdn_program_search(const char *command, const char *path,
    char out[CDN_PATH_MAX + 1]);

/* The real path of the command, found as below; false when there is none. */
bool cdn_program_real(const char *command, const char *cwd, const char *path,
    char out[CDN_PATH_MAX + 1]);

/* Does the command, found as below, lie in the workspace by its own name? */
bool cdn_program_is_inside(const char *command, const char *cwd,
    const char *workspace, const char *path);

/*
 * command: as a shell takes it: with a slash from cwd, else the first
 * executable file of that name in the absolute directories of `path` (PATH).
 * *ret has the real path of .../node_modules or .../versions/N; false when the
 * command is not there or lies in neither, or is named by a path inside the
 * workspace: whoever writes there must not choose what is read elsewhere.
 */
bool cdn_program_package(struct cdn_lookup *lookup, const char *command,
    const char *cwd, const char *workspace, const char *path,
    struct cdn_real *ret);

#endif
