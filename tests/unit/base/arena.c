/* base/arena: alignment, zeroes, limits, growing arrays. */
#include "base/arena.h"

#include "support/tap.h"

static bool
all_zero(const unsigned char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] != 0)
			return false;
	return true;
}

/* Pieces of many sizes: zeroed, aligned, and none writes into another. */
static void
test_pieces(void)
{
	static const size_t sizes[] = { 0, 1, 7, 8, 15, 16, 17, 100, 4095, 4096,
		4097, 16383, 16384, 16385, 100000 };
	struct cdn_arena *arena = cdn_arena_new();
	unsigned char *pieces[10 * CDN_LEN(sizes)];
	bool aligned = true, zeroed = true, apart = true;

	for (size_t i = 0; i < CDN_LEN(pieces); i++) {
		size_t n = sizes[i % CDN_LEN(sizes)];

		pieces[i] = cdn_arena_alloc(arena, n);
		if (pieces[i] == NULL) {
			ok(false, "memory ran out");
			cdn_arena_free(arena);
			return;
		}
		aligned &= (uintptr_t)pieces[i] % _Alignof(max_align_t) == 0;
		zeroed &= all_zero(pieces[i], n);
		memset(pieces[i], (int)(i + 1), n);
	}
	for (size_t i = 0; i < CDN_LEN(pieces); i++)
		for (size_t j = 0; j < sizes[i % CDN_LEN(sizes)]; j++)
			apart &= pieces[i][j] == (unsigned char)(i + 1);
	ok(aligned, "every piece is aligned for any type");
	ok(zeroed, "every piece is zeroed");
	ok(apart, "no piece overlaps another");
	cdn_arena_free(arena);
	cdn_arena_free(NULL);
}

static void
test_text(void)
{
	struct cdn_arena *arena = cdn_arena_new();
	cdn_str from = { "a\0b", 3 };
	cdn_str copy = { NULL, 0 };
	char *empty = cdn_arena_dup(arena, NULL, 0);
	char *text = cdn_arena_printf(arena, "%s-%d", "x", 42);
	char *cut = cdn_arena_dup(arena, "abcdef", 3);
	char *big = cdn_arena_printf(arena, "%20000d", 7);

	ok(empty != NULL && empty[0] == '\0', "nothing is copied to \"\"");
	ok(text != NULL && strcmp(text, "x-42") == 0, "printf");
	ok(cut != NULL && strcmp(cut, "abc") == 0, "a NUL behind a copy");
	ok(big != NULL && strlen(big) == 20000, "a text beyond one block");
	ok(cdn_arena_str(arena, from, &copy) && cdn_str_eq(from, copy) &&
	    copy.p != from.p && copy.p[3] == '\0', "a slice with NUL inside");
	cdn_arena_free(arena);
}

/* Untouched pages cost nothing, so the real limit can be tried. */
static void
test_limit(void)
{
	struct cdn_arena *arena = cdn_arena_new();

	ok(cdn_arena_alloc(arena, CDN_ARENA_MAX + 1) == NULL, "past the limit");
	ok(cdn_arena_alloc(arena, SIZE_MAX) == NULL, "SIZE_MAX");
	ok(cdn_arena_alloc(arena, SIZE_MAX - 8) == NULL, "almost SIZE_MAX");
	ok(cdn_arena_dup(arena, "", CDN_ARENA_MAX) == NULL, "a copy too big");
	ok(cdn_arena_array(arena, SIZE_MAX / 2, 3) == NULL,
	    "count * size overflows");
	ok(cdn_arena_array(arena, SIZE_MAX / 16 + 2, 16) == NULL,
	    "count * size would wrap to something small");
	ok(cdn_arena_alloc(arena, CDN_ARENA_MAX / 4 * 3) != NULL, "most of it");
	ok(cdn_arena_alloc(arena, CDN_ARENA_MAX / 2) == NULL,
	    "the limit holds for the sum");
	ok(cdn_arena_alloc(arena, 100) != NULL, "a small piece still fits");
	cdn_arena_free(arena);
}

static void
test_grow(void)
{
	struct cdn_arena *arena = cdn_arena_new();
	uint32_t *array = NULL;
	size_t capacity = 0;
	bool kept = true;
	void *same;

	for (uint32_t i = 0; i < 10000; i++) {
		array = cdn_arena_grow(arena, array, i, &capacity,
		    sizeof(*array));
		if (array == NULL || capacity <= i) {
			ok(false, "no room for one more");
			break;
		}
		array[i] = i * 7;
	}
	for (uint32_t i = 0; array != NULL && i < 10000; i++)
		kept &= array[i] == i * 7;
	ok(kept, "a growing array keeps its elements");
	ok(capacity < 32768, "and grows by doubling");
	same = cdn_arena_grow(arena, array, 10, &capacity, sizeof(*array));
	ok(same == array, "with room left it stays where it is");
	capacity = SIZE_MAX / 2 + 1;
	ok(cdn_arena_grow(arena, array, capacity, &capacity, 1) == NULL &&
	    capacity == SIZE_MAX / 2 + 1, "doubling never overflows");
	capacity = CDN_ARENA_MAX;
	ok(cdn_arena_grow(arena, array, capacity, &capacity, 4) == NULL &&
	    capacity == CDN_ARENA_MAX, "failing leaves the capacity alone");
	cdn_arena_free(arena);
}

int
main(void)
{
	test_pieces();
	test_text();
	test_limit();
	test_grow();
	return done_testing();
}
