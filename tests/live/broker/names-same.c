/*
 * The real calls against the broker's: random sequences of what makes, removes,
 * renames and links, in trees that are alike and where all is allowed.  Each
 * answer is the same, down to the errno, and so are the trees in the end.
 */
#include "cage.h"
#include "support/random.h"

#define PIECE 512

/* Floating: the workspace is mixed, every call is performed. */
static const char rules[] =
    "  denyModify: [\"**/*.lock\"]\n"
    "  fsProfiles:\n"
    "    dev: {read: [\"**\"], modify: [\"**\"]}\n";

static const char *root; /* "w/pub/t" */

/* ----- Requests -------------------------------------------------------------------- */

static const char *
pick(const char *const *from, size_t n)
{
	return from[random_below(n)];
}

/* A few names, that meet again; one "..", so that nothing leaves. */
static const char *
any_path(void)
{
	static const char *const names[] = { "a", "b", "c", "d", "e", "f" };
	static const char *const ends[] = { "", "", "", "", "", "", "", "/",
		"//", "/.", "/.." };
	static char paths[4][PIECE];
	static unsigned turn;
	char *path = paths[turn++ % 4];
	size_t n = 0, depth = 1 + random_below(1 + random_below(3));

	if (random_below(60) == 0)
		return pick((const char *const[]){ ".", "..", "/", "@", "./",
		    "//", "/.." }, 7);
	path[0] = '\0';
	if (random_below(6) == 0)
		n += (size_t)snprintf(path, PIECE, "%s/", tmp_path(root));
	else if (random_below(12) == 0)
		n += (size_t)snprintf(path, PIECE, "/proc/self/cwd/");
	for (size_t i = 0; i < depth; i++)
		n += (size_t)snprintf(path + n, PIECE - n, "%s%s",
		    i == 0 ? "" : random_below(8) == 0 ? "/./" : "/",
		    pick(names, CDN_LEN(names)));
	snprintf(path + n, PIECE - n, "%s", pick(ends, CDN_LEN(ends)));
	return path;
}

static const char *
any_text(void)
{
	static const char *const texts[] = { "a", "b", "c", "a/b", "d/e", ".",
		"none", "e/", "f" };

	return pick(texts, CDN_LEN(texts));
}

static const char *
any_mode(void)
{
	static const char *const modes[] = { "0755", "0755", "0777", "0700",
		"01777", "02755", "0755", "0775", "0755", "0711", "0755",
		"0755", "0755", "0755", "0755", "0755", "0555", "0" };

	return pick(modes, CDN_LEN(modes));
}

/* %p a path, %f of a file, %m a mode, %t the text of a link, %n a size, %u a mask. */
static const char *const requests[] = { "mkdir %m %p", "mkdir %m %p",
	"mkdir %m %p", "mkdir %m %p", "mkdir %m %p", "mkdirat cwd %m %p",
	"mkdirat cwd %m %p", "mknod 0010644 %p", "mknod 0100644 %p",
	"mknod 0110644 %p", "mknodat cwd 0644 %p", "open 04102 0644 %f",
	"open 04102 0644 %f", "open 04102 0644 %f", "symlink %t %p",
	"symlink %t %p", "symlinkat %t cwd %p", "unlink %p", "unlink %p",
	"unlinkat cwd 0 %p", "unlinkat cwd 0x200 %p", "unlinkat cwd 7 %p",
	"rmdir %p", "rmdir %p", "link %p %p", "link %p %p",
	"linkat cwd %p cwd %p 0", "linkat cwd %p cwd %p 0x400",
	"linkat cwd %p cwd %p 0x200", "rename %p %p", "rename %p %p",
	"rename %p %p", "rename %p %p", "renameat cwd %p cwd %p",
	"rename2 %p %p 0", "rename2 %p %p 1", "rename2 %p %p 2",
	"rename2 %p %p 2", "rename2 %p %p 8", "truncate %n %p",
	"truncate %n %p", "umask %u" };

static size_t
fill_in(char what, char *to, size_t size)
{
	static const char *const masks[] = { "022", "077", "0", "027" };
	const char *path;
	size_t n;

	switch (what) {
	case 'p':
		return (size_t)snprintf(to, size, "%s", any_path());
	case 'f':
		path = any_path();
		n = strlen(path);
		/* open(2) has a test of its own for slashes: same.c. */
		while (n > 1 && path[n - 1] == '/')
			n--;
		return (size_t)snprintf(to, size, "%.*s", (int)n, path);
	case 'm':
		return (size_t)snprintf(to, size, "%s", any_mode());
	case 't':
		return (size_t)snprintf(to, size, "%s", any_text());
	case 'u':
		return (size_t)snprintf(to, size, "%s",
		    pick(masks, CDN_LEN(masks)));
	default:
		return (size_t)snprintf(to, size, "%d",
		    (int)random_below(5000) - 10);
	}
}

static void
any_request(char *to, size_t size)
{
	const char *from = pick(requests, CDN_LEN(requests));
	size_t n = 0;

	for (; *from != '\0'; from++)
		if (*from == '%')
			n += fill_in(*++from, to + n, size - n);
		else
			to[n++] = *from;
	to[n] = '\0';
}

/* ----- The tree -------------------------------------------------------------------- */

static void
list_tree(const char *name, FILE *out)
{
	struct dirent **entries;
	int n = scandir(tmp_path(name), &entries, NULL, alphasort);

	for (int i = 0; i < n; i++) {
		struct stat st;
		char path[1024], text[64] = "";

		snprintf(path, sizeof(path), "%s/%s", name, entries[i]->d_name);
		free(entries[i]);
		if (path[strlen(path) - 1] == '.' ||
		    lstat(tmp_path(path), &st) != 0)
			continue;
		(void)!readlink(tmp_path(path), text, sizeof(text) - 1);
		fprintf(out, "%s %o %d %d %ld %ld %s\n", path, st.st_mode,
		    (int)st.st_uid, (int)st.st_gid, (long)st.st_nlink,
		    S_ISREG(st.st_mode) ? (long)st.st_size : 0L, text);
		if (S_ISDIR(st.st_mode))
			list_tree(path, out);
	}
	if (n >= 0)
		free(entries);
}

static void
take_out(char *line, const char *what)
{
	char *at;

	while ((at = strstr(line, what)) != NULL)
		memmove(at, at + strlen(what), strlen(at + strlen(what)) + 1);
}

static char *
run(enum cage_mode mode, uint64_t seed, unsigned long n)
{
	char *text = NULL, request[2048];
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	struct cage cage = { .rules = rules };

	tmp_begin();
	cage_files();
	tmp_dir(root);
	random_state = seed;
	cage_start(&cage, mode);
	(void)cage_ask(&cage, "chdir %s", tmp_path(root));
	for (unsigned long i = 0; i < n; i++) {
		any_request(request, sizeof(request));
		(void)cage_ask(&cage, "%s", request);
		take_out(request, tmp_root);
		fprintf(out, "%s: %s\n", request, cage.answer);
	}
	(void)cage_stop(&cage);
	list_tree("w", out);
	fclose(out);
	tmp_end();
	return text;
}

static void
compare(const char *name, const char *wanted, const char *got)
{
	cdn_str a = cdn_str_of(wanted), b = cdn_str_of(got), x, y;
	int same = 0, other = 0, good = 0;

	while (a.n > 0 && b.n > 0 && cdn_str_next(&a, '\n', &x) &&
	    cdn_str_next(&b, '\n', &y)) {
		good += cdn_str_ends(x, CDN_STR("done 0"));
		if (cdn_str_eq(x, y))
			same++;
		else if (other++ < 10)
			printf("# really: %.*s\n# broker: %.*s\n",
			    CDN_STR_ARG(x), CDN_STR_ARG(y));
	}
	ok_f(other == 0 && a.n == b.n && good > same / 40,
	    "%s: %d the same, %d of them done, %d not", name, same, good,
	    other);
}

static void
check(const char *in, unsigned long n)
{
	uint64_t seed = random_next();
	char *bare, *brokered;

	root = in;
	bare = run(CAGE_BARE, seed, n);
	printf("# %s\n", in);
	brokered = run(CAGE_B, seed, n);
	compare("mode B", bare, brokered);
	free(brokered);
	brokered = run(CAGE_C, seed, n);
	compare("mode C", bare, brokered);
	free(brokered);
	free(bare);
	random_state = seed;
	(void)random_next();
}

int
main(void)
{
	if (cdn_sys_landlock_abi() < 3) {
		skip("no Landlock, or an old one");
		return done_testing();
	}
	random_start();
	for (int i = 0; i < 4; i++)
		check("w/pub/t", tries(2000));
	check("w/open/t", tries(1500));
	return done_testing();
}
