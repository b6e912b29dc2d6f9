#include "base/str.h"

int
cdn_str_cmp(cdn_str a, cdn_str b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int order = n == 0 ? 0 : memcmp(a.p, b.p, n);

	if (order != 0)
		return order;
	return (a.n > b.n) - (a.n < b.n);
}

static bool
is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

cdn_str
cdn_str_trim(cdn_str s)
{
	while (s.n > 0 && is_space(s.p[0])) {
		s.p++;
		s.n--;
	}
	while (s.n > 0 && is_space(s.p[s.n - 1]))
		s.n--;
	return s;
}

bool
cdn_str_next(cdn_str *rest, char sep, cdn_str *ret_part)
{
	const char *at;

	if (rest->p == NULL)
		return false;
	at = rest->n == 0 ? NULL : memchr(rest->p, sep, rest->n);
	if (at == NULL) {
		*ret_part = *rest;
		*rest = (cdn_str){ NULL, 0 };
		return true;
	}
	ret_part->p = rest->p;
	ret_part->n = (size_t)(at - rest->p);
	rest->n -= ret_part->n + 1;
	rest->p = at + 1;
	return true;
}

bool
cdn_str_parse_u64(cdn_str s, uint64_t *ret)
{
	uint64_t value = 0;

	if (s.n == 0)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value,
			(uint64_t)(s.p[i] - '0'), &value))
			return false;
	}
	*ret = value;
	return true;
}

/* What a lead byte promises: length, and the range of the second byte. */
static size_t
utf8_shape(unsigned char lead, unsigned char *lo, unsigned char *hi)
{
	*lo = 0x80;
	*hi = 0xbf;
	if (lead >= 0xc2 && lead <= 0xdf)
		return 2;
	if (lead >= 0xe0 && lead <= 0xef) {
		if (lead == 0xe0)
			*lo = 0xa0; /* overlong below */
		else if (lead == 0xed)
			*hi = 0x9f; /* surrogates above */
		return 3;
	}
	if (lead >= 0xf0 && lead <= 0xf4) {
		if (lead == 0xf0)
			*lo = 0x90;
		else if (lead == 0xf4)
			*hi = 0x8f; /* beyond U+10FFFF */
		return 4;
	}
	return 1;
}

size_t
cdn_utf8_len(const char *p, const char *end)
{
	const unsigned char *u = (const unsigned char *)p;
	unsigned char lo, hi;
	size_t len = utf8_shape(u[0], &lo, &hi);

	if (len == 1 || (size_t)(end - p) < len)
		return 1;
	if (u[1] < lo || u[1] > hi)
		return 1;
	for (size_t i = 2; i < len; i++)
		if (u[i] < 0x80 || u[i] > 0xbf)
			return 1;
	return len;
}

size_t
cdn_utf8_bad(cdn_str s)
{
	size_t i = 0;

	while (i < s.n) {
		size_t len;

		if ((unsigned char)s.p[i] < 0x80) {
			i++;
			continue;
		}
		len = cdn_utf8_len(s.p + i, s.p + s.n);
		if (len == 1)
			return i;
		i += len;
	}
	return s.n;
}

unsigned
cdn_str_distance(cdn_str a, cdn_str b, unsigned limit)
{
	unsigned row[CDN_NAME_MAX + 1];

	if (a.n > CDN_NAME_MAX || b.n > CDN_NAME_MAX)
		return limit + 1;
	for (size_t j = 0; j <= b.n; j++)
		row[j] = (unsigned)j;
	for (size_t i = 1; i <= a.n; i++) {
		unsigned diagonal = row[0];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= b.n; j++) {
			unsigned best = diagonal + (a.p[i - 1] != b.p[j - 1]);

			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[b.n] > limit ? limit + 1 : row[b.n];
}
