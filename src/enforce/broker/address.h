/*
 * address - of a socket, from the caller's words to what is handed to the
 * kernel.
 *
 * What is handed over is made anew from what was judged, so that the kernel
 * cannot read anything else into it:
 *
 *	0.0.0.0, ::	to send to: loopback, judged as that and sent there;
 *			to bind to: every address, itself and loopback judged,
 *			for :: those of IPv4 as well
 *	port 0		to bind to: any port, which is what the kernel does by
 *			itself when it connects or sends.  Not judged; to
 *			listen there is, and a UDP socket receives answers
 *			only (sources.c)
 *	a unix path	resolved as any object; /proc/self/fd/N of ours
 *	AF_UNSPEC	ends a connection; elsewhere what the kernel takes it
 *			for, which for datagrams is AF_INET
 *	abstract names	are bound, never connected to: Landlock's scope, which
 *			would tell ours from others', holds the caller and not
 *			us, and who has a name now may lose it
 *	a flow label	is dropped: it may stand for a route of its own
 *	an interface	is never said beside an address: what is sent to
 *			127.0.0.1 would go out of it.  Only addresses that mean
 *			nothing without one (fe80::/10) go where it is bound
 */
#ifndef CDN_BROKER_ADDRESS_H
#define CDN_BROKER_ADDRESS_H

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "enforce/broker/call.h"

/* ----- Sockets (sockets.c) ------------------------------------------------------ */

/* The caller's own: the same open file description. */
struct cdn_socket {
	int fd;
	int domain, type, protocol;
	int device; /* the interface that it is bound to, or 0 */
};

#define CDN_LOOPBACK_DEVICE 1 /* in every network namespace */

/* Whether what is sent out of this interface stays here; 0: no one is named. */
static inline bool
cdn_device_is_here(int device)
{
	return device == 0 || device == CDN_LOOPBACK_DEVICE;
}

/*
 * 0 or -errno.  Other families, types and protocols than the filter lets him
 * make are refused, and so are routes given by options.
 */
CDN_MUST_USE int cdn_socket_take(struct cdn_call *call, int fd,
    struct cdn_socket *ret);
void cdn_socket_done(struct cdn_socket *socket);

/* ----- Runs inside (nested.c) --------------------------------------------------- */

struct cdn_address;
/* Is it CDN_BROKER_NESTED, and are there any? */
bool cdn_nested_is_meant(const struct cdn_call *call,
    const struct cdn_socket *socket, const struct cdn_address *address);
/* place: his number of the socket.  0 or -errno. */
CDN_MUST_USE int cdn_nested_connect(struct cdn_call *call, int place);

/* ----- Addresses (address.c) ---------------------------------------------------- */

enum cdn_address_use {
	CDN_ADDRESS_CONNECT,
	CDN_ADDRESS_SEND,
	CDN_ADDRESS_BIND,
	CDN_ADDRESS_LISTEN, /* on what it is bound to */
};

struct cdn_address {
	union {
		struct sockaddr any;
		struct sockaddr_in in;
		struct sockaddr_in6 in6;
		struct sockaddr_un un;
		struct sockaddr_storage room;
	} u;
	socklen_t size; /* 0: none */
	int held;	/* the object that it names, or -1 */
};

/* Once; -EINVAL for a size the kernel would not take. */
CDN_MUST_USE int cdn_address_copy(const struct cdn_call *call, uint64_t from,
    uint64_t size, struct cdn_address *ret);

/*
 * Judges and becomes what is to be performed.  A path to bind to is not for
 * this one.
 */
CDN_MUST_USE int cdn_address_settle(struct cdn_call *call,
    const struct cdn_socket *socket, enum cdn_address_use use,
    struct cdn_address *address);
void cdn_address_done(struct cdn_address *address);

/* ----- From where a UDP socket receives (sources.c) ----------------------------- */

/*
 * Holders of broker->leaving only, but for a socket that the run does not have
 * yet.  0 or -errno.
 */

/* From this machine only, until more is said. */
CDN_MUST_USE int cdn_sources_begin(int fd);
/* From there, too: before anything is sent to it.  Where begin() was called. */
CDN_MUST_USE int cdn_sources_add(int fd, const struct cdn_address *address);
/* From anywhere: it is bound as it was judged. */
CDN_MUST_USE int cdn_sources_end(int fd);

/* The path of a unix address: false if it is abstract or there is none. */
bool cdn_address_path(const struct cdn_address *address,
    char path[sizeof(struct sockaddr_un)]);

#endif
