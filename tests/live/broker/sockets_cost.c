/*
 * What one connect costs with and without; printed, never judged.  Run by hand:
 *
 *	CORDON_CALLER=.../socketcaller live-broker-sockets-cost
 */
#include "servers.h"

static void
measure(enum cage_mode mode, const char *name)
{
	struct cage cage = { .network = CDN_FILTER_NET_LISTED,
		.more = ", network: loopback" };
	struct drain drain[2];
	int port = 0, inet = server_inet("127.0.0.1", SOCK_STREAM, &port);

	tmp_begin();
	cage_files();
	drain_start(&drain[0], inet);
	drain_start(&drain[1], server_unix(tmp_path("w/pub/s"), false));
	cage_start(&cage, mode);
	(void)cage_ask(&cage, "time 5000 4 127.0.0.1 %d", port);
	printf("# %-5s TCP     %s\n", name, cage.answer);
	(void)cage_ask(&cage, "time 5000 u %s", tmp_path("w/pub/s"));
	printf("# %-5s unix    %s\n", name, cage.answer);
	if (mode != CAGE_BARE) {
		(void)cage_ask(&cage, "timedenied 5000 4 192.0.2.1 80");
		printf("# %-5s denied  %s\n", name, cage.answer);
	}
	cage_stop(&cage);
	for (int i = 0; i < 2; i++) {
		(void)drain_stop(&drain[i]);
		close(drain[i].fd);
	}
	tmp_end();
}

int
main(void)
{
	measure(CAGE_BARE, "bare");
	measure(CAGE_C, "C");
	ok(true, "measured");
	return done_testing();
}
