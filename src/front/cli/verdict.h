/*
 * verdict - how one answer of `cordon check` looks, as text and as JSON.
 */
#ifndef CDN_CLI_VERDICT_H
#define CDN_CLI_VERDICT_H

#include "front/cli/output.h"

/* The rules that matched, in order; strings belong to the session. */
struct cli_steps {
	struct cordon_step *v;
	size_t n;
	size_t room;
};

void cli_steps_add(const struct cordon_step *step, void *arg); /* cli_steps */
void cli_steps_done(struct cli_steps *steps);

struct cli_answer {
	cdn_str path; /* as given; p NULL when there was none */
	const char *real_path; /* "" = none */
	const struct cordon_verdict *verdict;
	const struct cli_steps *steps; /* NULL: --explain was not asked for */
};

void cli_answer_text(const struct cli_answer *answer);
void cli_answer_json(const struct cli_answer *answer);

/* No verdict.  Text goes to standard error, JSON is the answer. */
void cli_no_answer_text(cdn_str path, const struct cordon_error *err);
void cli_no_answer_json(cdn_str path, const struct cordon_error *err);

/* 0, 3 or 4. */
int cli_decision_exit(enum cordon_decision decision);

#endif
