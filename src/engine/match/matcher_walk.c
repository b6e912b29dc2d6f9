#include "engine/match/matcher.h"

#include "engine/match/matcher_impl.h"
#include "engine/match/matcher_plain.h"

/*
 * Going along a path.  Everything here runs for every question anybody asks,
 * so the one function that takes a step, step(), is inlined into its callers
 * with `last` known: at the last segment it looks for rules that end there,
 * before it for nodes to go on from.  A cursor under way is called `to`; its
 * `below` is the best rule so far.
 */
#define INLINE static inline __attribute__((always_inline))

/* ----- Arriving ---------------------------------------------------------- */

INLINE void
start(struct cdn_cursor *to, int below)
{
	to->count = 0;
	to->loops = 0;
	to->names = 0;
	to->loop_names = 0;
	to->flags = 0;
	to->loop_flags = 0;
	to->gave_up = false;
	to->below = below;
}

/* Those that loop stand first. */
INLINE void
push(struct cdn_cursor *to, uint32_t at, const struct cdn_node *node)
{
	to->names |= node->names;
	to->flags |= (uint8_t)node->flags;
	if ((node->flags & CDN_NODE_LOOPS) != 0) {
		to->loop_names |= node->names;
		to->loop_flags |= (uint8_t)node->flags;
		/* NOLINTNEXTLINE(clang-analyzer-core.*): or it is replaced */
		to->nodes[to->count++] = to->nodes[to->loops];
		to->nodes[to->loops++] = at;
	} else {
		to->nodes[to->count++] = at;
	}
}

/* Nodes that can no longer better what is settled make room for others. */
static void
compact(const struct cdn_matcher *matcher, struct cdn_cursor *to)
{
	struct cdn_cursor old = *to;

	start(to, old.below);
	for (uint32_t i = 0; i < old.count; i++)
		if (matcher->nodes[old.nodes[i]].reach > to->below)
			push(to, old.nodes[i], &matcher->nodes[old.nodes[i]]);
}

INLINE void
activate(const struct cdn_matcher *matcher, struct cdn_cursor *to, uint32_t at)
{
	if (matcher->nodes[at].reach <= to->below)
		return;
	for (uint32_t i = 0; i < to->count; i++)
		if (to->nodes[i] == at)
			return;
	if (CDN_UNLIKELY(to->count == CDN_CURSOR_NODES)) {
		compact(matcher, to);
		if (to->count == CDN_CURSOR_NODES) {
			to->gave_up = true;
			return;
		}
	}
	push(to, at, &matcher->nodes[at]);
}

INLINE void
arrive(const struct cdn_matcher *matcher, struct cdn_cursor *to, uint32_t child,
    bool last)
{
	const struct cdn_node *node = &matcher->nodes[child];

	if (last) {
		if (node->exact > to->below)
			to->below = node->exact;
		return;
	}
	if (node->below > to->below)
		to->below = node->below;
	activate(matcher, to, child);
	if (node->dirs != 0)
		activate(matcher, to, node->dirs);
}

/* ----- Names ------------------------------------------------------------- */

/* 0 when there is none. */
INLINE uint32_t
find_child(const struct cdn_matcher *matcher, uint32_t node,
    const struct cdn_segment *name, uint64_t hash)
{
	struct cdn_slots slots = matcher->child_slots;
	size_t at = cdn_child_first(slots, node, hash);
	uint32_t child;

	while ((child = matcher->children[at]) != 0 &&
	    !cdn_child_is(&matcher->named[child], node, name))
		at = cdn_slot_next(slots, at);
	return child;
}

/* ----- Globs ------------------------------------------------------------- */

INLINE bool
candidate_matches(const struct cdn_matcher *matcher,
    const struct cdn_candidate *candidate, const struct cdn_segment *name)
{
	const struct cdn_shape *shape = &candidate->shape;

	if (((name->head ^ shape->head) & shape->head_mask) != 0 ||
	    ((name->tail ^ shape->tail) & shape->tail_mask) != 0 ||
	    name->n < shape->min)
		return false;
	return shape->settled || cdn_label_match(
	    &matcher->labels[candidate->label], (cdn_str){ name->p, name->n });
}

INLINE void
try_candidates(const struct cdn_matcher *matcher, uint32_t first,
    uint32_t count, const struct cdn_segment *name, bool last,
    struct cdn_cursor *to)
{
	const struct cdn_candidate *at = &matcher->candidates[first];

	for (const struct cdn_candidate *end = at + count; at < end; at++) {
		if (at->reach <= to->below)
			return;
		if (last ? at->last <= to->below : !at->deep)
			continue;
		if (candidate_matches(matcher, at, name))
			arrive(matcher, to, at->child, last);
	}
}

INLINE void
try_bucket(const struct cdn_matcher *matcher, uint32_t node, uint32_t kind,
    uint64_t bytes, const struct cdn_segment *name, bool last,
    struct cdn_cursor *to)
{
	struct cdn_slots slots = matcher->bucket_slots;
	size_t at = cdn_slot_first(slots, cdn_bucket_hash(bytes, node, kind));

	for (;; at = cdn_slot_next(slots, at)) {
		const struct cdn_bucket *bucket = &matcher->buckets[at];

		if (bucket->count == 0)
			return;
		if (bucket->bytes != bytes || bucket->node != node ||
		    bucket->kind != kind)
			continue;
		if (bucket->reach > to->below)
			try_candidates(matcher, bucket->first, bucket->count,
			    name, last, to);
		return;
	}
}

INLINE void
try_affixes(const struct cdn_matcher *matcher, uint32_t node,
    const struct cdn_affixes *affixes, const struct cdn_segment *name,
    bool last, struct cdn_cursor *to)
{
	unsigned lengths = affixes->prefix[name->head & 0xff];

	for (; lengths != 0; lengths &= lengths - 1) {
		unsigned n = (unsigned)__builtin_ctz(lengths) + 1;

		try_bucket(matcher, node, CDN_KEY_PREFIX + n,
		    name->head & cdn_low_bytes(n), name, last, to);
	}
	lengths = affixes->suffix[name->tail >> 56];
	for (; lengths != 0; lengths &= lengths - 1) {
		unsigned n = (unsigned)__builtin_ctz(lengths) + 1;

		try_bucket(matcher, node, CDN_KEY_SUFFIX + n,
		    name->tail & cdn_high_bytes(n), name, last, to);
	}
}

/* Grams of one length, at every place of the name. */
INLINE void
try_grams(const struct cdn_matcher *matcher, uint32_t node,
    const struct cdn_globs *globs, unsigned length,
    const struct cdn_segment *name, bool last, struct cdn_cursor *to)
{
	const unsigned char *p = (const unsigned char *)name->p;
	uint32_t gram = 0;
	size_t i = 0;

	if ((globs->gram_lengths >> (length - 1) & 1) == 0)
		return;
	/* the newest byte is the highest, as in the key */
	for (; i < name->n && i + 1 < length; i++)
		gram = gram >> 8 | (uint32_t)p[i] << 8 * (length - 1);
	for (; i < name->n; i++) {
		uint32_t bit;

		gram = gram >> 8 | (uint32_t)p[i] << 8 * (length - 1);
		bit = cdn_gram_bit(gram, length, globs->gram_shift);
		if (globs->grams[bit / 64] >> (bit % 64) & 1)
			try_bucket(matcher, node, CDN_KEY_GRAM + length, gram,
			    name, last, to);
	}
}

INLINE void
try_globs(const struct cdn_matcher *matcher, uint32_t node,
    const struct cdn_segment *name, bool last, struct cdn_cursor *to)
{
	const struct cdn_globs *globs =
	    &matcher->globs[matcher->nodes[node].globs];

	try_candidates(matcher, globs->first, globs->count, name, last, to);
	if (globs->affixes == NULL)
		return;
	try_affixes(matcher, node, globs->affixes, name, last, to);
	if (globs->gram_lengths == 0)
		return;
	try_grams(matcher, node, globs, 1, name, last, to);
	try_grams(matcher, node, globs, 2, name, last, to);
	try_grams(matcher, node, globs, 3, name, last, to);
}

/* Not inline: there is much of it, and most nodes have no globs. */
static void
pass_globs(const struct cdn_matcher *matcher, uint32_t node,
    const struct cdn_segment *name, struct cdn_cursor *to)
{
	try_globs(matcher, node, name, false, to);
}

static void
end_globs(const struct cdn_matcher *matcher, uint32_t node,
    const struct cdn_segment *name, struct cdn_cursor *to)
{
	try_globs(matcher, node, name, true, to);
}

/* ----- Stepping ---------------------------------------------------------- */

/* The hash of a name, if one of these nodes may have a child by it. */
INLINE uint64_t
look_up(const struct cdn_matcher *matcher, const struct cdn_segment *name,
    uint64_t names)
{
	if ((names & cdn_name_bit(name->head)) == 0)
		return 0;
	return cdn_name_hash(name, matcher->seed);
}

/* All edges of one node. */
INLINE void
follow(const struct cdn_matcher *matcher, uint32_t at,
    const struct cdn_segment *name, uint64_t hash, bool last,
    struct cdn_cursor *to)
{
	const struct cdn_node *node = &matcher->nodes[at];
	uint32_t child;

	if ((last ? node->last : node->reach) <= to->below)
		return;
	if ((node->names & cdn_name_bit(name->head)) != 0) {
		child = find_child(matcher, at, name, hash);
		if (child != 0)
			arrive(matcher, to, child, last);
	}
	if (last && (node->flags & CDN_NODE_GLOBS) != 0)
		end_globs(matcher, at, name, to);
	else if (!last && (node->flags & CDN_NODE_DEEP_GLOBS) != 0)
		pass_globs(matcher, at, name, to);
}

INLINE void
step(const struct cdn_matcher *matcher, const struct cdn_cursor *from,
    const struct cdn_segment *name, uint64_t hash, struct cdn_cursor *to)
{
	start(to, from->below);
	for (uint32_t i = 0; i < from->loops; i++)
		/* NOLINTNEXTLINE(clang-analyzer-core.*): loops <= count */
		activate(matcher, to, from->nodes[i]);
	for (uint32_t i = 0; i < from->count; i++)
		follow(matcher, from->nodes[i], name, hash, false, to);
}

/* Nobody knows the name: only the nodes that loop are left. */
INLINE void
stay(struct cdn_cursor *at)
{
	at->count = at->loops;
	at->names = at->loop_names;
	at->flags = at->loop_flags;
}

/* The best rule for the last name. */
INLINE int
finish(const struct cdn_matcher *matcher, const struct cdn_cursor *from,
    const struct cdn_segment *name, uint64_t hash)
{
	CDN_UNINITIALIZED struct cdn_cursor to;

	to.below = from->below;
	for (uint32_t i = 0; i < from->count; i++)
		/* NOLINTNEXTLINE(clang-analyzer-core.*): i < count is set */
		follow(matcher, from->nodes[i], name, hash, true, &to);
	return to.below;
}

static bool
rule_matches(const struct cdn_kept_rule *rule, cdn_str path)
{
	return rule->plain > 0 ? cdn_plain_match(rule, path) :
				 cdn_pattern_match(&rule->pattern, path);
}

/* For a cursor that gave up: rule by rule, down to what is settled. */
static int
ask_each_rule(const struct cdn_matcher *matcher, cdn_str path, int settled)
{
	for (int i = (int)matcher->rules - 1; i > settled; i--)
		if (rule_matches(&matcher->kept[i], path))
			return i;
	return settled;
}

/* ----- Cursors ----------------------------------------------------------- */

void
cdn_cursor_init(const struct cdn_matcher *matcher, struct cdn_cursor *ret)
{
	const struct cdn_node *root = &matcher->nodes[0];

	start(ret, root->below);
	activate(matcher, ret, 0);
	if (root->dirs != 0)
		activate(matcher, ret, root->dirs);
}

INLINE void
copy(struct cdn_cursor *to, const struct cdn_cursor *from)
{
	for (uint32_t i = 0; i < from->count; i++)
		to->nodes[i] = from->nodes[i];
	to->count = from->count;
	to->loops = from->loops;
	to->names = from->names;
	to->loop_names = from->loop_names;
	to->flags = from->flags;
	to->loop_flags = from->loop_flags;
	to->gave_up = from->gave_up;
	to->below = from->below;
}

void
cdn_cursor_root(const struct cdn_matcher *matcher, struct cdn_cursor *ret)
{
	copy(ret, &matcher->root);
}

INLINE struct cdn_segment
name_of(cdn_str path, size_t at)
{
	return cdn_segment_at(path.p + at, path.n - at, path.p,
	    path.p + path.n);
}

void
cdn_cursor_enter(const struct cdn_matcher *matcher,
    const struct cdn_cursor *parent, cdn_str path, size_t name_at,
    struct cdn_cursor *ret)
{
	struct cdn_segment name = name_of(path, name_at);
	CDN_UNINITIALIZED struct cdn_cursor from;

	copy(&from, parent);
	step(matcher, &from, &name, look_up(matcher, &name, from.names), ret);
	ret->gave_up |= from.gave_up;
}

int
cdn_cursor_pass(const struct cdn_matcher *matcher, cdn_str path, size_t name_at,
    struct cdn_cursor *at)
{
	CDN_UNINITIALIZED struct cdn_cursor from;
	struct cdn_segment name;
	uint64_t hash;
	int rule;

	if (at->count == 0)
		return at->below;
	copy(&from, at);
	name = name_of(path, name_at);
	hash = look_up(matcher, &name, from.names);
	rule = finish(matcher, &from, &name, hash);
	step(matcher, &from, &name, hash, at);
	at->gave_up |= from.gave_up;
	return rule;
}

int
cdn_cursor_check(const struct cdn_matcher *matcher,
    const struct cdn_cursor *parent, cdn_str path, size_t name_at)
{
	struct cdn_segment name = name_of(path, name_at);

	if (path.n > CDN_PATH_MAX)
		return CDN_NO_RULE;
	if (CDN_UNLIKELY(parent->gave_up))
		return ask_each_rule(matcher, path, parent->below);
	return finish(matcher, parent, &name,
	    look_up(matcher, &name, parent->names));
}

/* ----- Whole paths ------------------------------------------------------- */

size_t
cdn_cursor_go(const struct cdn_matcher *matcher, cdn_str path,
    struct cdn_cursor *ret)
{
	CDN_UNINITIALIZED struct cdn_cursor one, two;
	struct cdn_cursor *from = &one, *to = &two, *swap;
	const char *p, *end = path.p + path.n;
	struct cdn_splitter splitter;
	size_t n;

	copy(from, &matcher->root);
	cdn_splitter_init(&splitter, path);
	for (;;) {
		struct cdn_segment name;

		if (from->count == 0) /* nothing more to be met */
			cdn_splitter_skip(&splitter);
		if (!cdn_splitter_next(&splitter, &p, &n))
			break;
		if ((from->flags & CDN_NODE_DEEP_GLOBS) == 0 &&
		    (from->names &
			cdn_name_bit(cdn_head_at(p, n, path.p, end))) == 0) {
			stay(from);
			continue;
		}
		name = cdn_segment_at(p, n, path.p, end);
		step(matcher, from, &name,
		    look_up(matcher, &name, from->names), to);
		to->gave_up |= from->gave_up;
		swap = from;
		from = to;
		to = swap;
	}
	copy(ret, from);
	return (size_t)(p - path.p);
}

int
cdn_matcher_check(const struct cdn_matcher *matcher, cdn_str path)
{
	CDN_UNINITIALIZED struct cdn_cursor one, two;
	struct cdn_cursor *from = &one, *to = &two, *swap;
	const char *p, *end;
	struct cdn_splitter splitter;
	struct cdn_segment name;
	size_t n;

	if (path.n == 0)
		return matcher->nodes[0].exact;
	if (path.n > CDN_PATH_MAX)
		return CDN_NO_RULE;
	end = path.p + path.n;
	copy(from, &matcher->root);
	cdn_splitter_init(&splitter, path);
	for (;;) {
		if ((from->flags & CDN_NODE_DEEP) == 0 &&
		    cdn_splitter_skip(&splitter))
			stay(from);
		if (from->count == 0)
			return from->below;
		if (!cdn_splitter_next(&splitter, &p, &n))
			break;
		if ((from->flags & CDN_NODE_DEEP_GLOBS) == 0 &&
		    (from->names &
			cdn_name_bit(cdn_head_at(p, n, path.p, end))) == 0) {
			stay(from);
			continue;
		}
		name = cdn_segment_at(p, n, path.p, end);
		step(matcher, from, &name,
		    look_up(matcher, &name, from->names), to);
		if (CDN_UNLIKELY(to->gave_up))
			return ask_each_rule(matcher, path, to->below);
		swap = from;
		from = to;
		to = swap;
	}
	name = cdn_segment_at(p, n, path.p, end);
	return finish(matcher, from, &name,
	    look_up(matcher, &name, from->names));
}

bool
cdn_matcher_rule(const struct cdn_matcher *matcher, size_t i, cdn_str path)
{
	return i < matcher->rules && rule_matches(&matcher->kept[i], path);
}

int
cdn_matcher_pattern(const struct cdn_matcher *matcher, size_t i,
    struct cdn_arena *arena, struct cdn_pattern *ret, struct cordon_error *err)
{
	const struct cdn_kept_rule *rule = &matcher->kept[i];
	cdn_str text = rule->pattern.text;

	if (rule->below && text.n == rule->plain &&
	    !cdn_pattern_below(arena, &text))
		return cdn_err_nomem(err);
	return cdn_pattern_parse(arena, text, rule->literal, ret, err);
}
