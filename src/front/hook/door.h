/*
 * door - an agent asks before it uses a tool, and is answered.
 *
 *	agent ── event ──► standard input ─► child: judge ─► answer, 0 or 2
 *	agent ◄── 0 or 2 ◄─────────────────── parent: waits, watches the clock
 *
 * Every agent goes on with its tool when a hook fails in any way but exit
 * status 2; Codex even then, when nothing was said on standard error.  So there
 * are two processes: the one that reads and judges may run out of memory, crash,
 * hang or be killed; the one that the agent waits for does nothing but turn all
 * of that into a 2 with a reason.
 */
#ifndef CDN_HOOK_DOOR_H
#define CDN_HOOK_DOOR_H

#include "base/err.h"

struct hook_door {
	enum cordon_hook_agent agent;
	const char *audit; /* NULL: the user's own */
	/*
	 * The session to be asked.  workspace: what the event says; NULL: it
	 * says nothing.  In the child.
	 */
	int (*session)(const char *workspace, void *arg,
	    struct cordon_session **ret, struct cordon_error *err);
	void *arg;
};

#define HOOK_ALLOWED 0
#define HOOK_BLOCKED 2

/* HOOK_ALLOWED or HOOK_BLOCKED; with that there is a reason on stderr. */
CDN_MUST_USE int hook_answer(const struct hook_door *door);

#endif
