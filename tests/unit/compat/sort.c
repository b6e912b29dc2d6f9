/* compat/sort.c, which only the command with musl has: what qsort() promises. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "support/tap.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#define qsort own_qsort
#include "../../../compat/sort.c"
#undef qsort

#define MOST 300

struct item {
	int key;
	int number; /* where it stood: equal ones keep their order */
	char more[5];
};

static uint32_t seed = 1;

static int
chance(int below)
{
	seed = seed * 1664525 + 1013904223;
	return (int)((seed >> 8) % (uint32_t)below);
}

static int
by_key(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

static int
by_byte(const void *a, const void *b)
{
	return *(const unsigned char *)a - *(const unsigned char *)b;
}

static bool
sorts_items(int n, int keys)
{
	static struct item items[MOST];
	bool seen[MOST] = { false };

	for (int i = 0; i < n; i++)
		items[i] = (struct item){ chance(keys), i, "abcd" };
	own_qsort(items, (size_t)n, sizeof(*items), by_key);
	for (int i = 0; i < n; i++) {
		if (seen[items[i].number] || items[i].more[3] != 'd' ||
		    (i > 0 && (items[i - 1].key > items[i].key ||
				  (items[i - 1].key == items[i].key &&
				      items[i - 1].number > items[i].number))))
			return false;
		seen[items[i].number] = true;
	}
	return true;
}

int
main(void)
{
	char text[] = "the quick brown fox";
	bool good = true;

	for (int n = 0; n < MOST; n++)
		good &= sorts_items(n, 1 + n / 2) && sorts_items(n, 2) &&
		    sorts_items(n, 1 << 20);
	ok(good, "all lengths, with and without equal ones");
	own_qsort(text, strlen(text), 1, by_byte);
	ok(strcmp(text, "   bcefhiknooqrtuwx") == 0, "bytes");
	return done_testing();
}
