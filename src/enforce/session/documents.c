/*
 * documents - which files, in which order, trusted or not.
 *
 *	host	/etc/cordon/policy.yaml, always
 *	policy	the --policy files; with any of them, nothing of the next two
 *	user	CONFIG/cordon/policy.yaml
 *	project	WORKSPACE/.cordon/policy.yaml; it can only narrow, unless its
 *		bytes were trusted: then it is merged over the user's
 *
 * A file that is absent is no layer; one that is unreadable or invalid stops
 * everything.
 */
#include "enforce/session/session.h"

#include <errno.h>
#include <fcntl.h>

#include "enforce/session/placelist.h"
#include "enforce/store/store.h"
#include "enforce/store/trust.h"
#include "enforce/sys/sys.h"

/* One more layer; the policy is the session's from here on. */
static int
add(struct cordon_session *s, enum cordon_layer layer, const char *file,
    struct cordon_policy *policy, bool trusted, struct cordon_error *err)
{
	const char *copy = cdn_arena_dup(s->arena, file, strlen(file));

	if (copy == NULL || s->file_count >= CDN_LAYERS_MAX) {
		cdn_policy_free(policy);
		if (copy == NULL)
			return cdn_err_nomem(err);
		return cdn_err(err, CORDON_E_INVALID,
		    "more than %d policy documents", CDN_LAYERS_MAX);
	}
	s->files[s->file_count++] = (struct cordon_document){
		.layer = layer, .file = copy, .name = policy->name.p,
		.digest = policy->digest, .trusted = trusted,
	};
	s->loaded[s->loaded_count++] = (struct cdn_loaded){
		.layer = layer, .file = copy, .policy = policy,
		.trusted = trusted,
	};
	return 0;
}

/*
 * Usually there is none, and one question tells: without a link on the way,
 * a name that is not there leads nowhere at all.
 */
static bool
is_missing(const char *file)
{
	static const struct cdn_open_how how = { .flags = O_PATH,
		.resolve = CDN_RESOLVE_NO_SYMLINKS };
	cdn_cleanup_fd int fd = cdn_sys_openat2(AT_FDCWD, file, &how);

	return fd == -ENOENT;
}

/* *ret stays NULL when the file is not there. */
static int
load_if_there(const char *file, bool project, struct cordon_diags *diags,
    struct cordon_policy **ret, struct cordon_error *err)
{
	struct cordon_error why;
	int code;

	*ret = NULL;
	if (file[0] == '\0' || is_missing(file))
		return 0;
	code = project ? cdn_store_load_part(file, false, diags, ret, &why) :
			 cdn_store_load(file, true, diags, ret, &why);
	if (code == CORDON_E_NOT_FOUND)
		return 0;
	if (code != 0 && err != NULL)
		*err = why;
	return code;
}

/* XDG_CONFIG_HOME may point there: then it is the project that speaks. */
static bool
is_in_workspace(const struct cordon_session *s, const char *file)
{
	struct cdn_real real;

	return cdn_path_resolve("/", cdn_str_of(file), &real, NULL) != 0 ||
	    cdn_placelist_below(real.path, s->workspace);
}

static int
load_layer(struct cordon_session *s, enum cordon_layer layer,
    const char *file, struct cordon_diags *diags, struct cordon_error *err)
{
	struct cordon_policy *policy;
	int code = load_if_there(file, false, diags, &policy, err);

	if (code != 0 || policy == NULL)
		return code;
	return add(s, layer, file, policy,
	    layer == CORDON_LAYER_HOST || !is_in_workspace(s, file), err);
}

/* Files a person named: each must be there. */
static int
load_named(struct cordon_session *s,
    const struct cordon_session_options *options, struct cordon_diags *diags,
    struct cordon_error *err)
{
	for (size_t i = 0; i < options->policy_count; i++) {
		struct cordon_policy *policy;
		int code = cdn_store_load(options->policies[i], true, diags,
		    &policy, err);

		if (code == 0)
			code = add(s, CORDON_LAYER_POLICY,
			    options->policies[i], policy, true, err);
		if (code != 0)
			return code;
	}
	return 0;
}

int
cdn_session_sealed(const struct cordon_policy *by,
    const struct cordon_policy *project, struct cordon_error *err)
{
	for (size_t i = 0; i < by->sealed.n; i++) {
		const struct cdn_profile_def *def =
		    cdn_policy_find_profile(project, by->sealed.v[i].text);

		if (def != NULL)
			return cdn_err_at(err, CORDON_E_INVALID, def->pos,
			    "fsProfile '%s' is sealed by policy '%s'",
			    def->name.p, by->name.p);
	}
	return 0;
}

/* Host and user can keep a project from replacing a profile at all. */
static int
check_sealed(const struct cordon_session *s,
    const struct cordon_policy *project, struct cordon_error *err)
{
	for (size_t i = 0; i < s->loaded_count; i++) {
		int code = cdn_session_sealed(s->loaded[i].policy, project,
		    err);

		if (code != 0)
			return code;
	}
	return 0;
}

/* The last layer is the user's when there is one. */
static struct cdn_loaded *
user_layer(struct cordon_session *s)
{
	struct cdn_loaded *last;

	if (s->loaded_count == 0)
		return NULL;
	last = &s->loaded[s->loaded_count - 1];
	return last->layer == CORDON_LAYER_USER ? last : NULL;
}

/*
 * A trusted project over the user's policy: the merged one takes the place of
 * the project.  The user's denies stay a layer of their own, so that nothing
 * in the project can lift them and a denial names the user.
 */
static int
merge_into_user(struct cordon_session *s, struct cdn_loaded *user,
    struct cordon_diags *diags, struct cordon_error *err)
{
	struct cdn_loaded *project = &s->loaded[s->loaded_count - 1];
	struct cordon_policy *merged;
	int code = cdn_policy_merge(user->policy, project->policy, diags,
	    &merged, err);

	if (code != 0)
		return code;
	cdn_policy_free(project->policy); /* merged keeps what `files` shows */
	project->policy = merged;
	user->denies_only = true;
	return 0;
}

static int
add_trusted(struct cordon_session *s, const char *file,
    struct cordon_policy *project, struct cordon_diags *diags,
    struct cordon_error *err)
{
	struct cdn_loaded *user = user_layer(s);
	int code = check_sealed(s, project, err);

	if (code != 0) {
		cdn_policy_free(project);
		return code;
	}
	code = add(s, CORDON_LAYER_PROJECT, file, project, true, err);
	if (code != 0 || user == NULL)
		return code;
	return merge_into_user(s, user, diags, err);
}

/* What only a trusted document may say. */
static void
warn_ignored(const struct cordon_policy *policy, struct cordon_diags *diags)
{
	if (policy->unprotect.n > 0)
		cdn_diag_add(diags, CORDON_WARNING, "S002",
		    policy->unprotect.v[0].pos,
		    "look at the policy, then run 'cordon trust'",
		    "'unprotect' is ignored: this project's policy is not "
		    "trusted");
}

static int
load_project(struct cordon_session *s, struct cordon_diags *diags,
    struct cordon_error *err)
{
	struct cordon_policy *policy;
	bool trusted = false;
	const char *file;
	int code;

	file = cdn_arena_printf(s->arena, "%s/.cordon/policy.yaml",
	    strcmp(s->workspace, "/") == 0 ? "" : s->workspace);
	if (file == NULL)
		return cdn_err_nomem(err);
	code = load_if_there(file, true, diags, &policy, err);
	if (code != 0 || policy == NULL)
		return code;
	if (s->places.trust[0] != '\0')
		code = cdn_trust_check(s->places.trust, s->workspace,
		    policy->digest, &trusted, err);
	/* Nothing is merged: the document speaks for itself. */
	if (code == 0 && policy->needs_merge &&
	    (!trusted || user_layer(s) == NULL))
		code = cdn_policy_validate(policy, diags, err);
	if (code != 0) {
		cdn_policy_free(policy);
		return code;
	}
	if (trusted && is_in_workspace(s, s->places.trust)) {
		trusted = false;
		cdn_diag_add(diags, CORDON_WARNING, "S002",
		    policy->name_pos,
		    "set XDG_STATE_HOME to a directory outside of the workspace",
		    "cordon's state directory lies in the workspace: the "
		    "project itself says there that it is trusted, and is not");
	}
	if (trusted)
		return add_trusted(s, file, policy, diags, err);
	warn_ignored(policy, diags);
	return add(s, CORDON_LAYER_PROJECT, file, policy, false, err);
}

int
cdn_session_load(struct cordon_session *session,
    const struct cordon_session_options *options, struct cordon_diags *diags,
    struct cordon_error *err)
{
	int code;

	session->loaded = cdn_arena_array(session->arena, CDN_LAYERS_MAX,
	    sizeof(*session->loaded));
	session->files = cdn_arena_array(session->arena,
	    CDN_LAYERS_MAX + CDN_WORKERS_MAX, sizeof(*session->files));
	if (session->loaded == NULL || session->files == NULL)
		return cdn_err_nomem(err);
	code = load_layer(session, CORDON_LAYER_HOST,
	    session->places.host_policy, diags, err);
	if (code != 0)
		return code;
	if (session->unguarded)
		return 0;
	if (options->policy_count > 0)
		return load_named(session, options, diags, err);
	code = load_layer(session, CORDON_LAYER_USER,
	    session->places.user_policy, diags, err);
	if (code != 0)
		return code;
	return load_project(session, diags, err);
}
