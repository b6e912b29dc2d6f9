/*
 * Normalisation against a second reader that never makes a copy with the
 * slashes turned: it goes through the names and takes either slash for one.
 * What comes out must be canonical and its own spelling.
 */
#include "engine/match/normalize.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum kind { PATH, RULE, NEGATED, KINDS };

static int
normalize(enum kind kind, cdn_str in, char *out, size_t size, size_t *ret_n,
    struct cordon_error *err)
{
	if (kind == PATH)
		return cdn_path_normalize(in, out, size, ret_n, err);
	return cdn_rule_normalize(in, kind == NEGATED, out, size, ret_n, err);
}

/* ----- The second reader ------------------------------------------------- */

static bool
is_slash(char c)
{
	return c == '/' || c == '\\';
}

static bool
is_blank(char c)
{
	return c != '\0' && strchr(" \t\n\v\f\r", c) != NULL;
}

/* One name after the other; false when one of them leads out. */
static bool
second_names(const char *p, const char *end, char *out, size_t *ret_n)
{
	*ret_n = 0;
	while (p < end) {
		const char *name = p;
		size_t n;

		while (p < end && !is_slash(*p))
			p++;
		n = (size_t)(p - name);
		if (p < end)
			p++;
		if (n == 2 && name[0] == '.' && name[1] == '.')
			return false;
		if (n == 0 || (n == 1 && name[0] == '.'))
			continue;
		if (*ret_n > 0)
			out[(*ret_n)++] = '/';
		memcpy(out + *ret_n, name, n);
		*ret_n += n;
	}
	return true;
}

static bool
second(enum kind kind, cdn_str in, char *out, size_t *ret_n)
{
	const char *p = in.p, *end = in.p + in.n;
	size_t max = kind == PATH ? CDN_PATH_MAX : CDN_RULE_MAX;

	if (in.n > max || (in.n > 0 && memchr(in.p, '\0', in.n) != NULL))
		return false;
	while (kind != NEGATED && p < end && is_blank(*p))
		p++;
	while (kind != NEGATED && p < end && is_blank(end[-1]))
		end--;
	if (p == end)
		return false;
	while (end - p >= 2 && p[0] == '.' && is_slash(p[1]))
		p += 2;
	if (p < end && (is_slash(*p) ||
	    (*p == '~' && (end - p == 1 || is_slash(p[1])))))
		return false;
	if (!second_names(p, end, out, ret_n))
		return false;
	if (*ret_n == 0 && kind != PATH)
		out[(*ret_n)++] = '.';
	return true;
}

/* ----- Checks ------------------------------------------------------------ */

static void
check(enum kind kind, cdn_str in)
{
	static char want[CDN_PATH_MAX + 2], got[CDN_PATH_MAX + 1];
	static char again[CDN_PATH_MAX + 1];
	struct cordon_error err = { 0 };
	size_t want_n = 0, got_n = 0, again_n = 0;
	bool good = second(kind, in, want, &want_n);
	int r = normalize(kind, in, got, sizeof(got), &got_n, &err);

	assert(good == (r == 0));
	if (!good) {
		assert(r == CORDON_E_INVALID && err.code == r);
		assert(err.text[0] != '\0');
		return;
	}
	assert(got_n == want_n && memcmp(got, want, got_n) == 0);
	assert(got[got_n] == '\0' && got_n <= in.n);
	if (kind == PATH && got_n == 0)
		return; /* the root's own spelling, "", is no input */
	r = cdn_rule_normalize((cdn_str){ got, got_n }, true, again,
	    sizeof(again), &again_n, NULL);
	assert(r == 0 && again_n == got_n && memcmp(again, got, got_n) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cdn_str in = { size == 0 ? "" : (const char *)data, size };

	for (enum kind kind = PATH; kind < KINDS; kind++)
		check(kind, in);
	return 0;
}
