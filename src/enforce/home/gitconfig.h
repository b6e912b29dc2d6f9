/*
 * gitconfig - the harmless part of a git configuration.
 *
 * Keeps user.name, user.email, alias.*, init.*, core.autocrlf, core.eol and
 * safe.directory; includes are not followed.  An alias that begins with '!' is
 * a shell command: it will run where git runs, in the cage.
 *
 * Pure.
 */
#ifndef CDN_HOME_GITCONFIG_H
#define CDN_HOME_GITCONFIG_H

#include "base/buf.h"
#include "base/err.h"

/*
 * Appends what is kept of text to out, in git's syntax, order as it was.
 * CORDON_E_INVALID with the line for what git would not read either: then
 * nothing was appended.  Memory: see cdn_buf_failed().
 */
CDN_MUST_USE int cdn_gitconfig_filter(cdn_str text, struct cdn_buf *out,
    struct cordon_error *err);

/*
 * The values of core.hooksPath, include.path (conditional ones too) and
 * safe.bareRepository, key in lower case; the strings live during the call.
 * One over CDN_PATH_MAX is not told.  Errors as above, after what came before
 * them was told.
 */
typedef void cdn_gitconfig_fn(const char *key, cdn_str value, void *arg);
CDN_MUST_USE int cdn_gitconfig_leading(cdn_str text, cdn_gitconfig_fn *found,
    void *arg, struct cordon_error *err);

#endif
