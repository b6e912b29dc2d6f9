/*
 * survey - every git repository of the workspace, however far down.
 *
 * To look into each directory of a large workspace takes longer than a start
 * may.  So a session knows those that are nearest to the top, and where it did
 * not look into all (`partial`) the rest is found beside what runs.
 *
 * Threat:    a repository lies far down, in node_modules or behind hundreds of
 *	      directories; the run writes in it, or where its core.hooksPath
 *	      leads.
 * Invariant: nothing in the workspace of such a session is modified before all
 *	      of its directories were looked into, and then only what the
 *	      defaults allow that know all repositories.
 * Held by:   whoever judges a modification asks here, too, and waits.  What
 *	      fails (memory, too many directories) denies all of them.  The
 *	      directories are looked at by a thread that nothing confines.
 */
#ifndef CDN_SESSION_SURVEY_H
#define CDN_SESSION_SURVEY_H

#include "enforce/session/session.h"

struct cdn_survey;

struct cdn_survey *cdn_survey_new(void); /* NULL: no memory */
void cdn_survey_free(struct cdn_survey *survey);

/*
 * For a run: it begins, in a thread of its own, and is stopped at the end if
 * nobody else needs it.  Nothing for a session that knows all.
 */
void cdn_survey_begin(const struct cordon_session *session);
void cdn_survey_end(const struct cordon_session *session);

/* Must it be asked about a modification of this path? */
bool cdn_survey_concerns(const struct cordon_session *session, cdn_str path);

/*
 * The authority of the session that knows all repositories: waits until there is
 * one, and makes it where nothing has begun.
 */
CDN_MUST_USE int cdn_survey_authority(const struct cordon_session *session,
    const struct cdn_authority **ret, struct cordon_error *err);
/* What of the facts it adds to; likewise. */
CDN_MUST_USE int cdn_survey_facts(const struct cordon_session *session,
    struct cdn_preset_facts *facts, struct cordon_error *err);
/* All repositories, of a session that knows them itself as well. */
CDN_MUST_USE int cdn_survey_repositories(const struct cordon_session *session,
    const struct cdn_repositories **ret, struct cordon_error *err);
/*
 * The same authority, but that the defaults let the config of a .git be
 * modified: for whoever performs only what git_config.h allows.
 */
CDN_MUST_USE int cdn_survey_configuring(const struct cordon_session *session,
    const struct cdn_authority **ret, struct cordon_error *err);

/* As many as are known by now; never waits. */
const struct cdn_repositories *cdn_survey_known(
    const struct cordon_session *session);
/* Does the path lie in the workspace? */
bool cdn_survey_is_inside(const struct cordon_session *session,
    const char *path);

#endif
