/*
 * What somebody does who does not want to be in an inner run, or to have one
 * beside him.
 *
 *	guest read FILE			in every way a process can be another one;
 *					says "read" for each that worked
 *	guest touch PID			reaches for another process
 *	guest daemon FILE		leaves its session, forks twice, writes its
 *					number to FILE and stays
 *	guest reach			asks for a run of its own
 *	guest held			does so from a filter, then from a Landlock
 *					domain of its own: both must hold
 *	guest flood N			as often, and keeps all of them
 *	guest fill			as often as it can, makes sub/full and stays
 *	guest garbage			asks with bytes that mean nothing
 *	guest steal PID FD		takes a descriptor of another process, says
 *					what comes to mind over it
 *	guest stay FILE			opens FILE and stays
 *	guest await FILE		until FILE is there, without a child
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *target;

static int
can_read(void)
{
	char c;
	int fd = open(target, O_RDONLY | O_CLOEXEC);
	int yes = fd >= 0 && read(fd, &c, 1) == 1;

	if (fd >= 0)
		close(fd);
	return yes;
}

static void
say(const char *how, int worked)
{
	printf("%s %s\n", worked ? "read" : "no", how);
	fflush(stdout);
}

/* ----- Being somebody else ------------------------------------------------------- */

static void *
thread(void *arg)
{
	*(int *)arg = can_read();
	return NULL;
}

/* In a child, of which only the exit status comes back. */
static int
in_child(void (*prepare)(void))
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		if (prepare != NULL)
			prepare();
		_exit(can_read());
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

static void
new_session(void)
{
	(void)setsid();
}

/* The child of a child that is gone: whoever takes it up is its parent. */
static void
orphan(void)
{
	int ends[2];
	char c = 0;

	if (pipe(ends) != 0)
		_exit(0);
	if (fork() == 0) {
		setsid();
		if (fork() != 0)
			_exit(0);
		while (getppid() != 1 && c++ < 100)
			usleep(1000);
		c = (char)can_read();
		(void)!write(ends[1], &c, 1);
		_exit(0);
	}
	close(ends[1]);
	(void)!read(ends[0], &c, 1);
	_exit(c);
}

static void
not_dumpable(void)
{
	prctl(PR_SET_DUMPABLE, 0);
}

/* Another table of descriptors, another directory, another umask. */
static void
apart(void)
{
	(void)syscall(SYS_unshare, CLONE_FS | CLONE_FILES);
}

static int
is_read_by_number(void)
{
	enum { MANY = 300 };

	/* Numbers of processes come round; none of them means anything. */
	for (int i = 0; i < MANY; i++) {
		int status;
		pid_t pid = fork();

		if (pid == 0)
			_exit(i % 10 == 0 ? can_read() : 0);
		waitpid(pid, &status, 0);
		if (WIFEXITED(status) && WEXITSTATUS(status) == 1)
			return 1;
	}
	return 0;
}

static int
read_all(void)
{
	pthread_t threads[8];
	int results[8] = { 0 }, any = 0;

	say("plainly", can_read());
	for (int i = 0; i < 8; i++)
		pthread_create(&threads[i], NULL, thread, &results[i]);
	for (int i = 0; i < 8; i++) {
		pthread_join(threads[i], NULL);
		any |= results[i];
	}
	say("by threads", any);
	say("by a child", in_child(NULL));
	say("by a session", in_child(new_session));
	say("by an orphan", in_child(orphan));
	say("by one that hides", in_child(not_dumpable));
	say("by one apart", in_child(apart));
	say("by many", is_read_by_number());
	return 0;
}

/* ----- Reaching for others ------------------------------------------------------- */

static int
opens(pid_t pid, const char *what)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, what);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* Which numbers there are, everybody of the user may see. */
static int
names(pid_t pid, const char *what)
{
	char path[64], room[256];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, what);
	return readlink(path, room, sizeof(room)) > 0;
}

static int
takes(pid_t pid)
{
	int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	int fd = pidfd < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, pidfd, 0, 0);

	return fd >= 0;
}

static int
touch(pid_t pid)
{
	char byte;
	struct iovec here = { &byte, 1 }, there = { (void *)64, 1 };

	say("signal", kill(pid, 0) == 0);
	say("signal by pidfd", syscall(SYS_pidfd_send_signal,
	    (int)syscall(SYS_pidfd_open, pid, 0), 0, NULL, 0) == 0);
	say("memory", process_vm_readv(pid, &here, 1, &there, 1, 0) >= 0 ||
	    errno == EFAULT); /* asked, and there is nothing */
	say("its descriptor", takes(pid));
	say("mem", opens(pid, "mem"));
	say("environ", opens(pid, "environ"));
	say("name of fd/0", names(pid, "fd/0"));
	say("fd/0", opens(pid, "fd/0"));
	say("fd/9", opens(pid, "fd/9"));
	say("root", opens(pid, "root"));
	say("cwd", opens(pid, "cwd/secrets/s"));
	if (ptrace(PTRACE_SEIZE, pid, NULL, NULL) == 0) {
		say("trace", 1);
		(void)ptrace(PTRACE_DETACH, pid, NULL, NULL);
	} else {
		say("trace", 0);
	}
	return 0;
}

static int
be_daemon(const char *file)
{
	char fresh[256];
	FILE *f;

	if (fork() != 0) {
		while (access(file, F_OK) != 0)
			usleep(1000);
		return 0;
	}
	setsid();
	if (fork() != 0)
		_exit(0);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	snprintf(fresh, sizeof(fresh), "%s.fresh", file);
	f = fopen(fresh, "w");
	if (f == NULL)
		_exit(1);
	fprintf(f, "%d\n", (int)getpid());
	fclose(f);
	(void)!rename(fresh, file);
	for (;;)
		pause();
}

/* ----- Asking for a run ---------------------------------------------------------- */

static int
reach(void)
{
	static const struct sockaddr_un address = { .sun_family = AF_UNIX,
		.sun_path = "/proc/self/cordon-nested" };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (connect(fd, (const struct sockaddr *)&address,
		sizeof(address)) == 0)
		return fd;
	close(fd);
	return -errno;
}

static int
filter_self(void)
{
	static struct sock_filter code[] = {
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { 1, code };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static int
restrict_self(void)
{
	struct landlock_ruleset_attr attr = {
		.handled_access_fs = LANDLOCK_ACCESS_FS_WRITE_FILE };
	int fd = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr),
	    0);

	return fd >= 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	    syscall(SYS_landlock_restrict_self, fd, 0) == 0;
}

/* Is he who has put himself behind something brought out of it? */
static const char *
held(int (*hold)(void))
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0)
		_exit(!hold() ? 1 : reach() < 0 ? 2 : 3);
	waitpid(pid, &status, 0);
	switch (WEXITSTATUS(status)) {
	case 1:
		return "cannot";
	case 2:
		return "held";
	default:
		return "brought out";
	}
}

static int
flood(int n)
{
	int got = 0;

	for (int i = 0; i < n; i++)
		got += reach() >= 0;
	printf("%d\n", got);
	return 0;
}

static void
fill(void)
{
	while (reach() >= 0)
		;
	close(open("sub/full", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	for (;;)
		pause();
}

/* What it answers, or that it hangs up; else this waits for ever. */
static void
listen_to(int fd)
{
	char room[256];

	while (read(fd, room, sizeof(room)) > 0)
		;
	close(fd);
}

/* In the place of those that are on their way out. */
static int
reach_again(void)
{
	int fd;

	while ((fd = reach()) == -EAGAIN)
		usleep(1000);
	return fd;
}

static int
garbage(void)
{
	static const uint32_t heads[][2] = { { 0, 0 }, { 0x4e44524fU, 0 },
		{ 0x4e44524fU, UINT32_MAX }, { 0x4e44524fU, 8U << 20 },
		{ 0x4e44524fU, 64 }, { 0x4e44524fU, 4096 } };
	static unsigned char bytes[4096];
	unsigned asked = 0;

	for (unsigned i = 0; i < 200; i++) {
		const uint32_t *head = heads[i % 6];
		int fd = reach_again();

		if (fd < 0)
			return 1;
		for (size_t k = 0; k < sizeof(bytes); k++)
			bytes[k] = (unsigned char)(i < 100 ? rand() :
			    rand() % 4 == 0 ? rand() : 0);
		(void)!send(fd, head, 8, MSG_NOSIGNAL);
		(void)!send(fd, bytes, head[1] < sizeof(bytes) ? head[1] :
			sizeof(bytes), MSG_NOSIGNAL);
		if (i % 2 == 0)
			shutdown(fd, SHUT_WR);
		if (head[1] <= sizeof(bytes) || i % 2 == 0 ||
		    head[1] == UINT32_MAX)
			listen_to(fd);
		else
			close(fd);
		asked++;
	}
	printf("asked %u\n", asked);
	return 0;
}

static void
give(int fd, const int *fds, size_t n)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(8 * sizeof(int))] = {
		0 };
	char byte = 0;
	struct iovec from = { &byte, 1 };
	struct msghdr message = { .msg_iov = &from, .msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = CMSG_SPACE(n * sizeof(int)) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&message);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(n * sizeof(int));
	memcpy(CMSG_DATA(c), fds, n * sizeof(int));
	(void)!sendmsg(fd, &message, MSG_NOSIGNAL);
}

static int
steal(pid_t pid, int number)
{
	static const int stdio[8] = { 0, 1, 2, 0, 1, 2, 0, 1 };
	static const char head[8] = { 0x4f, 0x52, 0x44, 0x4e, 0x41, 0, 0, 0 };
	int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	int fd = (int)syscall(SYS_pidfd_getfd, pidfd, number, 0);

	if (fd < 0) {
		puts("not taken");
		return 0;
	}
	/* Another policy, other descriptors, and signals that do nothing. */
	give(fd, stdio, 3);
	give(fd, stdio, 8);
	(void)!send(fd, head, sizeof(head), MSG_NOSIGNAL);
	for (int i = 0; i < 100; i++)
		(void)!send(fd, "\x1c\xff\x41", 3, MSG_NOSIGNAL);
	puts("taken");
	return 0;
}

static int
stay(const char *file)
{
	int fd = open(file, O_RDONLY);

	if (fd < 0 || dup2(fd, 9) != 9)
		return 1;
	puts("here");
	fflush(stdout);
	for (;;)
		pause();
}

int
main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	const char *arg = argc > 2 ? argv[2] : "0";

	if (strcmp(what, "read") == 0) {
		target = arg;
		return read_all();
	}
	if (strcmp(what, "touch") == 0)
		return touch((pid_t)atoi(arg));
	if (strcmp(what, "daemon") == 0)
		return be_daemon(arg);
	if (strcmp(what, "reach") == 0) {
		printf("%s\n", reach() >= 0 ? "reached" : "nobody");
		return 0;
	}
	if (strcmp(what, "held") == 0) {
		printf("%s\n", held(filter_self));
		printf("%s\n", held(restrict_self));
		return 0;
	}
	if (strcmp(what, "flood") == 0)
		return flood(atoi(arg));
	if (strcmp(what, "fill") == 0)
		fill();
	if (strcmp(what, "garbage") == 0)
		return garbage();
	if (strcmp(what, "steal") == 0 && argc > 3)
		return steal((pid_t)atoi(arg), atoi(argv[3]));
	if (strcmp(what, "await") == 0) {
		while (access(arg, F_OK) != 0)
			usleep(10000);
		return puts("went on") < 0;
	}
	if (strcmp(what, "stay") == 0)
		return stay(arg);
	return 2;
}
