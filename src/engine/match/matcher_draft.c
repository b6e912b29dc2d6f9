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
	if (count < *room)
		return array;
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

#define NUMBERS_FIRST 64

/* Room for so many from the beginning; without it arrays grow as usual. */
static void *
presize(struct cdn_draft *draft, size_t count, size_t *room, size_t size)
{
	void *array = cdn_arena_array(draft->arena, count, size);

	if (array == NULL)
		cdn_draft_fail(draft, CDN_DRAFT_NOMEM);
	else
		*room = count;
	return array;
}

static void
presize_numbers(struct cdn_draft *draft, struct cdn_numbers *numbers,
    size_t count)
{
	size_t size = NUMBERS_FIRST;

	while (size < 2 * count)
		size *= 2;
	numbers->slots = cdn_arena_array(draft->arena, size,
	    sizeof(*numbers->slots));
	if (numbers->slots == NULL)
		cdn_draft_fail(draft, CDN_DRAFT_NOMEM);
	else
		numbers->size = size;
}

void
cdn_draft_init(struct cdn_draft *draft, struct cdn_arena *arena, size_t rules)
{
	size_t count = 2 * rules + 2; /* of nodes; a guess */

	/* Where memory lies is nothing a policy can know. */
	*draft = (struct cdn_draft){ .arena = arena,
		.seed = cdn_mix((uint64_t)(uintptr_t)arena) };
	draft->nodes = presize(draft, count, &draft->node_room,
	    sizeof(*draft->nodes));
	draft->edges = presize(draft, count, &draft->edge_room,
	    sizeof(*draft->edges));
	draft->labels = presize(draft, count, &draft->label_room,
	    sizeof(*draft->labels));
	presize_numbers(draft, &draft->by_label, count);
	presize_numbers(draft, &draft->by_edge, count);
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

/* ----- What is there already ---------------------------------------------- */

static uint32_t
edge_hash(uint32_t node, uint32_t label)
{
	return (uint32_t)(cdn_mix(cdn_edge_key(node, label)) >> 32);
}

/* The hash of what the number in a slot stands for. */
typedef uint32_t hash_fn(const struct cdn_draft *draft, uint32_t number);

static uint32_t
hash_of_label(const struct cdn_draft *draft, uint32_t number)
{
	return draft->labels[number].hash;
}

static uint32_t
hash_of_edge(const struct cdn_draft *draft, uint32_t number)
{
	return edge_hash(draft->edges[number].from,
	    draft->edges[number].label);
}

static bool
numbers_grow(struct cdn_draft *draft, struct cdn_numbers *numbers,
    size_t size, hash_fn *hash)
{
	uint32_t *slots = cdn_arena_array(draft->arena, size, sizeof(*slots));

	if (slots == NULL) {
		cdn_draft_fail(draft, CDN_DRAFT_NOMEM);
		return false;
	}
	for (size_t i = 0; i < numbers->size; i++) {
		uint32_t number = numbers->slots[i];
		size_t at;

		if (number == 0)
			continue;
		at = hash(draft, number - 1) & (size - 1);
		while (slots[at] != 0)
			at = (at + 1) & (size - 1);
		slots[at] = number;
	}
	numbers->slots = slots;
	numbers->size = size;
	return true;
}

/* At most half full, when one more comes. */
static bool
numbers_reserve(struct cdn_draft *draft, struct cdn_numbers *numbers,
    hash_fn *hash)
{
	if (draft->error != CDN_DRAFT_OK)
		return false;
	if (numbers->count * 2 < numbers->size)
		return true;
	return numbers_grow(draft, numbers, numbers->size * 2, hash);
}

/* One slot after the other, from that of a hash on. */
static uint32_t *
next_slot(struct cdn_numbers *numbers, size_t *at)
{
	uint32_t *slot = &numbers->slots[*at & (numbers->size - 1)];

	++*at;
	return slot;
}

static bool
name_eq(const struct cdn_segment *a, const struct cdn_segment *b)
{
	return a->n == b->n && a->head == b->head && a->tail == b->tail &&
	    (a->n <= 16 || memcmp(a->p, b->p, a->n) == 0);
}

/* Behind the others; its number, one too high, goes into the slot. */
static uint32_t
add_label(struct cdn_draft *draft, uint32_t *slot,
    const struct cdn_draft_label *label)
{
	struct cdn_draft_label *labels = reserve(draft, draft->labels,
	    draft->label_count, &draft->label_room, sizeof(*labels));

	if (labels == NULL)
		return 0;
	draft->labels = labels;
	labels[draft->label_count++] = *label;
	draft->by_label.count++;
	*slot = (uint32_t)draft->label_count;
	return *slot - 1;
}

uint32_t
cdn_draft_name(struct cdn_draft *draft, cdn_str text, size_t at, size_t end)
{
	struct cdn_draft_label label = { .name = cdn_segment_at(text.p + at,
	    end - at, text.p, text.p + text.n) };
	uint32_t *slot;
	size_t probe;

	if (!numbers_reserve(draft, &draft->by_label, hash_of_label))
		return 0;
	label.hash = (uint32_t)(cdn_name_hash(&label.name, draft->seed) >> 32);
	probe = label.hash;
	while (*(slot = next_slot(&draft->by_label, &probe)) != 0)
		if (name_eq(&draft->labels[*slot - 1].name, &label.name))
			return *slot - 1;
	return add_label(draft, slot, &label);
}

uint32_t
cdn_draft_label(struct cdn_draft *draft, const struct cdn_token *tokens,
    size_t n, bool open)
{
	/* How clean it is matters only when it is new. */
	struct cdn_draft_label label = { .label = { tokens, (uint32_t)n, open,
	    true } };
	uint32_t *slot;
	size_t probe;

	if (cdn_label_is_literal(&label.label))
		return cdn_draft_name(draft, tokens[0].text, 0,
		    tokens[0].text.n);
	if (!numbers_reserve(draft, &draft->by_label, hash_of_label))
		return 0;
	label.hash = (uint32_t)(cdn_label_hash(&label.label, draft->seed) >>
	    32);
	probe = label.hash;
	while (*(slot = next_slot(&draft->by_label, &probe)) != 0)
		if (draft->labels[*slot - 1].hash == label.hash &&
		    !cdn_draft_is_name(draft, *slot - 1) && cdn_label_eq(
			&draft->labels[*slot - 1].label, &label.label))
			return *slot - 1;
	cdn_label_init(&label.label, tokens, n, open);
	return add_label(draft, slot, &label);
}

static uint32_t *
find_edge(struct cdn_draft *draft, uint32_t node, uint32_t label)
{
	struct cdn_numbers *numbers = &draft->by_edge;
	size_t at = edge_hash(node, label) & (numbers->size - 1);

	for (;; at = (at + 1) & (numbers->size - 1)) {
		uint32_t number = numbers->slots[at];

		if (number == 0 || (draft->edges[number - 1].from == node &&
		    draft->edges[number - 1].label == label))
			return &numbers->slots[at];
	}
}

uint32_t
cdn_draft_child(struct cdn_draft *draft, uint32_t node, uint32_t label)
{
	uint32_t child, *slot;

	if (!numbers_reserve(draft, &draft->by_edge, hash_of_edge))
		return 0;
	slot = find_edge(draft, node, label);
	if (*slot != 0)
		return draft->edges[*slot - 1].to;
	child = cdn_draft_node(draft, node, false);
	cdn_draft_edge(draft, node, label, child);
	if (draft->error != CDN_DRAFT_OK)
		return 0;
	draft->by_edge.count++;
	*slot = (uint32_t)draft->edge_count;
	return child;
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
