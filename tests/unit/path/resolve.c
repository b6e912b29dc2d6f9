/*
 * The symlink contract, fact by fact.  Every row is asked of both ways (the
 * kernel's and our own walk) and of cdn_path_resolve; what the kernel cannot
 * answer, the walk must.
 */
#include "enforce/path/path_internal.h"

#include "support/tap.h"
#include "support/tmpdir.h"

/*
 * want: the real path below the fixture; existing: how much of it is there.
 * A leading '=' in want, raw or base means an absolute path as it stands.
 */
/* clang-format off */
static const struct {
	const char	*raw;
	const char	*want;
	const char	*existing;	/* NULL: all of it */
	bool		 directory;
} facts[] = {
	/* plain names */
	{ "ws/a/f",		"ws/a/f",	NULL,	false },
	{ "ws/a",		"ws/a",		NULL,	true },
	{ "ws",			"ws",		NULL,	true },
	{ "",			"",		NULL,	true },
	{ ".",			"",		NULL,	true },
	{ "ws//a/./f",		"ws/a/f",	NULL,	false },
	{ "./././ws/a/",	"ws/a",		NULL,	true },
	{ "ws/a//",		"ws/a",		NULL,	true },
	{ "=/",			"=/",		NULL,	true },
	{ "=///",		"=/",		NULL,	true },
	{ "=/../..",		"=/",		NULL,	true },
	{ "=/..//.",		"=/",		NULL,	true },

	/* missing tails: text, ".." takes text away */
	{ "ws/new",		"ws/new",	"ws",	false },
	{ "ws/new/",		"ws/new",	"ws",	false },
	{ "ws/x/y/z",		"ws/x/y/z",	"ws",	false },
	{ "ws/x/./y//z/",	"ws/x/y/z",	"ws",	false },
	{ "ws/x/../y",		"ws/y",		"ws",	false },
	{ "ws/x/y/../../z",	"ws/z",		"ws",	false },
	{ "ws/x/..",		"ws",		NULL,	true },
	{ "ws/x/../..",		"",		NULL,	true },
	{ "=/no-such/x",	"=/no-such/x",	"=/",	false },

	/* out of the missing part again: real things count again */
	{ "ws/x/../a/f",	"ws/a/f",	NULL,	false },
	{ "ws/x/../out/s",	"other/s",	NULL,	false },
	{ "ws/x/y/../../out/n",	"other/n",	"other", false },

	/* a file is no directory: what follows is missing, not an error */
	{ "ws/a/f/",		"ws/a/f",	NULL,	false },
	{ "ws/a/f/.",		"ws/a/f",	NULL,	false },
	{ "ws/a/f/x",		"ws/a/f/x",	"ws/a/f", false },
	{ "ws/a/f/x/y",		"ws/a/f/x/y",	"ws/a/f", false },
	{ "ws/a/f/x/..",	"ws/a/f",	NULL,	false },
	{ "ws/a/f/..",		"ws/a",		NULL,	true },
	{ "ws/a/f/../g",	"ws/a/g",	NULL,	false },
	{ "ws/a/f/../../out/s",	"other/s",	NULL,	false },

	/* links */
	{ "ws/out",		"other",	NULL,	true },
	{ "ws/out/",		"other",	NULL,	true },
	{ "ws/out/s",		"other/s",	NULL,	false },
	{ "ws/out/n",		"other/n",	"other", false },
	{ "ws/out/n/m",		"other/n/m",	"other", false },
	{ "ws/abs/s",		"other/s",	NULL,	false },
	{ "ws/abs/n",		"other/n",	"other", false },
	{ "ws/tofile",		"ws/a/f",	NULL,	false },
	{ "ws/tofile/x",	"ws/a/f/x",	"ws/a/f", false },
	{ "ws/slashes",		"ws/a",		NULL,	true },
	{ "ws/slashes/f",	"ws/a/f",	NULL,	false },
	{ "ws/dot/a/f",		"ws/a/f",	NULL,	false },
	{ "ws/toroot",		"=/",		NULL,	true },
	{ "ws/toroot/..",	"=/",		NULL,	true },

	/* ".." after a link is that of the target */
	{ "ws/out/..",		"",		NULL,	true },
	{ "ws/out/../ws/a/f",	"ws/a/f",	NULL,	false },
	{ "ws/deep/..",		"other/d",	NULL,	true },
	{ "ws/deep/../../s",	"other/s",	NULL,	false },
	{ "ws/deep/../n",	"other/d/n",	"other/d", false },
	{ "ws/up/ws/a/f",	"ws/a/f",	NULL,	false },
	{ "ws/up/..",		"=..",		NULL,	true },

	/* dangling links name what they point to */
	{ "ws/dangling",	"other/later",	"other", false },
	{ "ws/dangling/x",	"other/later/x", "other", false },
	{ "ws/dangling/..",	"other",	NULL,	true },
	{ "ws/dangling/../s",	"other/s",	NULL,	false },
	{ "ws/dangling2",	"other/later",	"other", false },
	{ "ws/dangling3",	"nowhere/x/y",	"",	false },
	{ "ws/dangling4",	"other/z",	"other", false },
	{ "ws/underfile",	"ws/a/f/x",	"ws/a/f", false },

	/* names that look like something else */
	{ "ws/f (deleted)",	"ws/f (deleted)", NULL,	false },
	{ "ws/g (deleted)",	"ws/g (deleted)", "ws",	false },
	{ "ws/d (deleted)/f",	"ws/d (deleted)/f", NULL, false },
	{ "ws/d (deleted)",	"ws/d (deleted)", NULL,	true },
	{ "ws/...",		"ws/...",	NULL,	false },
	{ "ws/..a",		"ws/..a",	NULL,	false },
	{ "ws/~",		"ws/~",		"ws",	false },
	{ "ws/ x ",		"ws/ x ",	NULL,	false },
	{ "ws/a\nb",		"ws/a\nb",	NULL,	false },
	{ "ws/\xff\xfe",	"ws/\xff\xfe",	NULL,	false },
	{ "ws/\x01\x7f",	"ws/\x01\x7f",	"ws",	false },
	{ "ws/back\\slash",	"ws/back\\slash", NULL,	false },
	{ "ws/lit",		"ws/back\\slash", NULL,	false },
};
/* clang-format on */

static void
make_fixture(void)
{
	static const char *const dirs[] = { "ws", "ws/a", "other", "other/d",
		"other/d/e", "ws/d (deleted)" };
	static const char *const files[] = { "ws/a/f", "ws/a/g", "other/s",
		"ws/f (deleted)", "ws/d (deleted)/f", "ws/...", "ws/..a",
		"ws/ x ", "ws/a\nb", "ws/\xff\xfe", "ws/back\\slash" };
	char target[PATH_MAX + 16];

	for (size_t i = 0; i < CDN_LEN(dirs); i++)
		tmp_dir(dirs[i]);
	for (size_t i = 0; i < CDN_LEN(files); i++)
		tmp_file(files[i], "x");
	snprintf(target, sizeof(target), "%s/other", tmp_root);
	tmp_link(target, "ws/abs");
	tmp_link("../other", "ws/out");
	tmp_link("a/f", "ws/tofile");
	tmp_link(".//a///", "ws/slashes");
	tmp_link(".", "ws/dot");
	tmp_link("/", "ws/toroot");
	tmp_link("../other/d/e", "ws/deep");
	tmp_link("..", "ws/up");
	tmp_link("../other/later", "ws/dangling");
	tmp_link("dangling", "ws/dangling2");
	tmp_link("../nowhere/x/y", "ws/dangling3");
	tmp_link("../other/not/there/../../z", "ws/dangling4");
	tmp_link("a/f/x", "ws/underfile");
	tmp_link("back\\slash", "ws/lit");
}

/* "=.." is the parent of the fixture, "=x" is x, all else lies below it. */
static const char *
absolute(const char *name)
{
	static char up[PATH_MAX];

	if (strcmp(name, "=..") == 0) {
		snprintf(up, sizeof(up), "%s", tmp_root);
		*strrchr(up, '/') = '\0';
		return up[0] == '\0' ? "/" : up;
	}
	return name[0] == '=' ? name + 1 : tmp_path(name);
}

/* Directories above ours change their count while others test, too. */
static bool
same(const struct cdn_real *a, const struct cdn_real *b)
{
	return a->len == b->len && strcmp(a->path, b->path) == 0 &&
	    a->existing == b->existing && a->exists == b->exists &&
	    a->is_directory == b->is_directory &&
	    a->dev == b->dev && a->ino == b->ino &&
	    (a->is_directory || a->nlink == b->nlink);
}

static bool
as_wanted(const struct cdn_real *real, size_t i)
{
	const char *want = absolute(facts[i].want);
	struct stat st;

	if (strcmp(real->path, want) != 0 || real->len != strlen(want)) {
		printf("# got '%s', wanted '%s'\n", real->path, want);
		return false;
	}
	if (facts[i].existing != NULL)
		return !real->exists && !real->is_directory &&
		    real->existing == strlen(absolute(facts[i].existing));
	return lstat(want, &st) == 0 && real->exists &&
	    real->existing == real->len && real->dev == st.st_dev &&
	    real->ino == st.st_ino &&
	    (facts[i].directory || real->nlink == st.st_nlink) &&
	    real->is_directory == facts[i].directory;
}

static void
test_facts(void)
{
	for (size_t i = 0; i < CDN_LEN(facts); i++) {
		const char *raw = facts[i].raw;
		cdn_str s = cdn_str_of(raw[0] == '=' ? raw + 1 : raw);
		struct cdn_real all, walked, fast;
		struct cordon_error err = { 0 };
		bool good = cdn_path_resolve(tmp_root, s, &all, &err) == 0;

		ok_f(good && as_wanted(&all, i), "'%s' is '%s'%s", raw,
		    facts[i].want, facts[i].existing ? ", missing" : "");
		good = cdn_path_walk(tmp_root, s, &walked, &err) == 0;
		ok_f(good && same(&all, &walked), "'%s' by walking", raw);
		if (cdn_path_fast(tmp_root, s, &fast) == 0)
			ok_f(same(&all, &fast), "'%s' by the kernel", raw);
		/* The same by its absolute name, from elsewhere. */
		good = cdn_path_resolve("/no/such/base",
			   cdn_str_of(absolute(raw)), &walked, &err) == 0;
		ok_f(good && same(&all, &walked), "'%s' as absolute", raw);
	}
}

/* ----- Errors ------------------------------------------------------------- */

static void
test_fails(const char *raw, int code, int sys_errno)
{
	struct cdn_real real = { .len = 77 };
	struct cordon_error err = { 0 };
	int r = cdn_path_resolve(tmp_root, cdn_str_of(raw), &real, &err);

	ok_f(r == code && err.code == code && err.sys_errno == sys_errno &&
		err.text[0] != '\0' && real.len == 77,
	    "'%.60s' fails with %s: %s", raw, cordon_code_name(code), err.text);
	r = cdn_path_walk(tmp_root, cdn_str_of(raw), &real, NULL);
	ok_f(r == code, "'%.60s' fails by walking, without err", raw);
	ok_f(cdn_path_fast(tmp_root, cdn_str_of(raw), &real) < 0,
	    "'%.60s' fails by the kernel", raw);
}

static void
test_loops(void)
{
	char name[32], target[32];
	struct cdn_real real;

	tmp_link("loop2", "loop1");
	tmp_link("loop1", "loop2");
	tmp_link("self", "self");
	tmp_link("grow/x", "grow");
	tmp_file("end", "");
	for (int i = 1; i <= 41; i++) {
		snprintf(name, sizeof(name), "c%d", i);
		snprintf(target, sizeof(target), i == 1 ? "end" : "c%d", i - 1);
		tmp_link(target, name);
	}
	test_fails("loop1", CORDON_E_LINKS, 0);
	test_fails("loop2/x", CORDON_E_LINKS, 0);
	test_fails("self/..", CORDON_E_LINKS, 0);
	test_fails("grow", CORDON_E_LINKS, 0);
	test_fails("c41", CORDON_E_LINKS, 0);
	test_fails("c20/../c21", CORDON_E_LINKS, 0);
	ok(cdn_path_resolve(tmp_root, CDN_STR("c40"), &real, NULL) == 0 &&
		strcmp(real.path, tmp_path("end")) == 0,
	    "40 links are enough");
	ok(cdn_path_walk(tmp_root, CDN_STR("c40"), &real, NULL) == 0 &&
		strcmp(real.path, tmp_path("end")) == 0,
	    "also by walking");
	ok(cdn_path_walk(tmp_root, CDN_STR("c20/../c20"), &real, NULL) == 0,
	    "20 and 20 links are 40");
}

static void
test_lengths(void)
{
	char big[CDN_PATH_MAX + 2], *long_name = big;
	struct cdn_real real;
	struct cordon_error err = { 0 };
	size_t n;

	memset(big, 'n', 256);
	big[256] = '\0';
	test_fails(long_name, CORDON_E_RESOLVE, ENAMETOOLONG);
	big[255] = '\0';
	ok(cdn_path_resolve(tmp_root, cdn_str_of(big), &real, NULL) == 0 &&
		!real.exists,
	    "a name of 255 bytes is a name");

	/* Many "./" do not make the real path long. */
	for (n = 0; n + 2 <= CDN_PATH_MAX; n += 2)
		memcpy(big + n, "./", 2);
	ok(cdn_path_resolve(tmp_root, (cdn_str){ big, n }, &real, &err) == 0 &&
		strcmp(real.path, tmp_root) == 0,
	    "4096 bytes of './'");
	big[n] = '/';
	ok(cdn_path_resolve(tmp_root, (cdn_str){ big, n + 1 }, &real, &err) ==
		    CORDON_E_RESOLVE &&
		err.sys_errno == ENAMETOOLONG,
	    "4097 bytes are refused");

	/* A real path of exactly 4096 bytes fits, one more does not. */
	for (n = 0; n + 2 <= CDN_PATH_MAX; n += 2)
		memcpy(big + n, "/m", 2);
	ok(cdn_path_resolve("/", (cdn_str){ big, n }, &real, &err) == 0 &&
		real.len == CDN_PATH_MAX && memcmp(real.path, big, n) == 0 &&
		real.existing == 1,
	    "a missing path of 4096 bytes");
	big[CDN_PATH_MAX - 1] = '/';
	ok(cdn_path_resolve(tmp_root, (cdn_str){ big + 1, n - 1 }, &real,
	       &err) == CORDON_E_RESOLVE &&
		err.sys_errno == ENAMETOOLONG,
	    "base and path together are too long");
}

/* Links within links, each with a long tail: the walk has a bound. */
static void
test_pending(void)
{
	char name[32], target[4000];
	struct cdn_real real;
	struct cordon_error err = { 0 };
	size_t n;

	tmp_dir("k0");
	for (int i = 1; i <= 5; i++) {
		n = (size_t)snprintf(target, sizeof(target), "k%d/", i - 1);
		for (; n + 2 < sizeof(target); n += 2)
			memcpy(target + n, "./", 3);
		snprintf(name, sizeof(name), "k%d", i);
		tmp_link(target, name);
	}
	ok(cdn_path_walk(tmp_root, CDN_STR("k3"), &real, &err) == 0 &&
		strcmp(real.path, tmp_path("k0")) == 0,
	    "links with long tails are followed");
	ok(cdn_path_walk(tmp_root, CDN_STR("k5"), &real, &err) ==
		    CORDON_E_RESOLVE &&
		err.sys_errno == ENAMETOOLONG,
	    "but not without end");
}

static void
test_arguments(void)
{
	struct cdn_real real;
	struct cordon_error err = { 0 };

	ok(cdn_path_resolve(tmp_root, (cdn_str){ "ws\0/../x", 8 }, &real,
	       &err) == CORDON_E_INVALID,
	    "NUL in a path is invalid");
	ok(cdn_path_resolve("ws", CDN_STR("a"), &real, &err) ==
		CORDON_E_INVALID,
	    "a relative base is invalid");
	ok(cdn_path_resolve(tmp_path("ws/out"), CDN_STR("../ws/a/f"), &real,
	       &err) == 0 &&
		strcmp(real.path, tmp_path("ws/a/f")) == 0,
	    "the base is resolved too");
}

/* The kernel's mark could be a name: only a look can tell. */
static void
test_doubtful(void)
{
	struct cdn_real real;

	ok(cdn_path_fast(tmp_root, CDN_STR("ws/f (deleted)"), &real) == -EAGAIN,
	    "the kernel's ' (deleted)' is not taken for an answer");
	ok(cdn_path_fast(tmp_root, CDN_STR("ws/d (deleted)/f"), &real) == 0,
	    "further up it is nothing special");
}

/* ----- Workspaces --------------------------------------------------------- */

static void
test_workspace(void)
{
	struct cdn_real real = { .len = 77 };
	struct cordon_error err = { 0 };
	char old[PATH_MAX];

	ok(cdn_path_workspace(tmp_path("ws/out"), &real, &err) == 0 &&
		strcmp(real.path, tmp_path("other")) == 0,
	    "a workspace is its real path");
	real.len = 77;
	ok(cdn_path_workspace(tmp_path("ws/none"), &real, &err) ==
		    CORDON_E_WORKSPACE &&
		strstr(err.text, "does not exist") && real.len == 77,
	    "a missing workspace");
	ok(cdn_path_workspace(tmp_path("ws/dangling"), &real, &err) ==
		CORDON_E_WORKSPACE,
	    "a dangling workspace is missing");
	ok(cdn_path_workspace(tmp_path("ws/a/f"), &real, &err) ==
		    CORDON_E_WORKSPACE &&
		strstr(err.text, "not a directory"),
	    "a file is no workspace");
	ok(cdn_path_workspace(tmp_path("loop1"), &real, &err) == CORDON_E_LINKS,
	    "a loop is no workspace");
	tmp_need(getcwd(old, sizeof(old)) != NULL, "getcwd", ".");
	tmp_need(chdir(tmp_path("ws")) == 0, "chdir", "ws");
	ok(cdn_path_workspace("a", &real, &err) == 0 &&
		strcmp(real.path, tmp_path("ws/a")) == 0,
	    "a relative workspace is taken from the current directory");
	ok(cdn_path_workspace("", &real, &err) == 0 &&
		strcmp(real.path, tmp_path("ws")) == 0,
	    "an empty one is the current directory");
	tmp_dir("gone");
	tmp_need(chdir(tmp_path("gone")) == 0 && rmdir(tmp_path("gone")) == 0,
	    "rmdir", "gone");
	ok(cdn_path_workspace(".", &real, &err) == CORDON_E_WORKSPACE &&
		err.sys_errno == ENOENT,
	    "a removed current directory");
	tmp_need(chdir(old) == 0, "chdir", old);
}

int
main(void)
{
	int before;

	tmp_begin();
	before = tmp_open_fds();
	make_fixture();
	test_facts();
	test_loops();
	test_lengths();
	test_pending();
	test_arguments();
	test_doubtful();
	test_workspace();
	ok(tmp_open_fds() == before, "no descriptor is left open");
	tmp_end();
	return done_testing();
}
