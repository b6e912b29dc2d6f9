#include "enforce/session/folded.h"

#include <pthread.h>

#include "enforce/path/path.h"
#include "enforce/session/survey.h"
#include "enforce/session/workers.h"
#include "engine/match/fold.h"

struct cdn_folded {
	pthread_mutex_t lock;
	struct cdn_arena *arena;	/* NULL until it is made */
	struct cdn_document *documents; /* profiles owned; in the arena */
	size_t document_count;		/* how many have their profile */
	const struct cdn_authority *authority;
};

struct cdn_folded *
cdn_folded_new(void)
{
	struct cdn_folded *folded = calloc(1, sizeof(*folded));

	if (folded != NULL)
		pthread_mutex_init(&folded->lock, NULL);
	return folded;
}

/* Back to "not made yet"; what was half done goes. */
static void
reset(struct cdn_folded *folded)
{
	for (size_t i = 0; i < folded->document_count; i++)
		cdn_profile_free(folded->documents[i].profile);
	cdn_arena_free(folded->arena);
	folded->arena = NULL;
	folded->documents = NULL;
	folded->document_count = 0;
	folded->authority = NULL;
}

void
cdn_folded_free(struct cdn_folded *folded)
{
	if (folded == NULL)
		return;
	reset(folded);
	pthread_mutex_destroy(&folded->lock);
	free(folded);
}

/* The session's documents with profiles that compare without case. */
static int
resolve_all(const struct cordon_session *s, struct cdn_folded *folded,
    struct cordon_error *err)
{
	size_t workers = s->document_count - s->worker_count;
	int code;

	folded->documents = cdn_arena_array(folded->arena, s->document_count,
	    sizeof(*folded->documents));
	if (folded->documents == NULL)
		return cdn_err_nomem(err);
	memcpy(folded->documents, s->documents,
	    s->document_count * sizeof(*s->documents));
	code = cdn_session_resolve(s, CDN_RESOLVE_FOLDED, folded->documents,
	    &folded->document_count, err);
	for (size_t i = 0; i < s->worker_count && code == 0; i++)
		code = cdn_worker_document(folded->arena, s, i, true,
		    &folded->documents[workers + i], err);
	return code;
}

/* Of a run inside of another one: what decides there without case, too. */
static int
put_inside(const struct cordon_session *s, struct cdn_folded *folded,
    struct cordon_error *err)
{
	const struct cdn_authority *outer;
	int code = cdn_folded_authority(s->outer, &outer, err);

	return code != 0 ? code : cdn_authority_below(folded->arena,
	    folded->authority, outer, &folded->authority, err);
}

static int
make(const struct cordon_session *s, struct cdn_folded *folded,
    struct cordon_error *err)
{
	struct cdn_authority_spec spec = s->spec;
	int code;

	folded->arena = cdn_arena_new();
	if (folded->arena == NULL)
		return cdn_err_nomem(err);
	code = resolve_all(s, folded, err);
	if (code != 0)
		return code;
	spec.documents = folded->documents;
	spec.fold = true;
	code = cdn_survey_facts(s, &spec.facts, err);
	if (code != 0)
		return code;
	code = cdn_authority_build(folded->arena, &spec, &folded->authority,
	    err);
	return code != 0 || s->outer == NULL ? code : put_inside(s, folded,
	    err);
}

int
cdn_folded_authority(const struct cordon_session *session,
    const struct cdn_authority **ret, struct cordon_error *err)
{
	struct cdn_folded *folded = session->folded;
	int code = 0;

	pthread_mutex_lock(&folded->lock);
	if (folded->authority == NULL) {
		code = make(session, folded, err);
		if (code != 0)
			reset(folded);
	}
	if (code == 0)
		*ret = folded->authority;
	pthread_mutex_unlock(&folded->lock);
	return code;
}

enum cdn_compound_result
cdn_folded_compound(const struct cordon_session *session,
    enum cdn_compound what, cdn_str from, cdn_str to,
    struct cordon_verdict *verdict)
{
	char texts[2][CDN_PATH_MAX + 1];
	const struct cdn_authority *authority;
	struct cordon_verdict folded = { 0 };
	enum cdn_compound_result r;

	if (!cdn_path_folds_somewhere(from.p, from.n) &&
	    !cdn_path_folds_somewhere(to.p, to.n))
		return CDN_COMPOUND_ALLOW;
	if (from.n > CDN_PATH_MAX || to.n > CDN_PATH_MAX ||
	    cdn_folded_authority(session, &authority, NULL) != 0) {
		verdict->allowed = false;
		return CDN_COMPOUND_DENY;
	}
	r = cdn_decide_compound(authority, CORDON_AS_PROCESS, what,
	    (cdn_str){ texts[0], cdn_fold(from, texts[0]) },
	    (cdn_str){ texts[1], cdn_fold(to, texts[1]) }, &folded);
	if (r != CDN_COMPOUND_ALLOW)
		*verdict = folded;
	return r;
}
