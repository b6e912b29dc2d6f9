#include "engine/policy/cover.h"

#include "engine/match/pattern.h"

struct item {
	cdn_str key;  /* the pattern, of a subtree what it is below */
	cdn_str text; /* the pattern */
	size_t index; /* in its own list */
	bool asked;
	bool subtree;
};

struct level {
	cdn_str text;
	size_t index;
};

struct walk {
	struct item *items;
	size_t n;
	struct level *stack;
	size_t depth;
	bool strict;
};

static struct item
make_item(const struct cdn_rule *rule, size_t index, bool asked)
{
	struct item item = { rule->pattern, rule->pattern, index, asked,
		false };

	if (asked)
		return item;
	if (cdn_str_is(item.text, "**"))
		item.key.n = 0;
	else if (cdn_str_ends(item.text, CDN_STR("/**")))
		item.key.n -= 3;
	item.subtree = item.key.n != item.text.n;
	return item;
}

/* '/' first, then the bytes as they are. */
static int
compare_keys(cdn_str a, cdn_str b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	size_t i = 0;

	while (i < n && a.p[i] == b.p[i])
		i++;
	if (i == n)
		return (a.n > b.n) - (a.n < b.n);
	if (a.p[i] == '/' || b.p[i] == '/')
		return a.p[i] == '/' ? -1 : 1;
	return (unsigned char)a.p[i] < (unsigned char)b.p[i] ? -1 : 1;
}

/* At the same key: subtrees, then exact rules, then those asked about. */
static int
by_key(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	int order = compare_keys(x->key, y->key);

	if (order != 0)
		return order;
	if (x->asked != y->asked)
		return x->asked ? 1 : -1;
	if (x->subtree != y->subtree)
		return x->subtree ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

/* Leaves the levels that the next rule is not in. */
static void
leave(struct walk *w, cdn_str text)
{
	while (
	    w->depth > 0 && !cdn_rule_covers(w->stack[w->depth - 1].text, text))
		w->depth--;
}

/* Equal rules make one level: the first in order is the first in its list. */
static void
enter(struct walk *w, const struct item *item)
{
	if (w->depth == 0 ||
	    !cdn_str_eq(w->stack[w->depth - 1].text, item->text))
		w->stack[w->depth++] = (struct level){ item->text,
			item->index };
}

/* Levels are few: each is a directory deeper than the one before. */
static size_t
answer(const struct walk *w, cdn_str text)
{
	size_t first = CDN_NOT_COVERED;

	for (size_t i = 0; i < w->depth; i++)
		if (w->stack[i].index < first &&
		    !(w->strict && cdn_str_eq(w->stack[i].text, text)))
			first = w->stack[i].index;
	return first;
}

static void
collect(struct walk *w, const struct cdn_rules *rules, bool negated, bool asked)
{
	for (size_t i = 0; i < rules->n; i++)
		if (rules->v[i].negated == negated)
			w->items[w->n++] = make_item(&rules->v[i], i, asked);
}

static bool
is_all(const struct cdn_rule *rule)
{
	return cdn_str_eq(rule->pattern, CDN_STR("**"));
}

/*
 * Where the first rule that covers anything covers everything, as in many
 * policies, nothing need be sorted.  Strictly, it does not cover itself.
 */
static bool
first_covers(const struct cdn_rules *covers, const struct cdn_rules *asked,
    bool asked_negated, bool strict, size_t *ret)
{
	size_t first = 0;

	while (first < covers->n && covers->v[first].negated)
		first++;
	if (first == covers->n || !is_all(&covers->v[first]))
		return false;
	for (size_t i = 0; i < asked->n; i++) {
		if (strict && is_all(&asked->v[i]))
			return false;
		ret[i] = asked->v[i].negated == asked_negated ? first :
								CDN_NOT_COVERED;
	}
	return true;
}

bool
cdn_cover_find(struct cdn_arena *arena, const struct cdn_rules *covers,
    const struct cdn_rules *asked, bool asked_negated, bool strict, size_t *ret)
{
	size_t most = covers->n + asked->n;
	struct walk w = { .strict = strict };

	if (first_covers(covers, asked, asked_negated, strict, ret))
		return true;
	w.items = cdn_arena_array(arena, most, sizeof(*w.items));
	w.stack = cdn_arena_array(arena, most, sizeof(*w.stack));
	if (w.items == NULL || w.stack == NULL)
		return false;
	collect(&w, covers, false, false);
	collect(&w, asked, asked_negated, true);
	qsort(w.items, w.n, sizeof(*w.items), by_key);
	for (size_t i = 0; i < asked->n; i++)
		ret[i] = CDN_NOT_COVERED;
	for (size_t i = 0; i < w.n; i++) {
		leave(&w, w.items[i].text);
		if (w.items[i].asked)
			ret[w.items[i].index] = answer(&w, w.items[i].text);
		else
			enter(&w, &w.items[i]);
	}
	return true;
}
