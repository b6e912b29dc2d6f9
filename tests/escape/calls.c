/* Family 5: ways around a filter of system calls. */
#include "escape.h"

#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/wait.h>

#define HIGH 0x7700000000UL

/* getpid(), which nobody refuses, by the other door. */
static int
x32(void)
{
#ifdef __x86_64__
	return had(syscall(0x40000000 | 39));
#else
	return not_here("no such door on this machine");
#endif
}

#ifdef __x86_64__
static long
int80(long nr, long a, long b, long c)
{
	long r;

	__asm__ volatile("int $0x80"
	    : "=a"(r)
	    : "a"(nr), "b"(a), "c"(b), "d"(c)
	    : "memory", "r8", "r9", "r10", "r11");
	if (r < 0)
		errno = (int)-r;
	return r;
}
#endif

/* getpid() again: where nothing of that door is let through, all is. */
static int
door32(void)
{
#ifdef __x86_64__
	return had(int80(20, 0, 0, 0));
#else
	return not_here("no such door on this machine");
#endif
}

static int
uring(void)
{
	uint32_t params[32] = { 0 };

	return had(syscall(SYS_io_uring_setup, 1, params));
}

static int
openat2_read(void)
{
	uint64_t how[3] = { O_RDONLY, 0, 0 };

	return leaks((int)syscall(SYS_openat2, AT_FDCWD,
	    text("%s/secret", unreadable), how, sizeof(how)));
}

static int
old_open(void)
{
#ifdef SYS_open
	return leaks((int)syscall(SYS_open, text("%s/secret", unreadable),
	    O_RDONLY));
#else
	return not_here("there is no open() here, only openat()");
#endif
}

static int
old_creat(void)
{
#ifdef SYS_creat
	return had(syscall(SYS_creat, text("%s/new", unwritable), 0600));
#else
	return not_here("there is no creat() here");
#endif
}

static int
high_socket(void)
{
	struct sockaddr_in in = { .sin_family = AF_INET,
		.sin_port = htons((uint16_t)fact_number("tcp")),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	long fd = syscall(SYS_socket, AF_INET | HIGH, SOCK_STREAM | HIGH, HIGH);

	return fd < 0 ? -1 : had(syscall(SYS_connect, fd | (long)HIGH, &in,
	    sizeof(in) | HIGH));
}

static int
high_open(void)
{
	return leaks((int)syscall(SYS_openat, (unsigned)AT_FDCWD | HIGH,
	    text("%s/secret", unreadable), O_RDONLY | HIGH));
}

static int
high_write(void)
{
	return had(syscall(SYS_openat, (unsigned)AT_FDCWD | HIGH,
	    text("%s/secret", unwritable), O_WRONLY | HIGH));
}

static int
by_directory(void)
{
	int dir = open(unreadable, O_PATH | O_DIRECTORY);

	return dir < 0 ? -1 : leaks(openat(dir, "secret", O_RDONLY));
}

/* By a descriptor that was no licence to read. */
static int
by_path_descriptor(void)
{
	int fd = open(text("%s/secret", unreadable), O_PATH);

	return fd < 0 ? -1 : leaks(open(text("/proc/self/fd/%d", fd),
	    O_RDONLY));
}

static void *
read_it(void *arg)
{
	static int result;

	result = leaks(open(arg, O_RDONLY)) == 0 ? 0 : errno;
	return &result;
}

static int
by_thread(void)
{
	const char *path = text("%s/secret", unreadable);
	pthread_t thread;
	void *result = NULL;

	if (pthread_create(&thread, NULL, read_it,
	    (void *)(uintptr_t)path) != 0 ||
	    pthread_join(thread, &result) != 0)
		return -1;
	errno = *(int *)result;
	return errno == 0 ? 0 : -1;
}

static int
by_program(void)
{
	const char *path = text("%s/secret", unreadable);
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		execl("/bin/grep", "grep", "-q", "SECRET", path, NULL);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	errno = EACCES;
	return status == 0 ? 0 : -1;
}

const struct probe calls_probes[] = {
	{ "69", x32, 0 },
	{ "70", door32, 0 },
	{ "71", uring, 0 },
	{ "72-openat2", openat2_read, 0 },
	{ "72-open", old_open, WORKS },
	{ "72-creat", old_creat, WORKS },
	{ "73-socket", high_socket, 0 },
	{ "73-read", high_open, WORKS },
	{ "73-write", high_write, WORKS },
	{ "80-directory", by_directory, WORKS },
	{ "80-path", by_path_descriptor, WORKS },
	{ "81-thread", by_thread, WORKS },
	{ "81-program", by_program, WORKS },
	{ NULL, NULL, 0 },
};
