/*
 * database - the home of a user whom /etc/passwd does not know (passwd.h).
 *
 * Two ways to ask, one of which is linked: a program with a shared libc asks
 * its name service modules (database.c); one that is static has none, and asks
 * the system's own `getent` (database_getent.c).
 */
#ifndef CDN_STORE_DATABASE_H
#define CDN_STORE_DATABASE_H

#include <sys/types.h>

#include "base/arena.h"
#include "base/err.h"

/*
 * name NULL: the user with that uid.  *ret lies in the arena, or is "" when
 * nobody knows the user, or his home is not absolute.
 */
CDN_MUST_USE int cdn_database_home(struct cdn_arena *arena, const char *name,
    uid_t uid, const char **ret, struct cordon_error *err);

#endif
