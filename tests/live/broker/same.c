/*
 * The real call against the broker's: every combination of what is there and
 * how it is opened, in two trees that are alike.  What is allowed comes to the
 * same, down to the errno; and so do the trees afterwards.
 */
#include "cage.h"

#include <dirent.h>
#include <sys/socket.h>
#include <sys/un.h>

#define PATHS_MAX 128

/* %d: another one for each combination. */
static const char *const paths[] = { "new-%d", "file", "dir", "to-file",
	"to-dir", "dangling-%d", "loop", "file/", "dir/", "gone/", "to-file/",
	"to-dir/", "dir/.", "dir/..", "file/.", "file/x", "gone/x", "@", ".",
	"..", "./", "dir//in", "dir/../file", "to-dir/in", "to-dir/new-%d",
	"none", "none-dir/x", "locked/x", "readonly", "writeonly", "socket",
	"chain40", "chain41", "deep/a/b/c", "deep/a/../a/b/new-%d",
	"$T/file", "$T/new-abs-%d", "$T/to-abs", "/dev/null", "/dev/full",
	"/proc/self/exe", "/proc/self/fd/99", "/proc/self/none",
	"/proc/self/cwd/file", "/proc/self/cwd/new-%d",
	"/proc/thread-self/comm", "/proc/self/", "/proc/self/fd/",
	"/proc/version", "/proc/mounts", "/proc/net/dev", "/dev/fd/99",
	"/dev/stdin/", "/etc/passwd", "/etc", "/etc/none", "/usr/bin/env",
	"sticky/to-file", "sticky/new-%d", "setgid/new-%d", "to-slash",
	"$LONG", "$LONG/x", "to-proc", "to-fd", "dir/../dir/../dir/in",
	"file/..", "to-self", "\xc3\xa4-%d", "-%d", "fifo" };

static const int more[] = { 0, O_CREAT, O_CREAT | O_EXCL, O_TRUNC,
	O_CREAT | O_TRUNC, O_APPEND, O_CREAT | O_APPEND, O_DIRECTORY,
	O_NOFOLLOW, O_NOFOLLOW | O_CREAT, O_NOFOLLOW | O_DIRECTORY, O_PATH,
	O_PATH | O_NOFOLLOW, O_PATH | O_DIRECTORY, O_PATH | O_CREAT,
	O_TMPFILE, O_TMPFILE | O_EXCL, O_TMPFILE & ~O_DIRECTORY,
	O_CREAT | O_DIRECTORY, O_CREAT | O_TMPFILE, O_EXCL, O_CLOEXEC,
	O_CREAT | O_CLOEXEC, O_NONBLOCK, O_SYNC | O_CREAT, O_NOATIME,
	O_CREAT | O_EXCL | O_NOFOLLOW, O_NOCTTY, 0x40000000 | O_CREAT,
	O_DSYNC, O_ASYNC, O_LARGEFILE };

static const unsigned modes[] = { 0644, 0777, 0, 0750, 0170644, 01777 };
static const unsigned masks[] = { 022, 077, 0, 0777 };

/* ----- The tree -------------------------------------------------------------------- */

static void
make_chain(int n)
{
	char to[32], name[64];

	for (int i = 1; i <= n; i++) {
		snprintf(to, sizeof(to), i == 1 ? "file" : "link%d-%d", n, i - 1);
		if (i == n)
			snprintf(name, sizeof(name), "w/pub/t/chain%d", n);
		else
			snprintf(name, sizeof(name), "w/pub/t/link%d-%d", n, i);
		tmp_link(to, name);
	}
}

static void
make_socket(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s",
	    tmp_path("w/pub/t/socket"));
	tmp_need(bind(fd, (void *)&address, sizeof(address)) == 0, "bind",
	    address.sun_path);
	close(fd);
}

static void
make_tree(void)
{
	static const char *const dirs[] = { "w/pub/t", "w/pub/t/dir",
		"w/pub/t/deep", "w/pub/t/deep/a", "w/pub/t/deep/a/b",
		"w/pub/t/locked", "w/pub/t/sticky", "w/pub/t/setgid" };

	tmp_begin();
	cage_files();
	for (size_t i = 0; i < CDN_LEN(dirs); i++)
		tmp_dir(dirs[i]);
	tmp_file("w/pub/t/file", "content\n");
	tmp_file("w/pub/t/dir/in", "inside\n");
	tmp_file("w/pub/t/deep/a/b/c", "deep\n");
	tmp_file("w/pub/t/none", "none\n");
	tmp_file("w/pub/t/locked/x", "locked\n");
	tmp_file("w/pub/t/readonly", "readonly\n");
	tmp_file("w/pub/t/writeonly", "writeonly\n");
	tmp_link("file", "w/pub/t/to-file");
	tmp_link("dir", "w/pub/t/to-dir");
	tmp_link("dir/", "w/pub/t/to-slash");
	tmp_link("loop", "w/pub/t/loop");
	tmp_link("../file", "w/pub/t/sticky/to-file");
	tmp_link("/proc/self/comm", "w/pub/t/to-proc");
	tmp_link("/proc/self/fd/0", "w/pub/t/to-fd");
	tmp_link("/proc/self", "w/pub/t/to-self");
	tmp_link(tmp_path("w/pub/t/file"), "w/pub/t/to-abs");
	for (int i = 0; i < 1000; i++) {
		char to[64], name[64];

		snprintf(to, sizeof(to), "made-%d", i);
		snprintf(name, sizeof(name), "w/pub/t/dangling-%d", i);
		tmp_link(to, name);
	}
	make_chain(40);
	make_chain(41);
	make_socket();
	tmp_need(mkfifo(tmp_path("w/pub/t/fifo"), 0644) == 0, "mkfifo", "");
	tmp_mode("w/pub/t/sticky", 01777);
	tmp_mode("w/pub/t/setgid", 02755);
	tmp_mode("w/pub/t/none", 0);
	tmp_mode("w/pub/t/readonly", 0444);
	tmp_mode("w/pub/t/writeonly", 0222);
	tmp_mode("w/pub/t/locked", 0600);
}

/* ----- Requests -------------------------------------------------------------------- */

struct request {
	char path[5000];
	int flags;
	unsigned mode, mask;
};

static void
expand(const char *text, int number, char *out, size_t size)
{
	size_t n = 0;

	for (; *text != '\0' && n < size - 300; text++)
		if (strncmp(text, "$T", 2) == 0) {
			n += (size_t)snprintf(out + n, size - n, "%s",
			    tmp_path("w/pub/t"));
			text += 1;
		} else if (strncmp(text, "$LONG", 5) == 0) {
			memset(out + n, 'x', 256);
			n += 256;
			text += 4;
		} else if (strncmp(text, "%d", 2) == 0) {
			n += (size_t)snprintf(out + n, size - n, "%d", number);
			text += 1;
		} else {
			out[n++] = *text;
		}
	out[n] = '\0';
}

/* A FIFO would wait for somebody, and the host is not ours to change. */
static bool
makes_sense(const char *path, int flags)
{
	const int changes = O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND |
	    (O_TMPFILE & ~O_DIRECTORY);

	if (strncmp(path, "/etc", 4) == 0 || strncmp(path, "/usr", 4) == 0)
		return (flags & changes) == 0;
	return strcmp(path, "fifo") != 0 || (flags & (O_PATH | O_NONBLOCK)) != 0;
}

static void
ask_one(struct cage *cage, const struct request *request, FILE *out)
{
	(void)cage_ask(cage, "umask %#o", request->mask);
	(void)cage_ask(cage, "open %#o %#o %s", (unsigned)request->flags,
	    request->mode, request->path);
	fprintf(out, "%s\n", cage->answer);
}

/* Everything: one line each. */
static void
ask_all(struct cage *cage, FILE *out)
{
	struct request request;
	int number = 0;

	(void)cage_ask(cage, "chdir %s", tmp_path("w/pub/t"));
	for (size_t p = 0; p < CDN_LEN(paths); p++)
		for (size_t m = 0; m < CDN_LEN(more); m++)
			for (int access = 0; access < 3; access++) {
				request.flags = more[m] | access;
				request.mode = modes[number % 6];
				request.mask = masks[number / 6 % 4];
				number++;
				if (!makes_sense(paths[p], request.flags))
					continue;
				expand(paths[p], number % 1000, request.path,
				    sizeof(request.path));
				fprintf(out, "%s %#o %#o ", paths[p],
				    (unsigned)request.flags, request.mode);
				ask_one(cage, &request, out);
			}
}

/* What is there afterwards. */
static void
list_tree(const char *name, FILE *out)
{
	struct dirent **entries;
	int n = scandir(tmp_path(name), &entries, NULL, alphasort);

	for (int i = 0; i < n; i++) {
		struct stat st;
		char path[512];

		snprintf(path, sizeof(path), "%s/%s", name, entries[i]->d_name);
		free(entries[i]);
		if (path[strlen(path) - 1] == '.' ||
		    lstat(tmp_path(path), &st) != 0)
			continue;
		fprintf(out, "%s %o %d %ld\n", path, st.st_mode,
		    (int)st.st_gid, S_ISREG(st.st_mode) ? (long)st.st_size : 0L);
		if (S_ISDIR(st.st_mode))
			list_tree(path, out);
	}
	if (n >= 0)
		free(entries);
}

static char *
run(enum cage_mode mode)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	struct cage cage = { 0 };

	make_tree();
	cage_start(&cage, mode);
	ask_all(&cage, out);
	(void)cage_stop(&cage);
	list_tree("w/pub/t", out);
	fclose(out);
	tmp_end();
	return text;
}

/*
 * What the broker may do in its own way: /proc is not written through it, and
 * its own rules come first where the real call finds another reason.
 */
static bool
is_excused(cdn_str line, cdn_str got)
{
	static const char *const places[] = { "/proc", "to-proc", "to-self",
		"/dev" };

	for (size_t i = 0; i < CDN_LEN(places); i++)
		if (cdn_str_starts(line, cdn_str_of(places[i])))
			return cdn_str_ends(got, CDN_STR(" errno 13"));
	return false;
}

static void
compare(const char *name, const char *wanted, const char *got)
{
	cdn_str a = cdn_str_of(wanted), b = cdn_str_of(got), x, y;
	int same = 0, other = 0, excused = 0;

	while (a.n > 0 && b.n > 0 && cdn_str_next(&a, '\n', &x) &&
	    cdn_str_next(&b, '\n', &y)) {
		if (cdn_str_eq(x, y)) {
			same++;
		} else if (is_excused(x, y)) {
			excused++;
		} else if (other++ < 40) {
			printf("# really: %.*s\n# broker: %.*s\n",
			    CDN_STR_ARG(x), CDN_STR_ARG(y));
		}
	}
	ok_f(other == 0 && a.n == b.n && same > 1000,
	    "%s: %d the same, %d not, %d refused by rule", name, same, other,
	    excused);
}

int
main(void)
{
	char *bare, *brokered;

	if (cdn_sys_landlock_abi() < 3) {
		skip("no Landlock, or an old one");
		return done_testing();
	}
	bare = run(CAGE_BARE);
	brokered = run(CAGE_C);
	compare("mode C", bare, brokered);
	free(brokered);
	brokered = run(CAGE_B);
	compare("mode B", bare, brokered);
	free(brokered);
	free(bare);
	return done_testing();
}
