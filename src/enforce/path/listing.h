/*
 * listing - all names of one directory, read at once.
 *
 * Where many names are asked of one directory and most of them are not there,
 * reading it is cheaper than asking for each.  What the kernel gives in one
 * call it gave while it kept the directory from changing, so a name that is
 * not among them was missing at that moment, as if it had been asked for.
 *
 * Nothing is read where a name may be found by another spelling (directories
 * that ignore case, file systems that nobody knows), nor what takes more than
 * CDN_LISTING_MAX bytes.
 */
#ifndef CDN_PATH_LISTING_H
#define CDN_PATH_LISTING_H

#include "base/arena.h"

#define CDN_LISTING_MAX 8192U /* bytes: more names than that cost more to read */

enum cdn_listed {
	CDN_LISTED_NOT,
	CDN_LISTED_DIRECTORY,
	CDN_LISTED_LINK,
	CDN_LISTED_PERHAPS, /* something, or in other letters: ask for it */
};

struct cdn_listing;

/*
 * dir: real.  In the arena; NULL where it cannot be read, or must not be
 * relied upon: then ask for each name.
 */
const struct cdn_listing *cdn_listing_read(struct cdn_arena *arena,
    const char *dir);

/* Of a name, letter by letter; the same for both cases of one. */
#define CDN_NAME_HASH 0x811c9dc5U

static inline uint32_t
cdn_name_hash(uint32_t hash, char c)
{
	return (hash ^ ((unsigned char)c | 0x20U)) * 0x01000193U;
}

/* hash: of all its letters. */
enum cdn_listed cdn_listing_find(const struct cdn_listing *listing,
    cdn_str name, uint32_t hash);

/* Are its links text, and followed by the kernel? */
bool cdn_listing_links(const struct cdn_listing *listing);

#endif
