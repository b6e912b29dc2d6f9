/*
 * From a pattern to paths at its boundary: what it matches in the fewest words,
 * with one directory where it leaves room for some, and names beside those.
 */
#include "enforce/verify/probe.h"

#include "base/str.h"

/* Text that stops growing where it no longer fits. */
struct text {
	char p[CDN_PATH_MAX + 1];
	size_t n;
	bool full;
};

static void
put(struct text *t, const char *p, size_t n)
{
	if (t->full || n > CDN_PATH_MAX - t->n) {
		t->full = true;
		return;
	}
	memcpy(t->p + t->n, p, n);
	t->n += n;
	t->p[t->n] = '\0';
}

static void
put_segment(struct text *t, cdn_str segment, const char *tag)
{
	for (size_t i = 0; i < segment.n; i++) {
		char c = segment.p[i];

		if (c == '*') {
			put(t, tag, strlen(tag));
			while (i + 1 < segment.n && segment.p[i + 1] == '*')
				i++;
		} else {
			put(t, c == '?' ? "x" : &c, 1);
		}
	}
}

/* `**` becomes `dir`; nothing at all when that is "". */
static void
fill(struct text *t, cdn_str pattern, const char *tag, const char *dir)
{
	cdn_str rest = pattern, segment;
	bool first = true;

	t->n = 0;
	t->full = false;
	t->p[0] = '\0';
	while (cdn_str_next(&rest, '/', &segment)) {
		bool any = cdn_str_is(segment, "**");

		if (any && dir[0] == '\0')
			continue;
		if (!first || (segment.n == 0 && pattern.n > 0))
			put(t, "/", 1);
		first = segment.n == 0;
		if (any)
			put(t, dir, strlen(dir));
		else
			put_segment(t, segment, tag);
	}
}

static bool
is_dots(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static const char *
last_name(const struct text *t)
{
	const char *slash = strrchr(t->p, '/');

	return slash == NULL ? t->p : slash + 1;
}

static void
give(const struct text *t, cdn_example_fn *example, void *arg)
{
	if (!t->full && t->n > 0 && !is_dots(last_name(t)))
		example(t->p, arg);
}

/* The same with more behind its last name, or without its first byte. */
static void
give_neighbours(struct text *t, cdn_example_fn *example, void *arg)
{
	size_t at = (size_t)(last_name(t) - t->p);
	size_t n = t->n;

	put(t, "x", 1);
	give(t, example, arg);
	if (t->full || n - at < 2)
		return;
	memmove(t->p + at, t->p + at + 1, n - at - 1);
	t->n = n - 1;
	t->p[t->n] = '\0';
	give(t, example, arg);
}

void
cdn_examples(cdn_str pattern, const char *tag, const char *dir,
    cdn_example_fn *example, void *arg)
{
	const char *const choices[] = { "", tag, dir };
	CDN_UNINITIALIZED struct text t;

	if (cdn_str_is(pattern, ".")) /* the workspace itself */
		return;
	for (size_t i = 0; i < CDN_LEN(choices); i++) {
		if (i > 0 && choices[i][0] == '\0')
			continue;
		fill(&t, pattern, tag, choices[i]);
		give(&t, example, arg);
		if (t.n > 0)
			give_neighbours(&t, example, arg);
	}
}
