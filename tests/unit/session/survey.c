/*
 * Repositories far down: whoever asks, before, while and after they are found,
 * beside runs that begin and end, gets the same answers.
 */
#include "enforce/session/survey.h"

#include <pthread.h>
#include <stdatomic.h>

#include "support/engine.h"
#include "support/tmpdir.h"

#define THREADS 8
#define ROUNDS	60
#define DIRS	400

static struct cordon_session *session;
static atomic_ulong wrong, failed;

static bool
is_allowed(const char *relative)
{
	char path[PATH_MAX * 2];
	struct cordon_query query = { .size = sizeof(query),
		.as = CORDON_AS_AGENT, .op = CORDON_MODIFY, .path = path };
	struct cordon_verdict verdict;

	snprintf(path, sizeof(path), "%s/w/%s", tmp_root, relative);
	query.path_len = strlen(path);
	if (cdn_session_check(session, &query, &verdict, NULL) != 0) {
		atomic_fetch_add(&failed, 1);
		return false;
	}
	return verdict.allowed;
}

static void *
work(void *arg)
{
	size_t me = (size_t)(uintptr_t)arg;

	for (size_t i = 0; i < ROUNDS; i++) {
		bool runs = (me + i) % 3 != 0;

		if (runs)
			cdn_survey_begin(session);
		if ((me * 7 + i) % 4 != 0 && (is_allowed("far/hooks/x") ||
			is_allowed("many/399/b/unknown") ||
			!is_allowed("many/399/b/index") ||
			!is_allowed("far/fine")))
			atomic_fetch_add(&wrong, 1);
		if (runs)
			cdn_survey_end(session);
	}
	return NULL;
}

static void
make_world(void)
{
	struct cordon_session_options options = { .size = sizeof(options) };
	char name[64];

	tmp_begin();
	tmp_dir("w");
	tmp_dir("w/far");
	tmp_dir("w/many");
	tmp_dir("home");
	for (int i = 0; i < DIRS; i++) {
		snprintf(name, sizeof(name), "w/many/%d", i);
		tmp_dir(name);
	}
	tmp_dir("w/many/399/b");
	tmp_dir("w/many/399/b/objects");
	tmp_dir("w/many/399/b/refs");
	tmp_file("w/many/399/b/HEAD", "ref: refs/heads/main\n");
	tmp_dir("w/many/398/r");
	tmp_dir("w/many/398/r/.git");
	tmp_file("w/many/398/r/.git/config",
	    "[core]\n\thooksPath = ../../../far/hooks\n");
	setenv("HOME", tmp_path("home"), 1);
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("XDG_STATE_HOME");
	options.workspace = tmp_path("w");
	need(cdn_session_new(&options, NULL, &session, NULL) == 0, "session");
}

int
main(void)
{
	const struct cdn_repositories *all = NULL;
	pthread_t threads[THREADS];

	make_world();
	ok(session->partial && session->repositories.n == 0,
	    "the session does not know them when it begins");
	for (size_t i = 0; i < THREADS; i++)
		need(pthread_create(&threads[i], NULL, work,
			 (void *)(uintptr_t)i) == 0, "thread");
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	ok_f(wrong == 0, "the same answers each time (%lu)", wrong);
	ok_f(failed == 0, "and always one (%lu)", failed);
	ok(cdn_survey_repositories(session, &all, NULL) == 0 && all->n == 1 &&
		all->tree_count == 1 && all == cdn_survey_known(session),
	    "all are known in the end");
	cdn_session_free(session);
	tmp_end();
	return done_testing();
}
