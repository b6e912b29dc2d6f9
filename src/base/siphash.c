#include "base/siphash.h"

struct state {
	uint64_t v0, v1, v2, v3;
};

static uint64_t
rotate(uint64_t x, unsigned by)
{
	return x << by | x >> (64 - by);
}

static void
mix(struct state *s, unsigned rounds)
{
	while (rounds-- > 0) {
		s->v0 += s->v1;
		s->v1 = rotate(s->v1, 13) ^ s->v0;
		s->v0 = rotate(s->v0, 32);
		s->v2 += s->v3;
		s->v3 = rotate(s->v3, 16) ^ s->v2;
		s->v0 += s->v3;
		s->v3 = rotate(s->v3, 21) ^ s->v0;
		s->v2 += s->v1;
		s->v1 = rotate(s->v1, 17) ^ s->v2;
		s->v2 = rotate(s->v2, 32);
	}
}

static void
take(struct state *s, uint64_t word)
{
	s->v3 ^= word;
	mix(s, 2);
	s->v0 ^= word;
}

/* Up to eight bytes, the first one lowest. */
static uint64_t
word_of(const char *p, size_t n)
{
	uint64_t word = 0;

	for (size_t i = 0; i < n; i++)
		word |= (uint64_t)(unsigned char)p[i] << (8 * i);
	return word;
}

uint64_t
cdn_siphash(const struct cdn_siphash_key *key, cdn_str text)
{
	struct state s = {
		key->v[0] ^ UINT64_C(0x736f6d6570736575),
		key->v[1] ^ UINT64_C(0x646f72616e646f6d),
		key->v[0] ^ UINT64_C(0x6c7967656e657261),
		key->v[1] ^ UINT64_C(0x7465646279746573),
	};
	size_t whole = text.n - text.n % 8;

	for (size_t i = 0; i < whole; i += 8)
		take(&s, word_of(text.p + i, 8));
	take(&s, word_of(text.p + whole, text.n % 8) |
		(uint64_t)text.n << 56);
	s.v2 ^= 0xff;
	mix(&s, 4);
	return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}
