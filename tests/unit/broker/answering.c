/*
 * Who is as good as idle: those alone whose answer was taken, and that is known
 * of a caller who comes again.
 */
#include "enforce/broker/inside.h"
#include "support/engine.h"

#define ONE   1000
#define OTHER 1001

static void
answer_times(struct cdn_answering *answering, pid_t tid, unsigned n)
{
	while (n-- > 0)
		(void)cdn_answering_begin(answering, tid);
}

static void
one_caller(void)
{
	struct cdn_answering answering = { 0 };
	pid_t *place;

	ok(!cdn_answering_enough(&answering, ONE), "nobody answers");
	answer_times(&answering, ONE, CDN_BROKER_ANSWERING - 1);
	ok(!cdn_answering_enough(&answering, ONE), "too few do");
	place = cdn_answering_begin(&answering, ONE);
	ok(place != NULL && cdn_answering_enough(&answering, ONE),
	    "enough answered him");
	cdn_answering_end(place);
	ok(!cdn_answering_enough(&answering, ONE), "one of them is done");
}

/* They may hang in it: one that gets no processor takes no answer. */
static void
others(void)
{
	struct cdn_answering answering = { 0 };

	answer_times(&answering, OTHER, CDN_BROKER_ANSWERING);
	ok(cdn_answering_enough(&answering, OTHER), "control: enough of them");
	ok(!cdn_answering_enough(&answering, ONE),
	    "who answers another one is not as good as idle");
	ok(!cdn_answering_enough(&answering, 0), "nor of one without number");
	answer_times(&answering, OTHER, 2 * CDN_BROKER_ANSWERING);
	ok(cdn_answering_begin(&answering, ONE) == NULL &&
	    !cdn_answering_enough(&answering, ONE),
	    "without room nobody is counted");
	cdn_answering_end(NULL);
	ok(cdn_answering_enough(&answering, OTHER), "and nobody is lost");
}

int
main(void)
{
	one_caller();
	others();
	return done_testing();
}
