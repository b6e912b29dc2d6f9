/*
 * caller - makes the calls that a test of the broker is about.
 *
 *	caller <requests >results
 *
 * One request a line, one line in answer: `errno N`, or what is said below.
 * Words are separated by blanks; "@" is the empty path.
 *
 *	open FLAGS MODE PATH	what was opened, and it is closed again
 *	openat FD FLAGS MODE PATH
 *	creat MODE PATH
 *	keep FLAGS PATH		stays open; `fd N`
 *	edge FLAGS PATH		the path ends where memory ends
 *	wild ADDRESS		open of a path that is not there
 *	close FD, chdir PATH, umask MODE, read FD, write FD TEXT, getfl FD
 *	many N FLAGS PATH	N times; how many came back, and open descriptors
 *	time N FLAGS PATH	nanoseconds of one open and close
 *	threads N PATH		opened by as many threads at once, 100 times
 *	limit N			of open files
 *	fork FLAGS PATH		a process that opens it and is killed in it
 *	late FLAGS PATH		another thread opens it; tells nothing of it
 *	setsid			a session of its own
 *	sys NUMBER ARG...	any call; `value N`.  An argument is a number, or a
 *				pointer: s:TEXT, x:HEX (bytes), a:TEXT (struct
 *				xattr_args of that value)
 *	threadsys NUMBER ARG...	the same by another thread
 *	timesys N NUMBER ARG...	nanoseconds of one
 *	flipchange N A B	calls that change A while another thread writes B
 *				over it: how many did; N times or until it went
 *				both ways
 *	modeof FD		`mode N`
 *	ctty FD			and a terminal of its own
 *	pts FD			the other end of a master, unlocked; its number
 *	mkdir, rename, ...	see caller_names.c
 *	race ...		see caller_races.c
 *
 * Flags are numbers.  Built without sanitizers: it runs under filters.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/caller_names.h"
#include "support/caller_races.h"

static char words[8][8192];

static long
number(int i)
{
	return strtol(words[i], NULL, 0);
}

static const char *
path_of(int i)
{
	return strcmp(words[i], "@") == 0 ? "" : words[i];
}

static int
raw_openat(int dirfd, const char *path, int flags, mode_t mode)
{
	return (int)syscall(SYS_openat, dirfd, path, flags, mode);
}

/* ----- What was opened --------------------------------------------------------- */

static void
describe(int fd)
{
	/* What says how it was opened and is gone, or added by whoever did. */
	const int not_told = O_NOFOLLOW | O_NOCTTY | O_DIRECTORY;
	struct stat st;
	char data[16] = "";
	ssize_t n;

	if (fd < 0) {
		printf("errno %d\n", errno);
		return;
	}
	fstat(fd, &st);
	n = S_ISREG(st.st_mode) ? pread(fd, data, 8, 0) : 0;
	for (ssize_t i = 0; i < n; i++)
		if (data[i] <= ' ')
			data[i] = '.';
	printf("mode %o size %ld uid %d flags %o cloexec %d data %s\n",
	    st.st_mode, S_ISREG(st.st_mode) ? (long)st.st_size : 0L,
	    (int)st.st_uid, fcntl(fd, F_GETFL) & ~not_told,
	    fcntl(fd, F_GETFD), data);
	close(fd);
}

static int
count_fds(void)
{
	int n = 0;

	for (int fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* ----- Requests ------------------------------------------------------------------ */

static void
do_edge(void)
{
	size_t n = strlen(path_of(2)) + 1;
	char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(pages + 4096, 4096);
	memcpy(pages + 4096 - n, path_of(2), n);
	describe(raw_openat(AT_FDCWD, pages + 4096 - n, (int)number(1), 0));
	munmap(pages, 4096);
}

static void
do_many(void)
{
	long good = 0;

	for (long i = 0; i < number(1); i++) {
		int fd = raw_openat(AT_FDCWD, path_of(3), (int)number(2), 0600);

		good += fd >= 0;
		if (fd >= 0)
			close(fd);
	}
	printf("good %ld fds %d\n", good, count_fds());
}

static volatile bool stop;
static char *volatile shared;

/* Both are equally long; one byte after the other, as a memory race is. */
static void *
flipper(void *arg)
{
	const char *a = words[2], *b = words[3];
	size_t n = strlen(a);

	(void)arg;
	while (!stop) {
		memcpy(shared, b, n);
		__asm__ volatile("" ::: "memory");
		memcpy(shared, a, n);
		__asm__ volatile("" ::: "memory");
	}
	return NULL;
}

static int
by_size(const void *a, const void *b)
{
	long x = *(const long *)a, y = *(const long *)b;

	return (x > y) - (x < y);
}

static void
do_time(void)
{
	long n = number(1), *each = calloc((size_t)n, sizeof(*each));
	struct timespec from, to;

	for (long i = 0; i < n; i++) {
		clock_gettime(CLOCK_MONOTONIC, &from);
		close(raw_openat(AT_FDCWD, path_of(3), (int)number(2), 0600));
		clock_gettime(CLOCK_MONOTONIC, &to);
		each[i] = (to.tv_sec - from.tv_sec) * 1000000000L +
		    to.tv_nsec - from.tv_nsec;
	}
	qsort(each, (size_t)n, sizeof(*each), by_size);
	printf("min %ld p50 %ld p90 %ld\n", each[0], each[n / 2],
	    each[n * 9 / 10]);
	free(each);
}

static void *
opener(void *arg)
{
	long good = 0;

	for (int i = 0; i < 100; i++) {
		int fd = raw_openat(AT_FDCWD, arg, O_RDONLY, 0);

		good += fd >= 0;
		if (fd >= 0)
			close(fd);
	}
	return (void *)good;
}

static void
do_threads(void)
{
	pthread_t threads[64];
	long n = number(1), good = 0;
	void *each;

	for (long i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, opener, words[2]);
	for (long i = 0; i < n; i++) {
		pthread_join(threads[i], &each);
		good += (long)each;
	}
	printf("good %ld\n", good);
}

static void
do_fork(void)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0)
		_exit(raw_openat(AT_FDCWD, path_of(2), (int)number(1), 0) < 0);
	usleep(50000);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	printf("signal %d\n", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

static void *
late_opener(void *arg)
{
	(void)raw_openat(AT_FDCWD, arg, (int)number(1), 0);
	return NULL;
}

static void
do_late(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, late_opener, strdup(words[2]));
	usleep(50000);
	printf("started\n");
}

/* ----- Any call -------------------------------------------------------------------- */

/* Bytes of its own for each argument; those of a struct in front of its text. */
static long
argument(int i)
{
	static _Alignas(8) unsigned char room[8][8192 + 16];
	const char *text = words[i];
	unsigned char *to = room[i];
	uint64_t at = (uintptr_t)(to + 16);
	uint32_t rest[2] = { 0, 0 };
	char byte[3] = "";

	if (text[0] == '\0' || text[1] != ':')
		return strtol(text, NULL, 0);
	text += 2;
	memset(to, 0, sizeof(room[0]));
	if (words[i][0] == 's') {
		memcpy(to, text, strlen(text) + 1);
	} else if (words[i][0] == 'a') {
		rest[0] = (uint32_t)strlen(text);
		memcpy(to, &at, 8);
		memcpy(to + 8, rest, 8);
		memcpy(to + 16, text, strlen(text) + 1);
	} else {
		for (; text[0] != '\0' && text[1] != '\0'; text += 2) {
			memcpy(byte, text, 2);
			*to++ = (unsigned char)strtoul(byte, NULL, 16);
		}
	}
	return (long)room[i];
}

/* The number is in words[at], the rest behind it. */
static void
arguments(int at, long a[7])
{
	a[0] = number(at);
	for (int i = 1; i < 7; i++)
		a[i] = at + i < 8 ? argument(at + i) : 0;
}

static long
any_call(const long a[7])
{
	return syscall(a[0], a[1], a[2], a[3], a[4], a[5], a[6]);
}

static void
do_timesys(void)
{
	long n = number(1), *each = calloc((size_t)n, sizeof(*each));
	struct timespec from, to;
	long args[7];

	arguments(2, args);
	for (long i = 0; i < n; i++) {
		clock_gettime(CLOCK_MONOTONIC, &from);
		(void)any_call(args);
		clock_gettime(CLOCK_MONOTONIC, &to);
		each[i] = (to.tv_sec - from.tv_sec) * 1000000000L +
		    to.tv_nsec - from.tv_nsec;
	}
	qsort(each, (size_t)n, sizeof(*each), by_size);
	printf("min %ld p50 %ld p90 %ld\n", each[0], each[n / 2],
	    each[n * 9 / 10]);
	free(each);
}

static long
change_shared(long turn)
{
	static const struct timespec times[2] = { { 5, 5 }, { 6, 6 } };

	switch (turn % 4) {
	case 0:
		return syscall(SYS_fchmodat, AT_FDCWD, shared, 0711);
	case 1:
		return syscall(SYS_utimensat, AT_FDCWD, shared, times, 0);
	case 2:
		return syscall(SYS_setxattr, shared, "user.race", "1", 1, 0);
	default:
		return syscall(SYS_fchownat, AT_FDCWD, shared, getuid(),
		    getgid(), 0);
	}
}

static void
do_flipchange(void)
{
	long good = 0, i = 0, n = number(1);
	pthread_t thread;

	shared = strdup(words[2]);
	stop = false;
	pthread_create(&thread, NULL, flipper, NULL);
	for (; i < n || (i < 50 * n && (good == 0 || good == i)); i++)
		good += change_shared(i) == 0;
	stop = true;
	pthread_join(thread, NULL);
	printf("good %ld of %ld\n", good, i);
}

static void
tell(long result, const char *word)
{
	if (result < 0)
		printf("errno %d\n", errno);
	else
		printf("%s %ld\n", word, result);
}

static int
unlock_pts(int master)
{
	int no = 0, number = -1;

	if (ioctl(master, TIOCSPTLCK, &no) != 0 ||
	    ioctl(master, TIOCGPTN, &number) != 0)
		return -1;
	return number;
}

static void
do_sys(void)
{
	long args[7];

	arguments(1, args);
	tell(any_call(args), "value");
}

static void *
sys_main(void *arg)
{
	long *result = arg, args[7];

	arguments(1, args);
	result[0] = any_call(args);
	result[1] = errno;
	return NULL;
}

static void
do_threadsys(void)
{
	long result[2] = { -1, 0 };
	pthread_t thread;

	pthread_create(&thread, NULL, sys_main, result);
	pthread_join(thread, NULL);
	errno = (int)result[1];
	tell(result[0], "value");
}

static void
do_modeof(void)
{
	struct stat st = { 0 };

	if (fstat((int)number(1), &st) != 0)
		tell(-1, "");
	else
		printf("mode %o\n", st.st_mode);
}

static void
do_limit(void)
{
	struct rlimit limit = { (rlim_t)number(1), (rlim_t)number(1) };

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = (rlim_t)number(1);
	tell(setrlimit(RLIMIT_NOFILE, &limit), "set");
}

static void
do_read(void)
{
	char data[64] = "";
	ssize_t n = read((int)number(1), data, sizeof(data) - 1);

	if (n < 0)
		printf("errno %d\n", errno);
	else
		printf("data %.*s\n", (int)strcspn(data, "\n"), data);
}

static void
do_word(void)
{
	const char *what = words[0];

	if (strcmp(what, "open") == 0)
		describe(raw_openat(AT_FDCWD, path_of(3), (int)number(1),
		    (mode_t)number(2)));
	else if (strcmp(what, "openat") == 0)
		describe(raw_openat((int)number(1), path_of(4), (int)number(2),
		    (mode_t)number(3)));
	else if (strcmp(what, "keep") == 0)
		tell(raw_openat(AT_FDCWD, path_of(2), (int)number(1), 0600),
		    "fd");
	else if (strcmp(what, "wild") == 0)
		describe((int)syscall(SYS_openat, AT_FDCWD,
		    strtoul(words[1], NULL, 0), O_RDONLY, 0));
#ifdef SYS_creat
	else if (strcmp(what, "creat") == 0)
		describe((int)syscall(SYS_creat, path_of(2), number(1)));
	else if (strcmp(what, "oldopen") == 0)
		describe((int)syscall(SYS_open, path_of(3), number(1),
		    number(2)));
#endif
	else if (strcmp(what, "close") == 0)
		tell(close((int)number(1)), "closed");
	else if (strcmp(what, "chdir") == 0)
		tell(chdir(path_of(1)), "changed");
	else if (strcmp(what, "umask") == 0)
		tell(umask((mode_t)number(1)), "was");
	else if (strcmp(what, "write") == 0)
		tell(write((int)number(1), words[2], strlen(words[2])), "wrote");
	else if (strcmp(what, "getfl") == 0)
		tell(fcntl((int)number(1), F_GETFL), "flags");
	else if (strcmp(what, "ctty") == 0)
		tell(ioctl((int)number(1), TIOCSCTTY, 0), "terminal");
	else if (strcmp(what, "pts") == 0)
		tell(unlock_pts((int)number(1)), "pts");
	else if (strcmp(what, "setsid") == 0)
		tell(setsid() < 0 ? -1 : 0, "session");
	else
		printf("what is '%s'?\n", what);
}

static const struct {
	const char *word;
	void (*fn)(void);
} table[] = {
	{ "edge", do_edge }, { "many", do_many }, { "time", do_time }, { "threads", do_threads },
	{ "fork", do_fork }, { "limit", do_limit }, { "read", do_read },
	{ "late", do_late },
	{ "sys", do_sys }, { "timesys", do_timesys },
	{ "flipchange", do_flipchange }, { "modeof", do_modeof },
	{ "threadsys", do_threadsys },
};

static void
do_request(void)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (strcmp(table[i].word, words[0]) == 0) {
			table[i].fn();
			return;
		}
	if (!caller_names(words) && !caller_races(words))
		do_word();
}

int
main(void)
{
	static char line[65536];

	umask(022);
	while (fgets(line, sizeof(line), stdin) != NULL) {
		char *rest, *word;
		int n = 0;

		memset(words, 0, sizeof(words));
		for (word = strtok_r(line, " \n", &rest);
		    word != NULL && n < 8; word = strtok_r(NULL, " \n", &rest))
			snprintf(words[n++], sizeof(words[0]), "%s", word);
		do_request();
		fflush(stdout);
	}
	return 0;
}
