#include "engine/rpc/value.h"

#include <strings.h>

#define SHOWN	  64  /* bytes of what is too long */
#define BEGINNING 1024 /* of it, which tells what it is */

/* Names that lead nowhere, whatever a policy says. */
static const char *const pseudo[] = { "/dev/null", "/dev/zero", "/dev/full",
	"/dev/random", "/dev/urandom", "/dev/stdin", "/dev/stdout",
	"/dev/stderr", "/dev/tty" };

static bool
is_pseudo(cdn_str text)
{
	for (size_t i = 0; i < CDN_LEN(pseudo); i++)
		if (cdn_str_is(text, pseudo[i]))
			return true;
	return false;
}

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* "C:\x" and "C:/x" */
static bool
has_drive(cdn_str s)
{
	return s.n >= 3 && is_letter(s.p[0]) && s.p[1] == ':' &&
	    (s.p[2] == '\\' || s.p[2] == '/');
}

static bool
is_file_url(cdn_str s)
{
	return s.n >= 5 && strncasecmp(s.p, "file:", 5) == 0;
}

/* ----- Both ends ------------------------------------------------------------ */

/* clang-format off */
static const struct {
	uint32_t first;
	uint32_t last;
} blanks[] = { /* sorted */
	{ 0x0001, 0x0020 },	/* C0 controls and the space */
	{ 0x007f, 0x00a0 },	/* C1 controls, U+0085, NO-BREAK SPACE */
	{ 0x00ad, 0x00ad },	/* SOFT HYPHEN */
	{ 0x034f, 0x034f },	/* COMBINING GRAPHEME JOINER */
	{ 0x061c, 0x061c },	/* ARABIC LETTER MARK */
	{ 0x115f, 0x1160 },	/* Hangul fillers */
	{ 0x1680, 0x1680 },	/* OGHAM SPACE MARK */
	{ 0x17b4, 0x17b5 },	/* Khmer inherent vowels */
	{ 0x180b, 0x180f },	/* Mongolian selectors and separator */
	{ 0x2000, 0x200f },	/* spaces, zero width, direction marks */
	{ 0x2028, 0x202f },	/* separators, embeddings, narrow space */
	{ 0x205f, 0x206f },	/* mathematical space, joiners, isolates */
	{ 0x2800, 0x2800 },	/* BRAILLE PATTERN BLANK */
	{ 0x3000, 0x3000 },	/* IDEOGRAPHIC SPACE */
	{ 0x3164, 0x3164 },	/* HANGUL FILLER */
	{ 0xfe00, 0xfe0f },	/* variation selectors */
	{ 0xfeff, 0xfeff },	/* byte order mark */
	{ 0xffa0, 0xffa0 },	/* HALFWIDTH HANGUL FILLER */
	{ 0xfff0, 0xfffb },	/* specials */
	{ 0xe0000, 0xe0fff },	/* tags, more variation selectors */
};
/* clang-format on */

static bool
is_blank(uint32_t c)
{
	if (c < 0x7f)
		return c >= 1 && c <= ' ';
	for (size_t i = 0; i < CDN_LEN(blanks) && blanks[i].first <= c; i++)
		if (c <= blanks[i].last)
			return true;
	return false;
}

static bool
is_quote(uint32_t c)
{
	return c == '"' || c == '\'' || c == '`';
}

/* The character of these bytes; an invalid one is none of those above. */
static uint32_t
code_point(const char *p, size_t n)
{
	uint32_t c = (unsigned char)p[0];

	if (n == 1)
		return c < 0x80 ? c : UINT32_MAX;
	c &= 0xffU >> (n + 1);
	for (size_t i = 1; i < n; i++)
		c = c << 6 | ((unsigned char)p[i] & 0x3fU);
	return c;
}

static cdn_str
trim_left(cdn_str s, bool quotes)
{
	while (s.n > 0) {
		size_t n = cdn_utf8_len(s.p, s.p + s.n);
		uint32_t c = code_point(s.p, n);

		if (!is_blank(c) && !(quotes && is_quote(c)))
			break;
		s = cdn_str_from(s, n);
	}
	return s;
}

static cdn_str
trim_right(cdn_str s, bool quotes)
{
	while (s.n > 0) {
		size_t n = 1;
		uint32_t c;

		while (n < 4 && n < s.n && (s.p[s.n - n] & 0xc0) == 0x80)
			n++;
		if (cdn_utf8_len(s.p + s.n - n, s.p + s.n) != n)
			break;
		c = code_point(s.p + s.n - n, n);
		if (!is_blank(c) && !(quotes && is_quote(c)))
			break;
		s.n -= n;
	}
	return s;
}

cdn_str
cdn_rpc_value_trim(cdn_str text)
{
	return trim_right(trim_left(text, false), false);
}

/* Some servers remove quotes around a path, or one of them. */
static cdn_str
trim_quotes(cdn_str text)
{
	return trim_right(trim_left(text, true), true);
}

#define MARKS 6 /* bytes that tell a drive letter or "file:" */

/* ----- Does it look like one? ---------------------------------------------- */

static bool
begins_like_text(cdn_str s)
{
	if (s.n < 2 || (s.p[0] != '/' && s.p[0] != '~'))
		return false;
	return s.p[1] == ' ' || (s.p[0] == '/' &&
	    (s.p[1] == '/' || s.p[1] == '*'));
}

static bool
looks_like_path(cdn_str s)
{
	if (memchr(s.p, '\n', s.n) != NULL || begins_like_text(s))
		return false;
	return s.p[0] == '/' || s.p[0] == '\\' || s.p[0] == '~' ||
	    has_drive(s) || is_file_url(s);
}

/* "/help", "\d+": a mark and one word. */
static bool
is_one_part(cdn_str s)
{
	cdn_str rest = cdn_str_from(s, 1);

	return rest.n > 0 && (s.p[0] == '/' || s.p[0] == '\\') &&
	    memchr(rest.p, '/', rest.n) == NULL &&
	    memchr(rest.p, '\\', rest.n) == NULL;
}

/* ----- What it may mean ----------------------------------------------------- */

static void
add(struct cdn_rpc_value *v, enum cdn_rpc_form_kind kind, cdn_str text,
    const char *why)
{
	if (v->count == CDN_RPC_FORMS_MAX) {
		v->count--;
		kind = CDN_RPC_FOREIGN;
		why = "can be read in too many ways";
	}
	v->forms[v->count++] = (struct cdn_rpc_form){ kind, text, why };
}

static void
add_path(struct cdn_rpc_value *v, cdn_str s)
{
	if (s.n > 0 && memchr(s.p, '\0', s.n) != NULL)
		add(v, CDN_RPC_FOREIGN, s, "holds a NUL byte");
	else if (has_drive(s) || (s.n > 0 && s.p[0] == '\\'))
		add(v, CDN_RPC_FOREIGN, s, "is a Windows path");
	else if (s.n > 0 && s.p[0] == '~' && (s.n == 1 || s.p[1] == '/'))
		add(v, CDN_RPC_HOME, cdn_str_from(s, 1), NULL);
	else if (s.n > 0 && s.p[0] == '~')
		add(v, CDN_RPC_FOREIGN, s, "is in another user's home");
	else if (s.n > 0 && !is_pseudo(s))
		add(v, CDN_RPC_PATH, s, NULL);
}

/* The same with every '\' a '/': for a server that thinks so. */
static bool
add_both(struct cdn_rpc_value *v, cdn_str s, struct cdn_arena *arena)
{
	char *turned;

	add_path(v, s);
	if (v->count == 0 || s.n == 0 || memchr(s.p, '\\', s.n) == NULL ||
	    v->forms[v->count - 1].kind == CDN_RPC_FOREIGN)
		return true;
	turned = cdn_arena_dup(arena, s.p, s.n);
	if (turned == NULL)
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (turned[i] == '\\')
			turned[i] = '/';
	add_path(v, (cdn_str){ turned, s.n });
	return true;
}

/* Every %XX as its byte, once; *changed when there was one. */
static bool
decode(cdn_str s, struct cdn_arena *arena, cdn_str *ret, bool *changed)
{
	char *out;
	size_t n = 0;

	*changed = false;
	if (s.n == 0 || memchr(s.p, '%', s.n) == NULL)
		return true;
	out = cdn_arena_alloc(arena, s.n);
	if (out == NULL)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		bool is_code = s.p[i] == '%' && i + 2 < s.n &&
		    cdn_hex_value(s.p[i + 1]) >= 0 && cdn_hex_value(s.p[i + 2]) >= 0;

		out[n++] = is_code ?
		    (char)(cdn_hex_value(s.p[i + 1]) * 16 + cdn_hex_value(s.p[i + 2])) : s.p[i];
		i += is_code ? 2 : 0;
		*changed |= is_code;
	}
	*ret = (cdn_str){ out, n };
	return true;
}

/* As it stands, and as often decoded as there is something to decode. */
static bool
add_decoded(struct cdn_rpc_value *v, cdn_str s, struct cdn_arena *arena)
{
	bool changed = true;

	for (int i = 0; changed; i++) {
		if (i > CDN_RPC_DECODE_MAX) {
			add(v, CDN_RPC_FOREIGN, s, "is encoded many times over");
			return true;
		}
		if (!add_both(v, s, arena) || !decode(s, arena, &s, &changed))
			return false;
	}
	return true;
}

/* Behind "file:": an authority, a path, perhaps a query. */
static bool
add_url(struct cdn_rpc_value *v, cdn_str s, struct cdn_arena *arena)
{
	cdn_str host = { "", 0 };
	size_t end = 0;

	if (cdn_str_starts(s, CDN_STR("//"))) {
		s = cdn_str_from(s, 2);
		while (end < s.n && s.p[end] != '/' && s.p[end] != '\\')
			end++;
		host = (cdn_str){ s.p, end };
		s = cdn_str_from(s, end);
	}
	if (host.n > 0 && !(host.n == 9 &&
	    strncasecmp(host.p, "localhost", 9) == 0)) {
		add(v, CDN_RPC_FOREIGN, host, "is on another machine");
		return true;
	}
	for (end = 0; end < s.n && s.p[end] != '?' && s.p[end] != '#';)
		end++;
	if (end < s.n && !add_decoded(v, (cdn_str){ s.p, end }, arena))
		return false;
	return add_decoded(v, s, arena);
}

/* As a URL is read: tabs and ends of lines in it are not there. */
static bool
strip(cdn_str s, struct cdn_arena *arena, cdn_str *ret)
{
	char *out = cdn_arena_alloc(arena, s.n);
	size_t n = 0;

	if (out == NULL)
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != '\t' && s.p[i] != '\n' && s.p[i] != '\r')
			out[n++] = s.p[i];
	*ret = (cdn_str){ out, n };
	return true;
}

static bool
add_text(struct cdn_rpc_value *v, cdn_str s, struct cdn_arena *arena)
{
	return is_file_url(s) ? add_url(v, cdn_str_from(s, 5), arena) :
				add_decoded(v, s, arena);
}

/*
 * What is hidden behind %XX, decoded until it can be told: a URL of a file, and
 * where it is guessed a path.  *ret is {NULL, 0} when there is none.
 */
static bool
uncover(cdn_str s, enum cdn_rpc_door door, struct cdn_arena *arena,
    cdn_str *ret)
{
	bool changed = true;
	cdn_str plain;

	*ret = (cdn_str){ NULL, 0 };
	for (int i = 0; i <= CDN_RPC_DECODE_MAX; i++) {
		if (!decode(s, arena, &s, &changed))
			return false;
		s = trim_quotes(cdn_rpc_value_trim(s));
		if (!changed || s.n == 0)
			return true;
		if (!strip(s, arena, &plain))
			return false;
		if (is_file_url(plain) ||
		    (door == CDN_RPC_GUESS && looks_like_path(s))) {
			*ret = is_file_url(plain) ? plain : s;
			return true;
		}
	}
	return true;
}

/*
 * No system call takes it, but a server may shorten it before.  What has blanks
 * in it and is only guessed to be a path is text.
 */
static bool
add_long(struct cdn_rpc_value *v, cdn_str s, enum cdn_rpc_door door,
    struct cdn_arena *arena)
{
	bool is_path = door == CDN_RPC_KNOWN;
	cdn_str found;

	if (!is_path && memchr(s.p, ' ', s.n) == NULL) {
		is_path = looks_like_path(s);
		if (!uncover((cdn_str){ s.p, BEGINNING }, door, arena, &found))
			return false;
		is_path |= found.p != NULL;
	}
	if (is_path)
		add(v, CDN_RPC_FOREIGN, (cdn_str){ s.p, SHOWN },
		    "is longer than a path");
	return true;
}

/* What is guessed: *ret_s is what it is taken for, {NULL, 0}: for text. */
static bool
guess(cdn_str s, struct cdn_arena *arena, cdn_str *ret_s, bool *ret_word)
{
	if (!looks_like_path(s) && !uncover(s, CDN_RPC_GUESS, arena, &s))
		return false;
	*ret_word = s.n > 0 && is_one_part(s);
	*ret_s = *ret_word && s.p[0] == '\\' ? (cdn_str){ NULL, 0 } : s;
	return true;
}

/*
 * Told by the first bytes: nothing that looks_like_path() or is_file_url() would
 * say yes to.  Most strings end here.
 */
static bool
is_plainly_text(cdn_str s)
{
	return strchr("/\\~fF", s.p[0]) == NULL && !has_drive(s) &&
	    memchr(s.p, '%', s.n < MARKS ? s.n : MARKS) == NULL;
}

bool
cdn_rpc_value_read(cdn_str text, enum cdn_rpc_door door,
    struct cdn_arena *arena, struct cdn_rpc_value *ret)
{
	cdn_str quoted = cdn_rpc_value_trim(text);
	cdn_str s = trim_quotes(quoted), plain, found = { NULL, 0 };

	ret->count = 0;
	ret->word = false;
	if (s.n == 0 || (door == CDN_RPC_GUESS && is_plainly_text(s)))
		return true;
	if (s.n > CDN_PATH_MAX)
		return add_long(ret, s, door, arena);
	if (!strip(s, arena, &plain))
		return false;
	if (door == CDN_RPC_GUESS && !is_file_url(plain)) {
		if (!guess(s, arena, &found, &ret->word))
			return false;
		if (found.p == NULL || found.p != s.p)
			return found.p == NULL || add_text(ret, found, arena);
	} else if (!is_file_url(plain) &&
	    !uncover(s, CDN_RPC_KNOWN, arena, &found)) {
		return false;
	}
	if (door == CDN_RPC_KNOWN && found.p != NULL &&
	    !add_text(ret, found, arena))
		return false;
	if (text.n > s.n && text.n <= CDN_PATH_MAX)
		add_path(ret, text);
	if (quoted.n > s.n && quoted.n < text.n && quoted.n <= CDN_PATH_MAX)
		add_path(ret, quoted);
	if (plain.n < s.n && !add_text(ret, plain, arena))
		return false;
	return add_text(ret, s, arena);
}

/* The blank that begins here, escaped or not: its bytes, or 0. */
static size_t
raw_blank(cdn_str raw)
{
	size_t n = cdn_utf8_len(raw.p, raw.p + raw.n);
	uint32_t c = 0;

	if (raw.p[0] != '\\')
		return is_blank(code_point(raw.p, n)) ? n : 0;
	if (raw.n >= 2 && strchr("bfnrt", raw.p[1]) != NULL)
		return 2;
	if (raw.n < 6 || raw.p[1] != 'u')
		return 0;
	for (size_t i = 2; i < 6; i++)
		c = c << 4 | (uint32_t)cdn_hex_value(raw.p[i]);
	return is_blank(c) ? 6 : 0;
}

bool
cdn_rpc_value_may_matter(cdn_str raw)
{
	size_t n;

	while (raw.n > 0 && (n = raw_blank(raw)) > 0)
		raw = cdn_str_from(raw, n);
	if (raw.n == 0 || begins_like_text(raw))
		return false;
	if (strchr("/~[{('`\"%", raw.p[0]) != NULL || has_drive(raw) ||
	    is_file_url(raw))
		return true;
	/* An escape among the first: it must be decoded to be known. */
	n = raw.n < MARKS ? raw.n : MARKS;
	return memchr(raw.p, '\\', n) != NULL || memchr(raw.p, '%', n) != NULL;
}
