/*
 * build - what the parts of this room hand to each other.
 *
 *	regions, walk ─► list of mounts ─► in order, pinned ─► report
 */
#ifndef CDN_BWRAP_BUILD_H
#define CDN_BWRAP_BUILD_H

#include "engine/bwrap/bwrap.h"

/* What mounts can make of a place. */
enum cdn_bwrap_state {
	CDN_BWRAP_CLOSED, /* not seen */
	CDN_BWRAP_FIXED,  /* seen, not changed */
	CDN_BWRAP_OPEN,
};

struct cdn_bwrap_build {
	struct cdn_arena *arena;
	const struct cdn_bwrap_input *in;
	const struct cdn_authority *mounted; /* never NULL */
	struct cordon_error *err;

	struct cdn_bwrap_mount *mounts;
	size_t count;
	size_t capacity;

	size_t entries; /* names looked at so far */
	unsigned depth;

	/* Lost, by operation: names that come later would be let through ... */
	bool later[CDN_RULE_OPS];
	/* ... of them, some that no deny speaks of. */
	bool unnamed[CDN_RULE_OPS];
	bool exec;	 /* what may be read but not executed */
	bool replaced;	 /* a file is masked by its name */
	bool new_names;	 /* more is refused: nothing new can be made */
	bool too_large;
	bool itself;	 /* a directory's own mode, while what is in it ... */
};

/* mounts.c: 0 or CORDON_E_NOMEM. */
CDN_MUST_USE int cdn_bwrap_add(struct cdn_bwrap_build *b,
    const struct cdn_bwrap_mount *mount);

/* walk.c: mounts for what is mixed; above: what is mounted around it. */
CDN_MUST_USE int cdn_bwrap_walk(struct cdn_bwrap_build *b, const char *path,
    bool directory, enum cdn_bwrap_state above);

bool cdn_bwrap_may_list(const struct cdn_bwrap_build *b, const char *path);

/* mounts.c: parents first, each once, none too many, pinned. */
CDN_MUST_USE int cdn_bwrap_arrange(struct cdn_bwrap_build *b);
/* The deepest of the first n, which are in order, around a path; or NULL. */
const struct cdn_bwrap_mount *cdn_bwrap_around(const struct cdn_bwrap_mount *mounts,
    size_t n, const char *path);

/* report.c: the plan with what mounts make of its rules. */
CDN_MUST_USE int cdn_bwrap_report(const struct cdn_bwrap_build *b,
    const struct cdn_plan **ret);

#endif
