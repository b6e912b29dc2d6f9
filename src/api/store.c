#include "api/api.h"

#include "enforce/path/path.h"
#include "enforce/session/session.h"
#include "enforce/store/places.h"
#include "enforce/store/store.h"
#include "enforce/store/trust.h"
#include "engine/profile/profile.h"

/* ----- Named policies --------------------------------------------------------- */

struct lister {
	enum cordon_layer layer;
	void (*entry)(const struct cordon_store_entry *entry, void *arg);
	void *arg;
};

static void
one_entry(const char *name, const char *file, void *arg)
{
	const struct lister *l = arg;
	struct cordon_store_entry entry = { name, l->layer, file };

	l->entry(&entry, l->arg);
}

int
cordon_store_list_dir(const char *dir,
    void (*entry)(const struct cordon_store_entry *entry, void *arg),
    void *arg, struct cordon_diags *diags, struct cordon_error *err)
{
	struct lister l = { CORDON_LAYER_USER, entry, arg };

	CDN_NEED(dir, err);
	CDN_NEED(entry, err);
	return cdn_store_list(dir, one_entry, &l, diags, err);
}

int
cordon_store_get_dir(const char *dir, const char *name,
    struct cordon_diags *diags, struct cordon_policy **ret,
    struct cordon_error *err)
{
	CDN_NEED(dir, err);
	CDN_NEED(name, err);
	CDN_NEED(ret, err);
	return cdn_store_get(dir, name, false, diags, ret, err);
}

int
cordon_store_put_dir(const char *dir, const char *name, const char *text,
    size_t len, struct cordon_diags *diags, struct cordon_error *err)
{
	CDN_NEED(dir, err);
	CDN_NEED(name, err);
	CDN_NEED(text, err);
	return cdn_store_put(dir, name, (cdn_str){ text, len }, diags, err);
}

/* Runs with the places of this user in an arena of its own. */
struct with_places {
	struct cdn_arena *arena;
	struct cdn_places places;
};

static int
places_open(struct with_places *w, struct cordon_error *err)
{
	int code;

	w->arena = cdn_arena_new();
	if (w->arena == NULL)
		return cdn_err_nomem(err);
	code = cdn_places_find(w->arena, &w->places, err);
	if (code != 0)
		cdn_arena_free(w->arena);
	return code;
}

static void
places_close(struct with_places *w)
{
	cdn_arena_free(w->arena);
}

int
cordon_store_list(
    void (*entry)(const struct cordon_store_entry *entry, void *arg),
    void *arg, struct cordon_diags *diags, struct cordon_error *err)
{
	struct lister host = { CORDON_LAYER_HOST, entry, arg };
	struct lister user = { CORDON_LAYER_USER, entry, arg };
	struct with_places w;
	int code;

	CDN_NEED(entry, err);
	code = places_open(&w, err);
	if (code != 0)
		return code;
	code = cdn_store_list(w.places.host_store, one_entry, &host, diags,
	    err);
	if (code == 0 && w.places.user_store[0] != '\0')
		code = cdn_store_list(w.places.user_store, one_entry, &user,
		    diags, err);
	places_close(&w);
	return code;
}

/* Absent is not an error here: *ret stays NULL. */
static int
get_if_there(const char *dir, const char *name, bool part,
    struct cordon_diags *diags, struct cordon_policy **ret, struct cordon_error *err)
{
	int code;

	*ret = NULL;
	if (dir[0] == '\0')
		return 0;
	code = cdn_store_get(dir, name, part, diags, ret, err);
	return code == CORDON_E_NOT_FOUND ? 0 : code;
}

static int
get_layered(const struct cdn_places *places, const char *name,
    struct cordon_diags *diags, struct cordon_policy **ret,
    struct cordon_error *err)
{
	struct cordon_policy *host = NULL, *user = NULL;
	int code = get_if_there(places->host_store, name, false, diags, &host,
	    err);

	if (code == 0)
		code = get_if_there(places->user_store, name, host != NULL,
		    diags, &user, err);
	if (code == 0 && host == NULL && user == NULL)
		code = cdn_err(err, CORDON_E_NOT_FOUND,
		    "there is no policy named '%s' (see `cordon policy list`)",
		    name);
	if (code == 0 && host != NULL && user != NULL)
		code = cdn_policy_merge(host, user, diags, ret, err);
	else if (code == 0)
		*ret = host != NULL ? cdn_steal(&host) : cdn_steal(&user);
	cdn_policy_free(host);
	cdn_policy_free(user);
	return code;
}

int
cordon_store_get(const char *name, struct cordon_diags *diags,
    struct cordon_policy **ret, struct cordon_error *err)
{
	struct with_places w;
	int code;

	CDN_NEED(name, err);
	CDN_NEED(ret, err);
	code = cdn_name_check(cdn_str_of(name), err);
	if (code == 0)
		code = places_open(&w, err);
	if (code != 0)
		return code;
	code = get_layered(&w.places, name, diags, ret, err);
	places_close(&w);
	return code;
}

/* ----- Trust -------------------------------------------------------------------- */

static int
need_state(const struct cdn_places *places, struct cordon_error *err)
{
	if (places->trust[0] != '\0')
		return 0;
	return cdn_err(err, CORDON_E_INVALID,
	    "no state directory: set HOME or XDG_STATE_HOME");
}

static int
project_policy(struct cdn_arena *arena, const char *real,
    struct cordon_diags *diags, struct cordon_policy **ret,
    struct cordon_error *err)
{
	const char *file = cdn_arena_printf(arena, "%s/.cordon/policy.yaml",
	    strcmp(real, "/") == 0 ? "" : real);

	if (file == NULL)
		return cdn_err_nomem(err);
	return cdn_store_load_part(file, false, diags, ret, err);
}

/* Both as they will hold once the project is trusted; without the user's: NULL. */
static int
merge_with_user(const struct cdn_places *places,
    const struct cordon_policy *project, struct cordon_diags *diags,
    struct cordon_policy **ret, struct cordon_error *err)
{
	struct cordon_policy *user = NULL;
	int code = places->user_policy[0] == '\0' ? CORDON_E_NOT_FOUND :
	    cdn_store_load(places->user_policy, true, diags, &user, err);

	*ret = NULL;
	if (code == CORDON_E_NOT_FOUND)
		return project->needs_merge ?
		    cdn_policy_validate(project, diags, err) : 0;
	if (code == 0)
		code = cdn_policy_merge(user, project, diags, ret, err);
	cdn_policy_free(user);
	return code;
}

/* A trusted project that the host seals would stop every later session. */
static int
check_host_seal(const struct cdn_places *places,
    const struct cordon_policy *project, struct cordon_error *err)
{
	struct cordon_policy *host = NULL;
	int code = cdn_store_load(places->host_policy, true, NULL, &host, err);

	if (code == CORDON_E_NOT_FOUND)
		return 0;
	if (code == 0)
		code = cdn_session_sealed(host, project, err);
	cdn_policy_free(host);
	return code;
}

/* What a project can bring along says nothing: sessions do not believe it. */
static int
check_state(const struct cdn_places *places, const char *workspace,
    struct cordon_error *err)
{
	const char *state = places->state;
	size_t n = strlen(workspace);
	struct cdn_real real;

	if (cdn_path_resolve("/", cdn_str_of(state), &real, NULL) == 0)
		state = real.path;
	if (strcmp(workspace, "/") != 0 &&
	    (strncmp(state, workspace, n) != 0 ||
	    (state[n] != '/' && state[n] != '\0')))
		return 0;
	return cdn_err(err, CORDON_E_INVALID, "the state directory '%s' lies "
	    "in the workspace, so what it says of trust is not believed (set "
	    "XDG_STATE_HOME to a directory outside of it)", places->state);
}

static int
trust_add(struct with_places *w, const char *dir, const char *digest,
    struct cordon_diags *diags, struct cordon_error *err)
{
	struct cordon_policy *policy = NULL, *merged = NULL;
	struct cdn_real real;
	int code = need_state(&w->places, err);

	if (code == 0)
		code = cdn_path_workspace(dir, &real, err);
	if (code == 0)
		code = check_state(&w->places, real.path, err);
	if (code == 0)
		code = project_policy(w->arena, real.path, diags, &policy,
		    err);
	if (code != 0)
		return code;
	code = merge_with_user(&w->places, policy, diags, &merged, err);
	cdn_policy_free(merged);
	if (code != 0) {
		cdn_policy_free(policy);
		return code;
	}
	if (digest != NULL && strcmp(digest, policy->digest) != 0)
		code = cdn_err(err, CORDON_E_INVALID,
		    "'%s' has changed since it was shown (look again)",
		    policy->source);
	else
		code = check_host_seal(&w->places, policy, err);
	if (code == 0)
		code = cdn_trust_add(w->places.trust, real.path,
		    policy->digest, err);
	cdn_policy_free(policy);
	return code;
}

int
cordon_trust_preview(const char *dir, struct cordon_diags *diags,
    struct cordon_policy **ret, struct cordon_policy **ret_merged,
    struct cordon_error *err)
{
	struct cordon_policy *project = NULL;
	struct with_places w;
	struct cdn_real real;
	int code;

	CDN_NEED(dir, err);
	CDN_NEED(ret, err);
	CDN_NEED(ret_merged, err);
	code = places_open(&w, err);
	if (code != 0)
		return code;
	code = cdn_path_workspace(dir, &real, err);
	if (code == 0)
		code = project_policy(w.arena, real.path, diags, &project, err);
	if (code == 0)
		code = merge_with_user(&w.places, project, diags, ret_merged,
		    err);
	places_close(&w);
	if (code != 0)
		cdn_policy_free(project);
	else
		*ret = project;
	return code;
}

int
cordon_trust_add(const char *dir, const char *digest,
    struct cordon_diags *diags, struct cordon_error *err)
{
	struct with_places w;
	int code;

	CDN_NEED(dir, err);
	code = places_open(&w, err);
	if (code != 0)
		return code;
	code = trust_add(&w, dir, digest, diags, err);
	places_close(&w);
	return code;
}

/* A directory that is gone is revoked under the name it had. */
static int
trust_revoke(const struct with_places *w, const char *dir,
    struct cordon_error *err)
{
	struct cdn_real real;
	int code = need_state(&w->places, err);

	if (code != 0)
		return code;
	if (cdn_path_workspace(dir, &real, NULL) == 0)
		dir = real.path;
	return cdn_trust_revoke(w->places.trust, dir, err);
}

int
cordon_trust_revoke(const char *dir, struct cordon_error *err)
{
	struct with_places w;
	int code;

	CDN_NEED(dir, err);
	code = places_open(&w, err);
	if (code != 0)
		return code;
	code = trust_revoke(&w, dir, err);
	places_close(&w);
	return code;
}

struct trust_lister {
	struct cdn_arena *arena;
	void (*entry)(const struct cordon_trust_entry *entry, void *arg);
	void *arg;
	bool nomem; /* so nothing more is told: it could be wrong */
};

static void
one_trust(const char *dir, const char *digest, void *arg)
{
	struct trust_lister *l = arg;
	struct cordon_trust_entry entry = { dir, digest, false };
	struct cordon_policy *policy = NULL;
	int code = project_policy(l->arena, dir, NULL, &policy, NULL);

	l->nomem |= code == CORDON_E_NOMEM;
	if (l->nomem)
		return;
	if (code == 0) {
		entry.current = strcmp(policy->digest, digest) == 0;
		cdn_policy_free(policy);
	}
	l->entry(&entry, l->arg);
}

int
cordon_trust_list(
    void (*entry)(const struct cordon_trust_entry *entry, void *arg),
    void *arg, struct cordon_error *err)
{
	struct with_places w;
	int code;

	CDN_NEED(entry, err);
	code = places_open(&w, err);
	if (code != 0)
		return code;
	struct trust_lister l = { .arena = w.arena, .entry = entry,
		.arg = arg };
	code = need_state(&w.places, err);
	if (code == 0)
		code = cdn_trust_list(w.places.trust, one_trust, &l, err);
	if (code == 0 && l.nomem)
		code = cdn_err_nomem(err);
	places_close(&w);
	return code;
}
