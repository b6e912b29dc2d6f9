/*
 * sort - qsort() for the command with musl: by merging, as glibc does.
 *
 * musl's needs no memory, but compares twice as often, and what we sort are
 * paths that begin alike.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef int cmp_fn(const void *a, const void *b);

struct sorting {
	size_t width;
	cmp_fn *cmp;
	unsigned char *room; /* for half of all elements */
};

/* Most elements are some words. */
static void
copy(unsigned char *to, const unsigned char *from, size_t width)
{
	if (width % sizeof(uint64_t) != 0) {
		memcpy(to, from, width);
		return;
	}
	for (size_t i = 0; i < width; i += sizeof(uint64_t)) {
		uint64_t word;

		memcpy(&word, from + i, sizeof(word));
		memcpy(to + i, &word, sizeof(word));
	}
}

/* Two sorted neighbours become one; the first is put aside meanwhile. */
static void
merge(const struct sorting *s, unsigned char *at, size_t left, size_t right)
{
	const unsigned char *a = s->room, *a_end = a + left * s->width;
	const unsigned char *b = at + left * s->width;
	const unsigned char *b_end = b + right * s->width;

	memcpy(s->room, at, left * s->width);
	while (a < a_end && b < b_end) {
		const unsigned char **first = s->cmp(a, b) <= 0 ? &a : &b;

		copy(at, *first, s->width);
		*first += s->width;
		at += s->width;
	}
	memcpy(at, a, (size_t)(a_end - a)); /* of b the rest is in its place */
}

static void
sort(const struct sorting *s, unsigned char *at, size_t n)
{
	size_t left = n / 2;
	unsigned char *middle = at + left * s->width;

	if (n < 2)
		return;
	sort(s, at, left);
	sort(s, middle, n - left);
	if (s->cmp(middle - s->width, middle) > 0)
		merge(s, at, left, n - left);
}

static int
compare(const void *a, const void *b, void *arg)
{
	const struct sorting *s = arg;

	return s->cmp(a, b);
}

void
qsort(void *base, size_t n, size_t width, cmp_fn *cmp)
{
	struct sorting s = { .width = width, .cmp = cmp };

	if (n < 2 || width == 0)
		return;
	s.room = malloc(n / 2 * width);
	if (s.room == NULL) {
		qsort_r(base, n, width, compare, &s);
		return;
	}
	sort(&s, base, n);
	free(s.room);
}
