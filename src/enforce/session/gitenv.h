/*
 * gitenv - settings that git takes from its environment.
 *
 *	GIT_CONFIG_COUNT, GIT_CONFIG_KEY_N, GIT_CONFIG_VALUE_N
 *	GIT_CONFIG_PARAMETERS	'KEY'='VALUE' 'KEY=VALUE' ...
 *
 * The caller's shell has the same ones when git runs on the host.
 */
#ifndef CDN_SESSION_GITENV_H
#define CDN_SESSION_GITENV_H

#include "base/str.h"

/* The strings live during the call. */
typedef void cdn_gitenv_fn(const char *key, cdn_str value, void *arg);

/*
 * Tells each.  The variable that cannot be understood, or NULL; what came
 * before it was told.
 */
const char *cdn_gitenv_read(cdn_gitenv_fn *fn, void *arg);

#endif
