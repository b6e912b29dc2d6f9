/*
 * trysys - one system call, by number, in a process of its own.
 *
 *	trysys [-i IDENTITY] [-f FILTER [-l]] <requests >results
 *	trysys [-i IDENTITY] [-f FILTER [-l]] PROGRAM [ARG...]
 *
 * -i	as whom: self (the default), root, nobody (uid 65534), or userns (root
 *	of a new one)
 * -f	a file of BPF instructions that is put on before the call
 * -l	with a listener, which answers every trap with an error of its own
 *
 * A request is a line `NUMBER ARG...`, or several with `then` between them, of
 * which the last is reported.  int80:NUMBER goes through the 32-bit door.  An
 * argument is a number or
 *
 *	s:TEXT	pointer to a text	open:PATH   descriptor, for reading
 *	x:HEX	pointer to bytes	sock:F,T    descriptor of a socket
 *	z:N	pointer to N zeros	pty	    ... of one's own terminal
 *	master	descriptor of /dev/ptmx	parent	    pid of a process outside
 *
 * The result is a line: `value N`, `errno N`, `signal N`, `trapped NUMBER`, or
 * `broken WHY` when the request could not even be tried.
 *
 * It must run under any filter, so it is built without sanitizers and uses
 * nothing of ours.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALLS_MAX 4
#define PATIENCE_MS 120000 /* no call that is tried waits for anything */
#define TRAP_ERRNO 4000 /* what the listener answers; no call has it */

struct call {
	bool int80;
	long nr;
	long arg[6];
};

/* What the child tells its parent. */
struct report {
	enum { LISTENER, RESULT, BROKEN } what;
	long value;
	char why[64];
};

static struct sock_filter code[BPF_MAXINSNS];
static unsigned short code_n;
static bool with_listener;
static const char *identity = "self";

/* ----- Who we are ---------------------------------------------------------------- */

static void
write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		err(2, "%s", path);
	close(fd);
}

static void
become(const char *who)
{
	char map[64];

	if (strcmp(who, "nobody") == 0 && geteuid() == 65534) {
		return;
	} else if (strcmp(who, "nobody") == 0) {
		if (setgroups(0, NULL) < 0 || setresgid(65534, 65534, 65534) < 0 ||
		    setresuid(65534, 65534, 65534) < 0)
			err(2, "cannot be nobody");
		prctl(PR_SET_DUMPABLE, 1);
	} else if (strcmp(who, "userns") == 0) {
		unsigned uid = getuid(), gid = getgid();

		if (unshare(CLONE_NEWUSER) < 0)
			err(2, "no user namespace");
		snprintf(map, sizeof(map), "0 %u 1", uid);
		write_text("/proc/self/uid_map", map);
		write_text("/proc/self/setgroups", "deny");
		snprintf(map, sizeof(map), "0 %u 1", gid);
		write_text("/proc/self/gid_map", map);
	} else if (strcmp(who, "root") == 0 && geteuid() != 0) {
		errx(2, "not root");
	}
}

static void
read_filter(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, code, sizeof(code));

	if (n <= 0)
		err(2, "%s", path);
	code_n = (unsigned short)((size_t)n / sizeof(code[0]));
	close(fd);
}

static long
put_on_filter(void)
{
	struct sock_fprog program = { code_n, code };

	if (code_n == 0)
		return 0;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
	    with_listener ? SECCOMP_FILTER_FLAG_NEW_LISTENER : 0UL, &program);
}

/* ----- Requests -------------------------------------------------------------------- */

static const char *broken;

static void *
pointer_to(const void *bytes, size_t n)
{
	void *copy = calloc(1, n + 64);

	if (copy == NULL)
		err(2, "memory");
	if (bytes != NULL)
		memcpy(copy, bytes, n);
	return copy;
}

static long
parse_hex(const char *text)
{
	size_t n = strlen(text) / 2;
	unsigned char *bytes = pointer_to(NULL, n);

	for (size_t i = 0; i < n; i++) {
		char digits[] = { text[2 * i], text[2 * i + 1], '\0' };

		bytes[i] = (unsigned char)strtoul(digits, NULL, 16);
	}
	return (long)bytes;
}

static long
descriptor(const char *what, int fd)
{
	if (fd < 0)
		broken = what;
	return fd;
}

/* Our own terminal: the slave, as the controlling one of a new session. */
static long
open_pty(bool master)
{
	int fd = posix_openpt(O_RDWR | O_NOCTTY), slave;

	if (fd < 0 || grantpt(fd) < 0 || unlockpt(fd) < 0)
		return descriptor("no pty", -1);
	if (master)
		return fd;
	(void)setsid();
	slave = ioctl(fd, TIOCGPTPEER, O_RDWR | O_NOCTTY);
	if (slave >= 0)
		(void)ioctl(slave, TIOCSCTTY, 0);
	return descriptor("no slave", slave);
}

static long
parse_arg(const char *text)
{
	int family, type;

	if (strncmp(text, "s:", 2) == 0)
		return (long)pointer_to(text + 2, strlen(text + 2) + 1);
	if (strncmp(text, "z:", 2) == 0)
		return (long)pointer_to(NULL, strtoul(text + 2, NULL, 0));
	if (strncmp(text, "x:", 2) == 0)
		return parse_hex(text + 2);
	if (strncmp(text, "open:", 5) == 0)
		return descriptor("cannot open", open(text + 5, O_RDONLY));
	if (sscanf(text, "sock:%d,%d", &family, &type) == 2)
		return descriptor("no such socket", socket(family, type, 0));
	if (strcmp(text, "pty") == 0 || strcmp(text, "master") == 0)
		return open_pty(text[0] == 'm');
	if (strcmp(text, "parent") == 0)
		return getppid();
	return (long)strtoull(text, NULL, 0);
}

/* The number of calls in the line. */
static size_t
parse_request(char *line, struct call calls[CALLS_MAX])
{
	size_t n = 0, n_args = 0;
	char *rest, *word;

	memset(calls, 0, CALLS_MAX * sizeof(calls[0]));
	for (word = strtok_r(line, " \n", &rest); word != NULL;
	    word = strtok_r(NULL, " \n", &rest)) {
		if (n_args == 0 && n < CALLS_MAX) {
			calls[n].int80 = strncmp(word, "int80:", 6) == 0;
			calls[n].nr = strtol(word + (calls[n].int80 ? 6 : 0),
			    NULL, 0);
			n++, n_args = 1;
		} else if (strcmp(word, "then") == 0) {
			n_args = 0;
		} else if (n_args <= 6) {
			calls[n - 1].arg[n_args++ - 1] = parse_arg(word);
		} else {
			broken = "too many arguments";
		}
	}
	return n;
}

/* ----- The call --------------------------------------------------------------------- */

static long
do_call(const struct call *call)
{
	const long *a = call->arg;

	if (!call->int80)
		return syscall(call->nr, a[0], a[1], a[2], a[3], a[4], a[5]);
#ifdef __x86_64__
	long result;

	__asm__ volatile("int $0x80"
	    : "=a"(result)
	    : "a"(call->nr), "b"(a[0]), "c"(a[1]), "d"(a[2])
	    : "memory", "r8", "r9", "r10", "r11");
	return result;
#else
	errno = ENOSYS;
	return -1;
#endif
}

_Noreturn static void
child(int out, char *line)
{
	struct call calls[CALLS_MAX];
	size_t n = parse_request(line, calls);
	struct report report = { .what = LISTENER };
	pid_t self = getpid();

	report.value = broken != NULL ? -1 : put_on_filter();
	if (broken == NULL && report.value < 0)
		broken = strerror(errno);
	if (broken != NULL) {
		report.what = BROKEN;
		snprintf(report.why, sizeof(report.why), "%s", broken);
		_exit(write(out, &report, sizeof(report)) < 0);
	}
	if (with_listener && write(out, &report, sizeof(report)) < 0)
		_exit(1);
	report.what = RESULT;
	for (size_t i = 0; i < n; i++) {
		report.value = do_call(&calls[i]);
		if (report.value == -1)
			report.value = -errno;
	}
	if (getpid() == self && write(out, &report, sizeof(report)) < 0)
		_exit(1);
	_exit(0);
}

/* ----- Watching it ------------------------------------------------------------------ */

/* A buffer for kernels whose notifications have grown. */
union notification {
	struct seccomp_notif notif;
	char room[512];
};

static int
answer_trap(int listener)
{
	static union notification n;
	static union {
		struct seccomp_notif_resp resp;
		char room[512];
	} answer;
	int nr;

	memset(&n, 0, sizeof(n));
	memset(&answer, 0, sizeof(answer));
	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &n) < 0)
		return -1;
	nr = n.notif.data.nr;
	answer.resp.id = n.notif.id;
	answer.resp.error = -TRAP_ERRNO;
	(void)ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
	return nr;
}

static void
print_result(const struct report *last, int status, int trapped)
{
	if (last->what == BROKEN)
		printf("broken %s\n", last->why);
	else if (WIFSIGNALED(status))
		printf("signal %d\n", WTERMSIG(status));
	else if (last->what == RESULT && last->value == -TRAP_ERRNO)
		printf("trapped %d\n", trapped);
	else if (last->what == RESULT && last->value < 0 && last->value > -4096)
		printf("errno %ld\n", -last->value);
	else if (last->what == RESULT)
		printf("value %ld\n", last->value);
	else
		printf("broken no report\n");
	fflush(stdout);
}

/* Until the child is gone: its reports, and its traps if we listen. */
static void
watch(pid_t pid, int in)
{
	struct report last = { .what = LISTENER };
	struct pollfd fds[3] = { { in, POLLIN, 0 }, { -1, POLLIN, 0 },
		{ (int)syscall(SYS_pidfd_open, pid, 0), POLLIN, 0 } };
	int trapped = -1, status = 0;

	while (poll(fds, 3, PATIENCE_MS) > 0) {
		if ((fds[0].revents & POLLIN) != 0) {
			struct report next;

			if (read(in, &next, sizeof(next)) != sizeof(next))
				break;
			if (next.what == LISTENER)
				fds[1].fd = (int)next.value;
			last = next;
		} else if ((fds[1].revents & POLLIN) != 0) {
			trapped = answer_trap(fds[1].fd);
		} else if ((fds[1].revents & (POLLHUP | POLLERR)) != 0) {
			close(fds[1].fd);
			fds[1].fd = -1;
		} else if ((fds[2].revents & POLLIN) != 0) {
			break;
		}
	}
	kill(pid, SIGKILL); /* it is gone, or it hangs */
	waitpid(pid, &status, 0);
	if (fds[1].fd >= 0)
		close(fds[1].fd);
	close(fds[2].fd);
	print_result(&last, status, trapped);
}

/*
 * With a listener the child shares our descriptors, so that the listener is
 * ours too as soon as it exists.  Whatever a request opens is closed after it.
 */
static void
serve(char *line)
{
	unsigned long flags = SIGCHLD | (with_listener ? CLONE_FILES : 0UL);
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		err(2, "pipe");
	pid = (pid_t)syscall(SYS_clone, flags, 0, 0, 0, 0);
	if (pid < 0)
		err(2, "clone");
	if (pid == 0)
		child(ends[1], line);
	watch(pid, ends[0]);
	(void)close_range(3, ~0U, 0);
}

_Noreturn static void
run(char **argv)
{
	if (put_on_filter() < 0)
		err(2, "filter");
	execvp(argv[0], argv);
	err(127, "%s", argv[0]);
}

int
main(int argc, char **argv)
{
	char line[4096];
	int option;

	while ((option = getopt(argc, argv, "+i:f:l")) != -1)
		if (option == 'i')
			identity = optarg;
		else if (option == 'f')
			read_filter(optarg);
		else if (option == 'l')
			with_listener = true;
		else
			return 2;
	become(identity);
	if (optind < argc)
		run(argv + optind);
	while (fgets(line, sizeof(line), stdin) != NULL)
		serve(line);
	return 0;
}
