#include "engine/rpc/value.h"

#include <strings.h>

#define SHOWN 64 /* bytes of what is too long */

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
 * No system call takes it, but a server may shorten it before.  What has blanks
 * in it and is only guessed to be a path is text.
 */
static void
add_long(struct cdn_rpc_value *v, cdn_str s, enum cdn_rpc_door door)
{
	if (door == CDN_RPC_KNOWN ||
	    (looks_like_path(s) && memchr(s.p, ' ', s.n) == NULL))
		add(v, CDN_RPC_FOREIGN, (cdn_str){ s.p, SHOWN },
		    "is longer than a path");
}

bool
cdn_rpc_value_read(cdn_str text, enum cdn_rpc_door door,
    struct cdn_arena *arena, struct cdn_rpc_value *ret)
{
	cdn_str s = cdn_str_trim(text), plain;

	ret->count = 0;
	ret->word = false;
	if (s.n == 0)
		return true;
	if (s.n > CDN_PATH_MAX) {
		add_long(ret, s, door);
		return true;
	}
	if (!strip(s, arena, &plain))
		return false;
	if (door == CDN_RPC_GUESS && !is_file_url(plain)) {
		if (!looks_like_path(s))
			return true;
		ret->word = is_one_part(s);
		if (ret->word && s.p[0] == '\\')
			return true;
	}
	if (text.n > s.n && text.n <= CDN_PATH_MAX)
		add_path(ret, text);
	if (plain.n < s.n && !add_text(ret, plain, arena))
		return false;
	return add_text(ret, s, arena);
}
