/* base/str: slices, numbers, UTF-8, edit distance. */
#include "base/str.h"

#include "support/tap.h"

#define U64_MAX_TEXT "18446744073709551615"

static void
test_compare(void)
{
	cdn_str null = { NULL, 0 };
	cdn_str nul_inside = { "a\0b", 3 };

	ok(cdn_str_of(NULL).n == 0, "NULL is the empty slice");
	ok(cdn_str_eq(null, CDN_STR("")), "empty equals empty, p NULL or not");
	ok(cdn_str_is(CDN_STR("read"), "read"), "is the same");
	ok(!cdn_str_is(CDN_STR("read"), "reader"), "a prefix is not the same");
	ok(!cdn_str_is(nul_inside, "a"), "a NUL does not end a slice");
	ok(cdn_str_starts(CDN_STR("abc"), CDN_STR("ab")), "starts");
	ok(cdn_str_starts(CDN_STR("abc"), null), "starts with nothing");
	ok(!cdn_str_starts(CDN_STR("a"), CDN_STR("ab")), "too short to start");
	ok(cdn_str_ends(CDN_STR("abc"), CDN_STR("bc")), "ends");
	ok(cdn_str_ends(null, null), "nothing ends with nothing");
	ok(!cdn_str_ends(CDN_STR("bc"), CDN_STR("abc")), "too short to end");
	ok(cdn_str_cmp(CDN_STR("a"), CDN_STR("b")) < 0, "a before b");
	ok(cdn_str_cmp(CDN_STR("ab"), CDN_STR("a")) > 0, "ab after a");
	ok(cdn_str_cmp(null, CDN_STR("a")) < 0, "nothing before a");
	ok(cdn_str_cmp(null, CDN_STR("")) == 0, "nothing equals nothing");
	ok(cdn_str_cmp(CDN_STR("\xff"), CDN_STR("a")) > 0, "bytes, unsigned");
	ok(cdn_str_is(cdn_str_from(CDN_STR("abc"), 1), "bc"), "from 1");
	ok(cdn_str_from(CDN_STR("abc"), 3).n == 0, "from the end");
	ok(cdn_str_from(CDN_STR("abc"), 9).n == 0, "from past the end");
	ok(cdn_str_width((cdn_str){ "", (size_t)INT_MAX + 1 }) == INT_MAX,
	    "a printf precision never turns negative");
}

static void
test_trim(void)
{
	static const struct {
		const char *text;
		const char *want;
	} rows[] = {
		{ "", "" },
		{ "a", "a" },
		{ " a ", "a" },
		{ "\t\n\v\f\r a b \r\n", "a b" },
		{ "   ", "" },
		{ "\xc2\xa0" "a", "\xc2\xa0" "a" }, /* beyond ASCII stays */
		{ "\x1c" "a\x08", "\x1c" "a\x08" }, /* controls stay */
	};

	for (size_t i = 0; i < CDN_LEN(rows); i++)
		ok_f(cdn_str_is(cdn_str_trim(cdn_str_of(rows[i].text)),
		    rows[i].want), "'%s' trimmed is '%s'", rows[i].text,
		    rows[i].want);
	ok(cdn_str_trim((cdn_str){ NULL, 0 }).n == 0, "nothing to trim");
}

/* The parts joined by '|', each in brackets. */
static void
split(cdn_str rest, char *out, size_t size)
{
	size_t n = 0;
	cdn_str part;

	out[0] = '\0';
	while (cdn_str_next(&rest, ',', &part))
		n += (size_t)snprintf(out + n, size - n, "[%.*s]",
		    CDN_STR_ARG(part));
}

static void
test_next(void)
{
	static const struct {
		const char *text;
		const char *want;
	} rows[] = {
		{ "", "[]" },
		{ "a", "[a]" },
		{ "a,b", "[a][b]" },
		{ ",", "[][]" },
		{ "a,", "[a][]" },
		{ ",a", "[][a]" },
		{ "a,,b", "[a][][b]" },
	};
	char out[64];

	for (size_t i = 0; i < CDN_LEN(rows); i++) {
		split(cdn_str_of(rows[i].text), out, sizeof(out));
		ok_f(strcmp(out, rows[i].want) == 0, "'%s' splits into %s",
		    rows[i].text, rows[i].want);
	}
	split((cdn_str){ NULL, 0 }, out, sizeof(out));
	ok(out[0] == '\0', "a slice without p has no parts");
}

static void
test_numbers(void)
{
	static const struct {
		const char *text;
		bool good;
		uint64_t want;
	} rows[] = {
		{ "0", true, 0 },
		{ "7", true, 7 },
		{ "007", true, 7 },
		{ U64_MAX_TEXT, true, UINT64_MAX },
		{ "18446744073709551616", false, 0 }, /* one more */
		{ "18446744073709551620", false, 0 },
		{ "184467440737095516150", false, 0 }, /* times ten */
		{ "99999999999999999999", false, 0 },
		{ "", false, 0 },
		{ "-1", false, 0 },
		{ "+1", false, 0 },
		{ " 1", false, 0 },
		{ "1 ", false, 0 },
		{ "0x1", false, 0 },
		{ "1.0", false, 0 },
		{ "\xd9\xa1", false, 0 }, /* a digit, but not of ours */
	};

	for (size_t i = 0; i < CDN_LEN(rows); i++) {
		uint64_t got = 42;
		bool good = cdn_str_parse_u64(cdn_str_of(rows[i].text), &got);

		ok_f(good == rows[i].good &&
		    got == (good ? rows[i].want : 42), "number '%s' is %s",
		    rows[i].text, rows[i].good ? "taken" : "refused");
	}
}

/* ----- UTF-8 ------------------------------------------------------------- */

static void
test_utf8_table(void)
{
	static const struct {
		const char *bytes;
		size_t want; /* length of the first character */
		const char *why;
	} rows[] = {
		{ "a", 1, "ASCII" },
		{ "\x7f", 1, "DEL" },
		{ "\xc2\x80", 2, "U+0080, the first of two" },
		{ "\xdf\xbf", 2, "U+07FF, the last of two" },
		{ "\xe0\xa0\x80", 3, "U+0800, the first of three" },
		{ "\xef\xbf\xbf", 3, "U+FFFF" },
		{ "\xf0\x90\x80\x80", 4, "U+10000, the first of four" },
		{ "\xf4\x8f\xbf\xbf", 4, "U+10FFFF, the last of all" },
		{ "\xed\x9f\xbf", 3, "U+D7FF, before the surrogates" },
		{ "\xee\x80\x80", 3, "U+E000, behind the surrogates" },
		{ "\x80", 1, "a lone continuation" },
		{ "\xbf\xbf", 1, "two of them" },
		{ "\xc0\x80", 1, "overlong NUL" },
		{ "\xc0\xaf", 1, "overlong slash, two bytes" },
		{ "\xc1\xbf", 1, "overlong DEL" },
		{ "\xe0\x80\xaf", 1, "overlong slash, three bytes" },
		{ "\xe0\x9f\xbf", 1, "overlong U+07FF" },
		{ "\xf0\x80\x80\xaf", 1, "overlong slash, four bytes" },
		{ "\xf0\x8f\xbf\xbf", 1, "overlong U+FFFF" },
		{ "\xed\xa0\x80", 1, "U+D800, a surrogate" },
		{ "\xed\xbf\xbf", 1, "U+DFFF, a surrogate" },
		{ "\xf4\x90\x80\x80", 1, "U+110000, one too many" },
		{ "\xf5\x80\x80\x80", 1, "a lead of U+140000" },
		{ "\xf8\x88\x80\x80\x80", 1, "five bytes" },
		{ "\xfe", 1, "FE" },
		{ "\xff", 1, "FF" },
		{ "\xc2", 1, "two bytes, cut" },
		{ "\xe2\x82", 1, "three bytes, cut" },
		{ "\xf0\x9f\x98", 1, "four bytes, cut" },
		{ "\xc2\x41", 1, "two bytes, the second ASCII" },
		{ "\xe2\x82\x41", 1, "three bytes, the third ASCII" },
		{ "\xf0\x9f\x98\xc0", 1, "four bytes, the fourth a lead" },
	};

	for (size_t i = 0; i < CDN_LEN(rows); i++) {
		cdn_str s = cdn_str_of(rows[i].bytes);
		bool valid = rows[i].want > 1 || (s.p[0] & 0x80) == 0;

		ok_f(cdn_utf8_len(s.p, s.p + s.n) == rows[i].want,
		    "UTF-8: %s has %zu", rows[i].why, rows[i].want);
		ok_f(cdn_utf8_bad(s) == (valid ? s.n : 0), "UTF-8: %s is %s",
		    rows[i].why, valid ? "good" : "bad");
	}
	ok(cdn_utf8_bad(CDN_STR("ab\xc3\xa9" "c\xff" "d")) == 5,
	    "the first bad byte, not the last");
	ok(cdn_utf8_bad((cdn_str){ NULL, 0 }) == 0, "nothing is good UTF-8");
}

/* The definition, by arithmetic on the code point: -1 when not well-formed. */
static long
decode(const unsigned char *u, size_t n)
{
	static const long least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t len = u[0] < 0x80 ? 1 : u[0] < 0xc0 ? 0 : u[0] < 0xe0 ? 2 :
	    u[0] < 0xf0 ? 3 : u[0] < 0xf8 ? 4 : 0;
	long c;

	if (len == 0 || len > n)
		return -1;
	c = len == 1 ? u[0] : u[0] & (0x7f >> len);
	for (size_t i = 1; i < len; i++) {
		if ((u[i] & 0xc0) != 0x80)
			return -1;
		c = c << 6 | (u[i] & 0x3f);
	}
	if (c < least[len] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return -1;
	return c;
}

static size_t
length_of(long c)
{
	return c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
}

/* Every lead byte with every second byte, and edge values behind them. */
static void
test_utf8_exhaustive(void)
{
	static const unsigned char edges[] = { 0, 0x41, 0x7f, 0x80, 0x8f, 0x90,
		0x9f, 0xa0, 0xbf, 0xc0, 0xff };
	unsigned long wrong = 0;

	for (unsigned i = 0; i < 65536UL * CDN_LEN(edges) * CDN_LEN(edges);
	    i++) {
		unsigned char u[4] = { (unsigned char)(i >> 8 & 0xff),
			(unsigned char)(i & 0xff),
			edges[(i >> 16) % CDN_LEN(edges)],
			edges[(i >> 16) / CDN_LEN(edges)] };
		const char *p = (const char *)u;

		for (size_t n = 1; n <= 4; n++) {
			long c = decode(u, n);

			if (cdn_utf8_len(p, p + n) !=
			    (c < 0 ? 1 : length_of(c)))
				wrong++;
		}
	}
	ok_f(wrong == 0, "UTF-8 as defined: %lu differ", wrong);
}

/* ----- Distance ---------------------------------------------------------- */

static void
test_distance(void)
{
	static const struct {
		const char *a, *b;
		unsigned limit, want;
	} rows[] = {
		{ "", "", 3, 0 },
		{ "allow", "allow", 3, 0 },
		{ "alow", "allow", 3, 1 },
		{ "denny", "deny", 3, 1 },
		{ "reed", "read", 3, 1 },
		{ "raed", "read", 3, 2 },
		{ "kitten", "sitting", 3, 3 },
		{ "kitten", "sitting", 2, 3 }, /* limit + 1 */
		{ "", "abc", 3, 3 },
		{ "abc", "", 2, 3 },
		{ "abcdef", "uvwxyz", 3, 4 },
	};
	char big[CDN_NAME_MAX + 1];
	cdn_str longest = { big, CDN_NAME_MAX };
	cdn_str longer = { big, CDN_NAME_MAX + 1 };

	for (size_t i = 0; i < CDN_LEN(rows); i++)
		ok_f(cdn_str_distance(cdn_str_of(rows[i].a),
		    cdn_str_of(rows[i].b), rows[i].limit) == rows[i].want,
		    "'%s' to '%s' is %u of %u", rows[i].a, rows[i].b,
		    rows[i].want, rows[i].limit);
	memset(big, 'x', sizeof(big));
	ok(cdn_str_distance(longest, longest, 3) == 0, "the longest name");
	ok(cdn_str_distance(longer, longer, 3) == 4, "longer is always far");
	ok(cdn_str_distance(longest, longer, 3) == 4 &&
	    cdn_str_distance(longer, longest, 3) == 4, "on either side");
}

int
main(void)
{
	test_compare();
	test_trim();
	test_next();
	test_numbers();
	test_utf8_table();
	test_utf8_exhaustive();
	test_distance();
	return done_testing();
}
