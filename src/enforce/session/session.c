/*
 * session - putting it together.
 */
#include "enforce/session/agent.h"
#include "enforce/session/attach.h"
#include "enforce/session/elsewhere.h"
#include "enforce/session/folded.h"
#include "enforce/session/survey.h"
#include "enforce/session/handover.h"
#include "enforce/session/othernames.h"
#include "enforce/session/placelist.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "enforce/session/home_entries.h"
#include "enforce/session/hooks.h"
#include "enforce/session/own.h"
#include "enforce/session/repositories.h"
#include "enforce/session/workers.h"
#include "engine/decide/preset.h"

/* ----- Where we are ----------------------------------------------------------- */

static int
find_cwd(struct cordon_session *s, struct cordon_error *err)
{
	char cwd[CDN_PATH_MAX + 1];

	if (getcwd(cwd, sizeof(cwd)) == NULL) {
		(void)cdn_err_sys(err, errno, "current directory");
		return cdn_err_recode(err, CORDON_E_WORKSPACE);
	}
	s->cwd = cdn_arena_dup(s->arena, cwd, strlen(cwd));
	return s->cwd == NULL ? cdn_err_nomem(err) : 0;
}

static int
find_workspace(struct cordon_session *s, const char *dir,
    struct cordon_error *err)
{
	struct cdn_real real;
	int code;

	/* The kernel's own name for where we are is real already. */
	if (dir == NULL && s->cwd[0] == '/') {
		s->workspace = s->cwd;
		return 0;
	}
	code = cdn_path_workspace(dir == NULL ? s->cwd : dir, &real, err);
	if (code != 0)
		return code;
	s->workspace = cdn_arena_dup(s->arena, real.path, real.len);
	return s->workspace == NULL ? cdn_err_nomem(err) : 0;
}

/* ----- Which profile ------------------------------------------------------------ */

/* The one that is asked for, or the variable's; NULL: nobody says anything. */
static const char *
said_profile(const char *asked)
{
	const char *variable = getenv("ORBIT_ACTIVITY_FS_PROFILE");

	if (asked == NULL && variable != NULL && variable[0] != '\0')
		return variable;
	return asked;
}

/* Here, and nowhere else, silence means `unrestricted`: within the policy. */
const char *
cdn_session_profile_default(const char *asked)
{
	const char *said = said_profile(asked);

	return said != NULL ? said : CDN_UNRESTRICTED;
}

/* One more, if it is not among them; the last is the session's name for it. */
static int
add_profile(struct cordon_session *s, const char *name,
    struct cordon_error *err)
{
	const char *copy = cdn_arena_dup(s->arena, name, strlen(name));

	if (copy == NULL)
		return cdn_err_nomem(err);
	s->profile = copy;
	for (size_t i = 0; i < s->profile_count; i++)
		if (strcmp(s->profiles[i], name) == 0)
			return 0;
	s->profiles[s->profile_count++] = copy;
	return 0;
}

/* Without a document there is only the preset's own, under its name. */
static int
check_preset_profile(struct cordon_session *s, const char *asked,
    struct cordon_error *err)
{
	const char *own = cdn_preset_get(s->preset)->name;

	if (asked == NULL)
		asked = own;
	if (strcmp(asked, own) != 0 && strcmp(asked, CDN_UNRESTRICTED) != 0)
		return cdn_err(err, CORDON_E_INVALID,
		    "preset '%s' does not define fsProfile '%s' and no policy "
		    "is loaded (pass --policy FILE)", own, asked);
	return add_profile(s, asked, err);
}

/* Some loaded document must define it, unless it is `unrestricted`. */
static int
check_profile(struct cordon_session *s, const char *name,
    struct cordon_error *err)
{
	const struct cordon_policy *policy = s->loaded[0].policy;
	bool defined = strcmp(name, CDN_UNRESTRICTED) == 0;

	for (size_t i = 0; i < s->loaded_count; i++)
		defined |= cdn_policy_find_profile(s->loaded[i].policy,
			       cdn_str_of(name)) != NULL;
	if (!defined)
		return cdn_err(err, CORDON_E_INVALID,
		    "policy '%s' does not define fsProfile '%s'%s (see `cordon "
		    "policy show`)", policy->name.p, name,
		    s->loaded_count > 1 ?
			", nor does any other loaded policy" : "");
	return add_profile(s, name, err);
}

static int
take_profile(struct cordon_session *s, const char *asked,
    struct cordon_error *err)
{
	if (s->loaded_count == 0)
		return check_preset_profile(s, asked, err);
	return check_profile(s, cdn_session_profile_default(asked), err);
}

/* fsProfile of worker i; NULL: it says nothing. */
static const char *
worker_profile(const struct cordon_session *s, size_t i)
{
	return i < s->worker_count && s->workers[i].worker->fs_profile.n > 0 ?
	    s->workers[i].worker->fs_profile.p : NULL;
}

/*
 * The one asked for, or the worker's, or the variable's.
 *
 * Threat:    a called worker names a profile with roots, sockets or a network
 *	      that the session does not have.
 * Invariant: its profile is intersected with the session's, and opens nothing.
 * Held by:   cdn_session_resolve(): the layers of such a profile are not
 *	      trusted, so that they grant nothing alone.  live/tool/authority.py.
 */
static int
choose_profiles(struct cordon_session *s, const char *asked,
    struct cordon_error *err)
{
	int code;

	s->profiles = cdn_arena_array(s->arena, s->worker_count + 1,
	    sizeof(*s->profiles));
	if (s->profiles == NULL)
		return cdn_err_nomem(err);
	if (asked == NULL && !cdn_workers_called(s, 0))
		asked = worker_profile(s, 0);
	code = take_profile(s, said_profile(asked), err);
	for (size_t i = s->first_called; i < s->worker_count && code == 0; i++)
		if (worker_profile(s, i) != NULL)
			code = take_profile(s, worker_profile(s, i), err);
	return code;
}

/* ----- Layers --------------------------------------------------------------------- */

const struct cdn_loaded *
cdn_session_loaded(const struct cordon_session *session, size_t i)
{
	i /= session->profile_count;
	return i < session->loaded_count ? &session->loaded[i] : NULL;
}

int
cdn_session_resolve(const struct cordon_session *session, unsigned mode,
    struct cdn_document *ret, size_t *ret_count, struct cordon_error *err)
{
	const struct cdn_loaded *loaded;

	for (size_t i = 0; (loaded = cdn_session_loaded(session, i)) != NULL;
	     i++) {
		const char *name =
		    session->profiles[i % session->profile_count];
		int code = cdn_profile_resolve(loaded->policy,
		    cdn_str_of(name), mode | CDN_RESOLVE_DENIES_ONLY |
		    (loaded->denies_only ? CDN_RESOLVE_NO_PROFILE : 0U),
		    &ret[i].profile, err);

		if (code != 0)
			return code;
		ret[i].layer = loaded->layer;
		/* Only the first profile is of the session's own choice. */
		ret[i].trusted = loaded->trusted &&
		    i % session->profile_count == 0;
		++*ret_count;
	}
	return 0;
}

static int
resolve_layers(struct cordon_session *s, struct cordon_error *err)
{
	s->documents = cdn_arena_array(s->arena,
	    s->loaded_count * s->profile_count + s->worker_count,
	    sizeof(*s->documents));
	if (s->documents == NULL)
		return cdn_err_nomem(err);
	return cdn_session_resolve(s, 0, s->documents, &s->document_count,
	    err);
}

int
cdn_session_add_workers(struct cordon_session *s, struct cordon_error *err)
{
	int code = 0;

	for (size_t i = 0; i < s->worker_count && code == 0; i++) {
		code = cdn_worker_document(s->arena, s, i, false,
		    &s->documents[s->document_count], err);
		if (code == 0)
			s->document_count++;
	}
	return code;
}

/* A repository of its own keeps its hooks and its configuration. */
static enum cdn_preset_git
git_entries(const struct cordon_session *s, bool nested)
{
	char name[CDN_PATH_MAX + sizeof("/.git")];
	struct stat st;

	if (!nested)
		return CDN_GIT_FIXED;
	snprintf(name, sizeof(name), "%s/.git", s->workspace);
	return lstat(name, &st) != 0 && errno == ENOENT ? CDN_GIT_FRESH :
							  CDN_GIT_NESTED;
}

/* Without /proc nobody can tell; the session says so. */
static int
read_mounts(struct cordon_session *s, struct cdn_mounts *ret,
    struct cordon_error *err)
{
	struct cordon_error why;
	int code = cdn_mounts_read(s->arena, ret, &why);

	s->mounts_unknown = code == CORDON_E_NOT_FOUND;
	if (code == 0 || s->mounts_unknown)
		return 0;
	if (err != NULL)
		*err = why;
	return code;
}

/* What was approved for the command, else the option. */
static int
find_network(struct cordon_session *s,
    const struct cordon_session_options *options, struct cordon_error *err)
{
	const char *asked = options->network;

	s->spec.network_granted = options->grants != NULL &&
	    options->grants->network;
	if (s->spec.network_granted)
		asked = "full";
	if (asked == NULL)
		return 0;
	s->network_text = cdn_arena_dup(s->arena, asked, strlen(asked));
	return s->network_text == NULL ? cdn_err_nomem(err) :
	    cdn_network_option(s->arena, asked, &s->network, err);
}

/*
 * The directory of this process is real.  Of the homes and the workspace most
 * names of the floor and of the rules are.
 */
static bool
prepare_lookup(struct cordon_session *s)
{
	const char *const dirs[] = { s->places.home, s->places.passwd_home,
		s->workspace };

	s->lookup = cdn_lookup_new(s->arena);
	if (s->lookup == NULL ||
	    (s->cwd[0] == '/' && !cdn_lookup_know(s->lookup, s->cwd)))
		return false;
	for (size_t i = 0; i < CDN_LEN(dirs); i++)
		if (!cdn_lookup_expect(s->lookup, dirs[i]))
			return false;
	return true;
}

/* What cannot be found out may be there. */
static bool
may_have_git(const struct cordon_session *s, struct cdn_lookup *lookup)
{
	char name[CDN_PATH_MAX + sizeof("/.git")];
	struct cdn_found found;

	snprintf(name, sizeof(name), "%s/.git", s->workspace);
	return cdn_lookup_find(lookup, name, &found, NULL) != 0 ||
	    found.exists;
}

/* Where the run writes, and no repository may come to be. */
static int
guard_repositories(struct cordon_session *s, const struct cdn_worktree *tree,
    struct cdn_repositories *found, struct cordon_error *err)
{
	const char *const dirs[] = { s->workspace, tree->gitdir, tree->common };

	s->guarded = cdn_arena_array(s->arena, CDN_LEN(dirs),
	    sizeof(*s->guarded));
	if (s->guarded == NULL)
		return cdn_err_nomem(err);
	for (size_t i = 0; i < CDN_LEN(dirs); i++)
		if (dirs[i] != NULL)
			s->guarded[s->guarded_count++] = dirs[i];
	return cdn_repositories_near(s->arena, s->workspace, found, err);
}

static int
find_repository(struct cordon_session *s, struct cdn_gather *g,
    struct cordon_error *err)
{
	if (!may_have_git(s, g->lookup))
		return 0;
	return cdn_worktree_find(s->arena, s->workspace, &g->worktree, err);
}

/* What git on the host would execute, and where it would do so. */
static int
find_executed(struct cordon_session *s, const struct cdn_worktree *worktree,
    struct cordon_error *err)
{
	struct cdn_preset_facts *facts = &s->spec.facts;
	struct cdn_repositories found = { 0 };
	const struct cdn_hooks_spec spec = { s->workspace, &s->places,
		worktree, &found, false };
	int code = 0;

	if (!cdn_preset_get(s->preset)->defaults || s->unguarded)
		return 0;
	if (cdn_defaults_guard_git(facts))
		code = guard_repositories(s, worktree, &found, err);
	s->worktree = *worktree;
	s->repositories = found;
	s->partial = found.partial;
	facts->repositories = found.v;
	facts->repository_count = found.n;
	if (code == 0)
		code = cdn_hooks_find(s->arena, &spec, &facts->executed,
		    &facts->executed_count, err);
	return code != 0 ? code : cdn_home_entries_add(s->arena, s->workspace,
	    &s->places, &facts->executed, &facts->executed_count, err);
}

static int
gather(struct cordon_session *s, const struct cordon_session_options *options,
    struct cdn_gather *g, struct cordon_error *err)
{
	*g = (struct cdn_gather){ .session = s, .arena = s->arena,
		.err = err };
	if (!prepare_lookup(s))
		return cdn_err_nomem(err);
	g->lookup = s->lookup;
	s->own.granted = options->grants != NULL;
	g->code = cdn_own_find(s, g->lookup, options, err);
	if (g->code == 0)
		g->code = cdn_agent_here_find(s, options, err);
	if (g->code == 0)
		g->code = read_mounts(s, &g->mounts, err);
	if (g->code == 0)
		g->code = find_repository(s, g, err);
	if (g->code != 0)
		return g->code;
	s->protect_count = options->protect_count;
	s->protect = cdn_arena_array(s->arena, s->protect_count,
	    sizeof(*s->protect));
	if (s->protect == NULL)
		return cdn_err_nomem(err);
	cdn_gather_workers(g, s->workers);
	s->only_inside = s->only_asked && geteuid() == 0 &&
	    cdn_session_asks_inside(s, options, &g->mounts);
	cdn_gather_floor(g, options, &s->spec, &s->inodes);
	s->linked = g->linked;
	s->linked_count = g->linked_count;
	if (g->code == 0)
		g->code = cdn_session_add_workers(s, err);
	cdn_gather_grants(g, options, s->documents, &s->spec);
	cdn_gather_planted(g, options, s->documents, &s->spec);
	if (g->code == 0)
		g->code = find_network(s, options, err);
	if (g->code == 0)
		g->code = cdn_own_name_home(s, options, err);
	cdn_gather_own(g, &s->spec);
	cdn_gather_runtime(g, options, &s->spec);
	return g->code;
}

static int
build_authority(struct cordon_session *s,
    const struct cordon_session_options *options, struct cordon_error *err)
{
	struct cdn_gather g;
	bool more = false;
	int code = resolve_layers(s, err);

	if (code == 0)
		code = gather(s, options, &g, err);
	if (code != 0)
		return code;
	s->spec.profile_name = s->profile;
	s->spec.workspace = s->workspace;
	s->spec.preset = s->preset;
	s->spec.facts.git = git_entries(s,
	    cdn_session_wants_nested(options));
	s->spec.no_defaults = s->unguarded;
	code = cdn_session_unprotect(s, err);
	if (code == 0)
		code = cdn_session_allow(s, options, err);
	if (code == 0)
		code = find_executed(s, &g.worktree, err);
	if (code != 0)
		return code;
	s->spec.documents = s->documents;
	s->spec.document_count = s->document_count;
	s->spec.network = s->network;
	code = cdn_authority_build(s->arena, &s->spec, &s->authority, err);
	if (code == 0)
		code = cdn_elsewhere_find(s, &g, &more, err);
	if (code == 0 && more)
		code = cdn_authority_build(s->arena, &s->spec, &s->authority,
		    err);
	return code != 0 ? code : cdn_workers_check(s, err);
}

/* ----- Life ------------------------------------------------------------------------ */

static int
fill(struct cordon_session *s, const struct cordon_session_options *options,
    struct cordon_diags *diags, struct cordon_error *err)
{
	int code = cdn_places_find(s->arena, &s->places, err);

	s->preset = options->preset;
	if (code == 0)
		code = find_cwd(s, err);
	if (code == 0)
		code = find_workspace(s, options->workspace, err);
	if (code == 0)
		code = cdn_session_load(s, options, diags, err);
	if (code == 0)
		code = cdn_workers_take(s, options, err);
	if (code == 0)
		code = choose_profiles(s, options->profile, err);
	if (code == 0)
		code = build_authority(s, options, err);
	return code;
}

/*
 * What a session without a document needs, measured, and a little more; where
 * $HOME is not the home of the user it takes another block.
 */
#define ARENA_BYTES (108UL * 1024UL - 128UL)

struct cordon_session *
cdn_session_alloc(void)
{
	struct cdn_arena *arena = cdn_arena_new_large(ARENA_BYTES);
	struct cordon_session *session;

	if (arena == NULL)
		return NULL;
	session = cdn_arena_alloc(arena, sizeof(*session));
	if (session == NULL) {
		cdn_arena_free(arena);
		return NULL;
	}
	session->arena = arena;
	session->folded = cdn_folded_new();
	session->survey = cdn_survey_new();
	session->attached = cdn_attached_new();
	session->other_names = cdn_other_names_new(session);
	if (session->folded == NULL || session->survey == NULL ||
	    session->attached == NULL ||
	    session->other_names == NULL) {
		cdn_other_names_free(session->other_names);
		cdn_folded_free(session->folded);
		cdn_survey_free(session->survey);
		cdn_attached_free(session->attached);
		cdn_arena_free(arena);
		return NULL;
	}
	return session;
}

static int
make(const struct cordon_session_options *options, bool unguarded,
    struct cordon_diags *diags, struct cordon_session **ret,
    struct cordon_error *err)
{
	struct cordon_session *session = cdn_session_alloc();
	int code;

	if (session == NULL)
		return cdn_err_nomem(err);
	session->unguarded = unguarded;
	session->only_asked = options->asked != NULL;
	code = fill(session, options, diags, err);
	if (code != 0) {
		cdn_session_free(session);
		return code;
	}
	*ret = session;
	return 0;
}

int
cdn_session_new(const struct cordon_session_options *options,
    struct cordon_diags *diags, struct cordon_session **ret,
    struct cordon_error *err)
{
	return make(options, false, diags, ret, err);
}

int
cdn_session_unguarded(const struct cordon_session_options *options,
    struct cordon_session **ret, struct cordon_error *err)
{
	return make(options, true, NULL, ret, err);
}

void
cdn_session_free(struct cordon_session *session)
{
	if (session == NULL)
		return;
	cdn_other_names_free(session->other_names);
	cdn_attached_free(session->attached);
	cdn_folded_free(session->folded);
	cdn_survey_free(session->survey);
	for (size_t i = 0; i < session->document_count; i++)
		if (cdn_session_loaded(session, i) != NULL)
			cdn_profile_free(session->documents[i].profile);
	for (size_t i = 0; session->loaded != NULL &&
	    i < session->loaded_count; i++)
		cdn_policy_free(session->loaded[i].policy);
	for (size_t i = 0; i < session->handed_count; i++)
		cdn_worker_free(session->handed[i]);
	cdn_arena_free(session->arena);
}
