/*
 * compat/heap.c, which only the command with musl has: pieces keep what is
 * written to them, calloc() gives zeros, and what does not fit is asked of the
 * libc behind it.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "support/tap.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes"
static size_t behind; /* pieces of the other libc */

void *
__libc_malloc(size_t n)
{
	__atomic_fetch_add(&behind, 1, __ATOMIC_RELAXED);
	return malloc(n);
}

void *
__libc_realloc(void *p, size_t n)
{
	return realloc(p, n > 0 ? n : 1); /* as musl: none is freed */
}

void
__libc_free(void *p)
{
	__atomic_fetch_sub(&behind, 1, __ATOMIC_RELAXED);
	free(p);
}

#define malloc	own_malloc
#define calloc	own_calloc
#define realloc own_realloc
#define free	own_free
#include "../../../compat/heap.c"
#undef malloc
#undef calloc
#undef realloc
#undef free

#define PIECES	200
#define THREADS 4
#define TURNS	20000

struct piece {
	unsigned char *p;
	size_t n;
	unsigned char fill;
};

static bool
is_all(const unsigned char *p, size_t n, unsigned char byte)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] != byte)
			return false;
	return true;
}

static unsigned
chance(unsigned *seed, unsigned below)
{
	*seed = *seed * 1664525 + 1013904223;
	return (*seed >> 8) % below;
}

/* Makes, changes and frees one; false: it was not as it was left. */
static bool
turn(struct piece *piece, unsigned *seed)
{
	size_t n = chance(seed, chance(seed, 3) == 0 ? 4000 : 400);
	unsigned what = chance(seed, 4);
	unsigned char *p;

	if (piece->p != NULL && !is_all(piece->p, piece->n, piece->fill))
		return false;
	if (piece->p != NULL && what == 0) {
		p = own_realloc(piece->p, n);
		if (p == NULL || !is_all(p, n < piece->n ? n : piece->n,
			piece->fill))
			return false;
	} else {
		own_free(piece->p);
		p = what == 1 ? own_calloc(n, 1) : own_malloc(n);
		if (p == NULL || (uintptr_t)p % 16 != 0 ||
		    (what == 1 && !is_all(p, n, 0)))
			return false;
	}
	*piece = (struct piece){ p, n, (unsigned char)chance(seed, 256) };
	memset(p, piece->fill, n);
	return true;
}

static void *
turns(void *arg)
{
	struct piece pieces[PIECES] = { 0 };
	unsigned seed = (unsigned)(uintptr_t)arg;
	bool good = true;

	for (int i = 0; i < TURNS && good; i++)
		good = turn(&pieces[chance(&seed, PIECES)], &seed);
	for (size_t i = 0; i < PIECES; i++) {
		good &= is_all(pieces[i].p, pieces[i].n, pieces[i].fill);
		own_free(pieces[i].p);
	}
	return good ? arg : NULL;
}

static void
test_threads(void)
{
	pthread_t threads[THREADS];
	bool good = true;
	void *ret;

	for (size_t i = 0; i < THREADS; i++)
		ok(pthread_create(&threads[i], NULL, turns,
		       (void *)(uintptr_t)(i + 1)) == 0, "a thread");
	for (size_t i = 0; i < THREADS; i++)
		good &= pthread_join(threads[i], &ret) == 0 && ret != NULL;
	ok(good, "threads find in their pieces what they left there");
	ok(early_used > EARLY_BYTES / 2, "and there was little room left");
	ok(behind == 0, "what was asked elsewhere was given back there");
}

static void
test_last(void)
{
	unsigned char *a = own_malloc(100), *b;

	memset(a, 7, 100);
	own_free(a);
	b = own_calloc(10, 30);
	ok(b == a, "the last piece makes room again");
	ok(is_all(b, 300, 0), "and is zero again where it has to be");
	a = own_malloc(0);
	ok(a != NULL && a != b && own_malloc(0) != a,
	    "pieces without bytes have places of their own");
	own_free(NULL);
	ok(own_realloc(b, 5) == b, "less is the same piece");
}

static void
test_spare(void)
{
	unsigned char *dir = own_malloc(2000), *last = own_malloc(16), *again;

	memset(dir, 7, 2000);
	own_free(dir);
	again = own_malloc(4500);
	ok(again != dir, "a spare piece is not used for what is larger");
	own_free(again);
	again = own_calloc(1, 1900);
	ok(again == dir && is_all(again, 1900, 0),
	    "but for one of its size, cleared");
	ok(own_malloc(1900) != dir, "once");
	own_free(last);
}

static void
test_full(void)
{
	void *large = own_malloc(EARLY_BYTES);
	size_t pieces = 0;
	void *p;

	ok(large != NULL && !is_early(large), "what is too large for it");
	own_free(large);
	ok(own_calloc(SIZE_MAX / 2, 3) == NULL && errno == ENOMEM,
	    "a size that is none");
	while (is_early(p = own_malloc(1000)))
		pieces++;
	own_free(p);
	ok(pieces < EARLY_BYTES / 1000, "it comes to an end");
	ok(behind == 0, "nothing is left behind");
}

int
main(void)
{
	test_last();
	test_spare();
	test_threads();
	test_full();
	return done_testing();
}
