/*
 * connect, bind, listen: on the caller's own socket, of which we have a
 * descriptor, too.  So what he gets is what the real call would have left,
 * EINPROGRESS and all; but the other end is told our process, not his
 * (SO_PEERCRED: the user is the same), a socket bound by path is told by the
 * last name of it (getsockname, unless in a native region).
 */
#include "enforce/broker/address.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "enforce/broker/inside.h"

#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262
#endif
#ifndef SO_BINDTOIFINDEX
#define SO_BINDTOIFINDEX 62
#endif
#define OPTIONS_MAX 512	   /* bytes of a route */
#define SOON_MS	    20

/* ----- Taking it ----------------------------------------------------------------- */

void
cdn_socket_done(struct cdn_socket *socket)
{
	close(socket->fd);
}

static int
get_number(int fd, int option, int *ret)
{
	socklen_t size = sizeof(*ret);

	return getsockopt(fd, SOL_SOCKET, option, ret, &size) == 0 ? 0 :
								     -errno;
}

static bool
is_inet(const struct cdn_socket *socket)
{
	return socket->domain == AF_INET || socket->domain == AF_INET6;
}

static bool
is_known(const struct cdn_socket *socket)
{
	static const struct {
		int type, protocol;
	} inet[] = { { SOCK_STREAM, IPPROTO_TCP },
		{ SOCK_STREAM, IPPROTO_MPTCP }, { SOCK_DGRAM, IPPROTO_UDP },
		{ SOCK_DGRAM, IPPROTO_ICMP }, { SOCK_DGRAM, IPPROTO_ICMPV6 } };

	if (socket->domain == AF_UNIX)
		return true;
	if (socket->domain == AF_NETLINK)
		return socket->protocol == 0;
	if (!is_inet(socket))
		return false;
	for (size_t i = 0; i < CDN_LEN(inet); i++)
		if (inet[i].type == socket->type &&
		    inet[i].protocol == socket->protocol)
			return true;
	return false;
}

static bool
has_option(int fd, int level, int option)
{
	char data[OPTIONS_MAX];
	socklen_t size = sizeof(data);

	if (getsockopt(fd, level, option, data, &size) == 0)
		return size != 0;
	/* It has no such thing. */
	return errno != EOPNOTSUPP && errno != ENOPROTOOPT;
}

/* A source route sends it to somebody else than the address says first. */
static bool
has_route(const struct cdn_socket *socket)
{
	if (!is_inet(socket))
		return false;
	return has_option(socket->fd, IPPROTO_IP, IP_OPTIONS) ||
	    (socket->domain == AF_INET6 &&
		has_option(socket->fd, IPPROTO_IPV6, IPV6_RTHDR));
}

int
cdn_socket_take(struct cdn_call *call, int fd, struct cdn_socket *ret)
{
	int r = cdn_call_fetch(call, fd);

	if (r < 0)
		return r;
	ret->fd = r;
	ret->device = 0;
	if ((r = get_number(ret->fd, SO_DOMAIN, &ret->domain)) == 0 &&
	    (r = get_number(ret->fd, SO_TYPE, &ret->type)) == 0)
		r = get_number(ret->fd, SO_PROTOCOL, &ret->protocol);
	if (r == 0 && !is_known(ret))
		r = -EPROTONOSUPPORT;
	if (r == 0 && is_inet(ret))
		r = get_number(ret->fd, SO_BINDTOIFINDEX, &ret->device);
	if (r == 0 && has_route(ret))
		r = -EPERM;
	if (r < 0)
		cdn_socket_done(ret);
	return r;
}

/* ----- socket -------------------------------------------------------------------- */

/* Of a network that the run does not have. */
static int
refuse_network(struct cdn_call *call, int domain)
{
	struct cdn_question question = { .as = CORDON_AS_PROCESS,
		.op = CORDON_CONNECT,
		.path = domain == AF_INET6 ? CDN_STR("[::]:0") :
		    CDN_STR("0.0.0.0:0") };
	int r = cdn_call_judge_question(call, &question, EAFNOSUPPORT);

	return r < 0 ? r : -EAFNOSUPPORT;
}

/*
 * Threat:    a UDP socket that is bound to no address, or by the kernel itself
 *	      when it first sends, receives from everybody on the network.
 * Invariant: under `loopback`, and lists of loopback addresses, every UDP
 *	      socket of the run belongs to the loopback interface: nothing that
 *	      came in by another one is delivered to it.
 * Held by:   the socket is made here.  The filter refuses the options that name
 *	      an interface (filter_tests.c), and the kernel refuses to change it
 *	      without CAP_NET_RAW.  To end a connection takes the socket off
 *	      the interface: end_local() puts it back.
 */
static int
keep_local(int fd)
{
	const int device = CDN_LOOPBACK_DEVICE;

	return setsockopt(fd, SOL_SOCKET, SO_BINDTOIFINDEX, &device,
	    sizeof(device)) == 0 ? 0 : -EACCES;
}

static int
make_local(int domain, int type, int protocol)
{
	int fd = socket(domain, type | SOCK_CLOEXEC, protocol);

	if (fd < 0)
		return -errno;
	if (keep_local(fd) == 0)
		return fd;
	close(fd);
	return -EACCES;
}

/* Where the list has addresses of other machines, too: sources.c. */
static int
make_listed(int domain, int type, int protocol)
{
	int fd = socket(domain, type | SOCK_CLOEXEC, protocol), r;

	if (fd < 0)
		return -errno;
	r = cdn_sources_begin(fd);
	if (r == 0)
		return fd;
	close(fd);
	return r;
}

/*
 * Sockets of a network that the run does not have, and UDP where addresses are
 * judged.  The arguments are in registers: the caller cannot change them.
 */
void
cdn_handle_socket(struct cdn_call *call, struct cdn_call_answer *answer)
{
	const uint64_t *args = call->notif->data.args;
	int domain = (int)args[0], type = (int)args[1], r;

	if (!cdn_call_inet_is_judged(call))
		r = refuse_network(call, domain);
	else if (cdn_call_network_is_local(call))
		r = make_local(domain, type, (int)args[2]);
	else
		r = make_listed(domain, type, (int)args[2]);
	if (r < 0) {
		cdn_answer_error(answer, r);
		return;
	}
	answer->kind = CDN_ANSWER_FD;
	answer->fd = r;
	answer->cloexec = (type & SOCK_CLOEXEC) != 0;
}

/* ----- connect ------------------------------------------------------------------- */

/*
 * Without waiting.  The flag is the caller's, and so is the file description,
 * but he is in this call and it is not connected: nobody else uses it.
 */
static int
begin_connect(const struct cdn_socket *socket,
    const struct cdn_address *address)
{
	int flags = fcntl(socket->fd, F_GETFL), r;

	if (flags < 0)
		return -errno;
	if ((flags & O_NONBLOCK) == 0)
		(void)fcntl(socket->fd, F_SETFL, flags | O_NONBLOCK);
	r = connect(socket->fd, &address->u.any, address->size) == 0 ? 0 :
								       -errno;
	if ((flags & O_NONBLOCK) != 0)
		return r;
	(void)fcntl(socket->fd, F_SETFL, flags);
	return r == -EINPROGRESS || r == -EALREADY || r == -EAGAIN ? 1 : r;
}

/* Most connections take no longer than this. */
static bool
is_soon(const struct cdn_socket *socket)
{
	struct pollfd fd = { socket->fd, POLLOUT, 0 };

	return socket->domain != AF_UNIX && poll(&fd, 1, SOON_MS) == 1;
}

/* It takes as long as it takes, if he said so. */
static int
perform_connect(struct cdn_call *call, const struct cdn_socket *socket,
    const struct cdn_address *address)
{
	struct timeval limit = { 0, 0 };
	socklen_t size = sizeof(limit);
	int r = begin_connect(socket, address);

	if (r == 1 && is_soon(socket))
		r = connect(socket->fd, &address->u.any, address->size) == 0 ?
		    0 :
		    -errno;
	if (r != 1)
		return r;
	r = cdn_slow_connect(call, socket->fd, address->held, &address->u.any,
	    address->size);
	/* With a limit of time it never begins anew. */
	if (r == -CDN_ERESTARTSYS &&
	    getsockopt(socket->fd, SOL_SOCKET, SO_SNDTIMEO, &limit, &size) ==
		0 &&
	    (limit.tv_sec != 0 || limit.tv_usec != 0))
		r = -EINTR;
	return r;
}

static void
finish(struct cdn_call_answer *answer, int r)
{
	if (r < 0) {
		cdn_answer_error(answer, r);
		return;
	}
	answer->kind = CDN_ANSWER_VALUE;
	answer->value = r;
}

/*
 * Ends the connection of a UDP socket that belongs to the loopback interface.
 *
 * Threat:    the kernel takes it off the interface, and a send of another
 *	      thread at this moment binds it to every address.
 * Invariant: without the interface it has no port, so that nothing arrives.
 * Held by:   a port that the program did not choose is given up by the kernel;
 *	      every call that could get another one waits for broker->leaving.
 *	      One that it did choose is a port of a loopback address
 *	      (judge_address()), where nothing arrives from other machines.
 */
static int
end_local(struct cdn_call *call, const struct cdn_socket *socket,
    const struct cdn_address *address)
{
	int r;

	pthread_mutex_lock(&call->broker->leaving);
	r = connect(socket->fd, &address->u.any, address->size) == 0 ? 0 :
								       -errno;
	if (keep_local(socket->fd) < 0) {
		(void)shutdown(socket->fd, SHUT_RDWR);
		r = -EACCES;
	}
	pthread_mutex_unlock(&call->broker->leaving);
	return r;
}

static bool
is_udp(const struct cdn_socket *socket)
{
	return is_inet(socket) && socket->type == SOCK_DGRAM;
}

/* A connection of UDP is there at once; it may give the socket a port. */
static int
connect_udp(struct cdn_call *call, const struct cdn_socket *socket,
    const struct cdn_address *address)
{
	int r;

	if (address->u.any.sa_family == AF_UNSPEC &&
	    cdn_call_network_is_local(call))
		return end_local(call, socket, address);
	pthread_mutex_lock(&call->broker->leaving);
	r = cdn_sources_add(socket->fd, address);
	if (r == 0)
		r = connect(socket->fd, &address->u.any, address->size) == 0 ?
		    0 : -errno;
	pthread_mutex_unlock(&call->broker->leaving);
	return r;
}

static int
connect_to(struct cdn_call *call, int number, const struct cdn_socket *socket,
    struct cdn_address *address)
{
	int r;

	if (cdn_nested_is_meant(call, socket, address))
		return cdn_nested_connect(call, number);
	r = cdn_address_settle(call, socket, CDN_ADDRESS_CONNECT, address);
	if (r == 0 && is_udp(socket) && cdn_call_inet_is_judged(call))
		return connect_udp(call, socket, address);
	return r < 0 ? r : perform_connect(call, socket, address);
}

void
cdn_handle_connect(struct cdn_call *call, struct cdn_call_answer *answer)
{
	const uint64_t *args = call->notif->data.args;
	struct cdn_socket socket;
	struct cdn_address address;
	int r = cdn_socket_take(call, (int)args[0], &socket);

	if (r == 0) {
		r = cdn_address_copy(call, args[1], args[2], &address);
		if (r == 0)
			r = connect_to(call, (int)args[0], &socket, &address);
		cdn_address_done(&address);
		cdn_socket_done(&socket);
	}
	finish(answer, r);
}

/* ----- bind ---------------------------------------------------------------------- */

static int
bind_to(const struct cdn_socket *socket, const struct cdn_address *address)
{
	return bind(socket->fd, &address->u.any, address->size) == 0 ? 0 :
								       -errno;
}

static int
judge_bind(struct cdn_call *call, const char *path)
{
	struct cdn_question question = { .as = CORDON_AS_PROCESS,
		.op = CORDON_BIND, .path = cdn_str_of(path),
		.is_socket = true };

	return cdn_call_judge_question(call, &question, EACCES);
}

/*
 * It was made where we stood; is that still where it was judged?  Otherwise it
 * is judged again there, and if it may not be there it is not.
 */
static int
check_bound(struct cdn_call *call, const struct cdn_object *object)
{
	CDN_UNINITIALIZED struct cdn_object made;
	int fd = openat(object->parent, object->name,
	    O_PATH | O_NOFOLLOW | O_CLOEXEC);
	int r = 0;

	if (fd < 0)
		return 0; /* gone again */
	made.parent = -1;
	r = cdn_object_fill(call, fd, &made);
	if (r == 0 && strcmp(made.path, object->path) != 0)
		r = judge_bind(call, made.path);
	if (r < 0 && S_ISSOCK(made.mode))
		(void)unlinkat(object->parent, object->name, 0);
	cdn_object_done(&made);
	return r;
}

/*
 * By its last name in the directory that was judged, as the working directory
 * of this thread, which has one of its own: any other way to say it may not
 * fit.
 */
static int
make_name(struct cdn_call *call, const struct cdn_socket *socket,
    const struct cdn_object *object)
{
	struct cdn_address address = { .u.un.sun_family = AF_UNIX };
	size_t n = strlen(object->name);
	mode_t mask;
	int r = cdn_call_umask(call, &mask);

	if (r < 0)
		return r;
	if (n > sizeof(address.u.un.sun_path))
		return -ENAMETOOLONG;
	memcpy(address.u.un.sun_path, object->name, n);
	address.size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n);
	(void)umask(mask);
	if (fchdir(object->parent) != 0)
		return -errno;
	/* Git would take a socket for a part of a repository, too. */
	pthread_mutex_lock(&call->broker->family->naming);
	r = cdn_call_check_part(call, object->parent, object);
	if (r == 0)
		r = bind_to(socket, &address);
	if (r == 0)
		r = cdn_call_check_completed(call, object->parent, object);
	pthread_mutex_unlock(&call->broker->family->naming);
	if (fchdir(call->broker->root_fd) != 0 && r == 0)
		r = -errno;
	return r < 0 ? r : check_bound(call, object);
}

/*
 * In a native region the kernel may do it itself, and the socket keeps the
 * name he gave it.  Sound although he may change path and descriptor: a name
 * is made only where Landlock lets him, an abstract one is free, and whatever
 * the other socket is, where it is bound is not judged, and nobody who is not
 * known to be of the run will be connected to it.
 */
static bool
may_continue(struct cdn_call *call, const struct cdn_object *object)
{
	return !cdn_call_inet_is_judged(call) &&
	    cdn_call_is_native(call, object);
}

/* One that came with the run, bound by somebody else, is not its own. */
static bool
is_unbound(const struct cdn_socket *socket)
{
	struct sockaddr_un name;
	socklen_t size = sizeof(name);

	return getsockname(socket->fd, (struct sockaddr *)&name, &size) == 0 &&
	    size <= sizeof(name.sun_family);
}

/* 1: CONTINUE. */
static int
bind_path(struct cdn_call *call, const struct cdn_socket *socket,
    const char *path)
{
	CDN_UNINITIALIZED struct cdn_object object;
	int r = cdn_object_find(call, AT_FDCWD, path, CDN_OBJECT_MISSING |
		CDN_OBJECT_PARENT | CDN_OBJECT_NOFOLLOW, &object);

	if (r < 0)
		return r;
	r = judge_bind(call, object.path);
	if (r == 0 && object.fd >= 0)
		r = -EADDRINUSE;
	else if (r == 0 && path[strlen(path) - 1] == '/')
		r = -ENOENT;
	if (r == 0 && is_unbound(socket))
		cdn_own_socket_add(call, socket->fd);
	if (r == 0)
		r = may_continue(call, &object) ? 1 :
		    make_name(call, socket, &object);
	cdn_object_done(&object);
	return r;
}

/* Port 0 is not judged.  Of both families it is at the same place. */
static bool
has_port(const struct cdn_address *address)
{
	return address->u.in.sin_port != 0;
}

/*
 * Was it judged that anybody sends there?  A loopback address needs no more than
 * sources.c lets in, also where other machines can reach it (route_localnet).
 */
static bool
is_open_port(const struct cdn_address *address)
{
	bool local = address->u.any.sa_family == AF_INET6 ?
	    IN6_IS_ADDR_LOOPBACK(&address->u.in6.sin6_addr) :
	    ntohl(address->u.in.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;

	return has_port(address) && !local;
}

static int
do_bind(struct cdn_call *call, const struct cdn_socket *socket,
    struct cdn_address *address)
{
	char path[sizeof(struct sockaddr_un)];
	int r = cdn_address_settle(call, socket, CDN_ADDRESS_BIND, address);

	if (r == 0 && socket->domain == AF_UNIX &&
	    cdn_address_path(address, path))
		return bind_path(call, socket, path);
	if (r < 0)
		return r;
	pthread_mutex_lock(&call->broker->leaving);
	r = bind_to(socket, address);
	if (r == 0 && is_udp(socket) && is_open_port(address))
		r = cdn_sources_end(socket->fd);
	pthread_mutex_unlock(&call->broker->leaving);
	return r;
}

void
cdn_handle_bind(struct cdn_call *call, struct cdn_call_answer *answer)
{
	const uint64_t *args = call->notif->data.args;
	struct cdn_socket socket;
	struct cdn_address address;
	int r = cdn_socket_take(call, (int)args[0], &socket);

	if (r == 0) {
		r = cdn_address_copy(call, args[1], args[2], &address);
		if (r == 0)
			r = do_bind(call, &socket, &address);
		cdn_address_done(&address);
		cdn_socket_done(&socket);
	}
	if (r == 1)
		answer->kind = CDN_ANSWER_CONTINUE;
	else
		finish(answer, r);
}

/* ----- listen -------------------------------------------------------------------- */

/* Where it is bound; size 0: nowhere. */
static int
where_bound(const struct cdn_socket *socket, struct cdn_address *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->held = -1;
	ret->size = sizeof(ret->u);
	if (getsockname(socket->fd, &ret->u.any, &ret->size) != 0)
		return -errno;
	if (!has_port(ret))
		ret->size = 0;
	return 0;
}

/* Which port it will be, must be known before anybody can connect to it. */
static int
judge_listen(struct cdn_call *call, const struct cdn_socket *socket)
{
	struct cdn_address address;
	int r = where_bound(socket, &address);

	if (r == 0 && address.size == 0) {
		struct cdn_address any = { .u.any.sa_family =
			(sa_family_t)socket->domain };

		any.size = socket->domain == AF_INET ? sizeof(any.u.in) :
						       sizeof(any.u.in6);
		r = bind_to(socket, &any);
		if (r == 0 || r == -EINVAL)
			r = where_bound(socket, &address);
		if (r == 0 && address.size == 0)
			r = -EACCES;
	}
	return r < 0 ? r : cdn_address_settle(call, socket,
	    CDN_ADDRESS_LISTEN, &address);
}

/* And once more when it has happened: another thread may have bound it. */
static int
do_listen(struct cdn_call *call, const struct cdn_socket *socket, int backlog)
{
	bool judged = socket->type == SOCK_STREAM && is_inet(socket);
	int r = judged ? judge_listen(call, socket) : 0;

	if (r < 0)
		return r;
	if (listen(socket->fd, backlog) != 0)
		return -errno;
	if (judged && judge_listen(call, socket) < 0) {
		(void)shutdown(socket->fd, SHUT_RDWR);
		return -EACCES;
	}
	return 0;
}

void
cdn_handle_listen(struct cdn_call *call, struct cdn_call_answer *answer)
{
	const uint64_t *args = call->notif->data.args;
	struct cdn_socket socket;
	int r = cdn_socket_take(call, (int)args[0], &socket);

	if (r == 0) {
		r = do_listen(call, &socket, (int)args[1]);
		cdn_socket_done(&socket);
	}
	finish(answer, r);
}
