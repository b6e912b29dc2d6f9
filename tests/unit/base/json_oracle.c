/*
 * base/json against jansson: the same texts accepted and refused, the same
 * values read, and what we write means to jansson what it meant to us.
 *
 * Where both differ on purpose:
 *
 *	numbers out of range	we keep the text, jansson refuses
 *	depth			ours is an option, jansson's is fixed at 2048;
 *				the corpus is read with 2048 on both sides
 *	a key twice		both refuse, jansson when asked to
 *	NUL			both refuse, jansson unless asked not to; but
 *				one right behind a word or a number it loses
 */
#include "base/json.h"

#include <jansson.h>
#include <math.h>

#include "support/tap.h"

#define ROUNDS	 20000
#define TEXT_MAX 65536UL

/* ----- Chance, the same on every machine --------------------------------- */

static uint64_t chance_state = 88172645463325252U;

static uint32_t
chance(uint32_t below)
{
	chance_state ^= chance_state << 13;
	chance_state ^= chance_state >> 7;
	chance_state ^= chance_state << 17;
	return (uint32_t)(chance_state >> 32) % below;
}

#define PICK(array) (array)[chance(CDN_LEN(array))]

/* ----- Valid texts ------------------------------------------------------- */

static void
gen_space(struct cdn_buf *out)
{
	static const char *const spaces[] = { " ", "\n", "\r", "\t", "  \n" };

	if (chance(6) == 0)
		cdn_buf_puts(out, PICK(spaces));
}

static void
gen_string(struct cdn_buf *out)
{
	static const char *const pieces[] = { "a", "k", "\\u006b", "\\n",
		"\\\\", "\\\"", "\\/", "/", "\\b\\f\\r\\t", "\xc3\xa9",
		"\\u00e9", "\\u00E9", "\xe2\x82\xac", "\\u20ac",
		"\xf0\x9f\x98\x80", "\\ud83d\\ude00", "\x7f", "\\u0001",
		"\\uffff", "\xef\xbf\xbd", "\xf4\x8f\xbf\xbf",
		"plain text for a while", "0123456789abcdef" };

	cdn_buf_putc(out, '"');
	for (uint32_t n = chance(5); n > 0; n--)
		cdn_buf_puts(out, PICK(pieces));
	cdn_buf_putc(out, '"');
}

static void
gen_number(struct cdn_buf *out)
{
	static const char *const numbers[] = { "0", "-0", "1", "-1", "17",
		"9223372036854775807", "-9223372036854775808",
		"9223372036854775808", "1e5", "1E-5", "-0.0", "0.1",
		"1.7976931348623157e308", "5e-324", "1e400", "123456.789e+2",
		"12345678901234567890123" };

	cdn_buf_puts(out, PICK(numbers));
}

static void
gen_value(struct cdn_buf *out, unsigned depth)
{
	static const char *const words[] = { "null", "true", "false" };
	uint32_t kind = chance(depth < 5 ? 7 : 4);
	uint32_t n = chance(chance(40) == 0 ? 40 : 4);

	gen_space(out);
	if (kind < 2) {
		gen_string(out);
	} else if (kind == 2) {
		gen_number(out);
	} else if (kind == 3) {
		cdn_buf_puts(out, PICK(words));
	} else {
		cdn_buf_putc(out, kind == 4 ? '[' : '{');
		gen_space(out);
		for (uint32_t i = 0; i < n; i++) {
			if (i > 0)
				cdn_buf_putc(out, ',');
			gen_space(out);
			if (kind != 4) {
				gen_string(out);
				gen_space(out);
				cdn_buf_putc(out, ':');
			}
			gen_value(out, depth + 1);
		}
		cdn_buf_putc(out, kind == 4 ? ']' : '}');
	}
	gen_space(out);
}

/* ----- Texts with something wrong in them -------------------------------- */

static const cdn_str hostile[] = {
	{ "\0", 1 }, { "\\u0000", 6 }, { "\\ud800", 6 }, { "\\udc00", 6 },
	{ "\xc0\xaf", 2 }, { "\xed\xa0\x80", 3 }, { "\xff", 1 },
	{ "\xf4\x90\x80\x80", 4 }, { "\xef\xbb\xbf", 3 }, { "\"", 1 },
	{ "\\", 1 }, { "\\u12", 4 }, { "\\x", 2 }, { "[", 1 }, { "]", 1 },
	{ "{", 1 }, { "}", 1 }, { ",", 1 }, { ":", 1 }, { ",,", 2 },
	{ "\"a\":", 4 }, { ",\"a\":1", 6 }, { "nul", 3 }, { "NaN", 3 },
	{ "01", 2 }, { "1.", 2 }, { ".1", 2 }, { "1e", 2 }, { "-", 1 },
	{ "+1", 2 }, { "'", 1 }, { "//", 2 }, { "\x1f", 1 }, { "\v", 1 },
	{ "\xc2\xa0", 2 }, { "\xe2\x80\xa8", 3 }, { "\n", 1 }, { "\r\n", 2 },
};

/* Copies `from` with one change at a place chosen by chance. */
static void
mutate(cdn_str from, struct cdn_buf *out)
{
	size_t at = chance((uint32_t)from.n + 1);
	size_t cut = chance(4);
	cdn_str tail;

	cdn_buf_reset(out);
	cdn_buf_add(out, from.p, at);
	switch (chance(5)) {
	case 0: /* something hostile instead of a few bytes */
		cdn_buf_str(out, PICK(hostile));
		break;
	case 1: /* a few bytes less */
		break;
	case 2: /* any byte instead of another */
		cdn_buf_putc(out, (char)chance(256));
		cut = 1;
		break;
	case 3: /* something hostile in between */
		cdn_buf_str(out, PICK(hostile));
		cut = 0;
		break;
	default: /* cut off here */
		cut = from.n;
		break;
	}
	tail = cdn_str_from(from, at + cut);
	cdn_buf_str(out, tail);
}

/* ----- Comparing --------------------------------------------------------- */

static bool same_value(const struct cdn_json *json,
    const struct cdn_json_node *node, json_t *other, struct cdn_arena *arena);

static bool
same_string(const struct cdn_json *json, const struct cdn_json_node *node,
    json_t *other, struct cdn_arena *arena)
{
	cdn_str theirs = { json_string_value(other),
		json_string_length(other) };
	cdn_str ours;

	return json_is_string(other) &&
	    cdn_json_string(json, node, arena, &ours) &&
	    cdn_str_eq(ours, theirs) && cdn_json_is(json, node, theirs);
}

static bool
same_number(const struct cdn_json *json, const struct cdn_json_node *node,
    json_t *other)
{
	cdn_str raw = cdn_json_raw(json, node);
	char text[128];
	int64_t n;

	if (node->integer)
		return json_is_integer(other) && cdn_json_int(json, node, &n) &&
		    n == json_integer_value(other);
	snprintf(text, sizeof(text), "%.*s", CDN_STR_ARG(raw));
	return json_is_real(other) &&
	    !islessgreater(strtod(text, NULL), json_real_value(other));
}

static bool
same_array(const struct cdn_json *json, const struct cdn_json_node *node,
    json_t *other, struct cdn_arena *arena)
{
	const struct cdn_json_node *child = cdn_json_first(json, node);
	size_t i = 0;

	for (; child != NULL; child = cdn_json_next(json, child), i++)
		if (!same_value(json, child, json_array_get(other, i), arena))
			return false;
	return json_is_array(other) && i == json_array_size(other) &&
	    i == node->count;
}

static bool
same_object(const struct cdn_json *json, const struct cdn_json_node *node,
    json_t *other, struct cdn_arena *arena)
{
	const struct cdn_json_node *child = cdn_json_first(json, node);
	size_t n = 0;

	for (; child != NULL; child = cdn_json_next(json, child), n++) {
		cdn_str key;
		char *name;

		if (!cdn_json_key(json, child, arena, &key))
			return false;
		name = cdn_arena_dup(arena, key.p, key.n);
		if (name == NULL ||
		    cdn_json_find(json, node, name) != child ||
		    !same_value(json, child, json_object_get(other, name),
		    arena))
			return false;
	}
	return json_is_object(other) && n == json_object_size(other) &&
	    n == node->count;
}

static bool
same_value(const struct cdn_json *json, const struct cdn_json_node *node,
    json_t *other, struct cdn_arena *arena)
{
	bool yes;

	switch ((enum cdn_json_type)node->type) {
	case CDN_JSON_NULL:
		return json_is_null(other);
	case CDN_JSON_BOOL:
		return cdn_json_bool(json, node, &yes) &&
		    json_is_boolean(other) && yes == json_is_true(other);
	case CDN_JSON_NUMBER:
		return same_number(json, node, other);
	case CDN_JSON_STRING:
		return same_string(json, node, other, arena);
	case CDN_JSON_ARRAY:
		return same_array(json, node, other, arena);
	case CDN_JSON_OBJECT:
		return same_object(json, node, other, arena);
	case CDN_JSON_TYPE_MAX:
		break;
	}
	return false;
}

struct tally {
	unsigned accepted; /* by both */
	unsigned refused;  /* by both */
	unsigned numbers;  /* out of range: only we accept */
	unsigned nuls;	   /* lost: only jansson accepts */
};

/* Prints the first texts that differ; there should be none. */
static bool
differs(cdn_str text, const char *how, const char *why)
{
	printf("# %s (%s): %.*s\n", how, why, CDN_STR_ARG(text));
	return false;
}

static bool
agree(cdn_str text, struct tally *tally)
{
	struct cdn_json_options options = { .max_depth = 2048 };
	struct cdn_arena *arena = cdn_arena_new();
	struct cordon_error err = { .text = "" };
	struct cdn_json json;
	json_error_t error;
	json_t *other = json_loadb(text.p, text.n,
	    JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
	bool ours = cdn_json_parse(text, &options, arena, &json, &err) == 0;
	bool same = true;

	if (ours && other != NULL) {
		tally->accepted++;
		if (!same_value(&json, &json.nodes[0], other, arena))
			same = differs(text, "another value", "");
	} else if (!ours && other == NULL) {
		tally->refused++;
	} else if (ours &&
	    json_error_code(&error) == json_error_numeric_overflow) {
		tally->numbers++;
	} else if (!ours && memchr(text.p, '\0', text.n) != NULL) {
		tally->nuls++;
	} else {
		same = differs(text, ours ? "only we accept" :
		    "only jansson accepts", ours ? error.text : err.text);
	}
	json_decref(other);
	cdn_arena_free(arena);
	return same;
}

static void
test_corpus(void)
{
	struct tally valid = { 0 }, mutated = { 0 };
	struct cdn_buf text, changed;
	unsigned wrong = 0;

	cdn_buf_init(&text, TEXT_MAX);
	cdn_buf_init(&changed, TEXT_MAX);
	for (unsigned i = 0; i < ROUNDS; i++) {
		cdn_buf_reset(&text);
		gen_value(&text, 0);
		wrong += !agree((cdn_str){ text.p, text.n }, &valid);
		for (unsigned j = 0; j < 4; j++) {
			mutate((cdn_str){ text.p, text.n }, &changed);
			wrong += !agree((cdn_str){ changed.p, changed.n },
			    &mutated);
		}
	}
	ok_f(wrong == 0, "jansson agrees on all texts but %u", wrong);
	printf("# valid: %u accepted, %u refused, %u numbers out of range\n",
	    valid.accepted, valid.refused, valid.numbers);
	printf("# mutated: %u accepted, %u refused, %u numbers out of range, "
	    "%u lost NULs\n", mutated.accepted, mutated.refused,
	    mutated.numbers, mutated.nuls);
	ok(valid.accepted > ROUNDS / 2 && valid.numbers > 100 &&
	    valid.refused > 100, "valid texts, some with a key twice");
	ok(mutated.accepted > ROUNDS / 2 && mutated.refused > ROUNDS / 2,
	    "mutated texts of both kinds");
	cdn_buf_done(&text);
	cdn_buf_done(&changed);
}

/* Every text of up to four pieces out of a few telling ones. */
static void
test_all_short(void)
{
	static const cdn_str pieces[] = { { "[", 1 }, { "]", 1 }, { "{", 1 },
		{ "}", 1 }, { ",", 1 }, { ":", 1 }, { "\"a\"", 3 },
		{ "\"\\u0061\"", 8 }, { "1", 1 }, { "-", 1 }, { ".0", 2 },
		{ "e1", 2 }, { "null", 4 }, { " ", 1 }, { "\"", 1 },
		{ "\\", 1 }, { "\xc3", 1 }, { "\xa9", 1 } };
	unsigned n = CDN_LEN(pieces);
	struct tally tally = { 0 };
	struct cdn_buf text;
	unsigned wrong = 0;

	cdn_buf_init(&text, TEXT_MAX);
	for (unsigned i = 0; i < n * n * n * n; i++) {
		cdn_buf_reset(&text);
		for (unsigned rest = i; rest > 0; rest /= n)
			cdn_buf_str(&text, pieces[rest % n]);
		cdn_buf_add(&text, "", 0);
		wrong += !agree((cdn_str){ text.p, text.n }, &tally);
	}
	ok_f(wrong == 0 && tally.accepted > 100, "every short text: %u of %u "
	    "accepted, %u differ", tally.accepted, n * n * n * n, wrong);
	cdn_buf_done(&text);
}

/* Of arrays alone: jansson counts a scalar as one level more. */
static void
test_depth(void)
{
	static const unsigned depths[] = { 1, 31, 32, 33, 2047, 2048, 2049 };
	struct tally tally = { 0 };
	struct cdn_buf text;

	cdn_buf_init(&text, TEXT_MAX);
	for (size_t i = 0; i < CDN_LEN(depths); i++) {
		cdn_buf_reset(&text);
		for (unsigned j = 0; j < depths[i]; j++)
			cdn_buf_putc(&text, '[');
		for (unsigned j = 0; j < depths[i]; j++)
			cdn_buf_putc(&text, ']');
		ok_f(agree((cdn_str){ text.p, text.n }, &tally),
		    "%u levels", depths[i]);
	}
	ok(tally.accepted == 6 && tally.refused == 1, "2048 and no more");
	cdn_buf_done(&text);
}

/* ----- Writing ----------------------------------------------------------- */

/* What a string must become: each byte that is not UTF-8 replaced. */
static void
expect(cdn_str s, struct cdn_buf *out)
{
	cdn_buf_reset(out);
	cdn_buf_add(out, "", 0);
	while (s.n > 0) {
		size_t bad = cdn_utf8_bad(s);

		cdn_buf_add(out, s.p, bad);
		if (bad < s.n)
			cdn_buf_puts(out, "\xef\xbf\xbd");
		s = cdn_str_from(s, bad + (bad < s.n));
	}
}

static bool
writes(cdn_str s, struct cdn_buf *out, struct cdn_buf *want)
{
	struct cdn_json_writer w;
	json_t *list, *back;
	bool same;

	cdn_buf_reset(out);
	cdn_json_begin(&w, out);
	cdn_json_open(&w, '[');
	cdn_json_put_string(&w, s);
	cdn_json_put_int(&w, (int64_t)s.n);
	cdn_json_close(&w);
	if (!cdn_json_end(&w))
		return false;
	expect(s, want);
	list = json_loadb(out->p, out->n, JSON_ALLOW_NUL, NULL);
	back = json_array_get(list, 0);
	same = json_is_string(back) && cdn_str_eq((cdn_str){ want->p, want->n },
	    (cdn_str){ json_string_value(back), json_string_length(back) }) &&
	    json_integer_value(json_array_get(list, 1)) == (json_int_t)s.n &&
	    w.replaced == (cdn_utf8_bad(s) < s.n);
	json_decref(list);
	return same;
}

static void
test_writing(void)
{
	struct cdn_buf text, out, want;
	unsigned wrong = 0, bad = 0;

	cdn_buf_init(&text, TEXT_MAX);
	cdn_buf_init(&out, TEXT_MAX);
	cdn_buf_init(&want, TEXT_MAX);
	for (unsigned i = 0; i < ROUNDS; i++) {
		cdn_str s;

		cdn_buf_reset(&text);
		cdn_buf_add(&text, "", 0);
		for (uint32_t n = chance(12); n > 0; n--)
			if (chance(2) == 0)
				cdn_buf_putc(&text, (char)chance(128));
			else if (chance(2) == 0)
				cdn_buf_puts(&text, "\xe2\x82\xac");
			else
				cdn_buf_putc(&text, (char)chance(256));
		s = (cdn_str){ text.p, text.n };
		bad += cdn_utf8_bad(s) < s.n;
		wrong += !writes(s, &out, &want);
	}
	ok_f(wrong == 0 && bad > ROUNDS / 4 && bad < ROUNDS, "jansson reads "
	    "what we write, %u strings with bad bytes: %u differ", bad, wrong);
	cdn_buf_done(&text);
	cdn_buf_done(&out);
	cdn_buf_done(&want);
}

int
main(void)
{
	test_corpus();
	test_all_short();
	test_depth();
	test_writing();
	return done_testing();
}
