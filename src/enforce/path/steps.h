/*
 * steps - what a lookup remembers: the steps of names, each asked once.
 *
 * Links are followed by whoever takes the steps (lookup.c).  In an arena, and
 * for one thread while steps are taken.
 */
#ifndef CDN_PATH_STEPS_H
#define CDN_PATH_STEPS_H

#include <sys/types.h>

#include "base/arena.h"

enum cdn_step_kind {
	CDN_STEP_MISSING, /* and so is what would lie below */
	CDN_STEP_DIRECTORY,
	CDN_STEP_OTHER,	  /* there, but nothing lies below */
	CDN_STEP_LINK,	  /* followed by its text */
	CDN_STEP_SHUT,	  /* no permission to look for it */
	CDN_STEP_UNCLEAR, /* somebody else has to walk */
};

struct cdn_step {
	struct cdn_step *parent;
	cdn_str name;
	uint32_t hash; /* of the name */
	enum cdn_step_kind kind;
	dev_t dev; /* the three of OTHER only, and of what was asked for */
	ino_t ino;
	nlink_t nlink;
	const char *target; /* of a link: where it leads */
};

#define CDN_STEPS_PLAIN_MAX 4 /* devices remembered to have plain links */

struct cdn_steps {
	struct cdn_arena *arena;
	struct cdn_step root;
	struct cdn_step missing; /* what lies below nothing */
	struct cdn_step **slots; /* open addressing by parent and name */
	size_t size;		 /* a power of two */
	size_t count;
	dev_t plain[CDN_STEPS_PLAIN_MAX]; /* whose links are text */
	size_t plain_count;
};

/* Of a name, letter by letter. */
#define CDN_NAME_HASH 0x811c9dc5U

static inline uint32_t
cdn_name_hash(uint32_t hash, char c)
{
	return (hash ^ (unsigned char)c) * 0x01000193U;
}

/* False: out of memory. */
CDN_MUST_USE bool cdn_steps_init(struct cdn_steps *steps,
    struct cdn_arena *arena);

/* One that was taken before, or NULL.  hash: of all letters of the name. */
struct cdn_step *cdn_steps_find(const struct cdn_steps *steps,
    const struct cdn_step *dir, cdn_str name, uint32_t hash);

/* One that was not; nobody is asked, it is UNCLEAR.  NULL: out of memory. */
CDN_MUST_USE struct cdn_step *cdn_steps_add(struct cdn_steps *steps,
    struct cdn_step *dir, cdn_str name, uint32_t hash);

/*
 * path: of the name, which begins behind path[slash] and ends with it; path up
 * to there is that of dir.  NULL: out of memory.
 */
CDN_MUST_USE struct cdn_step *cdn_steps_take(struct cdn_steps *steps,
    struct cdn_step *dir, cdn_str path, size_t slash, uint32_t hash);

#endif
