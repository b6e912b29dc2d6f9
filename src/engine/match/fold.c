#include "engine/match/fold.h"

static const cdn_str kelvin_sign = { "\xe2\x84\xaa", 3 };
static const cdn_str long_s = { "\xc5\xbf", 2 };

size_t
cdn_fold(cdn_str s, char *out)
{
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++) {
		cdn_str rest = cdn_str_from(s, i);
		char c = s.p[i];

		if (c >= 'A' && c <= 'Z') {
			c = (char)(c - 'A' + 'a');
		} else if (cdn_str_starts(rest, kelvin_sign)) {
			c = 'k';
			i += kelvin_sign.n - 1;
		} else if (cdn_str_starts(rest, long_s)) {
			c = 's';
			i += long_s.n - 1;
		}
		out[n++] = c;
	}
	return n;
}

bool
cdn_fold_str(struct cdn_arena *arena, cdn_str *s)
{
	char *copy = cdn_arena_alloc(arena, s->n + 1);

	if (copy == NULL)
		return false;
	*s = (cdn_str){ copy, cdn_fold(*s, copy) };
	return true;
}
