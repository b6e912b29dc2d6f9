/*
 * unprotect - which entries of the defaults do not hold here.
 *
 *	spec.unprotect	host, user, --policy, and a trusted project
 *	--allow NAME	a group of the defaults, or one entry as it is listed
 *
 * Both become rules of the layer, so that plan, explain and decide know them.
 */
#include "enforce/session/session.h"

static const char nested_git[] = "nested-git";

bool
cdn_session_wants_nested(const struct cordon_session_options *options)
{
	for (size_t i = 0; i < options->allow_count; i++)
		if (strcmp(options->allow[i], nested_git) == 0)
			return true;
	return options->nested_git;
}

/* A merged project holds the user's, too; an untrusted document may not widen. */
static const struct cdn_rules *
unprotected_by(const struct cdn_loaded *loaded)
{
	static const struct cdn_rules none = { 0 };

	return loaded->trusted && !loaded->denies_only ?
	    &loaded->policy->unprotect : &none;
}

int
cdn_session_unprotect(struct cordon_session *session, struct cordon_error *err)
{
	struct cdn_rules *all = &session->spec.facts.unprotect;
	size_t n = 0;

	for (size_t i = 0; i < session->loaded_count; i++)
		n += unprotected_by(&session->loaded[i])->n;
	*all = (struct cdn_rules){ 0 };
	all->v = cdn_arena_array(session->arena, n, sizeof(*all->v));
	if (all->v == NULL)
		return cdn_err_nomem(err);
	for (size_t i = 0; i < session->loaded_count; i++) {
		const struct cdn_rules *more =
		    unprotected_by(&session->loaded[i]);

		for (size_t k = 0; k < more->n; k++)
			all->v[all->n++] = more->v[k];
	}
	return 0;
}

static int
bad_name(const char *name, struct cordon_error *err)
{
	char groups[256];
	const struct cdn_preset_group *group;
	size_t n = (size_t)snprintf(groups, sizeof(groups), "%s", nested_git);

	for (size_t i = 0; (group = cdn_preset_group(i)) != NULL &&
	    n < sizeof(groups); i++)
		n += (size_t)snprintf(groups + n, sizeof(groups) - n, ", %s",
		    group->name);
	return cdn_err(err, CORDON_E_INVALID, "--allow '%s' names neither a "
	    "group nor an entry of the defaults (groups: %s; `cordon plan` "
	    "lists the entries)", name, groups);
}

int
cdn_session_allow(struct cordon_session *session,
    const struct cordon_session_options *options, struct cordon_error *err)
{
	struct cdn_preset_facts *facts = &session->spec.facts;
	const char **names;

	if (options->allow_count > CDN_ALLOW_MAX)
		return cdn_err(err, CORDON_E_INVALID,
		    "--allow is given more than %d times", CDN_ALLOW_MAX);
	names = cdn_arena_array(session->arena, options->allow_count,
	    sizeof(*names)); /* NOLINT(bugprone-sizeof-expression): of pointers */
	if (names == NULL)
		return cdn_err_nomem(err);
	facts->allow = names;
	for (size_t i = 0; i < options->allow_count; i++) {
		const char *name = options->allow[i];

		if (strcmp(name, nested_git) == 0)
			continue;
		if (!cdn_preset_may_allow(name))
			return bad_name(name, err);
		name = cdn_arena_dup(session->arena, name, strlen(name));
		if (name == NULL)
			return cdn_err_nomem(err);
		names[facts->allow_count++] = name;
	}
	return 0;
}
