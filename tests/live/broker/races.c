/*
 * Races: nothing leaks, in a thousand tries of each or CORDON_TRIES times as
 * many.  Somebody of the cage or outside changes what a call means while the
 * broker looks at it.
 */
#include "races.h"

static void
check(const struct race_result *result)
{
	ok_f(result->leaks == 0 && result->good > 0 && result->refused > 0,
	    "%s: %ld leaks, %ld good, %ld refused", result->text,
	    result->leaks, result->good, result->refused);
}

int
main(void)
{
	if (cdn_sys_landlock_abi() < 3) {
		skip("no Landlock, or an old one");
		return done_testing();
	}
	race_each(tries(1000), false, check);
	return done_testing();
}
