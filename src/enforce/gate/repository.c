/*
 * repository - no git repository comes to be by a tool.
 *
 * Threat:    a process of the run makes all parts of a repository but one, which
 *	      a tool then writes; the next `git status` of the host there
 *	      executes what its config says.
 * Invariant: as in broker/repository.c: the entry that completes one is refused.
 * Held by:   a tool looks before it makes the name, and again afterwards, when
 *	      every call of a process sees the new name: of two that are made at
 *	      the same moment one is taken back or refused.
 */
#include "enforce/gate/inside.h"

#include "enforce/path/repository.h"
#include "enforce/session/placelist.h"

static bool
is_guarded(const struct cordon_session *session, const char *path)
{
	for (size_t i = 0; i < session->guarded_count; i++)
		if (cdn_placelist_below(path, session->guarded[i]))
			return true;
	return false;
}

/* A directory called .git is git's, whatever is missing in it. */
static bool
is_in_git(const char *path)
{
	const char *last = strrchr(path, '/'), *start = last;

	while (start > path && start[-1] != '/')
		start--;
	return cdn_repository_is_named((cdn_str){ start,
	    (size_t)(last - start) });
}

bool
cdn_gate_forbids_part(const struct cordon_session *session, int dir,
    const char *path, bool existed)
{
	unsigned part = cdn_repository_part(
	    cdn_str_of(strrchr(path, '/') + 1));
	unsigned made = existed ? 0 : part; /* by us, perhaps */

	if ((part & (unsigned)CDN_REPOSITORY_CONTENT) != 0 && is_in_git(path))
		return is_guarded(session, path);
	return part != 0 && is_guarded(session, path) &&
	    cdn_repository_forbids(cdn_repository_parts(dir, ".") & ~made,
		part);
}

int
cdn_gate_refuse_part(const char *path, struct cordon_refused *refused,
    struct cordon_error *err)
{
	cdn_gate_refuse(refused, CORDON_REFUSAL_DENIED);
	return cdn_err(err, CORDON_E_DENIED,
	    "'%s' would complete or configure a git repository (make it on "
	    "the host, or start with --allow nested-git)", path);
}
