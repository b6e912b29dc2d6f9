/*
 * The known ways out, one function each: the smallest call that tells whether
 * the door is there, and that changes nothing where it is.  Many are given an
 * address that is none: EFAULT tells that the call itself was reached.
 */
#include "enforce/verify/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

#include "enforce/sys/raw.h"

#define NOWHERE	    1L /* an address where nothing is */
#define NO_KEY	    0x636f7264 /* of a segment; nobody has made it */
#define MPTCP	    262
#define CALL(name, number) /* the same on every architecture */ \
	enum { CALL_##name = (number) };
CALL(io_uring_setup, 425)
CALL(pidfd_open, 434)
CALL(clone3, 435)
CALL(openat2, 437)
CALL(pidfd_getfd, 438)

/* ----- Calls that nobody judges --------------------------------------------------- */

CDN_BARE static long
uring(const struct cdn_prober *p)
{
	(void)p;
	return cdn_raw(CALL_io_uring_setup, 1, NOWHERE);
}

CDN_BARE static long
openat2_(const struct cdn_prober *p)
{
	(void)p;
	return cdn_raw(CALL_openat2, AT_FDCWD, NOWHERE, NOWHERE, 24);
}

/* Neither reading nor writing, but a descriptor for ioctl(2). */
CDN_BARE static long
mode3(const struct cdn_prober *p)
{
	static const char null[] = "/dev/null";

	(void)p;
	return cdn_raw(SYS_openat, AT_FDCWD, null, O_ACCMODE | O_CLOEXEC, 0);
}

CDN_BARE static long
mount_(const struct cdn_prober *p)
{
	(void)p;
	return cdn_raw(SYS_mount, NOWHERE, NOWHERE, NOWHERE, 0, 0);
}

CDN_BARE static long
chroot_(const struct cdn_prober *p)
{
	(void)p;
	return cdn_raw(SYS_chroot, NOWHERE);
}

CDN_BARE static long
unshare_(const struct cdn_prober *p)
{
	(void)p;
	return cdn_raw(SYS_unshare, CLONE_NEWUSER);
}

CDN_BARE static long
clone_user(const struct cdn_prober *p)
{
	long pid = cdn_raw(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);

	(void)p;
	if (pid == 0)
		(void)cdn_raw(SYS_exit_group, 0);
	return pid;
}

CDN_BARE static long
clone3_(const struct cdn_prober *p)
{
	(void)p;
	return cdn_raw(CALL_clone3, NOWHERE, 64);
}

CDN_BARE static long
perf(const struct cdn_prober *p)
{
	(void)p;
	return cdn_raw(SYS_perf_event_open, NOWHERE, 0, -1, -1, 0);
}

CDN_BARE static long
handle(const struct cdn_prober *p)
{
	(void)p;
	return cdn_raw(SYS_name_to_handle_at, AT_FDCWD, NOWHERE, NOWHERE,
	    NOWHERE, 0);
}

/* The keyring of the user, which is the same for all of his processes. */
CDN_BARE static long
keys(const struct cdn_prober *p)
{
	const long get_keyring_id = 0, user_keyring = -4;

	(void)p;
	return cdn_raw(SYS_keyctl, get_keyring_id, user_keyring, 0);
}

CDN_BARE static long
add_key(const struct cdn_prober *p)
{
	(void)p;
	return cdn_raw(SYS_add_key, NOWHERE, NOWHERE, NOWHERE, 1, -3);
}

CDN_BARE static long
shm(const struct cdn_prober *p)
{
	(void)p;
	return cdn_raw(SYS_shmget, NO_KEY, 4096, 0600);
}

CDN_BARE static long
message_queue(const struct cdn_prober *p)
{
	(void)p;
	return cdn_raw(SYS_mq_open, NOWHERE, O_RDONLY, 0, NULL);
}

/* On what is no terminal: ENOTTY tells that it was asked. */
CDN_BARE static long
ioctl_of_null(unsigned long command)
{
	static const char null[] = "/dev/null";
	long fd = cdn_raw(SYS_openat, AT_FDCWD, null, O_RDONLY | O_CLOEXEC, 0);

	return fd < 0 ? fd : cdn_raw(SYS_ioctl, fd, command, null);
}

CDN_BARE static long
tiocsti(const struct cdn_prober *p)
{
	(void)p;
	return ioctl_of_null(TIOCSTI);
}

CDN_BARE static long
tioclinux(const struct cdn_prober *p)
{
	(void)p;
	return ioctl_of_null(TIOCLINUX);
}

/* getpid() by the doors of other architectures. */
CDN_BARE static long
x32(const struct cdn_prober *p)
{
	(void)p;
#ifdef __x86_64__
	return cdn_raw(0x40000000 | SYS_getpid) > 0 ? 0 : -ENOSYS;
#else
	return -ENOSYS;
#endif
}

CDN_BARE static long
int80(const struct cdn_prober *p)
{
	(void)p;
#ifdef __x86_64__
	long r;

	__asm__ volatile("int $0x80"
	    : "=a"(r)
	    : "a"(20L)
	    : "memory", "r8", "r9", "r10", "r11");
	return r > 0 ? 0 : -ENOSYS;
#else
	return -ENOSYS;
#endif
}

/* ----- Somebody outside ------------------------------------------------------------ */

/* Signal 0: allowed or not, nothing arrives. */
CDN_BARE static long
signal_(const struct cdn_prober *p)
{
	return p->victim < 0 ? -ESRCH : cdn_raw(SYS_kill, p->victim, 0);
}

CDN_BARE static long
trace(const struct cdn_prober *p)
{
	return p->victim < 0 ? -ESRCH :
	    cdn_raw(SYS_ptrace, PTRACE_SEIZE, p->victim, 0, 0);
}

CDN_BARE static long
memory(const struct cdn_prober *p)
{
	struct iovec here, there;
	char byte;
	union {
		const char *from;
		void *to;
	} canary;

	if (p->victim < 0)
		return -ESRCH;
	canary.from = p->canary;
	here.iov_base = &byte;
	there.iov_base = canary.to;
	here.iov_len = there.iov_len = 1;
	return cdn_raw(SYS_process_vm_readv, p->victim, &here, 1, &there, 1,
	    0);
}

CDN_BARE static long
descriptor(const struct cdn_prober *p)
{
	long fd;

	if (p->victim < 0)
		return -ESRCH;
	fd = cdn_raw(CALL_pidfd_open, p->victim, 0);
	return fd < 0 ? fd : cdn_raw(CALL_pidfd_getfd, fd, 0, 0);
}

CDN_BARE static long
open_of(const char *path)
{
	return path == NULL ? -ESRCH :
	    cdn_raw(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
}

CDN_BARE static long
environment(const struct cdn_prober *p)
{
	return open_of(p->victim_environ);
}

CDN_BARE static long
root(const struct cdn_prober *p)
{
	return open_of(p->victim_root);
}

/* ----- Sockets --------------------------------------------------------------------- */

CDN_BARE static long
abstract(const struct cdn_prober *p)
{
	long fd = p->abstract == NULL ? -ESRCH :
	    cdn_raw(SYS_socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	return fd < 0 ? fd :
	    cdn_raw(SYS_connect, fd, p->abstract, p->abstract_size);
}

/* It could be turned to any named socket. */
CDN_BARE static long
datagram_pair(const struct cdn_prober *p)
{
	int pair[2];

	(void)p;
	return cdn_raw(SYS_socketpair, AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0,
	    pair);
}

CDN_BARE static long
mptcp(const struct cdn_prober *p)
{
	(void)p;
	return cdn_raw(SYS_socket, AF_INET, SOCK_STREAM | SOCK_CLOEXEC, MPTCP);
}

CDN_BARE static long
vsock(const struct cdn_prober *p)
{
	(void)p;
	return cdn_raw(SYS_socket, AF_VSOCK, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

CDN_BARE static long
crypto(const struct cdn_prober *p)
{
	(void)p;
	return cdn_raw(SYS_socket, AF_ALG, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
}

#define SECCOMP	 "seccomp"
#define LANDLOCK "landlock"

/* clang-format off */
const struct cdn_escape cdn_escapes[] = {
	{ "io_uring_setup", "calls that no filter sees", uring, EFAULT,
	    SECCOMP },
	{ "openat2", "an open whose flags no filter sees", openat2_, EFAULT,
	    SECCOMP },
	{ "open (mode 3)", "a descriptor without a right to read", mode3, 0,
	    SECCOMP },
	{ "mount", "another view of the files", mount_, EFAULT, SECCOMP },
	{ "chroot", "another root directory", chroot_, EFAULT, SECCOMP },
	{ "unshare", "a user namespace", unshare_, 0, SECCOMP },
	{ "clone (user namespace)", "a user namespace", clone_user, 0,
	    SECCOMP },
	{ "clone3", "a user namespace, no filter sees it", clone3_, EFAULT,
	    SECCOMP },
	{ "perf_event_open", "a large interface of the kernel", perf, EFAULT,
	    SECCOMP },
	{ "name_to_handle_at", "files by their number", handle, EFAULT,
	    SECCOMP },
	{ "keyctl", "keys of the user", keys, 0, SECCOMP },
	{ "add_key", "keys of the user", add_key, EFAULT, SECCOMP },
	{ "shmget", "shared memory of the user", shm, ENOENT, SECCOMP },
	{ "mq_open", "message queues of the user", message_queue, EFAULT,
	    SECCOMP },
	{ "ioctl (TIOCSTI)", "typing on the user's terminal", tiocsti, ENOTTY,
	    SECCOMP },
	{ "ioctl (TIOCLINUX)", "pasting on the user's console", tioclinux,
	    ENOTTY, SECCOMP },
	{ "x32 call", "calls under other numbers", x32, 0, SECCOMP },
	{ "int 0x80", "calls of another architecture", int80, 0, SECCOMP },
	{ "kill", "signals to a process outside", signal_, 0,
	    "landlock landlock-abi-6-signals" },
	{ "ptrace", "control of a process outside", trace, 0, LANDLOCK },
	{ "process_vm_readv", "memory of a process outside", memory, 0,
	    LANDLOCK },
	{ "pidfd_getfd", "descriptors of a process outside", descriptor, 0,
	    LANDLOCK },
	{ "/proc/PID/environ", "variables of a process outside", environment,
	    0, LANDLOCK },
	{ "/proc/PID/root", "files by way of a process outside", root, 0,
	    LANDLOCK },
	{ "connect (abstract)", "a socket of a process outside", abstract, 0,
	    "landlock seccomp" },
	{ "socketpair (datagram)", "any named socket of the host",
	    datagram_pair, 0, SECCOMP },
	{ "socket (MPTCP)", "the network, no rule sees it", mptcp, 0, SECCOMP,
	    .network = true },
	{ "socket (AF_VSOCK)", "the host of a virtual machine", vsock, 0,
	    SECCOMP },
	{ "socket (AF_ALG)", "a large interface of the kernel", crypto, 0,
	    SECCOMP },
};
/* clang-format on */

const size_t cdn_escape_count = CDN_LEN(cdn_escapes);
