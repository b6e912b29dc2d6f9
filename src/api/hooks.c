#include "api/api.h"

#include "enforce/hooks/hooks.h"

const char *
cordon_hook_agent_name(enum cordon_hook_agent agent)
{
	const struct cdn_dialect *dialect = cdn_dialect(agent);

	return dialect != NULL ? dialect->name : NULL;
}

static int
check_event(const struct cordon_hook_event *event, struct cordon_error *err)
{
	if (event->size < sizeof(*event))
		return cdn_err(err, CORDON_E_INVALID,
		    "event: set .size to sizeof(event)");
	if (event->text == NULL || cdn_dialect(event->agent) == NULL)
		return cdn_err(err, CORDON_E_INVALID,
		    "event: it has no text, or is of no agent");
	return 0;
}

int
cordon_hook_judge(const struct cordon_session *session,
    const struct cordon_hook_event *event, struct cordon_hook_answer *ret,
    struct cordon_error *err)
{
	int code;

	CDN_NEED(session, err);
	CDN_NEED(event, err);
	CDN_NEED(ret, err);
	code = check_event(event, err);
	return code != 0 ? code : cdn_hook_answer(session, event, ret, err);
}

int
cordon_hook_workspace(const struct cordon_hook_event *event, char **ret,
    struct cordon_error *err)
{
	struct cdn_dialect_call call;
	struct cdn_arena *arena;
	char *root = NULL;
	int code;

	CDN_NEED(event, err);
	CDN_NEED(ret, err);
	code = check_event(event, err);
	if (code != 0)
		return code;
	arena = cdn_arena_new();
	if (arena == NULL)
		return cdn_err_nomem(err);
	code = cdn_dialect_read(event->agent,
	    (cdn_str){ event->text, event->len }, arena, &call, err);
	if (code == 0 && call.root.n > 0) {
		root = strndup(call.root.p, call.root.n);
		if (root == NULL)
			code = cdn_err_nomem(err);
	}
	cdn_arena_free(arena);
	if (code == 0)
		*ret = root;
	return code;
}

/* ----- Settings --------------------------------------------------------- */

static int
check_install(const struct cordon_hook_install *install,
    struct cordon_error *err)
{
	if (install->size < sizeof(*install))
		return cdn_err(err, CORDON_E_INVALID,
		    "install: set .size to sizeof(install)");
	CDN_NEED(install->program, err);
	if (cdn_dialect(install->agent) == NULL || install->program[0] != '/')
		return cdn_err(err, CORDON_E_INVALID,
		    "install: no agent, or no absolute program");
	return 0;
}

int
cordon_hook_install(const struct cordon_hook_install *install,
    struct cordon_error *err)
{
	int code;

	CDN_NEED(install, err);
	code = check_install(install, err);
	return code != 0 ? code : cdn_hook_install(install, err);
}

int
cordon_hook_status(const struct cordon_hook_install *install,
    struct cordon_hook_status *ret, struct cordon_error *err)
{
	int code;

	CDN_NEED(install, err);
	CDN_NEED(ret, err);
	code = check_install(install, err);
	return code != 0 ? code : cdn_hook_status(install, ret, err);
}
