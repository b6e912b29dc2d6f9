#include "engine/profile/shadow.h"

#include "engine/policy/cover.h"

/* The same rules without polarity, backwards when asked for. */
static bool
plain_copy(struct cdn_arena *arena, const struct cdn_rules *rules,
    bool backwards, struct cdn_rules *ret)
{
	ret->n = rules->n;
	ret->v = cdn_arena_array(arena, rules->n, sizeof(*ret->v));
	if (ret->v == NULL)
		return false;
	for (size_t i = 0; i < rules->n; i++) {
		ret->v[i] = rules->v[backwards ? rules->n - 1 - i : i];
		ret->v[i].negated = false;
	}
	return true;
}

/* The first one of a list read backwards is the last. */
bool
cdn_shadow_find(struct cdn_arena *arena, const struct cdn_rules *covers,
    const struct cdn_rules *asked, size_t *ret)
{
	struct cdn_rules backwards, plain;

	if (!plain_copy(arena, covers, true, &backwards) ||
	    !plain_copy(arena, asked, false, &plain) ||
	    !cdn_cover_find(arena, &backwards, &plain, false, false, ret))
		return false;
	for (size_t i = 0; i < asked->n; i++)
		ret[i] = ret[i] == CDN_NOT_COVERED ?
		    CDN_NO_SHADOW : covers->n - 1 - ret[i];
	return true;
}
