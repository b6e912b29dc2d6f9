/*
 * own - the session's own home and tmp; see struct cdn_own.
 */
#ifndef CDN_SESSION_OWN_H
#define CDN_SESSION_OWN_H

#include <sha2.h>

#include "enforce/path/lookup.h"
#include "enforce/session/session.h"

/* What the base begins with where STATE cannot be used: uid, then the id. */
#define CDN_OWN_SUBSTITUTE "/tmp/cordon-%u-"

/*
 * An id for a session or a run, in hex.  Random, so that no cage can prepare
 * the place of the next one.
 */
#define CDN_ID_DIGITS 16
CDN_MUST_USE int cdn_own_make_id(char out[CDN_ID_DIGITS + 1],
    struct cordon_error *err);

/* Fills session->own but for the home; workspace and places must be known. */
CDN_MUST_USE int cdn_own_find(struct cordon_session *session,
    struct cdn_lookup *lookup, const struct cordon_session_options *options,
    struct cordon_error *err);

/*
 * Names the home.  All that its class is made of must be known: the agent, the
 * network, the roots of documents and command line.
 */
CDN_MUST_USE int cdn_own_name_home(struct cordon_session *session,
    const struct cordon_session_options *options, struct cordon_error *err);

/* home_class.c: the digest that tells private homes apart. */
CDN_MUST_USE int cdn_home_class(const struct cordon_session *session,
    uint8_t ret[SHA256_DIGEST_LENGTH], struct cordon_error *err);

#endif
