/*
 * jsonc - JSON as people write it: comments, a comma behind the last.
 *
 * Both become spaces, so that what is left is JSON for the strict reader, and
 * every byte keeps its place.
 */
#ifndef CDN_WRAP_JSONC_H
#define CDN_WRAP_JSONC_H

#include "base/arena.h"

/* A copy in the arena; false when memory ran out. */
CDN_MUST_USE bool cdn_jsonc_blank(cdn_str text, struct cdn_arena *arena,
    cdn_str *ret);

#endif
