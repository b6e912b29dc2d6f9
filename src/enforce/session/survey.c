#include "enforce/session/survey.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "enforce/session/hooks.h"

enum state { NOT_YET, MAKING, MADE };

/* For files that include each other; what libraries give may be less. */
#define STACK_BYTES (2UL * 1024UL * 1024UL)

struct cdn_survey {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	enum state state;
	unsigned users; /* runs */
	bool has_thread;
	bool stopping; /* it is waited for */
	pthread_t thread;
	atomic_bool stop;
	struct cdn_arena *arena;
	int code; /* of the making, with err */
	struct cordon_error err;
	struct cdn_repositories found;
	struct cdn_preset_facts facts;
	const struct cdn_authority *authority;
	struct cdn_arena *configuring_arena;
	const struct cdn_authority *configuring; /* NULL: not yet */
};

struct cdn_survey *
cdn_survey_new(void)
{
	struct cdn_survey *survey = calloc(1, sizeof(*survey));

	if (survey == NULL)
		return NULL;
	pthread_mutex_init(&survey->lock, NULL);
	pthread_cond_init(&survey->changed, NULL);
	return survey;
}

void
cdn_survey_free(struct cdn_survey *survey)
{
	if (survey == NULL)
		return;
	cdn_arena_free(survey->arena);
	cdn_arena_free(survey->configuring_arena);
	pthread_cond_destroy(&survey->changed);
	pthread_mutex_destroy(&survey->lock);
	free(survey);
}

/* ----- Making --------------------------------------------------------------------- */

static int
make(const struct cordon_session *s, struct cdn_survey *survey,
    struct cordon_error *err)
{
	struct cdn_authority_spec spec = s->spec;
	const struct cdn_hooks_spec hooks = { .workspace = s->workspace,
		.places = &s->places, .worktree = &s->worktree,
		.repositories = &survey->found, .lenient = true };
	int code;

	survey->arena = cdn_arena_new();
	if (survey->arena == NULL)
		return cdn_err_nomem(err);
	code = cdn_repositories_all(survey->arena, s->workspace,
	    CDN_SURVEY_LOOKS_MAX, &survey->stop, &survey->found, err);
	if (code == 0)
		code = cdn_hooks_find(survey->arena, &hooks,
		    &spec.facts.executed, &spec.facts.executed_count, err);
	if (code != 0)
		return code;
	spec.facts.repositories = survey->found.v;
	spec.facts.repository_count = survey->found.n;
	survey->facts = spec.facts;
	return cdn_authority_build(survey->arena, &spec, &survey->authority,
	    err);
}

/* With the lock, which is not held meanwhile. */
static void
make_unlocked(const struct cordon_session *s, struct cdn_survey *survey)
{
	survey->state = MAKING;
	pthread_mutex_unlock(&survey->lock);
	survey->err = (struct cordon_error){ 0 };
	survey->code = make(s, survey, &survey->err);
	pthread_mutex_lock(&survey->lock);
	survey->state = MADE;
	pthread_cond_broadcast(&survey->changed);
}

/* With the lock. */
static void
forget(struct cdn_survey *survey)
{
	cdn_arena_free(survey->arena);
	survey->arena = NULL;
	survey->authority = NULL;
	survey->found = (struct cdn_repositories){ 0 };
	survey->state = NOT_YET;
	atomic_store(&survey->stop, false);
}

static void *
thread_main(void *arg)
{
	const struct cordon_session *s = arg;
	struct cdn_survey *survey = s->survey;

	survey->code = make(s, survey, &survey->err);
	pthread_mutex_lock(&survey->lock);
	survey->state = MADE;
	pthread_cond_broadcast(&survey->changed);
	pthread_mutex_unlock(&survey->lock);
	return NULL;
}

/* With the lock.  Signals are for the threads that know them. */
static bool
start_thread(const struct cordon_session *s, struct cdn_survey *survey)
{
	union {
		const struct cordon_session *given;
		void *arg;
	} session = { s };
	sigset_t all, before;
	pthread_attr_t attr;

	if (pthread_attr_init(&attr) != 0)
		return false;
	survey->state = MAKING;
	survey->err = (struct cordon_error){ 0 };
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	survey->has_thread =
	    pthread_attr_setstacksize(&attr, STACK_BYTES) == 0 &&
	    pthread_create(&survey->thread, &attr, thread_main,
		session.arg) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	return survey->has_thread;
}

/* ----- For runs ------------------------------------------------------------------- */

void
cdn_survey_begin(const struct cordon_session *session)
{
	struct cdn_survey *survey = session->survey;

	if (!session->partial)
		return;
	pthread_mutex_lock(&survey->lock);
	survey->users++;
	while (survey->stopping)
		pthread_cond_wait(&survey->changed, &survey->lock);
	if (survey->state == MADE && survey->code != 0 && !survey->has_thread)
		forget(survey); /* perhaps it works now */
	if (survey->state == NOT_YET && !start_thread(session, survey))
		make_unlocked(session, survey);
	pthread_mutex_unlock(&survey->lock);
}

void
cdn_survey_end(const struct cordon_session *session)
{
	struct cdn_survey *survey = session->survey;

	if (!session->partial)
		return;
	pthread_mutex_lock(&survey->lock);
	if (--survey->users == 0 && survey->has_thread) {
		pthread_t thread = survey->thread;

		survey->has_thread = false;
		survey->stopping = true;
		atomic_store(&survey->stop, true);
		pthread_mutex_unlock(&survey->lock);
		pthread_join(thread, NULL);
		pthread_mutex_lock(&survey->lock);
		survey->stopping = false;
		atomic_store(&survey->stop, false);
		if (survey->code != 0)
			forget(survey);
		pthread_cond_broadcast(&survey->changed);
	}
	pthread_mutex_unlock(&survey->lock);
}

/* ----- Asking --------------------------------------------------------------------- */

static bool
is_inside(const struct cordon_session *session, cdn_str path)
{
	size_t n = strlen(session->workspace);

	n = n == 1 ? 0 : n; /* "/" */
	return path.n >= n && memcmp(path.p, session->workspace, n) == 0 &&
	    (path.n == n || path.p[n] == '/');
}

bool
cdn_survey_is_inside(const struct cordon_session *session, const char *path)
{
	return is_inside(session, cdn_str_of(path));
}

bool
cdn_survey_concerns(const struct cordon_session *session, cdn_str path)
{
	return session->partial && is_inside(session, path);
}

const struct cdn_repositories *
cdn_survey_known(const struct cordon_session *session)
{
	struct cdn_survey *survey = session->survey;
	bool made;

	pthread_mutex_lock(&survey->lock);
	made = session->partial && survey->state == MADE && survey->code == 0;
	pthread_mutex_unlock(&survey->lock);
	return made ? &survey->found : &session->repositories;
}

/* It is there when this returns, or its code says why not. */
static int
wait_for(const struct cordon_session *session, struct cordon_error *err)
{
	struct cdn_survey *survey = session->survey;
	int code;

	pthread_mutex_lock(&survey->lock);
	while (survey->state != MADE || survey->stopping)
		if (survey->state == NOT_YET && !survey->stopping)
			make_unlocked(session, survey);
		else
			pthread_cond_wait(&survey->changed, &survey->lock);
	code = survey->code;
	if (code != 0 && err != NULL)
		*err = survey->err;
	pthread_mutex_unlock(&survey->lock);
	return code;
}

int
cdn_survey_authority(const struct cordon_session *session,
    const struct cdn_authority **ret, struct cordon_error *err)
{
	int code = wait_for(session, err);

	if (code == 0)
		*ret = session->survey->authority;
	return code;
}

int
cdn_survey_facts(const struct cordon_session *session,
    struct cdn_preset_facts *facts, struct cordon_error *err)
{
	int code = session->partial ? wait_for(session, err) : 0;

	if (code != 0 || !session->partial)
		return code;
	facts->repositories = session->survey->facts.repositories;
	facts->repository_count = session->survey->facts.repository_count;
	facts->executed = session->survey->facts.executed;
	facts->executed_count = session->survey->facts.executed_count;
	return 0;
}

int
cdn_survey_repositories(const struct cordon_session *session,
    const struct cdn_repositories **ret, struct cordon_error *err)
{
	int code = session->partial ? wait_for(session, err) : 0;

	*ret = session->partial ? &session->survey->found :
				  &session->repositories;
	return code;
}

/* With the lock. */
static int
make_configuring(const struct cordon_session *s, struct cdn_survey *survey,
    const struct cdn_preset_facts *facts, struct cordon_error *err)
{
	struct cdn_authority_spec spec = s->spec;

	cdn_arena_free(survey->configuring_arena);
	survey->configuring_arena = cdn_arena_new();
	if (survey->configuring_arena == NULL)
		return cdn_err_nomem(err);
	spec.facts = *facts;
	spec.facts.config_compared = true;
	return cdn_authority_build(survey->configuring_arena, &spec,
	    &survey->configuring, err);
}

int
cdn_survey_configuring(const struct cordon_session *session,
    const struct cdn_authority **ret, struct cordon_error *err)
{
	struct cdn_survey *survey = session->survey;
	struct cdn_preset_facts facts = session->spec.facts;
	int code = cdn_survey_facts(session, &facts, err);

	if (code != 0)
		return code;
	pthread_mutex_lock(&survey->lock);
	if (survey->configuring == NULL)
		code = make_configuring(session, survey, &facts, err);
	*ret = survey->configuring;
	pthread_mutex_unlock(&survey->lock);
	return code;
}
