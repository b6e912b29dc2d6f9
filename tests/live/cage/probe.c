/*
 * probe - does one thing a boundary may refuse, and says how it went.
 *
 *	probe WHAT [ARG...]	prints "ok" or the name of the error
 *	probe serve DIR		listens in every way there is, notes who came
 *
 * Exit 0 when it worked, 1 when it was refused, 2 when it could not be tried.
 * Built without sanitizers: it must run under any filter.
 */
#include "probe.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <linux/netlink.h>
#include <linux/vm_sockets.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262
#endif

/* ----- Files ------------------------------------------------------------------- */

static int
do_read(char **arg)
{
	char byte;
	int fd = open(arg[0], O_RDONLY | O_NONBLOCK);

	return fd >= 0 && read(fd, &byte, 1) >= 0 ? 0 : -1;
}

/* Opening alone: what is read there at 0 may be nothing. */
static int
do_open(char **arg)
{
	return open(arg[0], O_RDONLY | O_NONBLOCK) < 0 ? -1 : 0;
}

static int
do_write(char **arg)
{
	int fd = open(arg[0], O_WRONLY | O_APPEND);

	return fd >= 0 && write(fd, "changed\n", 8) == 8 ? 0 : -1;
}

static int
do_create(char **arg)
{
	return open(arg[0], O_WRONLY | O_CREAT | O_EXCL, 0600) < 0 ? -1 : 0;
}

static int
do_list(char **arg)
{
	char entries[4096];
	int fd = open(arg[0], O_RDONLY | O_DIRECTORY);

	return fd >= 0 && syscall(SYS_getdents64, fd, entries,
	    sizeof(entries)) >= 0 ? 0 : -1;
}

static int
do_unlink(char **arg)
{
	return unlink(arg[0]);
}

static int
do_mkdir(char **arg)
{
	return mkdir(arg[0], 0700);
}

static int
do_rename(char **arg)
{
	return rename(arg[0], arg[1]);
}

static int
do_exchange(char **arg)
{
	return renameat2(AT_FDCWD, arg[0], AT_FDCWD, arg[1], RENAME_EXCHANGE);
}

static int
do_link(char **arg)
{
	return link(arg[0], arg[1]);
}

static int
do_symlink(char **arg)
{
	return symlink(arg[0], arg[1]);
}

static int
do_truncate(char **arg)
{
	return truncate(arg[0], 0);
}

static int
do_stat(char **arg)
{
	struct stat st;

	return stat(arg[0], &st);
}

static int
do_mknod(char **arg)
{
	return mknod(arg[0], S_IFCHR, 259);
}

static int
do_fifo(char **arg)
{
	return mkfifo(arg[0], 0600);
}

static int
do_exec(char **arg)
{
	return execv(arg[0], arg);
}

/* Neither reading nor writing, and yet an open descriptor for ioctl. */
static int
do_mode3(char **arg)
{
	return open(arg[0], O_ACCMODE) < 0 ? -1 : 0;
}

/* Nobody may look into it then, whoever judges its calls neither. */
static int
do_undumpable(char **arg)
{
	(void)prctl(PR_SET_DUMPABLE, 0);
	return do_read(arg);
}

/* A descriptor that was given, whatever it was opened for. */
static int
do_fd_mode(char **arg)
{
	return fchmod(atoi(arg[0]), 0777);
}

static int
do_fd(char **arg)
{
	char byte;

	return read(atoi(arg[0]), &byte, 1) < 0 ? -1 : 0;
}

/* ----- The network --------------------------------------------------------------- */

static int
inet(int family, int type, int protocol, const char *port)
{
	struct sockaddr_in in = { .sin_family = AF_INET,
		.sin_port = htons((uint16_t)atoi(port)),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6,
		.sin6_port = htons((uint16_t)atoi(port)),
		.sin6_addr = IN6ADDR_LOOPBACK_INIT };
	int fd = socket(family, type, protocol);

	if (fd < 0)
		return -1;
	return family == AF_INET ?
	    connect(fd, (struct sockaddr *)&in, sizeof(in)) :
	    connect(fd, (struct sockaddr *)&in6, sizeof(in6));
}

static int
do_tcp(char **arg)
{
	return inet(AF_INET, SOCK_STREAM, 0, arg[0]);
}

static int
do_tcp6(char **arg)
{
	return inet(AF_INET6, SOCK_STREAM, 0, arg[0]);
}

static int
do_mptcp(char **arg)
{
	return inet(AF_INET, SOCK_STREAM, IPPROTO_MPTCP, arg[0]);
}

static int
do_udp(char **arg)
{
	struct sockaddr_in in = { .sin_family = AF_INET,
		.sin_port = htons((uint16_t)atoi(arg[0])),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	return fd >= 0 && sendto(fd, "x", 1, 0, (struct sockaddr *)&in,
	    sizeof(in)) == 1 ? 0 : -1;
}

/* Out of an interface that is named; loopback, so that it arrives. */
static int
do_udp_device(char **arg)
{
	struct sockaddr_in in = { .sin_family = AF_INET,
		.sin_port = htons((uint16_t)atoi(arg[0])),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	return fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, "lo",
	    3) == 0 && sendto(fd, "x", 1, 0, (struct sockaddr *)&in,
	    sizeof(in)) == 1 ? 0 : -1;
}

static int
do_fastopen(char **arg)
{
	struct sockaddr_in in = { .sin_family = AF_INET,
		.sin_port = htons((uint16_t)atoi(arg[0])),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	return fd >= 0 && sendto(fd, "x", 1, MSG_FASTOPEN,
	    (struct sockaddr *)&in, sizeof(in)) == 1 ? 0 : -1;
}

static int
do_listen(char **arg)
{
	struct sockaddr_in in = { .sin_family = AF_INET };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	(void)arg;
	return fd >= 0 && bind(fd, (struct sockaddr *)&in, sizeof(in)) == 0 ?
	    listen(fd, 1) : -1;
}

static int
do_socket(char **arg)
{
	return socket(atoi(arg[0]), atoi(arg[1]), atoi(arg[2])) < 0 ? -1 : 0;
}

static int
do_netlink(char **arg)
{
	struct sockaddr_nl nl = { .nl_family = AF_NETLINK };
	int fd = socket(AF_NETLINK, SOCK_RAW, atoi(arg[0]));

	return fd < 0 ? -1 : bind(fd, (struct sockaddr *)&nl, sizeof(nl));
}

/* A leading '@' is the abstract name space. */
static socklen_t
unix_address(const char *name, struct sockaddr_un *ret)
{
	size_t n = strlen(name);

	*ret = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (n >= sizeof(ret->sun_path))
		errx(2, "%s: too long", name);
	memcpy(ret->sun_path, name, n);
	if (name[0] == '@')
		ret->sun_path[0] = '\0';
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n +
	    (name[0] != '@'));
}

static int
do_unix(char **arg)
{
	struct sockaddr_un un;
	socklen_t n = unix_address(arg[0], &un);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	return fd < 0 ? -1 : connect(fd, (struct sockaddr *)&un, n);
}

static int
do_unix_dgram(char **arg)
{
	struct sockaddr_un un;
	socklen_t n = unix_address(arg[0], &un);
	int fd = socket(AF_UNIX, SOCK_DGRAM, 0);

	return fd >= 0 && sendto(fd, "x", 1, 0, (struct sockaddr *)&un, n) ==
	    1 ? 0 : -1;
}

/* A datagram pair could be turned to any named socket. */
static int
do_unix_pair(char **arg)
{
	struct sockaddr_un un;
	socklen_t n = unix_address(arg[0], &un);
	int fds[2];

	return socketpair(AF_UNIX, SOCK_DGRAM, 0, fds) == 0 &&
	    sendto(fds[0], "x", 1, 0, (struct sockaddr *)&un, n) == 1 ? 0 : -1;
}

static int
do_stream_pair(char **arg)
{
	int fds[2];
	char byte;

	(void)arg;
	return socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0 &&
	    write(fds[0], "x", 1) == 1 && read(fds[1], &byte, 1) == 1 ? 0 : -1;
}

/* ----- Processes ------------------------------------------------------------------ */

static int
do_kill(char **arg)
{
	return kill(atoi(arg[0]), SIGURG);
}

static int
do_ptrace(char **arg)
{
	return ptrace(PTRACE_SEIZE, atoi(arg[0]), 0, 0) < 0 ? -1 : 0;
}

static int
do_memory(char **arg)
{
	char byte;
	struct iovec here = { &byte, 1 };
	struct iovec there = { (void *)strtoul(arg[1], NULL, 16), 1 };

	return process_vm_readv(atoi(arg[0]), &here, 1, &there, 1, 0) < 0 ?
	    -1 : 0;
}

static int
do_pidfd_getfd(char **arg)
{
	int pidfd = (int)syscall(SYS_pidfd_open, atoi(arg[0]), 0);

	return pidfd >= 0 && syscall(SYS_pidfd_getfd, pidfd, 0, 0) >= 0 ?
	    0 : -1;
}

/* A child of one's own may be traced, signalled and read. */
static int
do_own_child(char **arg)
{
	int status;
	pid_t pid = fork();

	(void)arg;
	if (pid == 0) {
		pause();
		_exit(0);
	}
	if (ptrace(PTRACE_ATTACH, pid, 0, 0) != 0 ||
	    waitpid(pid, &status, 0) != pid ||
	    ptrace(PTRACE_DETACH, pid, 0, 0) != 0 || kill(pid, SIGKILL) != 0)
		return -1;
	return waitpid(pid, &status, 0) == pid ? 0 : -1;
}

/* ----- The kernel's other doors ------------------------------------------------------ */

static int
do_keyring(char **arg)
{
	return syscall(SYS_add_key, "user", arg[0], "x", 1,
	    KEY_SPEC_SESSION_KEYRING) < 0 ? -1 : 0;
}

/* NAME COMMAND...: with a key that only who has it can see. */
static int
do_with_key(char **arg)
{
	const int join = 1, set_permissions = 5; /* KEYCTL_... */
	long key;

	if (syscall(SYS_keyctl, join, 0, 0, 0, 0) < 0)
		return -1;
	key = syscall(SYS_add_key, "user", arg[0], "x", 1,
	    KEY_SPEC_SESSION_KEYRING);
	if (key < 0 ||
	    syscall(SYS_keyctl, set_permissions, key, 0x3f000000, 0, 0) < 0)
		return -1;
	return execv(arg[1], arg + 1);
}

static int
do_shm(char **arg)
{
	int id = shmget(IPC_PRIVATE, 4096, 0600);

	(void)arg;
	return id < 0 ? -1 : shmctl(id, IPC_RMID, NULL);
}

static int
do_mq(char **arg)
{
	mqd_t q = mq_open(arg[0], O_CREAT | O_RDWR, 0600, NULL);

	return q < 0 ? -1 : mq_unlink(arg[0]);
}

static int
do_tiocsti(char **arg)
{
	return ioctl(0, TIOCSTI, arg[0]);
}

static int
do_uring(char **arg)
{
	char p[128] = { 0 };

	(void)arg;
	return syscall(425, 1, p) < 0 ? -1 : 0;
}

static int
do_unshare(char **arg)
{
	return unshare((int)strtol(arg[0], NULL, 0));
}

static int
do_mount(char **arg)
{
	return mount("none", arg[0], "tmpfs", 0, "");
}

static int
do_chroot(char **arg)
{
	return chroot(arg[0]);
}

static int
do_openat2(char **arg)
{
	uint64_t how[3] = { 0 };

	return syscall(437, AT_FDCWD, arg[0], how, sizeof(how)) < 0 ? -1 : 0;
}

static int
do_clone_user(char **arg)
{
	pid_t pid = (pid_t)syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0,
	    0, 0);

	(void)arg;
	if (pid == 0)
		_exit(0);
	return pid < 0 ? -1 : waitpid(pid, NULL, 0) == pid ? 0 : -1;
}

/* getpid by the other doors; death is the answer there. */
static int
do_x32(char **arg)
{
	(void)arg;
#ifdef __x86_64__
	return syscall(0x40000000 | 39) < 0 ? -1 : 0;
#else
	errno = ENOSYS;
	return -1;
#endif
}

static int
do_int80(char **arg)
{
	(void)arg;
#ifdef __x86_64__
	long r;

	__asm__ volatile("int $0x80" : "=a"(r) : "a"(20L) : "memory", "r8",
	    "r9", "r10", "r11");
	if (r > 0)
		return 0;
#endif
	errno = ENOSYS;
	return -1;
}

/* ----- The other side ----------------------------------------------------------------- */

/* A byte for each that came. */
static void
note(const char *dir, const char *name)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0644);
	(void)!write(fd, "x", 1);
	close(fd);
}

static int
listener(int family, int type, int protocol, const void *address, socklen_t n)
{
	int fd = socket(family, type, protocol);
	int on = 16;

	if (fd < 0 || bind(fd, address, n) != 0)
		return -1;
	if (type == SOCK_STREAM) {
		setsockopt(fd, IPPROTO_TCP, TCP_FASTOPEN, &on, sizeof(on));
		if (listen(fd, 16) != 0)
			return -1;
	}
	return fd;
}

static int
port_of(int fd)
{
	struct sockaddr_in6 any = { 0 };
	socklen_t n = sizeof(any);

	if (getsockname(fd, (struct sockaddr *)&any, &n) != 0)
		return 0;
	return ntohs(any.sin6_port); /* the same place in both families */
}

enum { TCP, TCP6, MPTCP, UDP, UNIX, ABSTRACT, DGRAM, WAYS };
static const char *const way_names[WAYS] = { "tcp", "tcp6", "mptcp", "udp",
	"unix", "abstract", "dgram" };

static int
do_serve(char **arg)
{
	struct sockaddr_in in = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6,
		.sin6_addr = IN6ADDR_LOOPBACK_INIT };
	struct sockaddr_un un, abstract, dgram;
	struct pollfd fds[WAYS];
	char name[108], ports[256];
	int fd;

	if (chdir(arg[0]) != 0)
		return -1;
	snprintf(name, sizeof(name), "@cordon-probe-%d", getpid());
	socklen_t n_un = unix_address("socket", &un);
	socklen_t n_dgram = unix_address("dgram", &dgram);
	socklen_t n_abstract = unix_address(name, &abstract);
	fds[TCP].fd = listener(AF_INET, SOCK_STREAM, 0, &in, sizeof(in));
	fds[TCP6].fd = listener(AF_INET6, SOCK_STREAM, 0, &in6, sizeof(in6));
	fds[MPTCP].fd = listener(AF_INET, SOCK_STREAM, IPPROTO_MPTCP, &in,
	    sizeof(in));
	fds[UDP].fd = listener(AF_INET, SOCK_DGRAM, 0, &in, sizeof(in));
	fds[UNIX].fd = listener(AF_UNIX, SOCK_STREAM, 0, &un, n_un);
	fds[ABSTRACT].fd = listener(AF_UNIX, SOCK_STREAM, 0, &abstract,
	    n_abstract);
	fds[DGRAM].fd = listener(AF_UNIX, SOCK_DGRAM, 0, &dgram, n_dgram);
	snprintf(ports, sizeof(ports), "tcp=%d tcp6=%d mptcp=%d udp=%d "
	    "abstract=%s\n", port_of(fds[TCP].fd), port_of(fds[TCP6].fd),
	    port_of(fds[MPTCP].fd), port_of(fds[UDP].fd), name);
	fd = open("ports.new", O_WRONLY | O_CREAT, 0644);
	if (fd < 0 || write(fd, ports, strlen(ports)) < 0 ||
	    rename("ports.new", "ports") != 0)
		return -1;
	for (;;) {
		for (int i = 0; i < WAYS; i++)
			fds[i].events = POLLIN;
		if (poll(fds, WAYS, -1) < 0)
			return -1;
		for (int i = 0; i < WAYS; i++) {
			if ((fds[i].revents & POLLIN) == 0)
				continue;
			char byte;
			if (i == UDP || i == DGRAM)
				(void)!read(fds[i].fd, &byte, 1);
			else
				close(accept(fds[i].fd, NULL, NULL));
			note("came", way_names[i]);
		}
	}
}

/* Waits to be attacked; what it is asked to keep stands in its environment. */
static int
do_victim(char **arg)
{
	(void)arg;
	while (pause() < 0 && errno == EINTR)
		;
	return -1;
}

static const struct {
	const char *name;
	try_fn *try;
	int args;
} table[] = {
	{ "read", do_read, 1 }, { "open", do_open, 1 },
	{ "write", do_write, 1 },
	{ "create", do_create, 1 }, { "list", do_list, 1 },
	{ "unlink", do_unlink, 1 }, { "mkdir", do_mkdir, 1 },
	{ "rename", do_rename, 2 }, { "exchange", do_exchange, 2 },
	{ "link", do_link, 2 },
	{ "symlink", do_symlink, 2 }, { "truncate", do_truncate, 1 },
	{ "stat", do_stat, 1 },
	{ "chmod", probe_chmod, 1 }, { "fchmod", probe_fchmod, 1 },
	{ "fchmodat2", probe_fchmodat2, 1 }, { "chown", probe_chown, 1 },
	{ "lchown", probe_lchown, 1 }, { "fchown", probe_fchown, 1 },
	{ "utimes", probe_utimes, 1 }, { "futimes", probe_futimes, 1 },
	{ "setxattr", probe_setxattr, 1 }, { "fsetxattr", probe_fsetxattr, 1 },
	{ "removexattr", probe_removexattr, 1 },
	{ "setflags", probe_setflags, 1 },
	{ "mknod", do_mknod, 1 }, { "fifo", do_fifo, 1 },
	{ "exec", do_exec, 1 }, { "mode3", do_mode3, 1 }, { "fd", do_fd, 1 },
	{ "fd-mode", do_fd_mode, 1 }, { "undumpable", do_undumpable, 1 },
	{ "tcp", do_tcp, 1 }, { "tcp6", do_tcp6, 1 },
	{ "mptcp", do_mptcp, 1 }, { "udp", do_udp, 1 },
	{ "udp-device", do_udp_device, 1 },
	{ "fastopen", do_fastopen, 1 }, { "listen", do_listen, 0 },
	{ "socket", do_socket, 3 }, { "netlink", do_netlink, 1 },
	{ "unix", do_unix, 1 }, { "unix-dgram", do_unix_dgram, 1 },
	{ "unix-pair", do_unix_pair, 1 }, { "stream-pair", do_stream_pair, 0 },
	{ "kill", do_kill, 1 }, { "ptrace", do_ptrace, 1 },
	{ "memory", do_memory, 2 }, { "pidfd-getfd", do_pidfd_getfd, 1 },
	{ "own-child", do_own_child, 0 }, { "keyring", do_keyring, 1 },
	{ "with-key", do_with_key, 2 },
	{ "shm", do_shm, 0 }, { "mq", do_mq, 1 }, { "tiocsti", do_tiocsti, 1 },
	{ "uring", do_uring, 0 }, { "unshare", do_unshare, 1 },
	{ "mount", do_mount, 1 }, { "chroot", do_chroot, 1 },
	{ "openat2", do_openat2, 1 }, { "clone-user", do_clone_user, 0 },
	{ "x32", do_x32, 0 }, { "int80", do_int80, 0 },
	{ "serve", do_serve, 1 }, { "victim", do_victim, 0 },
};

int
main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(table) / sizeof(table[0]);
	    i++) {
		if (strcmp(table[i].name, argv[1]) != 0)
			continue;
		if (argc - 2 < table[i].args)
			errx(2, "%s needs %d arguments", argv[1],
			    table[i].args);
		if (table[i].try(argv + 2) == 0) {
			puts("ok");
			return 0;
		}
		puts(strerrorname_np(errno));
		return 1;
	}
	errx(2, "usage: probe WHAT [ARG...]");
}
