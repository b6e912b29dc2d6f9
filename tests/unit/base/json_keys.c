/* base/json, reading: no key twice, however many there are. */
#include "base/json.h"

#include "support/tap.h"

static int
parse(cdn_str text, struct cordon_error *err)
{
	struct cdn_arena *arena = cdn_arena_new();
	struct cdn_json json;
	int r = cdn_json_parse(text, NULL, arena, &json, err);

	cdn_arena_free(arena);
	return r;
}

/* {"k0":0,...}; member `twice` repeats the key of member `once`. */
static void
many_keys(struct cdn_buf *out, unsigned n, unsigned once, unsigned twice,
    size_t *at)
{
	cdn_buf_reset(out);
	cdn_buf_putc(out, '{');
	for (unsigned i = 0; i < n; i++) {
		bool again = i == twice && once != twice;

		if (i > 0)
			cdn_buf_putc(out, ',');
		if (i == twice)
			*at = out->n;
		/* the repeated key in another spelling */
		cdn_buf_printf(out, again ? "\"\\u006b%u\":%u" : "\"k%u\":%u",
		    again ? once : i, i);
	}
	cdn_buf_putc(out, '}');
}

static void
test_many_keys(void)
{
	static const unsigned sizes[] = { 2, 3, 15, 16, 17, 18, 31, 100, 1000 };
	struct cdn_buf text;
	struct cordon_error err;
	size_t at = 0;

	cdn_buf_init(&text, 1 << 20);
	for (size_t i = 0; i < CDN_LEN(sizes); i++) {
		unsigned n = sizes[i];
		unsigned tried = 0, found = 0;

		many_keys(&text, n, 0, 0, &at);
		ok_f(parse((cdn_str){ text.p, text.n }, NULL) == 0,
		    "%u different keys", n);
		for (unsigned a = 0; a < n; a += n / 7 + 1)
			for (unsigned b = a + 1; b < n; b += n / 7 + 1) {
				char want[64];

				many_keys(&text, n, a, b, &at);
				snprintf(want, sizeof(want), "invalid JSON at "
				    "byte %zu: key '\\u006b%u' app", at, a);
				tried++;
				found += parse((cdn_str){ text.p, text.n },
				    &err) < 0 && strncmp(err.text, want,
				    strlen(want)) == 0;
			}
		ok_f(tried > 0 && found == tried, "%u keys: found %u of %u "
		    "repeated ones", n, found, tried);
	}
	cdn_buf_done(&text);
}

/* Every key twice: named is the first that repeats one, whatever its hash. */
static void
test_all_twice(void)
{
	unsigned wrong = 0;
	struct cdn_buf text;

	cdn_buf_init(&text, 1 << 16);
	for (unsigned shift = 0; shift < 50; shift++) {
		struct cordon_error err = { .text = "" };
		char want[64];

		cdn_buf_reset(&text);
		for (unsigned i = 0; i < 100; i++) {
			if (i == 50)
				snprintf(want, sizeof(want), "invalid JSON at "
				    "byte %zu: key 'k%u'", text.n + 1,
				    i % 50 + shift);
			cdn_buf_printf(&text, "%c\"k%u\":0",
			    i == 0 ? '{' : ',', i % 50 + shift);
		}
		cdn_buf_putc(&text, '}');
		wrong += parse((cdn_str){ text.p, text.n }, &err) == 0 ||
		    strncmp(err.text, want, strlen(want)) != 0;
	}
	ok_f(wrong == 0, "the first repeated key is the one named: %u wrong",
	    wrong);
	cdn_buf_done(&text);
}

/* Objects one behind the other, each larger; the last repeats a key or not. */
static void
growing_objects(struct cdn_buf *out, const char *last)
{
	cdn_buf_reset(out);
	for (unsigned n = 17; n < 1000; n += n / 2) {
		cdn_buf_puts(out, n == 17 ? "[{\"k\":0" : "},{\"k\":0");
		for (unsigned i = 0; i < n; i++)
			cdn_buf_printf(out, ",\"k%u\":0", i);
	}
	cdn_buf_printf(out, ",\"%s\":0}]", last);
}

static void
test_growing_objects(void)
{
	struct cdn_buf text;

	cdn_buf_init(&text, 1 << 20);
	growing_objects(&text, "other");
	ok(parse((cdn_str){ text.p, text.n }, NULL) == 0,
	    "objects of ever more keys");
	growing_objects(&text, "k7");
	ok(parse((cdn_str){ text.p, text.n }, NULL) == CORDON_E_INVALID,
	    "the last of them with a key twice");
	cdn_buf_done(&text);
}

/* One step of the hash that sorts keys; here only to make it collide. */
static uint32_t
fnv(uint32_t hash, const char *word)
{
	for (; *word != '\0'; word++)
		hash = (hash ^ (unsigned char)*word) * 16777619U;
	return hash;
}

/* Neighbours spell very different words, which collide sooner. */
static void
spell(uint32_t n, char word[7])
{
	uint64_t letters = (uint64_t)n * 2654435761U % 308915776; /* 26^6 */

	for (int i = 0; i < 6; i++, letters /= 26)
		word[i] = (char)('a' + letters % 26);
	word[6] = '\0';
}

/* Two words that lead from *hash to the same one. */
static bool
find_pair(uint32_t *hash, char pair[2][7], uint32_t *table, uint32_t mask)
{
	memset(table, 0, (mask + 1UL) * sizeof(*table));
	for (uint32_t n = 1; n < 10000000; n++) {
		uint32_t *slot, h;

		spell(n, pair[0]);
		h = fnv(*hash, pair[0]);
		slot = &table[h & mask];
		spell(*slot, pair[1]);
		if (*slot != 0 && fnv(*hash, pair[1]) == h) {
			*hash = h;
			return true;
		}
		*slot = n;
	}
	return false;
}

/* All 4096 ways through 12 pairs give different keys with one hash. */
static bool
colliding_keys(struct cdn_buf *out, unsigned n)
{
	uint32_t mask = (1U << 20) - 1;
	uint32_t *table = malloc((mask + 1UL) * sizeof(*table));
	uint32_t hash = 2166136261U;
	char pairs[12][2][7];
	bool good = table != NULL;

	for (int i = 0; good && i < 12; i++)
		good = find_pair(&hash, pairs[i], table, mask);
	free(table);
	cdn_buf_reset(out);
	for (unsigned i = 0; good && i < n; i++) {
		cdn_buf_puts(out, i == 0 ? "{\"" : ",\"");
		for (unsigned bit = 0; bit < 12; bit++)
			cdn_buf_puts(out, pairs[bit][i >> bit & 1]);
		cdn_buf_puts(out, "\":1");
	}
	cdn_buf_putc(out, '}');
	return good && !cdn_buf_failed(out);
}

static void
test_colliding_keys(void)
{
	struct cordon_error err = { .text = "" };
	struct cdn_buf text;

	cdn_buf_init(&text, 1 << 20);
	ok(colliding_keys(&text, 4096) &&
	    parse((cdn_str){ text.p, text.n }, NULL) == 0,
	    "4096 different keys with one hash");
	ok(colliding_keys(&text, 4097) &&
	    parse((cdn_str){ text.p, text.n }, &err) < 0 &&
	    strstr(err.text, "appears twice") != NULL,
	    "and one of them again");
	cdn_buf_done(&text);
}

static void
test_long_key(void)
{
	struct cordon_error err;
	struct cdn_buf text;

	cdn_buf_init(&text, 4096);
	cdn_buf_putc(&text, '{');
	for (int i = 0; i < 2; i++) {
		cdn_buf_puts(&text, i == 0 ? "\"x" : ",\"x");
		for (int j = 0; j < 100; j++)
			cdn_buf_puts(&text, "\xc3\xa9");
		cdn_buf_puts(&text, "\":1");
	}
	cdn_buf_putc(&text, '}');
	ok(parse((cdn_str){ text.p, text.n }, &err) < 0 &&
	    strstr(err.text, "\xc3\xa9...' appears twice") != NULL &&
	    strlen(err.text) < 160 &&
	    cdn_utf8_bad(cdn_str_of(err.text)) == strlen(err.text),
	    "a long key is shown in part");
	cdn_buf_done(&text);
}

int
main(void)
{
	test_many_keys();
	test_all_twice();
	test_growing_objects();
	test_colliding_keys();
	test_long_key();
	return done_testing();
}
