/* Family 6: what belongs to a file besides its bytes, and other channels. */
#include "escape.h"

#include <linux/keyctl.h>
#include <mqueue.h>
#include <sched.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/xattr.h>

static const char *
guarded(void)
{
	return text("%s/secret", unwritable);
}

static int
mode(void)
{
	return chmod(guarded(), 0600);
}

static int
mode2(void)
{
	return had(syscall(452, AT_FDCWD, guarded(), 0600, 0));
}

static int
owner(void)
{
	return chown(guarded(), getuid(), getgid());
}

/* By a descriptor that was opened for nothing. */
static int
owner_by_path(void)
{
	int fd = open(guarded(), O_PATH);

	return fd < 0 ? -1 : fchownat(fd, "", getuid(), getgid(),
	    AT_EMPTY_PATH);
}

static int
times(void)
{
	static const struct timespec then[2] = { { .tv_sec = 1000 },
		{ .tv_sec = 1000 } };

	return utimensat(AT_FDCWD, guarded(), then, 0);
}

static int
attribute(void)
{
	return setxattr(guarded(), "user.escape", "x", 1, 0);
}

static int
look(void)
{
	struct stat st;

	return stat(text("%s/secret", unreadable), &st);
}

static int
watch(void)
{
	int fd = inotify_init1(IN_CLOEXEC);

	return fd < 0 ? -1 : had(inotify_add_watch(fd,
	    text("%s/secret", unreadable), IN_OPEN));
}

static int
watch_all(void)
{
	return had(syscall(SYS_fanotify_init, 0, O_RDONLY));
}

/* Of what may be read, but not modified: who waits for the lock waits. */
static int
lock(void)
{
	int fd = open(guarded(), O_RDONLY);

	return fd < 0 ? -1 : flock(fd, LOCK_EX | LOCK_NB);
}

static int
lease(void)
{
	int fd = open(text("%s/file", scratch), O_RDONLY | O_CREAT, 0600);

	return fd < 0 ? -1 : fcntl(fd, F_SETLEASE, F_RDLCK);
}

/* ----- What the kernel keeps under a name -------------------------------- */

static int
shared_memory(void)
{
	int id = shmget(fact_number("ipc-key"), 0, 0);
	char *at = id < 0 ? (void *)-1 : shmat(id, NULL, SHM_RDONLY);

	return at == (void *)-1 ? -1 : strcmp(at, "SECRET") == 0 ? 0 : -1;
}

static int
messages(void)
{
	return had(msgget(fact_number("ipc-key"), 0));
}

static int
semaphores(void)
{
	return had(semget(fact_number("ipc-key"), 0, 0));
}

static int
shared_file(void)
{
	return leaks(open(fact("shm"), O_RDONLY));
}

static int
queue(void)
{
	return had(mq_open(fact("mq"), O_RDONLY));
}

static int
session_key(void)
{
	long key = syscall(SYS_keyctl, KEYCTL_SEARCH, KEY_SPEC_SESSION_KEYRING,
	    "user", "escape", 0);
	char bytes[8] = "";

	if (key < 0 ||
	    syscall(SYS_keyctl, KEYCTL_READ, key, bytes, sizeof(bytes)) < 0)
		return -1;
	return strncmp(bytes, "SECRET", 6) == 0 ? 0 : -1;
}

static int
ask_for_key(void)
{
	return had(syscall(SYS_request_key, "user", "escape", NULL, 0));
}

/* ----- Other processes --------------------------------------------------- */

static pid_t
victim(void)
{
	return fact_number("victim");
}

static int
signal_it(void)
{
	return kill(victim(), SIGURG);
}

static int
signal_thread(void)
{
	return had(syscall(SYS_tgkill, victim(), victim(), SIGURG));
}

static int
signal_pidfd(void)
{
	int fd = (int)syscall(SYS_pidfd_open, victim(), 0);

	return fd < 0 ? -1 :
	    had(syscall(SYS_pidfd_send_signal, fd, SIGURG, NULL, 0));
}

static int
priority(void)
{
	return setpriority(PRIO_PROCESS, (id_t)victim(), 1);
}

static int
its_limits(void)
{
	struct rlimit limit;

	if (prlimit(victim(), RLIMIT_CORE, NULL, &limit) != 0)
		return -1;
	return prlimit(victim(), RLIMIT_CORE, &limit, NULL);
}

static int
its_processor(void)
{
	cpu_set_t set;

	if (sched_getaffinity(victim(), sizeof(set), &set) != 0)
		return -1;
	return sched_setaffinity(victim(), sizeof(set), &set);
}

/* Files of its own that everybody of the same user may write. */
static int
its_files(void)
{
	static const char *const names[] = { "oom_score_adj", "timerslack_ns",
		"coredump_filter", "autogroup", "comm", NULL };

	for (const char *const *name = names; *name != NULL; name++)
		if (open(text("/proc/%d/%s", victim(), *name), O_WRONLY) >= 0)
			return 0;
	return -1;
}

static int
scheduling(void)
{
	struct sched_param param = { 0 };

	return sched_setscheduler(victim(), SCHED_OTHER, &param);
}

static int
devices(void)
{
	static const char *const names[] = { "mem", "port", "kmsg", "fuse",
		"kvm", "vsock", "vhost-net", "vhost-vsock", "net/tun",
		"loop-control", "loop0", "btrfs-control", "autofs", "uinput",
		"input/event0", "userfaultfd", "hwrng", "vga_arbiter",
		"cpu_dma_latency", "tty0", "tty1", "console", NULL };

	for (const char *const *name = names; *name != NULL; name++)
		if (open(text("/dev/%s", *name),
			O_RDONLY | O_NONBLOCK | O_NOCTTY) >= 0)
			return 0;
	return -1;
}

/* A terminal of one's own will do: it is the call that is refused. */
static int
type_in(void)
{
	int master = open("/dev/ptmx", O_RDWR | O_NOCTTY);
	char name[64];

	if (master < 0 || unlockpt(master) != 0 ||
	    ptsname_r(master, name, sizeof(name)) != 0 || setsid() < 0)
		return not_here("no terminal can be had");
	return ioctl(open(name, O_RDWR), TIOCSTI, "x");
}

const struct probe metadata_probes[] = {
	{ "83-chmod", mode, WORKS },
	{ "83-fchmodat2", mode2, WORKS },
	{ "83-chown", owner, WORKS },
	{ "83-fchownat", owner_by_path, WORKS },
	{ "83-times", times, WORKS },
	{ "83-setxattr", attribute, WORKS },
	{ "84", look, WORKS },
	{ "85-inotify", watch, WORKS },
	{ "85-fanotify", watch_all, 0 },
	{ "86", lock, WORKS },
	{ "87-shm", shared_memory, 0 },
	{ "87-msg", messages, 0 },
	{ "87-sem", semaphores, 0 },
	{ "88-shm", shared_file, 0 },
	{ "88-mq", queue, 0 },
	{ "89-search", session_key, 0 },
	{ "89-request", ask_for_key, 0 },
	{ "90-kill", signal_it, 0 },
	{ "90-tgkill", signal_thread, 0 },
	{ "90-pidfd", signal_pidfd, 0 },
	{ "91-priority", priority, 0 },
	{ "91-prlimit", its_limits, 0 },
	{ "91-affinity", its_processor, 0 },
	{ "91-scheduler", scheduling, 0 },
	{ "91-proc", its_files, 0 },
	{ "92", type_in, 0 },
	{ "94", devices, 0 },
	{ "167", lease, 0 },
	{ NULL, NULL, 0 },
};
