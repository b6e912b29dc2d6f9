/*
 * seen - was there such a thing before?  A set of hashes with a key of its own,
 * so that what comes from a run cannot be made to look like something else.
 *
 * For one thread at a time.
 */
#ifndef CDN_AUDIT_SEEN_H
#define CDN_AUDIT_SEEN_H

#include "base/err.h"
#include "base/siphash.h"

struct cdn_seen {
	struct cdn_siphash_key key;
	uint64_t *slots; /* a power of two of them; 0 is a free one */
	size_t room;
	size_t n;
};

/* CORDON_E_SYSTEM: there is no randomness. */
CDN_MUST_USE int cdn_seen_init(struct cdn_seen *seen,
    struct cordon_error *err);
void cdn_seen_done(struct cdn_seen *seen);

/* Never 0.  More: whatever belongs to the text. */
uint64_t cdn_seen_hash(const struct cdn_seen *seen, cdn_str text,
    uint64_t more);
bool cdn_seen_has(const struct cdn_seen *seen, uint64_t hash);
/* What is not there yet; false when memory ran out. */
CDN_MUST_USE bool cdn_seen_add(struct cdn_seen *seen, uint64_t hash);
void cdn_seen_clear(struct cdn_seen *seen);

#endif
