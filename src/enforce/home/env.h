/*
 * env - the environment of a run, composed, not inherited.
 *
 *	caller's variables -> baseline and `pass` -> minus what executes
 *	(LD_*, NODE_OPTIONS, ...) and `drop` -> plus `set`, HOME and its like,
 *	--env
 *
 * Pure.
 */
#ifndef CDN_HOME_ENV_H
#define CDN_HOME_ENV_H

#include "base/arena.h"
#include "base/err.h"
#include "engine/policy/policy.h"

struct cdn_env_layer {
	const struct cdn_env *env;
	bool trusted; /* false: it can only take away */
};

struct cdn_env_spec {
	char *const *caller; /* as environ */
	const struct cdn_env_layer *layers; /* outermost first */
	size_t layer_count;
	const char *home; /* HOME of the cage; "" = the caller's stays */
	const char *tmp;  /* TMPDIR; "" = the caller's stays */
	const char *const *extra; /* --env NAME or NAME=VALUE */
	size_t extra_count;
};

/*
 * NULL-terminated NAME=VALUE list in the arena, each name once, sorted, so
 * that the same input gives the same bytes.  CORDON_E_INVALID for an `extra`
 * that is no variable, or one that would reach into the cage's start (LD_*).
 */
CDN_MUST_USE int cdn_env_compose(struct cdn_arena *arena,
    const struct cdn_env_spec *spec, char ***ret, struct cordon_error *err);

/* Does the list hold a variable that makes programs run code of its choosing? */
bool cdn_env_executes(cdn_str name);

#endif
