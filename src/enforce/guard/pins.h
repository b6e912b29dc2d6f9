/*
 * pins - what servers said of their tools, kept from one session to the next.
 *
 * One file per server, named by 16 hex digits of the SHA-256 of its command
 * line, in STATE/cordon/mcp (0700, files 0600), which no cage can write:
 *	{"schema":1,"command":["node","server.js"],"tools":[...]}
 * A file that cannot be understood is an error, never an empty one.
 */
#ifndef CDN_GUARD_PINS_H
#define CDN_GUARD_PINS_H

#include "enforce/guard/catalog.h"

#define CDN_PINS_NAME 17 /* 16 digits and NUL */

/* The name of a command line, NULL-terminated. */
CDN_MUST_USE int cdn_pins_name(const char *const *argv,
    char ret[CDN_PINS_NAME], struct cordon_error *err);

/* state: STATE/cordon.  What is not there is an empty catalog. */
CDN_MUST_USE int cdn_pins_load(const char *state, const char *name,
    struct cdn_catalog *catalog, struct cordon_error *err);
/*
 * Adds what was kept since it was loaded, by other guards of the same server
 * (cdn_catalog_merge), so that none loses what another has seen.  *ret_merged,
 * written in any case, says that this was done: it can be where nothing can be
 * written.
 */
CDN_MUST_USE int cdn_pins_save(const char *state, const char *name,
    const char *const *argv, struct cdn_catalog *catalog, bool *ret_merged,
    struct cordon_error *err);

/* Sorted by name; strings live during the call. */
CDN_MUST_USE int cdn_pins_list(const char *state,
    void (*each)(const struct cordon_mcp_pin *pin, void *arg), void *arg,
    struct cordon_error *err);
/* name: the digits, or so many of them that only one server has them. */
CDN_MUST_USE int cdn_pins_forget(const char *state, const char *name,
    struct cordon_error *err);

#endif
