#include "base/json_text.h"

/* ----- Scanning ---------------------------------------------------------- */

#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/*
 * Eight bytes at once: the high bit of each byte that is a control character,
 * a quote, a backslash or not ASCII.  A borrow can mark a byte wrongly, but
 * only above one that is marked rightly, so the lowest mark is exact.
 */
static inline uint64_t
marks(const char *p)
{
	uint64_t w, quote, backslash;

	memcpy(&w, p, sizeof(w));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	w = __builtin_bswap64(w);
#endif
	quote = w ^ EACH('"');
	backslash = w ^ EACH('\\');
	return (w | (w - EACH(0x20)) | (quote - EACH(1)) |
	    (backslash - EACH(1))) & EACH(0x80);
}

static inline bool
is_plain(char c)
{
	unsigned char u = (unsigned char)c;

	return u >= 0x20 && u < 0x80 && u != '"' && u != '\\';
}

/* The first byte from p on that is not plain text, or end. */
static inline const char *
skip_plain(const char *p, const char *end)
{
	while (end - p >= 16) {
		uint64_t low = marks(p);
		uint64_t high = marks(p + 8);

		if (low != 0)
			return p + __builtin_ctzll(low) / 8;
		if (high != 0)
			return p + 8 + __builtin_ctzll(high) / 8;
		p += 16;
	}
	while (p < end && is_plain(*p))
		p++;
	return p;
}

/* The code unit of the "\uXXXX" at p, or -1. */
static int32_t
code_unit(const char *p, const char *end)
{
	int32_t unit = 0;

	if (end - p < 6 || p[0] != '\\' || p[1] != 'u')
		return -1;
	for (int i = 2; i < 6; i++) {
		int digit = cdn_hex_value(p[i]);

		if (digit < 0)
			return -1;
		unit = unit << 4 | digit;
	}
	return unit;
}

/* The scan_ functions move *p on and return NULL, or say what is wrong. */
static const char *
scan_unicode(const char **p, const char *end)
{
	int32_t unit = code_unit(*p, end);

	if (unit < 0)
		return "'\\u' needs four hex digits";
	if (unit == 0)
		return "NUL in a string";
	if (unit >= 0xd800 && unit <= 0xdfff) {
		int32_t low = code_unit(*p + 6, end);

		if (unit > 0xdbff || low < 0xdc00 || low > 0xdfff)
			return "half a surrogate pair";
		*p += 6;
	}
	*p += 6;
	return NULL;
}

/* What the letter behind a backslash stands for; 0 = nothing. */
static char
meaning_of(char letter)
{
	switch (letter) {
	case '"':
	case '\\':
	case '/':
		return letter;
	case 'b':
		return '\b';
	case 'f':
		return '\f';
	case 'n':
		return '\n';
	case 'r':
		return '\r';
	case 't':
		return '\t';
	default:
		return '\0';
	}
}

static const char *
scan_escape(const char **p, const char *end)
{
	if (end - *p < 2)
		return "it ends inside a string";
	if ((*p)[1] == 'u')
		return scan_unicode(p, end);
	if (meaning_of((*p)[1]) == '\0')
		return "unknown escape (write a backslash as '\\\\')";
	*p += 2;
	return NULL;
}

/* Characters beyond ASCII come in runs. */
static const char *
scan_beyond_ascii(const char **p, const char *end)
{
	while (*p < end && (unsigned char)**p >= 0x80) {
		size_t len = cdn_utf8_len(*p, end);

		if (len == 1)
			return "bad UTF-8 in a string";
		*p += len;
	}
	return NULL;
}

/* Whatever stopped skip_plain(), except the quote. */
static const char *
scan_special(const char **p, const char *end)
{
	if (*p == end)
		return "it ends inside a string";
	if (**p == '\\')
		return scan_escape(p, end);
	if ((unsigned char)**p >= 0x80)
		return scan_beyond_ascii(p, end);
	if (**p == '\0')
		return "NUL in a string";
	return "a control character in a string (write it as '\\u00XX')";
}

bool
cdn_json_text_scan(const char **p, const char *end, bool *ret_escaped,
    struct cdn_json_fault *fault)
{
	const char *q = skip_plain(*p + 1, end);
	bool escaped = false;

	while (q == end || *q != '"') {
		const char *what;

		escaped |= q < end && *q == '\\';
		what = scan_special(&q, end);
		if (what != NULL) {
			*fault = (struct cdn_json_fault){ q, what };
			return false;
		}
		q = skip_plain(q, end);
	}
	*p = q + 1;
	*ret_escaped = escaped;
	return true;
}

/* ----- Meaning ----------------------------------------------------------- */

static struct cdn_json_text
inside(cdn_str text, uint32_t start, uint32_t end, bool escaped)
{
	return (struct cdn_json_text){
		.raw = { text.p + start + 1, (size_t)end - start - 2 },
		.escaped = escaped,
	};
}

struct cdn_json_text
cdn_json_text_value(cdn_str text, const struct cdn_json_node *node)
{
	return inside(text, node->start, node->end, node->escaped);
}

struct cdn_json_text
cdn_json_text_key(cdn_str text, const struct cdn_json_node *node)
{
	return inside(text, node->key_start, node->key_end,
	    node->key_escaped);
}

static size_t
encode_utf8(uint32_t c, char out[4])
{
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xc0 | c >> 6);
		out[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		out[0] = (char)(0xe0 | c >> 12);
		out[1] = (char)(0x80 | (c >> 6 & 0x3f));
		out[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | c >> 18);
	out[1] = (char)(0x80 | (c >> 12 & 0x3f));
	out[2] = (char)(0x80 | (c >> 6 & 0x3f));
	out[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

/* *p stands on a backslash and moves behind the escape. */
static size_t
decode_escape(const char **p, char out[4])
{
	uint32_t unit, low;

	if ((*p)[1] != 'u') {
		out[0] = meaning_of((*p)[1]);
		*p += 2;
		return 1;
	}
	unit = (uint32_t)code_unit(*p, *p + 6);
	*p += 6;
	if (unit >= 0xd800 && unit <= 0xdbff) {
		low = (uint32_t)code_unit(*p, *p + 6);
		unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
		*p += 6;
	}
	return encode_utf8(unit, out);
}

/* Reads a text byte by byte, as it is meant. */
struct reader {
	const char *p;
	const char *end;
	bool escaped;  /* else a backslash is a backslash */
	char bytes[4]; /* of the escape just decoded */
	size_t at;     /* how many of them were given out */
	size_t have;
};

/* The next byte, or -1 at the end. */
static int
next_byte(struct reader *r)
{
	if (r->at < r->have)
		return (unsigned char)r->bytes[r->at++];
	if (r->p == r->end)
		return -1;
	if (*r->p != '\\' || !r->escaped)
		return (unsigned char)*r->p++;
	r->have = decode_escape(&r->p, r->bytes);
	r->at = 1;
	return (unsigned char)r->bytes[0];
}

static struct reader
read_text(struct cdn_json_text text)
{
	return (struct reader){
		.p = text.raw.p,
		.end = text.raw.p + text.raw.n,
		.escaped = text.escaped,
	};
}

int
cdn_json_text_cmp(struct cdn_json_text a, struct cdn_json_text b)
{
	struct reader left, right;
	int x, y;

	if (!a.escaped && !b.escaped)
		return cdn_str_cmp(a.raw, b.raw);
	left = read_text(a);
	right = read_text(b);
	do {
		x = next_byte(&left);
		y = next_byte(&right);
	} while (x == y && x >= 0);
	return (x > y) - (x < y);
}

bool
cdn_json_text_same(struct cdn_json_text a, struct cdn_json_text b)
{
	if (!a.escaped && !b.escaped)
		return cdn_str_eq(a.raw, b.raw);
	return cdn_json_text_cmp(a, b) == 0;
}

uint32_t
cdn_json_text_hash(struct cdn_json_text text)
{
	struct reader r = read_text(text);
	uint32_t hash = 2166136261U; /* FNV-1a */

	for (int c = next_byte(&r); c >= 0; c = next_byte(&r))
		hash = (hash ^ (uint32_t)c) * 16777619U;
	return hash;
}

size_t
cdn_json_text_decode(struct cdn_json_text text, char *out)
{
	const char *p = text.raw.p;
	const char *end = p + text.raw.n;
	size_t n = 0;

	while (p < end) {
		const char *stop = memchr(p, '\\', (size_t)(end - p));
		size_t run = (size_t)((stop == NULL ? end : stop) - p);
		char bytes[4];
		size_t len;

		memcpy(out + n, p, run);
		n += run;
		p += run;
		if (p == end)
			break;
		len = decode_escape(&p, bytes);
		memcpy(out + n, bytes, len);
		n += len;
	}
	return n;
}
