#include "engine/match/matcher_freeze.h"

#include "engine/match/matcher_index.h"

static int
max(int a, int b)
{
	return a > b ? a : b;
}

/* ----- Reach ------------------------------------------------------------- */

/* One half of the rules, the allowing or the denying ones. */
struct half {
	const bool *negated;
	bool wanted; /* value of negated */
	int *reach;
};

static int
rule_of_half(const struct half *half, int rule)
{
	if (rule == CDN_NO_RULE || half->negated[rule] != half->wanted)
		return CDN_NO_RULE;
	return rule;
}

/* Children are numbered after their parents, so one pass backwards does. */
static void
fill_reach(const struct half *half, const struct cdn_draft *draft)
{
	for (size_t i = 0; i < draft->node_count; i++)
		half->reach[i] = CDN_NO_RULE;
	for (size_t i = draft->node_count; i-- > 1;) {
		const struct cdn_draft_node *node = &draft->nodes[i];
		int best = half->reach[i];

		if (node->is_dirs)
			continue; /* its parent's parent takes it from there */
		best = max(best, rule_of_half(half, node->exact));
		best = max(best, rule_of_half(half, node->below));
		if (node->dirs != 0)
			best = max(best, half->reach[node->dirs]);
		best = max(best, half->reach[node->parent]);
		half->reach[node->parent] = best;
	}
}

/* ----- Nodes ------------------------------------------------------------- */

static bool
is_deep(const struct cdn_node *nodes, uint32_t node)
{
	const struct cdn_node *at = &nodes[node];

	return at->below != CDN_NO_RULE || at->reach != CDN_NO_RULE ||
	    (at->dirs != 0 && nodes[at->dirs].reach != CDN_NO_RULE);
}

static void
note_edges(struct cdn_node *nodes, const struct cdn_draft *draft)
{
	for (size_t i = 0; i < draft->edge_count; i++) {
		const struct cdn_draft_edge *edge = &draft->edges[i];
		struct cdn_node *from = &nodes[edge->from];
		bool deep = is_deep(nodes, edge->to);

		from->last = max(from->last, nodes[edge->to].exact);
		if (!cdn_draft_is_name(draft, edge->label)) {
			from->flags |= CDN_NODE_GLOBS |
			    (deep ? CDN_NODE_DEEP_GLOBS : 0U);
			continue;
		}
		from->flags |= CDN_NODE_EXACT |
		    (deep ? CDN_NODE_DEEP_EXACT : 0U);
		from->names |= cdn_name_bit(draft->labels[edge->label].name.head);
	}
}

static struct cdn_node *
freeze_nodes(struct cdn_matcher *matcher, struct cdn_arena *arena,
    const struct cdn_draft *draft)
{
	size_t n = draft->node_count;
	struct cdn_node *nodes = cdn_arena_array(arena, n, sizeof(*nodes));
	uint32_t *parent = cdn_arena_array(arena, n, sizeof(*parent));
	struct half allow = { matcher->negated, false,
		cdn_arena_array(arena, n, sizeof(int)) };
	struct half deny = { matcher->negated, true,
		cdn_arena_array(arena, n, sizeof(int)) };

	if (nodes == NULL || parent == NULL || allow.reach == NULL ||
	    deny.reach == NULL)
		return NULL;
	fill_reach(&allow, draft);
	fill_reach(&deny, draft);
	for (size_t i = 0; i < n; i++) {
		const struct cdn_draft_node *from = &draft->nodes[i];

		parent[i] = from->parent;
		nodes[i] = (struct cdn_node){
			.exact = from->exact,
			.below = from->below,
			.reach = max(allow.reach[i], deny.reach[i]),
			.last = CDN_NO_RULE,
			.dirs = from->dirs,
			.flags = from->loops ? CDN_NODE_LOOPS : 0,
		};
	}
	note_edges(nodes, draft);
	matcher->nodes = nodes;
	matcher->parent = parent;
	matcher->reach_allow = allow.reach;
	matcher->reach_deny = deny.reach;
	return nodes;
}

/* ----- Literals ---------------------------------------------------------- */

static void
put_literal(struct cdn_matcher *matcher, const struct cdn_segment *name,
    uint32_t id)
{
	size_t at = cdn_slot_first(matcher->literal_slots, name->hash);

	while (matcher->literals[at].text != NULL)
		at = cdn_slot_next(matcher->literal_slots, at);
	matcher->literals[at] = (struct cdn_literal){ name->head, name->tail,
		name->p, (uint32_t)name->n, id };
}

static void
put_edge(struct cdn_matcher *matcher, const struct cdn_draft_edge *edge)
{
	uint64_t key = cdn_edge_key(edge->from, edge->label);
	size_t at = cdn_slot_first(matcher->edge_slots, cdn_mix(key));

	while (matcher->edges[at].child != 0)
		at = cdn_slot_next(matcher->edge_slots, at);
	matcher->edges[at] = (struct cdn_edge){ key, edge->to };
}

static bool
freeze_labels(struct cdn_matcher *matcher, struct cdn_arena *arena,
    const struct cdn_draft *draft)
{
	struct cdn_label *labels = cdn_arena_array(arena, draft->label_count,
	    sizeof(*labels));

	if (labels == NULL)
		return false;
	for (size_t i = 0; i < draft->label_count; i++)
		labels[i] = draft->labels[i].label;
	matcher->labels = labels;
	return true;
}

static bool
freeze_literals(struct cdn_matcher *matcher, struct cdn_arena *arena,
    const struct cdn_draft *draft)
{
	size_t count = 0;

	for (size_t i = 0; i < draft->label_count; i++)
		count += cdn_draft_is_name(draft, (uint32_t)i);
	matcher->literals = cdn_table_new(arena, count,
	    sizeof(*matcher->literals), &matcher->literal_slots);
	if (matcher->literals == NULL)
		return false;
	for (size_t i = 0; i < draft->label_count; i++)
		if (cdn_draft_is_name(draft, (uint32_t)i))
			put_literal(matcher, &draft->labels[i].name,
			    (uint32_t)i);
	return true;
}

static bool
freeze_edges(struct cdn_matcher *matcher, struct cdn_arena *arena,
    const struct cdn_draft *draft)
{
	size_t count = 0;

	for (size_t i = 0; i < draft->edge_count; i++)
		count += cdn_draft_is_name(draft, draft->edges[i].label);
	matcher->edges = cdn_table_new(arena, count, sizeof(*matcher->edges),
	    &matcher->edge_slots);
	if (matcher->edges == NULL)
		return false;
	for (size_t i = 0; i < draft->edge_count; i++)
		if (cdn_draft_is_name(draft, draft->edges[i].label))
			put_edge(matcher, &draft->edges[i]);
	return true;
}

bool
cdn_matcher_freeze(struct cdn_matcher *matcher, struct cdn_arena *arena,
    const struct cdn_draft *draft)
{
	struct cdn_node *nodes = freeze_nodes(matcher, arena, draft);

	if (nodes == NULL || !freeze_labels(matcher, arena, draft) ||
	    !freeze_literals(matcher, arena, draft) ||
	    !freeze_edges(matcher, arena, draft) ||
	    !cdn_index_build(matcher, nodes, arena, draft))
		return false;
	cdn_cursor_init(matcher, &matcher->root);
	return true;
}
