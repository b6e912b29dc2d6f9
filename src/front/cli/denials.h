/*
 * denials - what was refused during a run: as it happens, and summed up.
 *
 * cli_denials_add() is called from threads of the library, one at a time; the
 * rest when the run is over.  Everything is bounded: a run can be refused the
 * same thing for hours.  The audit has them all.
 */
#ifndef CDN_CLI_DENIALS_H
#define CDN_CLI_DENIALS_H

#include "front/cli/output.h"

#define CLI_DENIED_RULES 4 /* named in the summary */

struct cli_denials {
	bool aloud; /* each as it happens */
	char said[512]; /* last, without who asked */
	unsigned long again; /* the same since then */
	unsigned long others; /* of rules that are not named */
	size_t count;
	struct {
		char text[160]; /* "modify .git/config (<defaults>)" */
		unsigned long times;
	} rules[CLI_DENIED_RULES];
	const char *hints[5];
	size_t hint_count;
	bool keep;	      /* for cli_denials_json() */
	struct cli_json kept; /* an array that is still open */
};

void cli_denials_init(struct cli_denials *denials, bool aloud, bool keep);
void cli_denials_done(struct cli_denials *denials);

void cli_denials_add(const struct cordon_denial *denial, void *arg);

/* One line on standard error, when there were any; hints behind it. */
void cli_denials_sum_up(const struct cli_denials *denials,
    const struct cordon_run_result *result);
/* The array, as far as there was room; once. */
void cli_denials_json(struct cli_denials *denials, struct cli_json *json);

#endif
