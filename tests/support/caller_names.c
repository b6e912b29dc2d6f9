/*
 * caller_names - the requests of caller.c that make, remove and rename; `done N`
 * is the answer, or `errno N`; `done N wrong` when something must not be.
 *
 *	mkdir MODE PATH		mkdirat FD MODE PATH
 *	mknod MODE PATH		mknodat FD MODE PATH
 *	symlink TEXT PATH	symlinkat TEXT FD PATH
 *	unlink PATH, rmdir PATH	unlinkat FD FLAGS PATH
 *	link A B		linkat FD A FD B FLAGS
 *	rename A B		renameat FD A FD B
 *	rename2 A B FLAGS	renameat2 FD A FD B FLAGS
 *	truncate SIZE PATH
 *	flip-from N A B C	rename(A, C), while another thread writes B over
 *				A; and back
 *	flip-to N A B C		rename(C, A), in the same way
 *	flip-link N A B C	link(A, C); `wrong` if C was what B is
 *	shuttle N A B C		rename(A, B) and rename(C, A)
 *	settle N A B C		rename(A, C), while another thread exchanges A
 *				and B unless B is "-"; `wrong` if a directory
 *				arrived
 *	each N WHAT PATH	nanoseconds of one: mkdir (and rmdir), rename
 *				(to PATH.x), unlink (of what mknod made)
 */
#include "support/caller_names.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static char (*words)[8192];

static long
number(int i)
{
	return strtol(words[i], NULL, 0);
}

static int
fd_of(int i)
{
	return strcmp(words[i], "cwd") == 0 ? AT_FDCWD : (int)number(i);
}

static const char *
path_of(int i)
{
	return strcmp(words[i], "@") == 0 ? "" : words[i];
}

static long
do_mkdir(void)
{
	return mkdir(path_of(2), (mode_t)number(1));
}

static long
do_mkdirat(void)
{
	return mkdirat(fd_of(1), path_of(3), (mode_t)number(2));
}

static long
do_mknod(void)
{
#ifdef SYS_mknod
	return syscall(SYS_mknod, path_of(2), number(1), 0);
#else
	return syscall(SYS_mknodat, AT_FDCWD, path_of(2), number(1), 0);
#endif
}

static long
do_mknodat(void)
{
	return syscall(SYS_mknodat, fd_of(1), path_of(3), number(2), 0);
}

static long
do_symlink(void)
{
	return symlink(path_of(1), path_of(2));
}

static long
do_symlinkat(void)
{
	return symlinkat(path_of(1), fd_of(2), path_of(3));
}

static long
do_unlink(void)
{
	return unlink(path_of(1));
}

static long
do_rmdir(void)
{
	return rmdir(path_of(1));
}

static long
do_unlinkat(void)
{
	return unlinkat(fd_of(1), path_of(3), (int)number(2));
}

static long
do_link(void)
{
	return link(path_of(1), path_of(2));
}

static long
do_linkat(void)
{
	return linkat(fd_of(1), path_of(2), fd_of(3), path_of(4),
	    (int)number(5));
}

static long
do_rename(void)
{
	return rename(path_of(1), path_of(2));
}

static long
do_renameat(void)
{
	return renameat(fd_of(1), path_of(2), fd_of(3), path_of(4));
}

static long
rename_flags(const char *from, const char *to, unsigned flags)
{
	return syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, flags);
}

static long
do_rename2(void)
{
	return rename_flags(path_of(1), path_of(2), (unsigned)number(3));
}

static long
do_renameat2(void)
{
	return syscall(SYS_renameat2, fd_of(1), path_of(2), fd_of(3),
	    path_of(4), number(5));
}

static long
do_truncate(void)
{
	return truncate(path_of(2), number(1));
}

/* ----- Many times ------------------------------------------------------------------ */

static volatile bool stop;
static long good, wrong;
static char *volatile shared;

/* A byte after the other, as a race for memory is; both are equally long. */
static void *
flipper(void *arg)
{
	size_t n = strlen(words[2]);

	while (!stop) {
		memcpy(shared, words[3], n);
		__asm__ volatile("" ::: "memory");
		memcpy(shared, words[2], n);
		__asm__ volatile("" ::: "memory");
	}
	return arg;
}

static void
flip_from(void)
{
	if (rename(shared, words[4]) != 0)
		return;
	good++;
	/* Whichever it was; the other name is taken. */
	if (rename_flags(words[4], words[2], 1) != 0)
		(void)rename_flags(words[4], words[3], 1);
}

static void
flip_to(void)
{
	if (rename(words[4], shared) != 0)
		return;
	good++;
	(void)rename_flags(words[2], words[4], 1);
}

static void
flip_link(void)
{
	struct stat got, bad;

	if (link(shared, words[4]) != 0)
		return;
	good++;
	wrong += stat(words[4], &got) == 0 && stat(words[3], &bad) == 0 &&
	    got.st_ino == bad.st_ino;
	unlink(words[4]);
}

static void
settle(void)
{
	struct stat st;

	if (rename(words[2], words[4]) != 0)
		return;
	good++;
	wrong += stat(words[4], &st) == 0 && S_ISDIR(st.st_mode);
	(void)rename_flags(words[4], words[2], 1);
}

static void *
exchanger(void *arg)
{
	while (!stop)
		(void)rename_flags(words[2], words[3], 2);
	return arg;
}

/* Until it went both ways at least once, or never will. */
static void
again(void (*once)(void))
{
	for (long i = 0, n = number(1); i < n ||
	     (i < 50 * n && (good == 0 || good == i)); i++)
		once();
}

static void
with_thread(void *(*other)(void *), void (*once)(void))
{
	bool alone = strcmp(words[3], "-") == 0;
	pthread_t thread;

	shared = strdup(words[2]);
	stop = false;
	good = wrong = 0;
	if (!alone)
		pthread_create(&thread, NULL, other, NULL);
	again(once);
	stop = true;
	if (!alone)
		pthread_join(thread, NULL);
	free(shared);
}

static long
do_flip_from(void)
{
	with_thread(flipper, flip_from);
	return good;
}

static long
do_flip_to(void)
{
	with_thread(flipper, flip_to);
	return good;
}

static long
do_flip_link(void)
{
	with_thread(flipper, flip_link);
	return good;
}

static long
do_settle(void)
{
	with_thread(exchanger, settle);
	return good;
}

static void
shuttle(void)
{
	if (rename(words[2], words[3]) != 0)
		return;
	good++;
	(void)rename(words[4], words[2]);
}

static long
do_shuttle(void)
{
	good = wrong = 0;
	again(shuttle);
	return good;
}

static long
nanoseconds(const struct timespec *from)
{
	struct timespec to;

	clock_gettime(CLOCK_MONOTONIC, &to);
	return (to.tv_sec - from->tv_sec) * 1000000000L + to.tv_nsec -
	    from->tv_nsec;
}

static int
by_size(const void *a, const void *b)
{
	long x = *(const long *)a, y = *(const long *)b;

	return (x > y) - (x < y);
}

static long
once(const char *what, const char *path)
{
	struct timespec from;
	char other[8200];
	long took;

	snprintf(other, sizeof(other), "%s.x", path);
	if (strcmp(what, "unlink") == 0)
		mknod(path, S_IFREG | 0600, 0);
	clock_gettime(CLOCK_MONOTONIC, &from);
	if (strcmp(what, "mkdir") == 0) {
		mkdir(path, 0777);
		took = nanoseconds(&from);
		rmdir(path);
	} else if (strcmp(what, "rename") == 0) {
		rename(path, other);
		took = nanoseconds(&from);
		rename(other, path);
	} else {
		unlink(path);
		took = nanoseconds(&from);
	}
	return took;
}

static long
do_each(void)
{
	long n = number(1), *each = calloc((size_t)n, sizeof(*each)), middle;

	for (long i = 0; i < n; i++)
		each[i] = once(words[2], words[3]);
	qsort(each, (size_t)n, sizeof(*each), by_size);
	middle = each[n / 2];
	free(each);
	return middle;
}

static const struct {
	const char *word;
	long (*fn)(void);
} table[] = {
	{ "mkdir", do_mkdir }, { "mkdirat", do_mkdirat },
	{ "mknod", do_mknod }, { "mknodat", do_mknodat },
	{ "symlink", do_symlink }, { "symlinkat", do_symlinkat },
	{ "unlink", do_unlink }, { "rmdir", do_rmdir },
	{ "unlinkat", do_unlinkat }, { "link", do_link },
	{ "linkat", do_linkat }, { "rename", do_rename },
	{ "renameat", do_renameat }, { "rename2", do_rename2 },
	{ "renameat2", do_renameat2 }, { "truncate", do_truncate },
	{ "flip-from", do_flip_from }, { "flip-to", do_flip_to },
	{ "flip-link", do_flip_link }, { "settle", do_settle },
	{ "shuttle", do_shuttle }, { "each", do_each },
};

bool
caller_names(char (*request)[8192])
{
	long r;

	words = request;
	wrong = 0;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (strcmp(table[i].word, words[0]) != 0)
			continue;
		r = table[i].fn();
		if (r < 0)
			printf("errno %d\n", errno);
		else
			printf("done %ld%s\n", r, wrong > 0 ? " wrong" : "");
		return true;
	}
	return false;
}
