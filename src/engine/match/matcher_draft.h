/*
 * matcher_draft - the trie while rules are still coming in.
 *
 * Nodes and names are those of the matcher from the beginning; what belongs to
 * globs lives in a scratch arena and is thrown away when the matcher is frozen.
 * Failure is sticky, as with cdn_buf: after memory ran out or a limit was
 * reached every call does nothing and returns 0, and `error` says why.
 */
#ifndef CDN_MATCH_MATCHER_DRAFT_H
#define CDN_MATCH_MATCHER_DRAFT_H

#include "engine/match/matcher_impl.h"

enum cdn_draft_error {
	CDN_DRAFT_OK,
	CDN_DRAFT_NOMEM,
	CDN_DRAFT_NODES, /* CDN_NODES_MAX */
	CDN_DRAFT_EDGES, /* CDN_EDGES_MAX */
	CDN_DRAFT_JOINS, /* CDN_JOINS_MAX; set by matcher_build */
};

/* By glob; a child by name is found by that. */
struct cdn_draft_edge {
	uint32_t from;
	uint32_t label;
	uint32_t to;
};

struct cdn_draft_label {
	struct cdn_label label;
	uint32_t hash;
};

/* A number for each key, never 0. */
struct cdn_map {
	struct {
		uint64_t key;
		uint32_t value;
	} *slots;
	size_t size; /* a power of two */
	size_t count;
};

/*
 * The numbers of labels or edges, found by what they are; 0 is empty, others
 * are one too high.  What they stand for lies elsewhere, so a table is small.
 */
struct cdn_numbers {
	uint32_t *slots;
	size_t size; /* a power of two */
	size_t count;
};

struct cdn_draft {
	struct cdn_arena *scratch;
	struct cdn_arena *arena; /* of the matcher, which keeps these three: */
	struct cdn_node *nodes;	 /* [0] is the root; reach is not known yet */
	struct cdn_named *named; /* parallel */
	uint32_t *children;	 /* and their slots */
	struct cdn_draft_edge *edges;
	struct cdn_draft_label *labels;
	size_t node_count, node_room;
	size_t child_count;
	size_t edge_count, edge_room;
	size_t label_count, label_room;
	struct cdn_slots child_slots;
	struct cdn_numbers by_label;
	struct cdn_numbers by_edge; /* those that rules share */
	uint64_t seed;		    /* of the hashes of labels and names */
	enum cdn_draft_error error;
};

/* With a root in it.  The arenas are the caller's; rules: about how many. */
void cdn_draft_init(struct cdn_draft *draft, struct cdn_arena *arena,
    struct cdn_arena *scratch, size_t rules);

/* A new one, which nothing leads to yet. */
uint32_t cdn_draft_node(struct cdn_draft *draft, uint32_t parent, bool loops);

/* The node's child by these tokens; made when it is not there yet. */
uint32_t cdn_draft_child(struct cdn_draft *draft, uint32_t node,
    const struct cdn_token *tokens, size_t n);
/* The same by the name from `at` to `end` in a text. */
uint32_t cdn_draft_name(struct cdn_draft *draft, uint32_t node, cdn_str text,
    size_t at, size_t end);
/* These tokens lead to a node that is there; a name only to its child. */
void cdn_draft_lead(struct cdn_draft *draft, uint32_t from,
    const struct cdn_token *tokens, size_t n, bool open, uint32_t to);
/* The node for ** and a slash behind it. */
uint32_t cdn_draft_dirs(struct cdn_draft *draft, uint32_t node);

/* Remembers the first failure. */
void cdn_draft_fail(struct cdn_draft *draft, enum cdn_draft_error error);

/* A value to read or set; NULL when memory ran out.  A new one is 0. */
uint32_t *cdn_map_at(struct cdn_map *map, struct cdn_arena *arena,
    uint64_t key);

#endif
