#include "enforce/hooks/hooks.h"

#include "enforce/host/doctor.h"

static const char *const ids[CORDON_HOOK_AGENT_MAX] = {
	[CORDON_HOOK_CLAUDE] = "hook-claude",
	[CORDON_HOOK_CODEX] = "hook-codex",
	[CORDON_HOOK_GEMINI] = "hook-gemini",
	[CORDON_HOOK_CURSOR] = "hook-cursor",
};

#define INSTALL "'cordon hook install' has it ask; 'cordon run' needs no hook"

/* None of them says what a run can enforce: they are notes at most. */
static const struct cdn_host_finding states[] = {
	[CORDON_HOOK_ABSENT] = { NULL, CDN_HOST_NOTE,
	    "the agent does not ask before it uses its tools", INSTALL },
	[CORDON_HOOK_OTHER] = { NULL, CDN_HOST_OK,
	    "the agent has a hook of cordon's, with options or from another "
	    "place", "'cordon hook status AGENT -- OPTIONS' looks closer" },
	[CORDON_HOOK_INSTALLED] = { NULL, CDN_HOST_OK,
	    "the agent asks before it uses its tools", NULL },
	[CORDON_HOOK_OFF] = { NULL, CDN_HOST_NOTE,
	    "the agent has a hook of cordon's, and its settings turn hooks off",
	    "take the switch out of its settings" },
	[CORDON_HOOK_UNTRUSTED] = { NULL, CDN_HOST_NOTE,
	    "the agent has a hook of cordon's and skips it: nobody trusted it",
	    "start the agent and trust the hook: /hooks" },
};

static const struct cdn_host_finding unreadable = { NULL, CDN_HOST_NOTE,
	"the settings of the agent cannot be looked at",
	"'cordon hook status' says why" };

/* The agents whose settings this user has a directory for. */
int
cdn_hooks_examine(const char *program, struct cdn_doctor *doctor,
    struct cordon_error *err)
{
	for (int i = 0; i < CORDON_HOOK_AGENT_MAX; i++) {
		const struct cordon_hook_install install = {
			.size = sizeof(install),
			.agent = (enum cordon_hook_agent)i,
			.program = program,
		};
		struct cordon_hook_status status;
		struct cdn_host_finding finding = unreadable;
		bool there = true;
		int code;

		code = cdn_hook_look(&install, &status, &there, NULL);
		if (code == CORDON_E_NOMEM)
			return cdn_err_nomem(err);
		if (code == 0)
			finding = states[status.state];
		finding.id = ids[i];
		if (there)
			cdn_doctor_add(doctor, &finding);
	}
	return 0;
}
