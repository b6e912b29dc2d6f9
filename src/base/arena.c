#include "base/arena.h"

#include <stdarg.h>
#include <sys/mman.h>
#include <unistd.h>

#define BLOCK_BYTES    16384UL /* of the first block of an arena */
#define BLOCK_MOST     262144UL /* of later ones: half of what there is already */
#define ALIGNMENT      16UL
#define FIRST_ELEMENTS 8 /* of a growing array */
#define POPULATE_WRITE 23 /* MADV_POPULATE_WRITE, since 5.14 */
#define PRINTF_FEW     256 /* bytes */

struct block {
	struct block *next;
	size_t size; /* usable bytes behind this header */
	size_t used;
	_Alignas(ALIGNMENT) unsigned char data[];
};

_Static_assert(ALIGNMENT >= _Alignof(max_align_t), "aligned for any type");

struct kept {
	struct kept *next;
	struct cdn_arena *arena;
};

/*
 * Under AddressSanitizer each piece is followed by poisoned bytes, so that
 * running past one is found as it would be with malloc.
 */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAVE_ASAN 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define HAVE_ASAN 1
#endif
#ifdef HAVE_ASAN
#include <sanitizer/asan_interface.h>
#define RED_ZONE ALIGNMENT
#else
#define RED_ZONE 0UL
#define ASAN_POISON_MEMORY_REGION(p, n)	  ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#endif

struct cdn_arena {
	struct block *first; /* the one we allocate from */
	struct kept *kept;   /* arenas that live at least as long */
	size_t total;	     /* bytes asked from malloc */
	unsigned users;	     /* owner + arenas that keep this one, less one */
};

/* ----- Where blocks come from ------------------------------------------------- */

/*
 * An allocator that maps and unmaps each block (musl's does) costs more than what
 * is done in it.  There the first two megabytes are kept, a bit for each piece.
 */
#ifdef CDN_ARENA_POOL
#define PIECE_BYTES (2 * BLOCK_BYTES + sizeof(struct block))
#define PIECES	    64

static _Alignas(ALIGNMENT) unsigned char pool[PIECES][PIECE_BYTES];
/* Not behind it: first read and then written, that is two faults. */
static __attribute__((section(".data"))) uint64_t pool_taken;

/* Which bits a block of this size is, from the lowest on; 0 = too large. */
static uint64_t
pool_bits(size_t bytes)
{
	size_t n = (bytes + PIECE_BYTES - 1) / PIECE_BYTES;

	return n >= PIECES ? 0 : ((uint64_t)1 << n) - 1;
}

/* The lowest place where all of bits are free; PIECES = none. */
static unsigned
pool_find(uint64_t taken, uint64_t bits)
{
	unsigned at = 0;

	while (at < PIECES && ((taken >> at & bits) != 0 ||
		bits << at >> at != bits))
		at++;
	return at;
}

static void *
block_alloc(size_t bytes)
{
	uint64_t taken = __atomic_load_n(&pool_taken, __ATOMIC_RELAXED);
	uint64_t bits = pool_bits(bytes);
	unsigned at;

	if (bits == 0)
		return malloc(bytes);
	do {
		at = pool_find(taken, bits);
		if (at == PIECES)
			return malloc(bytes);
	} while (!__atomic_compare_exchange_n(&pool_taken, &taken,
	    taken | bits << at, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED));
	return pool[at];
}

static void
block_free(struct block *block)
{
	uintptr_t at = (uintptr_t)block - (uintptr_t)pool;

	if (at >= sizeof(pool)) {
		free(block);
		return;
	}
	/* free() does this for what it gets */
	ASAN_UNPOISON_MEMORY_REGION(block->data, block->size);
	__atomic_fetch_and(&pool_taken, ~(pool_bits(sizeof(*block) +
	    block->size) << at / PIECE_BYTES), __ATOMIC_RELEASE);
}
#else
#define block_alloc malloc
#define block_free  free
#endif

/* ----- Arenas ----------------------------------------------------------------- */

struct cdn_arena *
cdn_arena_new(void)
{
	struct cdn_arena *arena = malloc(sizeof(*arena));

	/* Written before it is read: fresh memory is one fault then. */
	if (arena != NULL)
		*arena = (struct cdn_arena){ 0 };
	return arena;
}

void
cdn_arena_free(struct cdn_arena *arena)
{
	struct block *block, *next;

	if (arena == NULL)
		return;
	if (__atomic_fetch_sub(&arena->users, 1, __ATOMIC_ACQ_REL) != 0)
		return;
	for (struct kept *kept = arena->kept; kept != NULL; kept = kept->next)
		cdn_arena_free(kept->arena);
	for (block = arena->first; block != NULL; block = next) {
		next = block->next;
		block_free(block);
	}
	free(arena);
}

bool
cdn_arena_keep(struct cdn_arena *arena, struct cdn_arena *other)
{
	struct kept *kept = cdn_arena_alloc(arena, sizeof(*kept));

	if (kept == NULL)
		return false;
	__atomic_fetch_add(&other->users, 1, __ATOMIC_RELAXED);
	kept->arena = other;
	kept->next = arena->kept;
	arena->kept = kept;
	return true;
}

/* own: for one request; allocation goes on in the block that was there. */
static struct block *
add_block_of(struct cdn_arena *arena, size_t room, bool own)
{
	struct block *block;

	if (room > CDN_ARENA_MAX - arena->total)
		return NULL;
	/* Zeroed piece by piece: why touch pages that may never be used? */
	block = block_alloc(sizeof(*block) + room);
	if (block == NULL)
		return NULL;
	block->used = 0;
	ASAN_POISON_MEMORY_REGION(block->data, room);
	block->size = room;
	arena->total += room;
	if (own && arena->first != NULL) {
		block->next = arena->first->next;
		arena->first->next = block;
	} else {
		block->next = arena->first;
		arena->first = block;
	}
	return block;
}

/* The more there is, the more will be needed. */
static size_t
next_room(const struct cdn_arena *arena)
{
	size_t room = arena->total / 2;

	return room < BLOCK_BYTES ? BLOCK_BYTES :
	    room > BLOCK_MOST     ? BLOCK_MOST :
				    room & ~(ALIGNMENT - 1);
}

/* A large request gets a block of its own behind the current one. */
static struct block *
add_block(struct cdn_arena *arena, size_t size)
{
	size_t room = next_room(arena);
	/* Near the limit a smaller one may still go. */
	bool own = size > room / 4 || room > CDN_ARENA_MAX - arena->total;

	return add_block_of(arena, own ? size : room, own);
}

/* Only advice: where the kernel does not know it, pages come one by one. */
static void
make_present(struct block *block)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t first = ((uintptr_t)block + page - 1) & ~(page - 1);
	uintptr_t end = (uintptr_t)(block->data + block->size) & ~(page - 1);

	if (end > first)
		/* NOLINTNEXTLINE(performance-no-int-to-ptr): rounded */
		(void)madvise((void *)first, end - first, POPULATE_WRITE);
}

struct cdn_arena *
cdn_arena_new_large(size_t bytes)
{
	struct cdn_arena *arena = cdn_arena_new();
	struct block *block;

	if (arena == NULL)
		return NULL;
	block = add_block_of(arena, bytes, false);
	if (block == NULL) {
		cdn_arena_free(arena);
		return NULL;
	}
	make_present(block);
	return arena;
}

void *
cdn_arena_alloc(struct cdn_arena *arena, size_t size)
{
	struct block *block = arena->first;
	size_t rounded;
	void *p;

	if (size == 0)
		size = 1;
	if (size > CDN_ARENA_MAX)
		return NULL;
	rounded = ((size + ALIGNMENT - 1) & ~(ALIGNMENT - 1)) + RED_ZONE;
	if (block == NULL || block->size - block->used < rounded)
		block = add_block(arena, rounded);
	if (block == NULL)
		return NULL;
	p = block->data + block->used;
	block->used += rounded;
	ASAN_UNPOISON_MEMORY_REGION(p, size);
	return memset(p, 0, size);
}

void *
cdn_arena_array(struct cdn_arena *arena, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes))
		return NULL;
	return cdn_arena_alloc(arena, bytes);
}

char *
cdn_arena_dup(struct cdn_arena *arena, const char *p, size_t n)
{
	char *copy;

	if (n >= CDN_ARENA_MAX)
		return NULL;
	copy = cdn_arena_alloc(arena, n + 1);
	if (copy != NULL && n > 0)
		memcpy(copy, p, n);
	return copy;
}

bool
cdn_arena_str(struct cdn_arena *arena, cdn_str from, cdn_str *ret)
{
	const char *copy = cdn_arena_dup(arena, from.p, from.n);

	if (copy == NULL)
		return false;
	*ret = (cdn_str){ copy, from.n };
	return true;
}

char *
cdn_arena_join(struct cdn_arena *arena, cdn_str a, cdn_str b)
{
	char *text;

	if (a.n >= CDN_ARENA_MAX || b.n >= CDN_ARENA_MAX - a.n)
		return NULL;
	text = cdn_arena_alloc(arena, a.n + b.n + 1);
	if (text == NULL)
		return NULL;
	if (a.n > 0)
		memcpy(text, a.p, a.n);
	if (b.n > 0)
		memcpy(text + a.n, b.p, b.n);
	return text;
}

char *
cdn_arena_printf(struct cdn_arena *arena, const char *fmt, ...)
{
	/* Most texts fit, and are not made twice. */
	CDN_UNINITIALIZED char few[PRINTF_FEW];
	va_list ap;
	char *text;
	int n;

	va_start(ap, fmt);
	/* clang-tidy 14 loses sight of va_start(); one line above, it is. */
	/* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized) */
	n = vsnprintf(few, sizeof(few), fmt, ap);
	va_end(ap);
	if (n < 0)
		return NULL;
	if ((size_t)n < sizeof(few))
		return cdn_arena_dup(arena, few, (size_t)n);
	text = cdn_arena_alloc(arena, (size_t)n + 1);
	if (text == NULL)
		return NULL;
	va_start(ap, fmt);
	vsnprintf(text, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return text;
}

void *
cdn_arena_grow(struct cdn_arena *arena, void *array, size_t count,
    size_t *capacity, size_t element_size)
{
	size_t wanted;
	void *bigger;

	if (count > *capacity || (array == NULL && count > 0))
		cdn_bug("an array holds more than its capacity");
	if (array != NULL && count < *capacity)
		return array;
	if (__builtin_mul_overflow(*capacity, 2, &wanted))
		return NULL;
	if (wanted == 0)
		wanted = FIRST_ELEMENTS;
	bigger = cdn_arena_array(arena, wanted, element_size);
	if (bigger == NULL)
		return NULL;
	if (count > 0)
		memcpy(bigger, array, count * element_size);
	*capacity = wanted;
	return bigger;
}
