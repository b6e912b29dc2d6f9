/*
 * The files that a patch in the form of apply_patch names:
 *
 *	*** Begin Patch
 *	*** Update File: src/a.c
 *	*** Move to: src/b.c
 *	@@
 *	-old
 *	+new
 *	*** End Patch
 *
 * A line of a file's content begins with a sign, so none can be taken for a
 * header, nor a header be hidden.  White space before a header is passed over:
 * who applies the patch may do so, too.
 */
#include "engine/dialect/dialect.h"

static const char *const headers[] = { "*** Add File:", "*** Update File:",
	"*** Delete File:", "*** Move to:" };
/* Those that name no file. */
static const char *const others[] = { "*** Begin Patch", "*** End Patch",
	"*** End of File", "*** Environment ID:" };

static bool
is_other(cdn_str line)
{
	for (size_t i = 0; i < CDN_LEN(others); i++)
		if (cdn_str_starts(line, cdn_str_of(others[i])))
			return true;
	return false;
}

static bool
find_header(cdn_str raw, struct cdn_patch_file *ret)
{
	cdn_str line = cdn_name_trim(raw), path;

	for (size_t i = 0; i < CDN_LEN(headers); i++) {
		cdn_str header = cdn_str_of(headers[i]);

		if (!cdn_str_starts(line, header))
			continue;
		/* All of it: whoever judges the name looks at its end. */
		path.p = line.p + header.n;
		path.n = (size_t)(raw.p + raw.n - path.p);
		*ret = (struct cdn_patch_file){ .path = cdn_str_trim(path) };
		return true;
	}
	if (!cdn_str_starts(raw, CDN_STR("*** ")) || is_other(raw))
		return false;
	*ret = (struct cdn_patch_file){ .path = line, .unknown = true };
	return true;
}

/* From *at; it moves behind the newline. */
static cdn_str
take_line(cdn_str text, size_t *at)
{
	const char *begin = text.p + *at;
	const char *end = memchr(begin, '\n', text.n - *at);
	size_t n = end == NULL ? text.n - *at : (size_t)(end - begin);

	*at += n + (end != NULL);
	return (cdn_str){ begin, n };
}

bool
cdn_patch_next(cdn_str text, size_t *at, struct cdn_patch_file *ret)
{
	while (*at < text.n)
		if (find_header(take_line(text, at), ret))
			return true;
	return false;
}

bool
cdn_patch_is(cdn_str text)
{
	static const cdn_str begin = { "*** Begin Patch", 15 };

	for (size_t i = 0; i + begin.n <= text.n; i++)
		if (memcmp(text.p + i, begin.p, begin.n) == 0)
			return true;
	return false;
}
