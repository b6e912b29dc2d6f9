/*
 * A command that is granted more than the session has must be the program that
 * somebody approved.
 *
 * Threat:    the agent writes `git` into a directory of PATH in its workspace
 *            (.venv/bin, node_modules/.bin); the next granted `git push`, or
 *            what it starts, is the agent's.
 * Invariant: what is found on PATH with a grant is nothing that a run can write.
 * Held by:   cdn_granted_path() for the directories, cdn_granted_program() for
 *            the program, wherever its links end.
 */
#include "enforce/launch/granted.h"

#include "enforce/home/env.h"

/* By a process of a run, or by a tool of the agent. */
static int
is_written(const struct cordon_session *session, const struct cdn_real *real,
    bool *ret, struct cordon_error *err)
{
	static const enum cordon_as all[] = { CORDON_AS_PROCESS,
		CORDON_AS_AGENT };
	int code = 0;

	*ret = false;
	for (size_t i = 0; code == 0 && i < CDN_LEN(all); i++) {
		struct cordon_verdict verdict;

		code = cdn_session_judge(session, all[i], CORDON_MODIFY, real,
		    &verdict, err);
		*ret |= code == 0 && verdict.allowed;
	}
	return code;
}

/* One that cannot be looked at is none to search in. */
static int
is_safe(const struct cordon_session *session, cdn_str dir, bool *ret,
    struct cordon_error *err)
{
	CDN_UNINITIALIZED struct cdn_real real, below;
	bool written = false, inside = false;
	int code;

	*ret = false;
	code = cdn_session_find(session, "/", dir, &real, err);
	if (code == CORDON_E_NOMEM)
		return code;
	if (code != 0 || !real.exists || !real.is_directory)
		return 0;
	code = cdn_session_find(session, real.path, CDN_STR("any"), &below,
	    err);
	if (code == 0)
		code = is_written(session, &real, &written, err);
	if (code == 0)
		code = is_written(session, &below, &inside, err);
	*ret = code == 0 && !written && !inside;
	return code;
}

static int
cut(const struct cordon_session *session, struct cdn_arena *arena,
    const char *path, char **ret, struct cordon_error *err)
{
	char *out = cdn_arena_alloc(arena, strlen(path) + sizeof("PATH="));
	cdn_str rest = cdn_str_of(path), dir;
	size_t n = sizeof("PATH=") - 1;
	int code = 0;

	if (out == NULL)
		return cdn_err_nomem(err);
	memcpy(out, "PATH=", n);
	while (code == 0 && cdn_str_next(&rest, ':', &dir)) {
		bool safe = false;

		if (dir.n > 0 && dir.p[0] == '/')
			code = is_safe(session, dir, &safe, err);
		if (!safe)
			continue;
		if (out[n - 1] != '=')
			out[n++] = ':';
		memcpy(out + n, dir.p, dir.n);
		n += dir.n;
	}
	out[n] = '\0';
	*ret = n == sizeof("PATH=") - 1 ? NULL : out;
	return code;
}

int
cdn_granted_path(const struct cordon_session *session,
    struct cdn_arena *arena, char *const **envp, struct cordon_error *err)
{
	const char *path = cdn_env_find(*envp, "PATH");
	size_t n = 0, kept = 0;
	char **list, *now = NULL;
	int code;

	if (!session->own.granted || path == NULL)
		return 0;
	while ((*envp)[n] != NULL)
		n++;
	list = cdn_arena_array(arena, n + 1, sizeof(*list));
	if (list == NULL)
		return cdn_err_nomem(err);
	code = cut(session, arena, path, &now, err);
	for (size_t i = 0; code == 0 && i < n; i++)
		if (strncmp((*envp)[i], "PATH=", 5) != 0)
			list[kept++] = (*envp)[i];
	if (code == 0 && now != NULL)
		list[kept] = now;
	*envp = list;
	return code;
}

int
cdn_granted_program(const struct cordon_session *session,
    const struct cdn_real *real, const char *program, struct cordon_error *err)
{
	bool written = false;
	int code;

	if (!session->own.granted)
		return 0;
	code = is_written(session, real, &written, err);
	if (code != 0 || !written)
		return code;
	return cdn_err(err, CORDON_E_EXEC, "'%s' is a file that a run can "
	    "write, so it is granted nothing by its name (let the rule name "
	    "its path)", program);
}
