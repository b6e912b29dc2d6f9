/*
 * Changes of metadata that are allowed: the real call against the broker's, in
 * two trees that are alike.  The result is the same, down to the errno, and so
 * is what the host sees after each.
 */
#include "changes.h"

#include <sys/socket.h>
#include <sys/un.h>

static const char *const paths[] = { "file", "dir", "to-file", "to-dir",
	"dangling", "loop", "gone", "gone/x", "file/", "dir/", "to-dir/",
	"to-file/", "dir/.", "dir/..", "file/x", "dir/in", "", ".", "$T/file",
	"$T/to-file", "none", "locked/x", "fifo", "socket", "second", "other",
	"set-id", "/proc/self/cwd/file", "/proc/self/fd/3", "/proc/self/fd/4",
	"/proc/self/fd/99", "to-fd" };

static const char *const watched[] = { "file", "dir", "to-file", "to-dir",
	"dangling", "dir/in", "none", "fifo", "socket", "second", "other",
	"set-id", "read", "gone-soon", "." };

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
	static const char *const files[] = { "file", "dir/in", "none", "other",
		"set-id", "read", "gone-soon", "locked/x" };
	char name[64];

	tmp_begin();
	cage_files();
	tmp_dir("w/pub/t");
	tmp_dir("w/pub/t/dir");
	tmp_dir("w/pub/t/locked");
	for (size_t i = 0; i < CDN_LEN(files); i++) {
		snprintf(name, sizeof(name), "w/pub/t/%s", files[i]);
		tmp_file(name, "content\n");
	}
	tmp_link("file", "w/pub/t/to-file");
	tmp_link("dir", "w/pub/t/to-dir");
	tmp_link("nothing", "w/pub/t/dangling");
	tmp_link("loop", "w/pub/t/loop");
	tmp_link("/proc/self/fd/4", "w/pub/t/to-fd");
	tmp_hardlink("w/pub/t/dir/in", "w/pub/t/second");
	tmp_need(mkfifo(tmp_path("w/pub/t/fifo"), 0644) == 0, "mkfifo", "");
	make_socket();
	tmp_mode("w/pub/t/none", 0);
	tmp_mode("w/pub/t/set-id", 06755);
	tmp_mode("w/pub/t/locked", 0);
	/* Only root can, and even for root it is somebody else's then. */
	(void)!chown(tmp_path("w/pub/t/other"), TMP_NOBODY, TMP_NOBODY);
}

static void
tell_all(struct cage *cage, long fd, FILE *out)
{
	char path[PATH_MAX * 2];

	for (size_t i = 0; i < CDN_LEN(watched); i++) {
		snprintf(path, sizeof(path), "%s/%s", tmp_path("w/pub/t"),
		    watched[i]);
		fprintf(out, " | %s", watched[i]);
		change_state(path, false, out);
	}
	if (fd >= 0)
		fprintf(out, " | %s", cage_ask(cage, "modeof %ld", fd));
}

static void
ask(struct cage *cage, const struct change_call *call, const char *name,
    long fd, FILE *out)
{
	bool absolute = strncmp(name, "$T", 2) == 0;
	char line[8192], path[PATH_MAX * 2];

	snprintf(path, sizeof(path), "%s%s",
	    absolute ? tmp_path("w/pub/t") : "", name + (absolute ? 2 : 0));
	change_line(call, path, fd, line, sizeof(line));
	(void)cage_ask(cage, "%s", line);
	fprintf(out, "%s %s (%s %ld): %s", call->name, call->args, name, fd,
	    cage->answer);
	tell_all(cage, fd, out);
	fputc('\n', out);
}

static void
ask_paths(struct cage *cage, FILE *out)
{
	for (size_t p = 0; p < CDN_LEN(paths); p++)
		for (size_t i = 0; i < CDN_LEN(changes_by_path); i++)
			ask(cage, &changes_by_path[i], paths[p], -1, out);
}

/* 3: for reading, 4: O_PATH, 5: a directory, 6: removed, 7: in memory. */
static void
keep_fds(struct cage *cage, FILE *out)
{
	fprintf(out, "%s ", cage_ask(cage, "keep 0 read"));
	fprintf(out, "%s ", cage_ask(cage, "keep 010000000 read"));
	fprintf(out, "%s ", cage_ask(cage, "keep 0200000 dir"));
	fprintf(out, "%s ", cage_ask(cage, "keep 0 gone-soon"));
	fprintf(out, "%s ", cage_ask(cage, "sys %d s:memory 0",
		SYS_memfd_create));
	fprintf(out, "%s\n", cage_ask(cage, "sys %d 0 0", SYS_eventfd2));
	unlink(tmp_path("w/pub/t/gone-soon"));
}

static void
ask_fds(struct cage *cage, FILE *out)
{
	/* Not AT_FDCWD, of which kernels differ: -EBADF is the old answer. */
	static const long fds[] = { 3, 4, 5, 6, 7, 0, 99, -1 };

	for (size_t f = 0; f < CDN_LEN(fds); f++)
		for (size_t i = 0; i < CDN_LEN(changes_by_fd); i++)
			ask(cage, &changes_by_fd[i], "", fds[f], out);
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
	(void)cage_ask(&cage, "chdir %s", tmp_path("w/pub/t"));
	keep_fds(&cage, out);
	ask_paths(&cage, out);
	ask_fds(&cage, out);
	(void)cage_stop(&cage);
	fclose(out);
	tmp_mode("w/pub/t/locked", 0755);
	tmp_end();
	return text;
}

static bool
has(cdn_str line, const char *text)
{
	return memmem(line.p, line.n, text, strlen(text)) != NULL;
}

/* A link of /proc itself, which is nobody's to change; nothing changed. */
static bool
is_excused(cdn_str wanted, cdn_str got)
{
	const char *x = memchr(wanted.p, '|', wanted.n);
	const char *y = memchr(got.p, '|', got.n);

	return has(got, "(/proc/self/fd/") && has(got, ": errno 13 |") &&
	    x != NULL && y != NULL &&
	    cdn_str_eq((cdn_str){ x, (size_t)(wanted.p + wanted.n - x) },
		(cdn_str){ y, (size_t)(got.p + got.n - y) });
}

static void
compare(const char *name, const char *wanted, const char *got)
{
	cdn_str a = cdn_str_of(wanted), b = cdn_str_of(got), x, y;
	int same = 0, other = 0, worked = 0, excused = 0;

	while (a.n > 0 && b.n > 0 && cdn_str_next(&a, '\n', &x) &&
	    cdn_str_next(&b, '\n', &y)) {
		if (cdn_str_eq(x, y))
			same++;
		else if (is_excused(x, y))
			excused++;
		else if (other++ < 20)
			printf("# really: %.*s\n# broker: %.*s\n",
			    CDN_STR_ARG(x), CDN_STR_ARG(y));
		worked += has(y, ": value 0 |");
	}
	ok_f(other == 0 && a.n == b.n && same > 1000 && worked > 300 &&
	    excused < 40, "%s: %d the same, %d not, %d refused by rule; "
	    "%d worked", name, same, other, excused, worked);
}

int
main(void)
{
	static const char *const names[] = { [CAGE_A] = "mode A",
		[CAGE_B] = "mode B", [CAGE_C] = "mode C" };
	char *bare, *brokered;

	if (cdn_sys_landlock_abi() < 3) {
		skip("no Landlock, or an old one");
		return done_testing();
	}
	bare = run(CAGE_BARE);
	for (int mode = CAGE_A; mode <= CAGE_C; mode++) {
		brokered = run((enum cage_mode)mode);
		compare(names[mode], bare, brokered);
		free(brokered);
	}
	free(bare);
	return done_testing();
}
