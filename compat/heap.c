/*
 * heap - malloc() and its like for the command with musl.
 *
 * musl's own asks the kernel for each piece of some size, gives it back at once,
 * and touches two pages for it: a start has a dozen such, and ends soon after.
 * So the first pieces come from memory that the command has from the beginning,
 * one behind the other.  The last can be taken back, and one other of the size
 * that open directories have is kept for the next of them; no more is reused.
 * What does not fit any more is musl's business.
 *
 *	early:	|size|piece......|size|piece...|            zero            |
 *	                                       ^ used       ^ dirty
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EARLY_BYTES (512UL * 1024UL)
#define ALIGNMENT   16UL
#define SPARE_LEAST 1024UL /* bytes */

/* Before each piece; as long as what it must align. */
struct head {
	_Alignas(ALIGNMENT) size_t size; /* of the piece, rounded */
};

/*
 * What is small lies on the page of .data that the kernel writes to when it
 * loads the command: one of its own would be two faults, to read and to write.
 */
#define IN_DATA __attribute__((section(".data")))

static _Alignas(ALIGNMENT) unsigned char early[EARLY_BYTES];
static IN_DATA size_t early_used;  /* bytes */
static IN_DATA size_t early_dirty; /* the most ever: behind it all is zero */
static IN_DATA void *early_spare;  /* a piece to be used again, or NULL */

/* musl's, which it keeps for those who bring their own. */
void *__libc_malloc(size_t n);
void *__libc_realloc(void *p, size_t n);
void __libc_free(void *p);

static bool
is_early(const void *p)
{
	return (uintptr_t)p - (uintptr_t)early < sizeof(early);
}

static struct head *
head_of(void *p)
{
	return (struct head *)p - 1;
}

/* Where a piece begins. */
static size_t
place_of(const void *p)
{
	return (size_t)((const unsigned char *)p - early);
}

static void
note_dirty(size_t end)
{
	size_t dirty = __atomic_load_n(&early_dirty, __ATOMIC_RELAXED);

	while (dirty < end && !__atomic_compare_exchange_n(&early_dirty,
	    &dirty, end, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

/* The spare piece if it is of about this size, or NULL. */
static void *
take_spare(size_t n)
{
	void *p = n < SPARE_LEAST ? NULL :
	    __atomic_exchange_n(&early_spare, NULL, __ATOMIC_ACQ_REL);

	if (p != NULL && (head_of(p)->size < n || head_of(p)->size / 2 > n)) {
		/* Should another have come meanwhile, this one is lost. */
		__atomic_store_n(&early_spare, p, __ATOMIC_RELEASE);
		return NULL;
	}
	return p;
}

/* NULL: there is no room for it. */
static void *
take(size_t n, bool zero)
{
	size_t used = __atomic_load_n(&early_used, __ATOMIC_ACQUIRE);
	size_t size, dirty;
	unsigned char *p;

	if (n > sizeof(early))
		return NULL;
	/* One without bytes has a place of its own, too. */
	size = n == 0 ? ALIGNMENT : (n + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
	do {
		if (size + sizeof(struct head) > sizeof(early) - used)
			return NULL;
	} while (!__atomic_compare_exchange_n(&early_used, &used,
	    used + sizeof(struct head) + size, false, __ATOMIC_ACQ_REL,
	    __ATOMIC_ACQUIRE));
	p = early + used + sizeof(struct head);
	dirty = __atomic_load_n(&early_dirty, __ATOMIC_RELAXED);
	note_dirty(place_of(p) + size);
	head_of(p)->size = size;
	if (zero && dirty > place_of(p))
		memset(p, 0, dirty - place_of(p) < size ?
		    dirty - place_of(p) : size);
	return p;
}

/* The last piece makes room again; others are forgotten. */
static void
give(void *p)
{
	size_t begin = place_of(head_of(p));
	size_t end = place_of(p) + head_of(p)->size;

	if (!__atomic_compare_exchange_n(&early_used, &end, begin, false,
	    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED) &&
	    head_of(p)->size >= SPARE_LEAST)
		__atomic_store_n(&early_spare, p, __ATOMIC_RELEASE);
}

void *
malloc(size_t n)
{
	void *p = take_spare(n);

	if (p == NULL)
		p = take(n, false);
	return p != NULL ? p : __libc_malloc(n);
}

void *
calloc(size_t count, size_t size)
{
	size_t n;
	void *p;

	if (__builtin_mul_overflow(count, size, &n)) {
		errno = ENOMEM;
		return NULL;
	}
	p = take_spare(n);
	if (p == NULL && (p = take(n, true)) != NULL)
		return p;
	if (p == NULL)
		p = __libc_malloc(n);
	return p == NULL ? NULL : memset(p, 0, n);
}

void
free(void *p)
{
	if (p == NULL)
		return;
	if (is_early(p))
		give(p);
	else
		__libc_free(p);
}

void *
realloc(void *p, size_t n)
{
	size_t old;
	void *bigger;

	if (p == NULL)
		return malloc(n);
	if (!is_early(p))
		return __libc_realloc(p, n);
	old = head_of(p)->size;
	if (n <= old)
		return p;
	bigger = malloc(n);
	if (bigger == NULL)
		return NULL;
	memcpy(bigger, p, old);
	give(p);
	return bigger;
}
