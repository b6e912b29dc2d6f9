/*
 * env - the environment of a run, composed, not inherited.
 *
 *	caller's variables -> baseline or `pass` -> minus what executes
 *	(LD_*, NODE_OPTIONS, ...) and `drop` -> plus `set`, HOME and its like,
 *	--env
 *
 * What a layer says, and what becomes of it:
 *
 *	pass	In place of the baseline when the layer is trusted; several lists
 *		must all have the name.  PATH, HOME and TERM need not be listed.
 *	drop	Taken away whoever passes or sets it (but --env); a layer's own
 *		`set` wins over its own `drop`.
 *	set	Of trusted layers only; the outermost that sets a name wins.
 *
 * A variable that makes programs run code of its choosing (cdn_env_executes)
 * is passed only when a trusted `pass` names it without a wildcard.  With a
 * home of its own the same holds for CARGO_HOME, GOPATH, PYTHONUSERBASE and
 * XDG_*_HOME, and these are set, last but for --env: HOME, XDG_*_HOME,
 * GRADLE_USER_HOME, MAVEN_OPTS, GIT_CONFIG_COUNT and its like (rerere.enabled is
 * false); with a private tmp TMPDIR, TMP, TEMP and TMPPREFIX.  Where something
 * is granted XDG_CONFIG_HOME, GIT_CONFIG_GLOBAL, NPM_CONFIG_USERCONFIG,
 * CURL_HOME and WGETRC point to the tmp, for other runs write the home.
 *
 * PATH is cleaned of empty and relative entries (--env PATH=... is taken as it
 * is); when nothing is left of it, it is CDN_ENV_DEFAULT_PATH.  Entries of
 * `caller` that are no NAME=VALUE are left out; of two with one name the first
 * counts, as for getenv.
 *
 * Pure.
 */
#ifndef CDN_HOME_ENV_H
#define CDN_HOME_ENV_H

#include "base/arena.h"
#include "base/err.h"
#include "engine/policy/policy.h"

#define CDN_ENV_DEFAULT_PATH "/usr/local/bin:/usr/bin:/bin"

struct cdn_env_layer {
	const struct cdn_env *env;
	bool trusted; /* false: it can only take away */
};

struct cdn_env_spec {
	char *const *caller; /* as environ; NULL = empty */
	const struct cdn_env_layer *layers; /* outermost first */
	size_t layer_count;
	const char *home; /* HOME of the cage; "" = the caller's stays */
	const char *tmp;  /* TMPDIR; "" = the caller's stays */
	bool granted;	  /* what programs obey lies in tmp, see home.h */
	/* Of an agent, each NULL or ending with NULL: NAME=VALUE, below `set`
	 * and `drop` of the layers; patterns that count as baseline. */
	const char *const *agent_set;
	const char *const *agent_pass;
	/* --env NAME (the caller's value; nothing when there is none) or
	 * NAME=VALUE.  The last of one name counts. */
	const char *const *extra;
	size_t extra_count;
};

/*
 * NULL-terminated NAME=VALUE list in the arena, each name once, sorted, so
 * that the same input gives the same bytes.  CORDON_E_INVALID for an `extra`
 * that is no variable, or one that would reach into the cage's start (LD_*,
 * DYLD_*: `env.set` of a trusted document can do that), for a value of more
 * than CDN_ENV_VALUE_MAX bytes, for more than CDN_ENV_MAX variables.  Values
 * never appear in errors.
 */
CDN_MUST_USE int cdn_env_compose(struct cdn_arena *arena,
    const struct cdn_env_spec *spec, char ***ret, struct cordon_error *err);

/* The value of a variable in such a list, or NULL. */
const char *cdn_env_find(char *const *list, const char *name);

/* Does a variable of this name make programs run code of its choosing? */
bool cdn_env_executes(cdn_str name);

#endif
