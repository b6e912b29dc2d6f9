/*
 * Operations times rules: what makes, removes, renames and links obeys the
 * rules, however it is spelled; each denial beside something alike that is
 * allowed, and the host's own look at the tree afterwards.
 */
#include "cage.h"

static const char rules[] =
    "  denyRead: [\"secrets/**\", \"**/*.env\"]\n"
    "  denyModify: [\"secrets/**\", \".git/hooks/**\", \"**/*.lock\", "
    "\"**/*.env\"]\n"
    "  fsProfiles:\n"
    "    dev: {read: [\"**\"], modify: [\"**\"]}\n";

/* $W is the workspace, in which the caller stands. */
static const struct row {
	const char *request;
	const char *want;
	const char *there; /* afterwards; with '!' not there */
} rows[] = {
	/* clang-format off */
	{ "mkdir 0755 pub/d", "done 0", "pub/d" },
	{ "mkdir 0755 secrets/d", "errno 13", "!secrets/d" },
	{ "mkdir 0755 .git/hooks/d", "errno 13", "!.git/hooks/d" },
	{ "mkdir 0755 pub/d.lock", "errno 13", "!pub/d.lock" },
	{ "mkdir 0755 pub/d.lock/", "errno 13", "!pub/d.lock" },
	{ "mkdir 0755 link-dir/d", "errno 13", "!secrets/d" },
	{ "mkdir 0755 link-pub/e", "done 0", "pub/e" },
	{ "mkdir 0755 $W/../out/d", "errno 13", NULL },
	{ "mkdir 0755 /usr/cordon-test", "errno 13", NULL },
	{ "mkdir 0755 pub/../secrets/d", "errno 13", "!secrets/d" },
	{ "mkdir 0755 /proc/self/cwd/secrets/d", "errno 13", "!secrets/d" },
	{ "mkdir 0755 /proc/self/cwd/pub/f", "done 0", "pub/f" },
	{ "mkdir 0755 /proc/self/root$W/secrets/d", "errno 13", "!secrets/d" },
	{ "mkdir 0755 secrets", "errno 17", NULL },
	{ "mkdir 0755 .git/hooks", "errno 17", NULL },
	{ "mkdir 0755 /", "errno 17", NULL },
	{ "mkdir 0755 /usr", "errno 17", NULL },

	{ "mknod 0010644 pub/fifo", "done 0", "pub/fifo" },
	{ "mknod 0100644 pub/node", "done 0", "pub/node" },
	{ "mknod 0644 pub/node2", "done 0", "pub/node2" },
	{ "mknod 0010644 secrets/fifo", "errno 13", "!secrets/fifo" },
	{ "mknod 0100644 pub/n.lock", "errno 13", "!pub/n.lock" },
	{ "mknod 0020644 pub/dev", "errno 1", "!pub/dev" },
	{ "mknod 0060644 pub/dev", "errno 1", "!pub/dev" },
	{ "mknod 0040644 pub/dev", "errno 1", "!pub/dev" },

	{ "symlink ../secrets/s pub/l", "done 0", "pub/l" },
	{ "open 0 0 pub/l", "errno 13", "pub/l" },
	{ "symlink a secrets/l", "errno 13", "!secrets/l" },
	{ "symlink a .git/hooks/l", "errno 13", "!.git/hooks/l" },
	{ "symlink a x.lock", "errno 13", "!x.lock" },
	{ "symlink @ pub/l2", "errno 2", "!pub/l2" },

	{ "unlink pub/l", "done 0", "!pub/l" },
	{ "unlink secrets/s", "errno 13", "secrets/s" },
	{ "unlink .git/hooks/h", "errno 13", ".git/hooks/h" },
	{ "unlink pub/p.lock", "errno 13", "pub/p.lock" },
	{ "unlink link-dir/s", "errno 13", "secrets/s" },
	{ "unlink secrets/none", "errno 2", NULL },
	{ "unlink link-dir", "done 0", "secrets/s" },
	{ "rmdir pub/d", "done 0", "!pub/d" },
	{ "rmdir .git/hooks", "errno 13", ".git/hooks" },
	{ "rmdir secrets/deep", "errno 13", "secrets/deep" },
	{ "rmdir .", "errno 22", NULL },
	{ "rmdir ..", "errno 39", NULL },
	{ "rmdir /", "errno 16", NULL },
	{ "unlink /", "errno 21", NULL },

	{ "truncate 3 pub/a", "done 0", NULL },
	{ "truncate 0 secrets/s", "errno 13", NULL },
	{ "truncate 0 .git/hooks/h", "errno 13", NULL },
	{ "truncate 0 pub/p.lock", "errno 13", NULL },
	{ "truncate 0 link-hook", "errno 13", NULL },
	{ "truncate 0 /etc/passwd", "errno 13", NULL },
	{ "truncate 0 pub", "errno 21", NULL },
	{ "truncate -1 pub/a", "errno 22", NULL },

	{ "link pub/a pub/a2", "done 0", "pub/a2" },
	{ "link secrets/s pub/s", "errno 13", "!pub/s" },
	{ "link .git/hooks/h pub/h", "errno 13", "!pub/h" },
	{ "link pub/a .git/hooks/a", "errno 13", "!.git/hooks/a" },
	{ "link pub/a a.lock", "errno 13", "!a.lock" },
	{ "linkat cwd link-hook cwd pub/h 0x400", "errno 13", "!pub/h" },
	{ "linkat cwd link-hook cwd pub/h 0", "done 0", "pub/h" },
	{ "link /etc/passwd pub/passwd", "errno 13", "!pub/passwd" },
	{ "link pub pub/pub2", "errno 1", "!pub/pub2" },

	{ "rename pub/a2 pub/a3", "done 0", "pub/a3" },
	{ "rename secrets/s pub/s", "errno 13", "secrets/s" },
	{ "rename pub/a3 secrets/s", "errno 13", "pub/a3" },
	{ "rename pub/a3 .git/hooks/h", "errno 13", "pub/a3" },
	{ "rename .git/hooks/h pub/h", "errno 13", ".git/hooks/h" },
	{ "rename pub/p.lock pub/p", "errno 13", "pub/p.lock" },
	{ "rename pub/a3 pub/p.lock", "errno 13", "pub/a3" },
	{ "rename secrets pub/s", "errno 13", "secrets/s" },
	{ "rename .git g2", "errno 18", ".git/hooks/h" },
	{ "rename .git/hooks .git/h", "errno 13", ".git/hooks/h" },
	{ "rename pub/sub .git/hooks", "errno 13", "pub/sub" },
	{ "rename g3 .git", "errno 18", "g3/hooks/h" },
	{ "rename src lib", "done 0", "lib/a.env" },
	{ "rename lib pub/sub/src", "done 0", "pub/sub/src/a.env" },
	{ "rename pub/sub/src src", "done 0", "src/a.env" },
	{ "rename2 src new 4", "errno 1", "src" }, /* whiteout */
	{ "rename2 src new 8", "errno 22", "src" },
	{ "rename2 src new 3", "errno 22", "src" },
	{ "rename2 pub/a3 pub/a 1", "errno 17", "pub/a3" },
	{ "rename2 pub/a3 pub/a4 1", "done 0", "pub/a4" },
	{ "rename2 pub/a4 pub/a 2", "done 0", "pub/a4" },
	{ "rename2 pub/a .git/hooks/h 2", "errno 13", ".git/hooks/h" },
	{ "rename2 secrets pub/sub 2", "errno 13", "secrets/s" },
	{ "rename2 .git g3 2", "errno 18", ".git/HEAD" },
	{ "rename2 src pub/sub 2", "done 0", "pub/sub/a.env" },
	{ "rename2 src pub/sub 2", "done 0", "src/a.env" },
	{ "rename pub pub/sub/x", "errno 22", "pub" },
	{ "rename pub/sub pub", "errno 39", "pub/sub" },
	{ "rename . x", "errno 16", NULL },
	{ "rename pub ..", "errno 16", "pub" },
	{ "rename none secrets/s", "errno 2", "secrets/s" },
	{ "rename open/a pub/from-open", "done 0", "pub/from-open" },
	{ "rename pub/from-open open/a", "done 0", "open/a" },
	{ "rename open/d pub/d", "done 0", "pub/d" },
	{ "rename open/a open/.env", "errno 13", "open/a" },

	/* old descriptors */
	{ "keep 010000000 $W/secrets", "fd 3", NULL }, /* O_PATH */
	{ "mkdirat 3 0755 d", "errno 13", "!secrets/d" },
	{ "mkdirat 3 0755 ../pub/g", "done 0", "pub/g" },
	{ "unlinkat 3 0 s", "errno 13", "secrets/s" },
	{ "unlinkat 3 0x200 deep", "errno 13", "secrets/deep" },
	{ "unlinkat 3 0x200 ../pub/g", "done 0", "!pub/g" },
	{ "unlinkat 3 1 s", "errno 22", NULL },
	{ "renameat 3 s cwd pub/s", "errno 13", "secrets/s" },
	{ "renameat2 cwd pub/a 3 x 0", "errno 13", "pub/a" },
	{ "symlinkat a 3 l", "errno 13", "!secrets/l" },
	{ "mknodat 3 0100644 n", "errno 13", "!secrets/n" },
	{ "keep 010000000 $W/secrets/s", "fd 4", NULL },
	{ "linkat 4 @ cwd pub/s 0x1000", "errno 13", "!pub/s" },
	{ "linkat cwd /proc/self/fd/4 cwd pub/s 0x400", "errno 13", "!pub/s" },
	{ "linkat 3 s cwd pub/s 0", "errno 13", "!pub/s" },
	{ "truncate 0 /proc/self/fd/4", "errno 13", NULL },
	{ "keep 020200002 $W/pub", "fd 5", NULL }, /* O_TMPFILE */
	{ "linkat cwd /proc/self/fd/5 cwd .git/hooks/t 0x400", "errno 13",
	    "!.git/hooks/t" },
	{ "linkat cwd /proc/self/fd/5 cwd t.lock 0x400", "errno 13", "!t.lock" },
	{ "linkat cwd /proc/self/fd/5 cwd pub/t 0x400", "done 0", "pub/t" },
	{ "linkat 5 @ cwd secrets/t 0x1000", "errno 13", "!secrets/t" },
	{ "linkat 5 @ cwd pub/t2 0x1000", "done 0", "pub/t2" },
	{ "linkat 0 @ cwd pub/pipe 0x1000", "errno 18", "!pub/pipe" },
	{ "close 3", "closed", NULL },

	/* where calls go on by themselves */
	{ "mkdir 0755 open/e", "done 0", "open/e" },
	{ "mkdir 0755 open/e.lock", "errno 13", "!open/e.lock" },
	{ "symlink a open/l", "done 0", "open/l" },
	{ "link open/a open/b", "done 0", "open/b" },
	{ "rename open/b open/c", "done 0", "open/c" },
	{ "rename open/e open/g", "done 0", "open/g" },
	{ "unlink open/c", "done 0", "!open/c" },
	{ "rmdir open/g", "done 0", "!open/g" },
	{ "link open/a pub/oa", "done 0", "pub/oa" },
	{ "truncate 3 open/a", "done 0", NULL },
	{ "open 194 0644 open/m", "mode 100644", "open/m" }, /* O_EXCL */
	{ "open 194 0644 open/m", "errno 17", "open/m" },
	{ "open 194 0644 open/m.env", "errno 13", "!open/m.env" },
	{ "rename open/m $W/open//./m2", "done 0", "open/m2" },
	{ "rename2 open/m2 open/a 1", "errno 17", "open/m2" },
	{ "rename open/m2 open/m.lock", "errno 13", "open/m2" },
	{ "unlink $W/open/m2", "done 0", "!open/m2" },
	{ "unlink $W/open/m2", "errno 2", NULL },
	/* ... and where they only seem to */
	{ "symlink ../pub open/out", "done 0", "open/out" },
	{ "mkdir 0755 open/out/o", "done 0", "pub/o" },
	{ "mkdir 0755 $W/open/out/p", "done 0", "pub/p" },
	{ "mkdir 0755 open/out/o.lock", "errno 13", "!pub/o.lock" },
	{ "mkdir 0755 open/../pub/q", "done 0", "pub/q" },
	{ "mkdir 0755 open/../secrets/q", "errno 13", "!secrets/q" },
	{ "rename open/out/o open/o", "done 0", "open/o" },
	{ "rename open/o open/out/o", "done 0", "pub/o" },
	{ "rmdir open/out/o", "done 0", "!pub/o" },
	{ "rename open/out open/way", "done 0", "open/way" },
	{ "unlink open/way", "done 0", "!open/way" },
	/* ... from where one stands */
	{ "chdir open", "changed 0", NULL },
	{ "mkdir 0755 e", "done 0", "open/e" },
	{ "mkdir 0755 ./e/f", "done 0", "open/e/f" },
	{ "mkdir 0755 e.lock", "errno 13", "!open/e.lock" },
	{ "mkdir 0755 ../pub/r", "done 0", "pub/r" },
	{ "rename e/f f", "done 0", "open/f" },
	{ "rename f ../pub/f2", "done 0", "pub/f2" },
	{ "keep 010000000 $W/open/e", "fd 3", NULL },
	{ "mkdirat 3 0755 g", "done 0", "open/e/g" },
	{ "mkdirat 3 0755 g.lock", "errno 13", "!open/e/g.lock" },
	{ "renameat 3 g cwd g", "done 0", "open/g" },
	{ "unlinkat 3 0x200 ../g", "done 0", "!open/g" },
	{ "chdir e", "changed 0", NULL },
	{ "rmdir $W/open/e", "done 0", "!open/e" },
	{ "mkdir 0755 h", "errno 2", "!open/e" },
	{ "mkdirat 3 0755 h", "errno 2", "!open/e" },
	{ "mkdirat 99 0755 h", "errno 9", NULL },
	{ "chdir $W", "changed 0", NULL },
	{ "close 3", "closed", NULL },

	/* where nobody may search, which is asked before all else */
	{ "keep 010000000 $W/shut", "fd 3", NULL },
	{ "mkdirat 3 0755 .", "errno 13", NULL },
	{ "symlinkat q 3 ..", "errno 13", NULL },
	{ "mkdirat 3 0755 d", "errno 13", NULL },
	{ "unlinkat 3 0 d", "errno 13", NULL },
	{ "renameat 3 b cwd none/x", "errno 13", NULL },
	{ "renameat cwd none 3 b", "errno 13", NULL },
	{ "renameat 3 b 99 x", "errno 13", NULL },
	{ "mkdirat 99 0755 d", "errno 9", NULL }, /* control */
	{ "renameat cwd pub/a cwd none/x", "errno 2", NULL }, /* control */
	{ "close 3", "closed", NULL },
	/* clang-format on */
};

static void
make_files(void)
{
	cage_files();
	tmp_dir("w/.git");
	tmp_dir("w/.git/hooks");
	tmp_file("w/.git/hooks/h", "hook\n");
	tmp_file("w/.git/HEAD", "head\n");
	tmp_dir("w/g3");
	tmp_dir("w/g3/hooks");
	tmp_file("w/g3/hooks/h", "evil\n");
	tmp_dir("w/src");
	tmp_file("w/src/a.env", "SECRET\n");
	tmp_file("w/src/b.c", "int b;\n");
	tmp_dir("w/open/d");
	tmp_file("w/pub/p.lock", "lock\n");
	tmp_dir("w/shut");
	tmp_mode("w/shut", 0600);
	tmp_link("secrets", "w/link-dir");
	tmp_link("pub", "w/link-pub");
	tmp_link(".git/hooks/h", "w/link-hook");
}

static void
expand(const char *text, char *out, size_t size)
{
	size_t n = 0;

	for (; *text != '\0' && n < size - 1; text++)
		if (text[0] == '$' && text[1] == 'W') {
			n += (size_t)snprintf(out + n, size - n, "%s",
			    tmp_path("w"));
			text++;
		} else {
			out[n++] = *text;
		}
	out[n] = '\0';
}

static bool
is_there(const char *what)
{
	char name[256];

	if (what == NULL)
		return true;
	snprintf(name, sizeof(name), "w/%s", what + (what[0] == '!'));
	return tmp_there(name) == (what[0] != '!');
}

static bool
holds(const char *name, const char *text)
{
	char data[64] = "";
	int fd = open(tmp_path(name), O_RDONLY | O_CLOEXEC);
	bool same = fd >= 0 && read(fd, data, sizeof(data) - 1) >= 0 &&
	    strcmp(data, text) == 0;

	if (fd >= 0)
		close(fd);
	return same;
}

static void
check_host(void)
{
	ok(holds("w/secrets/s", "SECRET\n") &&
	    holds("w/secrets/deep/s", "SECRET\n"), "secrets are as they were");
	ok(holds("w/.git/hooks/h", "hook\n") && holds("w/.git/HEAD", "head\n"),
	    "the hook is as it was");
	ok(holds("w/pub/p.lock", "lock\n"), "the lock is as it was");
	ok(!tmp_there("out/d"), "nothing was made outside");
	ok(holds("w/src/a.env", "SECRET\n"), "what was moved is whole");
}

static void
check_rows(enum cage_mode mode)
{
	const char *name = mode == CAGE_B ? "B" : "C";
	struct cage cage = { .rules = rules };
	char request[8192];

	tmp_begin();
	make_files();
	cage_start(&cage, mode);
	(void)cage_ask(&cage, "chdir %s", tmp_path("w"));
	for (size_t i = 0; i < CDN_LEN(rows); i++) {
		const struct row *row = &rows[i];

		expand(row->request, request, sizeof(request));
		(void)cage_ask(&cage, "%s", request);
		if (mode == CAGE_B && strncmp(row->request, "open 0", 6) == 0)
			continue;
		if (!ok_f(strcmp(cage.answer, row->want) == 0 ||
			(row->want[0] != 'e' && cage_says(&cage, row->want)),
			"%s: %s: %s", name, row->request, row->want))
			printf("# got %s\n", cage.answer);
		if (!is_there(row->there))
			ok_f(false, "%s: %s: %s", name, row->request,
			    row->there);
	}
	check_host();
	ok(cage_stop(&cage) == 0, "the caller ends well");
	tmp_end();
}

/* What is told: the part that was denied, by which rule, what he got. */
static void
check_told(void)
{
	struct cage cage = { .rules = rules };

	tmp_begin();
	make_files();
	cage_start(&cage, CAGE_B);
	(void)cage_ask(&cage, "chdir %s", tmp_path("w"));
	(void)cage_ask(&cage, "rename pub/a pub/b");
	ok(cage.denials == 0, "nothing is told of what is allowed");
	(void)cage_ask(&cage, "rename pub/b .git/hooks/h");
	ok_f(cage.denials == 1 && cage.op == CORDON_MODIFY &&
	    strcmp(cage.denied, tmp_path("w/.git/hooks/h")) == 0 &&
	    strcmp(cage.rule, ".git/hooks/**") == 0, "the target: %s by %s",
	    cage.denied, cage.rule);
	(void)cage_ask(&cage, "link secrets/s pub/s");
	ok_f(cage.denials == 2 && cage.op == CORDON_READ &&
	    strcmp(cage.denied, tmp_path("w/secrets/s")) == 0 &&
	    strcmp(cage.rule, "secrets/**") == 0, "the source: %s by %s",
	    cage.denied, cage.rule);
	(void)cage_ask(&cage, "rename .git g2");
	ok_f(cage.denials == 3 &&
	    strcmp(cage.denied, tmp_path("w/.git")) == 0, "a split: %s by %s",
	    cage.denied, cage.rule);
	(void)cage_ask(&cage, "mkdir 0755 secrets");
	(void)cage_ask(&cage, "unlink secrets/none");
	ok(cage.denials == 3, "nothing of what would fail anyway");
	(void)cage_stop(&cage);
	tmp_end();
}

static void
deny_all(const struct cdn_question *question, dev_t dev, ino_t ino,
    struct cordon_verdict *verdict, void *arg)
{
	(void)question;
	(void)dev;
	(void)ino;
	(void)arg;
	verdict->decision = CORDON_DENY;
	verdict->allowed = false;
	verdict->matched_rule = "second";
}

/* Where calls are performed, and where they go on by themselves. */
static const struct {
	const char *request, *want, *text;
} seconds[] = {
	{ "rename a b", "done 0", "a file with one name is renamed" },
	{ "rename second c", "errno 13", "one with two names is not" },
	{ "link second c", "errno 13", "nor linked" },
	{ "rename b second", "errno 13", "nor replaced" },
	{ "rename2 b second 2", "errno 13", "nor exchanged" },
	{ "truncate 0 second", "errno 13", "nor cut" },
	{ "unlink second", "errno 13", "nor removed" },
	{ "unlink b", "done 0", "as one with one name is" },
};

/* A file with another name that is denied is denied under this one. */
static void
check_second_names(const char *directory)
{
	struct cage cage = { .rules = rules, .other_names = deny_all };
	char second[64], absent[64];

	snprintf(second, sizeof(second), "w/%s/second", directory);
	snprintf(absent, sizeof(absent), "w/%s/c", directory);
	tmp_begin();
	make_files();
	tmp_hardlink("w/secrets/s", second);
	cage_start(&cage, CAGE_B);
	(void)cage_ask(&cage, "chdir %s/%s", tmp_path("w"), directory);
	for (size_t i = 0; i < CDN_LEN(seconds); i++) {
		cage.rule[0] = '\0';
		(void)cage_ask(&cage, "%s", seconds[i].request);
		ok_f(strcmp(cage.answer, seconds[i].want) == 0 &&
		    (seconds[i].want[0] == 'd' ||
			strcmp(cage.rule, "second") == 0), "%s: %s: %s",
		    directory, seconds[i].text, cage.answer);
	}
	(void)cage_stop(&cage);
	ok(holds("w/secrets/s", "SECRET\n") && tmp_there(second) &&
	    !tmp_there(absent), "and it is as it was");
	tmp_end();
}

/* Landlock's grant of an open directory goes with it. */
static void
check_made_again(void)
{
	static const struct {
		const char *request, *want;
	} again[] = {
		{ "open 0101 0644 open/b", "mode" }, /* control: as it was */
		{ "rename open moved", "done 0" },
		{ "open 0101 0644 moved/b", "mode" },
		{ "mkdir 0755 open", "done 0" },
		{ "open 0101 0644 open/b", "mode" },
		{ "mkdir 0755 open/d", "done 0" },
		{ "rename open/d open/e", "done 0" },
		{ "rmdir open/e", "done 0" },
		{ "unlink open/b", "done 0" },
		{ "rmdir open", "done 0" },
		{ "mkdir 0755 open", "done 0" },
		{ "open 0101 0644 open/c", "mode" },
	};
	struct cage cage = { .rules = rules };

	tmp_begin();
	make_files();
	cage_start(&cage, CAGE_B);
	(void)cage_ask(&cage, "chdir %s", tmp_path("w"));
	for (size_t i = 0; i < CDN_LEN(again); i++) {
		(void)cage_ask(&cage, "%s", again[i].request);
		ok_f(cage_says(&cage, again[i].want), "made again: %s: %s",
		    again[i].request, cage.answer);
	}
	(void)cage_stop(&cage);
	tmp_end();
}

int
main(void)
{
	if (cdn_sys_landlock_abi() < 3) {
		skip("no Landlock, or an old one");
		return done_testing();
	}
	check_rows(CAGE_B);
	check_rows(CAGE_C);
	check_told();
	check_second_names("pub");
	check_second_names("open");
	check_made_again();
	return done_testing();
}
