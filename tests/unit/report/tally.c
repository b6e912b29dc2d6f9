/* Counting, against an array that is searched from its beginning. */
#include "enforce/report/tally.h"

#include "support/tap.h"

#define KEYS 500

static unsigned long counts[KEYS];

static bool
same(struct cdn_tally *tally)
{
	char key[32];
	unsigned long last = ~0UL;

	cdn_tally_sort(tally);
	for (size_t i = 0; i < tally->n; i++) {
		if (tally->v[i]->count > last)
			return false;
		last = tally->v[i]->count;
	}
	for (unsigned i = 0; i < KEYS; i++) {
		const struct cdn_tally_row *row;

		snprintf(key, sizeof(key), "key %u", i);
		row = cdn_tally_find(tally, cdn_str_of(key));
		if ((row == NULL ? 0 : row->count) != counts[i])
			return false;
	}
	return true;
}

int
main(void)
{
	struct cdn_arena *arena = cdn_arena_new();
	struct cdn_tally tally, small;
	struct cdn_tally_row *row;
	char key[32];

	srandom(20261116);
	cdn_tally_init(&tally, arena, KEYS);
	cdn_tally_init(&small, arena, 3);
	for (unsigned i = 0; i < 20000; i++) {
		unsigned k = (unsigned)random() % KEYS;

		snprintf(key, sizeof(key), "key %u", k);
		counts[k]++;
		if (cdn_tally_add(&tally, cdn_str_of(key), 1, &row, NULL) != 0 ||
		    cdn_tally_add(&small, cdn_str_of(key), 1, &row, NULL) != 0)
			return 1;
	}
	ok(same(&tally) && tally.others == 0, "as counted by hand, sorted");
	ok(small.n == 3 && small.others + small.v[0]->count +
	    small.v[1]->count + small.v[2]->count == 20000,
	    "past the maximum they are counted together");
	ok(cdn_tally_find(&tally, CDN_STR("none")) == NULL, "no such key");
	cdn_arena_free(arena);
	return done_testing();
}
