/*
 * Finished objects are shared: eight threads ask one session and one profile
 * a million questions and get the answers that a single one got.  Made for
 * ThreadSanitizer, and worth something without it.
 */
#include <cordon/cordon.h>

#include <pthread.h>
#include <stdatomic.h>

#include "enforce/session/folded.h"
#include "support/engine.h"
#include "support/tmpdir.h"

#define THREADS	 8
#define CHECKS	 1000000UL /* of all threads together */
#define SESSION_EVERY 16   /* one in so many looks at the file system */

static const char policy_text[] =
    "schemaVersion: 2\nkind: Policy\nmetadata: {name: t}\nspec:\n"
    "  denyRead: [\"**/*.env\", \"keys/**\"]\n"
    "  denyModify: [\".git/**\", \"!.git/refs/**\"]\n"
    "  fsProfiles:\n"
    "    dev: {read: [\"**\"], modify: [\"src/**\", \"**/*.md\", "
    "\".git/refs/**\"], network: [\"*.org\"]}\n";

static const char *const paths[] = { "src/a", "src/b.env", "keys", "keys/k",
	"doc.md", "a/b/c.md", ".git/config", ".git/refs/heads/x", "l/a",
	"none/none", ".", "src" };

#define QUESTIONS (3 * sizeof(paths) / sizeof(paths[0]))

static struct cordon_policy *policy;
static struct cordon_profile *profile;
static struct cordon_session *session;

/* What a single thread was told; strings are borrowed from the objects. */
static struct cordon_verdict by_profile[QUESTIONS], by_session[QUESTIONS];

static atomic_ulong asked, wrong, failed;

static int
ask_profile(size_t q, struct cordon_verdict *ret)
{
	const char *path = paths[q / 3];

	return cordon_profile_check(profile, (enum cordon_op)(q % 3), path,
	    strlen(path), ret, NULL);
}

static int
ask_session(size_t q, struct cordon_verdict *ret)
{
	char path[PATH_MAX * 2], real[4097];
	struct cordon_query query = { .size = sizeof(query),
		.as = q % 2 == 0 ? CORDON_AS_PROCESS : CORDON_AS_AGENT,
		.op = (enum cordon_op)(q % 3), .path = path,
		.real_path = real, .real_path_size = sizeof(real) };

	snprintf(path, sizeof(path), "%s/w/%s", tmp_root, paths[q / 3]);
	query.path_len = strlen(path);
	return cordon_check(session, &query, ret, NULL);
}

/* The very same strings, not only equal ones. */
static bool
same(const struct cordon_verdict *a, const struct cordon_verdict *b)
{
	return a->allowed == b->allowed && a->layer == b->layer &&
	    a->matched_rule == b->matched_rule && a->line == b->line &&
	    a->rule_text == b->rule_text;
}

/* Objects of its own out of the shared ones, made and given back. */
static void
make_own(void)
{
	struct cordon_profile *own = NULL;
	struct cordon_policy *merged = NULL;
	const struct cdn_authority *folded = NULL;

	if (cordon_profile_resolve(policy, "dev", &own, NULL) != 0 ||
	    cordon_policy_merge(policy, policy, NULL, &merged, NULL) != 0 ||
	    cdn_folded_authority(session, &folded, NULL) != 0)
		atomic_fetch_add(&failed, 1);
	cordon_profile_free(own);
	cordon_policy_free(merged);
}

static void *
work(void *arg)
{
	size_t q = (size_t)(uintptr_t)arg * 7;
	unsigned long n = CHECKS / THREADS, bad = 0;

	for (unsigned long i = 0; i < n; i++, q = (q + 5) % QUESTIONS) {
		bool files = i % SESSION_EVERY == 0;
		struct cordon_verdict v;

		if (i % 2000 == 0)
			make_own();
		q %= QUESTIONS;
		if ((files ? ask_session(q, &v) : ask_profile(q, &v)) != 0 ||
		    !same(&v, files ? &by_session[q] : &by_profile[q]))
			bad++;
	}
	atomic_fetch_add(&asked, n);
	atomic_fetch_add(&wrong, bad);
	return NULL;
}

static void
make_world(void)
{
	struct cordon_session_options options = { .size = sizeof(options),
		.profile = "dev" };
	const char *policies[1];

	tmp_begin();
	tmp_dir("w");
	tmp_dir("w/src");
	tmp_dir("w/keys");
	tmp_dir("x");
	tmp_dir("home");
	tmp_file("w/src/a", "");
	tmp_file("w/keys/k", "");
	tmp_hardlink("w/keys/k", "w/doc.md");
	tmp_link("../x", "w/l");
	tmp_file("p.yaml", policy_text);
	setenv("HOME", tmp_path("home"), 1);
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("XDG_STATE_HOME");
	policies[0] = tmp_path("p.yaml");
	options.policies = policies;
	options.policy_count = 1;
	options.workspace = tmp_path("w");
	need(cordon_session_new(&options, NULL, &session, NULL) == 0,
	    "session");
	need(cordon_policy_load(policies[0], NULL, &policy, NULL) == 0,
	    "policy");
	need(cordon_profile_resolve(policy, "dev", &profile, NULL) == 0,
	    "profile");
}

int
main(void)
{
	pthread_t threads[THREADS];
	size_t allowed = 0;

	make_world();
	for (size_t q = 0; q < QUESTIONS; q++) {
		need(ask_profile(q, &by_profile[q]) == 0, paths[q / 3]);
		need(ask_session(q, &by_session[q]) == 0, paths[q / 3]);
		allowed += by_profile[q].allowed + by_session[q].allowed;
	}
	ok_f(allowed > QUESTIONS / 2 && allowed < 3 * QUESTIONS / 2,
	    "%zu of %zu answers are yes", allowed, 2 * QUESTIONS);
	for (size_t i = 0; i < THREADS; i++)
		need(pthread_create(&threads[i], NULL, work,
			 (void *)(uintptr_t)i) == 0, "thread");
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	ok_f(asked == CHECKS, "%lu questions by %d threads", asked, THREADS);
	ok_f(wrong == 0, "the same answers each time (%lu)", wrong);
	ok_f(failed == 0, "and all of them could make objects (%lu)", failed);
	cordon_profile_free(profile);
	cordon_policy_free(policy);
	cordon_session_free(session);
	tmp_end();
	return done_testing();
}
