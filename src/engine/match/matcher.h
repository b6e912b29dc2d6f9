/*
 * matcher - all rules of one operation, compiled once, asked many times.
 *
 * The answer is the index of the LAST rule that matches, because the last
 * match wins.  Cost is nearly independent of the number of rules; linear time
 * and bounded memory for every rule set and every path, hostile ones included.
 * A matcher is immutable and may be shared between threads; nothing here
 * allocates after cdn_matcher_build().
 *
 * Paths are canonical (pattern.h): relative, no empty segments, "" = root.
 * No rule matches one over CDN_PATH_MAX.
 */
#ifndef CDN_MATCH_MATCHER_H
#define CDN_MATCH_MATCHER_H

#include "base/arena.h"
#include "base/err.h"

#define CDN_NO_RULE (-1)

struct cdn_match_rule {
	cdn_str pattern; /* normalised, without '!'; outlives the matcher */
	size_t literal;	 /* leading bytes taken literally, see pattern.h */
	bool negated;
	bool below; /* as if a slash and ** stood behind it: need not be copied */
};

struct cdn_matcher;

/*
 * Compiles n rules (the array is copied, the texts are borrowed).  Everything
 * lies in the arena; there is nothing else to free.  Errors: memory, and
 * CORDON_E_INVALID past a limit (limits.h), naming the rule.
 */
CDN_MUST_USE int cdn_matcher_build(struct cdn_arena *arena,
    const struct cdn_match_rule *rules, size_t n,
    const struct cdn_matcher **ret, struct cordon_error *err);

/* The index of the last rule that matches, or CDN_NO_RULE. */
int cdn_matcher_check(const struct cdn_matcher *matcher, cdn_str path);

/* Does rule i match, whatever the others say?  For explanations. */
bool cdn_matcher_rule(const struct cdn_matcher *matcher, size_t i,
    cdn_str path);

/*
 * The pattern of rule i, one of those it was built from; parsed, for most rules
 * are asked without that.  Errors: memory.
 */
struct cdn_pattern;
CDN_MUST_USE int cdn_matcher_pattern(const struct cdn_matcher *matcher,
    size_t i, struct cdn_arena *arena, struct cdn_pattern *ret,
    struct cordon_error *err);

/*
 * Walking a tree.  A cursor stands at a directory; entering costs only the
 * new name.  Cursors are plain values: copy them, keep one per level.
 * `path` is the whole canonical path of the entry and `name_at` the offset of
 * its last segment; the matcher reads only the name unless the rule set is so
 * hostile that the cursor gave up (then it reads all of it).
 */
#define CDN_CURSOR_NODES 60
struct cdn_cursor {
	uint32_t nodes[CDN_CURSOR_NODES]; /* those that stay come first */
	uint32_t count;
	uint32_t loops;	    /* how many stay */
	uint64_t names;	     /* a filter: what some node has an edge for */
	uint64_t loop_names; /* what some node that stays has */
	uint8_t flags;	     /* of all nodes together */
	uint8_t loop_flags;  /* of those that stay */
	bool gave_up;	     /* more nodes than fit: ask by the whole path */
	int below; /* best rule that holds for everything below here */
};

void cdn_cursor_root(const struct cdn_matcher *matcher, struct cdn_cursor *ret);
/* parent and ret may be the same cursor. */
void cdn_cursor_enter(const struct cdn_matcher *matcher,
    const struct cdn_cursor *parent, cdn_str path, size_t name_at,
    struct cdn_cursor *ret);
int cdn_cursor_check(const struct cdn_matcher *matcher,
    const struct cdn_cursor *parent, cdn_str path, size_t name_at);

/*
 * What holds for a path and everything that could ever lie below it, rule
 * polarity only (no rule = denied).  MIXED when in doubt.
 */
enum cdn_subtree { CDN_SUBTREE_MIXED, CDN_SUBTREE_ALLOW, CDN_SUBTREE_DENY };
enum cdn_subtree cdn_matcher_subtree(const struct cdn_matcher *matcher,
    cdn_str prefix);
/* The same for a cursor that stands at the directory `path`. */
enum cdn_subtree cdn_cursor_subtree(const struct cdn_matcher *matcher,
    const struct cdn_cursor *cursor, cdn_str path);

/* The same for an entry of the directory where the cursor stands. */
enum cdn_subtree cdn_cursor_entry(const struct cdn_matcher *matcher,
    const struct cdn_cursor *dir, cdn_str path, size_t name_at);
/* The cursor that stands at a path. */
void cdn_cursor_at(const struct cdn_matcher *matcher, cdn_str path,
    struct cdn_cursor *ret);

/*
 * The last rule that denies something below the path because it lies there:
 * of what begins with ** only what has met more of the path already, for the
 * rest denies the same anywhere.  CDN_NO_RULE, or in doubt one that does not.
 */
int cdn_matcher_guard(const struct cdn_matcher *matcher, cdn_str path);

/*
 * True only when every path P/x has the same verdict as Q/x, and P as Q.
 * False when in doubt.
 */
bool cdn_matcher_same(const struct cdn_matcher *matcher, cdn_str p, cdn_str q);

#endif
