/*
 * Somebody changes what was judged before it is used: the text of a path, a
 * link on the way, what stands at the end of it.  Nothing comes to be where it
 * must not.
 */
#include "races.h"

#include <linux/fs.h>

static const char rules[] =
    "  denyRead: [\"secrets/**\"]\n"
    "  denyModify: [\"secrets/**\", \".git/hooks/**\", \".cfg/hooks/**\"]\n"
    "  fsProfiles:\n"
    "    dev: {read: [\"**\"], modify: [\"**\"]}\n";

static void
make_files(void)
{
	cage_files();
	tmp_dir("w/.git");
	tmp_dir("w/.git/hooks");
	tmp_file("w/.git/hooks/h", "hook\n");
	tmp_dir("w/pub/hooks");
	tmp_file("w/pub/hooks/h2", "mine\n");
	tmp_file("w/pub/hooks1x", "file\n");
	tmp_dir("w/open/dir");
	tmp_file("w/open/dir/h2", "open\n");
	tmp_link("pub", "w/turn-dir");
	tmp_dir("w/pub/tree");
	tmp_dir("w/pub/tree/hooks");
	tmp_file("w/pub/tree/hooks/h", "evil\n");
	tmp_file("w/pub/turn", "file\n");
}

/* A process of its own that exchanges two names until it is ended. */
static pid_t
turn_names(const char *a, const char *b)
{
	pid_t parent = getpid(), pid = fork();

	tmp_need(pid >= 0, "fork", a);
	if (pid > 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (getppid() == parent) {
		syscall(SYS_renameat2, AT_FDCWD, a, AT_FDCWD, b,
		    RENAME_EXCHANGE);
		usleep(20);
	}
	_exit(0);
}

static int
count_entries(const char *name)
{
	DIR *dir = opendir(tmp_path(name));
	int n = 0;

	while (dir != NULL && readdir(dir) != NULL)
		n++;
	if (dir != NULL)
		closedir(dir);
	return n - 2;
}

static bool
begins(const char *name, const char *text)
{
	char data[8] = "";
	int fd = open(tmp_path(name), O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, data, sizeof(data) - 1);

	if (fd >= 0)
		close(fd);
	return n > 0 && strncmp(data, text, strlen(text)) == 0;
}

/* The same before and after. */
static bool
is_untouched(void)
{
	return begins("w/.git/hooks/h", "hook") &&
	    count_entries("w/.git/hooks") == 1 &&
	    begins("w/secrets/s", "SECRET") &&
	    count_entries("w/secrets") == 2;
}

static const struct row {
	const char *what;
	const char *word;
	const char *from, *other, *to; /* from and other are equally long */
} rows[] = {
	{ "the text of the source", "flip-from", "pub/hooks/h2",
	    ".git/hooks/h", "pub/x" },
	{ "the text of the target", "flip-to", "pub/hooks/h2", ".git/hooks/h",
	    "pub/a" },
	{ "the text of a new target", "flip-to", "pub/hooks/n2",
	    ".git/hooks/n", "pub/a" },
	{ "the text of a link's source", "flip-link", "pub/hooks/h2",
	    ".git/hooks/h", "pub/x" },
	/* These go on by themselves, and Landlock holds them. */
	{ "the text of a native source", "flip-from", "open/dir/h2",
	    "secrets/./s", "open/x" },
	{ "the text of a native target", "flip-to", "open/dir/n2",
	    "secrets/./n", "open/a" },
	{ "the text of a native link", "flip-link", "open/dir/h2",
	    "secrets/./s", "open/x" },
	{ "the text, native or not", "flip-from", "open/dir/h2",
	    "pub/hooks1x", "open/x" },
};

static void
check_text(enum cage_mode mode, const struct row *row, unsigned long n)
{
	struct cage cage = { .rules = rules };
	long good = 0;

	tmp_begin();
	make_files();
	cage_start(&cage, mode);
	(void)cage_ask(&cage, "chdir %s", tmp_path("w"));
	(void)cage_ask(&cage, "%s %lu %s %s %s", row->word, n, row->from,
	    row->other, row->to);
	(void)sscanf(cage.answer, "done %ld", &good);
	ok_f(good > 0 && strstr(cage.answer, "wrong") == NULL &&
	    is_untouched(), "%s: %s, %u denied", row->what, cage.answer,
	    cage.denials);
	(void)cage_stop(&cage);
	tmp_end();
}

static void
check_link(enum cage_mode mode, const char *bad, unsigned long n)
{
	struct cage cage = { .rules = rules };
	long good = 0;
	pid_t turner;

	tmp_begin();
	make_files();
	cage_start(&cage, mode);
	(void)cage_ask(&cage, "chdir %s", tmp_path("w"));
	turner = race_turn_link(tmp_path("w/turn-dir"), "pub", bad);
	(void)cage_ask(&cage, "shuttle %lu pub/a turn-dir/x pub/x", n);
	(void)sscanf(cage.answer, "done %ld", &good);
	race_end(turner);
	ok_f(good > 0 && cage.denials > 0 && is_untouched(),
	    "a link to the target's directory, or %s: %s, %u denied", bad,
	    cage.answer, cage.denials);
	(void)cage_stop(&cage);
	tmp_end();
}

/* A file may become .cfg, a directory not: one in it is hooks. */
static void
check_kind(enum cage_mode mode, bool outside, unsigned long n)
{
	struct cage cage = { .rules = rules };
	pid_t turner = -1;
	struct stat st;
	long good = 0;

	tmp_begin();
	make_files();
	cage_start(&cage, mode);
	(void)cage_ask(&cage, "chdir %s", tmp_path("w"));
	if (outside)
		turner = turn_names(tmp_path("w/pub/turn"),
		    tmp_path("w/pub/tree"));
	(void)cage_ask(&cage, "settle %lu pub/turn %s .cfg", n,
	    outside ? "-" : "pub/tree");
	(void)sscanf(cage.answer, "done %ld", &good);
	if (outside)
		race_end(turner);
	ok_f(good > 0 && strstr(cage.answer, "wrong") == NULL &&
	    (stat(tmp_path("w/.cfg"), &st) != 0 || !S_ISDIR(st.st_mode)) &&
	    is_untouched(), "a file or a directory, by %s: %s, %u denied",
	    outside ? "others" : "himself", cage.answer, cage.denials);
	(void)cage_stop(&cage);
	tmp_end();
}

int
main(void)
{
	unsigned long n = tries(2000);

	if (cdn_sys_landlock_abi() < 3) {
		skip("no Landlock, or an old one");
		return done_testing();
	}
	for (size_t i = 0; i < CDN_LEN(rows); i++)
		check_text(CAGE_B, &rows[i], n);
	check_text(CAGE_C, &rows[0], n);
	check_link(CAGE_B, ".git/hooks", n);
	check_link(CAGE_B, "secrets", n);
	check_kind(CAGE_B, true, n);
	check_kind(CAGE_B, false, n);
	return done_testing();
}
