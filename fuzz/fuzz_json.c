/*
 * base/json against a second reader, written as the grammar reads: one byte at
 * a time, recursive, keys decoded and compared each with each.  Both must
 * accept the same texts.  What was accepted must hold together: ranges nest,
 * every value is a text of its own, every string survives being written.
 */
#include "base/json.h"

#include <assert.h>

#define INPUT_MAX 4096UL /* the second reader is quadratic */

/* ----- The second reader ------------------------------------------------- */

struct second {
	const unsigned char *p;
	const unsigned char *end;
	unsigned depth;
	unsigned values;
};

static bool second_value(struct second *s);

static int
peek(const struct second *s)
{
	return s->p < s->end ? *s->p : -1;
}

static bool
take(struct second *s, int c)
{
	if (peek(s) != c)
		return false;
	s->p++;
	return true;
}

static void
blanks(struct second *s)
{
	while (take(s, ' ') || take(s, '\t') || take(s, '\n') || take(s, '\r'))
		continue;
}

static bool
digits(struct second *s)
{
	bool any = false;

	for (; peek(s) >= '0' && peek(s) <= '9'; s->p++)
		any = true;
	return any;
}

static bool
second_number(struct second *s)
{
	take(s, '-');
	if (!take(s, '0') && !digits(s))
		return false;
	if (take(s, '.') && !digits(s))
		return false;
	if (take(s, 'e') || take(s, 'E')) {
		if (!take(s, '+'))
			take(s, '-');
		return digits(s);
	}
	return true;
}

/* Four hex digits, or -1. */
static long
second_hex(struct second *s)
{
	static const char hex[] = "0123456789abcdefABCDEF";
	long n = 0;

	for (int i = 0; i < 4; i++, s->p++) {
		const char *at = peek(s) <= 0 ? NULL : strchr(hex, peek(s));

		if (at == NULL)
			return -1;
		n = n * 16 + (at - hex) - (at - hex > 15 ? 6 : 0);
	}
	return n;
}

/* Behind a backslash: the code point, or -1. */
static long
second_escape(struct second *s)
{
	static const char pairs[] = "\"\"\\\\//b\bf\fn\nr\rt\t";
	long high, low;

	if (!take(s, 'u')) {
		for (size_t i = 0; i + 1 < sizeof(pairs); i += 2)
			if (take(s, pairs[i]))
				return pairs[i + 1];
		return -1;
	}
	high = second_hex(s);
	if (high < 0xd800 || high > 0xdfff)
		return high == 0 ? -1 : high;
	if (high > 0xdbff || !take(s, '\\') || !take(s, 'u'))
		return -1;
	low = second_hex(s);
	if (low < 0xdc00 || low > 0xdfff)
		return -1;
	return 0x10000 + (high - 0xd800) * 0x400 + (low - 0xdc00);
}

/* A character as it stands, by arithmetic; the code point, or -1. */
static long
second_character(struct second *s)
{
	static const long least[] = { 1, 0x80, 0x800, 0x10000 };
	long c = *s->p++;
	int more = c < 0x80 ? 0 : c < 0xc0 ? -1 : c < 0xe0 ? 1 :
	    c < 0xf0 ? 2 : c < 0xf8 ? 3 : -1;

	if (more < 0 || c < 0x20)
		return -1;
	if (more > 0)
		c &= 0x3f >> more;
	for (int i = 0; i < more; i++) {
		if (peek(s) < 0x80 || peek(s) > 0xbf)
			return -1;
		c = c * 64 + (*s->p++ & 0x3f);
	}
	if (c < least[more] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return -1;
	return c;
}

/* Code points into out, at most one per byte of the input. */
static bool
second_string(struct second *s, int32_t *out, size_t *n)
{
	*n = 0;
	if (!take(s, '"'))
		return false;
	while (!take(s, '"')) {
		long c = -1;

		if (take(s, '\\'))
			c = second_escape(s);
		else if (s->p < s->end)
			c = second_character(s);
		if (c < 0)
			return false;
		out[(*n)++] = (int32_t)c;
	}
	return true;
}

/* The keys of one object so far, by where they stand. */
struct seen {
	const unsigned char *key; /* on its quote */
	struct seen *before;
};

static bool
seen_before(const struct second *s, const struct seen *list, const int32_t *key,
    size_t n)
{
	static int32_t other[INPUT_MAX];

	for (; list != NULL; list = list->before) {
		struct second again = { .p = list->key, .end = s->end };
		size_t m = 0;
		bool good = second_string(&again, other, &m);

		assert(good);
		if (n == m && memcmp(key, other, n * sizeof(*key)) == 0)
			return true;
	}
	return false;
}

/* Recursion over the members keeps the list of keys on the stack. */
static bool
second_members(struct second *s, struct seen *before)
{
	static int32_t key[INPUT_MAX];
	struct seen here = { .before = before };
	size_t n;

	blanks(s);
	here.key = s->p;
	if (!second_string(s, key, &n) || seen_before(s, before, key, n))
		return false;
	blanks(s);
	if (!take(s, ':') || !second_value(s))
		return false;
	return take(s, ',') ? second_members(s, &here) : take(s, '}');
}

static bool
second_container(struct second *s)
{
	bool object = take(s, '{');

	if (!object)
		take(s, '[');
	blanks(s);
	if (take(s, object ? '}' : ']'))
		return true;
	if (object)
		return second_members(s, NULL);
	do {
		if (!second_value(s))
			return false;
	} while (take(s, ','));
	return take(s, ']');
}

static bool
second_word(struct second *s, const char *word)
{
	for (; *word != '\0'; word++)
		if (!take(s, *word))
			return false;
	return true;
}

/* With the blanks on both sides. */
static bool
second_value(struct second *s)
{
	static int32_t text[INPUT_MAX];
	bool good;
	size_t n;

	blanks(s);
	s->values++;
	switch (peek(s)) {
	case '{':
	case '[':
		good = s->depth++ < CDN_DEPTH_MAX && second_container(s);
		s->depth--;
		break;
	case '"':
		good = second_string(s, text, &n);
		break;
	case 't':
		good = second_word(s, "true");
		break;
	case 'f':
		good = second_word(s, "false");
		break;
	case 'n':
		good = second_word(s, "null");
		break;
	default:
		good = second_number(s);
	}
	blanks(s);
	return good;
}

/* ----- What was accepted holds together ---------------------------------- */

static void
check_string(const struct cdn_json *json, const struct cdn_json_node *node,
    struct cdn_arena *arena, struct cdn_buf *buf)
{
	struct cdn_json_writer w;
	struct cdn_json back;
	cdn_str text;
	bool good = cdn_json_string(json, node, arena, &text);

	assert(good && cdn_json_is(json, node, text));
	assert(cdn_utf8_bad(text) == text.n);
	cdn_buf_reset(buf);
	cdn_json_begin(&w, buf);
	cdn_json_put_string(&w, text);
	good = cdn_json_end(&w);
	assert(good && !w.replaced);
	good = cdn_json_parse((cdn_str){ buf->p, buf->n }, NULL, arena, &back,
	    NULL) == 0;
	assert(good && cdn_json_is(&back, &back.nodes[0], text));
}

static void
check_children(const struct cdn_json *json, const struct cdn_json_node *node)
{
	const struct cdn_json_node *child = cdn_json_first(json, node);
	uint32_t at = node->start;
	uint32_t count = 0;

	for (; child != NULL; child = cdn_json_next(json, child), count++) {
		bool member = node->type == CDN_JSON_OBJECT;

		assert(member == (child->key_end > 0));
		assert(!member || (child->key_start > at &&
		    child->key_end < child->start));
		assert(child->start > at && child->end > child->start);
		at = child->end;
	}
	assert(count == node->count && at < node->end);
}

static void
check_node(const struct cdn_json *json, const struct cdn_json_node *node,
    struct cdn_arena *arena, struct cdn_buf *buf)
{
	struct cdn_json alone;
	int r = cdn_json_parse(cdn_json_raw(json, node), NULL, arena, &alone,
	    NULL);

	assert(r == 0 && alone.nodes[0].type == node->type);
	assert(alone.nodes[0].count == node->count);
	if (node->type == CDN_JSON_STRING)
		check_string(json, node, arena, buf);
	if (node->count > 0)
		check_children(json, node);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct second second = { .p = data, .end = data + size };
	struct cordon_error err = { .text = "" };
	struct cdn_arena *arena;
	struct cdn_json json;
	struct cdn_buf buf;
	bool good;
	int r;

	if (size == 0 || size > INPUT_MAX)
		return 0;
	arena = cdn_arena_new();
	cdn_buf_init(&buf, 6 * INPUT_MAX + 2);
	r = cdn_json_parse((cdn_str){ (const char *)data, size }, NULL, arena,
	    &json, &err);
	good = second_value(&second) && second.p == second.end;
	assert(good == (r == 0));
	assert(r == 0 || strncmp(err.text, "invalid JSON at byte ", 21) == 0);
	for (uint32_t i = 0; r == 0 && i < json.count; i++)
		check_node(&json, &json.nodes[i], arena, &buf);
	assert(r != 0 || json.count == second.values);
	cdn_buf_done(&buf);
	cdn_arena_free(arena);
	return 0;
}
