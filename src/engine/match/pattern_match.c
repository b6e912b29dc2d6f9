#include "engine/match/pattern.h"

#include "engine/match/segment.h"

/*
 * A set of places in the path, one bit for each offset, the end included:
 * where the tokens so far can have led to.  Each token turns it into the next
 * set; the pattern matches if the end is in the last one.  64 places are moved
 * at a time.
 */
#define WORDS (CDN_PATH_MAX / 64 + 1)

struct places {
	cdn_str path;
	size_t words; /* in use, in each of the sets */
	bool ascii;   /* then a place is behind each byte, and this is all: */
	uint64_t now[WORDS];
	uint64_t all[WORDS];   /* every place but the end */
	uint64_t slash[WORDS]; /* places of slashes */
	uint64_t inner[WORDS]; /* and all others */

	uint64_t chars[WORDS];	   /* where a character begins, and the end */
	uint64_t length[5][WORDS]; /* where one of so many bytes does */
	uint64_t middle[WORDS];	   /* bytes that go on with one, 80 to bf */
};

/* ----- Sets -------------------------------------------------------------- */

static bool
holds(const uint64_t *set, size_t at)
{
	return set[at / 64] >> (at % 64) & 1;
}

static void
put(uint64_t *set, size_t at)
{
	set[at / 64] |= UINT64_C(1) << (at % 64);
}

static bool
is_empty(const struct places *places)
{
	uint64_t seen = 0;

	for (size_t i = 0; i < places->words; i++)
		seen |= places->now[i];
	return seen == 0;
}

static bool
is_single(const struct places *places)
{
	bool seen = false;

	for (size_t i = 0; i < places->words; i++) {
		uint64_t word = places->now[i];

		if ((word & (word - 1)) != 0 || (word != 0 && seen))
			return false;
		seen |= word != 0;
	}
	return seen;
}

/* The lowest place; there is one. */
static size_t
lowest(const struct places *places)
{
	size_t word = 0;

	while (places->now[word] == 0)
		word++;
	return word * 64 + (size_t)__builtin_ctzll(places->now[word]);
}

/* Adds to `to` the places that are `by` bytes behind those in `from`. */
static void
add_behind(uint64_t *to, const uint64_t *from, size_t words, unsigned by)
{
	uint64_t carry = 0;

	for (size_t i = 0; i < words; i++) {
		uint64_t word = from[i];

		to[i] |= word << by | carry;
		carry = word >> (64 - by);
	}
}

/*
 * Adds what can be reached from `from` through runs of places, and the place
 * behind each run.  Adding a bit to a run of ones turns it over from there to
 * its end, and sets the next: that is the whole trick.
 */
static void
add_runs(uint64_t *to, const uint64_t *from, const uint64_t *runs, size_t words)
{
	uint64_t carry = 0;

	for (size_t i = 0; i < words; i++) {
		uint64_t sum = runs[i] + (from[i] & runs[i]);
		uint64_t overflow = sum < runs[i];

		sum += carry;
		overflow |= sum < carry;
		to[i] |= from[i] | (sum ^ runs[i]);
		carry = overflow;
	}
}

/* ----- Characters -------------------------------------------------------- */

static bool
is_middle(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

static void
find_chars(struct places *places)
{
	const char *p = places->path.p, *end = p + places->path.n;
	size_t n = places->path.n, at = 0;

	memset(places->chars, 0, sizeof(places->chars));
	memset(places->length, 0, sizeof(places->length));
	memset(places->middle, 0, sizeof(places->middle));
	for (size_t i = 0; i < n; i++)
		if (is_middle(p[i]))
			put(places->middle, i);
	while (at < n) {
		size_t length = cdn_utf8_len(p + at, end);

		put(places->chars, at);
		put(places->length[length], at);
		at += length;
	}
	put(places->chars, n);
}

static void
places_init(struct places *places, cdn_str path)
{
	const char *end = path.p + path.n;
	unsigned char seen = 0;

	places->path = path;
	places->words = path.n / 64 + 1;
	for (size_t i = 0; i < places->words; i++) {
		size_t left = path.n - i * 64;

		places->now[i] = i == 0;
		places->all[i] = left >= 64 ? UINT64_MAX :
		    (UINT64_C(1) << left) - 1;
		places->slash[i] = cdn_find64(path.p + i * 64, path.p, end,
		    '/');
		places->inner[i] = places->all[i] & ~places->slash[i];
	}
	for (size_t i = 0; i < path.n; i++)
		seen |= (unsigned char)path.p[i];
	places->ascii = seen < 0x80;
	if (!places->ascii)
		find_chars(places);
}

/* ----- Tokens ------------------------------------------------------------ */

static void
step_byte(struct places *places, char byte)
{
	const char *p = places->path.p;
	CDN_UNINITIALIZED uint64_t found[WORDS];

	for (size_t i = 0; i < places->words; i++) {
		found[i] = places->now[i] & places->all[i];
		if (found[i] != 0)
			found[i] &= cdn_find64(p + i * 64, p,
			    p + places->path.n, byte);
		places->now[i] = 0;
	}
	add_behind(places->now, found, places->words, 1);
}

static void
step_literal(struct places *places, cdn_str text)
{
	size_t at;

	if (!is_single(places)) {
		for (size_t i = 0; i < text.n; i++)
			step_byte(places, text.p[i]);
		return;
	}
	at = lowest(places);
	places->now[at / 64] = 0;
	if (cdn_str_starts(cdn_str_from(places->path, at), text))
		put(places->now, at + text.n);
}

static void
step_slash(struct places *places, cdn_str text)
{
	(void)text;
	step_byte(places, '/');
}

/* Behind a literal that is no UTF-8 a place may be inside a character. */
static void
step_any(struct places *places, cdn_str text)
{
	CDN_UNINITIALIZED uint64_t from[WORDS], part[WORDS];

	(void)text;
	for (size_t i = 0; i < places->words; i++) {
		from[i] = places->now[i] & places->inner[i];
		places->now[i] = 0;
	}
	for (unsigned length = 2; !places->ascii && length <= 4; length++) {
		for (size_t i = 0; i < places->words; i++) {
			/* NOLINTNEXTLINE(clang-analyzer-core.*): set above */
			part[i] = from[i] & places->length[length][i];
			from[i] ^= part[i];
		}
		add_behind(places->now, part, places->words, length);
	}
	add_behind(places->now, from, places->words, 1);
}

/*
 * Goes on through runs, character by character.  From inside a character it
 * is byte by byte to the next one, and on from there.
 */
static void
step_chars(struct places *places, const uint64_t *runs)
{
	uint64_t from[WORDS] = { 0 }, to[WORDS] = { 0 };
	size_t words = places->words;

	for (size_t i = 0; i < words; i++)
		from[i] = places->now[i] & ~places->chars[i];
	add_runs(places->now, from, places->middle, words);
	for (size_t i = 0; i < words; i++)
		from[i] = places->now[i] & places->chars[i];
	add_runs(to, from, runs, words);
	for (size_t i = 0; i < words; i++)
		places->now[i] |= to[i] & places->chars[i];
}

static void
step_through(struct places *places, const uint64_t *runs)
{
	if (places->ascii)
		add_runs(places->now, places->now, runs, places->words);
	else
		step_chars(places, runs);
}

static void
step_star(struct places *places, cdn_str text)
{
	(void)text;
	step_through(places, places->inner);
}

static void
step_stars(struct places *places, cdn_str text)
{
	(void)text;
	step_through(places, places->all);
}

/* A slash is a character of its own, so ** comes to every one. */
static void
step_dirs(struct places *places, cdn_str text)
{
	size_t from = lowest(places);
	CDN_UNINITIALIZED uint64_t found[WORDS];

	(void)text;
	memset(found, 0, places->words * sizeof(found[0]));
	for (size_t i = from / 64; i < places->words; i++)
		found[i] = places->slash[i];
	found[from / 64] &= UINT64_MAX << (from % 64);
	add_behind(places->now, found, places->words, 1);
}

/* Always the last token, so nothing but the end matters. */
static void
step_below(struct places *places, cdn_str text)
{
	uint64_t found = 0;

	(void)text;
	for (size_t i = 0; i < places->words; i++)
		found |= places->now[i] & places->slash[i];
	if (found != 0)
		put(places->now, places->path.n);
}

static void (*const steps[])(struct places *, cdn_str) = {
	[CDN_TOKEN_LITERAL] = step_literal,
	[CDN_TOKEN_SLASH] = step_slash,
	[CDN_TOKEN_ANY] = step_any,
	[CDN_TOKEN_STAR] = step_star,
	[CDN_TOKEN_STARS] = step_stars,
	[CDN_TOKEN_DIRS] = step_dirs,
	[CDN_TOKEN_BELOW] = step_below,
};

bool
cdn_tokens_match(const struct cdn_token *tokens, size_t n, bool open,
    cdn_str text)
{
	CDN_UNINITIALIZED struct places places;

	if (text.n > CDN_PATH_MAX)
		return false;
	if (text.n == 0)
		text.p = ""; /* NULL has no places */
	places_init(&places, text);
	for (size_t i = 0; i < n; i++) {
		steps[tokens[i].kind](&places, tokens[i].text);
		if (is_empty(&places))
			return false;
	}
	return open || holds(places.now, text.n);
}

bool
cdn_pattern_match(const struct cdn_pattern *pattern, cdn_str path)
{
	return cdn_tokens_match(pattern->tokens, pattern->n, false, path);
}
