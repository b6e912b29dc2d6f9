#include "engine/match/matcher_draft.h"

/* ----- Map --------------------------------------------------------------- */

/* The slot of the key, or the empty one where it belongs. */
static size_t
map_slot(const struct cdn_map *map, uint64_t key)
{
	size_t at = cdn_mix(key) & (map->size - 1);

	while (map->slots[at].value != 0 && map->slots[at].key != key)
		at = (at + 1) & (map->size - 1);
	return at;
}

static bool
map_grow(struct cdn_map *map, struct cdn_arena *arena)
{
	struct cdn_map bigger = { .size = map->size == 0 ? 64 : map->size * 2 };

	bigger.slots = cdn_arena_array(arena, bigger.size,
	    sizeof(*bigger.slots));
	if (bigger.slots == NULL)
		return false;
	for (size_t i = 0; i < map->size; i++)
		if (map->slots[i].value != 0)
			bigger.slots[map_slot(&bigger, map->slots[i].key)] =
			    map->slots[i];
	bigger.count = map->count;
	*map = bigger;
	return true;
}

/* A value that stays 0 is not kept, though it has been counted: no matter. */
uint32_t *
cdn_map_at(struct cdn_map *map, struct cdn_arena *arena, uint64_t key)
{
	size_t at;

	if (map->count * 2 >= map->size && !map_grow(map, arena))
		return NULL;
	at = map_slot(map, key);
	if (map->slots[at].value == 0) {
		map->slots[at].key = key;
		map->count++;
	}
	return &map->slots[at].value;
}

/* ----- Draft ------------------------------------------------------------- */

void
cdn_draft_fail(struct cdn_draft *draft, enum cdn_draft_error error)
{
	if (draft->error == CDN_DRAFT_OK)
		draft->error = error;
}

/* The array with room for one more, or NULL. */
static void *
reserve(struct cdn_draft *draft, void *array, size_t count, size_t *room,
    size_t size)
{
	void *bigger;

	if (draft->error != CDN_DRAFT_OK)
		return NULL;
	bigger = cdn_arena_grow(draft->arena, array, count, room, size);
	if (bigger == NULL)
		cdn_draft_fail(draft, CDN_DRAFT_NOMEM);
	return bigger;
}

uint32_t
cdn_draft_node(struct cdn_draft *draft, uint32_t parent, bool loops)
{
	struct cdn_draft_node *nodes;

	if (draft->node_count == CDN_NODES_MAX)
		cdn_draft_fail(draft, CDN_DRAFT_NODES);
	nodes = reserve(draft, draft->nodes, draft->node_count,
	    &draft->node_room, sizeof(*nodes));
	if (nodes == NULL)
		return 0;
	draft->nodes = nodes;
	nodes[draft->node_count] = (struct cdn_draft_node){
		.parent = parent,
		.exact = CDN_NO_RULE,
		.below = CDN_NO_RULE,
		.loops = loops,
	};
	return (uint32_t)draft->node_count++;
}

void
cdn_draft_init(struct cdn_draft *draft, struct cdn_arena *arena)
{
	/* Where memory lies is nothing a policy can know. */
	*draft = (struct cdn_draft){ .arena = arena,
		.seed = cdn_mix((uint64_t)(uintptr_t)arena) };
	cdn_draft_node(draft, 0, false);
}

void
cdn_draft_edge(struct cdn_draft *draft, uint32_t from, uint32_t label,
    uint32_t to)
{
	struct cdn_draft_edge *edges;

	if (draft->edge_count == CDN_EDGES_MAX)
		cdn_draft_fail(draft, CDN_DRAFT_EDGES);
	edges = reserve(draft, draft->edges, draft->edge_count,
	    &draft->edge_room, sizeof(*edges));
	if (edges == NULL)
		return;
	draft->edges = edges;
	edges[draft->edge_count++] = (struct cdn_draft_edge){ from, label, to };
}

static uint32_t *
draft_map_at(struct cdn_draft *draft, struct cdn_map *map, uint64_t key)
{
	uint32_t *value;

	if (draft->error != CDN_DRAFT_OK)
		return NULL;
	value = cdn_map_at(map, draft->arena, key);
	if (value == NULL)
		cdn_draft_fail(draft, CDN_DRAFT_NOMEM);
	return value;
}

/* The number of a label, to be set when it is new; two labels with one hash
 * stand behind each other. */
static uint32_t *
find_label(struct cdn_draft *draft, const struct cdn_label *label)
{
	uint64_t hash = cdn_label_hash(label, draft->seed);
	uint32_t *number;

	for (;; hash++) {
		number = draft_map_at(draft, &draft->by_label, hash);
		if (number == NULL || *number == 0 ||
		    cdn_label_eq(&draft->labels[*number - 1], label))
			return number;
	}
}

uint32_t
cdn_draft_label(struct cdn_draft *draft, const struct cdn_token *tokens,
    size_t n, bool open)
{
	struct cdn_label label, *labels;
	uint32_t *number;

	cdn_label_init(&label, tokens, n, open);
	number = find_label(draft, &label);
	if (number == NULL)
		return 0;
	if (*number != 0)
		return *number - 1;
	labels = reserve(draft, draft->labels, draft->label_count,
	    &draft->label_room, sizeof(*labels));
	if (labels == NULL)
		return 0;
	draft->labels = labels;
	labels[draft->label_count++] = label;
	*number = (uint32_t)draft->label_count;
	return *number - 1;
}

uint32_t
cdn_draft_child(struct cdn_draft *draft, uint32_t node, uint32_t label)
{
	uint32_t *child = draft_map_at(draft, &draft->by_edge,
	    cdn_edge_key(node, label));

	if (child == NULL)
		return 0;
	if (*child == 0) {
		*child = cdn_draft_node(draft, node, false);
		cdn_draft_edge(draft, node, label, *child);
	}
	return *child;
}

uint32_t
cdn_draft_dirs(struct cdn_draft *draft, uint32_t node)
{
	uint32_t made;

	if (draft->error != CDN_DRAFT_OK)
		return 0;
	if (draft->nodes[node].is_dirs)
		return node;
	if (draft->nodes[node].dirs != 0)
		return draft->nodes[node].dirs;
	made = cdn_draft_node(draft, node, true);
	if (made == 0)
		return 0;
	draft->nodes[made].is_dirs = true;
	draft->nodes[node].dirs = made;
	return made;
}
