/*
 * arena - memory for things that live and die together.
 *
 * A policy, a profile, a matcher, a session each own one arena: no per-node
 * free, nothing to leak on error paths.  Memory comes zeroed and aligned for
 * any type.  NULL means out of memory or CDN_ARENA_MAX reached; both are
 * ordinary errors for the caller to report.  Not thread-safe while growing;
 * what lies in it may be read from any thread.
 */
#ifndef CDN_BASE_ARENA_H
#define CDN_BASE_ARENA_H

#include "base/str.h"

struct cdn_arena;

CDN_MUST_USE struct cdn_arena *cdn_arena_new(void);
/*
 * The same with room for so many bytes from the beginning, which the kernel is
 * asked to make present in one go: for an arena that will need them, much
 * cheaper than a page fault each.
 */
CDN_MUST_USE struct cdn_arena *cdn_arena_new_large(size_t bytes);
void cdn_arena_free(struct cdn_arena *arena); /* NULL is fine */

/*
 * Makes `arena` keep `other` alive until it goes itself, so that a profile
 * can point into its policy and still outlive it.  `other` must be finished.
 * Any thread may do this to a shared `other`.  False: out of memory.
 */
CDN_MUST_USE bool cdn_arena_keep(struct cdn_arena *arena,
    struct cdn_arena *other);

CDN_MUST_USE void *cdn_arena_alloc(struct cdn_arena *arena, size_t size);

/* count * size without overflow. */
CDN_MUST_USE void *cdn_arena_array(struct cdn_arena *arena, size_t count,
    size_t size);

/* A copy of n bytes with a NUL behind them; p may be NULL when n is 0. */
CDN_MUST_USE char *cdn_arena_dup(struct cdn_arena *arena, const char *p,
    size_t n);

/* The same as a slice; false when memory ran out. */
CDN_MUST_USE bool cdn_arena_str(struct cdn_arena *arena, cdn_str from,
    cdn_str *ret);

/* Two texts, one behind the other: most names need no more than that. */
CDN_MUST_USE char *cdn_arena_join(struct cdn_arena *arena, cdn_str a,
    cdn_str b);
CDN_MUST_USE char *cdn_arena_printf(struct cdn_arena *arena, const char *fmt,
    ...) CDN_PRINTF(2, 3);

/*
 * Room for one more element in an array that grows by doubling inside the
 * arena (old copies stay behind until the arena goes).  Returns the possibly
 * moved array, or NULL: then the old one and *capacity are as they were.
 */
CDN_MUST_USE void *cdn_arena_grow(struct cdn_arena *arena, void *array,
    size_t count, size_t *capacity, size_t element_size);

#endif
