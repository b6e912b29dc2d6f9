/*
 * json_keys - no key twice in one object.
 *
 * A few keys are compared with each other.  Many are sorted, by hash first and
 * then by what they mean: keys chosen to collide cost a longer comparison each
 * and no more, so no text is quadratic.  Only for json_scan.c.
 */
#ifndef CDN_BASE_JSON_KEYS_H
#define CDN_BASE_JSON_KEYS_H

#include "base/json.h"

struct cdn_json_keys {
	cdn_str text;
	const struct cdn_json_node *nodes; /* set again before each call */
	struct cdn_arena *arena;
	struct cdn_json_keys_item *items; /* room to sort in, used again */
	size_t room;
};

/*
 * The member of `object` (an index) whose key appeared before, the earliest in
 * the text; 0 when all differ.  False when memory ran out.
 */
CDN_MUST_USE bool cdn_json_keys_repeated(struct cdn_json_keys *keys,
    uint32_t object, uint32_t *ret);

#endif
