/*
 * swaps - a fd that is a unix socket, or one of UDP, while it is sent by.  The
 * same for the broker (swaps.c) and for ones that look at too little
 * (swaps-control.c).
 */
#ifndef CDN_TESTS_SWAPS_H
#define CDN_TESTS_SWAPS_H

#include "servers.h"

struct swap_result {
	long leaks, good, bad;
};

/* What arrives where nothing may. */
static inline struct swap_result
swap_run(const char *who, unsigned long n)
{
	struct swap_result result = { 0, -1, -1 };
	struct words words = { 0, 0 };
	int allowed = server_inet("127.0.0.1", SOCK_DGRAM, &words.p);
	int denied = server_inet("127.0.0.1", SOCK_DGRAM, &words.q);
	struct cage cage = { .network = CDN_FILTER_NET_LISTED };
	char rules[128];

	tmp_need(allowed >= 0 && denied >= 0, "server", "127.0.0.1");
	snprintf(rules, sizeof(rules), ", network: [\"127.0.0.1:%d\"]",
	    words.p);
	cage.more = rules;
	tmp_begin();
	cage_files();
	cage_start(&cage, CAGE_C);
	(void)cage_ask(&cage, "swap %lu %s 4 127.0.0.1 %d", n, who, words.q);
	(void)sscanf(cage.answer, "good %ld bad %ld", &result.good,
	    &result.bad);
	while (server_got(denied)[0] == 'x')
		result.leaks++;
	cage_stop(&cage);
	tmp_end();
	close(allowed);
	close(denied);
	return result;
}

#endif
