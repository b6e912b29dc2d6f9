/*
 * segment - the names of a path, read eight bytes at a time.
 *
 * Reading is the part of matching that no rule can spare anybody, so it has
 * as few branches as possible: slashes are found 64 bytes at a time, and the
 * two words that a name begins and ends with come from loads which may overlap
 * its neighbours.  Nothing before the start or behind the end of the given
 * text is ever touched.
 */
#ifndef CDN_MATCH_SEGMENT_H
#define CDN_MATCH_SEGMENT_H

#include "base/str.h"

/* Up to 16 bytes, head and tail hold all there is. */
struct cdn_segment {
	const char *p;
	size_t n;
	uint64_t head; /* first 8 bytes, the first one lowest, 0 behind them */
	uint64_t tail; /* last 8 bytes, the last one highest, 0 before them */
};

#define CDN_MIX_A UINT64_C(0x9e3779b97f4a7c15)
#define CDN_MIX_B UINT64_C(0xd6e8feb86659fd93)

/* ----- Words ------------------------------------------------------------- */

/* A one to one mix of 64 bits; the upper ones are the best. */
static inline uint64_t
cdn_mix(uint64_t x)
{
	x = (x ^ x >> 32) * CDN_MIX_B;
	return (x ^ x >> 29) * CDN_MIX_A;
}

/* The lowest n bytes of a word; all of them from 8 on. */
static inline uint64_t
cdn_low_bytes(size_t n)
{
	return n >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * n) - 1;
}

/* The highest n bytes of a word; all of them from 8 on. */
static inline uint64_t
cdn_high_bytes(size_t n)
{
	return n >= 8 ? UINT64_MAX : ~(UINT64_MAX >> 8 * n);
}

static inline uint64_t
cdn_load8(const char *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	return word;
}

/* Up to 8 bytes, 0 behind them. */
static inline uint64_t
cdn_load(const char *p, size_t n)
{
	uint64_t word = 0;

	if (n >= 8)
		return cdn_load8(p);
	while (n-- > 0)
		word = word << 8 | (unsigned char)p[n];
	return word;
}

/* How many bytes both begin with. */
static inline size_t
cdn_alike(cdn_str a, cdn_str b)
{
	size_t most = a.n < b.n ? a.n : b.n, n = 0;
	uint64_t differ = 0;

	while (n + 8 <= most && differ == 0) {
		differ = cdn_load8(a.p + n) ^ cdn_load8(b.p + n);
		n += 8;
	}
	if (differ == 0 && n < most && most >= 8) {
		n = most; /* some bytes once more */
		differ = cdn_load8(a.p + n - 8) ^ cdn_load8(b.p + n - 8);
	}
	if (differ != 0)
		return n - 8 + (size_t)__builtin_ctzll(differ) / 8;
	while (n < most && a.p[n] == b.p[n])
		n++;
	return n;
}

/* ----- Bytes ------------------------------------------------------------- */

/*
 * Bit i is set if byte i is the wanted one, for CDN_FIND_STEP bytes.  x86 has
 * an instruction that gathers the bits; elsewhere a multiplication does it.
 */
#ifdef __SSE2__
#define CDN_FIND_STEP 16

static inline uint64_t
cdn_find_step(const char *p, char byte)
{
	typedef char bytes __attribute__((vector_size(16)));
	const bytes wanted = { byte, byte, byte, byte, byte, byte, byte, byte,
		byte, byte, byte, byte, byte, byte, byte, byte };
	bytes word;

	memcpy(&word, p, sizeof(word));
	return (unsigned)__builtin_ia32_pmovmskb128((bytes)(word == wanted));
}
#else
#define CDN_FIND_STEP 8

static inline uint64_t
cdn_find_step(const char *p, char byte)
{
	const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t x = cdn_load8(p) ^ ones * (unsigned char)byte;

	/* the highest bit of each byte that is 0, and of no other */
	x = ~(((x & low) + low) | x | low);
	return x * UINT64_C(0x0002040810204081) >> 56;
}
#endif

/* The same for the 64 bytes from p on, or as many as there are. */
static inline uint64_t
cdn_find64(const char *p, const char *start, const char *end, char byte)
{
	size_t left = (size_t)(end - p), n = left < 64 ? left : 64, i = 0;
	uint64_t bits = 0;

	for (; i + CDN_FIND_STEP <= n; i += CDN_FIND_STEP)
		bits |= cdn_find_step(p + i, byte) << i;
	if (i == n)
		return bits;
	if (CDN_LIKELY(end - start >= CDN_FIND_STEP)) {
		/* the rest is the end of the text: n is left */
		size_t seen = CDN_FIND_STEP - (n - i);

		return bits | cdn_find_step(end - CDN_FIND_STEP, byte) >> seen
		    << i;
	}
	for (; i < n; i++)
		bits |= (uint64_t)(p[i] == byte) << i;
	return bits;
}

/* ----- Names ------------------------------------------------------------- */

/* The head of the name of n bytes at p, in a text from start to end. */
static inline uint64_t
cdn_head_at(const char *p, size_t n, const char *start, const char *end)
{
	const char *from;

	if (CDN_UNLIKELY(end - start < 8))
		return cdn_load(p, n);
	from = p < end - 8 ? p : end - 8;
	/* an empty name would shift by 64, and is masked away */
	return cdn_load8(from) >> (8 * (p - from) & 63) & cdn_low_bytes(n);
}

static inline uint64_t
cdn_tail_at(const char *p, size_t n, uint64_t head, const char *start,
    const char *end)
{
	const char *last = p + n - start >= 8 ? p + n - 8 : start;

	if (CDN_UNLIKELY(end - start < 8))
		return n == 0 ? 0 : head << 8 * (8 - n);
	return cdn_load8(last) << (8 * (8 - (p + n - last)) & 63) &
	    cdn_high_bytes(n);
}

/* One of 64 bits by which most names are told apart from a few others. */
static inline uint64_t
cdn_name_bit(uint64_t head)
{
	return UINT64_C(1) << (head * CDN_MIX_A >> 58);
}

/* Everything about a name. */
static inline struct cdn_segment
cdn_segment_at(const char *p, size_t n, const char *start, const char *end)
{
	uint64_t head = cdn_head_at(p, n, start, end);

	return (struct cdn_segment){ p, n, head,
		cdn_tail_at(p, n, head, start, end) };
}

/* seed: unknown to whoever writes rules, or they choose names that collide. */
static inline uint64_t
cdn_name_hash(const struct cdn_segment *name, uint64_t seed)
{
	uint64_t hash = cdn_mix(cdn_mix(name->head ^ seed) + name->tail +
	    name->n);

	for (size_t i = 8; CDN_UNLIKELY(i + 8 < name->n); i += 8)
		hash = cdn_mix((hash ^ cdn_load8(name->p + i)) + seed);
	return hash;
}

/* ----- Paths ------------------------------------------------------------- */

/* Gives the names of a path one by one. */
struct cdn_splitter {
	const char *start, *end;
	const char *p;	   /* where the next name begins */
	const char *chunk; /* the 64 bytes now looked at */
	uint64_t slashes;  /* in the chunk, from p on */
};

static inline void
cdn_splitter_init(struct cdn_splitter *splitter, cdn_str path)
{
	const char *end = path.p + path.n;

	*splitter = (struct cdn_splitter){ path.p, end, path.p, path.p,
		cdn_find64(path.p, path.p, end, '/') };
}

/* The chunk with the next slash; false when there is none. */
static inline bool
cdn_splitter_find(struct cdn_splitter *splitter)
{
	while (splitter->slashes == 0) {
		if (splitter->end - splitter->chunk <= 64)
			return false;
		splitter->chunk += 64;
		splitter->slashes = cdn_find64(splitter->chunk,
		    splitter->start, splitter->end, '/');
	}
	return true;
}

/* Where the next name lies; false when it is the last. */
static inline bool
cdn_splitter_next(struct cdn_splitter *splitter, const char **ret_p,
    size_t *ret_n)
{
	const char *p = splitter->p, *end = splitter->end;
	bool more = cdn_splitter_find(splitter);

	if (more) {
		end = splitter->chunk + __builtin_ctzll(splitter->slashes);
		splitter->slashes &= splitter->slashes - 1;
		splitter->p = end + 1;
	}
	*ret_p = p;
	*ret_n = (size_t)(end - p);
	return more;
}

/* Leaves only the last name to come; false when nothing lies before it. */
static inline bool
cdn_splitter_skip(struct cdn_splitter *splitter)
{
	bool skipped = false;

	while (cdn_splitter_find(splitter)) {
		splitter->p = splitter->chunk + 64 -
		    __builtin_clzll(splitter->slashes);
		splitter->slashes = 0;
		skipped = true;
	}
	return skipped;
}

#endif
