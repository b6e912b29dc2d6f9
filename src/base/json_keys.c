#include "base/json_keys.h"

#include "base/json_text.h"

#define FEW 16 /* members that are cheaper to compare than to sort */

struct cdn_json_keys_item {
	uint32_t hash;
	uint32_t node;
};

static struct cdn_json_text
key_of(const struct cdn_json_keys *keys, uint32_t node)
{
	return cdn_json_text_key(keys->text, &keys->nodes[node]);
}

static uint32_t
repeated_of_few(const struct cdn_json_keys *keys, uint32_t object)
{
	const struct cdn_json_node *nodes = keys->nodes;
	struct cdn_json_text seen[FEW];
	size_t n = 0;

	for (uint32_t i = object + 1; i != 0; i = nodes[i].next) {
		seen[n] = key_of(keys, i);
		for (size_t j = 0; j < n; j++)
			if (cdn_json_text_same(seen[j], seen[n]))
				return i;
		n++;
	}
	return 0;
}

/* By hash, then by meaning; equal ones stay in the order of the text. */
static bool
comes_after(const struct cdn_json_keys *keys, struct cdn_json_keys_item a,
    struct cdn_json_keys_item b)
{
	if (a.hash != b.hash)
		return a.hash > b.hash;
	return cdn_json_text_cmp(key_of(keys, a.node),
	    key_of(keys, b.node)) > 0;
}

/* Two sorted neighbours, from[lo..mid) and from[mid..hi), into one. */
static void
merge(const struct cdn_json_keys *keys, const struct cdn_json_keys_item *from,
    struct cdn_json_keys_item *to, size_t lo, size_t mid, size_t hi)
{
	size_t left = lo;
	size_t right = mid;

	for (size_t i = lo; i < hi; i++) {
		bool take_right = left == mid || (right < hi &&
		    comes_after(keys, from[left], from[right]));

		to[i] = take_right ? from[right++] : from[left++];
	}
}

/*
 * Merge sort from the bottom up: no recursion and no bad case.  qsort() has
 * one or the other, depending on the libc.  Returns where the result lies.
 */
static const struct cdn_json_keys_item *
sort(const struct cdn_json_keys *keys, struct cdn_json_keys_item *items,
    struct cdn_json_keys_item *spare, size_t n)
{
	struct cdn_json_keys_item *from = items;
	struct cdn_json_keys_item *to = spare;

	for (size_t width = 1; width < n; width *= 2) {
		struct cdn_json_keys_item *done = to;

		for (size_t lo = 0; lo < n; lo += 2 * width) {
			size_t mid = lo + width < n ? lo + width : n;
			size_t hi = mid + width < n ? mid + width : n;

			merge(keys, from, to, lo, mid, hi);
		}
		to = from;
		from = done;
	}
	return from;
}

/* Twice n items: the list and the spare one. */
static bool
make_room(struct cdn_json_keys *keys, size_t n)
{
	struct cdn_json_keys_item *items;
	size_t room = 64;

	if (n * 2 <= keys->room)
		return true;
	while (room < n * 2)
		room *= 2; /* so that growing step by step stays cheap */
	items = cdn_arena_array(keys->arena, room, sizeof(*items));
	if (items == NULL)
		return false;
	keys->items = items;
	keys->room = room;
	return true;
}

static uint32_t
repeated_of_many(const struct cdn_json_keys *keys, uint32_t object, size_t n)
{
	const struct cdn_json_keys_item *sorted;
	uint32_t first = 0;
	size_t count = 0;

	for (uint32_t i = object + 1; i != 0; i = keys->nodes[i].next)
		keys->items[count++] = (struct cdn_json_keys_item){
			cdn_json_text_hash(key_of(keys, i)), i
		};
	sorted = sort(keys, keys->items, keys->items + n, n);
	for (size_t i = 1; i < n; i++) {
		if (comes_after(keys, sorted[i], sorted[i - 1]))
			continue;
		if (first == 0 || sorted[i].node < first)
			first = sorted[i].node;
	}
	return first;
}

bool
cdn_json_keys_repeated(struct cdn_json_keys *keys, uint32_t object,
    uint32_t *ret)
{
	size_t n = keys->nodes[object].count;

	if (n < 2) {
		*ret = 0;
		return true;
	}
	if (n <= FEW) {
		*ret = repeated_of_few(keys, object);
		return true;
	}
	if (!make_room(keys, n))
		return false;
	*ret = repeated_of_many(keys, object, n);
	return true;
}
