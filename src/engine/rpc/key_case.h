/*
 * key_case - keys that some JSON readers take for another key.
 *
 * Go's encoding/json and others match struct fields without regard to case, by
 * Unicode simple folding.  A key that only such a reader understands would pass
 * unjudged, so a message that has one is refused.
 */
#ifndef CDN_RPC_KEY_CASE_H
#define CDN_RPC_KEY_CASE_H

#include "base/json.h"

/* Equal without regard to case; U+017F and its like count as ASCII letters. */
bool cdn_rpc_same_folded(cdn_str a, cdn_str b);

/*
 * Looks for a member of `object` whose key differs from one of `words`
 * (NULL-terminated) in case only.  *ret_word is that word, or NULL when there is
 * none or `object` is not an object; *ret_key is the key.  False when memory ran
 * out.
 */
CDN_MUST_USE bool cdn_rpc_find_odd_key(const struct cdn_json *json,
    const struct cdn_json_node *object, const char *const *words,
    struct cdn_arena *arena, cdn_str *ret_key, const char **ret_word);

#endif
