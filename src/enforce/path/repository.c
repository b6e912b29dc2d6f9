#include "enforce/path/repository.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/limits.h"
#include "engine/match/fold.h"

#define PART_NAME_MAX 24 /* bytes; those of the table are shorter */

static const struct {
	const char *name;
	const char *folded;
	unsigned part;
} parts[] = {
	{ "HEAD", "head", CDN_REPOSITORY_HEAD },
	{ "objects", "objects", CDN_REPOSITORY_OBJECTS },
	{ "refs", "refs", CDN_REPOSITORY_REFS },
	{ "commondir", "commondir", CDN_REPOSITORY_COMMONDIR },
	{ "config", "config", CDN_REPOSITORY_CONFIG },
	{ "config.worktree", "config.worktree", CDN_REPOSITORY_CONFIG },
	{ "hooks", "hooks", CDN_REPOSITORY_CONFIG },
	{ "index", "index", CDN_REPOSITORY_CONTENT },
	{ "MERGE_RR", "merge_rr", CDN_REPOSITORY_CONTENT },
	{ "MERGE_AUTOSTASH", "merge_autostash", CDN_REPOSITORY_CONTENT },
	{ "cordon.new", "cordon.new", CDN_REPOSITORY_CONTENT },
};
static const char shared_index[] = "sharedindex."; /* and an object's id */
#define MAKES_ONE                                          \
	((unsigned)CDN_REPOSITORY_HEAD | CDN_REPOSITORY_OBJECTS | \
	    CDN_REPOSITORY_REFS | CDN_REPOSITORY_COMMONDIR)
#define OBEYED ((unsigned)CDN_REPOSITORY_CONFIG | CDN_REPOSITORY_CONTENT)

/* With every letter in two bytes a longer name still folds to one of these. */
_Static_assert(sizeof("config.worktree") <= PART_NAME_MAX, "fits");

static bool
folds_to(cdn_str name, const char *wanted)
{
	char folded[3 * PART_NAME_MAX];
	cdn_str one = { folded, 0 };

	if (name.n == 0 || name.n > sizeof(folded))
		return false;
	one.n = cdn_fold(name, folded);
	return cdn_str_is(one, wanted);
}

unsigned
cdn_repository_part(cdn_str name)
{
	char folded[3 * PART_NAME_MAX];
	cdn_str one = { folded, 0 };

	if (name.n >= sizeof(shared_index) - 1 && folds_to((cdn_str){ name.p,
	    sizeof(shared_index) - 1 }, shared_index))
		return CDN_REPOSITORY_CONTENT;
	if (name.n == 0 || name.n > sizeof(folded))
		return 0;
	one.n = cdn_fold(name, folded);
	for (size_t i = 0; i < CDN_LEN(parts); i++)
		if (cdn_str_is(one, parts[i].folded))
			return parts[i].part;
	return 0;
}

bool
cdn_repository_is(unsigned has)
{
	const unsigned own = CDN_REPOSITORY_OBJECTS | CDN_REPOSITORY_REFS;

	return (has & CDN_REPOSITORY_HEAD) != 0 &&
	    ((has & own) == own || (has & CDN_REPOSITORY_COMMONDIR) != 0);
}

bool
cdn_repository_forbids(unsigned has, unsigned part)
{
	return cdn_repository_is(has | part) &&
	    (!cdn_repository_is(has) || (part & OBEYED) != 0);
}

static bool
is_there(int dirfd, const char *dir, const char *name)
{
	char path[CDN_PATH_MAX + PART_NAME_MAX];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return fstatat(dirfd, path, &st, AT_SYMLINK_NOFOLLOW) == 0 ||
	    (errno != ENOENT && errno != ENOTDIR);
}

unsigned
cdn_repository_parts(int dirfd, const char *dir)
{
	unsigned has = 0;

	for (size_t i = 0; i < CDN_LEN(parts); i++)
		if ((parts[i].part & MAKES_ONE) != 0 &&
		    is_there(dirfd, dir, parts[i].name))
			has |= parts[i].part;
	return has;
}

bool
cdn_repository_is_at(int dirfd, const char *dir)
{
	return is_there(dirfd, dir, parts[0].name) &&
	    cdn_repository_is(cdn_repository_parts(dirfd, dir));
}

bool
cdn_repository_is_named(cdn_str text)
{
	cdn_str name;

	while (cdn_str_next(&text, '/', &name))
		if (folds_to(name, ".git"))
			return true;
	return false;
}
