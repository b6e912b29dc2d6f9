/*
 * caller_races - the requests of caller.c in which somebody else of the cage
 * changes what a call means, again and again.
 *
 *	race N WHO WHAT HOW A B C
 *
 * WHO	thread, process (another one with the same memory, descriptors and
 *	directory), or nobody (somebody outside does it)
 * WHAT	string		the path is A or B, equally long
 *	remap		the same, and the page it lies on is not always there
 *	link		A is a link to B or to C
 *	below		the same; the path is A/s, or A/n to make
 *	exchange	A and B are exchanged; the path is A/s
 *	rename		B takes the place of A, and goes back; the path is A/s
 *	descriptor	of A or of B; the path is s, or n to make
 *	directory	the working directory is A or B; the path likewise
 * HOW	read, write, list (a directory), unlink (and made again), make (and
 *	removed again)
 *
 * `leaks N good N refused N`: a leak is a file whose text begins with SE, a
 * directory that holds "deep", that what may not be removed is gone, or that what
 * may not be made is there.  At least N times, and until it went both ways or
 * never will; ten leaks are enough.
 *
 *	reuse-first A		a process that removes A; `pid N`
 *	reuse-second A B	when it is gone, another one, with A in the same
 *				place; it waits, and opens B then; `pid N`
 *	reuse-end		now; `status N`
 */
#include "support/caller_races.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE   4096
#define ENOUGH 10
#define FAR    700 /* a descriptor nobody has */

static const char *a, *b, *c;
static size_t length; /* of both */
static char *page;
static int held[2];
static volatile bool stop;

/* ----- Who changes it -------------------------------------------------------------- */

static void
turn_string(void)
{
	memcpy(page, b, length);
	__asm__ volatile("" ::: "memory");
	memcpy(page, a, length);
	__asm__ volatile("" ::: "memory");
}

/* Another page in its place; held are two files in memory. */
static void
remap(int i)
{
	if (mmap(page, PAGE, PROT_READ, MAP_SHARED | MAP_FIXED, held[i], 0) ==
	    MAP_FAILED)
		abort();
}

static void
turn_page(void)
{
	remap(1);
	munmap(page, PAGE);
	remap(0);
}

static void
relink(const char *text)
{
	char other[8200];

	snprintf(other, sizeof(other), "%s.new", a);
	if (symlink(text, other) == 0)
		(void)rename(other, a);
}

static void
turn_link(void)
{
	relink(c);
	relink(b);
}

static void
turn_exchange(void)
{
	(void)syscall(SYS_renameat2, AT_FDCWD, a, AT_FDCWD, b,
	    RENAME_EXCHANGE);
}

static void
turn_rename(void)
{
	char aside[8200];

	snprintf(aside, sizeof(aside), "%s.aside", a);
	(void)rename(a, aside);
	(void)rename(b, a);
	(void)rename(a, b);
	(void)rename(aside, a);
}

static void
turn_descriptor(void)
{
	dup2(held[1], FAR);
	dup2(held[0], FAR);
}

static void
turn_directory(void)
{
	(void)!fchdir(held[1]);
	(void)!fchdir(held[0]);
}

static struct what {
	const char *name;
	void (*turn)(void);
} whats[] = {
	{ "string", turn_string }, { "remap", turn_page },
	{ "link", turn_link }, { "below", turn_link },
	{ "exchange", turn_exchange }, { "rename", turn_rename },
	{ "descriptor", turn_descriptor }, { "directory", turn_directory },
};

static void *
turn_on(void *arg)
{
	const struct what *what = arg;

	while (!stop)
		what->turn();
	return NULL;
}

static int
turn_process(void *arg)
{
	(void)turn_on(arg);
	return 0;
}

/* ----- Who is deceived ------------------------------------------------------------- */

static int at;		 /* the call's directory ... */
static const char *path; /* ... and path */
/* What it may remove or make, and what it may not. */
static char mine[8200], theirs[8200];

enum outcome { REFUSED, GOOD, LEAK };

static enum outcome
look_at(int fd)
{
	char data[8] = "";
	enum outcome r = fd < 0 ? REFUSED : GOOD;

	if (fd >= 0 && read(fd, data, 2) == 2 && memcmp(data, "SE", 2) == 0)
		r = LEAK;
	if (fd >= 0)
		close(fd);
	return r;
}

static enum outcome
try_read(void)
{
	return look_at((int)syscall(SYS_openat, at, path, O_RDONLY, 0));
}

static enum outcome
try_write(void)
{
	return look_at((int)syscall(SYS_openat, at, path, O_RDWR, 0));
}

static enum outcome
try_list(void)
{
	int fd = (int)syscall(SYS_openat, at, path, O_RDONLY | O_DIRECTORY, 0);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	enum outcome r = dir == NULL ? REFUSED : GOOD;
	struct dirent *entry;

	while (dir != NULL && (entry = readdir(dir)) != NULL)
		if (strcmp(entry->d_name, "deep") == 0)
			r = LEAK;
	if (dir != NULL)
		closedir(dir);
	return r;
}

static enum outcome
try_unlink(void)
{
	struct stat st;

	if (syscall(SYS_unlinkat, at, path, 0) != 0)
		return REFUSED;
	(void)mknod(mine, S_IFREG | 0644, 0);
	return lstat(theirs, &st) == 0 ? GOOD : LEAK;
}

static enum outcome
try_make(void)
{
	int fd = (int)syscall(SYS_openat, at, path,
	    O_WRONLY | O_CREAT | O_EXCL, 0644);
	struct stat st;

	if (fd < 0)
		return REFUSED;
	close(fd);
	(void)syscall(SYS_unlinkat, AT_FDCWD, mine, 0);
	return lstat(theirs, &st) == 0 ? LEAK : GOOD;
}

static const struct how {
	const char *name;
	enum outcome (*fn)(void);
} hows[] = {
	{ "read", try_read }, { "write", try_write }, { "list", try_list },
	{ "unlink", try_unlink }, { "make", try_make },
};

/* ----- The whole ------------------------------------------------------------------- */

static char joined[8200];

static int
make_page(const char *text)
{
	int fd = memfd_create("page", 0);

	if (ftruncate(fd, PAGE) != 0 || pwrite(fd, text, strlen(text), 0) < 0)
		abort();
	return fd;
}

/* Absolute, because he will not stand here any more. */
static void
set_places(const char *own, const char *other, const char *name)
{
	char here[4096];

	if (getcwd(here, sizeof(here)) == NULL)
		abort();
	snprintf(mine, sizeof(mine), "%s/%.2000s%s", here, own, name);
	snprintf(theirs, sizeof(theirs), "%s/%.2000s%s", here, other, name);
}

static void
prepare(const char *what, const char *how)
{
	const char *name = strcmp(how, "make") == 0 ? "/n" : "/s";

	at = AT_FDCWD;
	path = a;
	set_places(a, b, "");
	if (strcmp(what, "string") == 0 || strcmp(what, "remap") == 0) {
		page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		length = strlen(a);
		snprintf(page, PAGE, "%s", a);
		held[0] = make_page(a);
		held[1] = make_page(b);
		path = page;
	} else if (strcmp(what, "below") == 0 ||
	    strcmp(what, "exchange") == 0 || strcmp(what, "rename") == 0) {
		snprintf(joined, sizeof(joined), "%s%s", a, name);
		path = joined;
		set_places(b, c, name);
	} else if (strcmp(what, "descriptor") == 0 ||
	    strcmp(what, "directory") == 0) {
		set_places(a, b, name);
		held[0] = open(a, O_PATH);
		held[1] = open(b, O_PATH);
		dup2(held[0], FAR);
		at = what[1] == 'e' ? FAR : AT_FDCWD;
		(void)!fchdir(held[0]);
		path = name + 1;
	}
}

static void
deceive(const struct how *how, long n)
{
	long count[3] = { 0, 0, 0 };

	for (long i = 0; i < n || (i < 50 * n && (count[GOOD] == 0 ||
				       count[REFUSED] == 0)); i++) {
		count[how->fn()]++;
		if (count[LEAK] >= ENOUGH)
			break;
	}
	printf("leaks %ld good %ld refused %ld\n", count[LEAK], count[GOOD],
	    count[REFUSED]);
}

static void
race(struct what *what, const struct how *how, const char *who, long n)
{
	static char stack[65536] __attribute__((aligned(16)));
	pthread_t thread = 0;
	pid_t pid = -1;

	stop = false;
	if (strcmp(who, "thread") == 0)
		pthread_create(&thread, NULL, turn_on, what);
	else if (strcmp(who, "process") == 0)
		pid = clone(turn_process, stack + sizeof(stack), CLONE_VM |
		    CLONE_FS | CLONE_FILES | SIGCHLD, what);
	deceive(how, n);
	stop = true;
	if (strcmp(who, "thread") == 0)
		pthread_join(thread, NULL);
	else if (pid > 0)
		waitpid(pid, NULL, 0);
}

/* ----- A number that is given away again ------------------------------------------- */

static char reused[8192]; /* at the same place in both */
static pid_t reuser;
static int reuse_pipe[2];

static void
reuse_first(const char *text)
{
	snprintf(reused, sizeof(reused), "%s", text);
	reuser = fork();
	if (reuser == 0)
		_exit(syscall(SYS_unlinkat, AT_FDCWD, reused, 0) != 0);
	printf("pid %d\n", (int)reuser);
}

static void
reuse_second(const char *text, const char *other)
{
	char byte;

	waitpid(reuser, NULL, 0);
	snprintf(reused, sizeof(reused), "%s", text);
	if (pipe(reuse_pipe) != 0)
		abort();
	reuser = fork();
	if (reuser == 0) {
		close(reuse_pipe[1]);
		(void)!read(reuse_pipe[0], &byte, 1);
		_exit(open(other, O_RDONLY) < 0);
	}
	printf("pid %d\n", (int)reuser);
}

static void
reuse_end(void)
{
	int status = -1;

	close(reuse_pipe[0]);
	close(reuse_pipe[1]);
	waitpid(reuser, &status, 0);
	printf("status %d\n", status);
}

static bool
reuse(char (*words)[8192])
{
	if (strcmp(words[0], "reuse-first") == 0)
		reuse_first(words[1]);
	else if (strcmp(words[0], "reuse-second") == 0)
		reuse_second(words[1], words[2]);
	else if (strcmp(words[0], "reuse-end") == 0)
		reuse_end();
	else
		return false;
	return true;
}

bool
caller_races(char (*words)[8192])
{
	if (strcmp(words[0], "race") != 0)
		return reuse(words);
	a = words[5];
	b = words[6];
	c = words[7];
	prepare(words[3], words[4]);
	for (size_t i = 0; i < sizeof(whats) / sizeof(whats[0]); i++)
		for (size_t k = 0; k < sizeof(hows) / sizeof(hows[0]); k++)
			if (strcmp(whats[i].name, words[3]) == 0 &&
			    strcmp(hows[k].name, words[4]) == 0)
				race(&whats[i], &hows[k], words[2],
				    strtol(words[1], NULL, 0));
	return true;
}
