/*
 * Sockets: those that the outer side listens on, and addresses that can be
 * named without a packet being sent.
 */
#include "enforce/verify/probe.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include "base/arena.h"
#include "base/str.h"

#define SOME_PORT 9 /* where the rule names none */

static void
add_unix(struct cdn_sample *sample)
{
	const char *path = sample->outside->socket;
	union cdn_probe_address *address;
	struct cdn_probe *probe;

	if (path == NULL || sample->outside->unix_fd < 0)
		return;
	probe = cdn_sample_add(sample, CDN_TRY_CONNECT_UNIX, path);
	address = cdn_arena_alloc(sample->arena, sizeof(*address));
	if (probe == NULL || address == NULL)
		return;
	address->un.sun_family = AF_UNIX;
	snprintf(address->un.sun_path, sizeof(address->un.sun_path), "%s",
	    path);
	probe->address = address;
	probe->address_size = sizeof(address->un);
}

static socklen_t
parse(const char *host, unsigned port, union cdn_probe_address *ret)
{
	struct sockaddr_in *in = (struct sockaddr_in *)&ret->storage;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&ret->storage;

	memset(ret, 0, sizeof(*ret));
	if (inet_pton(AF_INET, host, &in->sin_addr) == 1) {
		in->sin_family = AF_INET;
		in->sin_port = htons((uint16_t)port);
		return sizeof(*in);
	}
	if (inet_pton(AF_INET6, host, &in6->sin6_addr) != 1)
		return 0;
	in6->sin6_family = AF_INET6;
	in6->sin6_port = htons((uint16_t)port);
	return sizeof(*in6);
}

static void
add_inet(struct cdn_sample *sample, enum cdn_try how, const char *host,
    unsigned port)
{
	union cdn_probe_address *address = cdn_arena_alloc(sample->arena,
	    sizeof(*address));
	bool six = strchr(host, ':') != NULL;
	struct cdn_probe *probe;
	char text[80];
	socklen_t size;

	if (port == 0)
		return;
	size = address == NULL ? 0 : parse(host, port, address);
	if (size == 0)
		return;
	snprintf(text, sizeof(text), six ? "[%s]:%u" : "%s:%u", host, port);
	probe = cdn_sample_add(sample, how, text);
	if (probe == NULL)
		return;
	probe->address = address;
	probe->address_size = size;
}

/* ----- What the rules name ---------------------------------------------------------- */

/* HOST:PORT, [HOST]:PORT; what is no literal address is left out. */
static void
add_listed(struct cdn_sample *sample, cdn_str rule)
{
	char host[64];
	size_t n = rule.n;
	uint64_t port = 0;

	while (n > 0 && rule.p[n - 1] != ':' && rule.p[n - 1] != ']')
		n--;
	if (n == 0 || rule.p[n - 1] == ']' ||
	    !cdn_str_parse_u64(cdn_str_from(rule, n), &port) || port > 65535)
		port = SOME_PORT;
	if (n > 0 && rule.p[n - 1] == ':')
		n--;
	if (n == 0)
		n = rule.n;
	if (n > 1 && rule.p[0] == '[' && rule.p[n - 1] == ']') {
		rule.p++;
		n -= 2;
	}
	if (n >= sizeof(host))
		return;
	snprintf(host, sizeof(host), "%.*s", (int)n, rule.p);
	add_inet(sample, CDN_TRY_CONNECT_UDP, host, (unsigned)port);
	/* Beside it. */
	add_inet(sample, CDN_TRY_CONNECT_UDP, host,
	    port < 65535 ? (unsigned)port + 1 : 1);
}

static void
add_key(enum cordon_layer layer, const struct cdn_network_set *network,
    void *arg)
{
	struct cdn_sample *sample = arg;

	(void)layer;
	for (size_t i = 0; network->mode == CDN_NETWORK_LIST &&
	     i < network->list.rules.n; i++)
		add_listed(sample, network->list.rules.v[i].pattern);
}

void
cdn_sample_network(struct cdn_sample *sample)
{
	const struct cdn_outside *o = sample->outside;

	add_unix(sample);
	add_inet(sample, CDN_TRY_CONNECT_TCP, "127.0.0.1", o->tcp_port);
	add_inet(sample, CDN_TRY_CONNECT_TCP, "::1", o->tcp6_port);
	add_inet(sample, CDN_TRY_CONNECT_UDP, "127.0.0.1", SOME_PORT);
	add_inet(sample, CDN_TRY_CONNECT_UDP, "::1", SOME_PORT);
	/* Addresses that nobody has, of documentation. */
	add_inet(sample, CDN_TRY_CONNECT_UDP, "192.0.2.1", 53);
	add_inet(sample, CDN_TRY_CONNECT_UDP, "2001:db8::1", 53);
	add_inet(sample, CDN_TRY_BIND_TCP, "127.0.0.1", o->free_port);
	cdn_decide_network_keys(sample->session->authority, add_key, sample);
}
