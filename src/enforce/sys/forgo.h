/*
 * forgo - what a process gives up for good before it is caged.
 *
 * The house rules of sys.h; besides, all of it is CDN_BARE (raw.h).  Both are
 * for the calling thread only: a process that has one, or has just begun.
 */
#ifndef CDN_SYS_FORGO_H
#define CDN_SYS_FORGO_H

#include "enforce/sys/raw.h"

/*
 * All capabilities, of root too: effective, permitted, inheritable, ambient
 * and, where the caller may (CAP_SETPCAP), the bounding set.  A root whose
 * no_new_privs is set as well does not get them back by exec.
 */
CDN_MUST_USE int cdn_sys_forgo_capabilities(void);
/*
 * All but one (CAP_...), if it is there: for who still has to make a user
 * namespace in which root is root, which takes CAP_SETFCAP.
 */
CDN_MUST_USE int cdn_sys_forgo_capabilities_but(int kept);

/*
 * The session keyring becomes a new, empty one.  Not an error where the call
 * does not exist or is refused: then whoever is started here cannot use keys
 * either.
 */
CDN_MUST_USE int cdn_sys_forgo_keyring(void);

#endif
