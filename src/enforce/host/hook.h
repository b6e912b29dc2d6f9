/*
 * hook - facts that a test makes up.  Only for this room.
 *
 *	CORDON_TEST_HOST=landlock_abi=3,seccomp_notify=0
 *
 * Only in programs that are built for tests (CDN_TEST_HOOKS) and never
 * installed.  In the library this does nothing and does not look at the
 * variable: no variable may change what is enforced.
 */
#ifndef CDN_HOST_HOOK_H
#define CDN_HOST_HOOK_H

#include "engine/plan/plan.h"

/* A name or a value it does not know stops the program. */
void cdn_hook_host(struct cdn_host *host);

#endif
