/*
 * sendto, sendmsg, sendmmsg: the data is copied and sent by us, to an address
 * that was judged.  Where any datagram can be sent, every message comes this
 * way, also those of streams: which socket it is may change while we look.
 * Where it cannot, the kernel sends it itself (may_continue()).
 *
 * A message that keeps its bounds has a largest size; a stream is copied piece
 * by piece.  We never wait in the kernel: then we could not end.
 */
#include "enforce/broker/address.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/udp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "enforce/broker/inside.h"

#define PIECE	    65536U /* of a stream */
#define VECTORS_MAX 1024U  /* UIO_MAXIOV */
#define TOTAL_MAX   0x7ffff000U
#define CONTROL_MAX 2048U
#define FILES_MAX   253U /* SCM_MAX_FD */
#define LOOK_MS	    500	 /* whether he is still there */

#define KNOWN_FLAGS                                                    \
	(MSG_OOB | MSG_DONTROUTE | MSG_PROXY | MSG_DONTWAIT | MSG_EOR | \
	    MSG_CONFIRM | MSG_NOSIGNAL | MSG_MORE)

/*
 * As the kernel reads them.  A libc may have other types in the same places,
 * and then would not see what the kernel sees.
 */
struct header {
	uint64_t name;
	int32_t name_size;
	uint64_t vectors;
	uint64_t vector_count;
	uint64_t control;
	uint64_t control_size;
	uint32_t flags;
};

struct many {
	struct header header;
	uint32_t sent;
};

struct control {
	uint64_t size; /* with this head */
	int32_t level;
	int32_t type;
	unsigned char data[];
};

#define CONTROL_ALIGN(n) (((n) + 7U) & ~(size_t)7U)

_Static_assert(sizeof(struct header) == 56 && sizeof(struct many) == 64 &&
	sizeof(struct control) == 16, "the kernel's, of 64 bits");

struct message {
	const struct cdn_socket *socket;
	int flags;
	struct cdn_address address; /* size 0: none */
	size_t total;
	size_t vector_count;
	struct iovec vectors[VECTORS_MAX]; /* of his memory */
	size_t control_size;
	_Alignas(struct control) char control[CONTROL_MAX];
	size_t file_count;
	int files[FILES_MAX]; /* ours, in control */
	char *data;
	size_t room; /* of data */
};

/* ----- What to send -------------------------------------------------------------- */

static bool
is_stream(const struct message *message)
{
	return message->socket->type == SOCK_STREAM;
}

static int
add_up(struct message *message)
{
	message->total = 0;
	for (size_t i = 0; i < message->vector_count; i++) {
		size_t n = message->vectors[i].iov_len;

		if (n > SSIZE_MAX)
			return -EINVAL;
		if (n > TOTAL_MAX - message->total)
			n = TOTAL_MAX - message->total;
		message->vectors[i].iov_len = n;
		message->total += n;
	}
	if (!is_stream(message) && message->total > CDN_BROKER_MESSAGE_MAX)
		return -EMSGSIZE;
	message->room = is_stream(message) && message->total > PIECE ?
	    PIECE : message->total;
	message->data = malloc(message->room + 1);
	return message->data == NULL ? -ENOBUFS : 0;
}

/* n bytes of it from `at` on. */
static int
gather(struct cdn_call *call, const struct message *message, size_t at,
    size_t n)
{
	size_t have = 0;

	for (size_t i = 0; i < message->vector_count && have < n; i++) {
		const struct iovec *v = &message->vectors[i];
		size_t part;
		int r;

		if (at >= v->iov_len) {
			at -= v->iov_len;
			continue;
		}
		part = v->iov_len - at < n - have ? v->iov_len - at : n - have;
		r = cdn_call_copy(call, (uint64_t)(uintptr_t)v->iov_base + at,
		    message->data + have, part);
		if (r < 0)
			return r;
		have += part;
		at = 0;
	}
	return 0;
}

/* ----- What goes with it --------------------------------------------------------- */

/* Of both kinds the rest is an address to send from. */
static bool
names_device(const struct control *c)
{
	size_t n = c->size - sizeof(*c);
	struct in_pktinfo four;
	struct in6_pktinfo six;

	if (c->level == IPPROTO_IP && c->type == IP_PKTINFO &&
	    n >= sizeof(four)) {
		memcpy(&four, c->data, sizeof(four));
		return !cdn_device_is_here(four.ipi_ifindex);
	}
	if (c->level == IPPROTO_IPV6 && c->type == IPV6_PKTINFO &&
	    n >= sizeof(six)) {
		memcpy(&six, c->data, sizeof(six));
		return !cdn_device_is_here((int)six.ipi6_ifindex);
	}
	return false; /* too short: the kernel refuses it */
}

/* Nothing of these says where it goes, but for an interface. */
static bool
is_harmless(const struct cdn_socket *socket, const struct control *c)
{
	static const struct {
		int domain, level, type;
	} known[] = { { AF_UNIX, SOL_SOCKET, SCM_RIGHTS },
		{ AF_INET, IPPROTO_IP, IP_TOS },
		{ AF_INET, IPPROTO_IP, IP_TTL },
		{ AF_INET, IPPROTO_IP, IP_PKTINFO },
		{ AF_INET, IPPROTO_UDP, UDP_SEGMENT },
		{ AF_INET6, IPPROTO_IP, IP_TOS },
		{ AF_INET6, IPPROTO_IPV6, IPV6_TCLASS },
		{ AF_INET6, IPPROTO_IPV6, IPV6_HOPLIMIT },
		{ AF_INET6, IPPROTO_IPV6, IPV6_PKTINFO },
		{ AF_INET6, IPPROTO_UDP, UDP_SEGMENT } };

	for (size_t i = 0; i < CDN_LEN(known); i++)
		if (known[i].domain == socket->domain &&
		    known[i].level == c->level &&
		    known[i].type == c->type)
			return true;
	return false;
}

/* His descriptors become ours, of the same files. */
static int
take_files(struct cdn_call *call, struct message *message, struct control *c)
{
	size_t n = (c->size - sizeof(*c)) / sizeof(int);

	if (n > FILES_MAX - message->file_count)
		return -EINVAL;
	for (size_t i = 0; i < n; i++) {
		unsigned char *at = c->data + i * sizeof(int);
		int fd;

		memcpy(&fd, at, sizeof(fd));
		fd = cdn_call_fetch(call, fd);
		if (fd < 0)
			return fd;
		message->files[message->file_count++] = fd;
		memcpy(at, &fd, sizeof(fd));
	}
	return 0;
}

static int
take_control(struct cdn_call *call, struct message *message, uint64_t from,
    size_t size)
{
	size_t at = 0;
	int r;

	if (size > sizeof(message->control))
		return -ENOBUFS;
	r = cdn_call_copy(call, from, message->control, size);
	message->control_size = size;
	while (r == 0 && size - at >= sizeof(struct control)) {
		struct control *c = (void *)(message->control + at);

		if (c->size < sizeof(*c) || c->size > size - at)
			return -EINVAL;
		if (!is_harmless(message->socket, c) || names_device(c))
			return -EPERM;
		if (message->socket->domain == AF_UNIX)
			r = take_files(call, message, c);
		at += CONTROL_ALIGN(c->size);
		if (at > size)
			break;
	}
	return r;
}

/* ----- Where to ------------------------------------------------------------------ */

static bool
is_connected(int fd)
{
	struct cdn_address peer;
	socklen_t size = sizeof(peer.u);

	return getpeername(fd, &peer.u.any, &size) == 0;
}

static int
take_address(struct cdn_call *call, struct message *message, uint64_t from,
    uint64_t size)
{
	const struct cdn_socket *socket = message->socket;
	int r = cdn_address_copy(call, from, size, &message->address);

	if (r < 0)
		return r;
	if (socket->domain == AF_UNIX && socket->type == SOCK_STREAM)
		return message->address.size == 0 ? 0 :
		    is_connected(socket->fd) ? -EISCONN : -EOPNOTSUPP;
	if (socket->type == SOCK_STREAM || socket->type == SOCK_SEQPACKET) {
		message->address.size = 0; /* the kernel does not look at it */
		return 0;
	}
	return cdn_address_settle(call, socket, CDN_ADDRESS_SEND,
	    &message->address);
}

/* ----- Sending ------------------------------------------------------------------- */

static bool
may_wait(const struct message *message)
{
	return (message->flags & MSG_DONTWAIT) == 0 &&
	    (fcntl(message->socket->fd, F_GETFL) & O_NONBLOCK) == 0;
}

/* Milliseconds; 0: no end. */
static int64_t
patience(int fd)
{
	struct timeval tv = { 0, 0 };
	socklen_t size = sizeof(tv);

	(void)getsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &tv, &size);
	return (int64_t)tv.tv_sec * 1000 + (tv.tv_usec + 999) / 1000;
}

/* Until there is room, he is gone, all is over, or it has lasted too long. */
static int
wait_room(struct cdn_call *call, int fd)
{
	struct pollfd fds[2] = { { fd, POLLOUT, 0 },
		{ call->broker->stop_fd, POLLIN, 0 } };
	int64_t left = patience(fd);
	bool ends = left > 0;
	int r = cdn_slow_begin(call);

	if (r < 0)
		return -ENOBUFS;
	while (r == 0) {
		int ms = ends && left < LOOK_MS ? (int)left : LOOK_MS;
		int n = poll(fds, 2, ms);

		if (n > 0)
			r = fds[1].revents != 0 ? -ENOSYS : 1;
		else if (!cdn_call_waits(call))
			r = -ESRCH;
		else if (ends && (left -= ms) <= 0)
			r = -EAGAIN;
	}
	cdn_slow_end(call);
	return r < 0 ? r : 0;
}

static ssize_t
send_piece(struct cdn_call *call, struct message *message, size_t size)
{
	struct iovec v = { message->data, size };
	struct header h = { .vectors = (uintptr_t)&v, .vector_count = 1 };

	if (message->address.size > 0) {
		h.name = (uintptr_t)&message->address.u;
		h.name_size = (int32_t)message->address.size;
	}
	if (message->control_size > 0) {
		h.control = (uintptr_t)message->control;
		h.control_size = message->control_size;
	}
	for (;;) {
		ssize_t n;
		int r;

		/* It may give the socket a port: end_local(). */
		if (!is_stream(message))
			pthread_mutex_lock(&call->broker->leaving);
		n = cdn_sources_add(message->socket->fd, &message->address);
		if (n == 0)
			n = cdn_raw(SYS_sendmsg, message->socket->fd, &h,
			    MSG_NOSIGNAL | MSG_DONTWAIT |
				(message->flags & KNOWN_FLAGS));
		if (!is_stream(message))
			pthread_mutex_unlock(&call->broker->leaving);
		if (n != -EAGAIN || !may_wait(message))
			return n;
		r = wait_room(call, message->socket->fd);
		if (r < 0)
			return r;
	}
}

/* A stream takes all of it, unless he does not want to wait. */
static ssize_t
send_all(struct cdn_call *call, struct message *message)
{
	size_t done = 0;

	do {
		size_t n = message->total - done < message->room ?
		    message->total - done : message->room;
		ssize_t r = gather(call, message, done, n);

		if (r == 0)
			r = send_piece(call, message, n);
		if (r < 0)
			return done > 0 ? (ssize_t)done : r;
		done += (size_t)r;
		message->control_size = 0; /* it went with the first */
	} while (done < message->total && is_stream(message));
	return (ssize_t)done;
}

/* As the kernel would: to the thread, and he sees it when he goes on. */
static void
tell_broken(struct cdn_call *call, const struct message *message)
{
	if ((message->flags & MSG_NOSIGNAL) == 0 && is_stream(message) &&
	    cdn_call_tgid(call) == 0 && cdn_call_waits(call))
		(void)cdn_raw(SYS_tgkill, call->tgid, call->tid, SIGPIPE);
}

static ssize_t
finish_message(struct cdn_call *call, struct message *message, int r)
{
	ssize_t n = r;

	if (r == 0)
		n = add_up(message);
	if (n == 0)
		n = send_all(call, message);
	if (n == -EPIPE)
		tell_broken(call, message);
	for (size_t i = 0; i < message->file_count; i++)
		close(message->files[i]);
	cdn_address_done(&message->address);
	free(message->data);
	free(message);
	return n;
}

/* ----- The calls ----------------------------------------------------------------- */

static struct message *
new_message(const struct cdn_socket *socket, int flags)
{
	struct message *message = malloc(sizeof(*message));

	if (message == NULL)
		return NULL;
	message->socket = socket;
	message->flags = flags;
	message->address.size = 0;
	message->address.held = -1;
	message->vector_count = message->control_size = 0;
	message->file_count = 0;
	message->data = NULL;
	return message;
}

/*
 * The memory is ours and is needed no longer when we return: no zero copy, and
 * whoever asks for it knows what to do then.
 */
static int
check_flags(int flags)
{
	if ((flags & MSG_FASTOPEN) != 0)
		return -EOPNOTSUPP;
	return (flags & MSG_ZEROCOPY) != 0 ? -ENOBUFS : 0;
}

static ssize_t
send_header(struct cdn_call *call, const struct cdn_socket *socket,
    uint64_t from, int flags)
{
	struct message *message = new_message(socket, flags);
	struct header h;
	int r;

	if (message == NULL)
		return -ENOBUFS;
	r = cdn_call_copy(call, from, &h, sizeof(h));
	if (r == 0 && h.name_size < 0)
		r = -EINVAL;
	if (r == 0 && h.vector_count > VECTORS_MAX)
		r = -EMSGSIZE;
	if (r == 0 && h.name != 0 && h.name_size > 0)
		r = take_address(call, message, h.name,
		    (size_t)h.name_size > sizeof(message->address.u) ?
			sizeof(message->address.u) : (size_t)h.name_size);
	if (r == 0 && h.control != 0 && h.control_size > 0)
		r = take_control(call, message, h.control, h.control_size);
	if (r == 0) {
		message->vector_count = h.vector_count;
		r = cdn_call_copy(call, h.vectors, message->vectors,
		    h.vector_count * sizeof(struct iovec));
	}
	return finish_message(call, message, r);
}

static ssize_t
send_plain(struct cdn_call *call, const struct cdn_socket *socket)
{
	const uint64_t *args = call->notif->data.args;
	struct message *message = new_message(socket, (int)args[3]);

	if (message == NULL)
		return -ENOBUFS;
	memcpy(&message->vectors[0].iov_base, &args[1], sizeof(void *));
	message->vectors[0].iov_len = args[2] > TOTAL_MAX ? TOTAL_MAX : args[2];
	message->vector_count = 1;
	return finish_message(call, message,
	    args[4] == 0 ? 0 : take_address(call, message, args[4], args[5]));
}

/* As many as go; the error of the first is the answer, of others not. */
static ssize_t
send_many(struct cdn_call *call, const struct cdn_socket *socket)
{
	const uint64_t *args = call->notif->data.args;
	unsigned count = (unsigned)args[2], i;
	ssize_t r = 0;

	if (count > VECTORS_MAX)
		count = VECTORS_MAX;
	for (i = 0; i < count; i++) {
		uint64_t at = args[1] + i * sizeof(struct many);
		unsigned size;

		r = send_header(call, socket, at, (int)args[3]);
		if (r < 0)
			break;
		size = (unsigned)r;
		r = cdn_call_put(call, at + offsetof(struct many, sent),
		    &size, sizeof(size));
		if (r < 0)
			break;
	}
	return i > 0 ? (ssize_t)i : r;
}

/* The kernel refuses an address for these, or does not look at it. */
static bool
is_connection(const struct cdn_socket *socket)
{
	return socket->domain == AF_UNIX && (socket->type == SOCK_STREAM ||
	    socket->type == SOCK_SEQPACKET);
}

/*
 * May the kernel send it?  Then whoever receives it learns the caller's own
 * process, user and group (SCM_CREDENTIALS), and not ours.
 *
 * Threat:    the fd becomes a UDP socket before the kernel looks it up, and
 *	      the message goes to an address that was not judged.
 * Invariant: from before we look at the fd until the call ends, nothing but
 *	      the caller can change its file descriptor table, and the caller
 *	      waits in this call.  What it points to may change and decides
 *	      nothing: the socket is connected, its type takes no address.
 * Held by:   the caller is the only thread of its process.  Another process
 *	      has the same table only by clone(CLONE_FILES), which is trapped
 *	      where sends are (CDN_KIND_SHARE): cdn_handle_clone() sets
 *	      tables_shared before it lets that happen.  clone3() and
 *	      io_uring do not exist here, exec() unshares the table, the
 *	      broker's is the only listener, and a tracer can change registers
 *	      only before the filter sees them.  Tests: live/broker/swaps.c.
 */
static bool
may_continue(struct cdn_call *call, const struct cdn_socket *seen)
{
	struct cdn_socket socket;
	bool is;

	if (!is_connection(seen) ||
	    __atomic_load_n(&call->broker->tables_shared, __ATOMIC_ACQUIRE) ||
	    !cdn_call_is_single(call))
		return false;
	/* What was seen before may have been put there by another thread,
	 * which has ended meanwhile. */
	if (cdn_socket_take(call, (int)call->notif->data.args[0], &socket) < 0)
		return false;
	is = is_connection(&socket);
	cdn_socket_done(&socket);
	return is;
}

static void
handle(struct cdn_call *call, struct cdn_call_answer *answer, int flags,
    ssize_t (*send)(struct cdn_call *call, const struct cdn_socket *socket))
{
	struct cdn_socket socket;
	ssize_t r = cdn_socket_take(call, (int)call->notif->data.args[0],
	    &socket);

	if (r == 0 && may_continue(call, &socket)) {
		cdn_socket_done(&socket);
		answer->kind = CDN_ANSWER_CONTINUE;
		return;
	}
	if (r == 0) {
		r = check_flags(flags);
		if (r == 0)
			r = send(call, &socket);
		cdn_socket_done(&socket);
	}
	answer->value = r;
	answer->kind = CDN_ANSWER_VALUE;
	if (r < 0)
		cdn_answer_error(answer, (int)r);
}

static ssize_t
send_one(struct cdn_call *call, const struct cdn_socket *socket)
{
	const uint64_t *args = call->notif->data.args;

	return send_header(call, socket, args[1], (int)args[2]);
}

void
cdn_handle_sendto(struct cdn_call *call, struct cdn_call_answer *answer)
{
	handle(call, answer, (int)call->notif->data.args[3], send_plain);
}

void
cdn_handle_sendmsg(struct cdn_call *call, struct cdn_call_answer *answer)
{
	handle(call, answer, (int)call->notif->data.args[2], send_one);
}

void
cdn_handle_sendmmsg(struct cdn_call *call, struct cdn_call_answer *answer)
{
	handle(call, answer, (int)call->notif->data.args[3], send_many);
}

/*
 * The flags are in a register.  From now on no send of the run continues, also
 * of processes that share nothing: that is rare, and needs no record of which.
 */
void
cdn_handle_clone(struct cdn_call *call, struct cdn_call_answer *answer)
{
	const uint64_t spaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS |
	    CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;

	if ((call->notif->data.args[0] & spaces) != 0) {
		cdn_handle_rare(call, answer);
		return;
	}
	__atomic_store_n(&call->broker->tables_shared, true, __ATOMIC_RELEASE);
	answer->kind = CDN_ANSWER_CONTINUE;
}
