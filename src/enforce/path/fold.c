/*
 * fold - which directories ignore case.
 *
 * A rule against `.env` must also hold for `.ENV` where the two are one file.
 * Some file systems always fold, some say so per directory.  Shares of a
 * foreign host (FUSE, 9p, SMB) usually fold because the host does, and there
 * is no way to ask: they count as folding.
 */
#include "enforce/path/path_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "enforce/sys/sys.h"

/* clang-format off */
static const struct {
	uint32_t		f_type;
	enum cdn_path_fold	fold;
} kinds[] = {
	{ 0x00004d44U, CDN_FOLD_ALWAYS },	/* vfat */
	{ 0x2011bab0U, CDN_FOLD_ALWAYS },	/* exfat */
	{ 0x5346544eU, CDN_FOLD_ALWAYS },	/* ntfs */
	{ 0x7366746eU, CDN_FOLD_ALWAYS },	/* ntfs3 */
	{ 0x00004244U, CDN_FOLD_ALWAYS },	/* hfs */
	{ 0x0000482bU, CDN_FOLD_ALWAYS },	/* hfsplus */
	{ 0x0000adffU, CDN_FOLD_ALWAYS },	/* affs */
	{ 0xff534d42U, CDN_FOLD_ALWAYS },	/* cifs */
	{ 0xfe534d42U, CDN_FOLD_ALWAYS },	/* smb2 and later */
	{ 0x65735546U, CDN_FOLD_ALWAYS },	/* fuse, virtiofs */
	{ 0x01021997U, CDN_FOLD_ALWAYS },	/* 9p */
	{ 0x786f4256U, CDN_FOLD_ALWAYS },	/* vboxsf */
	{ 0xbacbacbcU, CDN_FOLD_ALWAYS },	/* vmhgfs */
	{ 0x7c7c6673U, CDN_FOLD_ALWAYS },	/* prl_fs */
	{ 0x0000ef53U, CDN_FOLD_BY_DIRECTORY },	/* ext4, since 5.2 */
	{ 0xf2f52010U, CDN_FOLD_BY_DIRECTORY },	/* f2fs, since 5.4 */
	{ 0x01021994U, CDN_FOLD_BY_DIRECTORY },	/* tmpfs, since 6.13 */
	{ 0xca451a4eU, CDN_FOLD_BY_DIRECTORY },	/* bcachefs */
	{ 0x794c7630U, CDN_FOLD_BY_DIRECTORY },	/* overlay: as its layers */
};
/* clang-format on */

enum cdn_path_fold
cdn_path_fold_kind(uint32_t f_type)
{
	for (size_t i = 0; i < CDN_LEN(kinds); i++)
		if (kinds[i].f_type == f_type)
			return kinds[i].fold;
	return CDN_FOLD_NEVER;
}

/* Where the kernel says that it can; NULL: nowhere. */
static const char *
feature_of(uint32_t f_type)
{
	switch (f_type) {
	case 0x0000ef53U:
		return "/sys/fs/ext4/features/casefold";
	case 0xf2f52010U:
		return "/sys/fs/f2fs/features/casefold";
	case 0x01021994U:
		return "/sys/fs/tmpfs/features/casefold";
	default:
		return NULL;
	}
}

/* A sysfs that is not there says nothing. */
static bool
kernel_lacks(const char *feature)
{
	struct statfs fs;

	return feature != NULL && access(feature, F_OK) != 0 &&
	    errno == ENOENT && statfs("/sys/fs", &fs) == 0 &&
	    (uint32_t)fs.f_type == SYSFS_MAGIC;
}

bool
cdn_path_may_fold(uint32_t f_type)
{
	/* Answers do not change while the kernel runs: one bit for each. */
	static unsigned known, lacking;
	const char *feature = feature_of(f_type);
	unsigned bit = f_type == 0x0000ef53U ? 1 : f_type == 0xf2f52010U ? 2 : 4;

	if (cdn_path_fold_kind(f_type) != CDN_FOLD_BY_DIRECTORY)
		return cdn_path_fold_kind(f_type) == CDN_FOLD_ALWAYS;
	if (feature == NULL)
		return true;
	if ((__atomic_load_n(&known, __ATOMIC_ACQUIRE) & bit) == 0) {
		if (kernel_lacks(feature))
			__atomic_fetch_or(&lacking, bit, __ATOMIC_RELAXED);
		__atomic_fetch_or(&known, bit, __ATOMIC_RELEASE);
	}
	return (__atomic_load_n(&lacking, __ATOMIC_RELAXED) & bit) == 0;
}

static bool
has_flag(int fd)
{
	unsigned flags = 0;

	if (cdn_sys_inode_flags(fd, &flags) < 0)
		return false; /* the file system has no flags at all */
	return (flags & CDN_FL_CASEFOLD) != 0;
}

bool
cdn_path_folds_fd(int fd)
{
	struct statfs fs;

	if (fstatfs(fd, &fs) != 0)
		return true;
	switch (cdn_path_fold_kind((uint32_t)fs.f_type)) {
	case CDN_FOLD_NEVER:
		return false;
	case CDN_FOLD_ALWAYS:
		return true;
	case CDN_FOLD_BY_DIRECTORY:
		break;
	}
	return has_flag(fd);
}

static int
open_directory(const char *dir)
{
	return open(dir,
	    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

/* ----- By a path ----------------------------------------------------------- */

/* A copy of path[0..n); "/" for nothing. */
static bool
copy_directory(char dir[CDN_PATH_MAX + 1], const char *path, size_t n)
{
	if (n > CDN_PATH_MAX)
		return false;
	memcpy(dir, n == 0 ? "/" : path, n == 0 ? 1 : n);
	dir[n == 0 ? 1 : n] = '\0';
	return true;
}

/* A directory that may be searched but not read cannot be asked. */
bool
cdn_path_folds(const char *path, size_t n)
{
	char dir[CDN_PATH_MAX + 1];
	cdn_cleanup_fd int fd = -1;
	struct statfs fs;

	if (!copy_directory(dir, path, n) || statfs(dir, &fs) != 0)
		return true;
	if (!cdn_path_may_fold((uint32_t)fs.f_type))
		return false;
	fd = open_directory(dir);
	return fd < 0 || cdn_path_folds_fd(fd);
}

/* The letters of path[from..n) in the other case; false: it has none. */
static bool
swap_case(char *path, size_t from, size_t n)
{
	bool swapped = false;

	for (size_t i = from; i < n; i++)
		if ((path[i] >= 'a' && path[i] <= 'z') ||
		    (path[i] >= 'A' && path[i] <= 'Z')) {
			path[i] ^= 0x20;
			swapped = true;
		}
	return swapped;
}

/*
 * Is the name at path[from..n) found in the other case, too?  Whoever may not
 * read a directory can still try names in it.
 */
static bool
finds_other_case(const char *path, size_t from, size_t n)
{
	char name[CDN_PATH_MAX + 1];
	struct stat one, other;

	if (!copy_directory(name, path, n) || lstat(name, &one) != 0 ||
	    !swap_case(name, from, n))
		return true;
	return lstat(name, &other) == 0 && one.st_dev == other.st_dev &&
	    one.st_ino == other.st_ino;
}

/* The directory path[0..at), in which the name path[at+1..n) lies. */
static bool
folds_at(const char *path, size_t at, size_t n)
{
	char dir[CDN_PATH_MAX + 1];
	cdn_cleanup_fd int fd = -1;
	struct statfs fs;

	if (!copy_directory(dir, path, at) || statfs(dir, &fs) != 0)
		return true;
	if (!cdn_path_may_fold((uint32_t)fs.f_type))
		return false;
	fd = open_directory(dir);
	return fd >= 0 ? cdn_path_folds_fd(fd) :
	    finds_other_case(path, at + 1, n);
}

bool
cdn_path_folds_somewhere(const char *path, size_t n)
{
	for (size_t at = 0, end; at < n; at = end) {
		const char *slash = at + 1 < n ?
		    memchr(path + at + 1, '/', n - at - 1) : NULL;

		end = slash == NULL ? n : (size_t)(slash - path);
		if (folds_at(path, at, end))
			return true;
	}
	return false;
}

bool
cdn_path_folds_case(const struct cdn_real *real)
{
	if (real->exists)
		return cdn_path_folds(real->path,
		    cdn_path_parent(real->path, real->len));
	return cdn_path_folds(real->path, real->existing);
}
