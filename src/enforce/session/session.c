/*
 * session - putting it together.
 */
#include "enforce/session/attach.h"
#include "enforce/session/elsewhere.h"
#include "enforce/session/folded.h"
#include "enforce/session/othernames.h"
#include "enforce/session/placelist.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "enforce/session/hooks.h"
#include "enforce/session/own.h"
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
	s->profile = cdn_arena_dup(s->arena, asked, strlen(asked));
	return s->profile == NULL ? cdn_err_nomem(err) : 0;
}

/* Some loaded document must define it, unless it is `unrestricted`. */
static int
check_profile(struct cordon_session *s, const char *asked,
    struct cordon_error *err)
{
	const char *name = asked == NULL ? CDN_UNRESTRICTED : asked;
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
	s->profile = cdn_arena_dup(s->arena, name, strlen(name));
	return s->profile == NULL ? cdn_err_nomem(err) : 0;
}

static int
choose_profile(struct cordon_session *s, const char *asked,
    struct cordon_error *err)
{
	const char *variable = getenv("ORBIT_ACTIVITY_FS_PROFILE");

	if (asked == NULL && variable != NULL && variable[0] != '\0')
		asked = variable;
	if (s->loaded_count == 0)
		return check_preset_profile(s, asked, err);
	return check_profile(s, asked, err);
}

/* ----- Layers --------------------------------------------------------------------- */

unsigned
cdn_session_resolve_mode(const struct cordon_session *session, size_t i)
{
	unsigned mode = CDN_RESOLVE_DENIES_ONLY;

	if (session->loaded[i].denies_only)
		mode |= CDN_RESOLVE_NO_PROFILE;
	return mode;
}

static int
resolve_layers(struct cordon_session *s, struct cordon_error *err)
{
	s->documents = cdn_arena_array(s->arena, s->loaded_count,
	    sizeof(*s->documents));
	if (s->documents == NULL)
		return cdn_err_nomem(err);
	for (size_t i = 0; i < s->loaded_count; i++) {
		int code = cdn_profile_resolve(s->loaded[i].policy,
		    cdn_str_of(s->profile), cdn_session_resolve_mode(s, i),
		    &s->documents[i].profile, err);

		if (code != 0)
			return code;
		s->documents[i].layer = s->loaded[i].layer;
		s->documents[i].trusted = s->loaded[i].trusted;
	}
	return 0;
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

static int
gather(struct cordon_session *s, const struct cordon_session_options *options,
    struct cdn_gather *g, struct cordon_error *err)
{
	*g = (struct cdn_gather){ .session = s, .arena = s->arena,
		.err = err };
	g->lookup = cdn_lookup_new(s->arena);
	if (g->lookup == NULL)
		return cdn_err_nomem(err);
	g->code = cdn_own_find(s, g->lookup, options, err);
	if (g->code == 0)
		g->code = read_mounts(s, &g->mounts, err);
	if (g->code == 0)
		g->code = cdn_worktree_find(s->arena, s->workspace,
		    &g->worktree, err);
	if (g->code == 0 && cdn_preset_get(s->preset)->denies)
		g->code = cdn_hooks_find(s->arena, s->workspace, &g->worktree,
		    &s->spec.executed, &s->spec.executed_count, err);
	if (g->code != 0)
		return g->code;
	cdn_gather_floor(g, options, &s->spec, &s->inodes);
	s->linked = g->linked;
	s->linked_count = g->linked_count;
	cdn_gather_grants(g, options, s->documents, &s->spec);
	cdn_gather_planted(g, options, s->documents, &s->spec);
	cdn_gather_runtime(g, options, &s->spec);
	if (g->code == 0 && options->network != NULL)
		g->code = cdn_network_option(s->arena, options->network,
		    &s->network, err);
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
	s->spec.git = git_entries(s, options->nested_git);
	s->spec.documents = s->documents;
	s->spec.document_count = s->loaded_count;
	s->spec.network = s->network;
	code = cdn_authority_build(s->arena, &s->spec, &s->authority, err);
	if (code == 0)
		code = cdn_elsewhere_find(s, &g, &more, err);
	if (code == 0 && more)
		code = cdn_authority_build(s->arena, &s->spec, &s->authority,
		    err);
	return code;
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
		code = choose_profile(s, options->profile, err);
	if (code == 0)
		code = build_authority(s, options, err);
	return code;
}

/* What a session without a document needs, measured, and a little more. */
#define ARENA_BYTES (208UL * 1024UL - 128UL)

static struct cordon_session *
session_alloc(void)
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
	session->attached = cdn_attached_new();
	session->other_names = cdn_other_names_new(session);
	if (session->folded == NULL || session->attached == NULL ||
	    session->other_names == NULL) {
		cdn_other_names_free(session->other_names);
		cdn_folded_free(session->folded);
		cdn_attached_free(session->attached);
		cdn_arena_free(arena);
		return NULL;
	}
	return session;
}

int
cdn_session_new(const struct cordon_session_options *options,
    struct cordon_diags *diags, struct cordon_session **ret,
    struct cordon_error *err)
{
	struct cordon_session *session = session_alloc();
	int code;

	if (session == NULL)
		return cdn_err_nomem(err);
	code = fill(session, options, diags, err);
	if (code != 0) {
		cdn_session_free(session);
		return code;
	}
	*ret = session;
	return 0;
}

void
cdn_session_free(struct cordon_session *session)
{
	if (session == NULL)
		return;
	cdn_other_names_free(session->other_names);
	cdn_attached_free(session->attached);
	cdn_folded_free(session->folded);
	for (size_t i = 0; i < session->loaded_count; i++) {
		if (session->documents != NULL)
			cdn_profile_free(session->documents[i].profile);
		cdn_policy_free(session->loaded[i].policy);
	}
	cdn_arena_free(session->arena);
}
