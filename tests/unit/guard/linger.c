/*
 * When the guard stays awake for an answer, and when it has learned not to.
 */
#include "enforce/guard/linger.h"

#include <unistd.h>

#include "base/limits.h"
#include "support/tap.h"

/* How many turns it leaves out now. */
static unsigned
turns_left_out(struct cdn_linger *l)
{
	unsigned n = 0;

	while (!cdn_linger_is_due(l))
		n++;
	return n;
}

static void
test_learning(void)
{
	static const unsigned want[] = { 1, 2, 4, 8, 16, 32, 64, 128, 256, 256,
		256 };
	struct cdn_linger l = { .pause = 0 };

	ok(!cdn_linger_told(&l, 0) && cdn_linger_told(&l, 7) &&
	    !cdn_linger_told(&l, 7) && cdn_linger_told(&l, 8),
	    "who was told nothing new is not waited for");
	ok(cdn_linger_is_due(&l) && cdn_linger_is_due(&l),
	    "it is tried at first, and again while nothing speaks against it");
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		cdn_linger_tell(&l, false);
		ok_f(turns_left_out(&l) == want[i],
		    "%zu times for nothing: so many turns are left out", i + 1);
	}
	cdn_linger_tell(&l, true);
	ok(turns_left_out(&l) == 0, "once it paid it is tried each time");
	cdn_linger_tell(&l, false);
	ok(turns_left_out(&l) == 1, "and it is learned anew that it does not");
}

static void
test_looking(void)
{
	struct cdn_linger l = { .pause = 0 };
	struct pollfd fd = { .events = POLLIN };
	int ends[2];

	if (pipe(ends) != 0) {
		ok(false, "a pipe");
		return;
	}
	fd.fd = ends[0];
	ok(!cdn_linger(&l, &fd, 1), "nobody writes: it gives up by itself");
	ok(l.left == 1, "and has learned of it");
	ok(write(ends[1], "x", 1) == 1, "something comes");
	ok(!cdn_linger(&l, &fd, 1), "a turn that is left out does not look");
	ok(cdn_linger(&l, &fd, 1) && fd.revents == POLLIN,
	    "the next one finds it");
	ok(l.pause == 1, "what was there already is no reason to try more");
	close(ends[1]);
	close(ends[0]);
	ok(cdn_linger(&l, &fd, 1) && fd.revents == POLLNVAL,
	    "a descriptor that is none is told, not waited for");
}

int
main(void)
{
	test_learning();
	test_looking();
	return done_testing();
}
