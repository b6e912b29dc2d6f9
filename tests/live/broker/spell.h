/*
 * spell - one place in the workspace, named in every way there is.
 *
 * The links a way needs are made in links/, by whoever spells: what he makes
 * there he may make, and what is behind it is the same place.
 */
#ifndef CDN_TESTS_SPELL_H
#define CDN_TESTS_SPELL_H

#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char top[PATH_MAX]; /* of the workspace */
static int top_fd;

struct spot {
	int dirfd; /* what path is relative to */
	int also;  /* held until it is over */
	char path[PATH_MAX];
};

struct spelling {
	const char *name;
	void (*spell)(const char *target, struct spot *ret);
	bool last_is_link; /* what does not follow links means the link */
	bool must_exist;
};

static const char *
directory_of(const char *target)
{
	static char copy[PATH_MAX];

	snprintf(copy, sizeof(copy), "%s", target);
	return dirname(copy);
}

static const char *
name_of(const char *target)
{
	const char *slash = strrchr(target, '/');

	return slash == NULL ? target : slash + 1;
}

__attribute__((format(printf, 2, 3))) static void
say(struct spot *spot, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(spot->path, sizeof(spot->path), fmt, ap);
	va_end(ap);
	if (n < 0 || n >= (int)sizeof(spot->path))
		abort();
}

static void
as_relative(const char *target, struct spot *ret)
{
	say(ret, "%s", target);
}

static void
as_absolute(const char *target, struct spot *ret)
{
	say(ret, "%s/%s", top, target);
}

static void
as_dotdot(const char *target, struct spot *ret)
{
	say(ret, "links/../sub/.././%s", target);
}

static void
as_above_root(const char *target, struct spot *ret)
{
	say(ret, "/../..//.%s/./%s", top, target);
}

/* Every slash doubled, with a dot between. */
static void
as_slashes(const char *target, struct spot *ret)
{
	char out[PATH_MAX], *to = out;

	for (; *target != '\0' && to < out + sizeof(out) - 8; target++) {
		if (*target == '/')
			to = stpcpy(to, "//.");
		*to++ = *target;
	}
	*to = '\0';
	say(ret, ".//%s", out);
}

static void
as_chdir(const char *target, struct spot *ret)
{
	if (chdir(directory_of(target)) != 0)
		perror(target);
	say(ret, "%s", name_of(target));
}

static void
as_fchdir(const char *target, struct spot *ret)
{
	ret->also = open(directory_of(target), O_PATH | O_DIRECTORY);
	if (fchdir(ret->also) != 0)
		perror(target);
	say(ret, "./%s", name_of(target));
}

static void
as_descriptor(const char *target, struct spot *ret)
{
	ret->dirfd = ret->also = open(directory_of(target), O_PATH);
	say(ret, "%s", name_of(target));
}

static void
as_top_descriptor(const char *target, struct spot *ret)
{
	ret->dirfd = ret->also = open(top, O_RDONLY | O_DIRECTORY);
	say(ret, "sub/../%s", target);
}

static void
as_self_root(const char *target, struct spot *ret)
{
	say(ret, "/proc/self/root%s/%s", top, target);
}

static void
as_thread_root(const char *target, struct spot *ret)
{
	say(ret, "/proc/thread-self/root%s/%s", top, target);
}

static void
as_own_root(const char *target, struct spot *ret)
{
	say(ret, "/proc/%d/task/%d/root%s/%s", (int)getpid(), (int)gettid(),
	    top, target);
}

static void
as_cwd(const char *target, struct spot *ret)
{
	say(ret, "/proc/self/cwd/%s", target);
}

static void
as_directory_fd(const char *target, struct spot *ret)
{
	ret->also = open(directory_of(target), O_PATH);
	say(ret, "/proc/self/fd/%d/%s", ret->also, name_of(target));
}

static void
as_dev_fd(const char *target, struct spot *ret)
{
	ret->also = open(directory_of(target), O_PATH);
	say(ret, "/dev/fd/%d/%s", ret->also, name_of(target));
}

static void
as_fd(const char *target, struct spot *ret)
{
	ret->also = open(target, O_PATH);
	say(ret, "/proc/self/fd/%d", ret->also);
}

static void
as_link(const char *target, struct spot *ret)
{
	char text[PATH_MAX];

	snprintf(text, sizeof(text), "../%s", target);
	unlink("links/l");
	if (symlink(text, "links/l") != 0)
		perror("links/l");
	say(ret, "links/l");
}

static void
as_absolute_link(const char *target, struct spot *ret)
{
	char text[2 * PATH_MAX];

	snprintf(text, sizeof(text), "%s/%s", top, target);
	unlink("links/a");
	if (symlink(text, "links/a") != 0)
		perror("links/a");
	say(ret, "links/a");
}

static void
as_directory_link(const char *target, struct spot *ret)
{
	char text[PATH_MAX];

	snprintf(text, sizeof(text), "../%s", directory_of(target));
	unlink("links/d");
	if (symlink(text, "links/d") != 0)
		perror("links/d");
	say(ret, "links/d/%s", name_of(target));
}

/* links/39 -> 38 -> ... -> 1 -> the place: as many as a kernel follows. */
static void
as_chain(const char *target, struct spot *ret)
{
	char text[PATH_MAX], name[32];

	snprintf(text, sizeof(text), "../%s", target);
	for (int i = 1; i < 40; i++) {
		snprintf(name, sizeof(name), "links/%d", i);
		unlink(name);
		if (symlink(text, name) != 0)
			perror(name);
		snprintf(text, sizeof(text), "%d", i);
	}
	say(ret, "%s", name);
}

/* A link that leads through /proc to the place. */
static void
as_proc_link(const char *target, struct spot *ret)
{
	char text[PATH_MAX];

	snprintf(text, sizeof(text), "/proc/self/cwd/%s", target);
	unlink("links/p");
	if (symlink(text, "links/p") != 0)
		perror("links/p");
	say(ret, "links/p");
}

static const struct spelling spellings[] = {
	{ "relative", as_relative, false, false },
	{ "absolute", as_absolute, false, false },
	{ "dotdot", as_dotdot, false, false },
	{ "above-root", as_above_root, false, false },
	{ "slashes", as_slashes, false, false },
	{ "chdir", as_chdir, false, false },
	{ "fchdir", as_fchdir, false, false },
	{ "descriptor", as_descriptor, false, false },
	{ "top-descriptor", as_top_descriptor, false, false },
	{ "/proc/self/root", as_self_root, false, false },
	{ "/proc/thread-self/root", as_thread_root, false, false },
	{ "/proc/PID/task/TID/root", as_own_root, false, false },
	{ "/proc/self/cwd", as_cwd, false, false },
	{ "/proc/self/fd/N/name", as_directory_fd, false, false },
	{ "/dev/fd/N/name", as_dev_fd, false, false },
	{ "/proc/self/fd/N", as_fd, true, true },
	{ "link", as_link, true, false },
	{ "absolute-link", as_absolute_link, true, false },
	{ "directory-link", as_directory_link, false, false },
	{ "39-links", as_chain, true, false },
	{ "proc-link", as_proc_link, true, false },
};

static void
spell(const struct spelling *spelling, const char *target, struct spot *ret)
{
	ret->dirfd = AT_FDCWD;
	ret->also = -1;
	spelling->spell(target, ret);
}

static void
spell_done(struct spot *spot)
{
	if (spot->also >= 0)
		close(spot->also);
	if (fchdir(top_fd) != 0)
		abort();
}

static void
spell_begin(void)
{
	if (getcwd(top, sizeof(top)) == NULL)
		abort();
	top_fd = open(".", O_PATH | O_DIRECTORY);
}

#endif
