/*
 * What the rules say is what a caller gets, however he spells it, in both modes
 * that open; and each denial beside something alike that is allowed.
 */
#include "cage.h"

#define R  O_RDONLY
#define W  O_WRONLY
#define RW O_RDWR
#define C  O_CREAT

/* $W is the workspace.  In mode B reads are Landlock's, which knows no globs. */
static const struct row {
	const char *request;
	const char *want;
	bool reads; /* only where reads are judged */
} rows[] = {
	/* clang-format off */
	{ "open 0 0 $W/pub/a", "mode 100644 size 7", false },
	{ "open 0 0 $W/x.env", "errno 13", true },
	{ "open 0 0 $W/pub/y.env", "errno 13", true },
	{ "open 0 0 $W/secrets/s", "errno 13", true },
	{ "open 0 0 $W/secrets", "errno 13", true },
	{ "open 0 0 $W/secrets/deep/s", "errno 13", true },
	{ "open 0 0 $W", "mode 40755", false },
	{ "open 0 0 $W/pub", "mode 40755", false },
	{ "open 0 0 $W/../out/o", "errno 13", true },
	{ "open 0 0 /etc/passwd", "mode 100644", false },

	/* writing */
	{ "open 1 0 $W/pub/a", "mode 100644", false },
	{ "open 2 0 $W/pub/a", "mode 100644", false },
	{ "open 1 0 $W/ro/a", "errno 13", false },
	{ "open 2 0 $W/ro/a", "errno 13", false },
	{ "open 0 0 $W/ro/a", "mode 100644", false },
	{ "open 01000 0 $W/ro/a", "errno 13", false }, /* O_TRUNC alone */
	{ "open 1 0 $W/x.env", "errno 13", false },
	{ "open 1 0 $W/secrets/s", "errno 13", false },
	{ "open 1 0 /etc/passwd", "errno 13", false },
	{ "open 0101 0644 $W/pub/new.env", "errno 13", false },
	{ "open 0101 0644 $W/secrets/new", "errno 13", false },
	{ "open 0101 0644 $W/ro/new", "errno 13", false },
	{ "open 0101 0644 $W/../out/new", "errno 13", false },
	{ "open 0101 0644 $W/pub/new", "mode 100644", false },
	{ "open 020200002 0644 $W/secrets", "errno 13", false }, /* O_TMPFILE */
	{ "open 020200002 0644 $W/ro", "errno 13", false },
	{ "open 020200002 0644 $W/pub", "mode 100644", false },
	{ "creat 0600 $W/pub/b.env", "errno 13", false },
	{ "creat 0600 $W/pub/b", "mode 100600", false },
	{ "open 0101 0644 $W/open/new", "mode 100644", false },

	/* spellings */
	{ "open 0 0 $W/pub/../secrets/s", "errno 13", true },
	{ "open 0 0 $W//secrets//s", "errno 13", true },
	{ "open 0 0 $W/./secrets/./s", "errno 13", true },
	{ "open 0 0 $W/link-file", "errno 13", true },
	{ "open 0 0 $W/link-dir/s", "errno 13", true },
	{ "open 0 0 $W/link-link/s", "errno 13", true },
	{ "open 0 0 $W/link-abs", "errno 13", true },
	{ "open 0 0 $W/link-pub", "mode 100644", false },
	{ "open 1 0 $W/link-file", "errno 13", false },
	{ "open 1 0 $W/link-pub", "mode 100644", false },
	{ "open 0101 0600 $W/link-dangling", "errno 13", false },
	{ "open 0101 0600 $W/link-dangling-pub", "mode 100600", false },
	{ "open 0 0 /proc/self/root$W/secrets/s", "errno 13", true },
	{ "open 0 0 /proc/self/root$W/pub/a", "mode 100644", false },
	{ "open 0 0 /proc/thread-self/root$W/secrets/s", "errno 13", true },
	{ "open 1 0 /proc/self/root$W/secrets/s", "errno 13", false },
	{ "open 1 0 /proc/self/root$W/pub/a", "mode 100644", false },
	{ "chdir $W/secrets", "changed", false },
	{ "open 0 0 s", "errno 13", true },
	{ "open 0 0 ./s", "errno 13", true },
	{ "open 0 0 deep/../s", "errno 13", true },
	{ "open 1 0 s", "errno 13", false },
	{ "open 0 0 /proc/self/cwd/s", "errno 13", true },
	{ "open 0 0 ../pub/a", "mode 100644", false },
	{ "chdir $W/pub", "changed", false },
	{ "open 0 0 a", "mode 100644", false },
	{ "open 0 0 /proc/self/cwd/a", "mode 100644", false },
	{ "open 0 0 y.env", "errno 13", true },

	/* old descriptors: 3 and on, kept in this order */
	{ "keep 010000000 $W/secrets", "fd 3", false }, /* O_PATH */
	{ "openat 3 0 0 s", "errno 13", true },
	{ "openat 3 1 0 s", "errno 13", false },
	{ "openat 3 0 0 ../pub/a", "mode 100644", false },
	{ "keep 010000000 $W/secrets/s", "fd 4", false },
	{ "open 0 0 /proc/self/fd/4", "errno 13", true },
	{ "open 1 0 /proc/self/fd/4", "errno 13", false },
	{ "open 0 0 /dev/fd/4", "errno 13", true },
	{ "open 0 0 /proc/self/fd/3/s", "errno 13", true },
	{ "keep 010000000 $W/pub/a", "fd 5", false },
	{ "open 0 0 /proc/self/fd/5", "mode 100644", false },
	{ "open 2 0 /proc/self/fd/5", "mode 100644", false },
	{ "open 1 0 /dev/fd/5", "mode 100644", false },
	{ "open 0 0 /proc/thread-self/fd/5", "mode 100644", false },
	{ "open 0 0 /proc/self/fd/99", "errno 2", false },
	{ "open 0 0 /dev/stdin", "mode 10600", false }, /* a pipe of ours */
	{ "open 1 0 /dev/stdout", "mode 10600", false },
	{ "close 3", "closed", false },
	{ "close 4", "closed", false },
	{ "close 5", "closed", false },

	/* /proc is the caller's, and cordon's own is nobody's */
	{ "open 0 0 /proc/self/comm", "mode 100644", false },
	{ "open 0 0 /proc/self/environ", "mode 100400", false },
	{ "open 1 0 /proc/self/comm", "mode 100644", false },
	{ "open 1 0 /proc/self/oom_score_adj", "mode 100644", false },
	{ "open 1 0 /proc/sys/kernel/hostname", "errno 13", false },
	{ "open 2 0 /proc/self/mem", "errno 13", false },
	{ "open 0 0 /proc/$B/environ", "errno 13", true },
	{ "open 0 0 /proc/$B/mem", "errno 13", true },
	{ "open 0 0 /proc/$B/maps", "errno 13", true },
	{ "open 0 0 /proc/$B/fd", "errno 13", true },
	{ "open 0 0 /proc/$B/task/$B/environ", "errno 13", true },
	{ "open 0 0 /proc/$B/cwd/x", "errno 13", true },
	{ "open 1 0 /proc/$B/comm", "errno 13", false },
	{ "open 0 0 /proc/$B/stat", "mode 100444", false },
	{ "open 0 0 /proc/$B/status", "mode 100444", false },

	/* devices */
	{ "open 2 0 /dev/null", "mode 20666", false },
	{ "open 1 0 /dev/full", "mode 20666", false },
	{ "open 0 0 /dev/zero", "mode 20666", false },
	{ "setsid", "session", false },
	{ "open 2 0 /dev/tty", "errno 6", false },
	/* clang-format on */
};

static void
make_links(void)
{
	tmp_link("secrets/s", "w/link-file");
	tmp_link("secrets", "w/link-dir");
	tmp_link("link-dir", "w/link-link");
	tmp_link(tmp_path("w/secrets/s"), "w/link-abs");
	tmp_link("pub/a", "w/link-pub");
	tmp_link("secrets/made", "w/link-dangling");
	tmp_link("pub/made", "w/link-dangling-pub");
}

/* $W and $B. */
static void
expand(const char *text, char *out, size_t size)
{
	size_t n = 0;

	for (; *text != '\0' && n < size - 1; text++)
		if (text[0] == '$' && text[1] == 'W') {
			n += (size_t)snprintf(out + n, size - n, "%s",
			    tmp_path("w"));
			text++;
		} else if (text[0] == '$' && text[1] == 'B') {
			n += (size_t)snprintf(out + n, size - n, "%d",
			    (int)getpid());
			text++;
		} else {
			out[n++] = *text;
		}
	out[n] = '\0';
}

static void
check_rows(enum cage_mode mode)
{
	const char *name = mode == CAGE_B ? "B" : "C";
	struct cage cage = { 0 };
	char request[8192];

	tmp_begin();
	cage_files();
	make_links();
	cage_start(&cage, mode);
	for (size_t i = 0; i < CDN_LEN(rows); i++) {
		expand(rows[i].request, request, sizeof(request));
		(void)cage_ask(&cage, "%s", request);
		if (rows[i].reads && mode == CAGE_B)
			continue;
		if (!ok_f(cage_says(&cage, rows[i].want), "%s: %s: %s", name,
			rows[i].request, rows[i].want))
			printf("# got %s\n", cage.answer);
	}
	ok(!tmp_there("w/secrets/made") && !tmp_there("w/secrets/new") &&
	    !tmp_there("w/pub/new.env") && !tmp_there("w/ro/new") &&
	    !tmp_there("out/new"), "what was refused was not made");
	ok(cage_stop(&cage) == 0, "the caller ends well");
	tmp_end();
}

/* What is told of a denial. */
static void
check_denials(void)
{
	struct cage cage = { 0 };

	tmp_begin();
	cage_files();
	cage_start(&cage, CAGE_C);
	(void)cage_ask(&cage, "open 0 0 %s", tmp_path("w/pub/a"));
	ok(cage.denials == 0, "nothing is told of what is allowed");
	(void)cage_ask(&cage, "open 0 0 %s", tmp_path("w/pub/../x.env"));
	ok_f(cage.denials == 1 && cage.op == CORDON_READ &&
	    strcmp(cage.denied, tmp_path("w/x.env")) == 0 &&
	    strcmp(cage.rule, "**/*.env") == 0, "a denial: %s by %s",
	    cage.denied, cage.rule);
	(void)cage_ask(&cage, "open 2 0 %s", tmp_path("w/ro/a"));
	ok_f(cage.denials == 2 && cage.op == CORDON_MODIFY &&
	    strcmp(cage.rule, "ro/**") == 0, "another: by %s", cage.rule);
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
	check_rows(CAGE_C);
	check_rows(CAGE_B);
	check_denials();
	return done_testing();
}
