/*
 * shape - the decision about paths as data, for compilers that cannot ask.
 *
 * What a process may do with a path, written as patterns that are joined by
 * and, or and not.  Made from the rule lists that cdn_decide() itself walks,
 * beside it, so that there is one decision and two ways to write it down.  A
 * differential test asks both about every path.
 *
 *	allowed = any of `allow`, and none of `deny`
 *
 * Pure.  Everything lies in the arena and borrows from the authority.
 */
#ifndef CDN_DECIDE_SHAPE_H
#define CDN_DECIDE_SHAPE_H

#include "engine/decide/decide.h"
#include "engine/match/pattern.h"

enum cdn_shape_kind {
	CDN_SHAPE_PATTERN, /* below the prefix; see pattern.h */
	CDN_SHAPE_ALL,	   /* of its parts; at least one */
	CDN_SHAPE_ANY,	   /* the same */
	CDN_SHAPE_NOT,	   /* of its one part */
};

struct cdn_shape {
	enum cdn_shape_kind kind;
	cdn_str prefix; /* "w" for /w, "" for /: taken as it is */
	const struct cdn_pattern *pattern; /* matched against what follows */
	const struct cdn_shape *const *parts;
	size_t n;
};

struct cdn_shape_list {
	const struct cdn_shape **v;
	size_t n;
	size_t capacity;
};

struct cdn_shapes {
	struct cdn_shape_list allow;
	struct cdn_shape_list deny;
};

/* READ, MODIFY or EXEC, for a process.  An empty `allow`: nothing at all. */
CDN_MUST_USE int cdn_decide_shapes(struct cdn_arena *arena,
    const struct cdn_authority *authority, enum cordon_op op,
    struct cdn_shapes *ret, struct cordon_error *err);

/* Is it every path there is? */
bool cdn_shape_is_all(const struct cdn_shape *shape);

#endif
