/*
 * Random trees, random names, five opinions that must agree: the kernel's
 * way, that of plain names, our own walk, realpath(3) where the target exists,
 * and a resolver of a dozen lines here that knows nothing but lstat and readlink
 * on text.
 *
 * CORDON_SEED repeats a run; CORDON_ROUNDS makes it longer.
 */
#include "enforce/path/path_internal.h"

#include "support/tap.h"
#include "support/tmpdir.h"

#define TREES	60
#define QUERIES 500
#define NODES	40

static uint64_t state;

static unsigned
below(unsigned n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)(state >> 33) % n;
}

static const char *const names[] = { "a", "b", "c", "d", "e", "x (deleted)",
	"two words", "new\nline", "\xff\x80", "...", "..b", "\xc3\xa9", "-" };

/* ----- The naive resolver ------------------------------------------------- */

struct naive {
	char path[8 * PATH_MAX]; /* "" = "/" */
	int links;
	bool loop;
};

static void
naive_walk(struct naive *n, const char *text)
{
	while (*text != '\0' && !n->loop) {
		size_t len = strcspn(text, "/");
		size_t at = strlen(n->path);
		char target[PATH_MAX];
		ssize_t size;

		if (len == 2 && memcmp(text, "..", 2) == 0) {
			if (at > 0)
				*strrchr(n->path, '/') = '\0';
		} else if (len > 0 && !(len == 1 && text[0] == '.')) {
			snprintf(n->path + at, sizeof(n->path) - at, "/%.*s",
			    (int)len, text);
			size = readlink(n->path, target, sizeof(target) - 1);
			if (size >= 0) {
				target[size] = '\0';
				n->path[target[0] == '/' ? 0 : at] = '\0';
				n->loop = ++n->links > 40;
				naive_walk(n, target);
			}
		}
		text += len + (text[len] == '/');
	}
}

/* Bytes of the longest prefix that names something. */
static size_t
naive_existing(const struct naive *n)
{
	char prefix[sizeof(n->path)];
	struct stat st;

	snprintf(prefix, sizeof(prefix), "%s", n->path);
	while (prefix[0] != '\0' && lstat(prefix, &st) != 0)
		*strrchr(prefix, '/') = '\0';
	return prefix[0] != '\0' ? strlen(prefix) : 1;
}

/* ----- Trees and names ---------------------------------------------------- */

static char dirs[NODES + 1][PATH_MAX]; /* relative; [0] is the root */
static unsigned dir_count;

static void
random_name(char *out, size_t size)
{
	unsigned parts = 1 + below(6);
	size_t n = 0;

	out[0] = '\0';
	if (below(4) == 0)
		n = (size_t)snprintf(out, size, "%s%s/%s", below(4) ? "" : "/",
		    tmp_root, below(4) ? "" : "/");
	while (parts-- > 0) {
		unsigned kind = below(10);
		const char *name = kind == 0 ? "." :
		    kind < 3		     ? ".." :
			       names[below(below(2) ? 4 : CDN_LEN(names))];

		n += (size_t)snprintf(out + n, size - n, "%s%s", name,
		    parts > 0 || below(6) == 0 ? (below(8) ? "/" : "//") : "");
	}
}

static void
make_tree(void)
{
	dirs[0][0] = '\0';
	dir_count = 1;
	for (unsigned i = 0; i < NODES; i++) {
		char name[PATH_MAX], target[PATH_MAX];
		const char *in = dirs[below(dir_count)], *path;

		snprintf(name, sizeof(name), "%.2000s%s%s", in,
		    in[0] ? "/" : "", names[below(CDN_LEN(names))]);
		path = tmp_path(name);
		switch (below(5)) {
		case 0:
			(void)!mknod(path, S_IFREG | 0644, 0);
			break;
		case 1:
		case 2:
			if (mkdir(path, 0755) == 0)
				snprintf(dirs[dir_count++], PATH_MAX, "%s",
				    name);
			break;
		default:
			random_name(target, sizeof(target));
			(void)!symlink(target, path);
		}
	}
}

/* ----- The comparison ----------------------------------------------------- */

static unsigned seen_existing, seen_missing, seen_loops, seen_links,
    seen_notdir, seen_dotdot, seen_outside, seen_plain;

/* Names outside lead to directories in which others make theirs meanwhile. */
static bool
agree(const struct cdn_real *a, const struct cdn_real *b)
{
	return strcmp(a->path, b->path) == 0 && a->len == b->len &&
	    a->existing == b->existing && a->exists == b->exists &&
	    a->is_directory == b->is_directory &&
	    a->dev == b->dev && a->ino == b->ino &&
	    (a->is_directory || a->nlink == b->nlink);
}

static bool
as_naive(const struct naive *n, const struct cdn_real *real)
{
	const char *want = n->path[0] != '\0' ? n->path : "/";
	struct stat st;
	bool there = lstat(want, &st) == 0;

	return strcmp(real->path, want) == 0 && real->exists == there &&
	    real->existing == naive_existing(n) &&
	    real->is_directory == (there && S_ISDIR(st.st_mode)) &&
	    (!there || (real->ino == st.st_ino && real->dev == st.st_dev));
}

/* What the kernel makes of the whole name, where it can. */
static bool
as_kernel(const char *whole, const struct cdn_real *walked)
{
	char resolved[PATH_MAX];
	struct cdn_real fast;
	struct stat st;
	bool there = stat(whole, &st) == 0;
	int r = cdn_path_fast("/", cdn_str_of(whole), &fast);

	if (!there)
		return r < 0;
	if (realpath(whole, resolved) == NULL ||
	    strcmp(resolved, walked->path) != 0 || !walked->exists ||
	    walked->ino != st.st_ino || walked->dev != st.st_dev)
		return false;
	if (strstr(resolved, " (deleted)") != NULL && r == -EAGAIN)
		return true;
	return r == 0 && agree(&fast, walked);
}

/* A name that is its own path, or one that it says nothing of. */
static bool
as_plain(const char *base, const char *raw, const struct cdn_real *walked)
{
	struct cdn_real plain;

	if (cdn_path_plain(base, cdn_str_of(raw), &plain) != 0)
		return true;
	seen_plain++;
	return agree(&plain, walked);
}

static void
count(const struct naive *n, const struct cdn_real *real, const char *raw)
{
	size_t root = strlen(tmp_root);

	seen_existing += real->exists;
	seen_missing += !real->exists;
	seen_links += n->links > 0;
	seen_dotdot += strstr(raw, "..") != NULL;
	seen_outside += strncmp(real->path, tmp_root, root) != 0;
	if (!real->exists && real->existing > 1) {
		char prefix[PATH_MAX];
		struct stat st;

		snprintf(prefix, sizeof(prefix), "%.*s", (int)real->existing,
		    real->path);
		seen_notdir += lstat(prefix, &st) == 0 && !S_ISDIR(st.st_mode);
	}
}

static bool
one_query(const char *base, const char *raw)
{
	struct naive n = { .path = "" };
	struct cdn_real walked, whole_way;
	struct cordon_error err = { 0 };
	char whole[3 * PATH_MAX];
	int r = cdn_path_walk(base, cdn_str_of(raw), &walked, &err);
	int all = cdn_path_resolve(base, cdn_str_of(raw), &whole_way, NULL);

	snprintf(whole, sizeof(whole), "%s/%s", raw[0] == '/' ? "" : base, raw);
	naive_walk(&n, whole);
	if (n.loop) {
		seen_loops++;
		return r == CORDON_E_LINKS && all == CORDON_E_LINKS;
	}
	if (r != 0 || all != 0 || !agree(&walked, &whole_way) ||
	    !as_naive(&n, &walked) || !as_kernel(whole, &walked) ||
	    !as_plain(base, raw, &walked)) {
		printf("# naive: %s\n# walk: %d %s %s\n# all: %d %s\n", n.path,
		    r, r == 0 ? walked.path : "", err.text, all,
		    all == 0 ? whole_way.path : "");
		return false;
	}
	count(&n, &walked, raw);
	return true;
}

static unsigned
one_tree(uint64_t seed)
{
	unsigned wrong = 0;
	char raw[2 * PATH_MAX];

	state = seed;
	tmp_begin();
	make_tree();
	for (int i = 0; i < QUERIES; i++) {
		const char *base = tmp_path(dirs[below(dir_count)]);

		random_name(raw, sizeof(raw));
		if (one_query(base, raw))
			continue;
		printf("# wrong: base '%s' raw '%s'\n", base, raw);
		wrong++;
	}
	tmp_end();
	return wrong;
}

int
main(void)
{
	const char *seed_text = getenv("CORDON_SEED");
	const char *rounds = getenv("CORDON_ROUNDS");
	uint64_t seed = seed_text ? strtoull(seed_text, NULL, 0) : 0x5eed1234;
	unsigned long trees = rounds ? strtoul(rounds, NULL, 0) : TREES;
	unsigned wrong = 0;
	int before = tmp_open_fds();

	for (unsigned long i = 0; i < trees; i++)
		wrong += one_tree(seed * 2654435761U + i * 40503U + 1);
	ok_f(wrong == 0,
	    "%lu trees, %d names each, %u wrong (CORDON_SEED=%#llx)", trees,
	    QUERIES, wrong, (unsigned long long)seed);
	ok(tmp_open_fds() == before, "no descriptor is left open");

	/* The generator reaches all kinds: agreement means something. */
	ok_f(seen_existing > 1000, "%u exist", seen_existing);
	ok_f(seen_missing > 1000, "%u are missing", seen_missing);
	ok_f(seen_plain > 1000, "%u are plain", seen_plain);
	ok_f(seen_links > 1000, "%u go through links", seen_links);
	ok_f(seen_loops > 100, "%u loop", seen_loops);
	ok_f(seen_notdir > 100, "%u lie below a file", seen_notdir);
	ok_f(seen_dotdot > 1000, "%u have '..'", seen_dotdot);
	ok_f(seen_outside > 100, "%u leave the tree", seen_outside);
	return done_testing();
}
