/*
 * races - somebody changes what was judged before it is used.  The same for the
 * broker (races.c: nothing leaks) and for one that does it wrong (control.c:
 * it leaks, so the race is real).
 */
#ifndef CDN_TESTS_RACES_H
#define CDN_TESTS_RACES_H

#include "cage.h"

/* A process of its own that turns a link to and fro until it is ended. */
static inline pid_t
race_turn_link(const char *link, const char *a, const char *b)
{
	char other[PATH_MAX];
	pid_t parent = getpid(), pid;

	snprintf(other, sizeof(other), "%s.new", link);
	pid = fork();
	tmp_need(pid >= 0, "fork", link);
	if (pid > 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (getppid() == parent) {
		if (symlink(a, other) != 0 || rename(other, link) != 0)
			_exit(1);
		if (symlink(b, other) != 0 || rename(other, link) != 0)
			_exit(1);
	}
	_exit(0);
}

static inline void
race_end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

struct race_result {
	long leaks, good;
};

static inline struct race_result
race_read(const struct cage *cage)
{
	struct race_result result = { -1, -1 };

	(void)sscanf(cage->answer, "leaks %ld good %ld", &result.leaks,
	    &result.good);
	return result;
}

/* The path in the caller's memory. */
static inline struct race_result
race_string(unsigned long n)
{
	struct race_result result;
	struct cage cage = { 0 };

	cage_start(&cage, CAGE_C);
	(void)cage_ask(&cage, "flip %lu %s %s", n, tmp_path("w/pubs"),
	    tmp_path("w/s.ev"));
	result = race_read(&cage);
	(void)cage_stop(&cage);
	return result;
}

static inline struct race_result
race_link(unsigned long n, const char *path)
{
	struct race_result result;
	struct cage cage = { 0 };

	cage_start(&cage, CAGE_C);
	(void)cage_ask(&cage, "look %lu %s", n, path);
	result = race_read(&cage);
	(void)cage_stop(&cage);
	return result;
}

/*
 * Where the broker lets go on, in mode B: from a region that may be modified to
 * a file that may not.  Only Landlock stands between, so without it (loose) it
 * must leak.
 */
static inline struct race_result
race_write(unsigned long n, bool loose)
{
	struct cage cage = { .loose = loose };
	struct race_result result;

	tmp_begin();
	cage_files();
	tmp_file("w/open/x", "public\n");
	cage_start(&cage, CAGE_B);
	(void)cage_ask(&cage, "flipw %lu %s %s", n, tmp_path("w/open/x"),
	    tmp_path("w/./ro/a"));
	result = race_read(&cage);
	(void)cage_stop(&cage);
	tmp_end();
	return result;
}

/* Three kinds, each told to the one who knows what is right. */
static inline void
race_all(unsigned long n,
    void (*check)(const char *what, struct race_result result))
{
	pid_t turner;

	tmp_begin();
	cage_files();
	/* Of one length, with the same beginning. */
	tmp_file("w/pubs", "public\n");
	tmp_link("secrets/s", "w/s.ev");
	check("a path string", race_string(n));

	tmp_link("pub/a", "w/turn");
	turner = race_turn_link(tmp_path("w/turn"), "pub/a", "secrets/s");
	check("a link", race_link(n, tmp_path("w/turn")));
	race_end(turner);

	tmp_file("w/pub/s", "public\n");
	tmp_link("pub", "w/turn-dir");
	turner = race_turn_link(tmp_path("w/turn-dir"), "pub", "secrets");
	check("a link to a directory",
	    race_link(n, tmp_path("w/turn-dir/s")));
	race_end(turner);
	tmp_end();
}

#endif
