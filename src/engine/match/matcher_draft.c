#include "engine/match/matcher_draft.h"

#include "engine/match/matcher_index.h"

#define NUMBERS_FIRST 64
#define NODES_MORE    64 /* than rules; most share what they begin with */

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
reserve_in(struct cdn_draft *draft, struct cdn_arena *arena, void *array,
    size_t count, size_t *room, size_t size)
{
	void *bigger;

	if (draft->error != CDN_DRAFT_OK)
		return NULL;
	if (count < *room)
		return array;
	bigger = cdn_arena_grow(arena, array, count, room, size);
	if (bigger == NULL)
		cdn_draft_fail(draft, CDN_DRAFT_NOMEM);
	return bigger;
}

static void *
reserve(struct cdn_draft *draft, void *array, size_t count, size_t *room,
    size_t size)
{
	return reserve_in(draft, draft->scratch, array, count, room, size);
}

/* Both arrays of nodes with room for one more. */
static bool
reserve_node(struct cdn_draft *draft)
{
	size_t room = draft->node_room, count = draft->node_count;
	struct cdn_named *named;
	struct cdn_node *nodes;

	if (count >= CDN_NODES_MAX)
		cdn_draft_fail(draft, CDN_DRAFT_NODES);
	named = reserve_in(draft, draft->arena, draft->named, count, &room,
	    sizeof(*named));
	nodes = reserve_in(draft, draft->arena, draft->nodes, count,
	    &draft->node_room, sizeof(*nodes));
	if (named == NULL || nodes == NULL)
		return false;
	draft->nodes = nodes;
	draft->named = named;
	return true;
}

static inline uint32_t
new_node(struct cdn_draft *draft, uint32_t parent, bool loops)
{
	if (CDN_UNLIKELY(draft->node_count >= draft->node_room ||
	    draft->node_count >= CDN_NODES_MAX ||
	    draft->error != CDN_DRAFT_OK) && !reserve_node(draft))
		return 0;
	draft->nodes[draft->node_count] = (struct cdn_node){
		.exact = CDN_NO_RULE,
		.below = CDN_NO_RULE,
		.reach = CDN_NO_RULE,
		.last = CDN_NO_RULE,
		.reach_allow = CDN_NO_RULE,
		.reach_deny = CDN_NO_RULE,
		.parent = parent,
		.flags = loops ? CDN_NODE_LOOPS : 0,
	};
	return (uint32_t)draft->node_count++;
}

uint32_t
cdn_draft_node(struct cdn_draft *draft, uint32_t parent, bool loops)
{
	return new_node(draft, parent, loops);
}

/* ----- Children by name --------------------------------------------------- */

/* At least twice as many slots as there will be children. */
static bool
children_new(struct cdn_draft *draft, size_t count)
{
	uint32_t *children = cdn_table_new(draft->arena, count,
	    sizeof(*children), &draft->child_slots);

	if (children == NULL) {
		cdn_draft_fail(draft, CDN_DRAFT_NOMEM);
		return false;
	}
	draft->children = children;
	return true;
}

/* The slot of a child, or the empty one where it belongs. */
static inline uint32_t *
child_slot(const struct cdn_draft *draft, uint32_t node,
    const struct cdn_segment *name)
{
	struct cdn_slots slots = draft->child_slots;
	size_t at = cdn_child_first(slots, node,
	    cdn_name_hash(name, draft->seed));

	while (draft->children[at] != 0 &&
	    !cdn_child_is(&draft->named[draft->children[at]], node, name))
		at = cdn_slot_next(slots, at);
	return &draft->children[at];
}

static bool
children_grow(struct cdn_draft *draft)
{
	if (!children_new(draft, draft->child_slots.mask + (size_t)1))
		return false;
	for (uint32_t i = 1; i < draft->node_count; i++) {
		const struct cdn_named *child = &draft->named[i];
		const struct cdn_segment name = { child->text, child->n,
			child->head, child->tail };

		if ((draft->nodes[i].flags & CDN_NODE_NAMED) != 0)
			*child_slot(draft, child->parent, &name) = i;
	}
	return true;
}

static inline void
set_name(struct cdn_draft *draft, uint32_t *slot, uint32_t node,
    const struct cdn_segment *name, uint32_t child)
{
	draft->named[child] = (struct cdn_named){ name->head, name->tail,
		name->p, (uint32_t)name->n, node };
	draft->nodes[child].flags |= CDN_NODE_NAMED;
	draft->nodes[node].flags |= CDN_NODE_EXACT;
	draft->nodes[node].names |= cdn_name_bit(name->head);
	draft->child_count++;
	*slot = child;
}

/* One more child: at most half of the slots are taken. */
static inline bool
reserve_child(struct cdn_draft *draft)
{
	if (CDN_UNLIKELY(draft->error != CDN_DRAFT_OK))
		return false;
	return draft->child_count * 2 <= draft->child_slots.mask ||
	    children_grow(draft);
}

static inline struct cdn_segment
name_in(cdn_str text, size_t at, size_t end)
{
	return cdn_segment_at(text.p + at, end - at, text.p, text.p + text.n);
}

uint32_t
cdn_draft_name(struct cdn_draft *draft, uint32_t node, cdn_str text, size_t at,
    size_t end)
{
	struct cdn_segment name = name_in(text, at, end);
	uint32_t *slot, child;

	if (!reserve_child(draft))
		return 0;
	slot = child_slot(draft, node, &name);
	if (*slot != 0)
		return *slot;
	child = new_node(draft, node, false);
	if (child != 0)
		set_name(draft, slot, node, &name, child);
	return child;
}

/* ----- Children by glob --------------------------------------------------- */

/* The hash of what the number in a slot stands for. */
typedef uint32_t hash_fn(const struct cdn_draft *draft, uint32_t number);

static uint32_t
edge_hash(uint32_t node, uint32_t label)
{
	return (uint32_t)(cdn_mix((uint64_t)node << 32 | label) >> 32);
}

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
	uint32_t *slots = cdn_arena_array(draft->scratch, size,
	    sizeof(*slots));

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
	return numbers_grow(draft, numbers, numbers->size == 0 ?
		NUMBERS_FIRST : numbers->size * 2, hash);
}

/* One slot after the other, from that of a hash on. */
static uint32_t *
next_slot(struct cdn_numbers *numbers, size_t *at)
{
	uint32_t *slot = &numbers->slots[*at & (numbers->size - 1)];

	++*at;
	return slot;
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

/* A number for these tokens; the same tokens have the same number. */
static uint32_t
find_label(struct cdn_draft *draft, const struct cdn_token *tokens, size_t n,
    bool open)
{
	/* How clean it is matters only when it is new. */
	struct cdn_draft_label label = { .label = { tokens, (uint32_t)n, open,
	    true } };
	uint32_t *slot;
	size_t probe;

	if (!numbers_reserve(draft, &draft->by_label, hash_of_label))
		return 0;
	label.hash = (uint32_t)(cdn_label_hash(&label.label, draft->seed) >>
	    32);
	probe = label.hash;
	while (*(slot = next_slot(&draft->by_label, &probe)) != 0)
		if (draft->labels[*slot - 1].hash == label.hash && cdn_label_eq(
			&draft->labels[*slot - 1].label, &label.label))
			return *slot - 1;
	cdn_label_init(&label.label, tokens, n, open);
	return add_label(draft, slot, &label);
}

static void
add_edge(struct cdn_draft *draft, uint32_t from, uint32_t label, uint32_t to)
{
	struct cdn_draft_edge *edges;

	if (draft->edge_count + draft->child_count >= CDN_EDGES_MAX)
		cdn_draft_fail(draft, CDN_DRAFT_EDGES);
	edges = reserve(draft, draft->edges, draft->edge_count,
	    &draft->edge_room, sizeof(*edges));
	if (edges == NULL)
		return;
	draft->edges = edges;
	edges[draft->edge_count++] = (struct cdn_draft_edge){ from, label, to };
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

static bool
is_name(const struct cdn_token *tokens, size_t n, bool open)
{
	return n == 1 && !open && tokens[0].kind == CDN_TOKEN_LITERAL;
}

uint32_t
cdn_draft_child(struct cdn_draft *draft, uint32_t node,
    const struct cdn_token *tokens, size_t n)
{
	uint32_t label, child, *slot;

	if (is_name(tokens, n, false))
		return cdn_draft_name(draft, node, tokens[0].text, 0,
		    tokens[0].text.n);
	label = find_label(draft, tokens, n, false);
	if (!numbers_reserve(draft, &draft->by_edge, hash_of_edge))
		return 0;
	slot = find_edge(draft, node, label);
	if (*slot != 0)
		return draft->edges[*slot - 1].to;
	child = cdn_draft_node(draft, node, false);
	add_edge(draft, node, label, child);
	if (draft->error != CDN_DRAFT_OK)
		return 0;
	draft->by_edge.count++;
	*slot = (uint32_t)draft->edge_count;
	return child;
}

void
cdn_draft_lead(struct cdn_draft *draft, uint32_t from,
    const struct cdn_token *tokens, size_t n, bool open, uint32_t to)
{
	struct cdn_segment name;

	if (!is_name(tokens, n, open)) {
		add_edge(draft, from, find_label(draft, tokens, n, open), to);
		return;
	}
	name = name_in(tokens[0].text, 0, tokens[0].text.n);
	if (reserve_child(draft))
		set_name(draft, child_slot(draft, from, &name), from, &name,
		    to);
}

uint32_t
cdn_draft_dirs(struct cdn_draft *draft, uint32_t node)
{
	uint32_t made;

	if (draft->error != CDN_DRAFT_OK)
		return 0;
	if ((draft->nodes[node].flags & CDN_NODE_DIRS) != 0)
		return node;
	if (draft->nodes[node].dirs != 0)
		return draft->nodes[node].dirs;
	made = cdn_draft_node(draft, node, true);
	if (made == 0)
		return 0;
	draft->nodes[made].flags |= CDN_NODE_DIRS;
	draft->nodes[node].dirs = made;
	return made;
}

/* ----- At the beginning --------------------------------------------------- */

void
cdn_draft_init(struct cdn_draft *draft, struct cdn_arena *arena,
    struct cdn_arena *scratch, size_t rules)
{
	/* of nodes; a guess */
	size_t count = rules + (rules < NODES_MORE ? rules : NODES_MORE) + 2;

	/* Where memory lies is nothing a policy can know. */
	*draft = (struct cdn_draft){ .arena = arena, .scratch = scratch,
		.seed = cdn_mix((uint64_t)(uintptr_t)arena) };
	draft->nodes = cdn_arena_array(arena, count, sizeof(*draft->nodes));
	draft->named = cdn_arena_array(arena, count, sizeof(*draft->named));
	if (draft->nodes == NULL || draft->named == NULL) {
		cdn_draft_fail(draft, CDN_DRAFT_NOMEM);
		return;
	}
	draft->node_room = count;
	if (children_new(draft, count))
		cdn_draft_node(draft, 0, false);
}
