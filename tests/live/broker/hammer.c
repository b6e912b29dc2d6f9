/*
 * hammer - many processes with many threads that make calls which are judged,
 * and know what the verdicts must be.
 *
 *	hammer <requests	in a workspace with pub/a, x.env, secrets/s, made/
 *
 *	go PROCESSES THREADS SECONDS	`calls N wrong N WHAT ERRNO ended N`: WHAT
 *					was the first that went wrong; so many
 *					processes ended as they should
 *
 * Built without sanitizers: it runs under filters.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define THREADS_MAX 64

/* What all of them count in. */
static struct tally {
	unsigned long calls, wrong;
	int error;
	char what[32];
} *tally;
static time_t deadline;

static void
expect(const char *what, bool right)
{
	int error = errno;

	__atomic_fetch_add(&tally->calls, 1, __ATOMIC_RELAXED);
	if (right || __atomic_fetch_add(&tally->wrong, 1, __ATOMIC_RELAXED) > 0)
		return;
	tally->error = error;
	snprintf(tally->what, sizeof(tally->what), "%s", what);
}

static bool
reads(const char *path, const char *text)
{
	char data[16] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, data, sizeof(data) - 1);

	if (fd >= 0)
		close(fd);
	return n > 0 && strncmp(data, text, strlen(text)) == 0;
}

static bool
is_refused(const char *path, int flags)
{
	int fd = open(path, flags, 0600);

	if (fd >= 0)
		close(fd);
	return fd < 0 && errno == EACCES;
}

/* Names of its own, made, changed and removed. */
static void
make_and_remove(const char *name)
{
	char other[64];
	int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	snprintf(other, sizeof(other), "%s.x", name);
	expect("create", fd >= 0 && write(fd, "x", 1) == 1);
	if (fd >= 0)
		close(fd);
	expect("chmod", chmod(name, 0640) == 0);
	expect("rename", rename(name, other) == 0);
	expect("unlink", unlink(other) == 0);
	expect("mkdir", mkdir(name, 0700) == 0);
	expect("rmdir", rmdir(name) == 0);
}

static void *
hammer(void *arg)
{
	char name[48];

	snprintf(name, sizeof(name), "made/%d-%ld", (int)getpid(),
	    *(const long *)arg);
	do { /* once at least, however late it is */
		for (int i = 0; i < 8; i++)
			expect("read", reads("pub/a", "public"));
		make_and_remove(name);
		expect("secret", is_refused("secrets/s", O_RDONLY));
		expect("glob", is_refused("x.env", O_RDONLY));
		expect("modify", is_refused("x.lock", O_WRONLY));
	} while (time(NULL) < deadline);
	return NULL;
}

static void
process_main(long threads)
{
	pthread_t each[THREADS_MAX];
	long numbers[THREADS_MAX], started = 0;

	for (; started < threads && started < THREADS_MAX; started++) {
		numbers[started] = started;
		if (pthread_create(&each[started], NULL, hammer,
			&numbers[started]) != 0)
			break;
	}
	expect("thread", started == threads);
	for (long i = 0; i < started; i++)
		pthread_join(each[i], NULL);
	_exit(0);
}

static void
go(long processes, long threads, long seconds)
{
	long ended = 0;
	int status;

	memset(tally, 0, sizeof(*tally));
	deadline = time(NULL) + seconds;
	for (long i = 0; i < processes; i++) {
		pid_t pid = fork();

		if (pid == 0)
			process_main(threads);
		expect("fork", pid > 0);
	}
	while (wait(&status) > 0)
		ended += status == 0;
	printf("calls %lu wrong %lu %s %d ended %ld\n", tally->calls,
	    tally->wrong, tally->what[0] != '\0' ? tally->what : "-",
	    tally->error, ended);
	fflush(stdout);
}

int
main(void)
{
	char line[128], *rest;

	tally = mmap(NULL, sizeof(*tally), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	while (fgets(line, sizeof(line), stdin) != NULL &&
	    strncmp(line, "go ", 3) == 0) {
		long processes = strtol(line + 3, &rest, 10);
		long threads = strtol(rest, &rest, 10);

		go(processes, threads, strtol(rest, NULL, 10));
	}
	return 0;
}
