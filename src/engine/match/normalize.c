#include "engine/match/normalize.h"

#define SHOWN 200 /* bytes of a text that an error repeats */

/* The two kinds of text differ in their words, not in their grammar. */
struct kind {
	const char *noun;
	size_t max;
	const char *empty; /* the error for no text at all */
	const char *root;  /* how the root is spelled */
};

static const struct kind path_kind = {
	"path", CDN_PATH_MAX, "path must not be empty", "",
};
static const struct kind rule_kind = {
	"rule", CDN_RULE_MAX, "contains an empty path rule", ".",
};

static cdn_str
shown(cdn_str text)
{
	if (text.n > SHOWN)
		text.n = SHOWN;
	return text;
}

static int
check_size(const struct kind *kind, cdn_str text, size_t room,
    struct cordon_error *err)
{
	if (text.n > kind->max)
		return cdn_err(err, CORDON_E_INVALID,
		    "%s of %zu bytes is too long, at most %zu are possible",
		    kind->noun, text.n, kind->max);
	if (text.n > 0 && memchr(text.p, '\0', text.n) != NULL)
		return cdn_err(err, CORDON_E_INVALID,
		    "%s '%.*s' contains a NUL byte", kind->noun,
		    CDN_STR_ARG(shown(text)));
	if (room <= text.n)
		cdn_bug("the buffer for a normalised text is too small");
	return 0;
}

/* Copies with backslashes turned into slashes. */
static cdn_str
flip(cdn_str text, char *out)
{
	for (size_t i = 0; i < text.n; i++)
		out[i] = text.p[i] == '\\' ? '/' : text.p[i];
	return (cdn_str){ out, text.n };
}

/* Absolute, at somebody's home, or with a way up in it. */
static bool
leaves(cdn_str text)
{
	cdn_str segment;

	if (cdn_str_starts(text, CDN_STR("/")) || cdn_str_is(text, "~") ||
	    cdn_str_starts(text, CDN_STR("~/")))
		return true;
	while (cdn_str_next(&text, '/', &segment))
		if (cdn_str_is(segment, ".."))
			return true;
	return false;
}

/* Moves the segments that say something to the front of out. */
static size_t
squeeze(cdn_str text, char *out)
{
	cdn_str segment;
	size_t n = 0;

	while (cdn_str_next(&text, '/', &segment)) {
		if (segment.n == 0 || cdn_str_is(segment, "."))
			continue;
		if (n > 0)
			out[n++] = '/';
		memmove(out + n, segment.p, segment.n);
		n += segment.n;
	}
	return n;
}

/* As most are written: nothing to turn, leave out or refuse. */
static bool
is_normal(cdn_str text)
{
	size_t start = 0;

	if (text.p[0] == '~')
		return false;
	for (size_t i = 0; i <= text.n; i++) {
		if (i < text.n && text.p[i] == '\\')
			return false;
		if (i < text.n && text.p[i] != '/')
			continue;
		/* "..x" is a name, and takes the longer way */
		if (i == start || (text.p[start] == '.' && (i == start + 1 ||
		    text.p[start + 1] == '.')))
			return false;
		start = i + 1;
	}
	return true;
}

static int
normalize(const struct kind *kind, cdn_str given, bool trim, char *out,
    size_t size, size_t *ret_len, struct cordon_error *err)
{
	cdn_str text = trim ? cdn_str_trim(given) : given;
	size_t n;
	int r;

	r = check_size(kind, given, size, err);
	if (r < 0)
		return r;
	if (text.n == 0)
		return cdn_err(err, CORDON_E_INVALID, "%s", kind->empty);
	if (is_normal(text)) {
		memmove(out, text.p, text.n);
		out[text.n] = '\0';
		*ret_len = text.n;
		return 0;
	}
	text = flip(text, out);
	while (cdn_str_starts(text, CDN_STR("./")))
		text = cdn_str_from(text, 2);
	if (leaves(text))
		return cdn_err(err, CORDON_E_INVALID,
		    "%s '%.*s' must stay inside the workspace root", kind->noun,
		    CDN_STR_ARG(shown(given)));
	n = squeeze(text, out);
	if (n == 0) {
		n = strlen(kind->root);
		memcpy(out, kind->root, n);
	}
	out[n] = '\0';
	*ret_len = n;
	return 0;
}

int
cdn_path_normalize(cdn_str in, char *out, size_t size, size_t *ret_len,
    struct cordon_error *err)
{
	return normalize(&path_kind, in, true, out, size, ret_len, err);
}

int
cdn_rule_normalize(cdn_str body, bool authored_negated, char *out, size_t size,
    size_t *ret_len, struct cordon_error *err)
{
	return normalize(&rule_kind, body, !authored_negated, out, size,
	    ret_len, err);
}
