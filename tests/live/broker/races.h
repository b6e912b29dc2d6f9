/*
 * races - somebody changes what was judged before it is used.  The same rows for
 * the broker (races.c: nothing leaks) and for one that looks and lets the kernel
 * go on then (control.c: every one of them leaks, so the race is real).
 */
#ifndef CDN_TESTS_RACES_H
#define CDN_TESTS_RACES_H

#include <linux/fs.h>

#include "cage.h"

/* ----- Somebody outside ------------------------------------------------------------ */

struct race_turn {
	const char *a, *b, *c;
};

/* A link that leads to b or to c. */
static inline void
race_outside_link(const struct race_turn *turn)
{
	char other[PATH_MAX];

	snprintf(other, sizeof(other), "%s.new", turn->a);
	if (symlink(turn->c, other) != 0 || rename(other, turn->a) != 0)
		_exit(1);
	if (symlink(turn->b, other) != 0 || rename(other, turn->a) != 0)
		_exit(1);
}

static inline void
race_outside_exchange(const struct race_turn *turn)
{
	syscall(SYS_renameat2, AT_FDCWD, turn->a, AT_FDCWD, turn->b,
	    RENAME_EXCHANGE);
	usleep(20);
}

static inline void
race_outside_rename(const struct race_turn *turn)
{
	char aside[PATH_MAX];

	snprintf(aside, sizeof(aside), "%s.aside", turn->a);
	if (rename(turn->a, aside) != 0 || rename(turn->b, turn->a) != 0)
		_exit(1);
	usleep(20);
	if (rename(turn->a, turn->b) != 0 || rename(aside, turn->a) != 0)
		_exit(1);
	usleep(20);
}

/* A process of its own that does it until it is ended. */
static inline pid_t
race_outside(void (*fn)(const struct race_turn *turn),
    const struct race_turn *turn)
{
	pid_t parent = getpid(), pid = fork();

	tmp_need(pid >= 0, "fork", turn->a);
	if (pid > 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (getppid() == parent)
		fn(turn);
	_exit(0);
}

static inline pid_t
race_turn_link(const char *link, const char *a, const char *b)
{
	return race_outside(race_outside_link,
	    &(struct race_turn){ link, a, b });
}

static inline void
race_end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* ----- The rows -------------------------------------------------------------------- */

static const struct race {
	const char *title;
	const char *what, *how; /* see support/caller_races.c */
	const char *a, *b, *c;	/* below the workspace */
	void (*outside)(const struct race_turn *turn); /* if they can, too */
	enum cage_mode mode;
} races[] = {
	{ "a path string", "string", "read", "pubs", "s.ev", "", NULL,
	    CAGE_C },
	{ "a path string, to write to", "string", "write", "pub/a", "ro//a",
	    "", NULL, CAGE_C },
	/* Where Landlock allows all, also what is denied by its other name. */
	{ "a path string, from where Landlock holds", "string", "write",
	    "open/x", "./ro/a", "", NULL, CAGE_B },
	{ "a path string, to another name of what is denied", "string",
	    "write", "open/x", "open/h", "", NULL, CAGE_B },
	/* Here the broker lets the call go on; only Landlock stands between. */
	{ "a path string, to make", "string", "make", "open/n", "ro///n", "",
	    NULL, CAGE_B },
	{ "a path string, to remove where Landlock holds", "string", "unlink",
	    "open/x", "ro///x", "", NULL, CAGE_B },
	{ "a link on the way, to make", "below", "make", "turn", "open", "ro",
	    race_outside_link, CAGE_B },
	{ "a descriptor, to make", "descriptor", "make", "open", "ro", "",
	    NULL, CAGE_B },
	{ "the working directory, to make", "directory", "make", "open", "ro",
	    "", NULL, CAGE_B },
	{ "the working directory, to remove", "directory", "unlink", "open",
	    "ro", "", NULL, CAGE_B },
	{ "a path string, to remove", "string", "unlink", "pub/x", "ro//x",
	    "", NULL, CAGE_C },
	{ "the page it lies on", "remap", "read", "pubs", "s.ev", "", NULL,
	    CAGE_C },
	{ "a link", "link", "read", "turn", "pub/a", "secrets/s",
	    race_outside_link, CAGE_C },
	{ "a link to a directory", "below", "read", "turn", "pub", "secrets",
	    race_outside_link, CAGE_C },
	{ "a link to a directory that is listed", "link", "list", "turn",
	    "pub", "secrets", race_outside_link, CAGE_C },
	{ "a directory by exchange", "exchange", "read", "pub/turn",
	    "pub/other", "", race_outside_exchange, CAGE_C },
	{ "a directory by rename", "rename", "read", "pub/turn", "pub/other",
	    "", race_outside_rename, CAGE_C },
	{ "a descriptor", "descriptor", "read", "pub", "secrets", "", NULL,
	    CAGE_C },
	{ "the working directory", "directory", "read", "pub", "secrets", "",
	    NULL, CAGE_C },
};

/* Set before there is anybody who asks. */
static struct stat race_denied;

static inline void
race_files(void)
{
	cage_files();
	tmp_file("w/ro/a", "SEALED\n");
	tmp_file("w/ro/x", "SEALED\n");
	tmp_file("w/pub/x", "public\n");
	tmp_file("w/pub/s", "public\n");
	tmp_file("w/ro/s", "SEALED\n");
	tmp_file("w/open/x", "public\n");
	tmp_file("w/open/s", "public\n");
	tmp_hardlink("w/ro/a", "w/open/h");
	tmp_need(stat(tmp_path("w/ro/a"), &race_denied) == 0, "stat", "w/ro/a");
	/* Of one length, with the same beginning. */
	tmp_file("w/pubs", "public\n");
	tmp_link("secrets/s", "w/s.ev");
	tmp_link("pub/a", "w/turn");
	tmp_dir("w/pub/turn");
	tmp_file("w/pub/turn/s", "public\n");
	tmp_dir("w/pub/other");
	tmp_link("../../secrets/s", "w/pub/other/s");
}

/* What lies in ro keeps its rule under every name. */
static inline void
race_other_names(const struct cdn_question *question, dev_t dev, ino_t ino,
    struct cordon_verdict *verdict, void *arg)
{
	(void)arg;
	if (question->op != CORDON_MODIFY || race_denied.st_dev != dev ||
	    race_denied.st_ino != ino)
		return;
	verdict->decision = CORDON_DENY;
	verdict->allowed = false;
	verdict->matched_rule = "ro/**";
}

struct race_result {
	long leaks, good, refused;
	char text[256];
};

/* One of them; loose: without the domain that holds what goes on. */
static inline struct race_result
race_run(const struct race *race, const char *who, unsigned long n, bool loose)
{
	struct race_result result = { -1, -1, -1, "" };
	struct cage cage = { .loose = loose, .other_names = race_other_names };
	bool outside = strcmp(who, "outsider") == 0;
	struct race_turn turn = { race->a, race->b, race->c };
	pid_t turner = -1;

	tmp_begin();
	race_files();
	tmp_need(chdir(tmp_path("w")) == 0, "chdir", "w");
	cage_start(&cage, race->mode);
	(void)cage_ask(&cage, "chdir %s", tmp_path("w"));
	if (outside)
		turner = race_outside(race->outside, &turn);
	(void)cage_ask(&cage, "race %lu %s %s %s %s %s %s", n,
	    outside ? "nobody" : who, race->what, race->how, race->a, race->b,
	    race->c);
	if (outside)
		race_end(turner);
	(void)sscanf(cage.answer, "leaks %ld good %ld refused %ld",
	    &result.leaks, &result.good, &result.refused);
	snprintf(result.text, sizeof(result.text), "%s is changed by a%s %s",
	    race->title, outside ? "n" : "", who);
	(void)cage_stop(&cage);
	tmp_need(chdir("/") == 0, "chdir", "/");
	tmp_end();
	return result;
}

/* The one that goes on. */
static inline const struct race *
race_native(void)
{
	for (size_t i = 0; i < CDN_LEN(races); i++)
		if (strcmp(races[i].how, "make") == 0)
			return &races[i];
	return NULL;
}

/* Who is to leak is given so many chances; one is nearly always enough. */
#define RACE_CHANCES 100

static inline struct race_result
race_until_leak(const struct race *race, const char *who, unsigned long n)
{
	struct race_result result = race_run(race, who, n, true);

	for (int i = 1; i < RACE_CHANCES && result.leaks == 0; i++)
		result = race_run(race, who, n, true);
	return result;
}

/* Each of them, by everybody who can. */
static inline void
race_each(unsigned long n, bool loose,
    void (*check)(const struct race_result *result))
{
	static const char *const whos[] = { "thread", "process", "outsider" };

	for (size_t i = 0; i < CDN_LEN(races); i++)
		for (size_t k = 0; k < CDN_LEN(whos); k++) {
			struct race_result result;

			if (k == 2 && races[i].outside == NULL)
				continue;
			result = loose ?
			    race_until_leak(&races[i], whos[k], n) :
			    race_run(&races[i], whos[k], n, false);
			check(&result);
		}
}

#endif
