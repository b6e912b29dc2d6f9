/*
 * home_rules - what the host's login, shells, desktop and service manager
 * execute from the user's home.
 *
 * Entries of the defaults for a workspace that contains the real home: there a
 * project is not the only thing a run could modify.  A table only; where the
 * home lies in the workspace is found by session/home_entries.h.
 */
#ifndef CDN_DECIDE_HOME_RULES_H
#define CDN_DECIDE_HOME_RULES_H

#include <stdbool.h>
#include <stddef.h>

struct cdn_home_entry {
	const char *name;    /* "~/.bashrc", as --allow takes it */
	const char *program; /* that executes or obeys it: "bash" */
	/* Its entries are often symlinks (stow): where they end counts, too. */
	bool links;
};

/* Bytes of "~" and the slash behind it. */
#define CDN_HOME_TILDE 2

/* NULL past the end. */
const struct cdn_home_entry *cdn_home_entry(size_t i);

#endif
