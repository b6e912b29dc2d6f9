/*
 * socketcaller - makes the calls that a test of brokered sockets is about.
 *
 *	socketcaller <requests >results
 *
 * One request a line, one line in answer: `errno N`, or what is said below.
 * An ADDRESS is the rest of the line:
 *
 *	4 HOST PORT | 6 HOST PORT | u PATH | a NAME | none | auto
 *	9 HOST PORT		IPv4 without a family
 *	long PATH		fills the room, without a NUL
 *	size N ADDRESS		the same with another size
 *
 *	socket 4|6|u|n stream|dgram|packet [now]	`fd N`; now: non-blocking
 *	connect FD ADDRESS, bind FD ADDRESS, listen FD	`done 0`
 *	late ADDRESS		another thread connects; tells nothing of it
 *	accept FD, pty		`fd N`
 *	name FD			`name ADDRESS`
 *	ready FD		polls until it is connected; `errno` of SO_ERROR
 *	sendto|sendmsg|sendmmsg FD TEXT ADDRESS		`sent N`
 *	control FD TEXT LEVEL TYPE ADDRESS		sendmsg with a control
 *	receive FD		`data TEXT`, for a second at most
 *	pass FD FD		the second over the first
 *	taken FD		reads what came, of a descriptor that came
 *	big FD N		a sendmsg of N bytes; `sent N`
 *	broken FD		sendmsg, and whether SIGPIPE came
 *	info FD TEXT INTERFACE ADDRESS	sendmsg with IP_PKTINFO, IPV6_PKTINFO
 *	option FD LEVEL NAME SIZE HEX	setsockopt; the rest of it is zero
 *	route FD		a source route
 *	options FD		what was set of it
 *	write FD TEXT, close FD, umask MODE, chdir PATH, rename A B, link A B
 *	flip N TYPE ADDRESS , ADDRESS	connects while another thread changes it
 *	swap N thread|process|brief ADDRESS
 *				sends there by a fd that is a unix socket, or
 *				for a moment one of UDP: another thread, a
 *				process with the same descriptors, or threads
 *				that end at once change it; `good N bad N`
 *	credentials stream|packet sendto|sendmsg|sendmmsg|own|false
 *				of a message that a child sends: `true`, or
 *				`pid N of N`; own, false: the child names a pid
 *	credentials stream sendmsg threads	a child with two threads
 *	time N ADDRESS		nanoseconds of a connect to it
 *	timedenied N ADDRESS	of one that fails
 *	interfaces		how many there are
 */
#include "socketcaller.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_MS 60000 /* for what certainly comes */

char words[WORDS][512];

long
number(int i)
{
	return strtol(words[i], NULL, 0);
}

bool
word(int i, const char *what)
{
	return strcmp(words[i], what) == 0;
}

void
tell(long result, const char *what)
{
	if (result < 0)
		printf("errno %d\n", errno);
	else
		printf("%s %ld\n", what, result);
}

/* ----- Addresses ----------------------------------------------------------------- */

static void
parse_unix(int i, struct address *a)
{
	bool abstract = word(i, "a");
	size_t n = strlen(words[i + 1]);

	a->u.un.sun_family = AF_UNIX;
	memcpy(a->u.un.sun_path + abstract, words[i + 1],
	    n < 108 ? n : 108);
	a->size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n +
	    1U);
	if (word(i, "long")) {
		/* /a/b -> ////a/b, as long as it can be */
		memset(a->u.un.sun_path, '/', 108);
		memcpy(a->u.un.sun_path + 108 - n, words[i + 1], n);
		a->size = sizeof(a->u.un);
	}
}

struct address
parse(int i)
{
	struct address a;

	memset(&a, 0, sizeof(a));
	if (word(i, "size")) {
		a = parse(i + 2);
		a.size = (socklen_t)number(i + 1);
	} else if (word(i, "6")) {
		a.u.in6.sin6_family = AF_INET6;
		inet_pton(AF_INET6, words[i + 1], &a.u.in6.sin6_addr);
		a.u.in6.sin6_port = htons((uint16_t)number(i + 2));
		a.size = sizeof(a.u.in6);
	} else if (word(i, "4") || word(i, "9")) {
		a.u.in.sin_family = word(i, "4") ? AF_INET : AF_UNSPEC;
		inet_pton(AF_INET, words[i + 1], &a.u.in.sin_addr);
		a.u.in.sin_port = htons((uint16_t)number(i + 2));
		a.size = sizeof(a.u.in);
	} else if (word(i, "auto")) {
		a.u.any.sa_family = AF_UNIX;
		a.size = sizeof(sa_family_t);
	} else if (word(i, "none")) {
		a.size = sizeof(a.u.in);
	} else if (words[i][0] != '\0') {
		parse_unix(i, &a);
	}
	return a;
}

static void
do_name(void)
{
	struct address a;
	char text[64] = "";

	memset(&a, 0, sizeof(a));
	a.size = sizeof(a.u);
	if (getsockname((int)number(1), &a.u.any, &a.size) != 0)
		tell(-1, "");
	else if (a.u.any.sa_family == AF_UNIX)
		printf("name %s\n", a.u.un.sun_path);
	else if (a.u.any.sa_family == AF_INET)
		printf("name %s %d\n", inet_ntop(AF_INET, &a.u.in.sin_addr,
		    text, sizeof(text)), ntohs(a.u.in.sin_port));
	else
		printf("name %s %d\n", inet_ntop(AF_INET6,
		    &a.u.in6.sin6_addr, text, sizeof(text)),
		    ntohs(a.u.in6.sin6_port));
}

/* ----- Sockets ------------------------------------------------------------------- */

static int
family(const char *name)
{
	return name[0] == '4' ? AF_INET : name[0] == '6' ? AF_INET6 :
	    name[0] == 'n' ? AF_NETLINK : AF_UNIX;
}

int
type(const char *name)
{
	return strcmp(name, "dgram") == 0 ? SOCK_DGRAM :
	    strcmp(name, "packet") == 0 ? SOCK_SEQPACKET : SOCK_STREAM;
}

static void
do_socket(void)
{
	tell(socket(family(words[1]), type(words[2]) | SOCK_CLOEXEC |
	    (word(3, "now") ? SOCK_NONBLOCK : 0), 0), "fd");
}

static void
do_connect(void)
{
	struct address a = parse(2);

	tell(connect((int)number(1), &a.u.any, a.size), "done");
}

static void *
late_connector(void *arg)
{
	const struct address *a = arg;
	int fd = socket(a->u.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)connect(fd, &a->u.any, a->size);
	return NULL;
}

static void
do_late(void)
{
	struct address *a = malloc(sizeof(*a));
	pthread_t thread;

	*a = parse(1);
	pthread_create(&thread, NULL, late_connector, a);
	usleep(50000);
	printf("started\n");
}

static void
do_bind(void)
{
	struct address a = parse(2);

	tell(bind((int)number(1), &a.u.any, a.size), "done");
}

static void
do_ready(void)
{
	struct pollfd fd = { (int)number(1), POLLOUT, 0 };
	int e = 0;
	socklen_t size = sizeof(e);

	if (poll(&fd, 1, PATIENCE_MS) != 1) {
		printf("not ready\n");
		return;
	}
	getsockopt(fd.fd, SOL_SOCKET, SO_ERROR, &e, &size);
	errno = e;
	tell(e == 0 ? 0 : -1, "done");
}

/* ----- Messages ------------------------------------------------------------------ */

struct msghdr
header(struct address *a, struct iovec *v, char *text, size_t n)
{
	struct msghdr h = { .msg_iov = v, .msg_iovlen = 1 };

	v->iov_base = text;
	v->iov_len = n;
	if (a->size > 0) {
		h.msg_name = &a->u;
		h.msg_namelen = a->size;
	}
	return h;
}

static void
do_sendto(void)
{
	struct address a = parse(3);

	tell(sendto((int)number(1), words[2], strlen(words[2]), MSG_NOSIGNAL,
		 &a.u.any, a.size), "sent");
}

/* In two parts. */
static void
do_sendmsg(void)
{
	struct address a = parse(3);
	size_t n = strlen(words[2]);
	struct iovec v[2];
	struct msghdr h = header(&a, v, words[2], n / 2);

	v[1].iov_base = words[2] + n / 2;
	v[1].iov_len = n - n / 2;
	h.msg_iovlen = 2;
	tell(sendmsg((int)number(1), &h, MSG_NOSIGNAL), "sent");
}

/* Twice to the address. */
static void
do_sendmmsg(void)
{
	struct address a = parse(3);
	struct mmsghdr m[2];
	struct iovec v;
	int n;

	memset(m, 0, sizeof(m));
	m[0].msg_hdr = m[1].msg_hdr = header(&a, &v, words[2],
	    strlen(words[2]));
	n = sendmmsg((int)number(1), m, 2, MSG_NOSIGNAL);
	if (n < 0)
		tell(-1, "");
	else
		printf("sent %d %u %u\n", n, m[0].msg_len, m[1].msg_len);
}

static void
do_control(void)
{
	struct address a = parse(5);
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(4)] = { 0 };
	struct cmsghdr *c = (void *)control;
	struct iovec v;
	struct msghdr h = header(&a, &v, words[2], strlen(words[2]));

	c->cmsg_len = CMSG_LEN(4);
	c->cmsg_level = (int)number(3);
	c->cmsg_type = (int)number(4);
	h.msg_control = control;
	h.msg_controllen = sizeof(control);
	tell(sendmsg((int)number(1), &h, MSG_NOSIGNAL), "sent");
}

/* An interface beside the address; of the family of the address. */
static void
do_info(void)
{
	struct address a = parse(4);
	bool six = a.u.any.sa_family == AF_INET6;
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(
	    sizeof(struct in6_pktinfo))] = { 0 };
	struct in_pktinfo four = { .ipi_ifindex = (int)number(3) };
	struct in6_pktinfo info = { .ipi6_ifindex = (unsigned)number(3) };
	struct cmsghdr *c = (void *)control;
	struct iovec v;
	struct msghdr h = header(&a, &v, words[2], strlen(words[2]));
	size_t size = six ? sizeof(info) : sizeof(four);

	c->cmsg_len = CMSG_LEN(size);
	c->cmsg_level = six ? IPPROTO_IPV6 : IPPROTO_IP;
	c->cmsg_type = six ? IPV6_PKTINFO : IP_PKTINFO;
	memcpy(CMSG_DATA(c), six ? (void *)&info : (void *)&four, size);
	h.msg_control = control;
	h.msg_controllen = CMSG_SPACE(size);
	tell(sendmsg((int)number(1), &h, MSG_NOSIGNAL), "sent");
}

static void
do_receive(void)
{
	struct pollfd fd = { (int)number(1), POLLIN, 0 };
	char data[256];
	ssize_t n;

	if (poll(&fd, 1, PATIENCE_MS) != 1) {
		printf("nothing\n");
		return;
	}
	n = read(fd.fd, data, sizeof(data));
	if (n < 0)
		tell(-1, "");
	else
		printf("data %.*s\n", (int)n, data);
}

static void
do_pass(void)
{
	struct address a = { .size = 0 };
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))];
	struct cmsghdr *c = (void *)control;
	char text[] = "fd";
	struct iovec v;
	struct msghdr h = header(&a, &v, text, 2);
	int fd = (int)number(2);

	memset(control, 0, sizeof(control));
	c->cmsg_len = CMSG_LEN(sizeof(int));
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	h.msg_control = control;
	h.msg_controllen = sizeof(control);
	tell(sendmsg((int)number(1), &h, 0), "sent");
}

static void
do_taken(void)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))];
	struct address a = { .size = 0 };
	char text[8], data[64] = "";
	struct iovec v;
	struct msghdr h = header(&a, &v, text, sizeof(text));
	int fd = -1;

	h.msg_control = control;
	h.msg_controllen = sizeof(control);
	if (recvmsg((int)number(1), &h, 0) <= 0 || h.msg_controllen == 0) {
		printf("nothing\n");
		return;
	}
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&h)), sizeof(fd));
	if (pread(fd, data, sizeof(data) - 1, 0) < 0)
		tell(-1, "");
	else
		printf("data %.*s\n", (int)strcspn(data, "\n"), data);
	close(fd);
}

static void
do_big(void)
{
	size_t n = (size_t)number(2);
	char *data = calloc(1, n);
	struct address a = { .size = 0 };
	struct iovec v;
	struct msghdr h = header(&a, &v, data, n);

	for (size_t i = 0; i < n; i++)
		data[i] = (char)('a' + i % 26);
	tell(sendmsg((int)number(1), &h, 0), "sent");
	free(data);
}

static volatile sig_atomic_t pipes;

static void
on_pipe(int s)
{
	(void)s;
	pipes++;
}

static void
do_broken(void)
{
	struct address a = { .size = 0 };
	char text[] = "x";
	struct iovec v;
	struct msghdr h = header(&a, &v, text, 1);
	ssize_t n;

	pipes = 0;
	signal(SIGPIPE, on_pipe);
	n = sendmsg((int)number(1), &h, 0);
	printf("errno %d pipes %d\n", n < 0 ? errno : 0, (int)pipes);
}

/* ----- Others -------------------------------------------------------------------- */

static void
do_route(void)
{
	/* NOP, LSRR by way of 127.0.0.2 */
	static const unsigned char route[] = { 1, 131, 7, 4, 127, 0, 0, 2 };

	tell(setsockopt((int)number(1), IPPROTO_IP, IP_OPTIONS, route,
		 sizeof(route)), "done");
}

static void
do_option(void)
{
	unsigned char value[256] = { 0 };

	for (size_t i = 0; words[5][2 * i] != '\0'; i++) {
		char byte[3] = { words[5][2 * i], words[5][2 * i + 1], '\0' };

		value[i] = (unsigned char)strtoul(byte, NULL, 16);
	}
	tell(setsockopt((int)number(1), (int)number(2), (int)number(3), value,
		 (socklen_t)number(4)), "done");
}

static void
do_options(void)
{
	unsigned char route[64];
	socklen_t n = sizeof(route);

	tell(getsockopt((int)number(1), IPPROTO_IP, IP_OPTIONS, route, &n) < 0 ?
	    -1 : (long)n, "options");
}

static void
do_pty(void)
{
	int master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC), no = 0;
	int slave = -1;
	char data[8] = "";

	if (master >= 0 && ioctl(master, TIOCSPTLCK, &no) == 0)
		slave = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY);
	if (slave < 0 || write(slave, "typed", 5) != 5 ||
	    read(master, data, 5) != 5)
		tell(-1, "");
	else
		printf("fd %s cloexec %d\n", data, fcntl(slave, F_GETFD));
	close(slave);
	close(master);
}

static void
do_peer(void)
{
	tell(ioctl((int)number(1), TIOCGPTPEER, O_RDWR | O_NOCTTY), "fd");
}

static volatile bool stop;
static struct address shared;

static void *
flipper(void *arg)
{
	const struct address *both = arg;

	while (!stop) {
		memcpy(&shared.u, &both[1].u, 110);
		__asm__ volatile("" ::: "memory");
		memcpy(&shared.u, &both[0].u, 110);
		__asm__ volatile("" ::: "memory");
	}
	return NULL;
}

static void
do_flip(void)
{
	static struct address both[2];
	long good = 0, bad = 0;
	pthread_t thread;
	int second = 3;

	while (!word(second, ","))
		second++;
	both[0] = parse(3);
	words[second][0] = '\0';
	both[1] = parse(second + 1);
	shared = both[0];
	if (shared.size < both[1].size) /* a path ends with its NUL */
		shared.size = both[1].size;
	stop = false;
	pthread_create(&thread, NULL, flipper, both);
	for (long i = 0, n = number(1);
	    i < n || (i < 50 * n && (good == 0 || bad == 0)); i++) {
		int fd = socket(both[0].u.any.sa_family, type(words[2]) |
			SOCK_CLOEXEC, 0);
		struct linger hard = { 1, 0 };
		int r;

		setsockopt(fd, SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
		r = word(2, "dgram") ? (int)sendto(fd, "x", 1, 0, &shared.u.any,
		    shared.size) : connect(fd, &shared.u.any, shared.size);
		good += r >= 0;
		bad += r < 0;
		close(fd);
	}
	stop = true;
	pthread_join(thread, NULL);
	printf("good %ld bad %ld\n", good, bad);
}

static int
by_size(const void *a, const void *b)
{
	long x = *(const long *)a, y = *(const long *)b;

	return (x > y) - (x < y);
}

static void
do_time(void)
{
	long n = number(1), *each = calloc((size_t)n, sizeof(*each));
	struct address a = parse(2);
	struct timespec from, to;

	for (long i = 0; i < n; i++) {
		int fd = socket(a.u.any.sa_family, SOCK_STREAM, 0);
		struct linger hard = { 1, 0 };

		clock_gettime(CLOCK_MONOTONIC, &from);
		if (connect(fd, &a.u.any, a.size) != 0 && !word(0, "timedenied"))
			i = n;
		clock_gettime(CLOCK_MONOTONIC, &to);
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
		close(fd);
		if (i < n)
			each[i] = (to.tv_sec - from.tv_sec) * 1000000000L +
			    to.tv_nsec - from.tv_nsec;
	}
	qsort(each, (size_t)n, sizeof(*each), by_size);
	printf("min %ld p50 %ld p90 %ld\n", each[0], each[n / 2],
	    each[n * 9 / 10]);
	free(each);
}

static void
do_interfaces(void)
{
	struct ifaddrs *all = NULL;
	long n = 0;

	if (getifaddrs(&all) != 0) {
		tell(-1, "");
		return;
	}
	for (const struct ifaddrs *i = all; i != NULL; i = i->ifa_next)
		n++;
	freeifaddrs(all);
	tell(n, "interfaces");
}

static void
do_simple(void)
{
	if (word(0, "listen"))
		tell(listen((int)number(1), 5), "done");
	else if (word(0, "accept"))
		tell(accept((int)number(1), NULL, NULL), "fd");
	else if (word(0, "close"))
		tell(close((int)number(1)), "closed");
	else if (word(0, "write"))
		tell(write((int)number(1), words[2], strlen(words[2])),
		    "wrote");
	else if (word(0, "chdir"))
		tell(chdir(words[1]), "changed");
	else if (word(0, "umask"))
		tell(umask((mode_t)number(1)), "was");
	else if (word(0, "rename"))
		tell(rename(words[1], words[2]), "done");
	else if (word(0, "link"))
		tell(link(words[1], words[2]), "done");
	else if (word(0, "keep"))
		tell(open(words[1], O_RDONLY | O_CLOEXEC), "fd");
	else
		printf("what is '%s'?\n", words[0]);
}

static const struct {
	const char *word;
	void (*fn)(void);
} table[] = {
	{ "socket", do_socket }, { "connect", do_connect },
	{ "bind", do_bind }, { "name", do_name }, { "ready", do_ready },
	{ "sendto", do_sendto }, { "sendmsg", do_sendmsg },
	{ "sendmmsg", do_sendmmsg }, { "control", do_control },
	{ "receive", do_receive }, { "pass", do_pass },
	{ "taken", do_taken }, { "big", do_big }, { "broken", do_broken },
	{ "route", do_route }, { "options", do_options },
	{ "option", do_option }, { "info", do_info }, { "pty", do_pty },
	{ "peer", do_peer }, { "flip", do_flip }, { "time", do_time },
	{ "interfaces", do_interfaces }, { "late", do_late },
	{ "timedenied", do_time }, { "swap", do_swap },
	{ "credentials", do_credentials },
};

static void
do_request(void)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (word(0, table[i].word)) {
			table[i].fn();
			return;
		}
	do_simple();
}

int
main(void)
{
	static char line[8192];

	umask(022);
	while (fgets(line, sizeof(line), stdin) != NULL) {
		char *rest, *part;
		int n = 0;

		memset(words, 0, sizeof(words));
		for (part = strtok_r(line, " \n", &rest);
		    part != NULL && n < WORDS - 4;
		    part = strtok_r(NULL, " \n", &rest))
			snprintf(words[n++], sizeof(words[0]), "%s", part);
		do_request();
		fflush(stdout);
	}
	return 0;
}
