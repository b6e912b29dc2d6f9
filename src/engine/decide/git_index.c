#include "engine/decide/git_index.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "engine/match/fold.h"

/*
 *	header		"DIRC", version, count
 *	entry...	stat data, mode, ids, object id, flags, name, padding
 *	extension...	signature, size, data
 *	checksum
 *
 * All numbers are big-endian.
 */
#define HEADER	    12U
#define STAT_BYTES  40U /* before the object id; the mode is in it */
#define MODE_AT	    24U
#define SHA1_BYTES  20U
#define SHA256_BYTES 32U
#define NAME_MASK   0x0fffU /* of the flags: the length of the name, or all ones */
#define EXTENDED    0x4000U /* two more bytes of flags */
#define MODE_TYPE   0170000U
#define MODE_TREE   0040000U /* of a sparse index; the name ends with a slash */
#define VARINT_MAX  5	     /* bytes; names are far shorter */

struct reading {
	cdn_str bytes;
	size_t hash;	/* bytes of an object id, and of the checksum */
	size_t at;
	size_t end;	/* where the checksum is */
	uint32_t version, count;
	size_t *starts;	/* of each entry */
	bool *whole;	/* likewise: its name does not need the one before */
	bool split;	/* refers to a shared index */
	bool nameless;	/* has entries without a name, as only a split one may */
	size_t entries_end;
	char name[CDN_PATH_MAX + 1]; /* of the entry before */
	size_t name_len;
};

static uint32_t
number(const struct reading *r, size_t at)
{
	const unsigned char *p = (const unsigned char *)r->bytes.p + at;

	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
	    (uint32_t)p[2] << 8 | p[3];
}

static unsigned
short_number(const struct reading *r, size_t at)
{
	const unsigned char *p = (const unsigned char *)r->bytes.p + at;

	return (unsigned)p[0] << 8 | p[1];
}

static bool
has(const struct reading *r, size_t n)
{
	return n <= r->end - r->at;
}

/* ----- Names --------------------------------------------------------------- */

/* .git in any case, also as HFS+ and NTFS would see it: no such name is needed. */
static bool
is_part_harmless(cdn_str part)
{
	char folded[3 * 16];
	cdn_str one = { folded, 0 };

	if (part.n == 0 || cdn_str_is(part, ".") || cdn_str_is(part, ".."))
		return false;
	if (part.n > sizeof(folded) / 3)
		return true;
	one.n = cdn_fold(part, folded);
	return !cdn_str_is(one, ".git") && !cdn_str_is(one, "git~1");
}

static bool
is_name_harmless(cdn_str name, bool tree)
{
	cdn_str part;

	if (tree) {
		if (name.n < 2 || name.p[name.n - 1] != '/')
			return false;
		name.n--;
	}
	if (name.n == 0 || name.p[0] == '/' || name.p[name.n - 1] == '/')
		return false;
	while (cdn_str_next(&name, '/', &part))
		if (!is_part_harmless(part))
			return false;
	return true;
}

/* ----- Entries -------------------------------------------------------------- */

/* Git's own encoding of numbers. */
static bool
read_varint(struct reading *r, size_t *ret)
{
	size_t value = 0;

	for (int i = 0; i < VARINT_MAX && has(r, 1); i++) {
		unsigned char c = (unsigned char)r->bytes.p[r->at++];

		value = (i == 0 ? 0 : (value + 1) << 7) | (c & 0x7fU);
		if ((c & 0x80U) == 0) {
			*ret = value;
			return true;
		}
	}
	return false;
}

/* The text up to its NUL becomes the end of the name. */
static bool
read_text(struct reading *r, size_t kept)
{
	const char *text = r->bytes.p + r->at;
	const char *nul = memchr(text, '\0', r->end - r->at);
	size_t n = nul == NULL ? 0 : (size_t)(nul - text);

	if (nul == NULL || n > CDN_PATH_MAX - kept)
		return false;
	memcpy(r->name + kept, text, n);
	r->name_len = kept + n;
	r->name[r->name_len] = '\0';
	r->at += n;
	return true;
}

/* Names of version 4 leave out what they share with the one before. */
static bool
read_compressed(struct reading *r, size_t i)
{
	size_t removed;

	if (!read_varint(r, &removed) || removed > r->name_len)
		return false;
	r->whole[i] = removed == r->name_len;
	if (!read_text(r, r->name_len - removed))
		return false;
	r->at++;
	return true;
}

/* Others are padded with NULs to a multiple of eight bytes, one at the least. */
static bool
read_padded(struct reading *r, size_t i)
{
	size_t size;

	r->whole[i] = true;
	if (!read_text(r, 0))
		return false;
	size = (r->at - r->starts[i] + 8) & ~(size_t)7;
	size -= r->at - r->starts[i];
	if (!has(r, size))
		return false;
	for (size_t k = 0; k < size; k++)
		if (r->bytes.p[r->at + k] != '\0')
			return false;
	r->at += size;
	return true;
}

static bool
is_length(const struct reading *r, unsigned flags)
{
	size_t said = flags & NAME_MASK;

	return said == NAME_MASK ? r->name_len >= NAME_MASK :
				   r->name_len == said;
}

static bool
read_entry(struct reading *r, size_t i)
{
	unsigned flags;
	uint32_t mode;

	r->starts[i] = r->at;
	if (!has(r, STAT_BYTES + r->hash + 2))
		return false;
	mode = number(r, r->at + MODE_AT);
	r->at += STAT_BYTES + r->hash;
	flags = short_number(r, r->at);
	r->at += 2;
	if ((flags & EXTENDED) != 0) {
		if (r->version < 3 || !has(r, 2))
			return false;
		r->at += 2;
	}
	if (!(r->version == 4 ? read_compressed(r, i) : read_padded(r, i)) ||
	    !is_length(r, flags))
		return false;
	if (r->name_len == 0) {
		r->nameless = true;
		return true;
	}
	return is_name_harmless((cdn_str){ r->name, r->name_len },
	    (mode & MODE_TYPE) == MODE_TREE);
}

/* ----- Extensions ------------------------------------------------------------ */

#define EXTENSION_HEAD 8U /* signature and size */

/*
 * The table lets git read blocks of entries in several threads.  Each must begin
 * where an entry does, and its first name must be whole.
 */
static bool
is_table_true(const struct reading *r, size_t at, size_t size)
{
	size_t entry = 0;

	if (size < 4 || (size - 4) % 8 != 0 || number(r, at) != 1)
		return false;
	for (size_t k = at + 4; k < at + size; k += 8) {
		uint32_t n = number(r, k + 4);

		if (entry >= r->count || n == 0 || n > r->count - entry ||
		    number(r, k) != r->starts[entry] || !r->whole[entry])
			return false;
		entry += n;
	}
	return entry == r->count;
}

static bool
is_extension_harmless(struct reading *r, const char *name, size_t at,
    size_t size)
{
	if (memcmp(name, "IEOT", 4) == 0)
		return is_table_true(r, at, size);
	if (memcmp(name, "EOIE", 4) == 0) /* where the entries end */
		return size == 4 + r->hash && at + size == r->end &&
		    number(r, at) == r->entries_end;
	if (memcmp(name, "link", 4) == 0)
		r->split = true;
	/* Others hold names, too, such as of directories without tracked files. */
	return memmem(r->bytes.p + at, size, "../", 3) == NULL;
}

/* Git looks for EOIE right before the checksum, whatever lies before it. */
static bool
ends_with_end(const struct reading *r)
{
	size_t n = EXTENSION_HEAD + 4 + r->hash;

	return r->end >= n + HEADER &&
	    memcmp(r->bytes.p + r->end - n, "EOIE", 4) == 0;
}

static bool
read_extensions(struct reading *r)
{
	bool end = false;

	while (r->at < r->end) {
		const char *name = r->bytes.p + r->at;
		size_t size;

		if (end || !has(r, EXTENSION_HEAD))
			return false;
		size = number(r, r->at + 4);
		r->at += EXTENSION_HEAD;
		if (!has(r, size) ||
		    !is_extension_harmless(r, name, r->at, size))
			return false;
		end = memcmp(name, "EOIE", 4) == 0;
		r->at += size;
	}
	return end == ends_with_end(r);
}

/* ----- All of it -------------------------------------------------------------- */

static bool
read_header(struct reading *r)
{
	size_t least;

	if (r->bytes.n < HEADER + r->hash || r->bytes.n > CDN_GIT_INDEX_MAX ||
	    memcmp(r->bytes.p, "DIRC", 4) != 0)
		return false;
	r->end = r->bytes.n - r->hash;
	r->at = HEADER;
	r->version = number(r, 4);
	r->count = number(r, 8);
	least = STAT_BYTES + r->hash + 2;
	return r->version >= 2 && r->version <= 4 &&
	    r->count <= (r->end - r->at) / least;
}

static bool
read_all(struct reading *r)
{
	for (size_t i = 0; i < r->count; i++)
		if (!read_entry(r, i))
			return false;
	r->entries_end = r->at;
	return read_extensions(r) && (!r->nameless || r->split);
}

bool
cdn_git_index_is_harmless(cdn_str bytes, bool sha256)
{
	struct reading r = { .bytes = bytes,
		.hash = sha256 ? SHA256_BYTES : SHA1_BYTES };
	bool good = false;

	if (!read_header(&r))
		return false;
	r.starts = calloc((size_t)r.count + 1, sizeof(*r.starts));
	r.whole = calloc((size_t)r.count + 1, sizeof(*r.whole));
	if (r.starts != NULL && r.whole != NULL)
		good = read_all(&r);
	free(r.starts);
	free(r.whole);
	return good;
}

/* ----- The format of objects ---------------------------------------------------- */

static bool
folds_to(cdn_str s, const char *wanted)
{
	char folded[16] = { 0 };

	return s.n <= sizeof(folded) &&
	    cdn_str_is((cdn_str){ folded, cdn_fold(s, folded) }, wanted);
}

static bool
mentions(cdn_str line, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i + n <= line.n; i++)
		if (folds_to((cdn_str){ line.p + i, n }, word))
			return true;
	return false;
}

enum cdn_object_format
cdn_git_object_format(cdn_str config)
{
	enum cdn_object_format format = CDN_OBJECT_SHA1;
	cdn_str line, key;

	while (cdn_str_next(&config, '\n', &line)) {
		if (!mentions(line, "objectformat"))
			continue;
		if (!cdn_str_next(&line, '=', &key) || line.p == NULL ||
		    !folds_to(cdn_str_trim(key), "objectformat"))
			return CDN_OBJECT_UNKNOWN;
		if (cdn_str_is(cdn_str_trim(line), "sha256"))
			format = CDN_OBJECT_SHA256;
		else if (!cdn_str_is(cdn_str_trim(line), "sha1"))
			return CDN_OBJECT_UNKNOWN;
	}
	return format;
}
