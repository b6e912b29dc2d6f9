/*
 * chaos - a function is run again and again, and each time another allocation
 * fails, until none is left to fail.
 *
 *	static int
 *	parse(void *arg)
 *	{
 *		struct thing *thing;
 *		int r = thing_parse(arg, &thing, NULL);
 *
 *		if (r == 0)
 *			thing_free(thing);
 *		return r;
 *	}
 *
 *	chaos_run("a small thing", parse, text, 0);
 *
 * Each allocation fails alone, and then again with all that follow it.  The
 * function must not crash, must give back what it took, and must say that it
 * failed: it returns 0, a negative code, or something positive when what it
 * saw was wrong, which fails the test.
 *
 * Allocations are those of our own objects and of the libraries linked
 * statically; what libc takes for itself is neither failed nor counted.  One
 * thread only.  Use chaos_dep (tests/support/meson.build) instead of unit_dep.
 */
#ifndef CDN_TESTS_CHAOS_H
#define CDN_TESTS_CHAOS_H

#include "support/tap.h"

/* It may succeed all the same: it can do without that memory. */
#define CHAOS_ABSORBS 1U
/* Any error will do, not CORDON_E_NOMEM alone. */
#define CHAOS_ANY_ERROR 2U

struct chaos_report {
	unsigned long allocations; /* of one undisturbed run */
	unsigned long absorbed;	   /* runs that succeeded all the same */
	char problem[256];	   /* "" = none */
};

/* True when there was no problem.  Prints nothing. */
bool chaos_try(int (*fn)(void *arg), void *arg, unsigned flags,
    struct chaos_report *ret);

/* The same as one test point. */
static inline bool
chaos_run(const char *name, int (*fn)(void *arg), void *arg, unsigned flags)
{
	struct chaos_report report;
	bool good = chaos_try(fn, arg, flags, &report);

	if (good)
		return ok_f(true, "%s: each of %lu allocations failed",
		    name, report.allocations);
	return ok_f(false, "%s: %s", name, report.problem);
}

#endif
