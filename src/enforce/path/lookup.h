/*
 * lookup - the real paths of many names at once.
 *
 * Most names of the floor lie in the same few directories and are not there at
 * all.  So each step of a name is asked of the kernel once, and remembered
 * for the next: what is missing ends the way at once, and only where there is
 * a link does anybody have to walk.
 *
 *	"/"--"home"--"u"-+-".config"-+-"gh"	missing
 *	                 |           `-"gcloud"	missing
 *	                 `-".aws"		missing: so is .aws/credentials
 *
 * Names of a directory of which many will be asked begin there, and not at the
 * root.
 *
 * What is remembered was true at some moment while the lookup lived; it is
 * made for one gathering and thrown away with its arena.  The answers are
 * those of cdn_path_resolve(), which is asked where a name is not plain.
 *
 * Whoever starts something with what was gathered, and nothing else, may be told
 * once more what was found (cdn_lookup_recall): it is what his session was
 * made of, a moment ago.  He is never told that something is missing, for he
 * makes directories himself, and what the kernel is to hold is opened anew,
 * without following links.
 */
#ifndef CDN_PATH_LOOKUP_H
#define CDN_PATH_LOOKUP_H

#include "base/arena.h"
#include "enforce/path/path.h"

struct cdn_lookup;

/* In the arena, as is all that it remembers; NULL: out of memory. */
CDN_MUST_USE struct cdn_lookup *cdn_lookup_new(struct cdn_arena *arena);

struct cdn_found {
	const char *path; /* what was asked when it is real, or in the arena */
	size_t len;
	size_t existing; /* as in struct cdn_real */
	bool exists;
	bool is_directory;
	nlink_t nlink; /* of the object, when it exists and is no directory */
};

/* path: absolute.  Errors as cdn_path_resolve(), and memory. */
CDN_MUST_USE int cdn_lookup_find(struct cdn_lookup *lookup, const char *path,
    struct cdn_found *ret, struct cordon_error *err);

/*
 * dir: as getcwd() gave it, so real; nothing was asked before.  Few calls: the
 * directory of this process.  False: out of memory.
 */
CDN_MUST_USE bool cdn_lookup_know(struct cdn_lookup *lookup, const char *dir);

/* Many names of it will be asked, of few directories.  False: no memory. */
CDN_MUST_USE bool cdn_lookup_expect(struct cdn_lookup *lookup,
    const char *dir);

/*
 * What was found for the path, and was there; false: ask for it.  ret as for
 * cdn_path_resolve(), but dev, ino and nlink are those of no directory.  Changes
 * nothing: any thread may, once nobody finds any more.
 */
CDN_MUST_USE bool cdn_lookup_recall(struct cdn_lookup *lookup,
    const char *path, struct cdn_real *ret);

#endif
