/*
 * session - documents, profile, workspace and preset, ready to be asked.
 *
 *	places ─► documents ─► layers ─┐
 *	workspace, PATH, homes ─► view ─┴─► authority (engine/decide) ◄─ ask
 *
 * This room gathers facts from the machine and hands them to the decision
 * function as plain data; it decides nothing itself.  A session is immutable
 * once made and may be shared between threads.
 */
#ifndef CDN_SESSION_SESSION_H
#define CDN_SESSION_SESSION_H

#include "base/diag.h"
#include "enforce/home/home.h"
#include "enforce/path/lookup.h"
#include "enforce/session/repositories.h"
#include "enforce/session/worktree.h"
#include "enforce/store/places.h"
#include "engine/decide/decide.h"

/* A document as loaded, before it becomes a layer. */
struct cdn_loaded {
	enum cordon_layer layer;
	struct cordon_policy *policy; /* owned */
	const char *file;	      /* as given or found */
	bool trusted;
	bool denies_only; /* merged into a later layer; its denies hold here */
};

/*
 * Where the session's own home and tmp are, or would be: nothing is made here
 * (enforce/home does that when something is started).
 */
struct cdn_own {
	char id[17];	  /* 16 hex digits, random: the session */
	const char *base; /* state directory, or /tmp/cordon-UID-ID */
	bool substitute;  /* base is the latter: STATE cannot be written */
	const char *home; /* base/homes/..., "" when the real one is used */
	/* Where an agent keeps its state: home, or one of its own. */
	const char *state; /* "" when there is neither */
	/* As home for a run that nothing confines: no other one writes it. */
	const char *unconfined;
	const char *tmp;  /* base/tmp/ID, "" when the host's is used */
	bool granted; /* for a command that gets more than others: home.h */
};

/* The agent that is run: agent.h.  Paths are as named, links not followed. */
struct cdn_agent;
struct cdn_agent_here {
	const struct cdn_agent *is; /* NULL: none */
	const char *namesake; /* none, for it lies in the workspace; or NULL */
	bool moved;	      /* a variable of its own names its directory */
	bool relocated;	      /* its state is not found by HOME inside */
	const char **dirs;    /* of its real state; need not be there yet */
	const char **shown;   /* the same for people: "~/.claude" */
	const char **inside;  /* the same below the private home */
	size_t dir_count;
	struct cdn_home_link *links; /* what it obeys */
	size_t link_count, link_room;
	struct cdn_home_file *files; /* what it rewrites */
	size_t file_count;
	const char *scratch; /* in /tmp; "" = none */
};

struct cordon_session {
	struct cdn_arena *arena; /* owns everything but the policies */
	struct cdn_lookup *lookup; /* what was found while it was made */
	struct cdn_own own;
	struct cdn_agent_here agent;
	struct cdn_places places;
	const char *workspace; /* real path */
	const char *cwd;       /* relative questions start here */
	const char *profile;
	enum cordon_preset preset;
	bool unguarded; /* no document but the host's is asked */
	bool only_asked; /* nothing can be started: options.asked */
	bool only_inside; /* and only the workspace is judged: ask.c */

	struct cdn_loaded *loaded; /* layers, outermost first */
	size_t loaded_count;
	struct cordon_document *files; /* every file read, merged or not */
	size_t file_count;
	const char **profiles; /* the session's, then those of called workers */
	size_t profile_count;
	struct cdn_seat *workers; /* see workers.h */
	size_t worker_count;
	size_t first_called; /* workers from here on can only narrow: workers.h */
	struct cordon_worker **handed; /* of a session that was handed over, */
	size_t handed_count;	       /* whose workers are its own */
	/*
	 * Each loaded document under each profile, then the workers.  Profiles
	 * of the former are owned.
	 */
	struct cdn_document *documents;
	size_t document_count;

	const char **protect; /* what the caller keeps for himself */
	size_t protect_count;
	bool mounts_unknown; /* no mountinfo: bind mounts may show the floor */
	const char **linked; /* protected files with more than one name */
	size_t linked_count; /* see linked.h */
	const char **inside; /* what lies in directories of keys: elsewhere.h */
	size_t inside_count;
	const char **guarded; /* directories in which no git repository may */
	size_t guarded_count; /* come to be: broker/repository.c */
	struct cdn_worktree worktree;
	struct cdn_repositories repositories; /* in it, those that are near */
	bool partial; /* there may be more: survey.h */
	const char *shown_at; /* a mount shows there what a rule denies, */
	const char *shown_rule; /* and cannot be closed; or NULL */
	struct cdn_place_list inodes;	 /* of cordon's own: see inodes.h */
	struct cdn_network_set *network; /* --network, or NULL */
	const char *network_text;	 /* as it was given */
	struct cdn_authority_spec spec;	 /* what the authority was built from */
	const struct cdn_authority *authority;
	/*
	 * Of a run inside of another one (handover.h), whose session this is,
	 * and what holds for that run besides the rules; else NULL.
	 */
	const struct cordon_session *outer;
	const struct cdn_terms *outer_terms; /* launch.h */
	const struct cdn_plan *outer_plan; /* engine/plan */
	/* Made later, under locks of their own. */
	struct cdn_folded *folded;     /* folded.h */
	struct cdn_survey *survey;     /* survey.h */
	struct cdn_attached *attached; /* attach.h */
	struct cdn_other_names *other_names; /* othernames.h */
};

CDN_MUST_USE int cdn_session_new(const struct cordon_session_options *options,
    struct cordon_diags *diags, struct cordon_session **ret,
    struct cordon_error *err);
/* Without the user's and the project's documents: cordon_unguarded(). */
CDN_MUST_USE int cdn_session_unguarded(
    const struct cordon_session_options *options, struct cordon_session **ret,
    struct cordon_error *err);
void cdn_session_free(struct cordon_session *session);

/* fsProfile, else ORBIT_ACTIVITY_FS_PROFILE, else `unrestricted`. */
const char *cdn_session_profile_default(const char *asked);

/* ask.c: one question from the outside, strings and files included. */
CDN_MUST_USE int cdn_session_check(const struct cordon_session *session,
    const struct cordon_query *query, struct cordon_verdict *ret,
    struct cordon_error *err);
CDN_MUST_USE int cdn_session_explain(const struct cordon_session *session,
    const struct cordon_query *query, cdn_explain_fn *matched, void *arg,
    struct cordon_error *err);

/*
 * READ, MODIFY or EXEC as process or agent, of a name that starts at `base`
 * (absolute) when it is relative; and of an object that was found already.
 */
CDN_MUST_USE int cdn_session_find(const struct cordon_session *session,
    const char *base, cdn_str raw, struct cdn_real *ret,
    struct cordon_error *err);
CDN_MUST_USE int cdn_session_judge(const struct cordon_session *session,
    enum cordon_as as, enum cordon_op op, const struct cdn_real *real,
    struct cordon_verdict *ret, struct cordon_error *err);

/*
 * Are the paths that will be asked about all in the workspace, and the files
 * that only root may read (private_files.h) elsewhere?
 */
struct cdn_mounts;
bool cdn_session_asks_inside(const struct cordon_session *session,
    const struct cordon_session_options *options,
    const struct cdn_mounts *mounts);

/* The policy of document i; NULL: it is a worker. */
const struct cdn_loaded *cdn_session_loaded(
    const struct cordon_session *session, size_t i);
/*
 * The profiles of all policies into ret[i], to be freed by the caller, as many
 * as *ret_count says also after a failure.  mode: bits of cdn_resolve_mode.
 */
CDN_MUST_USE int cdn_session_resolve(const struct cordon_session *session,
    unsigned mode, struct cdn_document *ret, size_t *ret_count,
    struct cordon_error *err);

/* CORDON_E_INVALID when the project defines a profile that `by` seals. */
CDN_MUST_USE int cdn_session_sealed(const struct cordon_policy *by,
    const struct cordon_policy *project, struct cordon_error *err);

/*
 * unprotect.c: the defaults as documents and options change them, by
 * spec.unprotect of those that may widen, and by --allow.
 */
CDN_MUST_USE int cdn_session_unprotect(struct cordon_session *session,
    struct cordon_error *err);
bool cdn_session_wants_nested(const struct cordon_session_options *options);
CDN_MUST_USE int cdn_session_allow(struct cordon_session *session,
    const struct cordon_session_options *options, struct cordon_error *err);

/* documents.c: which files, in which order, trusted or not. */
CDN_MUST_USE int cdn_session_load(struct cordon_session *session,
    const struct cordon_session_options *options, struct cordon_diags *diags,
    struct cordon_error *err);

#endif
