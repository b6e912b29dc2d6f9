#include "enforce/report/tally.h"

#define FIRST_SLOTS 64

void
cdn_tally_init(struct cdn_tally *tally, struct cdn_arena *arena, size_t max)
{
	*tally = (struct cdn_tally){ .arena = arena, .max = max };
}

/* FNV-1a: rows are bounded, so nobody gains much by making them collide. */
static uint64_t
hash(cdn_str key)
{
	uint64_t h = 0xcbf29ce484222325U;

	for (size_t i = 0; i < key.n; i++)
		h = (h ^ (unsigned char)key.p[i]) * 0x100000001b3U;
	return h ^ h >> 29;
}

static struct cdn_tally_row **
slot_of(struct cdn_tally_row **slots, size_t count, cdn_str key)
{
	size_t i = (size_t)hash(key) & (count - 1);

	while (slots[i] != NULL && !cdn_str_eq(slots[i]->key, key))
		i = (i + 1) & (count - 1);
	return &slots[i];
}

struct cdn_tally_row *
cdn_tally_find(const struct cdn_tally *tally, cdn_str key)
{
	return tally->slot_count == 0 ? NULL :
	    *slot_of(tally->slots, tally->slot_count, key);
}

/* At most half of the slots are used. */
static bool
make_room(struct cdn_tally *tally)
{
	size_t count = tally->slot_count == 0 ? FIRST_SLOTS :
						tally->slot_count * 2;
	struct cdn_tally_row **slots;

	if (2 * (tally->n + 1) <= tally->slot_count)
		return true;
	slots = cdn_arena_array(tally->arena, count, sizeof(void *));
	if (slots == NULL)
		return false;
	for (size_t i = 0; i < tally->n; i++)
		*slot_of(slots, count, tally->v[i]->key) = tally->v[i];
	tally->slots = slots;
	tally->slot_count = count;
	return true;
}

static struct cdn_tally_row *
new_row(struct cdn_tally *tally, cdn_str key)
{
	struct cdn_tally_row *row = cdn_arena_alloc(tally->arena, sizeof(*row));
	struct cdn_tally_row **v = cdn_arena_grow(tally->arena, tally->v,
	    tally->n, &tally->room, sizeof(void *));

	if (v != NULL)
		tally->v = v;
	if (row == NULL || v == NULL || !make_room(tally) ||
	    !cdn_arena_str(tally->arena, key, &row->key))
		return NULL;
	row->turn = tally->n;
	*slot_of(tally->slots, tally->slot_count, row->key) = row;
	v[tally->n++] = row;
	return row;
}

int
cdn_tally_add(struct cdn_tally *tally, cdn_str key, unsigned long by,
    struct cdn_tally_row **ret, struct cordon_error *err)
{
	struct cdn_tally_row *row = cdn_tally_find(tally, key);

	if (row == NULL && tally->n >= tally->max) {
		tally->others += by;
		*ret = NULL;
		return 0;
	}
	if (row == NULL)
		row = new_row(tally, key);
	if (row == NULL)
		return cdn_err_nomem(err);
	row->count += by;
	*ret = row;
	return 0;
}

static int
by_count(const void *a, const void *b)
{
	const struct cdn_tally_row *one = *(struct cdn_tally_row *const *)a;
	const struct cdn_tally_row *other = *(struct cdn_tally_row *const *)b;

	if (one->count != other->count)
		return one->count > other->count ? -1 : 1;
	return one->turn < other->turn ? -1 : 1;
}

void
cdn_tally_sort(struct cdn_tally *tally)
{
	if (tally->n > 1)
		qsort(tally->v, tally->n, sizeof(void *), by_count);
}
