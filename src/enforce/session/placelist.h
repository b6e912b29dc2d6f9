/*
 * placelist - collecting places (engine/decide) from names.
 *
 * Each name is expanded ("~"), made real, and kept under both spellings when
 * they differ, because what is judged is a real path but the entry may be
 * replaced by a file of its own name later.  A list of grants does not follow
 * a link out of the workspace: whoever may write there would choose its target.
 *
 * Failure is sticky and shared: after the first one nothing more happens in
 * any list of the same gathering, and its code is asked once at the end.
 */
#ifndef CDN_SESSION_PLACELIST_H
#define CDN_SESSION_PLACELIST_H

#include "enforce/path/lookup.h"
#include "enforce/path/mounts.h"
#include "enforce/session/session.h"
#include "enforce/session/worktree.h"

/* How far a directory is looked into for second names (elsewhere.h). */
enum cdn_look {
	CDN_LOOK_NOT,
	CDN_LOOK_FLAT, /* right in it, CDN_STORE_SCAN_MAX entries */
	CDN_LOOK_DEEP, /* and below, CDN_KEYS_SCAN_MAX of all */
};

struct cdn_protected_dir {
	const char *dir;
	enum cdn_look look;
};

struct cdn_gather {
	const struct cordon_session *session;
	struct cdn_arena *arena;
	struct cdn_lookup *lookup;
	struct cdn_mounts mounts;
	struct cdn_worktree worktree;
	const char **linked; /* protected files with more than one link */
	size_t linked_count, linked_room;
	struct cdn_protected_dir *looked; /* protected directories to look into */
	size_t looked_count, looked_room;
	struct cordon_error *err; /* of the first failure */
	int code;		  /* 0 = none */
};

struct cdn_placelist {
	struct cdn_gather *g;
	bool grants; /* else it takes away */
	/*
	 * A list that nobody wrote by hand: of what is missing today, or lies
	 * below an earlier place, there is nothing to tell.
	 */
	bool lean;
	enum cdn_look look; /* into directories that are added from now on */
	struct cdn_place *v;
	size_t n;
	size_t capacity;
};

/*
 * Adds an absolute path; NULL (out of memory on the way) is a failure.
 * `like` gives shown (NULL: the path), pos and flags.
 */
void cdn_placelist_add(struct cdn_placelist *list, const char *path,
    const struct cdn_place *like);

/* The same for a path that is real already: no link is followed. */
void cdn_placelist_exact(struct cdn_placelist *list, const char *path,
    const struct cdn_place *like);

/* The same for one that was looked at: its other names are looked for. */
void cdn_placelist_found(struct cdn_placelist *list,
    const struct cdn_found *found, const struct cdn_place *like);

/*
 * Roots of a document; relative ones are taken from the workspace.  Where the
 * list takes away, "~" means the home of the password database as well.
 */
void cdn_placelist_roots(struct cdn_placelist *list,
    const struct cdn_roots *roots);

/*
 * grant_places.c: a root that somebody names, by its real path; what is
 * relative starts at the workspace.
 */
void cdn_placelist_named(struct cdn_placelist *list, const char *path,
    const struct cdn_place *like);

/* By component: is path dir itself or below it? */
bool cdn_placelist_below(const char *path, const char *dir);

/* The same entries by the other paths that mounts give them. */
void cdn_placelist_aliases(struct cdn_placelist *list);

/* Does a place of the list hold for the path already, flags aside? */
bool cdn_placelist_covers(const struct cdn_placelist *list, const char *path);

/* DIR and a name behind it, "/" between them included in one of them. */
const char *cdn_placelist_name(const struct cdn_placelist *list,
    const char *dir, const char *name);

struct cdn_place_list cdn_placelist_done(const struct cdn_placelist *list);

/* floor_places.c: closed, sealed, hidden and own of the specification. */
void cdn_gather_floor(struct cdn_gather *g,
    const struct cordon_session_options *options,
    struct cdn_authority_spec *spec, struct cdn_place_list *ret_inodes);

/* floor_places.c: adds the session's home and tmp, once they have a name. */
void cdn_gather_own(struct cdn_gather *g, struct cdn_authority_spec *spec);

/* grant_places.c: the roots of documents and command line. */
void cdn_gather_grants(struct cdn_gather *g,
    const struct cordon_session_options *options,
    struct cdn_document *documents, struct cdn_authority_spec *spec);

/*
 * planted.c: CORDON_E_INVALID when a root of the command line, of a worker or
 * of a grant leads by a link out of a directory that runs may write to; after
 * the grants are known.
 */
void cdn_gather_planted(struct cdn_gather *g,
    const struct cordon_session_options *options,
    const struct cdn_document *documents,
    const struct cdn_authority_spec *spec);

/* runtime_places.c: the runtime view; after the floor is known. */
void cdn_gather_runtime(struct cdn_gather *g,
    const struct cordon_session_options *options,
    struct cdn_authority_spec *spec);

/* network_option.c: --network as a list of rules, in the arena. */
CDN_MUST_USE int cdn_network_option(struct cdn_arena *arena, const char *text,
    struct cdn_network_set **ret, struct cordon_error *err);

#endif
