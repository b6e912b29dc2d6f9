/*
 * The other side: a process with secrets, servers, and things of the kernel's
 * that have names.  What it has stands in DIR/facts; who came, in DIR/came.
 */
#include "escape.h"

#include <err.h>
#include <linux/keyctl.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/un.h>

#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262
#endif

static char in_memory[] = "SECRET";
static volatile sig_atomic_t ends, asked;

/* ----- Servers ----------------------------------------------------------- */

enum { TCP, MPTCP, UDP, STREAM, DGRAM, ABSTRACT, HANDS, SERVERS };

static const struct {
	const char *name;
	int family, type, protocol;
	const char *path; /* of a unix socket; '@' is the abstract space */
} servers[SERVERS] = {
	[TCP] = { "tcp", AF_INET, SOCK_STREAM, 0, NULL },
	[MPTCP] = { "mptcp", AF_INET, SOCK_STREAM, IPPROTO_MPTCP, NULL },
	[UDP] = { "udp", AF_INET, SOCK_DGRAM, 0, NULL },
	[STREAM] = { "stream", AF_UNIX, SOCK_STREAM, 0, "stream" },
	[DGRAM] = { "dgram", AF_UNIX, SOCK_DGRAM, 0, "dgram" },
	[ABSTRACT] = { "abstract", AF_UNIX, SOCK_STREAM, 0, "@escape" },
	[HANDS] = { "hands", AF_UNIX, SOCK_STREAM, 0, "hands" },
};

static socklen_t
address(size_t i, const char *dir, struct sockaddr_storage *ret)
{
	struct sockaddr_in *in = (struct sockaddr_in *)ret;
	struct sockaddr_un *un = (struct sockaddr_un *)ret;

	memset(ret, 0, sizeof(*ret));
	ret->ss_family = (sa_family_t)servers[i].family;
	if (servers[i].family == AF_INET) {
		in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		return sizeof(*in);
	}
	if (servers[i].path[0] != '@') {
		snprintf(un->sun_path, sizeof(un->sun_path), "%s/%s", dir,
		    servers[i].path);
		return sizeof(*un);
	}
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
	    (size_t)snprintf(un->sun_path + 1, sizeof(un->sun_path) - 1,
		"%s-%d", servers[i].path + 1, getpid()));
}

/* -1 where there is no such protocol. */
static int
server(size_t i, const char *dir, FILE *facts)
{
	struct sockaddr_storage at;
	socklen_t n = address(i, dir, &at);
	int fd = socket(servers[i].family, servers[i].type | SOCK_CLOEXEC,
	    servers[i].protocol);
	int on = 16;

	if (fd < 0 || bind(fd, (struct sockaddr *)&at, n) != 0)
		return -1;
	if (servers[i].family == AF_INET && servers[i].type == SOCK_STREAM)
		(void)setsockopt(fd, IPPROTO_TCP, TCP_FASTOPEN, &on,
		    sizeof(on));
	if (servers[i].type == SOCK_STREAM && listen(fd, 64) != 0)
		return -1;
	n = sizeof(at);
	if (getsockname(fd, (struct sockaddr *)&at, &n) != 0)
		return -1;
	if (servers[i].family == AF_INET)
		fprintf(facts, "%s=%d\n", servers[i].name,
		    ntohs(((struct sockaddr_in *)&at)->sin_port));
	else if (servers[i].path[0] == '@')
		fprintf(facts, "%s=%s\n", servers[i].name,
		    ((struct sockaddr_un *)&at)->sun_path + 1);
	else
		fprintf(facts, "%s=%s/%s\n", servers[i].name, dir,
		    servers[i].path);
	return fd;
}

/* A descriptor of the secret for whoever comes. */
static void
hand_over(int to, int secret)
{
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = { .head = { .cmsg_level = SOL_SOCKET,
			  .cmsg_type = SCM_RIGHTS,
			  .cmsg_len = CMSG_LEN(sizeof(int)) } };
	char byte = 'x';
	struct iovec iov = { &byte, 1 };
	struct msghdr message = { .msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control) };

	(void)lseek(secret, 0, SEEK_SET);
	memcpy(CMSG_DATA(&control.head), &secret, sizeof(secret));
	(void)sendmsg(to, &message, MSG_NOSIGNAL);
}

static void
came(const char *dir, size_t i, int fd, int secret)
{
	int note = open(text("%s/came", dir), O_WRONLY | O_APPEND | O_CLOEXEC);
	char bytes[64];

	if (servers[i].type == SOCK_DGRAM) {
		(void)!read(fd, bytes, sizeof(bytes));
	} else {
		fd = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
		if (i == HANDS)
			hand_over(fd, secret);
		close(fd);
	}
	if (note >= 0 && dprintf(note, "%s\n", servers[i].name) >= 0)
		close(note);
}

/* ----- The kernel's things ----------------------------------------------- */

static int shm_id = -1, msg_id = -1, sem_id = -1;
static char shm_path[64], mq_name[64];

static void
make_ipc(FILE *facts)
{
	key_t key = 0x0e5c0000 ^ getpid();
	char *at;
	mqd_t q;
	int fd;

	shm_id = shmget(key, 4096, IPC_CREAT | IPC_EXCL | 0600);
	msg_id = msgget(key, IPC_CREAT | IPC_EXCL | 0600);
	sem_id = semget(key, 1, IPC_CREAT | IPC_EXCL | 0600);
	at = shm_id < 0 ? (void *)-1 : shmat(shm_id, NULL, 0);
	if (at != (void *)-1)
		memcpy(at, in_memory, sizeof(in_memory));
	fprintf(facts, "ipc-key=%d\n", key);
	snprintf(shm_path, sizeof(shm_path), "/dev/shm/escape-%d", getpid());
	fd = make(shm_path, "SECRET\n");
	if (fd >= 0)
		close(fd);
	fprintf(facts, "shm=%s\n", shm_path);
	snprintf(mq_name, sizeof(mq_name), "/escape-%d", getpid());
	q = mq_open(mq_name, O_CREAT | O_EXCL | O_RDWR, 0600, NULL);
	if (q >= 0)
		mq_close(q);
	fprintf(facts, "mq=%s\n", mq_name);
}

static void
drop_ipc(void)
{
	if (shm_id >= 0)
		shmctl(shm_id, IPC_RMID, NULL);
	if (msg_id >= 0)
		msgctl(msg_id, IPC_RMID, NULL);
	if (sem_id >= 0)
		semctl(sem_id, 0, IPC_RMID);
	(void)unlink(shm_path);
	(void)mq_unlink(mq_name);
}

static void
stop(int number)
{
	(void)number;
	ends = 1;
}

static void
ask(int number)
{
	(void)number;
	asked = 1;
}

/* Whoever asks by SIGUSR1 is told when everybody who came stands in `came`. */
static void
tell_quiet(const char *dir)
{
	int fd;

	if (!asked)
		return;
	asked = 0;
	fd = make(text("%s/quiet", dir), "");
	if (fd >= 0)
		close(fd);
}

_Noreturn void
host_serve(const char *dir)
{
	struct pollfd fds[SERVERS];
	struct sigaction end = { .sa_handler = stop };
	struct sigaction question = { .sa_handler = ask };
	FILE *facts = fopen(text("%s/facts.new", dir), "we");
	int secret = open(text("%s/secret", dir), O_RDONLY | O_CLOEXEC);

	if (facts == NULL || secret < 0 || chdir(dir) != 0)
		err(2, "%s", dir);
	sigaction(SIGTERM, &end, NULL);
	sigaction(SIGUSR1, &question, NULL);
	signal(SIGURG, SIG_IGN);
	fprintf(facts, "victim=%d\nvictim-fd=%d\nvictim-at=%p\n", getpid(),
	    secret, (void *)in_memory);
	for (size_t i = 0; i < SERVERS; i++)
		fds[i] = (struct pollfd){ .fd = server(i, dir, facts),
			.events = POLLIN };
	make_ipc(facts);
	if (fclose(facts) != 0 ||
	    rename(text("%s/facts.new", dir), text("%s/facts", dir)) != 0)
		err(2, "facts");
	while (!ends) {
		int n = poll(fds, SERVERS, 100);

		if (n == 0)
			tell_quiet(dir);
		if (n <= 0)
			continue;
		for (size_t i = 0; i < SERVERS; i++)
			if ((fds[i].revents & POLLIN) != 0)
				came(dir, i, fds[i].fd, secret);
	}
	drop_ipc();
	exit(0);
}

/* A new session keyring, so that the user's own is left alone. */
_Noreturn void
host_session(char **argv)
{
	if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) >= 0)
		(void)syscall(SYS_add_key, "user", "escape", "SECRET", 6,
		    KEY_SPEC_SESSION_KEYRING);
	execvp(argv[0], argv);
	err(2, "%s", argv[0]);
}
