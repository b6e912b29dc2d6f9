#include "engine/rpc/key_case.h"

/* clang-format off */
/* Other characters that fold, or are mapped, to an ASCII letter. */
static const struct {
	cdn_str bytes;
	char letter;
} folds[] = {
	{ { "\xc5\xbf", 2 },	 's' },	/* U+017F LATIN SMALL LETTER LONG S */
	{ { "\xe2\x84\xaa", 3 }, 'k' },	/* U+212A KELVIN SIGN */
	{ { "\xc4\xb0", 2 },	 'i' },	/* U+0130 I WITH DOT ABOVE */
	{ { "\xc4\xb1", 2 },	 'i' },	/* U+0131 DOTLESS I */
};
/* clang-format on */

/* Takes one character off *s; other bytes stand for themselves. */
static char
next_folded(cdn_str *s)
{
	char c = s->p[0];
	size_t n = 1;

	for (size_t i = 0; (c & 0x80) != 0 && i < CDN_LEN(folds); i++)
		if (cdn_str_starts(*s, folds[i].bytes)) {
			c = folds[i].letter;
			n = folds[i].bytes.n;
		}
	*s = cdn_str_from(*s, n);
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool
cdn_rpc_same_folded(cdn_str a, cdn_str b)
{
	while (a.n > 0 && b.n > 0)
		if (next_folded(&a) != next_folded(&b))
			return false;
	return a.n == 0 && b.n == 0;
}

static const char *
odd_word(cdn_str key, const char *const *words)
{
	for (; *words != NULL; words++)
		if (!cdn_str_is(key, *words) &&
		    cdn_rpc_same_folded(key, cdn_str_of(*words)))
			return *words;
	return NULL;
}

bool
cdn_rpc_find_odd_key(const struct cdn_json *json,
    const struct cdn_json_node *object, const char *const *words,
    struct cdn_arena *arena, cdn_str *ret_key, const char **ret_word)
{
	const struct cdn_json_node *node = object->type == CDN_JSON_OBJECT ?
	    cdn_json_first(json, object) : NULL;

	*ret_word = NULL;
	for (; node != NULL && *ret_word == NULL;
	     node = cdn_json_next(json, node)) {
		if (!cdn_json_key(json, node, arena, ret_key))
			return false;
		*ret_word = odd_word(*ret_key, words);
	}
	return true;
}
