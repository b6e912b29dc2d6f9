/*
 * pins - what servers said of their tools, kept from one session to the next.
 *
 * One file per server, in STATE/cordon/mcp (0700, files 0600), which no sandbox
 * can write:
 *	{"schema":2,"workspace":"/home/u/p","program":"/usr/bin/node",
 *	 "command":["node","server.js"],"tools":[...]}
 * It is named by 16 hex digits of the SHA-256 of the workspace, the real path of
 * the program, and the command line: what one project pins is not trusted in
 * another.  Files of schema 1 were named by the command line alone; they are
 * listed, and never loaded.
 * A file that cannot be understood is an error, never an empty one.
 */
#ifndef CDN_GUARD_PINS_H
#define CDN_GUARD_PINS_H

#include "enforce/guard/catalog.h"

#define CDN_PINS_NAME 17 /* 16 digits and NUL */

/* Whose tools they are; strings are borrowed. */
struct cdn_pins_server {
	const char *workspace;	 /* canonical */
	const char *program;	 /* real path, or argv[0] when it is not found */
	const char *const *argv; /* NULL-terminated */
};

CDN_MUST_USE int cdn_pins_name(const struct cdn_pins_server *server,
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
    const struct cdn_pins_server *server, struct cdn_catalog *catalog, bool *ret_merged,
    struct cordon_error *err);

/* Sorted by name; strings live during the call. */
CDN_MUST_USE int cdn_pins_list(const char *state,
    void (*each)(const struct cordon_mcp_pin *pin, void *arg), void *arg,
    struct cordon_error *err);
/* name: the digits, or so many of them that only one server has them. */
CDN_MUST_USE int cdn_pins_forget(const char *state, const char *name,
    struct cordon_error *err);

#endif
