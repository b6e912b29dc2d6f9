/*
 * try - asks the real kernel, through trysys (tests/support/trysys.c).
 *
 *	struct try try;
 *	if (!try_start(&try, "nobody", &filter))
 *		...	why is on stderr of trysys
 *	got = try_ask(&try, "41 2 1 0");
 *	try_stop(&try);
 *
 * CORDON_TRYSYS names the program.
 */
#ifndef CDN_TESTS_LIVE_TRY_H
#define CDN_TESTS_LIVE_TRY_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "enforce/backend/filter.h"

enum try_kind { TRY_VALUE, TRY_ERRNO, TRY_SIGNAL, TRY_TRAPPED, TRY_BROKEN };

struct try_result {
	enum try_kind kind;
	long n; /* the value, the errno, the signal, the number of the call */
	char text[128]; /* as trysys said it */
};

struct try {
	pid_t pid;
	FILE *to, *from;
	char path[64]; /* of the file with the filter, "" without one */
};

/* filter NULL: none.  With traps in it, there is a listener too. */
bool try_start(struct try *ret, const char *identity,
    const struct cdn_filter *filter);
struct try_result try_ask(struct try *try, const char *request);
void try_stop(struct try *try);

/* Runs `sh -c script` likewise; its exit status, and what it printed. */
int try_script(const char *identity, const struct cdn_filter *filter,
    const char *script, char *out, size_t size);

/* NULL, or why we cannot be this one here (until the next call). */
const char *try_obstacle(const char *identity);

#endif
