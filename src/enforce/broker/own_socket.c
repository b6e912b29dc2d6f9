/*
 * Whose socket is behind a name.  To connect to one of the run's own is talking
 * to itself; to anybody else's must be allowed by name.
 *
 * Neither place nor file tells: files can be linked and renamed to where the
 * run makes its own.  But every socket has a number, which we see when the run
 * binds it, and the kernel tells which sockets listen on which file.  It tells
 * only half of the file's number: so whoever listens on any such file must be
 * the run's own.
 */
#include "enforce/broker/inside.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define LISTENING (1U << 10) /* TCP_LISTEN, of any family */
#define TRIES	  8	     /* a list may change while it is told */

/* ----- Which are ours -------------------------------------------------------------- */

void
cdn_own_socket_add(struct cdn_call *call, int fd)
{
	struct cdn_broker *broker = call->broker;
	struct stat st;

	if (fstat(fd, &st) != 0)
		return;
	pthread_mutex_lock(&broker->making);
	broker->sockets[broker->socket_count++ % CDN_BROKER_SOCKETS] =
	    (uint32_t)st.st_ino;
	pthread_mutex_unlock(&broker->making);
}

static bool
is_known(struct cdn_broker *broker, uint32_t number)
{
	bool found = false;
	size_t n;

	pthread_mutex_lock(&broker->making);
	n = broker->socket_count < CDN_BROKER_SOCKETS ? broker->socket_count :
							CDN_BROKER_SOCKETS;
	for (size_t i = 0; !found && i < n; i++)
		found = broker->sockets[i] == number;
	pthread_mutex_unlock(&broker->making);
	return found;
}

/* ----- Who listens ------------------------------------------------------------------- */

struct asking {
	struct cdn_broker *broker;
	uint32_t file; /* its number, what the kernel tells of it */
	enum cdn_listener found;
	bool done, torn;
};

static void
consider(struct asking *asking, uint32_t number, uint32_t file)
{
	if (file != asking->file || asking->found == CDN_LISTENER_OTHER)
		return;
	asking->found = is_known(asking->broker, number) ? CDN_LISTENER_OWN :
							   CDN_LISTENER_OTHER;
}

/* One socket, and what is attached: the file, if it has one. */
static void
take_socket(struct asking *asking, struct nlmsghdr *message)
{
	const struct unix_diag_msg *told = NLMSG_DATA(message);
	const char *at = (const char *)(told + 1);
	const char *end = (const char *)message + message->nlmsg_len;
	struct unix_diag_vfs vfs;
	struct nlattr head;
	size_t step;

	while ((size_t)(end - at) >= sizeof(head)) {
		memcpy(&head, at, sizeof(head));
		if (head.nla_len < sizeof(head) || head.nla_len > end - at)
			break;
		if (head.nla_type == UNIX_DIAG_VFS &&
		    head.nla_len >= sizeof(head) + sizeof(vfs)) {
			memcpy(&vfs, at + sizeof(head), sizeof(vfs));
			consider(asking, told->udiag_ino, vfs.udiag_vfs_ino);
		}
		step = ((size_t)head.nla_len + 3) & ~(size_t)3;
		if (step > (size_t)(end - at))
			break;
		at += step;
	}
}

static void
take_messages(struct asking *asking, void *data, size_t n)
{
	for (struct nlmsghdr *message = data;
	     NLMSG_OK(message, n) && !asking->done;
	     message = NLMSG_NEXT(message, n)) {
		if ((message->nlmsg_flags & NLM_F_DUMP_INTR) != 0)
			asking->torn = true;
		if (message->nlmsg_type == NLMSG_DONE) {
			asking->done = true;
		} else if (message->nlmsg_type != SOCK_DIAG_BY_FAMILY ||
		    message->nlmsg_len <
			NLMSG_LENGTH(sizeof(struct unix_diag_msg))) {
			asking->done = true;
			asking->found = CDN_LISTENER_OTHER;
		} else {
			take_socket(asking, message);
		}
	}
}

static int
ask(int fd)
{
	struct {
		struct nlmsghdr head;
		struct unix_diag_req body;
	} request = {
		.head = { .nlmsg_len = sizeof(request),
		    .nlmsg_type = SOCK_DIAG_BY_FAMILY,
		    .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP },
		.body = { .sdiag_family = AF_UNIX, .udiag_states = LISTENING,
		    .udiag_show = UDIAG_SHOW_VFS },
	};

	return send(fd, &request, sizeof(request), 0) ==
	    (ssize_t)sizeof(request) ? 0 : -errno;
}

/* Whoever cannot be told from others is one of them. */
static void
ask_network(struct asking *asking, int fd)
{
	union {
		struct nlmsghdr head;
		char room[16384];
	} data;

	asking->done = fd < 0 || ask(fd) != 0;
	if (asking->done)
		asking->found = CDN_LISTENER_OTHER;
	while (!asking->done) {
		ssize_t n = recv(fd, &data, sizeof(data), 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			asking->found = CDN_LISTENER_OTHER;
			return;
		}
		take_messages(asking, &data, (size_t)n);
	}
}

/* Sockets of files are reached from any network, but each tells only its own. */
static enum cdn_listener
listener_once(struct asking *asking)
{
	struct cdn_broker *broker = asking->broker;
	const struct cdn_spaces *spaces = broker->spec.spaces;
	cdn_cleanup_fd int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC,
	    NETLINK_SOCK_DIAG);

	asking->found = CDN_LISTENER_NOBODY;
	asking->torn = false;
	ask_network(asking, fd);
	if (spaces != NULL && spaces->sockets_fd >= 0) {
		pthread_mutex_lock(&broker->asking);
		ask_network(asking, spaces->sockets_fd);
		pthread_mutex_unlock(&broker->asking);
	}
	return asking->found;
}

enum cdn_listener
cdn_listener_of(struct cdn_call *call, const struct cdn_object *object)
{
	struct asking asking = { .broker = call->broker,
		.file = (uint32_t)object->ino };

	for (int i = 0; i < TRIES; i++) {
		enum cdn_listener found = listener_once(&asking);

		if (!asking.torn || found == CDN_LISTENER_OTHER)
			return found;
	}
	return CDN_LISTENER_OTHER;
}
