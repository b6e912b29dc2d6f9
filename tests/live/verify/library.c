/*
 * cordon_verify() as another program calls it: threads, a shepherd per run,
 * callbacks, and no.
 */
#include <cordon/cordon.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "support/tap.h"
#include "support/tmpdir.h"

struct seen {
	struct cordon_verify_result counts;
	size_t last, of, told;
	unsigned stop_after; /* 0: never */
	bool backwards, nameless;
};

static void
found(const struct cordon_finding *finding, void *arg)
{
	struct seen *seen = arg;
	unsigned long *counts[] = { &seen->counts.agree, &seen->counts.leaks,
		&seen->counts.refuses, &seen->counts.known,
		&seen->counts.not_probed };

	++*counts[finding->outcome];
	seen->nameless |= finding->path == NULL || finding->call == NULL ||
	    finding->operation == NULL || finding->why == NULL ||
	    finding->verdict.matched_rule == NULL;
	if (finding->outcome == CORDON_LEAKS ||
	    finding->outcome == CORDON_REFUSES)
		printf("# %s %s: %s\n", finding->operation, finding->path,
		    finding->why);
}

static void
progress(size_t done, size_t of, void *arg)
{
	struct seen *seen = arg;

	seen->backwards |= done < seen->last || done > of;
	seen->last = done;
	seen->of = of;
	seen->told++;
}

static bool
stop(void *arg)
{
	struct seen *seen = arg;

	return seen->stop_after > 0 && --seen->stop_after == 0;
}

struct job {
	const char *workspace;
	struct seen seen;
	struct cordon_verify_result result;
	struct cordon_error err;
	int code;
};

static void *
verify(void *arg)
{
	struct job *job = arg;
	struct cordon_session_options so = { .size = sizeof(so),
		.workspace = job->workspace };
	struct cordon_run_options run = { .size = sizeof(run) };
	struct cordon_verify_options options = { .size = sizeof(options),
		.seed = 1, .found = found, .progress = progress,
		.stop = stop, .arg = &job->seen };
	struct cordon_session *session = NULL;

	job->code = cordon_session_new(&so, NULL, &session, &job->err);
	if (job->code == 0)
		job->code = cordon_verify(session, &run, &options,
		    &job->result, &job->err);
	cordon_session_free(session);
	return NULL;
}

static void
check(const struct job *job, const char *who)
{
	const struct cordon_verify_result *r = &job->result;

	if (!ok_f(job->code == 0, "%s: it could be tried", who))
		printf("# %s\n", job->err.text);
	ok_f(r->agree >= 100 && r->leaks == 0 && r->refuses == 0,
	    "%s: %lu agreements", who, r->agree);
	ok_f(memcmp(r, &job->seen.counts, sizeof(*r)) == 0,
	    "%s: each was told", who);
	ok_f(!job->seen.nameless, "%s: with all there is to say", who);
	ok_f(job->seen.told > 1 && !job->seen.backwards &&
		job->seen.last == job->seen.of, "%s: and how far it is", who);
}

static void
test_one(void)
{
	struct job job = { .workspace = tmp_path("one") };

	verify(&job);
	check(&job, "alone");
}

static void
test_two(void)
{
	struct job jobs[] = { { .workspace = tmp_path("one") },
		{ .workspace = tmp_path("two") } };
	pthread_t threads[2];

	for (size_t i = 0; i < 2; i++)
		tmp_need(pthread_create(&threads[i], NULL, verify,
			     &jobs[i]) == 0, "thread", "");
	for (size_t i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	check(&jobs[0], "one of two");
	check(&jobs[1], "the other");
}

static void
test_stop(void)
{
	struct job job = { .workspace = tmp_path("one"),
		.seen.stop_after = 1 };

	verify(&job);
	ok(job.code == CORDON_E_SYSTEM &&
	    strstr(job.err.text, "stopped") != NULL, "stopped when asked to");
	ok(job.result.agree == 0 && job.seen.counts.agree > 0,
	    "there is no result, but what was found was told");
}

static void
test_arguments(void)
{
	struct cordon_session_options so = { .size = sizeof(so),
		.workspace = tmp_path("one") };
	struct cordon_run_options run = { .size = sizeof(run) };
	struct cordon_verify_options options = { .size = sizeof(options) };
	struct cordon_verify_result result;
	struct cordon_session *session = NULL;
	struct cordon_error err;

	tmp_need(cordon_session_new(&so, NULL, &session, &err) == 0,
	    "session", "");
	ok(cordon_verify(NULL, &run, &options, &result, &err) ==
	    CORDON_E_INVALID, "no session");
	ok(cordon_verify(session, NULL, &options, &result, &err) ==
	    CORDON_E_INVALID, "no options of a run");
	ok(cordon_verify(session, &run, NULL, &result, &err) ==
	    CORDON_E_INVALID, "no options");
	ok(cordon_verify(session, &run, &options, NULL, &err) ==
	    CORDON_E_INVALID, "nowhere to put it");
	options.size = 1;
	ok(cordon_verify(session, &run, &options, &result, &err) ==
	    CORDON_E_INVALID, "options of another size");
	options.size = sizeof(options);
	run.backend = CORDON_BACKEND_MAX;
	ok(cordon_verify(session, &run, &options, &result, NULL) ==
	    CORDON_E_INVALID, "no such backend");
	run.backend = CORDON_BACKEND_NONE;
	run.enforcement = CORDON_ENFORCEMENT_BEST_EFFORT;
	ok(cordon_verify(session, &run, &options, &result, &err) ==
	    CORDON_E_INVALID, "no cage to look at");
	ok(cordon_outcome_name(CORDON_OUTCOME_MAX) == NULL &&
	    strcmp(cordon_outcome_name(CORDON_LEAKS), "leaks") == 0,
	    "outcomes have names");
	cordon_session_free(session);
}

int
main(void)
{
	tmp_begin();
	tmp_dir("home");
	tmp_dir("one");
	tmp_dir("two");
	tmp_file("one/file", "text");
	tmp_file("two/file", "text");
	setenv("HOME", tmp_path("home"), 1);
	setenv("XDG_STATE_HOME", tmp_path("state"), 1);
	unsetenv("XDG_CONFIG_HOME");
	test_one();
	test_two();
	test_stop();
	test_arguments();
	tmp_end();
	return done_testing();
}
