/* Removing what a cage made: of any shape, and nothing else. */
#include "enforce/home/wipe.h"

#include <dirent.h>
#include <sched.h>
#include <sys/mount.h>

#include "fixture.h"

#define DEPTH 10000

static int
wipe(const char *name, size_t budget, size_t *ret_left)
{
	int fd = open(tmp_root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int r = cdn_wipe(fd, name, &budget);

	close(fd);
	if (ret_left != NULL)
		*ret_left = budget;
	return r;
}

static void
test_plain(void)
{
	ok(wipe("none", 9, NULL) == 0, "what is not there is gone");
	tmp_dir("t");
	ok(wipe("t", 0, NULL) == 0 && !tmp_there("t"), "an empty directory");
	tmp_file("t", "x");
	ok(wipe("t", 0, NULL) == 0 && !tmp_there("t"), "a file");
	tmp_dir("t");
	tmp_dir("t/a");
	tmp_dir("t/a/b");
	tmp_dir("t/a/b/c");
	tmp_file("t/a/b/c/f", "x");
	tmp_file("t/a/f", "x");
	tmp_dir("t/e");
	tmp_need(mkfifo(tmp_path("t/a/fifo"), 0600) == 0, "mkfifo", "fifo");
	ok(wipe("t", 99, NULL) == 0 && !tmp_there("t"), "a small tree");
}

/* Whatever links lead to stays. */
static void
test_links(void)
{
	tmp_dir("outside");
	tmp_file("outside/f", "x");
	tmp_dir("outside/d");
	tmp_dir("t");
	tmp_dir("t/a");
	tmp_link("../outside", "t/l");
	tmp_link(tmp_path("outside/d"), "t/a/l");
	tmp_link("../../outside/f", "t/a/f");
	tmp_hardlink("outside/f", "t/a/h");
	ok(wipe("t", 99, NULL) == 0 && !tmp_there("t"), "a tree of links");
	ok(tmp_there("outside/f") && tmp_there("outside/d"),
	    "what they led to is there");
	tmp_link("outside", "t");
	ok(wipe("t", 99, NULL) == 0 && !tmp_there("t") &&
		tmp_there("outside/f"),
	    "a link in place of the tree");
	tmp_mode("outside/f", 0);
	tmp_dir("t");
	tmp_link("../outside", "t/l");
	ok(wipe("t", 99, NULL) == 0 && mode_of("outside/f") == 0,
	    "no mode is changed behind a link");
}

static void
make_closed(void)
{
	tmp_dir("t");
	tmp_dir("t/a");
	tmp_dir("t/a/b");
	tmp_dir("t/a/b/c");
	tmp_file("t/a/b/c/f", "x");
	tmp_mode("t/a/b/c/f", 0);
	tmp_mode("t/a/b/c", 0);
	tmp_mode("t/a/b", 0500);
	tmp_mode("t/a", 0100);
	tmp_mode("t", 0);
}

static int
body_closed(void *arg)
{
	(void)arg;
	if (chdir(tmp_root) != 0)
		return 1;
	make_closed();
	if (geteuid() != 0 && rmdir("t/a/b/c") == 0)
		return 2; /* control: not so easily */
	return wipe("t", 99, NULL) == 0 && !tmp_there("t") ? 0 : 3;
}

static void
test_closed(void)
{
	ok(body_closed(NULL) == 0, "directories without rights");
	tmp_need(chmod(tmp_root, 0777) == 0, "chmod", tmp_root);
	ok_nobody(body_closed, NULL, "the same as nobody");
}

/* Deeper than a path can be long, and than descriptors can be many. */
static void
make_deep(const char *name)
{
	int at = open(tmp_root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	for (int i = 0; i < DEPTH; i++) {
		int fd;

		tmp_need(mkdirat(at, i == 0 ? name : "d", 0700) == 0, "mkdir",
		    name);
		fd = openat(at, i == 0 ? name : "d",
		    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		close(openat(fd, "f", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
		close(at);
		at = fd;
	}
	close(at);
}

static void
test_deep(void)
{
	int before = tmp_open_fds();

	make_deep("t");
	ok(wipe("t", 100, NULL) < 0 && tmp_there("t"),
	    "the budget ends before the tree");
	ok(wipe("t", 10 * DEPTH, NULL) == 0 && !tmp_there("t"),
	    "10 000 levels, and some of them moved already");
	ok(tmp_open_fds() == before, "no descriptor is left open");
}

static int
count(const char *name)
{
	DIR *dir = opendir(tmp_path(name));
	int n = -2; /* "." and ".." */

	tmp_need(dir != NULL, "opendir", name);
	while (readdir(dir) != NULL)
		n++;
	closedir(dir);
	return n;
}

static void
test_wide(void)
{
	size_t left = 0;
	char name[64];

	tmp_dir("t");
	for (int i = 0; i < 5000; i++) {
		snprintf(name, sizeof(name), "t/%d", i);
		if (i % 10 == 0)
			tmp_dir(name);
		else
			tmp_file(name, "");
	}
	ok(wipe("t", 10000, &left) == 0 && !tmp_there("t"), "5 000 names");
	ok(left == 5000, "each of them counted once");
	tmp_dir("t");
	tmp_dir("t/a");
	for (int i = 0; i < 500; i++) {
		snprintf(name, sizeof(name), "t/a/%d", i);
		tmp_file(name, "");
	}
	ok(wipe("t", 100, &left) < 0 && left == 0 && count("t/a") == 400,
	    "a budget is kept to the name");
	ok(wipe("t", 1000, NULL) == 0, "control: and a larger one is enough");
}

/* ----- Something is mounted in it --------------------------------------------- */

static int
body_mounted(void *arg)
{
	(void)arg;
	if (unshare(CLONE_NEWNS) != 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
		return 99;
	tmp_dir("t");
	tmp_dir("t/a");
	tmp_dir("t/a/m");
	tmp_dir("t/a/bound");
	tmp_dir("t/bound");
	tmp_file("t/a/f", "x");
	if (mount("tmpfs", tmp_path("t/a/m"), "tmpfs", 0, NULL) != 0 ||
	    mount(tmp_path("outside"), tmp_path("t/bound"), NULL, MS_BIND,
		NULL) != 0 ||
	    mount(tmp_path("outside"), tmp_path("t/a/bound"), NULL, MS_BIND,
		NULL) != 0)
		return 99;
	tmp_file("t/a/m/f", "x");
	if (wipe("t", 99, NULL) == 0)
		return 1;
	if (!tmp_there("t/a/m/f") || !tmp_there("outside/f"))
		return 2;
	if (tmp_there("t/a/f"))
		return 3; /* control: the rest is gone */
	umount(tmp_path("t/a/m"));
	umount(tmp_path("t/a/bound"));
	umount(tmp_path("t/bound"));
	return wipe("t", 99, NULL) == 0 && tmp_there("outside/f") ? 0 : 4;
}

static void
test_mounted(void)
{
	int r = tmp_child(body_mounted, NULL, false);

	if (r == 99)
		skip("cannot mount here");
	else
		ok_f(r == 0, "nothing below a mount point is removed (%d)", r);
	tmp_clear(tmp_path("t"));
}

/* ----- Somebody works in it meanwhile ----------------------------------------- */

static void
disturb(void)
{
	for (int i = 0; i < 1000; i++) {
		(void)!mkdir(tmp_path("t/x"), 0700);
		(void)!mkdir(tmp_path("t/x/y"), 0700);
		(void)!symlink("../../outside", tmp_path("t/x/y/l"));
		(void)!rename(tmp_path("t/x/y"), tmp_path("away"));
		(void)!rename(tmp_path("away"), tmp_path("t/z"));
		(void)!rmdir(tmp_path("t/x"));
		(void)!symlink("outside", tmp_path("t/x"));
		(void)!unlink(tmp_path("t/x"));
	}
}

static void
test_race(void)
{
	int status;
	pid_t pid;

	tmp_dir("t");
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		disturb();
		_exit(0);
	}
	for (int i = 0; i < 300; i++) {
		(void)!wipe("t", 1000, NULL);
		(void)!mkdir(tmp_path("t"), 0700);
	}
	waitpid(pid, &status, 0);
	tmp_clear(tmp_path("away"));
	ok(wipe("t", 1000, NULL) == 0 && !tmp_there("t"),
	    "gone at last, when nobody makes it again");
	ok(tmp_there("outside/f") && tmp_there("outside/d"),
	    "what lies beside it stayed");
}

int
main(void)
{
	/* Much is made and removed: in memory, where there is such a place. */
	tmp_begin_below(access("/dev/shm", W_OK) == 0 ? "/dev/shm" : NULL);
	test_plain();
	test_links();
	test_closed();
	test_deep();
	test_wide();
	test_mounted();
	test_race();
	tmp_end();
	return done_testing();
}
