/*
 * naive_glob - the grammar of patterns, word for word and as slow as it likes.
 *
 * An oracle: it shares no code with the library.  Each line is one line of
 * the grammar, read as a regular expression over the whole path:
 *
 *	P/ **	P(?:/.*)?	at the end; P by the same rules
 *	** /	(?:.*	/)?
 *	**	.*
 *	*	[^/]*
 *	?	[^/]
 *
 * where one character is one UTF-8 character, or one byte if it is none.
 */
#ifndef CDN_TESTS_NAIVE_GLOB_H
#define CDN_TESTS_NAIVE_GLOB_H

#include <stdbool.h>
#include <string.h>

/* Bytes of the character that s begins with. */
static inline size_t
naive_char(const char *s, const char *end)
{
	static const unsigned lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	static const unsigned least[] = { 0, 0, 0x80, 0x800, 0x10000 };

	for (size_t n = 2; n <= 4 && n <= (size_t)(end - s); n++) {
		unsigned value = (unsigned char)s[0] - lead[n];
		bool good = value < 0x80U >> n; /* else the lead says other */

		for (size_t i = 1; i < n; i++) {
			unsigned next = (unsigned char)s[i];

			good = good && next >= 0x80 && next < 0xc0;
			value = value * 64 + (next - 0x80);
		}
		if (good && value >= least[n] && value <= 0x10ffff &&
		    (value < 0xd800 || value > 0xdfff))
			return n;
	}
	return 1;
}

static inline bool
naive_starts(const char *p, const char *end, const char *with)
{
	return (size_t)(end - p) >= strlen(with) &&
	    memcmp(p, with, strlen(with)) == 0;
}

/* Pattern p to pe, of which what lies before `lit` is literal; path s to se. */
static inline bool
naive_match(const char *p, const char *pe, const char *lit, const char *s,
    const char *se)
{
	bool dirs = naive_starts(p, pe, "**/"), two = naive_starts(p, pe, "**");

	if (p == pe)
		return s == se;
	if (p < lit || (*p != '*' && *p != '?'))
		return s < se && *s == *p &&
		    naive_match(p + 1, pe, lit, s + 1, se);
	if (*p == '?')
		return s < se && *s != '/' &&
		    naive_match(p + 1, pe, lit, s + naive_char(s, se), se);
	if (dirs && naive_match(p + 3, pe, lit, s, se))
		return true;
	for (;; s += naive_char(s, se)) {
		if (dirs ? s < se && *s == '/' &&
			naive_match(p + 3, pe, lit, s + 1, se) :
		    naive_match(p + (two ? 2 : 1), pe, lit, s, se))
			return true;
		if (s == se || (!two && *s == '/'))
			return false;
	}
}

static inline bool
naive_below(const char *p, const char *pe, const char *lit, const char *s,
    const char *se)
{
	if (pe - p < 3 || memcmp(pe - 3, "/**", 3) != 0 || pe - 2 < lit)
		return naive_match(p, pe, lit, s, se);
	for (const char *at = s; at <= se; at++)
		if ((at == se || *at == '/') &&
		    naive_below(p, pe - 3, lit, s, at))
			return true;
	return false;
}

static inline bool
naive_glob(const char *pattern, size_t n, size_t literal, const char *path,
    size_t path_n)
{
	if (n == 1 && pattern[0] == '.')
		return path_n == 0;
	return naive_below(pattern, pattern + n, pattern + literal, path,
	    path + path_n);
}

#endif
