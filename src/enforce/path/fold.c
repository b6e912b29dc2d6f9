/*
 * fold - which directories ignore case.
 *
 * A rule against `.env` must also hold for `.ENV` where the two are one file.
 * Some file systems always fold, some say so per directory.  Shares of a
 * foreign host (FUSE, 9p, SMB) usually fold because the host does, and there
 * is no way to ask: they count as folding.
 */
#include "enforce/path/path_internal.h"

#include <fcntl.h>
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

/* A directory that may be searched but not read cannot be asked. */
static bool
has_flag(const char *dir)
{
	cdn_cleanup_fd int fd = open(dir,
	    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	unsigned flags = 0;

	if (fd < 0)
		return true;
	if (cdn_sys_inode_flags(fd, &flags) < 0)
		return false; /* the file system has no flags at all */
	return (flags & CDN_FL_CASEFOLD) != 0;
}

bool
cdn_path_folds(const char *path, size_t n)
{
	char dir[CDN_PATH_MAX + 1] = "/";
	struct statfs fs;

	if (n > CDN_PATH_MAX)
		return true;
	if (n > 0) {
		memcpy(dir, path, n);
		dir[n] = '\0';
	}
	if (statfs(dir, &fs) != 0)
		return true;
	switch (cdn_path_fold_kind((uint32_t)fs.f_type)) {
	case CDN_FOLD_NEVER:
		return false;
	case CDN_FOLD_ALWAYS:
		return true;
	case CDN_FOLD_BY_DIRECTORY:
		break;
	}
	return has_flag(dir);
}

bool
cdn_path_folds_case(const struct cdn_real *real)
{
	if (real->exists)
		return cdn_path_folds(real->path,
		    cdn_path_parent(real->path, real->len));
	return cdn_path_folds(real->path, real->existing);
}
