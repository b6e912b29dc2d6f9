/*
 * matcher_impl - how a compiled rule set lies in memory.  For matcher*.c only.
 *
 * Every edge eats one segment of the path.  Three rules,
 *
 *	0	src/ **
 *	1	!src/gen/ *.c
 *	2	** / *.env
 *
 * become this trie:
 *
 *	[0] --- "src" ---> [1] --- "gen" ---> [2] --- *.c ---> [3]
 *	 :	           exact 0		               exact 1
 *	 :	           below 0
 *	 : dirs
 *	[4] --- *.env ---> [5]
 *	loops	           exact 2
 *
 * Walking a path keeps a small set of nodes active, at first [0] and [4].  A
 * node that loops stays active for every further segment; any other lives for
 * one.  Arriving at a node with a `below` settles that rule for everything
 * deeper; the last segment asks for `exact` only (which is never less than
 * `below`, because P/ ** matches P).  The answer is the highest number met.
 * `reach` is the highest number to be met further on: a node whose reach is
 * not above what is settled already is not worth a visit.
 *
 * Where the edges of a node are:
 *
 *	names		(node, name) --hash--> child
 *	globs		candidates, found by what they begin with, end with or
 *			contain; checked one by one.  A node with only a few of
 *			them has them all in one list.
 *
 * A ** inside a segment (a**b) gets nodes of its own, which no other rule
 * shares, one that loops for each **:
 *
 *	[n] --- a*b -------------------> [t]
 *	[n] --- a*  ---> [s] --- *b ---> [t]
 *	                loops
 *
 * and for k of them each loop node has an edge to each later one, whose label
 * is the part of the pattern between them.
 */
#ifndef CDN_MATCH_MATCHER_IMPL_H
#define CDN_MATCH_MATCHER_IMPL_H

#include "engine/match/label.h"
#include "engine/match/matcher.h"

enum {
	CDN_NODE_LOOPS = 1,	     /* stays active */
	CDN_NODE_EXACT = 2,	     /* has children by literal */
	CDN_NODE_DEEP_EXACT = 4,     /* of which some matter before the end */
	CDN_NODE_GLOBS = 8,	     /* has children by glob */
	CDN_NODE_DEEP_GLOBS = 16,    /* of which some matter before the end */
	CDN_NODE_DEEP = CDN_NODE_DEEP_EXACT | CDN_NODE_DEEP_GLOBS,
	CDN_NODE_NAMED = 32,	     /* its parent's child by a name */
	CDN_NODE_DIRS = 64,	     /* it is the `dirs` of its parent */
};

struct cdn_node {
	int exact;	/* highest rule that ends here, or CDN_NO_RULE */
	int below;	/* highest rule for all that is deeper */
	int reach;	/* highest rule met deeper, not counting dirs */
	int last;	/* highest rule met with one more segment */
	uint32_t dirs;	/* node for ** and a slash behind it; 0: none */
	uint32_t globs; /* of the matcher's, with CDN_NODE_GLOBS */
	uint64_t names; /* cdn_name_bit() of its children by name */
	uint32_t flags;
	uint32_t parent; /* numbered before it */
	int reach_allow; /* reach, by what the rule says */
	int reach_deny;
};

/* The name by which a node is its parent's child, if it has one. */
struct cdn_named {
	uint64_t head, tail; /* as in struct cdn_segment */
	const char *text;
	uint32_t n;
	uint32_t parent;
};

/* A child by glob, on one cache line. */
struct cdn_candidate {
	struct cdn_shape shape;
	uint32_t label;
	uint32_t child;
	int reach; /* highest rule met at the child or deeper */
	int last;  /* its exact */
	bool deep; /* matters before the end */
};

/* How candidates are found: nothing, a beginning, an end, something inside. */
enum {
	CDN_KEY_NONE = 0,
	CDN_KEY_PREFIX = 0,  /* + 1 to 8 bytes */
	CDN_KEY_SUFFIX = 8,  /* + 1 to 8 bytes */
	CDN_KEY_GRAM = 16,   /* + 1 to 3 bytes */
	CDN_GRAM_MAX = 3
};

/* The candidates with one key, highest reach first.  Empty: count is 0. */
struct cdn_bucket {
	uint64_t bytes;
	uint32_t node;
	uint32_t kind; /* CDN_KEY_... + length */
	uint32_t first;
	uint32_t count;
	int reach;
};

/* By first or last byte: which key lengths there are (bit 0: one byte). */
struct cdn_affixes {
	uint8_t prefix[256];
	uint8_t suffix[256];
};

struct cdn_globs {
	uint32_t first; /* candidates without a key */
	uint32_t count;
	const struct cdn_affixes *affixes; /* NULL: no keys at all */
	const uint64_t *grams;		   /* cdn_gram_bit() of each */
	unsigned gram_shift;
	unsigned gram_lengths;		   /* as in affixes; 0: none */
};

/* The size of a hash table; a slot is looked for from the hash's top on. */
struct cdn_slots {
	unsigned shift;
	uint32_t mask;
};

/* A rule as it came. */
struct cdn_kept_rule {
	struct cdn_pattern pattern; /* of a plain one the text alone */
	size_t literal;		    /* as in struct cdn_match_rule */
	size_t plain;		    /* cdn_plain_length(); 0: it is not */
	bool below;		    /* of a plain one: what lies there, too */
};

struct cdn_matcher {
	struct cdn_cursor root; /* where every path begins */
	const struct cdn_node *nodes; /* [0] is the root */
	const struct cdn_named *named; /* one for each node */
	const uint32_t *children; /* hash table; 0, the root, is no one's child */
	struct cdn_slots child_slots;
	uint64_t seed; /* of the hashes of names */
	struct cdn_candidate *candidates;
	struct cdn_bucket *buckets;
	struct cdn_globs *globs;
	const struct cdn_label *labels;
	struct cdn_slots bucket_slots;

	/* for fallback and queries */
	const struct cdn_kept_rule *kept;
	const bool *negated;
	size_t rules;
	const uint32_t *ends;	/* of a rule: the node where it ends, or 0 */
};

/*
 * The cursor at the directory of a path that is not the root; returns where in
 * the path its last name begins.
 */
size_t cdn_cursor_go(const struct cdn_matcher *matcher, cdn_str path,
    struct cdn_cursor *ret);

/*
 * The rule for the place whose last name begins there, as cdn_cursor_check();
 * and the cursor, which stands at its directory and did not give up, enters it.
 */
int cdn_cursor_pass(const struct cdn_matcher *matcher, cdn_str path,
    size_t name_at, struct cdn_cursor *at);

/* Works out the cursor at the root; cdn_cursor_root() copies it. */
void cdn_cursor_init(const struct cdn_matcher *matcher, struct cdn_cursor *ret);

static inline size_t
cdn_slot_first(struct cdn_slots slots, uint64_t hash)
{
	return (size_t)(hash >> slots.shift);
}

static inline size_t
cdn_slot_next(struct cdn_slots slots, size_t slot)
{
	return (slot + 1) & slots.mask;
}

/* hash: cdn_name_hash() of the child's name, with the matcher's seed. */
static inline size_t
cdn_child_first(struct cdn_slots slots, uint32_t node, uint64_t hash)
{
	return cdn_slot_first(slots, (hash ^ node * CDN_MIX_A) * CDN_MIX_B);
}

static inline bool
cdn_child_is(const struct cdn_named *child, uint32_t node,
    const struct cdn_segment *name)
{
	return child->parent == node && child->head == name->head &&
	    child->tail == name->tail && child->n == name->n &&
	    (name->n <= 16 || memcmp(child->text, name->p, name->n) == 0);
}

static inline uint64_t
cdn_bucket_hash(uint64_t bytes, uint32_t node, uint32_t kind)
{
	return cdn_mix(bytes ^ ((uint64_t)node << 8 | kind) * CDN_MIX_B);
}

static inline uint32_t
cdn_gram_bit(uint32_t gram, unsigned length, unsigned shift)
{
	return (gram ^ length << 24) * UINT32_C(0x9e3779b1) >> shift;
}

#endif
