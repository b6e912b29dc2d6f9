/*
 * Names that an agent would open under another one: what it cuts off at their
 * ends, and what it composes (Unicode's form C).
 */
#include "engine/dialect/dialect.h"

struct range {
	uint32_t first, last;
};

/* What trim() of JavaScript, Rust or Python cuts off. */
static const struct range white[] = { { 0x9, 0xd }, { 0x1c, 0x20 },
	{ 0x85, 0x85 }, { 0xa0, 0xa0 }, { 0x1680, 0x1680 }, { 0x180e, 0x180e },
	{ 0x2000, 0x200b }, { 0x2028, 0x2029 }, { 0x202f, 0x202f },
	{ 0x205f, 0x205f }, { 0x3000, 0x3000 }, { 0xfeff, 0xfeff } };

/*
 * What is no longer itself when composed; whole blocks where most of one is.
 * U+212A is the Kelvin sign, and becomes the letter K.
 */
static const struct range composed[] = { { 0x300, 0x36f }, { 0x374, 0x374 },
	{ 0x37e, 0x37e }, { 0x387, 0x387 }, { 0x958, 0x95f }, { 0x9dc, 0x9df },
	{ 0xa33, 0xa36 }, { 0xa59, 0xa5e }, { 0xb5c, 0xb5d }, { 0xf43, 0xfb9 },
	{ 0x1100, 0x11ff }, { 0x1f71, 0x1f7d }, { 0x1fbb, 0x1ffd },
	{ 0x2000, 0x2001 }, { 0x2126, 0x2126 }, { 0x212a, 0x212b },
	{ 0x2329, 0x232a }, { 0x2adc, 0x2adc }, { 0x3099, 0x309a },
	{ 0xf900, 0xfad9 }, { 0xfb1d, 0xfb4e }, { 0x1d15e, 0x1d1c0 },
	{ 0x2f800, 0x2fa1d } };

static bool
is_in(const struct range *table, size_t n, uint32_t c)
{
	for (size_t i = 0; i < n; i++)
		if (c >= table[i].first && c <= table[i].last)
			return true;
	return false;
}

/* The character that s begins with, and its bytes; s.n > 0. */
static uint32_t
first_of(cdn_str s, size_t *bytes)
{
	static const unsigned char bits[] = { 0, 0x7f, 0x1f, 0xf, 0x7 };
	size_t n = cdn_utf8_len(s.p, s.p + s.n);
	uint32_t c = (unsigned char)s.p[0] & (n == 1 ? 0xff : bits[n]);

	for (size_t i = 1; i < n; i++)
		c = c << 6 | ((unsigned char)s.p[i] & 0x3f);
	*bytes = n;
	return c;
}

cdn_str
cdn_name_trim(cdn_str s)
{
	size_t n, end = 0;

	while (s.n > 0 && is_in(white, CDN_LEN(white), first_of(s, &n)))
		s = cdn_str_from(s, n);
	for (size_t i = 0; i < s.n; i += n)
		if (!is_in(white, CDN_LEN(white),
			first_of(cdn_str_from(s, i), &n)))
			end = i + n;
	return (cdn_str){ s.p, end };
}

bool
cdn_name_is_composed(cdn_str s)
{
	for (size_t n; s.n > 0; s = cdn_str_from(s, n))
		if (is_in(composed, CDN_LEN(composed), first_of(s, &n)))
			return true;
	return false;
}
