/*
 * Addressed to loopback, sent out of another interface: by an option, by what
 * goes with a message, by a socket that was bound to one before.
 */
#include <net/if.h>

#include "servers.h"

#define SOL "1 "
#define IP  "0 "
#define IP6 "41 "

static const struct {
	int family;
	const char *what; /* level, name, size, value: of the interface lo */
	const char *want; /* where addresses are judged */
} options[] = {
	{ 4, SOL "25 3 6c6f00", "errno 1" },	    /* SO_BINDTODEVICE */
	{ 4, SOL "62 4 01000000", "errno 1" },	    /* SO_BINDTOIFINDEX */
	{ 4, SOL "36 4 00000000", "errno 1" },	    /* SO_MARK */
	{ 4, IP "50 4 00000001", "errno 92" },	    /* IP_UNICAST_IF */
	{ 4, IP "35 8 efff02037f000001", "errno 92" }, /* IP_ADD_MEMBERSHIP */
	{ 4, IP "39 12 efff02037f0000017f000002", "errno 92" }, /* ..SOURCE.. */
	{ 4, IP "42 136 01000000000000000200", "errno 92" }, /* MCAST_JOIN_GROUP */
	{ 4, IP "46 264 01000000000000000200", "errno 92" }, /* ..SOURCE.. */
	{ 6, SOL "62 4 01000000", "errno 1" },
	{ 6, IP "50 4 00000001", "errno 92" },
	{ 6, IP6 "76 4 00000001", "errno 92" },	    /* IPV6_UNICAST_IF */
	{ 6, IP6 "20 20 ff02000000000000000000000000123401000000",
	    "errno 92" },			    /* IPV6_JOIN_GROUP */
	{ 6, IP6 "27 20 00", "errno 92" },	    /* IPV6_JOIN_ANYCAST */
	{ 6, IP6 "50 20 0000000000000000000000000000000001000000",
	    "errno 92" },			    /* IPV6_PKTINFO */
	{ 6, IP6 "42 136 01000000", "errno 92" },
	{ 6, IP6 "46 264 01000000", "errno 92" },

	/* Neighbours of these, which say nothing of the kind. */
	{ 4, SOL "2 4 01000000", "done" },  /* SO_REUSEADDR */
	{ 4, SOL "9 4 01000000", "done" },  /* SO_KEEPALIVE */
	{ 4, IP "2 4 40000000", "done" },   /* IP_TTL */
	{ 4, IP "8 4 01000000", "done" },   /* IP_PKTINFO: to be told */
	{ 4, IP "32 4 7f000001", "done" },  /* IP_MULTICAST_IF */
	{ 6, IP6 "49 4 01000000", "done" }, /* IPV6_RECVPKTINFO */
	{ 6, IP6 "26 4 01000000", "done" }, /* IPV6_V6ONLY */
};

/* Those that need no capability and no group do work where all is free. */
static bool
works(size_t i)
{
	return strncmp(options[i].what, "1 36 ", 5) != 0 &&
	    strncmp(options[i].what, "41 27 ", 6) != 0 &&
	    strstr(options[i].what, " 136 ") == NULL &&
	    strstr(options[i].what, " 264 ") == NULL;
}

static bool
has_six(void)
{
	int port = 0, fd = server_inet("::1", SOCK_DGRAM, &port);

	close(fd);
	return fd >= 0;
}

static void
try_options(struct cage *cage, bool judged)
{
	bool six = has_six();

	for (size_t i = 0; i < CDN_LEN(options); i++) {
		const char *want = judged ? options[i].want : "done";

		if ((!judged && !works(i)) || (options[i].family == 6 && !six))
			continue;
		(void)cage_ask(cage, "socket %d dgram", options[i].family);
		(void)cage_ask(cage, "option 3 %s", options[i].what);
		ok_f(cage_says(cage, want), "%s: IPv%d option %s: %s",
		    judged ? "judged" : "free", options[i].family,
		    options[i].what, cage->answer);
		(void)cage_ask(cage, "close 3");
	}
}

static void
check_options(enum cdn_filter_network network, const char *rules)
{
	struct cage cage = { .network = network, .more = rules };

	tmp_begin();
	cage_files();
	cage_start(&cage, CAGE_B);
	try_options(&cage, network == CDN_FILTER_NET_LISTED);
	cage_stop(&cage);
	tmp_end();
}

/* Any but loopback, or 0. */
static unsigned
other_interface(void)
{
	struct if_nameindex *all = if_nameindex();
	unsigned ret = 0;

	for (size_t i = 0; all != NULL && all[i].if_index != 0; i++)
		if (all[i].if_index != 1)
			ret = all[i].if_index;
	if (all != NULL)
		if_freenameindex(all);
	return ret;
}

/* That the caller inherits. */
static int
bound_socket(unsigned device)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0), high = fcntl(fd, F_DUPFD, 60);

	close(fd);
	if (setsockopt(high, SOL_SOCKET, SO_BINDTOIFINDEX, &device,
		sizeof(device)) != 0) {
		close(high);
		return -1;
	}
	return high;
}

static void
ask_info(struct cage *cage, int family, const char *text, unsigned device,
    int port, const char *want)
{
	(void)cage_ask(cage, "info 3 %s %u %d %s %d", text, device, family,
	    family == 4 ? "127.0.0.1" : "::1", port);
	ok_f(cage_says(cage, want), "IPv%d, beside it interface %u: %s", family,
	    device, cage->answer);
}

static void
try_info(struct cage *cage, int family, unsigned device)
{
	int port = 0;
	int server = server_inet(family == 4 ? "127.0.0.1" : "::1", SOCK_DGRAM,
	    &port);

	if (server < 0) {
		skip("no such address here");
		return;
	}
	(void)cage_ask(cage, "socket %d dgram", family);
	ask_info(cage, family, "denied", device, port, "errno 1");
	ask_info(cage, family, "denied", 4000000000U, port, "errno 1");
	ask_info(cage, family, "one", 0, port, "sent 3");
	ask_info(cage, family, "two", 1, port, "sent 3");
	(void)cage_ask(cage, "close 3");
	ok(strcmp(server_gets(server), "one") == 0 &&
	    strcmp(server_gets(server), "two") == 0, "those two arrived");
	close(server);
}

static void
try_bound(struct cage *cage, int fd, const char *want)
{
	(void)cage_ask(cage, "sendto %d x 4 127.0.0.1 9", fd);
	ok_f(cage_says(cage, want), "sending when bound: %s", cage->answer);
	(void)cage_ask(cage, "sendmsg %d x 4 127.0.0.1 9", fd);
	ok_f(cage_says(cage, want), "and by a message: %s", cage->answer);
	(void)cage_ask(cage, "connect %d 4 127.0.0.1 9", fd);
	ok_f(cage_says(cage, want[0] == 'e' ? want : "done"),
	    "connecting: %s", cage->answer);
}

/* fe80:: of an interface binds to the interface, also on port 0. */
static void
try_bind(struct cage *cage)
{
	static const struct row rows[] = {
		{ "socket 6 dgram", "fd 3" },
		{ "bind 3 6 fe80::1 0", "errno 1" },
		{ "bind 3 6 ff02::1 0", "errno 1" },
		{ "bind 3 6 ::1 0", "done" },
		{ "close 3", "closed" },
	};
	static const struct words words;

	if (has_six())
		rows_run(cage, "bind", &words, rows, CDN_LEN(rows));
}

static void
check_messages(void)
{
	unsigned device = other_interface();
	int away = device == 0 ? -1 : bound_socket(device), here;
	struct cage cage = { .network = CDN_FILTER_NET_LISTED,
		.more = ", network: loopback" };

	here = bound_socket(1);
	tmp_begin();
	cage_files();
	cage_start(&cage, CAGE_B);
	try_info(&cage, 4, device == 0 ? 2 : device);
	try_info(&cage, 6, device == 0 ? 2 : device);
	try_bind(&cage);
	if (away >= 0)
		try_bound(&cage, away, "errno 1");
	else
		skip("no interface but loopback");
	if (here >= 0)
		try_bound(&cage, here, "sent 1");
	else
		skip("binding to an interface needs a capability here");
	cage_stop(&cage);
	tmp_end();
	close(away);
	close(here);
}

int
main(void)
{
	if (cdn_sys_landlock_abi() < 3) {
		skip("no Landlock, or an old one");
		return done_testing();
	}
	check_options(CDN_FILTER_NET_LISTED, ", network: loopback");
	check_options(CDN_FILTER_NET_FULL, ", network: full");
	check_messages();
	return done_testing();
}
