/*
 * What is sent with an address, and what goes with it.
 */
#include "servers.h"

static struct words words;

/* P may be sent to, Q may not. */
static const struct row datagrams[] = {
	{ "socket 4 dgram", "fd 3" },
	{ "sendto 3 denied 4 127.0.0.1 $Q", "errno 13" },
	{ "sendmsg 3 denied 4 127.0.0.1 $Q", "errno 13" },
	{ "sendmmsg 3 denied 4 127.0.0.1 $Q", "errno 13" },
	{ "sendto 3 denied 9 127.0.0.1 $Q", "errno 13" },
	{ "sendto 3 denied 4 0.0.0.0 $Q", "errno 13" },
	{ "sendmsg 3 denied 9 127.0.0.1 $Q", "errno 13" },
	{ "sendto 3 denied 4 192.0.2.1 53", "errno 13" },
	{ "connect 3 4 127.0.0.1 $Q", "errno 13" },
	{ "sendto 3 short size 8 4 127.0.0.1 $P", "errno 22" },
	{ "sendmsg 3 nowhere", "errno 89" },
	{ "control 3 denied 0 7 4 127.0.0.1 $P", "errno 1" }, /* IP_RETOPTS */
	{ "control 3 denied 41 57 4 127.0.0.1 $P", "errno 1" },
	{ "control 3 denied 1 2 4 127.0.0.1 $P", "errno 1" },
	{ "big 3 2000000", "errno 90" },
	{ "sendto 3 one 4 127.0.0.1 $P", "sent 3" },
	{ "sendmsg 3 two- 4 127.0.0.1 $P", "sent 4" },
	{ "sendmmsg 3 three 4 127.0.0.1 $P", "sent 2 5 5" },
	{ "sendto 3 four 9 127.0.0.1 $P", "sent 4" },
	{ "sendto 3 five 4 0.0.0.0 $P", "sent 4" },
	{ "control 3 six 0 1 4 127.0.0.1 $P", "sent 3" }, /* IP_TOS */
	{ "connect 3 4 127.0.0.1 $P", "done" },
	{ "sendmsg 3 seven", "sent 5" },
	{ "sendmsg 3 denied 4 127.0.0.1 $Q", "errno 13" },
	{ "close 3", "closed" },
};

static void
check_datagrams(void)
{
	static const char *const want[] = { "one", "two-", "three", "three",
		"four", "five", "six", "seven", "" };
	struct cage cage = { .network = CDN_FILTER_NET_LISTED };
	char rules[128];
	int allowed, denied;

	words = (struct words){ 0, 0 };
	allowed = server_inet("127.0.0.1", SOCK_DGRAM, &words.p);
	denied = server_inet("127.0.0.1", SOCK_DGRAM, &words.q);
	if (allowed < 0 || denied < 0) {
		skip("no loopback here");
		return;
	}
	snprintf(rules, sizeof(rules), ", network: [\"127.0.0.1:%d\"]",
	    words.p);
	tmp_begin();
	cage_files();
	cage.more = rules;
	cage_start(&cage, CAGE_C);
	rows_run(&cage, "datagrams", &words, datagrams, CDN_LEN(datagrams));
	for (size_t i = 0; i < CDN_LEN(want); i++) {
		const char *got = want[i][0] == '\0' ? server_got(allowed) :
							server_gets(allowed);

		ok_f(strcmp(got, want[i]) == 0, "arrived: '%s'", got);
	}
	(void)cage_ask(&cage, "flip %lu dgram 4 127.0.0.1 %d , 4 127.0.0.1"
	    " %d", server_flips(), words.p, words.q);
	ok_f(cage_says(&cage, "good ") && server_gets(allowed)[0] == 'x',
	    "flip: %s", cage.answer);
	ok_f(server_got(denied)[0] == '\0', "nothing else arrived");
	cage_stop(&cage);
	tmp_end();
	close(allowed);
	close(denied);
}

static void
check_datagrams6(void)
{
	static const struct row rows[] = {
		{ "socket 6 dgram", "fd 3" },
		{ "sendto 3 denied 6 2001:db8::1 53", "errno 13" },
		{ "sendto 3 denied 6 ::ffff:192.0.2.1 53", "errno 13" },
		{ "sendto 3 denied 4 192.0.2.1 53", "errno 13" },
		{ "sendto 3 nowhere none", "errno 89" },
		{ "sendto 3 one 6 ::1 $P", "sent 3" },
		{ "sendto 3 two 6 :: $P", "sent 3" },
		{ "close 3", "closed" },
	};
	struct cage cage = { .network = CDN_FILTER_NET_LISTED,
		.more = ", network: loopback" };
	int server;

	words = (struct words){ 0, 0 };
	server = server_inet("::1", SOCK_DGRAM, &words.p);
	if (server < 0) {
		skip("no IPv6 here");
		return;
	}
	tmp_begin();
	cage_files();
	cage_start(&cage, CAGE_C);
	rows_run(&cage, "IPv6", &words, rows, CDN_LEN(rows));
	ok(strcmp(server_gets(server), "one") == 0, "the first arrived");
	ok(strcmp(server_gets(server), "two") == 0, "and the second");
	cage_stop(&cage);
	tmp_end();
	close(server);
}

/* A source route goes to somebody else first: 127.0.0.2 here. */
static void
check_route(void)
{
	static const struct row rows[] = {
		{ "socket 4 stream", "fd 3" },
		{ "route 3", "errno 92" },
		{ "options 3", "options 0" },
		{ "connect 3 4 127.0.0.1 $P", "done" },
		{ "sendmsg 3 text 4 127.0.0.1 $Q", "sent 4" }, /* not looked at */
		{ "route 3", "errno 92" },
		{ "close 3", "closed" },
	};
	struct cage cage = { .network = CDN_FILTER_NET_LISTED,
		.more = ", network: loopback" };
	int server;

	words = (struct words){ 0, 1 };
	server = server_inet("127.0.0.1", SOCK_STREAM, &words.p);
	if (server < 0) {
		skip("no loopback here");
		return;
	}
	tmp_begin();
	cage_files();
	cage_start(&cage, CAGE_C);
	rows_run(&cage, "route", &words, rows, CDN_LEN(rows));
	cage_stop(&cage);
	tmp_end();
	close(server);
}

/* The receiver takes its time; the sender waits, and others are answered. */
static void
check_stream(void)
{
	enum { SIZE = 8 << 20 };
	struct cage cage = { .network = CDN_FILTER_NET_LISTED,
		.more = ", network: loopback" };
	struct pollfd fd = { .events = POLLIN };
	static char data[65536];
	size_t got = 0, bad = 0;
	int server, peer;

	words = (struct words){ 0, 0 };
	server = server_inet("127.0.0.1", SOCK_STREAM, &words.p);
	if (server < 0) {
		skip("no loopback here");
		return;
	}
	tmp_begin();
	cage_files();
	cage_start(&cage, CAGE_C);
	(void)cage_ask(&cage, "socket 4 stream");
	(void)cage_ask(&cage, "connect 3 4 127.0.0.1 %d", words.p);
	peer = accept(server, NULL, NULL);
	cage_send(&cage, "big 3 %d", SIZE);
	usleep(50000);
	for (fd.fd = peer; got < SIZE && poll(&fd, 1, SERVER_MS) == 1;) {
		ssize_t n = read(peer, data, sizeof(data));

		if (n <= 0)
			break;
		for (ssize_t i = 0; i < n; i++)
			bad += data[i] != (char)('a' + (got + (size_t)i) % 26);
		got += (size_t)n;
	}
	(void)cage_receive(&cage);
	ok_f(cage_says(&cage, "sent 8388608") && got == SIZE && bad == 0,
	    "a stream: %s, %zu arrived, %zu wrong", cage.answer, got, bad);
	close(peer);
	cage_stop(&cage);
	tmp_end();
	close(server);
}

int
main(void)
{
	if (cdn_sys_landlock_abi() < 3) {
		skip("no Landlock, or an old one");
		return done_testing();
	}
	check_datagrams();
	check_datagrams6();
	check_route();
	check_stream();
	ok_f(cage_threads_left() == 1, "no thread is left");
	return done_testing();
}
