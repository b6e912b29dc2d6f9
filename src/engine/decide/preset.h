/*
 * preset - what a process may see outside the workspace, the rules that hold
 * inside it when no document is loaded, and the defaults: what the host would
 * later execute, which stays denied whatever documents are loaded.  Tables only.
 */
#ifndef CDN_DECIDE_PRESET_H
#define CDN_DECIDE_PRESET_H

#include "engine/profile/profile.h"

struct cdn_preset {
	const char *name;   /* "workspace" */
	const char *source; /* "<preset workspace>" */
	bool modifies;	    /* the workspace may be modified */
	bool defaults;	    /* the layer of that name holds */
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

/* Groups that other modules name. */
#define CDN_GROUP_GIT	"git"
#define CDN_GROUP_HOME	"home"
#define CDN_GROUP_HOOKS "hooks"

#define CDN_EXCEPT_MAX 3

/* An entry of the defaults: what a program of the host executes or obeys. */
struct cdn_executed {
	const char *pattern; /* relative to the workspace */
	const char *what;    /* "git hook" */
	const char *program; /* that executes it: "git" */
	const char *group;   /* for --allow: "hooks" */
	const char *except[CDN_EXCEPT_MAX]; /* patterns below which it does
					     * not hold; or NULL */
	/* Inside of it, what the exceptions of others must not open. */
	const char *within[CDN_EXCEPT_MAX];
};

/* Entries, and their patterns.  NULL past the end. */
const struct cdn_executed *cdn_preset_entry(size_t i);
const char *cdn_preset_executed(size_t i);

struct cdn_preset_group {
	const char *name;
	const char *what;
};

/* NULL past the end. */
const struct cdn_preset_group *cdn_preset_group(size_t i);
bool cdn_preset_is_group(const char *name);
/* May --allow name it: a group, or the pattern of an entry? */
bool cdn_preset_may_allow(const char *name);

/* A file that the host would later execute or obey, denied or not. */
struct cdn_handed_entry {
	const char *pattern;
	const char *what;
};

/*
 * All of them, also those whose writing is the work that is asked for.  Of
 * those that match, the last says what it is.  False past the end.
 */
bool cdn_preset_handed(size_t i, struct cdn_handed_entry *ret);

/* Directories every program needs: read and execute.  NULL past the end. */
const char *cdn_preset_system(size_t i);

/* "/.cargo", below the real home: read and execute where they exist. */
const char *cdn_preset_toolchain(size_t i);

/* An entry of the defaults that was found in this workspace. */
struct cdn_found_executed {
	const char *pattern; /* relative to the workspace */
	const char *group;   /* one of CDN_GROUP_ */
	const char *name;    /* as --allow takes it alone; NULL: it does not */
	bool link;	     /* a symlink on the way: it is not followed */
};

/* What there is to know of the workspace and of what was asked for. */
struct cdn_preset_facts {
	enum cdn_preset_git git;
	const struct cdn_found_executed *executed; /* beside the table's */
	size_t executed_count;
	const char *const *allow; /* --allow: groups, patterns of entries */
	size_t allow_count;
	struct cdn_rules unprotect; /* of documents; none is negated */
	/*
	 * Repositories that are not called .git, relative to the workspace; ""
	 * is the workspace itself.
	 */
	const char *const *repositories;
	size_t repository_count;
	/* For whoever compares what it becomes: git_config.h. */
	bool config_compared;
	/* For mounts, which cannot allow a name that comes later (bwrap). */
	bool git_denies_only;
};

/*
 * The preset's own rules of an operation, which hold when no document is
 * loaded; in the arena.
 */
CDN_MUST_USE int cdn_preset_rules(struct cdn_arena *arena,
    const struct cdn_preset *preset, enum cordon_op op, struct cdn_rules *ret,
    struct cordon_error *err);

/*
 * A rule of the defaults that a report leaves out: it leaves something open as
 * it was, or repeats an entry for the top of the workspace.
 */
bool cdn_defaults_silent(const struct cdn_rule *rule);

/* A rule for a symlink itself: what it leads to has rules of its own. */
bool cdn_defaults_is_link(const struct cdn_rule *rule);

/* Do they keep repositories from coming to be? */
bool cdn_defaults_guard_git(const struct cdn_preset_facts *facts);

/* The rules of the defaults; patterns are borrowed. */
CDN_MUST_USE int cdn_defaults_rules(struct cdn_arena *arena, enum cordon_op op,
    const struct cdn_preset_facts *facts, struct cdn_rules *ret,
    struct cordon_error *err);

#endif
