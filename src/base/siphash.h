/*
 * siphash - a hash that nobody can aim at who does not know its key.
 *
 * SipHash-2-4: for tables whose keys come from outside, where two that collide
 * would be taken for one.
 */
#ifndef CDN_BASE_SIPHASH_H
#define CDN_BASE_SIPHASH_H

#include "base/str.h"

struct cdn_siphash_key {
	uint64_t v[2];
};

uint64_t cdn_siphash(const struct cdn_siphash_key *key, cdn_str text);

#endif
