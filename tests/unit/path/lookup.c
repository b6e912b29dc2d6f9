/*
 * A lookup that remembers gives the answers of one that does not: over trees
 * of directories, files and links by chance, names asked in any order, some
 * of directories that were named before.
 */
#include "enforce/path/lookup.h"

#include "support/engine.h"
#include "support/tmpdir.h"

static const char *const names[] = { "a", "b", "c", "d" };

/* Up to `most` names; sometimes "..", ".", a doubled slash. */
static void
chance_path(char *out, size_t size, unsigned most)
{
	unsigned n = 1 + chance(most);
	size_t at = 0;

	for (unsigned i = 0; i < n && at < size; i++) {
		const char *name = names[chance(CDN_LEN(names))];

		if (chance(8) == 0)
			name = chance(3) == 0 ? "." : "..";
		at += (size_t)snprintf(out + at, size - at, "%s%s",
		    i == 0 ? "" : chance(12) == 0 ? "//" : "/", name);
	}
	need(at < size, "path");
}

/* Would it be made in the directory of the test?  Links may lead out of it. */
static bool
is_inside(const char *name)
{
	char dir[PATH_MAX * 2], real[PATH_MAX];

	snprintf(dir, sizeof(dir), "%s", tmp_path(name));
	*strrchr(dir, '/') = '\0';
	return realpath(dir, real) != NULL &&
	    strncmp(real, tmp_root, strlen(tmp_root)) == 0;
}

/* Whatever cannot be made is not there: that is a case, too. */
static void
make_one(void)
{
	char name[256], target[256], whole[PATH_MAX * 2];
	int made = 0;

	chance_path(name, sizeof(name), 4);
	chance_path(target, sizeof(target), 4);
	if (!is_inside(name))
		return;
	switch (chance(5)) {
	case 0:
	case 1:
		made = mkdir(tmp_path(name), 0755);
		break;
	case 2:
		close(open(tmp_path(name), O_WRONLY | O_CREAT | O_EXCL |
		    O_NOFOLLOW | O_CLOEXEC, 0644));
		break;
	case 3:
		made = symlink(target, tmp_path(name));
		break;
	default:
		snprintf(whole, sizeof(whole), "%s", tmp_path(target));
		made = symlink(whole, tmp_path(name));
	}
	(void)made;
}

static bool
same(const char *path, int code, const struct cdn_found *found,
    const struct cordon_error *err)
{
	struct cordon_error why = { 0 };
	struct cdn_real real;
	int want = cdn_path_resolve("/", cdn_str_of(path), &real, &why);

	if (code != want || (code != 0 && err->sys_errno != why.sys_errno)) {
		printf("# %s: %d, wanted %d (%s)\n", path, code, want,
		    why.text);
		return false;
	}
	if (code != 0)
		return true;
	if (strcmp(found->path, real.path) == 0 && found->len == real.len &&
	    found->existing == real.existing && found->exists == real.exists &&
	    (!real.exists || (found->is_directory == real.is_directory &&
	    (real.is_directory || found->nlink == real.nlink))))
		return true;
	printf("# %s: '%s' %zu %d, wanted '%s' %zu %d\n", path, found->path,
	    found->existing, found->exists, real.path, real.existing,
	    real.exists);
	return false;
}

/* What was found is known still, as the resolver would tell it. */
static bool
recalled(struct cdn_lookup *lookup, const char *path)
{
	struct cdn_real real, known;

	if (!cdn_lookup_recall(lookup, path, &known))
		return true;
	return cdn_path_resolve("/", cdn_str_of(path), &real, NULL) == 0 &&
	    real.exists && strcmp(real.path, known.path) == 0 &&
	    known.len == real.len && known.existing == real.existing &&
	    known.exists && known.is_directory == real.is_directory &&
	    (real.is_directory || (known.dev == real.dev &&
	    known.ino == real.ino && known.nlink == real.nlink));
}

static unsigned long
compare(unsigned questions)
{
	struct cdn_arena *arena = cdn_arena_new();
	struct cdn_lookup *lookup = cdn_lookup_new(arena);
	unsigned long wrong = 0;

	need(lookup != NULL, "lookup");
	for (unsigned i = 0; i < questions; i++) {
		struct cordon_error err = { 0 };
		struct cdn_found found = { 0 };
		char path[256], whole[PATH_MAX * 2];

		chance_path(path, sizeof(path), 6);
		snprintf(whole, sizeof(whole), "%s%s", tmp_path(path),
		    chance(10) == 0 ? "/" : "");
		if (chance(20) == 0)
			need(cdn_lookup_expect(lookup, chance(2) == 0 ?
				tmp_root : whole), "expect");
		wrong += !same(whole, cdn_lookup_find(lookup, whole, &found,
		    &err), &found, &err) || !recalled(lookup, whole);
	}
	cdn_arena_free(arena);
	return wrong;
}

static void
test_chance(void)
{
	unsigned long wrong = 0, n = tries(60);

	for (unsigned long i = 0; i < n; i++) {
		tmp_begin();
		for (unsigned k = 0; k < 24; k++)
			make_one();
		wrong += compare(80);
		tmp_end();
	}
	ok_f(wrong == 0, "%lu trees: %lu answers differ", n, wrong);
}

/* clang-format off */
static const char *const fixed[] = {
	"/", "//", "/.", "/..", "/../..", "/nothing/at/all", "/proc",
	"/proc/self", "/proc/self/cwd", "/proc/self/exe", "/proc/mounts",
	"/dev/null", "/dev/null/x", "/etc/passwd/x/y", "/bin", "/lib/x",
	"/var/run/x", "/sys/kernel", "/proc/thread-self/fd/0",
};
/* clang-format on */

static void
test_fixed(void)
{
	struct cdn_arena *arena = cdn_arena_new();
	struct cdn_lookup *lookup = cdn_lookup_new(arena);

	need(lookup != NULL, "lookup");
	for (unsigned turn = 0; turn < 2; turn++)
		for (size_t i = 0; i < CDN_LEN(fixed); i++) {
			struct cordon_error err = { 0 };
			struct cdn_found found = { 0 };

			ok_f(same(fixed[i], cdn_lookup_find(lookup, fixed[i],
				 &found, &err), &found, &err), "%s", fixed[i]);
		}
	cdn_arena_free(arena);
}

static int
closed_body(void *arg)
{
	struct cdn_arena *arena = cdn_arena_new();
	struct cdn_lookup *lookup = cdn_lookup_new(arena);
	struct cordon_error err = { 0 };
	struct cdn_found found = { 0 };
	bool good;

	(void)arg;
	need(lookup != NULL, "lookup");
	good = same(tmp_path("shut/x"), cdn_lookup_find(lookup,
	    tmp_path("shut/x"), &found, &err), &found, &err) &&
	    err.sys_errno == EACCES;
	cdn_arena_free(arena);
	return good ? 0 : 1;
}

static void
test_special(void)
{
	struct cdn_arena *arena = cdn_arena_new();
	struct cdn_lookup *lookup = cdn_lookup_new(arena);
	struct cordon_error err = { 0 };
	struct cdn_found found;
	const char *path;
	int closed;

	need(lookup != NULL, "lookup");
	tmp_begin();
	tmp_link("loop", "loop");
	ok(cdn_lookup_find(lookup, tmp_path("loop/x"), &found, &err) ==
	    CORDON_E_LINKS, "a loop");
	tmp_dir("d");
	path = tmp_path("d");
	ok(cdn_lookup_find(lookup, path, &found, &err) == 0 &&
	    found.path == path, "a real path is given back as it came");
	tmp_dir("shut");
	tmp_mode("shut", 0);
	closed = tmp_child(closed_body, NULL, true);
	if (closed < 0)
		skip("nobody else to be here");
	else
		ok(closed == 0, "no permission");
	tmp_end();
	cdn_arena_free(arena);
}

int
main(void)
{
	test_fixed();
	test_special();
	test_chance();
	return done_testing();
}
