/*
 * build - what the parts of this room hand to each other while a plan is made.
 *
 *	roots ─► view ─► regions ─► report ─► shortfall
 */
#ifndef CDN_PLAN_BUILD_H
#define CDN_PLAN_BUILD_H

#include "base/arena.h"
#include "engine/plan/mention.h"
#include "engine/plan/plan.h"

/* A place where the walk starts. */
struct cdn_plan_root {
	const char *path;
	size_t n;	/* of its bytes; 0 for "/" */
	uint32_t name;	/* what its first name begins with */
	bool alone;	/* only itself, nothing below it */
	bool directory;
};

struct cdn_plan_build {
	struct cdn_arena *arena;
	const struct cdn_plan_input *in;
	struct cordon_error *err;
	bool broker; /* somebody answers, and the host lets it */

	/* roots.c: sorted, each path once, all of them there */
	struct cdn_plan_root *roots;
	size_t root_count;
	bool no_memory; /* while they were found */
	/*
	 * Parallel to the spec's: could regions lie at, in or around them?
	 * They lie at roots and below; most of the floor is nowhere near.
	 */
	const bool *closed_near, *hidden_near, *sealed_near;

	/* view.c */
	const struct cdn_authority *view;
	const char **guarded; /* floor entries that are there and readable */
	size_t guarded_count;
	size_t guarded_capacity;
	bool *unreadable; /* parallel to spec->closed: not in the view */

	/* regions.c */
	struct cdn_region *regions;
	size_t region_count;
	size_t region_capacity;
	size_t entries;	   /* names looked at so far */
	unsigned depth;	   /* of the walk: it uses the stack */
	bool no_new_names; /* broken up where the policy lets names appear */
	bool too_large;	   /* closed because it could not be broken up */

	struct cdn_plan *plan;
};

/* Each is 0 or a code with *err filled. */
CDN_MUST_USE int cdn_plan_find_roots(struct cdn_plan_build *b);
CDN_MUST_USE int cdn_plan_find_view(struct cdn_plan_build *b);
CDN_MUST_USE int cdn_plan_find_regions(struct cdn_plan_build *b);
CDN_MUST_USE int cdn_plan_find_rules(struct cdn_plan_build *b);
CDN_MUST_USE int cdn_plan_find_shortfalls(struct cdn_plan_build *b);

/* ----- roots.c ----------------------------------------------------------- */

/* The end sorts before a slash, and a slash before any other byte. */
static inline int
cdn_plan_byte_cmp(char a, char b)
{
	unsigned x = a == '\0' ? 0 : a == '/' ? 1 : (unsigned char)a + 1U;
	unsigned y = b == '\0' ? 0 : b == '/' ? 1 : (unsigned char)b + 1U;

	return x < y ? -1 : x > y;
}

/*
 * As cdn_plan_path_cmp(), for two that begin with *alike bytes in common; then
 * it is how many they really have.
 */
static inline int
cdn_plan_path_cmp_from(const char *a, cdn_str b, size_t *alike)
{
	size_t n = *alike;

	while (n < b.n && a[n] == b.p[n])
		n++;
	*alike = n;
	return cdn_plan_byte_cmp(a[n], n < b.n ? b.p[n] : '\0');
}

/* Is it one of these places or below one? */
bool cdn_plan_in_places(const struct cdn_place_list *places, const char *path);

/* ----- appear.c ---------------------------------------------------------- */

/*
 * Could a name appear in dir that may be modified although what no rule speaks
 * of may not?  Asks about the names that rules and places mention.  is_listed:
 * is the path, an entry of dir, known to be there?
 */
typedef bool cdn_plan_listed_fn(const char *path, const void *arg);
bool cdn_plan_may_appear(const struct cdn_plan_build *b, const char *dir,
    cdn_plan_listed_fn *is_listed, const void *arg);

/* ----- regions.c --------------------------------------------------------- */

bool cdn_region_is_mixed(enum cdn_region_kind kind);

/* ----- within.c ---------------------------------------------------------- */

/* Of a run inside of another one: no region more than the one around it. */
void cdn_plan_hold_within(struct cdn_plan_build *b);

/* ----- report.c ---------------------------------------------------------- */

/* The deepest region at or above path, or NULL; once they are in order. */
const struct cdn_region *cdn_plan_around(const struct cdn_plan *plan,
    const char *path);

/* Is it the name of a host, which no address tells? */
bool cdn_plan_is_name(const struct cdn_rule *endpoint);

/* ----- plan.c ------------------------------------------------------------ */

bool cdn_plan_named_sockets(const struct cdn_plan_build *b);
/* Does somebody have to look at each address? */
bool cdn_plan_network_judged(enum cdn_network_mode network);

#endif
