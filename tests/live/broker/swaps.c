/*
 * A message that continues: the kernel sends it, so that the receiver learns who
 * sent it.  And the fd that becomes a UDP socket meanwhile: nothing arrives
 * where the policy does not allow it.  swaps-control.c shows that the same swaps
 * get through a broker that does not look whose the file descriptors are.
 */
#include "swaps.h"

static const struct row credentials[] = {
	{ "credentials packet sendto", "true" },
	{ "credentials packet sendmsg", "true" },
	{ "credentials packet sendmmsg", "true" },
	{ "credentials stream sendmsg", "true" },
	{ "credentials stream sendmmsg", "true" },
	{ "credentials stream own", "true" },
	{ "credentials packet own", "true" },
	{ "credentials stream own threads", "errno 1" },
	{ "credentials stream false", "errno 1" },
};

static void
check_credentials(void)
{
	struct words words = { 0, 0 };
	struct cage cage = { .network = CDN_FILTER_NET_LISTED,
		.more = ", network: loopback" };

	tmp_begin();
	cage_files();
	cage_start(&cage, CAGE_C);
	rows_run(&cage, "credentials", &words, credentials,
	    CDN_LEN(credentials));
	/* Not the caller's, as the plan says: limit "credentials". */
	(void)cage_ask(&cage, "credentials stream sendmsg threads");
	ok_f(cage_says(&cage, "pid "), "of several threads: %s", cage.answer);
	/* The first swap has a process with the same file descriptors. */
	(void)cage_ask(&cage, "swap 1 process 4 127.0.0.1 9");
	(void)cage_ask(&cage, "credentials stream sendmsg");
	ok_f(cage_says(&cage, "pid "), "with shared descriptors: %s",
	    cage.answer);
	cage_stop(&cage);
	tmp_end();
}

static void
check_swaps(void)
{
	static const char *const whos[] = { "brief", "thread", "process" };

	for (size_t i = 0; i < CDN_LEN(whos); i++) {
		struct swap_result result = swap_run(whos[i], tries(1000) * 5);

		/* The first one mostly comes late, or mostly early. */
		ok_f(result.leaks == 0 && (i == 0 ||
			(result.good > 0 && result.bad > 0)),
		    "swapped by %s: %ld leaks, %ld good, %ld refused", whos[i],
		    result.leaks, result.good, result.bad);
	}
}

int
main(void)
{
	if (cdn_sys_landlock_abi() < 3) {
		skip("no Landlock, or an old one");
		return done_testing();
	}
	check_credentials();
	check_swaps();
	ok_f(cage_threads_left() == 1, "no thread is left");
	return done_testing();
}
