/*
 * Races for names: nothing comes to be where it must not, in a thousand tries of each
 * or CORDON_TRIES times as many.
 */
#include "names-races.h"

static void
check(const struct name_race_result *result)
{
	ok_f(result->good > 0 && !result->leaked, "%s: %s, %u denied",
	    result->text, result->answer, result->denied);
}

int
main(void)
{
	if (cdn_sys_landlock_abi() < 3) {
		skip("no Landlock, or an old one");
		return done_testing();
	}
	name_race_each(tries(1000), false, check);
	return done_testing();
}
