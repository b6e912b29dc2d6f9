#include "engine/match/matcher_freeze.h"

#include "engine/match/matcher_index.h"

static int
max(int a, int b)
{
	return a > b ? a : b;
}

/* ----- Reach ------------------------------------------------------------- */

static void
lift(int *best, int rule)
{
	if (rule > *best)
		*best = rule;
}

/* A rule met at a node, for whoever lies above it. */
static void
meet(const struct cdn_matcher *matcher, int rule, int *allow, int *deny)
{
	if (rule != CDN_NO_RULE)
		lift(matcher->negated[rule] ? deny : allow, rule);
}

static bool
is_deep(const struct cdn_node *nodes, const struct cdn_node *node)
{
	return node->below != CDN_NO_RULE || node->reach != CDN_NO_RULE ||
	    (node->dirs != 0 && nodes[node->dirs].reach != CDN_NO_RULE);
}

/* What a node means for its parent; all below it have been here before. */
static void
pass_on(const struct cdn_matcher *matcher, struct cdn_node *nodes,
    const struct cdn_node *node)
{
	int allow = node->reach_allow, deny = node->reach_deny;
	struct cdn_node *parent = &nodes[node->parent];

	if ((node->flags & CDN_NODE_DIRS) != 0)
		return; /* its parent's parent takes it from there */
	meet(matcher, node->exact, &allow, &deny);
	if (node->below != node->exact)
		meet(matcher, node->below, &allow, &deny);
	if (node->dirs != 0) {
		lift(&allow, nodes[node->dirs].reach_allow);
		lift(&deny, nodes[node->dirs].reach_deny);
	}
	lift(&parent->reach_allow, allow);
	lift(&parent->reach_deny, deny);
	if ((node->flags & CDN_NODE_NAMED) == 0)
		return;
	lift(&parent->last, node->exact);
	if (is_deep(nodes, node))
		parent->flags |= CDN_NODE_DEEP_EXACT;
}

/* Children are numbered after their parents, so one pass backwards does. */
static void
fill_reach(const struct cdn_matcher *matcher, struct cdn_node *nodes,
    size_t count)
{
	for (size_t i = count; i-- > 0;) {
		nodes[i].reach = max(nodes[i].reach_allow,
		    nodes[i].reach_deny);
		if (i > 0)
			pass_on(matcher, nodes, &nodes[i]);
	}
}

/* ----- Tables ------------------------------------------------------------ */

static void
note_globs(struct cdn_node *nodes, const struct cdn_draft *draft)
{
	for (size_t i = 0; i < draft->edge_count; i++) {
		const struct cdn_draft_edge *edge = &draft->edges[i];
		struct cdn_node *from = &nodes[edge->from];

		lift(&from->last, nodes[edge->to].exact);
		from->flags |= CDN_NODE_GLOBS;
		if (is_deep(nodes, &nodes[edge->to]))
			from->flags |= CDN_NODE_DEEP_GLOBS;
	}
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

bool
cdn_matcher_freeze(struct cdn_matcher *matcher, struct cdn_arena *arena,
    const struct cdn_draft *draft)
{
	struct cdn_node *nodes = draft->nodes;

	matcher->nodes = nodes;
	matcher->named = draft->named;
	matcher->children = draft->children;
	matcher->child_slots = draft->child_slots;
	matcher->seed = draft->seed;
	fill_reach(matcher, nodes, draft->node_count);
	note_globs(nodes, draft);
	/* Plain paths have no globs. */
	if (draft->edge_count > 0 && (!freeze_labels(matcher, arena, draft) ||
	    !cdn_index_build(matcher, nodes, arena, draft)))
		return false;
	cdn_cursor_init(matcher, &matcher->root);
	return true;
}
