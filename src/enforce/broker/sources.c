/*
 * From where a UDP socket receives, where the list of a run has addresses of
 * other machines.
 *
 * Threat:    a UDP socket that is bound to no address, or to a port that the
 *	      kernel chose, receives from everybody on the network.
 * Invariant: it receives from this machine, and from the addresses and ports
 *	      that it was allowed to send or connect to.  Only one that was
 *	      bound to an address and port by an allowed bind receives from
 *	      anywhere.
 * Held by:   the socket is made by the broker and has a socket filter (classic
 *	      BPF) before the run gets it.  The kernel asks the filter about
 *	      every datagram.  The system-call filter refuses the options that
 *	      would change it (filter_tests.c).  An address is added to it
 *	      before the broker sends there.  Tests: live/broker/udp.sh.
 *
 * The socket itself keeps the list: the program is read back from the kernel.
 * So nothing is left over when a socket is closed, and it does not matter which
 * process of the run holds it.
 */
#include "enforce/broker/address.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/if_ether.h>

#define LOAD(width, at) \
	{ BPF_LD | BPF_ABS | (width), 0, 0, (uint32_t)(at) }
#define RETURN(value) { BPF_RET | BPF_K, 0, 0, value }
#define SAME(value, otherwise) \
	{ BPF_JMP | BPF_JEQ | BPF_K, 0, otherwise, value }
#define ACCEPT UINT32_MAX

#define V4_SOURCE 12 /* in the header of the network */
#define V6_SOURCE 8

/* With many peers the first ones are forgotten. */
#define PEERS_MAX 64
#define V4_SIZE	  7U
#define V6_SIZE	  13U
#define CODE_MAX  (3U + PEERS_MAX * V6_SIZE + 1U)

static const struct sock_filter head[] = {
	LOAD(BPF_W, SKF_AD_OFF + SKF_AD_IFINDEX),
	SAME(CDN_LOOPBACK_DEVICE, 1),
	RETURN(ACCEPT),
};
static const struct sock_filter last = RETURN(0);

struct peer {
	size_t n;
	struct sock_filter code[V6_SIZE];
};

struct program {
	size_t n; /* with the last one, which is at the end of it */
	struct sock_filter code[CODE_MAX];
};

/* ----- Programs ------------------------------------------------------------------ */

static void
put(struct peer *peer, struct sock_filter instruction)
{
	peer->code[peer->n++] = instruction;
}

/* It goes on behind the peer if this is not the same. */
static void
put_test(struct peer *peer, size_t size, unsigned width, int at,
    uint32_t value)
{
	put(peer, (struct sock_filter)LOAD((uint16_t)width, at));
	put(peer, (struct sock_filter)SAME(value,
	    (uint8_t)(size - peer->n - 1)));
}

static struct peer
make_v4(struct in_addr address, in_port_t port)
{
	struct peer peer = { .n = 0 };

	put_test(&peer, V4_SIZE, BPF_H, SKF_AD_OFF + SKF_AD_PROTOCOL, ETH_P_IP);
	put_test(&peer, V4_SIZE, BPF_W, SKF_NET_OFF + V4_SOURCE,
	    ntohl(address.s_addr));
	put_test(&peer, V4_SIZE, BPF_H, 0, ntohs(port));
	put(&peer, (struct sock_filter)RETURN(ACCEPT));
	return peer;
}

static struct peer
make_v6(const struct in6_addr *address, in_port_t port)
{
	struct peer peer = { .n = 0 };

	put_test(&peer, V6_SIZE, BPF_H, SKF_AD_OFF + SKF_AD_PROTOCOL,
	    ETH_P_IPV6);
	for (int i = 0; i < 4; i++)
		put_test(&peer, V6_SIZE, BPF_W, SKF_NET_OFF + V6_SOURCE + 4 * i,
		    ntohl(address->s6_addr32[i]));
	put_test(&peer, V6_SIZE, BPF_H, 0, ntohs(port));
	put(&peer, (struct sock_filter)RETURN(ACCEPT));
	return peer;
}

static struct peer
make_peer(const struct cdn_address *address)
{
	const struct sockaddr_in6 *in6 = &address->u.in6;
	struct in_addr mapped;

	if (address->u.any.sa_family == AF_INET)
		return make_v4(address->u.in.sin_addr, address->u.in.sin_port);
	if (!IN6_IS_ADDR_V4MAPPED(&in6->sin6_addr))
		return make_v6(&in6->sin6_addr, in6->sin6_port);
	mapped.s_addr = in6->sin6_addr.s6_addr32[3];
	return make_v4(mapped, in6->sin6_port);
}

/* How long is the peer that begins here? */
static size_t
size_at(const struct sock_filter *code)
{
	return code[1].k == ETH_P_IP ? V4_SIZE : V6_SIZE;
}

static bool
has_peer(const struct program *program, const struct peer *peer)
{
	for (size_t at = CDN_LEN(head); at + peer->n < program->n;
	    at += size_at(program->code + at))
		if (memcmp(program->code + at, peer->code,
			peer->n * sizeof(peer->code[0])) == 0)
			return true;
	return false;
}

static void
forget_first(struct program *program)
{
	size_t first = size_at(program->code + CDN_LEN(head));

	program->n -= first;
	memmove(program->code + CDN_LEN(head),
	    program->code + CDN_LEN(head) + first,
	    (program->n - CDN_LEN(head)) * sizeof(program->code[0]));
}

static void
add_peer(struct program *program, const struct peer *peer)
{
	while (program->n + peer->n > CODE_MAX)
		forget_first(program);
	memcpy(program->code + program->n - 1, peer->code,
	    peer->n * sizeof(peer->code[0]));
	program->n += peer->n;
	program->code[program->n - 1] = last;
}

/* ----- Sockets ------------------------------------------------------------------- */

static int
attach(int fd, struct program *program)
{
	struct sock_fprog prog = { (unsigned short)program->n, program->code };

	return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &prog,
	    sizeof(prog)) == 0 ? 0 : -ENOBUFS;
}

/* 1: it is one of ours; 0: it has none, or came from outside with one. */
static int
read_back(int fd, struct program *ret)
{
	socklen_t n = CODE_MAX; /* instructions, not bytes */

	/* EINVAL: longer than ours; EACCES: not classic BPF. */
	if (getsockopt(fd, SOL_SOCKET, SO_GET_FILTER, ret->code, &n) != 0)
		return errno == EINVAL || errno == EACCES ? 0 : -errno;
	ret->n = n;
	return n > CDN_LEN(head) && memcmp(ret->code, head, sizeof(head)) == 0;
}

int
cdn_sources_begin(int fd)
{
	struct program program = { .n = CDN_LEN(head) + 1 };

	memcpy(program.code, head, sizeof(head));
	program.code[CDN_LEN(head)] = last;
	return attach(fd, &program);
}

int
cdn_sources_add(int fd, const struct cdn_address *address)
{
	CDN_UNINITIALIZED struct program program;
	struct peer peer;
	int r;

	if (address->size == 0 || (address->u.any.sa_family != AF_INET &&
		address->u.any.sa_family != AF_INET6))
		return 0;
	r = read_back(fd, &program);
	if (r <= 0)
		return r;
	peer = make_peer(address);
	if (has_peer(&program, &peer))
		return 0;
	add_peer(&program, &peer);
	r = attach(fd, &program);
	/* What a socket may use of memory is bounded (net.core.optmem_max). */
	while (r < 0 && program.n > CDN_LEN(head) + peer.n + 1) {
		forget_first(&program);
		r = attach(fd, &program);
	}
	return r;
}

int
cdn_sources_end(int fd)
{
	CDN_UNINITIALIZED struct program program;
	int none = 0, r = read_back(fd, &program);

	if (r <= 0)
		return r;
	return setsockopt(fd, SOL_SOCKET, SO_DETACH_FILTER, &none,
	    sizeof(none)) == 0 ? 0 : -errno;
}
