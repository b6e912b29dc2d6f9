/*
 * strings - a few functions of <string.h> for the command with musl.
 *
 * musl's own are short and go byte by byte, or begin with a string instruction
 * that takes longer to start than most of our copies take.  Here texts are names
 * and paths of some dozen bytes, and there are many of them.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <emmintrin.h>

/*
 * A loop that copies must not become a call of itself.  clang, which only
 * compiles this for a test, does not know the word.
 */
#ifndef __clang__
#pragma GCC optimize("no-tree-loop-distribute-patterns")
#endif

#define WIDTH 16U
#define FOUR  (4 * WIDTH)

/* One bit for each of 16 bytes at p that is c. */
static unsigned
equal(const void *p, __m128i c)
{
	return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_load_si128(p),
	    c));
}

/* An aligned load never leaves the page of its first byte. */
__attribute__((no_sanitize_address)) size_t
strlen(const char *s)
{
	const __m128i none = _mm_setzero_si128();
	unsigned skip = (unsigned)((uintptr_t)s % WIDTH);
	const char *at = s - skip;
	unsigned found = equal(at, none) >> skip;

	if (found != 0)
		return (size_t)__builtin_ctz(found);
	do {
		at += WIDTH;
		found = equal(at, none);
	} while (found == 0);
	return (size_t)(at - s) + (size_t)__builtin_ctz(found);
}

/* Is one of 64 bytes at p that of all? */
static int
is_in_four(const void *p, __m128i all)
{
	const __m128i *v = p;

	return _mm_movemask_epi8(_mm_or_si128(
	    _mm_or_si128(_mm_cmpeq_epi8(_mm_load_si128(v), all),
		_mm_cmpeq_epi8(_mm_load_si128(v + 1), all)),
	    _mm_or_si128(_mm_cmpeq_epi8(_mm_load_si128(v + 2), all),
		_mm_cmpeq_epi8(_mm_load_si128(v + 3), all)))) != 0;
}

/*
 * A message of a megabyte has few lines: 64 bytes at once.  Only where they lie
 * in one page: n may be more than there is when the byte comes before the end,
 * as printf() asks for the end of a text.
 */
static int
is_far(const void *p, size_t n)
{
	return n >= FOUR && (uintptr_t)p % FOUR == 0;
}

void *
memchr(const void *p, int c, size_t n)
{
	const __m128i all = _mm_set1_epi8((char)c);
	const unsigned char *s = p;
	size_t skip = (uintptr_t)s % WIDTH, at;
	unsigned found;

	if (n == 0)
		return NULL;
	found = equal(s - skip, all) >> skip;
	at = WIDTH - skip;
	if (found != 0)
		at = 0;
	while (found == 0 && at < n) {
		if (is_far(s + at, n - at) && !is_in_four(s + at, all)) {
			at += FOUR;
			continue;
		}
		found = equal(s + at, all);
		if (found == 0)
			at += WIDTH;
	}
	if (found == 0 || at + (size_t)__builtin_ctz(found) >= n)
		return NULL;
	return (void *)(uintptr_t)(s + at + (size_t)__builtin_ctz(found));
}

/* ----- Comparisons -------------------------------------------------------------- */

/* May 16 bytes be read there, whatever comes behind them? */
static int
is_whole(const unsigned char *p)
{
	return (uintptr_t)p % 4096U <= 4096U - WIDTH;
}

/* One bit for each of 16 bytes that differ, or (with ends) end the text. */
static unsigned
differing(const unsigned char *a, const unsigned char *b, int ends)
{
	__m128i x = _mm_loadu_si128((const void *)a);
	__m128i y = _mm_loadu_si128((const void *)b);
	__m128i same = _mm_cmpeq_epi8(x, y);

	if (ends)
		same = _mm_andnot_si128(_mm_cmpeq_epi8(x, _mm_setzero_si128()),
		    same);
	return ~(unsigned)_mm_movemask_epi8(same) & 0xffffU;
}

__attribute__((no_sanitize_address)) int
strcmp(const char *left, const char *right)
{
	const unsigned char *a = (const void *)left, *b = (const void *)right;

	for (;;) {
		unsigned found = 0;

		if (is_whole(a) && is_whole(b)) {
			found = differing(a, b, 1);
			if (found == 0) {
				a += WIDTH;
				b += WIDTH;
				continue;
			}
			a += __builtin_ctz(found);
			b += __builtin_ctz(found);
			return *a - *b;
		}
		if (*a != *b || *a == '\0')
			return *a - *b;
		a++;
		b++;
	}
}

int
memcmp(const void *left, const void *right, size_t n)
{
	const unsigned char *a = left, *b = right;

	for (; n >= WIDTH; n -= WIDTH, a += WIDTH, b += WIDTH) {
		unsigned found = differing(a, b, 0);

		if (found != 0)
			return a[__builtin_ctz(found)] - b[__builtin_ctz(found)];
	}
	for (; n > 0; n--, a++, b++)
		if (*a != *b)
			return *a - *b;
	return 0;
}

/* ----- Copies ------------------------------------------------------------------ */

#define LONG 512U /* from here on the processor's own copy is faster */

typedef struct {
	uint64_t v;
} __attribute__((packed, may_alias)) eight;
typedef struct {
	uint32_t v;
} __attribute__((packed, may_alias)) four;
typedef struct {
	uint16_t v;
} __attribute__((packed, may_alias)) two;

/* Head and tail, which may overlap; all is read before anything is written. */
#define ENDS(type)                                               \
	do {                                                     \
		type head = *(const type *)from;                 \
		type tail = *(const type *)(from + n - sizeof(head)); \
		*(type *)to = head;                              \
		*(type *)(to + n - sizeof(tail)) = tail;         \
	} while (0)

static void
copy_short(unsigned char *to, const unsigned char *from, size_t n)
{
	if (n >= sizeof(eight))
		ENDS(eight);
	else if (n >= sizeof(four))
		ENDS(four);
	else if (n >= sizeof(two))
		ENDS(two);
	else if (n == 1)
		*to = *from;
}

static __m128i
load(const unsigned char *from)
{
	return _mm_loadu_si128((const void *)from);
}

static void
store(unsigned char *to, __m128i v)
{
	_mm_storeu_si128((void *)to, v);
}

/* n >= WIDTH.  Forward: right when to lies before from, or not in it. */
static void
copy_up(unsigned char *to, const unsigned char *from, size_t n)
{
	__m128i tail = load(from + n - WIDTH);
	size_t at = 0;

	if (n >= LONG) {
		__asm__ volatile("rep movsb"
		    : "+D"(to), "+S"(from), "+c"(n)
		    :
		    : "memory");
		return;
	}
	for (; at + WIDTH < n; at += WIDTH)
		store(to + at, load(from + at));
	store(to + n - WIDTH, tail);
}

/* The same from the end. */
static void
copy_down(unsigned char *to, const unsigned char *from, size_t n)
{
	__m128i head = load(from);

	for (; n > WIDTH; n -= WIDTH)
		store(to + n - WIDTH, load(from + n - WIDTH));
	store(to, head);
}

void *
memmove(void *to, const void *from, size_t n)
{
	if (n < WIDTH)
		copy_short(to, from, n);
	else if ((uintptr_t)to - (uintptr_t)from >= n)
		copy_up(to, from, n);
	else
		copy_down(to, from, n);
	return to;
}

void *
memcpy(void *restrict to, const void *restrict from, size_t n)
{
	if (n < WIDTH)
		copy_short(to, from, n);
	else
		copy_up(to, from, n);
	return to;
}

#endif
