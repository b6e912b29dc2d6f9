/*
 * passwd - the home of a user, from /etc/passwd itself.
 *
 * The C library would load its modules to answer; nearly always the line is
 * in this file.
 */
#ifndef CDN_STORE_PASSWD_H
#define CDN_STORE_PASSWD_H

#include <sys/types.h>

#include "base/arena.h"

enum cdn_passwd {
	CDN_PASSWD_FOUND,   /* *ret is the home, or "" when it is not absolute */
	CDN_PASSWD_UNKNOWN, /* no line, or none that can be trusted to be all */
	CDN_PASSWD_NOMEM,
};

/* The first line with that uid.  *ret lies in the arena. */
CDN_MUST_USE enum cdn_passwd cdn_passwd_home(struct cdn_arena *arena,
    const char *file, uid_t uid, const char **ret);

#endif
