/*
 * reader - the real directories, for a plan.
 */
#include "enforce/launch/launch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "enforce/path/lookup.h"
#include "enforce/sys/sys.h"

/* Its type, asked for where the file system does not tell it at once. */
static unsigned char
type_of(int dir, const struct dirent *entry)
{
	struct stat st;

	if (entry->d_type != DT_UNKNOWN)
		return entry->d_type;
	return fstatat(dir, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 ?
	    (unsigned char)IFTODT(st.st_mode) : DT_UNKNOWN;
}

static bool
is_dots(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* What is there in a directory; type: DT_..., never unknown. */
typedef int each_fn(int dir, const char *name, unsigned char type, void *arg);

/*
 * In a cage there is no openat2().  What lies behind a link is not granted then,
 * either: who opens the entries follows none.
 */
static int
open_to_list(const char *path)
{
	static const struct cdn_open_how how = {
		.flags = O_RDONLY | O_DIRECTORY | O_NONBLOCK,
		.resolve = CDN_RESOLVE_NO_SYMLINKS,
	};
	int fd = cdn_sys_openat2(AT_FDCWD, path, &how);

	if (fd == -ENOSYS)
		fd = open(path, O_RDONLY | O_DIRECTORY | O_NONBLOCK |
		    O_NOFOLLOW | O_CLOEXEC);
	return fd;
}

/* What cannot be listed has nothing to grant one by one. */
static int
for_each(const char *path, each_fn *each, void *arg, struct cordon_error *err)
{
	int fd = open_to_list(path);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *found;
	int code = 0;

	if (dir == NULL && fd >= 0) {
		close(fd);
		return cdn_err_nomem(err);
	}
	/* Its names are not what the rules below it speak of. */
	if (dir != NULL && cdn_path_folds_fd(fd))
		code = CORDON_E_RESOLVE;
	while (dir != NULL && code == 0 && (found = readdir(dir)) != NULL) {
		unsigned char type = is_dots(found->d_name) ? DT_UNKNOWN :
		    type_of(fd, found);

		/* What is unknown still is gone by now. */
		if (type != DT_UNKNOWN)
			code = each(fd, found->d_name, type, arg);
	}
	if (dir != NULL)
		closedir(dir);
	return code;
}

struct listing {
	cdn_plan_entry_fn *entry;
	cdn_bwrap_link_fn *link;
	void *arg;
};

static int
each_entry(int dir, const char *name, unsigned char type, void *arg)
{
	const struct listing *l = arg;

	(void)dir;
	return type == DT_LNK ? 0 : l->entry(name, type == DT_DIR, l->arg);
}

static int
reader_list(void *arg, const char *path, cdn_plan_entry_fn *entry,
    void *entry_arg, struct cordon_error *err)
{
	struct listing l = { .entry = entry, .arg = entry_arg };

	(void)arg;
	return for_each(path, each_entry, &l, err);
}

static int
each_link(int dir, const char *name, unsigned char type, void *arg)
{
	const struct listing *l = arg;
	char target[CDN_PATH_MAX + 1];
	ssize_t n;

	if (type != DT_LNK)
		return 0;
	n = readlinkat(dir, name, target, sizeof(target));
	if (n <= 0 || (size_t)n >= sizeof(target))
		return 0;
	target[n] = '\0';
	return l->link(name, target, l->arg);
}

int
cdn_launch_links(void *arg, const char *dir, cdn_bwrap_link_fn *link,
    void *link_arg, struct cordon_error *err)
{
	struct listing l = { .link = link, .arg = link_arg };

	(void)arg;
	return for_each(dir, each_link, &l, err);
}

/*
 * Root keeps its uid in the cage but no capability, so the mode bits are what
 * counts; where there is an access control list, in doubt it is readable.
 */
static bool
root_reads(const char *path, const struct stat *st)
{
	mode_t any = S_IRGRP | S_IXGRP | S_IROTH | S_IXOTH;

	if (st->st_uid == 0)
		any |= S_IRUSR | S_IXUSR;
	return (st->st_mode & any) != 0 ||
	    lgetxattr(path, "system.posix_acl_access", NULL, 0) > 0;
}

/* What the session found there, under this very name; false: ask. */
static bool
is_found(struct cdn_lookup *lookup, const char *path, bool *ret_directory)
{
	CDN_UNINITIALIZED struct cdn_real real;

	if (lookup == NULL || !cdn_lookup_recall(lookup, path, &real) ||
	    strcmp(real.path, path) != 0)
		return false;
	*ret_directory = real.is_directory;
	return true;
}

static bool
user_reads(struct cdn_lookup *lookup, const char *path)
{
	bool directory;

	if (!is_found(lookup, path, &directory)) {
		struct stat st;

		if (lstat(path, &st) != 0)
			return false;
		directory = S_ISDIR(st.st_mode);
	}
	return faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) == 0 ||
	    (directory && faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0);
}

static bool
reader_readable(void *arg, const char *path)
{
	struct stat st;

	if (strcmp(path, "/proc/kcore") == 0)
		return false; /* needs CAP_SYS_RAWIO whatever its mode says */
	/* A pattern: what may come to match it is root's, and for root only. */
	if (strpbrk(path, "*?") != NULL)
		return geteuid() == 0;
	if (geteuid() != 0)
		return user_reads(arg, path);
	return lstat(path, &st) == 0 && root_reads(path, &st);
}

static bool
reader_exists(void *arg, const char *path, bool *ret_directory)
{
	struct stat st;

	if (is_found(arg, path, ret_directory))
		return true;
	if (lstat(path, &st) != 0 || S_ISLNK(st.st_mode))
		return false;
	*ret_directory = S_ISDIR(st.st_mode);
	return true;
}

const struct cdn_plan_reader cdn_launch_reader = {
	.list = reader_list,
	.readable = reader_readable,
	.exists = reader_exists,
};
