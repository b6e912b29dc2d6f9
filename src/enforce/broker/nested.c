/*
 * A process of the run asks for a run inside of this one.  Which run it belongs
 * to needs no proof: its call came through our listener, and who is in another
 * run, inside or beside, has another one, for good.
 */
#include "enforce/broker/address.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "enforce/broker/inside.h"

bool
cdn_nested_is_meant(const struct cdn_call *call,
    const struct cdn_socket *socket, const struct cdn_address *address)
{
	char path[sizeof(struct sockaddr_un)];

	return call->broker->spec.nested != NULL &&
	    socket->domain == AF_UNIX && socket->type == SOCK_STREAM &&
	    address->size > sizeof(sa_family_t) &&
	    address->u.any.sa_family == AF_UNIX &&
	    cdn_address_path(address, path) &&
	    strcmp(path, CDN_BROKER_NESTED) == 0;
}

/*
 * He keeps the number of his socket, and close-on-exec.  Who has put a filter on
 * himself gets none: the run that is started for him would be without it.
 */
int
cdn_nested_connect(struct cdn_call *call, int place)
{
	const struct cdn_broker *broker = call->broker;
	int ends[2];
	int r;

	if (cdn_call_has_own_filter(call))
		return -EPERM;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
		return -errno;
	r = cdn_sys_notify_replace(broker->listener, call->notif->id, ends[1],
	    O_CLOEXEC, place);
	close(ends[1]);
	if (r >= 0)
		r = broker->spec.nested(ends[0], broker->spec.nested_arg);
	if (r < 0)
		close(ends[0]);
	return r < 0 ? r : 0;
}
