/*
 * Addresses: who may be reached, and by what words the kernel is told.
 */
#include "enforce/broker/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "enforce/broker/inside.h"
#include "engine/match/endpoint.h"

#define V6_SIZE_MIN 24 /* without a scope: RFC 2133 */

static bool
is(const struct cdn_address *address, int family)
{
	return address->u.any.sa_family == family;
}

static bool
names_peer(enum cdn_address_use use)
{
	return use == CDN_ADDRESS_CONNECT || use == CDN_ADDRESS_SEND;
}

int
cdn_address_copy(const struct cdn_call *call, uint64_t from, uint64_t size,
    struct cdn_address *ret)
{
	int n = (int)size;

	memset(ret, 0, sizeof(*ret));
	ret->held = -1;
	if (n < 0 || (size_t)n > sizeof(ret->u.room))
		return -EINVAL;
	ret->size = (socklen_t)n;
	return cdn_call_copy(call, from, &ret->u, (size_t)n);
}

void
cdn_address_done(struct cdn_address *address)
{
	if (address->held >= 0)
		close(address->held);
	address->held = -1;
}

/* ----- Endpoints ----------------------------------------------------------------- */

static int
judge_endpoint(struct cdn_call *call, enum cordon_op op, const char *host,
    unsigned port)
{
	char text[INET6_ADDRSTRLEN + 16], normal[CDN_ENDPOINT_MAX];
	struct cdn_question question = { .as = CORDON_AS_PROCESS, .op = op };
	size_t n;

	snprintf(text, sizeof(text), strchr(host, ':') != NULL ?
	    "[%s]:%u" : "%s:%u", host, port);
	if (cdn_endpoint_normalize(cdn_str_of(text), CDN_ENDPOINT_QUESTION,
		normal, sizeof(normal), &n, NULL) != 0)
		return -EACCES;
	question.path = (cdn_str){ normal, n };
	return cdn_call_judge_question(call, &question, EACCES);
}

/* To bind to all addresses is to bind to each. */
static int
judge_everywhere(struct cdn_call *call, bool six, unsigned port)
{
	static const char *const hosts[] = { "0.0.0.0", "127.0.0.1", "::",
		"::1" };
	int r = 0;

	for (size_t i = 0; r == 0 && i < (six ? 4 : 2); i++)
		r = judge_endpoint(call, CORDON_BIND, hosts[i], port);
	return r;
}

static int
judge_address(struct cdn_call *call, enum cdn_address_use use,
    const struct cdn_address *address)
{
	bool six = is(address, AF_INET6);
	const struct in6_addr *in6 = &address->u.in6.sin6_addr;
	unsigned port = ntohs(six ? address->u.in6.sin6_port :
	    address->u.in.sin_port);
	bool mapped = six && IN6_IS_ADDR_V4MAPPED(in6);
	bool everywhere = six ? IN6_IS_ADDR_UNSPECIFIED(in6) ||
	    (mapped && in6->s6_addr32[3] == 0) :
	    address->u.in.sin_addr.s_addr == 0;
	char host[INET6_ADDRSTRLEN];

	if (use == CDN_ADDRESS_BIND && port == 0)
		return 0;
	if (everywhere) /* of those that bind: settle_*() */
		return judge_everywhere(call, six && !mapped, port);
	if (inet_ntop(six ? AF_INET6 : AF_INET, six ? (const void *)in6 :
		(const void *)&address->u.in.sin_addr, host,
		sizeof(host)) == NULL)
		return -EACCES;
	return judge_endpoint(call, names_peer(use) ? CORDON_CONNECT :
						      CORDON_BIND, host, port);
}

static int
settle_v4(struct cdn_call *call, enum cdn_address_use use,
    struct cdn_address *address)
{
	struct sockaddr_in in = { .sin_family = AF_INET,
		.sin_port = address->u.in.sin_port,
		.sin_addr = address->u.in.sin_addr };

	if (address->size < sizeof(in))
		return -EINVAL;
	if (names_peer(use) && in.sin_addr.s_addr == 0)
		in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	address->u.in = in;
	address->size = sizeof(in);
	return judge_address(call, use, address);
}

static int
settle_v6(struct cdn_call *call, enum cdn_address_use use,
    struct cdn_address *address)
{
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6,
		.sin6_port = address->u.in6.sin6_port,
		.sin6_addr = address->u.in6.sin6_addr };

	if (address->size < V6_SIZE_MIN)
		return -EINVAL;
	if (address->size >= sizeof(in6))
		in6.sin6_scope_id = address->u.in6.sin6_scope_id;
	if (names_peer(use) && IN6_IS_ADDR_UNSPECIFIED(&in6.sin6_addr))
		in6.sin6_addr = in6addr_loopback;
	if (names_peer(use) && IN6_IS_ADDR_V4MAPPED(&in6.sin6_addr) &&
	    in6.sin6_addr.s6_addr32[3] == 0)
		in6.sin6_addr.s6_addr32[3] = htonl(INADDR_LOOPBACK);
	address->u.in6 = in6;
	address->size = sizeof(in6);
	return judge_address(call, use, address);
}

/* What each of them takes an address without a family for. */
static int
settle_unspecified(struct cdn_call *call, int domain,
    enum cdn_address_use use, struct cdn_address *address)
{
	if (use == CDN_ADDRESS_CONNECT) {
		memset(&address->u, 0, sizeof(address->u));
		address->size = sizeof(struct sockaddr_in);
		return 0;
	}
	if (domain == AF_INET6 && use == CDN_ADDRESS_SEND) {
		address->size = 0;
		return 0;
	}
	if (domain == AF_INET && (use == CDN_ADDRESS_SEND ||
		(address->size >= sizeof(struct sockaddr_in) &&
		    address->u.in.sin_addr.s_addr == 0)))
		return settle_v4(call, use, address);
	return -EAFNOSUPPORT;
}

static bool
needs_device(const struct cdn_address *address)
{
	const struct in6_addr *in6 = &address->u.in6.sin6_addr;

	return is(address, AF_INET6) && (IN6_IS_ADDR_LINKLOCAL(in6) ||
	    IN6_IS_ADDR_MC_LINKLOCAL(in6) || IN6_IS_ADDR_MC_NODELOCAL(in6));
}

/*
 * Bound to an interface, a socket sends everything out of it.  A bind to an
 * address of one binds to it, too, and while we judge another call on the same
 * socket nobody may do that.
 */
static bool
goes_astray(struct cdn_call *call, const struct cdn_socket *socket,
    enum cdn_address_use use, const struct cdn_address *address)
{
	bool ends = use == CDN_ADDRESS_CONNECT && is(address, AF_UNSPEC);

	if (!cdn_call_inet_is_judged(call))
		return false;
	if (!names_peer(use))
		return needs_device(address);
	return !cdn_device_is_here(socket->device) && !ends &&
	    !needs_device(address);
}

static int
settle_inet(struct cdn_call *call, const struct cdn_socket *socket,
    enum cdn_address_use use, struct cdn_address *address)
{
	int domain = socket->domain;

	if (address->size < sizeof(sa_family_t))
		return -EINVAL;
	if (goes_astray(call, socket, use, address))
		return -EPERM;
	if (is(address, AF_UNSPEC))
		return settle_unspecified(call, domain, use, address);
	if (is(address, AF_INET))
		return settle_v4(call, use, address);
	if (is(address, AF_INET6) && domain == AF_INET6)
		return settle_v6(call, use, address);
	return -EAFNOSUPPORT;
}

/* ----- Names in the file system -------------------------------------------------- */

bool
cdn_address_path(const struct cdn_address *address,
    char path[sizeof(struct sockaddr_un)])
{
	size_t n = address->size > offsetof(struct sockaddr_un, sun_path) ?
	    address->size - offsetof(struct sockaddr_un, sun_path) : 0;

	if (n == 0 || n > sizeof(address->u.un.sun_path) ||
	    address->u.un.sun_path[0] == '\0')
		return false;
	/* It may fill the room and have no end. */
	memcpy(path, address->u.un.sun_path, n);
	path[n] = '\0';
	return true;
}

static int
judge_socket(struct cdn_call *call, const struct cdn_object *object)
{
	struct cdn_question question = { .as = CORDON_AS_PROCESS,
		.op = CORDON_CONNECT, .path = cdn_str_of(object->path),
		.is_socket = true };
	enum cdn_listener listener = CDN_LISTENER_NOBODY;
	int r;

	if (object->unnamed)
		return -ECONNREFUSED;
	if (S_ISSOCK(object->mode) && !object->on_proc)
		listener = cdn_listener_of(call, object);
	question.is_own = listener != CDN_LISTENER_OTHER;
	r = cdn_call_judge_question(call, &question, EACCES);
	/* Who comes now was not judged. */
	return r == 0 && listener == CDN_LISTENER_NOBODY ? -ECONNREFUSED : r;
}

/* Told by the descriptor that was judged: nobody can put another one there. */
static int
settle_path(struct cdn_call *call, const char *path,
    struct cdn_address *address)
{
	CDN_UNINITIALIZED struct cdn_object object;
	int r = cdn_object_find(call, AT_FDCWD, path, 0, &object);

	if (r < 0)
		return r;
	r = judge_socket(call, &object);
	if (r == 0) {
		address->held = object.fd;
		object.fd = -1;
		memset(&address->u, 0, sizeof(address->u));
		address->u.un.sun_family = AF_UNIX;
		snprintf(address->u.un.sun_path,
		    sizeof(address->u.un.sun_path), "/proc/self/fd/%d",
		    address->held);
		address->size = sizeof(address->u.un);
	}
	cdn_object_done(&object);
	return r;
}

static int
refuse_abstract(struct cdn_call *call)
{
	CDN_UNINITIALIZED struct cdn_object object;

	snprintf(object.path, sizeof(object.path), "an abstract socket");
	return cdn_call_refuse(call, CORDON_CONNECT, &object,
	    "<abstract sockets>", EPERM);
}

static int
settle_unix(struct cdn_call *call, enum cdn_address_use use,
    struct cdn_address *address)
{
	char path[sizeof(struct sockaddr_un)];

	if (address->size < sizeof(sa_family_t) ||
	    address->size > sizeof(struct sockaddr_un) ||
	    !is(address, AF_UNIX))
		return -EINVAL;
	if (!names_peer(use))
		return 0;
	if (address->size == sizeof(sa_family_t))
		return -EINVAL;
	if (cdn_address_path(address, path))
		return settle_path(call, path, address);
	return refuse_abstract(call);
}

/* ----- All of them --------------------------------------------------------------- */

/* The kernel answers the list of interfaces, and nobody else is asked. */
static int
settle_netlink(enum cdn_address_use use, const struct cdn_address *address)
{
	const struct sockaddr_nl *nl = (const void *)&address->u.room;

	if (address->size < sizeof(*nl))
		return -EINVAL;
	return names_peer(use) && (nl->nl_pid != 0 || nl->nl_groups != 0) ?
	    -EPERM : 0;
}

int
cdn_address_settle(struct cdn_call *call, const struct cdn_socket *socket,
    enum cdn_address_use use, struct cdn_address *address)
{
	switch (socket->domain) {
	case AF_UNIX:
		return settle_unix(call, use, address);
	case AF_NETLINK:
		return settle_netlink(use, address);
	case AF_INET:
	case AF_INET6:
		return settle_inet(call, socket, use, address);
	default:
		return -EAFNOSUPPORT;
	}
}
