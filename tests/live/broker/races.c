/*
 * Races: 20 000 tries each, or CORDON_TRIES times as many.
 */
#include "races.h"

static unsigned long wanted;

static void
check(const char *what, struct race_result result)
{
	ok_f(result.leaks == 0, "%s is changed: %ld leaks in %lu tries", what,
	    result.leaks, wanted);
	ok_f(result.good > 0, "and %ld times the right one was opened",
	    result.good);
}

int
main(void)
{
	if (cdn_sys_landlock_abi() < 3) {
		skip("no Landlock, or an old one");
		return done_testing();
	}
	wanted = tries(20000);
	race_all(wanted, check);
	check("a path to write to", race_write(wanted, false));
	return done_testing();
}
