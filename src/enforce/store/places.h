/*
 * places - where cordon's own files lie for this user.
 *
 * Taken once from HOME, the password database, XDG_CONFIG_HOME and
 * XDG_STATE_HOME (empty or relative values are ignored).  No variable can
 * weaken a policy: both homes are protected, and the host policy's place is
 * fixed.
 */
#ifndef CDN_STORE_PLACES_H
#define CDN_STORE_PLACES_H

#include "base/arena.h"
#include "base/err.h"

struct cdn_places {
	const char *home;	 /* $HOME, or the database's; "" when neither */
	const char *passwd_home; /* of the real uid; "" when unknown */
	const char *host_policy; /* /etc/cordon/policy.yaml */
	const char *host_store;	 /* /etc/cordon/policies */
	const char *user_policy; /* CONFIG/cordon/policy.yaml, or "" */
	const char *user_store;
	const char *state;	 /* STATE/cordon, or "" */
	const char *trust;	 /* STATE/cordon/trust.json, or "" */
	const char *config;	 /* CONFIG/cordon, or "" */
};

/* Strings lie in the arena. */
CDN_MUST_USE int cdn_places_find(struct cdn_arena *arena,
    struct cdn_places *ret, struct cordon_error *err);

/*
 * "~", "~/x", "~user/x" or an absolute path -> absolute path in the arena
 * (lexically cleaned of "." and doubled slashes; ".." is refused).  "~" is
 * places->home, "~user" comes from the password database; a home is taken as
 * it is.
 */
CDN_MUST_USE int cdn_places_expand(struct cdn_arena *arena,
    const struct cdn_places *places, cdn_str path, const char **ret,
    struct cordon_error *err);

#endif
