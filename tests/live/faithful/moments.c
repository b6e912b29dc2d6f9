/*
 * moments - what takes time, or two: FIFOs, signals, locks, limits, terminals.
 *
 *	moments DIRECTORY
 *
 * A line about each.  It says the same plainly and in the cage.  Nothing here
 * is a guess about time: who must have begun to wait is asked of /proc.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define AT_ONCE	   30 /* tries, each a millisecond later */
#define LEN(array) (sizeof(array) / sizeof((array)[0]))

static volatile sig_atomic_t signals;

static void
count(int number)
{
	(void)number;
	signals++;
}

static void
handle(int number, int flags)
{
	struct sigaction action = { .sa_handler = count, .sa_flags = flags };

	signals = 0;
	sigaction(number, &action, NULL);
}

static const char *
said(long r)
{
	return r >= 0 ? "ok" : strerrorname_np(errno);
}

/* ----- Others --------------------------------------------------------------------- */

/* A process that opens; its status is 0 or the errno. */
static pid_t
opener(const char *path, int flags, int restart)
{
	pid_t pid;
	int fd;

	fflush(stdout);
	pid = fork();
	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (restart >= 0)
		handle(SIGUSR1, restart);
	fd = open(path, flags);
	if (fd < 0)
		_exit(errno);
	_exit(restart >= 0 && signals != 1 ? 99 : 0);
}

/* Has it come to its call, and waits there?  The number stands in front. */
static void
await_call(pid_t pid, long wanted)
{
	char path[64], text[64];
	long number;

	snprintf(path, sizeof(path), "/proc/%d/syscall", (int)pid);
	do {
		FILE *file = fopen(path, "r");

		usleep(2000);
		number = -1;
		if (file != NULL && fgets(text, sizeof(text), file) != NULL)
			number = strtol(text, NULL, 10);
		if (file != NULL)
			fclose(file);
	} while (number != wanted);
	usleep(30000);
}

static void
await_open(pid_t pid)
{
	await_call(pid, SYS_openat);
}

static const char *
ended(pid_t pid)
{
	static char text[64];
	int status;

	if (waitpid(pid, &status, 0) != pid)
		return "lost";
	if (WIFSIGNALED(status))
		snprintf(text, sizeof(text), "signal %d", WTERMSIG(status));
	else
		snprintf(text, sizeof(text), "status %d", WEXITSTATUS(status));
	return text;
}

static void
end(pid_t pid)
{
	kill(pid, SIGKILL);
	(void)ended(pid);
}

/* ----- FIFOs ---------------------------------------------------------------------- */

static void
fifo_waits(void)
{
	pid_t pid;
	int fd;

	pid = opener("fifo", O_RDONLY, -1);
	await_open(pid);
	fd = open("fifo", O_WRONLY);
	printf("a reader that waited: %s, %s\n", said(fd), ended(pid));
	close(fd);
	pid = opener("fifo", O_WRONLY, -1);
	await_open(pid);
	fd = open("fifo", O_RDONLY);
	printf("a writer that waited: %s, %s\n", said(fd), ended(pid));
	close(fd);
	fd = open("fifo", O_RDWR);
	printf("both at once: %s\n", said(fd));
	close(fd);
}

static void
fifo_nonblocking(void)
{
	int reader, writer = open("fifo", O_WRONLY | O_NONBLOCK);

	printf("nobody reads: %s\n", said(writer));
	reader = open("fifo", O_RDONLY | O_NONBLOCK);
	writer = open("fifo", O_WRONLY | O_NONBLOCK);
	printf("somebody does: %s %s\n", said(reader), said(writer));
	printf("written: %s\n", said(write(writer, "x", 1)));
	close(writer);
	close(reader);
}

static void
fifo_signals(int flags, const char *which)
{
	pid_t pid = opener("fifo", flags, 0);

	await_open(pid);
	kill(pid, SIGUSR1);
	printf("%s, interrupted: %s\n", which,
	    strcmp(ended(pid), "status 4") == 0 ? "EINTR" : "something else");
	pid = opener("fifo", flags, SA_RESTART);
	await_open(pid);
	kill(pid, SIGUSR1);
	usleep(100000);
	printf("%s, begun anew: %s\n", which,
	    waitpid(pid, NULL, WNOHANG) == 0 ? "waits" : "does not");
	await_open(pid);
	close(open("fifo", flags == O_RDONLY ? O_WRONLY : O_RDONLY));
	printf("and comes to: %s\n", ended(pid));
}

static void
fifo_stops(void)
{
	pid_t pid = opener("fifo", O_RDONLY, -1);
	int status = 0;

	await_open(pid);
	kill(pid, SIGSTOP);
	(void)waitpid(pid, &status, WUNTRACED);
	printf("stopped: %s\n", WIFSTOPPED(status) ? "yes" : "no");
	kill(pid, SIGCONT);
	await_open(pid);
	close(open("fifo", O_WRONLY));
	printf("went on: %s\n", ended(pid));
}

/* Who is killed lets nobody in. */
static void
fifo_killed(void)
{
	pid_t one = opener("fifo", O_RDONLY, -1);
	pid_t other = opener("fifo", O_RDONLY, -1);
	int fd;

	await_open(one);
	await_open(other);
	end(one);
	usleep(100000);
	printf("the other one: %s\n",
	    waitpid(other, NULL, WNOHANG) == 0 ? "waits" : "does not");
	end(other);
	do { /* it is gone a moment later */
		fd = open("fifo", O_WRONLY | O_NONBLOCK);
		if (fd >= 0)
			close(fd);
	} while (fd >= 0);
	printf("nobody is left: %s\n", said(fd));
}

/* A signal and the other end come at once: nobody is let in alone. */
static void
fifo_at_once(void)
{
	int good = 0;

	for (unsigned i = 0; i < AT_ONCE; i++) {
		pid_t pid = opener("fifo", O_RDONLY, SA_RESTART);

		await_open(pid);
		kill(pid, SIGUSR1);
		usleep(i * 1000);
		close(open("fifo", O_WRONLY));
		good += strcmp(ended(pid), "status 0") == 0;
	}
	printf("both at once: %d\n", good);
}

static void
fifos(void)
{
	(void)mkfifo("fifo", 0600);
	fifo_waits();
	fifo_nonblocking();
	fifo_signals(O_RDONLY, "a reader");
	fifo_signals(O_WRONLY, "a writer");
	fifo_stops();
	fifo_killed();
	fifo_at_once();
	unlink("fifo");
}

/* ----- Connections ----------------------------------------------------------------- */

static int
connect_one(int flags)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX,
		.sun_path = "socket" };
	int fd = socket(AF_UNIX, SOCK_STREAM | flags, 0);

	if (connect(fd, (void *)&address, sizeof(address)) == 0)
		return fd;
	close(fd);
	return -1;
}

static pid_t
connector(int restart)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	handle(SIGUSR1, restart);
	_exit(connect_one(0) >= 0 ? 0 : errno);
}

/* One that has no more room for any. */
static int
make_full(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX,
		.sun_path = "socket" };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0), n = 0;

	if (bind(fd, (void *)&address, sizeof(address)) != 0 ||
	    listen(fd, 1) != 0)
		printf("no socket: %s\n", said(-1));
	while (connect_one(SOCK_NONBLOCK) >= 0)
		n++;
	printf("full after %d: %s\n", n, said(-1));
	return fd;
}

static void
connections(void)
{
	int fd = make_full();
	pid_t pid = connector(0);

	await_call(pid, SYS_connect);
	kill(pid, SIGUSR1);
	printf("a connect, interrupted: %s\n",
	    strcmp(ended(pid), "status 4") == 0 ? "EINTR" : "something else");
	pid = connector(SA_RESTART);
	await_call(pid, SYS_connect);
	kill(pid, SIGUSR1);
	usleep(100000);
	printf("begun anew: %s\n",
	    waitpid(pid, NULL, WNOHANG) == 0 ? "waits" : "does not");
	close(accept(fd, NULL, NULL));
	printf("and comes to: %s\n", ended(pid));
	pid = connector(0);
	await_call(pid, SYS_connect);
	end(pid);
	printf("killed\n");
	close(fd);
	printf("nobody listens: %s\n", said(connect_one(0)));
	unlink("socket");
}

/* ----- Limits --------------------------------------------------------------------- */

static void
limits(void)
{
	struct rlimit size, files, low = { 1000, 1000 };
	struct stat st;
	pid_t pid;
	long r;

	getrlimit(RLIMIT_FSIZE, &size);
	low.rlim_max = size.rlim_max;
	close(open("file", O_CREAT | O_RDWR | O_TRUNC, 0600));
	setrlimit(RLIMIT_FSIZE, &low);
	handle(SIGXFSZ, 0);
	r = truncate("file", 1001);
	printf("too large: %s, %d signals\n", said(r), (int)signals);
	r = truncate("file", 1000);
	printf("just so: %s, %d signals\n", said(r), (int)signals);
	chmod("file", 0400);
	r = truncate("file", 5000);
	printf("not writable: %s, %d signals\n", said(r), (int)signals);
	chmod("file", 0600);
	signal(SIGXFSZ, SIG_DFL);
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		(void)!truncate("file", 5000);
		_exit(0);
	}
	printf("by default: %s\n", ended(pid));
	setrlimit(RLIMIT_FSIZE, &size);
	r = stat("file", &st);
	printf("size %ld %s\n", (long)st.st_size, said(r));
	getrlimit(RLIMIT_NOFILE, &files);
	low = (struct rlimit){ 3, files.rlim_max };
	setrlimit(RLIMIT_NOFILE, &low);
	printf("no descriptors: %s", said(open("file", O_RDWR)));
	printf(" %s\n", said(open("new", O_RDWR | O_CREAT, 0600)));
	setrlimit(RLIMIT_NOFILE, &files);
	unlink("new");
	unlink("file");
}

/* ----- Locks and memory ----------------------------------------------------------- */

static void
locks(void)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int fd = open("file", O_CREAT | O_RDWR, 0600);
	pid_t pid;

	printf("locked: %s", said(fcntl(fd, F_SETLK, &lock)));
	printf(" %s\n", said(flock(fd, LOCK_EX)));
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		int own = open("file", O_RDWR);

		printf("by another: %s", said(flock(own, LOCK_EX | LOCK_NB)));
		printf(" %s", said(fcntl(own, F_SETLK, &lock)));
		(void)fcntl(own, F_GETLK, &lock);
		printf(" %s\n", lock.l_pid == getppid() ? "of his" : "whose?");
		fflush(stdout);
		_exit(0);
	}
	(void)ended(pid);
	close(open("file", O_RDONLY)); /* which drops the first one */
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		lock.l_type = F_WRLCK;
		_exit(fcntl(open("file", O_RDWR), F_SETLK, &lock) == 0 ? 0 : 1);
	}
	printf("after a close: %s\n", ended(pid));
	close(fd);
	unlink("file");
}

static void
memory(void)
{
	int fd = open("file", O_CREAT | O_RDWR | O_TRUNC, 0600);
	char *here, text[8] = "", *there;
	pid_t pid;

	(void)!ftruncate(fd, 4096);
	here = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		there = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED,
		    open("file", O_RDWR), 0);
		memcpy(there, "shared", 7);
		_exit(0);
	}
	(void)ended(pid);
	printf("in memory: %s\n", here == MAP_FAILED ? "nothing" : here);
	(void)!pread(fd, text, 7, 0);
	printf("in the file: %s\n", text);
	close(fd);
	unlink("file");
}

/* ----- Programs -------------------------------------------------------------------- */

static bool
copy_program(const char *to)
{
	char bytes[65536];
	int from = open("/bin/true", O_RDONLY);
	int fd = open(to, O_CREAT | O_WRONLY | O_TRUNC, 0755);
	ssize_t n = -1;

	while (fd >= 0 && (n = read(from, bytes, sizeof(bytes))) > 0)
		if (write(fd, bytes, (size_t)n) != n)
			break;
	close(from);
	close(fd);
	return n == 0;
}

/* What was just written is run at once: nobody else has it open. */
static void
programs(void)
{
	int good = 0;

	for (int i = 0; i < 20; i++) {
		pid_t pid;

		if (!copy_program("program"))
			break;
		pid = fork();
		if (pid == 0) {
			execl("./program", "program", (char *)NULL);
			_exit(errno);
		}
		good += strcmp(ended(pid), "status 0") == 0;
	}
	unlink("program");
	printf("written and run: %d\n", good);
}

/* ----- Events ---------------------------------------------------------------------- */

/* Without reading: the broker has such a descriptor a moment longer. */
static void
make_events(void)
{
	int fd = open("seen/a", O_CREAT | O_RDWR, 0600);

	(void)!write(fd, "x", 1);
	close(fd);
	close(open("seen/a", O_WRONLY | O_TRUNC));
	(void)chmod("seen/a", 0640);
	(void)!truncate("seen/a", 10);
	(void)rename("seen/a", "seen/b");
	(void)!link("seen/b", "seen/c");
	(void)!symlink("b", "seen/d");
	(void)mkdir("seen/e", 0700);
	(void)rename("seen/b", "seen/c");
	(void)unlink("seen/d");
	(void)unlink("seen/c");
	(void)unlink("seen/b");
	(void)rmdir("seen/e");
}

/* Who looks for second names reads directories. */
static bool
is_listing(uint32_t mask)
{
	return (mask & IN_ISDIR) != 0 &&
	    (mask & (IN_OPEN | IN_ACCESS | IN_CLOSE_NOWRITE)) != 0;
}

static void
events(void)
{
	_Alignas(struct inotify_event) char bytes[16384];
	int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	ssize_t n;

	(void)mkdir("seen", 0700);
	(void)inotify_add_watch(fd, "seen", IN_ALL_EVENTS);
	make_events();
	n = read(fd, bytes, sizeof(bytes));
	printf("events:");
	for (ssize_t i = 0; i < n;) {
		struct inotify_event *event = (void *)(bytes + i);

		if (!is_listing(event->mask))
			printf(" %s:%x", event->len > 0 ? event->name : "",
			    event->mask);
		i += (ssize_t)sizeof(*event) + event->len;
	}
	putchar('\n');
	close(fd);
	rmdir("seen");
}

/* ----- Who one is ------------------------------------------------------------------ */

static bool
says_pid(const char *path, pid_t pid)
{
	char text[4096] = "";
	int fd = open(path, O_RDONLY);
	const char *line;

	(void)!read(fd, text, sizeof(text) - 1);
	close(fd);
	line = strstr(text, "\nPid:");
	return line != NULL && strtol(line + 5, NULL, 10) == pid;
}

static void *
look_at_self(void *arg)
{
	unsigned *good = arg;

	for (int i = 0; i < 20; i++)
		*good += says_pid("/proc/thread-self/status", gettid()) &&
		    says_pid("/proc/self/status", getpid());
	return NULL;
}

static void
selves(void)
{
	pthread_t threads[8];
	unsigned good[LEN(threads)] = { 0 }, sum = 0;
	pid_t pid;

	for (size_t i = 0; i < LEN(threads); i++)
		pthread_create(&threads[i], NULL, look_at_self, &good[i]);
	for (size_t i = 0; i < LEN(threads); i++) {
		pthread_join(threads[i], NULL);
		sum += good[i];
	}
	printf("threads see themselves: %u\n", sum);
	fflush(stdout);
	pid = fork();
	if (pid == 0)
		_exit(says_pid("/proc/self/status", getpid()) ? 0 : 1);
	printf("a child does: %s\n", ended(pid));
}

/* In a session of its own: without a terminal, and with one. */
static void
terminals(void)
{
	char text[8] = "";
	int master, slave, tty;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid != 0) {
		printf("terminals: %s\n", ended(pid));
		return;
	}
	setsid();
	printf("no terminal: %s\n", said(open("/dev/tty", O_RDWR)));
	master = posix_openpt(O_RDWR | O_NOCTTY);
	if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0)
		_exit(1);
	slave = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY);
	printf("a slave: %s", said(slave));
	printf(" %s\n", said(ioctl(slave, TIOCSCTTY, 0)));
	tty = open("/dev/tty", O_RDWR);
	printf("a terminal: %s\n", said(tty));
	(void)!write(tty, "typed", 5);
	(void)!read(master, text, 5);
	printf("and there: %s\n", text);
	fflush(stdout);
	_exit(0);
}

/* ----- Directories ----------------------------------------------------------------- */

static int
count_entries(int fd)
{
	DIR *dir = fdopendir(fd);
	int n = 0;

	while (dir != NULL && readdir(dir) != NULL)
		n++;
	if (dir != NULL)
		closedir(dir);
	return n;
}

static void
directories(void)
{
	int fd, at;

	(void)mkdir("d", 0700);
	fd = open("d", O_RDONLY | O_DIRECTORY);
	for (char name[2] = "a"; name[0] < 'k'; name[0]++)
		close(openat(fd, name, O_CREAT | O_WRONLY, 0600));
	printf("read: %s", said(read(fd, (char[1]){ 0 }, 1)));
	printf(" %s\n", said(write(fd, "x", 1)));
	at = openat(fd, ".", O_RDONLY | O_DIRECTORY);
	printf("entries: %d\n", count_entries(at));
	(void)rename("d", "e");
	printf("renamed: %s", said(faccessat(fd, "a", F_OK, 0)));
	printf(" %s\n", said(openat(fd, "../e/b", O_RDONLY)));
	for (char name[2] = "a"; name[0] < 'k'; name[0]++)
		(void)unlinkat(fd, name, 0);
	(void)rmdir("e");
	printf("removed: %s\n", said(openat(fd, "x", O_CREAT | O_RDWR, 0600)));
	close(fd);
}

int
main(int argc, char **argv)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	struct __user_cap_data_struct none[2];

	memset(none, 0, sizeof(none));
	if (argc != 2 || chdir(argv[1]) != 0 ||
	    syscall(SYS_capset, &head, none) != 0)
		return 2;
	close_range(3, ~0U, 0);
	umask(022);
	fifos();
	connections();
	limits();
	locks();
	memory();
	programs();
	events();
	selves();
	terminals();
	directories();
	return 0;
}
