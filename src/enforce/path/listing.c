#include "enforce/path/listing.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "enforce/path/path_internal.h"

/* Names by their hash, which is the same for both cases of a letter. */
struct cdn_listing {
	const char *entries; /* as the kernel gave them */
	uint16_t *slots;     /* 1 + where one begins; 0: none */
	size_t mask;
	bool links;
};

/* Those that keep a directory as it is while it is read. */
static const uint32_t kinds[] = {
	0x0000ef53U, /* ext4 */
	0x01021994U, /* tmpfs */
	0x58465342U, /* xfs */
	0x794c7630U, /* overlay */
	0x9123683eU, /* btrfs */
	0xf2f52010U, /* f2fs */
};

_Static_assert(CDN_LISTING_MAX < UINT16_MAX, "fits into a slot");

static bool
is_known(uint32_t f_type)
{
	for (size_t i = 0; i < CDN_LEN(kinds); i++)
		if (kinds[i] == f_type)
			return true;
	return false;
}

static size_t
slot_of(uint32_t hash)
{
	return hash ^ hash >> 15;
}

static const struct dirent64 *
entry_at(const char *entries, size_t at)
{
	return (const void *)(entries + at);
}

static size_t
count(const char *entries, size_t bytes)
{
	size_t n = 0;

	for (size_t at = 0; at < bytes; n++)
		at += entry_at(entries, at)->d_reclen;
	return n;
}

/* Twice as many slots as names, so that one is always free. */
static bool
fill(struct cdn_arena *arena, struct cdn_listing *listing, size_t bytes)
{
	size_t names = count(listing->entries, bytes), size = 4;

	while (size < 2 * names)
		size *= 2;
	listing->mask = size - 1;
	listing->slots = cdn_arena_array(arena, size, sizeof(uint16_t));
	if (listing->slots == NULL)
		return false;
	for (size_t at = 0; at < bytes;) {
		const struct dirent64 *entry = entry_at(listing->entries, at);
		uint32_t hash = CDN_NAME_HASH;
		size_t slot;

		for (const char *c = entry->d_name; *c != '\0'; c++)
			hash = cdn_name_hash(hash, *c);
		slot = slot_of(hash);
		while (listing->slots[slot & listing->mask] != 0)
			slot++;
		listing->slots[slot & listing->mask] = (uint16_t)(at + 1);
		at += entry->d_reclen;
	}
	return true;
}

/* 0: not in one call, or not at all. */
static size_t
read_all(int fd, char *room)
{
	_Alignas(struct dirent64) char more[sizeof(struct dirent64)];
	ssize_t n = getdents64(fd, (void *)room, CDN_LISTING_MAX);

	return n > 0 && getdents64(fd, (void *)more, sizeof(more)) == 0 ?
	    (size_t)n : 0;
}

const struct cdn_listing *
cdn_listing_read(struct cdn_arena *arena, const char *dir)
{
	_Alignas(struct dirent64) CDN_UNINITIALIZED char room[CDN_LISTING_MAX];
	cdn_cleanup_fd int fd = open(dir,
	    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct cdn_listing *listing;
	struct statfs fs;
	size_t n;

	if (fd < 0 || fstatfs(fd, &fs) != 0 || !is_known((uint32_t)fs.f_type) ||
	    (cdn_path_may_fold((uint32_t)fs.f_type) &&
		cdn_path_folds_as(fd, (uint32_t)fs.f_type)))
		return NULL;
	n = read_all(fd, room);
	listing = n == 0 ? NULL : cdn_arena_alloc(arena, sizeof(*listing));
	if (listing == NULL)
		return NULL;
	listing->links = cdn_path_links_are_text(&fs);
	listing->entries = cdn_arena_dup(arena, room, n);
	return listing->entries != NULL && fill(arena, listing, n) ? listing :
								     NULL;
}

static enum cdn_listed
kind_of(const struct dirent64 *entry)
{
	switch (entry->d_type) {
	case DT_DIR:
		return CDN_LISTED_DIRECTORY;
	case DT_LNK:
		return CDN_LISTED_LINK;
	default:
		return CDN_LISTED_PERHAPS;
	}
}

/* With another name of the same hash it may be; the kernel will know. */
enum cdn_listed
cdn_listing_find(const struct cdn_listing *listing, cdn_str name,
    uint32_t hash)
{
	enum cdn_listed found = CDN_LISTED_NOT;
	size_t slot = slot_of(hash), at;

	while ((at = listing->slots[slot++ & listing->mask]) != 0) {
		const struct dirent64 *entry = entry_at(listing->entries,
		    at - 1);

		if (strncasecmp(entry->d_name, name.p, name.n) != 0 ||
		    entry->d_name[name.n] != '\0')
			continue;
		if (memcmp(entry->d_name, name.p, name.n) == 0)
			return kind_of(entry);
		found = CDN_LISTED_PERHAPS;
	}
	return found;
}

bool
cdn_listing_links(const struct cdn_listing *listing)
{
	return listing->links;
}
