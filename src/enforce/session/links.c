#include "enforce/session/links.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"

/* `at` is real, `rest` still to go. */
struct walk {
	char at[CDN_PATH_MAX + 1];
	char rest[2 * CDN_PATH_MAX + 2];
	unsigned links;
	cdn_link_fn *fn;
	void *arg;
};

/* The text of a symlink comes before what is left; false: no further. */
static bool
follow(struct walk *w, const char *path, const char *rest)
{
	char text[CDN_PATH_MAX + 1];
	char joined[sizeof(w->rest)];
	ssize_t n = readlink(path, text, sizeof(text) - 1);
	int length;

	if (n <= 0) {
		memmove(w->rest, rest, strlen(rest) + 1);
		snprintf(w->at, sizeof(w->at), "%s", path);
		return true;
	}
	text[n] = '\0';
	w->fn(path, rest, w->arg);
	length = snprintf(joined, sizeof(joined), "%s/%s", text, rest);
	if (++w->links > CDN_LINKS_MAX || length < 0 ||
	    (size_t)length >= sizeof(joined))
		return false;
	memcpy(w->rest, joined, (size_t)length + 1);
	if (text[0] == '/')
		w->at[0] = '\0';
	return true;
}

static bool
step(struct walk *w)
{
	size_t start = strspn(w->rest, "/");
	cdn_str name = { w->rest + start, strcspn(w->rest + start, "/") };
	const char *rest = name.p + name.n + strspn(name.p + name.n, "/");
	char path[CDN_PATH_MAX + 1];
	int n;

	if (name.n == 0)
		return false;
	if (cdn_str_is(name, ".") || cdn_str_is(name, "..")) {
		char *slash = strrchr(w->at, '/');

		if (name.n == 2 && slash != NULL)
			*slash = '\0';
		memmove(w->rest, rest, strlen(rest) + 1);
		return true;
	}
	n = snprintf(path, sizeof(path), "%s/%.*s", w->at, CDN_STR_ARG(name));
	return n > 0 && (size_t)n < sizeof(path) && follow(w, path, rest);
}

void
cdn_links_walk(const char *from, cdn_str name, cdn_link_fn *fn, void *arg)
{
	struct walk w = { .fn = fn, .arg = arg };
	bool absolute = name.n > 0 && name.p[0] == '/';

	if (name.n > CDN_PATH_MAX)
		return;
	if (!absolute && strcmp(from, "/") != 0)
		snprintf(w.at, sizeof(w.at), "%s", from);
	memcpy(w.rest, name.p, name.n);
	w.rest[name.n] = '\0';
	while (step(&w))
		;
}
