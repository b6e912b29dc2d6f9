/* compat/strings.c, which only the command with musl has, against this libc. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "support/tap.h"

/* Under names of their own. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#define strlen	own_strlen
#define strcmp	own_strcmp
#define memcmp	own_memcmp
#define memchr	own_memchr
#define memcpy	own_memcpy
#define memmove own_memmove
#include "../../../compat/strings.c"
#undef strlen
#undef strcmp
#undef memcmp
#undef memchr
#undef memcpy
#undef memmove

#define MOST 700U /* beyond LONG */
#define ROOM (2 * MOST)

#if defined(__x86_64__)
static unsigned char *page_end; /* behind it nothing may be read */

static unsigned char *
guarded(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	unsigned char *all = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (all == MAP_FAILED || mprotect(all + page, page, PROT_NONE) != 0)
		exit(1);
	memset(all, 'x', page);
	return all + page;
}

/* Each length up to the end of a page: what is read beyond ends the test. */
static void
test_lengths(void)
{
	bool good = true;

	page_end[-1] = '\0';
	for (size_t n = 1; n < MOST; n++)
		good &= own_strlen((char *)page_end - n) == n - 1;
	for (size_t n = 0; n < 64; n++)
		for (size_t k = 0; k <= n; k++) {
			char *s = (char *)page_end - 100 - n;

			s[k] = '\0';
			good &= own_strlen(s) == k;
			s[k] = 'x';
		}
	ok(good, "strlen");
}

/* With the byte at each place, also behind the end, where it is not meant. */
static void
test_search(void)
{
	bool good = true;

	memset(page_end - 256, 'x', 256);
	for (size_t n = 0; n < 80; n++)
		for (size_t k = 0; k < n + 20; k++) {
			unsigned char *s = page_end - n - 20;

			s[k] = 0xe9;
			good &= own_memchr(s, 0xe9, n) ==
			    (k < n ? s + k : NULL);
			s[k] = 'x';
		}
	for (size_t n = 0; n < 80; n++)
		good &= own_memchr(page_end - n, 0xe9, n) == NULL;
	ok(good, "memchr");
}

/* "%s" asks for INT_MAX bytes of a text: nothing behind what is found is there. */
static void
test_search_without_end(void)
{
	bool good = true;

	memset(page_end - 512, 'x', 512);
	for (size_t n = 1; n < 400; n++)
		for (size_t far = 0; far < 80 && far < n; far++) {
			unsigned char *s = page_end - n;

			page_end[-1 - (int)far] = 0xe9;
			good &= own_memchr(s, 0xe9, INT_MAX) ==
			    page_end - 1 - far;
			page_end[-1 - (int)far] = 'x';
		}
	ok(good, "memchr of what ends before it is told to");
}

static int
sign(int n)
{
	return (n > 0) - (n < 0);
}

/* Two texts that end at the ends of pages, and differ at each place. */
static void
test_comparisons(void)
{
	unsigned char *other = guarded();
	bool texts = true, bytes = true;

	for (size_t n = 1; n < 100; n++)
		for (size_t far = 0; far < 40; far += 13)
			for (size_t k = 0; k < n; k++) {
				unsigned char *a = page_end - n;
				unsigned char *b = other - n - far;

				memset(a, 'x', n);
				memset(b, 'x', n);
				b[k] = k % 3 == 0 ? 0xe9 : '-';
				bytes &= sign(own_memcmp(a, b, n)) ==
				    sign(memcmp(a, b, n));
				bytes &= own_memcmp(a, b, k) == 0;
				a[n - 1] = b[n - 1] = '\0';
				texts &= sign(own_strcmp((char *)a,
					     (char *)b)) ==
				    sign(strcmp((char *)a, (char *)b));
				b[k] = '\0';
				texts &= sign(own_strcmp((char *)a,
					     (char *)b)) == (k + 1 < n);
			}
	ok(texts, "strcmp");
	ok(bytes, "memcmp");
}

static void
fill(unsigned char *p)
{
	for (size_t i = 0; i < ROOM; i++)
		p[i] = (unsigned char)(i * 131 + i / 256);
}

static void
test_copies(void)
{
	static unsigned char mine[ROOM], theirs[ROOM], from[ROOM];
	bool copied = true, moved = true;

	fill(from);
	for (size_t n = 0; n < MOST; n += n < 70 ? 1 : 37)
		for (size_t a = 0; a < 17; a++)
			for (size_t b = 0; b < 17; b++) {
				fill(mine);
				fill(theirs);
				copied &= own_memcpy(mine + a, from + b, n) ==
				    mine + a;
				memcpy(theirs + a, from + b, n);
				copied &= memcmp(mine, theirs, ROOM) == 0;
			}
	for (size_t n = 0; n < MOST; n += n < 70 ? 1 : 37)
		for (size_t a = 0; a < 80; a += 3)
			for (size_t b = 0; b < 80; b += 3) {
				fill(mine);
				fill(theirs);
				moved &= own_memmove(mine + a, mine + b, n) ==
				    mine + a;
				memmove(theirs + a, theirs + b, n);
				moved &= memcmp(mine, theirs, ROOM) == 0;
			}
	ok(copied, "memcpy");
	ok(moved, "memmove, also where both overlap");
}
#endif

int
main(void)
{
#if defined(__x86_64__)
	page_end = guarded();
	test_lengths();
	test_search();
	test_search_without_end();
	test_comparisons();
	test_copies();
#else
	ok(true, "nothing is replaced on this processor");
#endif
	return done_testing();
}
