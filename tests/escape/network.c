/* Family 7: the network, and sockets with names; nothing is allowed. */
#include "escape.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262
#endif

static struct sockaddr_in
loopback(const char *server)
{
	return (struct sockaddr_in){ .sin_family = AF_INET,
		.sin_port = htons((uint16_t)fact_number(server)),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
}

static int
connects(const char *server, int protocol)
{
	struct sockaddr_in in = loopback(server);
	int fd;

	if (in.sin_port == 0)
		return not_here("this kernel has no such protocol");
	fd = socket(AF_INET, SOCK_STREAM, protocol);
	return fd < 0 ? -1 : connect(fd, (struct sockaddr *)&in, sizeof(in));
}

static int
tcp(void)
{
	return connects("tcp", 0);
}

static int
mptcp(void)
{
	return connects("mptcp", IPPROTO_MPTCP);
}

static int
fastopen(void)
{
	struct sockaddr_in in = loopback("tcp");
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	return fd < 0 ? -1 : had(sendto(fd, "x", 1, MSG_FASTOPEN,
	    (struct sockaddr *)&in, sizeof(in)));
}

static int
udp(void)
{
	struct sockaddr_in in = loopback("udp");
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	return fd < 0 ? -1 : had(sendto(fd, "x", 1, 0, (struct sockaddr *)&in,
	    sizeof(in)));
}

/* A question to a resolver would carry anything out. */
static int
dns(void)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(53),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_DGRAM, IPPROTO_UDP);

	return fd < 0 ? -1 : had(sendto(fd, "x", 1, 0, (struct sockaddr *)&in,
	    sizeof(in)));
}

static int
other_protocols(void)
{
	static const struct {
		int type, protocol;
	} kinds[] = { { SOCK_STREAM, IPPROTO_SCTP },
		{ SOCK_SEQPACKET, IPPROTO_SCTP }, { 6, 33 /* DCCP */ },
		{ SOCK_DGRAM, IPPROTO_UDPLITE } };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (socket(AF_INET, kinds[i].type, kinds[i].protocol) >= 0)
			return 0;
	return -1;
}

static int
listens(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	return fd < 0 ? -1 : listen(fd, 1);
}

static int
binds(void)
{
	struct sockaddr_in in = { .sin_family = AF_INET };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&in, sizeof(in)) != 0)
		return -1;
	return listen(fd, 1);
}

/* The unprivileged among them can be had by everybody outside. */
static int
odd_families(void)
{
	static const struct {
		int family, type, protocol;
	} kinds[] = { { AF_INET, SOCK_RAW, IPPROTO_ICMP },
		{ AF_INET, SOCK_DGRAM, IPPROTO_ICMP }, { 17, SOCK_RAW, 0 },
		{ 40, SOCK_STREAM, 0 }, { 38, SOCK_SEQPACKET, 0 },
		{ 31, SOCK_RAW, 1 }, { 29, SOCK_RAW, 1 }, { 44, SOCK_RAW, 0 },
		{ AF_NETLINK, SOCK_RAW, 9 }, { AF_NETLINK, SOCK_RAW, 15 } };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (socket(kinds[i].family, kinds[i].type,
			kinds[i].protocol) >= 0)
			return 0;
	return -1;
}

/* ----- Sockets with names ------------------------------------------------ */

static socklen_t
named(const char *server, struct sockaddr_un *ret)
{
	bool abstract = strcmp(server, "abstract") == 0;

	*ret = (struct sockaddr_un){ .sun_family = AF_UNIX };
	snprintf(ret->sun_path + abstract, sizeof(ret->sun_path) - abstract,
	    "%s", fact(server));
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
	    strlen(fact(server)));
}

static int
connects_unix(const char *server)
{
	struct sockaddr_un un;
	socklen_t n = named(server, &un);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	return fd < 0 ? -1 : connect(fd, (struct sockaddr *)&un, n);
}

static int
abstract(void)
{
	return connects_unix("abstract");
}

static int
stream(void)
{
	return connects_unix("stream");
}

static int
send_message(int fd)
{
	struct sockaddr_un un;
	char byte = 'x';
	struct iovec iov = { &byte, 1 };
	struct msghdr message = { .msg_name = &un, .msg_iov = &iov,
		.msg_iovlen = 1 };

	message.msg_namelen = named("dgram", &un);
	return fd < 0 ? -1 : had(sendmsg(fd, &message, 0));
}

static int
datagram(void)
{
	struct sockaddr_un un;
	socklen_t n = named("dgram", &un);
	int fd = socket(AF_UNIX, SOCK_DGRAM, 0);

	return fd < 0 ? -1 :
	    had(sendto(fd, "x", 1, 0, (struct sockaddr *)&un, n));
}

static int
message(void)
{
	return send_message(socket(AF_UNIX, SOCK_DGRAM, 0));
}

static int
many_messages(void)
{
	struct sockaddr_un un;
	char byte = 'x';
	struct iovec iov = { &byte, 1 };
	struct mmsghdr list = { .msg_hdr = { .msg_name = &un, .msg_iov = &iov,
				    .msg_iovlen = 1 } };
	int fd = socket(AF_UNIX, SOCK_DGRAM, 0);

	list.msg_hdr.msg_namelen = named("dgram", &un);
	return fd < 0 ? -1 : had(sendmmsg(fd, &list, 1, 0));
}

/* One end of a pair can be turned to any name. */
static int
pair(void)
{
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, fds) != 0)
		return -1;
	return send_message(fds[0]);
}

const struct probe network_probes[] = {
	{ "95", fastopen, 0 },
	{ "96-mptcp", mptcp, 0 },
	{ "96-others", other_protocols, 0 },
	{ "97-udp", udp, 0 },
	{ "97-dns", dns, 0 },
	{ "98-listen", listens, 0 },
	{ "98-bind", binds, 0 },
	{ "99", odd_families, 0 },
	{ "100", abstract, 0 },
	{ "101-connect", stream, 0 },
	{ "101-sendto", datagram, 0 },
	{ "101-sendmsg", message, 0 },
	{ "101-sendmmsg", many_messages, 0 },
	{ "102", tcp, 0 },
	{ "166", pair, 0 },
	{ NULL, NULL, 0 },
};
