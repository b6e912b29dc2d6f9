#include "engine/match/matcher_index.h"

#define SMALL	   512 /* so many entries of a table are few */
#define LIST_MAX   6   /* so many globs of a node are tried one by one */
#define FEW	   8   /* so many under one beginning or end are few */
#define GRAM_TRIES 32  /* grams of one label looked at */
#define GRAM_BITS  18  /* log2 of the most bits of one node's filter */

/* A glob edge on its way to becoming a candidate. */
struct plan {
	uint32_t node;
	uint32_t kind; /* CDN_KEY_... + length */
	uint64_t bytes;
	int reach;
	uint32_t order; /* number of the edge */
};

struct key {
	uint32_t kind;
	uint64_t bytes;
};

struct index {
	struct cdn_matcher *matcher;
	struct cdn_node *nodes;
	struct cdn_arena *arena;
	const struct cdn_draft *draft;
	struct plan *plans;
	size_t count;
	uint32_t *per_node; /* globs of each node */
	struct cdn_map uses; /* how many globs could take a key */
};

/* ----- Keys -------------------------------------------------------------- */

void *
cdn_table_new(struct cdn_arena *arena, size_t count, size_t element_size,
    struct cdn_slots *ret)
{
	/* Small ones stay so: every start touches all of their pages. */
	size_t least = count > SMALL ? count * 3 : count * 2;
	unsigned bits = 1;

	while (((size_t)1 << bits) < least)
		bits++;
	ret->shift = 64 - bits;
	ret->mask = (uint32_t)(((size_t)1 << bits) - 1);
	return cdn_arena_array(arena, (size_t)1 << bits, element_size);
}

/* All keys of a label, affixes first; returns how many. */
static size_t
list_keys(const struct cdn_label *label, struct key keys[GRAM_TRIES + 2])
{
	struct cdn_shape shape;
	cdn_str prefix = cdn_label_prefix(label);
	cdn_str suffix = cdn_label_suffix(label);
	size_t n = 0;

	cdn_label_shape(label, &shape);
	if (prefix.n > 0)
		keys[n++] = (struct key){ CDN_KEY_PREFIX +
		    (uint32_t)(prefix.n < 8 ? prefix.n : 8), shape.head };
	if (suffix.n > 0)
		keys[n++] = (struct key){ CDN_KEY_SUFFIX +
		    (uint32_t)(suffix.n < 8 ? suffix.n : 8), shape.tail };
	for (size_t i = 0; i < label->n; i++) {
		cdn_str text = label->tokens[i].text;
		size_t length = text.n < CDN_GRAM_MAX ? text.n : CDN_GRAM_MAX;

		for (size_t at = 0; length > 0 && at + length <= text.n; at++) {
			if (n == GRAM_TRIES + 2)
				return n;
			keys[n++] = (struct key){
				CDN_KEY_GRAM + (uint32_t)length,
				cdn_load(text.p + at, length)
			};
		}
	}
	return n;
}

/* Two keys that fall together here only make a poorer choice. */
static uint32_t *
uses_of(struct index *index, uint32_t node, const struct key *key)
{
	return cdn_map_at(&index->uses, index->draft->scratch,
	    cdn_bucket_hash(key->bytes, node, key->kind));
}

static bool
is_listed(const struct index *index, const struct plan *plan)
{
	return index->per_node[plan->node] <= LIST_MAX;
}

static const struct cdn_label *
label_of(const struct index *index, const struct plan *plan)
{
	const struct cdn_draft *draft = index->draft;

	return &draft->labels[draft->edges[plan->order].label].label;
}

static bool
count_keys(struct index *index, const struct plan *plan)
{
	struct key keys[GRAM_TRIES + 2];
	size_t n;

	if (is_listed(index, plan))
		return true;
	n = list_keys(label_of(index, plan), keys);
	for (size_t i = 0; i < n; i++) {
		uint32_t *uses = uses_of(index, plan->node, &keys[i]);

		if (uses == NULL)
			return false;
		++*uses;
	}
	return true;
}

/*
 * The key with the fewest uses.  Looking for grams costs a pass over every
 * segment, so they must be much better than a beginning or an end.
 */
static bool
choose_key(struct index *index, struct plan *plan)
{
	struct key keys[GRAM_TRIES + 2];
	uint64_t best = UINT64_MAX;
	size_t n;

	if (is_listed(index, plan))
		return true;
	n = list_keys(label_of(index, plan), keys);
	for (size_t i = 0; i < n; i++) {
		const uint32_t *uses = uses_of(index, plan->node, &keys[i]);
		uint64_t cost;

		if (uses == NULL)
			return false;
		cost = *uses;
		if (keys[i].kind > CDN_KEY_GRAM)
			cost = cost * 4 + FEW;
		if (cost < best) {
			best = cost;
			plan->kind = keys[i].kind;
			plan->bytes = keys[i].bytes;
		}
	}
	return true;
}

/* ----- Plans ------------------------------------------------------------- */

static int
max(int a, int b)
{
	return a > b ? a : b;
}

/* The highest rule met at a node or deeper. */
static int
reach_at(const struct cdn_node *nodes, uint32_t node)
{
	int best = max(nodes[node].exact, nodes[node].below);

	best = max(best, nodes[node].reach);
	if (nodes[node].dirs != 0)
		best = max(best, nodes[nodes[node].dirs].reach);
	return best;
}

static void
make_plans(struct index *index)
{
	const struct cdn_draft *draft = index->draft;

	for (size_t i = 0; i < draft->edge_count; i++) {
		const struct cdn_draft_edge *edge = &draft->edges[i];

		index->plans[index->count++] = (struct plan){
			.node = edge->from,
			.reach = reach_at(index->nodes, edge->to),
			.order = (uint32_t)i,
		};
		index->per_node[edge->from]++;
	}
}

/* By node, by key, the farthest reach first. */
static int
compare_plans(const void *left, const void *right)
{
	const struct plan *a = left, *b = right;

	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? -1 : 1;
	if (a->reach != b->reach)
		return a->reach > b->reach ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

static bool
same_node(const struct index *index, size_t a, size_t b)
{
	return b < index->count &&
	    index->plans[a].node == index->plans[b].node;
}

static bool
same_key(const struct index *index, size_t a, size_t b)
{
	return same_node(index, a, b) &&
	    index->plans[a].kind == index->plans[b].kind &&
	    index->plans[a].bytes == index->plans[b].bytes;
}

/* ----- Tables ------------------------------------------------------------ */

static void
put_candidate(struct index *index, size_t at)
{
	const struct plan *plan = &index->plans[at];
	const struct cdn_draft_edge *edge = &index->draft->edges[plan->order];
	const struct cdn_node *child = &index->nodes[edge->to];
	struct cdn_candidate *candidate = &index->matcher->candidates[at];

	cdn_label_shape(label_of(index, plan), &candidate->shape);
	candidate->label = edge->label;
	candidate->child = edge->to;
	candidate->reach = plan->reach;
	candidate->last = child->exact;
	candidate->deep = child->below != CDN_NO_RULE ||
	    child->reach != CDN_NO_RULE || child->dirs != 0;
}

static void
put_bucket(struct index *index, size_t first, size_t end)
{
	struct cdn_matcher *matcher = index->matcher;
	const struct plan *plan = &index->plans[first];
	size_t at = cdn_slot_first(matcher->bucket_slots,
	    cdn_bucket_hash(plan->bytes, plan->node, plan->kind));

	while (matcher->buckets[at].count != 0)
		at = cdn_slot_next(matcher->bucket_slots, at);
	matcher->buckets[at] = (struct cdn_bucket){ plan->bytes, plan->node,
		plan->kind, (uint32_t)first, (uint32_t)(end - first),
		plan->reach };
}

static void
note_affix(struct cdn_affixes *affixes, const struct plan *plan)
{
	if (plan->kind > CDN_KEY_SUFFIX)
		affixes->suffix[plan->bytes >> 56] |=
		    (uint8_t)(1U << (plan->kind - CDN_KEY_SUFFIX - 1));
	else if (plan->kind != CDN_KEY_NONE)
		affixes->prefix[plan->bytes & 0xff] |=
		    (uint8_t)(1U << (plan->kind - CDN_KEY_PREFIX - 1));
}

static bool
fill_affixes(struct index *index, struct cdn_globs *globs, size_t first,
    size_t end)
{
	struct cdn_affixes *affixes;

	if (end - first == globs->count)
		return true;
	affixes = cdn_arena_alloc(index->arena, sizeof(*affixes));
	if (affixes == NULL)
		return false;
	for (size_t i = first + globs->count; i < end; i++)
		if (index->plans[i].kind <= CDN_KEY_GRAM)
			note_affix(affixes, &index->plans[i]);
	globs->affixes = affixes;
	return true;
}

/* Sixteen bits or more for each gram keep false alarms rare. */
static bool
fill_grams(struct index *index, struct cdn_globs *globs, size_t first,
    size_t end)
{
	uint64_t *grams;
	size_t count = 0;
	unsigned bits = 9;

	for (size_t i = first; i < end; i++)
		count += index->plans[i].kind > CDN_KEY_GRAM;
	if (count == 0)
		return true;
	while (bits < GRAM_BITS && ((size_t)1 << bits) < count * 16)
		bits++;
	grams = cdn_arena_array(index->arena, ((size_t)1 << bits) / 64,
	    sizeof(*grams));
	if (grams == NULL)
		return false;
	globs->grams = grams;
	globs->gram_shift = 32 - bits;
	for (size_t i = first; i < end; i++) {
		const struct plan *plan = &index->plans[i];
		unsigned length = plan->kind - CDN_KEY_GRAM;
		uint32_t bit;

		if (plan->kind <= CDN_KEY_GRAM)
			continue;
		bit = cdn_gram_bit((uint32_t)plan->bytes, length,
		    globs->gram_shift);
		grams[bit / 64] |= UINT64_C(1) << (bit % 64);
		globs->gram_lengths |= 1U << (length - 1);
	}
	return true;
}

/* The plans from first to end are those of one node. */
static bool
put_node(struct index *index, struct cdn_globs *globs, size_t first, size_t end)
{
	*globs = (struct cdn_globs){ .first = (uint32_t)first };
	for (size_t i = first, next; i < end; i = next) {
		next = i + 1;
		while (same_key(index, i, next))
			next++;
		if (index->plans[i].kind == CDN_KEY_NONE)
			globs->count = (uint32_t)(next - i);
		else
			put_bucket(index, i, next);
	}
	return fill_affixes(index, globs, first, end) &&
	    fill_grams(index, globs, first, end);
}

static bool
make_tables(struct index *index)
{
	struct cdn_matcher *matcher = index->matcher;
	size_t nodes = 0, keys = 0, count = index->count;

	for (size_t i = 0; i < count; i++) {
		nodes += !same_node(index, i, i + 1);
		keys += !same_key(index, i, i + 1);
	}
	matcher->candidates = cdn_arena_array(index->arena, count,
	    sizeof(*matcher->candidates));
	matcher->globs = cdn_arena_array(index->arena, nodes,
	    sizeof(*matcher->globs));
	matcher->buckets = cdn_table_new(index->arena, keys,
	    sizeof(*matcher->buckets), &matcher->bucket_slots);
	if (matcher->candidates == NULL || matcher->globs == NULL ||
	    matcher->buckets == NULL)
		return false;
	for (size_t i = 0; i < count; i++)
		put_candidate(index, i);
	for (size_t i = 0, next, node = 0; i < count; i = next, node++) {
		next = i + 1;
		while (same_node(index, i, next))
			next++;
		index->nodes[index->plans[i].node].globs = (uint32_t)node;
		if (!put_node(index, &matcher->globs[node], i, next))
			return false;
	}
	return true;
}

bool
cdn_index_build(struct cdn_matcher *matcher, struct cdn_node *nodes,
    struct cdn_arena *arena, const struct cdn_draft *draft)
{
	size_t globs = draft->edge_count;
	struct index index = {
		.matcher = matcher,
		.nodes = nodes,
		.arena = arena,
		.draft = draft,
		.plans = cdn_arena_array(draft->scratch, globs,
		    sizeof(struct plan)),
		.per_node = cdn_arena_array(draft->scratch, draft->node_count,
		    sizeof(uint32_t)),
	};

	if (index.plans == NULL || index.per_node == NULL)
		return false;
	make_plans(&index);
	for (size_t i = 0; i < index.count; i++)
		if (!count_keys(&index, &index.plans[i]))
			return false;
	for (size_t i = 0; i < index.count; i++)
		if (!choose_key(&index, &index.plans[i]))
			return false;
	if (index.count > 0)
		qsort(index.plans, index.count, sizeof(*index.plans),
		    compare_plans);
	return make_tables(&index);
}
