/*
 * Requests of socketcaller: a fd that is another socket meanwhile, and who sent a
 * message.
 */
#include "socketcaller.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ----- Which socket it is -------------------------------------------------------- */

static struct {
	int slot; /* the fd that is used */
	int unix_fd, udp_fd;
	volatile bool *stop;
} swap;

static void *
swapper(void *arg)
{
	(void)arg;
	while (!*swap.stop) {
		dup2(swap.udp_fd, swap.slot);
		dup2(swap.unix_fd, swap.slot);
	}
	return NULL;
}

static void *
swap_once(void *arg)
{
	(void)arg;
	dup2(swap.udp_fd, swap.slot);
	return NULL;
}

/* With our file descriptors, and nothing else of ours. */
static pid_t
swap_process(void)
{
	pid_t pid = (pid_t)syscall(SYS_clone, CLONE_FILES | SIGCHLD, NULL, NULL,
	    NULL, NULL);

	if (pid == 0) {
		swapper(NULL);
		_exit(0);
	}
	return pid;
}

static bool
swap_send(struct address *a, int drain)
{
	char text[] = "x", data[8];
	struct iovec v;
	struct msghdr h = header(a, &v, text, 1);
	bool sent = sendmsg(swap.slot, &h, MSG_NOSIGNAL | MSG_DONTWAIT) == 1;

	(void)recv(drain, data, sizeof(data), MSG_DONTWAIT);
	return sent;
}

void
do_swap(void)
{
	struct address a = parse(3);
	bool brief = word(2, "brief");
	long good = 0, bad = 0;
	pthread_t thread = pthread_self();
	int pair[2];
	pid_t pid = 0;

	swap.stop = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair);
	swap.unix_fd = pair[0];
	swap.udp_fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	swap.slot = dup(pair[0]);
	if (word(2, "thread"))
		pthread_create(&thread, NULL, swapper, NULL);
	else if (word(2, "process"))
		pid = swap_process();
	for (long i = 0, n = number(1);
	    i < n || (!brief && i < 50 * n && (good == 0 || bad == 0)); i++) {
		bool sent;

		if (brief) {
			dup2(swap.unix_fd, swap.slot);
			pthread_create(&thread, NULL, swap_once, NULL);
		}
		sent = swap_send(&a, pair[1]);
		good += sent;
		bad += !sent;
		if (brief)
			pthread_join(thread, NULL);
	}
	*swap.stop = true;
	if (word(2, "thread"))
		pthread_join(thread, NULL);
	else if (pid > 0)
		waitpid(pid, NULL, 0);
	close(swap.slot);
	close(swap.udp_fd);
	close(pair[0]);
	close(pair[1]);
	printf("good %ld bad %ld\n", good, bad);
}

/* ----- Who sent it --------------------------------------------------------------- */

static void *
wait_long(void *arg)
{
	(void)arg;
	pause();
	return NULL;
}

/* A pid of its own, or one that is not. */
static long
send_named(int fd, pid_t pid)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(struct ucred))];
	struct ucred named = { pid, getuid(), getgid() };
	struct cmsghdr *c = (void *)control;
	struct address a = { .size = 0 };
	char text[] = "x";
	struct iovec v;
	struct msghdr h = header(&a, &v, text, 1);

	memset(control, 0, sizeof(control));
	c->cmsg_len = CMSG_LEN(sizeof(named));
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_CREDENTIALS;
	memcpy(CMSG_DATA(c), &named, sizeof(named));
	h.msg_control = control;
	h.msg_controllen = sizeof(control);
	return sendmsg(fd, &h, 0);
}

static void
send_as_child(int fd)
{
	struct address to = { .size = 0 }, any = { .size = sizeof(to.u.in) };
	char text[] = "x";
	struct iovec v;
	struct mmsghdr m = { .msg_hdr = header(&to, &v, text, 1) };
	pthread_t thread;
	long r;

	if (word(3, "threads"))
		pthread_create(&thread, NULL, wait_long, NULL);
	if (word(2, "sendto")) /* with an address: without it is not judged */
		r = sendto(fd, text, 1, 0, &any.u.any, any.size);
	else if (word(2, "sendmmsg"))
		r = sendmmsg(fd, &m, 1, 0);
	else if (word(2, "own") || word(2, "false"))
		r = send_named(fd, word(2, "own") ? getpid() : getppid());
	else
		r = sendmsg(fd, &m.msg_hdr, 0);
	_exit(r < 0 ? errno : 0);
}

void
do_credentials(void)
{
	_Alignas(struct cmsghdr) char control[256];
	struct address a = { .size = 0 };
	struct ucred from = { 0, 0, 0 };
	int pair[2], on = 1, status = 0;
	char text[8];
	struct iovec v;
	struct msghdr h = header(&a, &v, text, sizeof(text));
	pid_t pid;

	socketpair(AF_UNIX, type(words[1]) | SOCK_CLOEXEC, 0, pair);
	setsockopt(pair[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof(on));
	pid = fork();
	if (pid == 0)
		send_as_child(pair[1]);
	waitpid(pid, &status, 0);
	h.msg_control = control;
	h.msg_controllen = sizeof(control);
	if (WEXITSTATUS(status) != 0) {
		errno = WEXITSTATUS(status);
		tell(-1, "");
	} else if (recvmsg(pair[0], &h, MSG_DONTWAIT) != 1 ||
	    CMSG_FIRSTHDR(&h) == NULL) {
		printf("nothing\n");
	} else {
		memcpy(&from, CMSG_DATA(CMSG_FIRSTHDR(&h)), sizeof(from));
		if (from.pid == pid && from.uid == getuid() &&
		    from.gid == getgid())
			printf("true\n");
		else
			printf("pid %d of %d\n", from.pid, pid);
	}
	close(pair[0]);
	close(pair[1]);
}
