#include "engine/rpc/literal.h"

#define UTF8_MAX 3 /* bytes of what \uXXXX stands for */

bool
cdn_rpc_literal_begins(cdn_str text)
{
	static const char begins[] = { '[', '{', '(', '"', '\'' };

	return text.n >= 2 &&
	    memchr(begins, text.p[0], sizeof(begins)) != NULL;
}

/* Bytes up to the next quote that is not escaped. */
static size_t
part_length(cdn_str s, char quote)
{
	size_t i = 0;

	while (i < s.n && s.p[i] != quote)
		i += s.p[i] == '\\' && i + 1 < s.n ? 2 : 1;
	return i < s.n ? i : s.n;
}

/* Writes the character of a code; half a surrogate pair as if it were one. */
static size_t
put_utf8(uint32_t c, char out[UTF8_MAX])
{
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xc0U | c >> 6);
		out[1] = (char)(0x80U | (c & 0x3fU));
		return 2;
	}
	out[0] = (char)(0xe0U | c >> 12);
	out[1] = (char)(0x80U | (c >> 6 & 0x3fU));
	out[2] = (char)(0x80U | (c & 0x3fU));
	return 3;
}

/* The digits of \uXXXX and \xXX: their number, or 0 when they are not there. */
static size_t
read_code(cdn_str s, uint32_t *ret)
{
	size_t digits = s.p[1] == 'u' ? 4 : 2;

	*ret = 0;
	if (s.n < 2 + digits)
		return 0;
	for (size_t i = 2; i < 2 + digits; i++) {
		if (cdn_hex_value(s.p[i]) < 0)
			return 0;
		*ret = *ret << 4 | (uint32_t)cdn_hex_value(s.p[i]);
	}
	return digits;
}

/* s begins with a backslash and something; bytes that were read. */
static size_t
decode_escape(cdn_str s, char *out, size_t *n)
{
	static const char letters[] = "bfnrt", means[] = "\b\f\n\r\t";
	const char *at = strchr(letters, s.p[1]);
	uint32_t code;
	size_t digits;

	if (s.p[1] == 'u' || s.p[1] == 'x') {
		digits = read_code(s, &code);
		if (digits > 0) {
			*n += put_utf8(code, out + *n);
			return 2 + digits;
		}
	}
	out[(*n)++] = at != NULL && s.p[1] != '\0' ? means[at - letters] :
						     s.p[1];
	return 2;
}

/* False when memory ran out.  What is decoded is never longer. */
static bool
decode(cdn_str raw, struct cdn_arena *arena, cdn_str *ret)
{
	size_t n = 0;
	char *out;

	*ret = raw;
	if (raw.n == 0 || memchr(raw.p, '\\', raw.n) == NULL)
		return true;
	out = cdn_arena_alloc(arena, raw.n);
	if (out == NULL)
		return false;
	for (size_t i = 0; i < raw.n;) {
		cdn_str s = cdn_str_from(raw, i);

		if (s.p[0] == '\\' && s.n >= 2) {
			i += decode_escape(s, out, &n);
		} else {
			out[n++] = s.p[0];
			i++;
		}
	}
	*ret = (cdn_str){ out, n };
	return true;
}

enum cdn_rpc_literal
cdn_rpc_literal_next(struct cdn_rpc_literals *l, struct cdn_arena *arena,
    cdn_str *ret)
{
	size_t n;
	cdn_str raw;

	if (l->rest.p == NULL)
		return CDN_RPC_LITERAL_END;
	n = part_length(l->rest, l->quote);
	raw = (cdn_str){ l->rest.p, n };
	l->rest = n < l->rest.n ? cdn_str_from(l->rest, n + 1) :
				  (cdn_str){ NULL, 0 };
	return decode(raw, arena, ret) ? CDN_RPC_LITERAL_PART :
					 CDN_RPC_LITERAL_NOMEM;
}
