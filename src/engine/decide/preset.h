/*
 * preset - what a process may see outside the workspace, and the rules that
 * hold inside it when nobody wrote a document.  Tables only.
 */
#ifndef CDN_DECIDE_PRESET_H
#define CDN_DECIDE_PRESET_H

#include "engine/profile/profile.h"

struct cdn_preset {
	const char *name;   /* "workspace" */
	const char *source; /* "<preset workspace>" */
	bool modifies;	    /* the workspace may be modified */
	bool denies;	    /* ... except what the host would execute */
	bool whole_host;    /* everything but the floor is visible */
	bool toolchains;    /* the toolchains of the real home are visible */
	bool own_home;	    /* HOME is a private directory */
	bool own_tmp;	    /* and so is TMPDIR */
	enum cdn_network_mode network;
};

/* Which of the entries about .git hold. */
enum cdn_preset_git {
	CDN_GIT_FIXED,	/* all: no repository appears, none is reconfigured */
	CDN_GIT_NESTED, /* those of the workspace's own repository */
	CDN_GIT_FRESH,	/* none: it has none, and whoever makes it configures it */
};

const struct cdn_preset *cdn_preset_get(enum cordon_preset preset);

/* A file that the host would later execute or obey. */
struct cdn_executed {
	const char *pattern; /* relative to the workspace */
	const char *what;    /* "git hook" */
};

/* Patterns of those that the preset denies.  NULL past the end. */
const char *cdn_preset_executed(size_t i);
/*
 * All of them, also those whose writing is the work that is asked for.  Of
 * those that match, the last says what it is.  NULL past the end.
 */
const struct cdn_executed *cdn_preset_handed(size_t i);

/* Directories every program needs: read and execute.  NULL past the end. */
const char *cdn_preset_system(size_t i);

/* "/.cargo", below the real home: read and execute where they exist. */
const char *cdn_preset_toolchain(size_t i);

/* What there is to know of the workspace. */
struct cdn_preset_facts {
	enum cdn_preset_git git;
	const char *const *executed; /* patterns beside those of the table */
	size_t executed_count;
};

/*
 * The rules of an operation when no document is loaded, in the arena; patterns
 * are borrowed.
 */
CDN_MUST_USE int cdn_preset_rules(struct cdn_arena *arena,
    const struct cdn_preset *preset, enum cordon_op op,
    const struct cdn_preset_facts *facts, struct cdn_rules *ret,
    struct cordon_error *err);

#endif
