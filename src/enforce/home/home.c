#include "enforce/home/home.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "enforce/home/furnish.h"
#include "enforce/home/lock.h"
#include "enforce/home/nest.h"
#include "enforce/home/sync.h"
#include "enforce/home/wipe.h"
#include "enforce/sys/sys.h"

#define MODE_DIR  0700U
#define DIR_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

struct cdn_home {
	uid_t uid; /* whose everything must be */
	int basefd;
	int parentfd; /* holds the tmp directory; or -1 */
	int lockfd;   /* the tmp directory itself */
	int homefd;   /* of a home that is still to be furnished; or -1 */
	char tmp[NAME_MAX + 1]; /* its name there */
	char *substitute;	/* base, when it goes with the session */
	bool leaves_tmp;	/* to the next session, to be removed */
	int statefd;		/* the home, where files go back from; or -1 */
	const struct cdn_home_file *files;
	size_t file_count;
	char record[CDN_PATH_MAX + 1]; /* sync.h */
};

/* ----- The base --------------------------------------------------------------- */

static int
open_real(const char *path)
{
	struct cdn_open_how how = {
		.flags = DIR_FLAGS,
		.resolve = CDN_RESOLVE_NO_SYMLINKS,
	};
	int fd = cdn_sys_openat2(AT_FDCWD, path, &how);

	if (fd != -ENOSYS && fd != -EPERM)
		return fd;
	fd = open(path, DIR_FLAGS);
	return fd < 0 ? -errno : fd;
}

/*
 * Each part of the path in turn; those that are there stay as they are, and
 * what became of the last one counts.
 */
static int
make_parts(int dirfd, const char *path)
{
	char part[CDN_PATH_MAX + 1];
	size_t n = strlen(path);
	int r = 0;

	if (n > CDN_PATH_MAX)
		return -ENAMETOOLONG;
	for (size_t i = 1; i <= n; i++) {
		if (path[i] != '/' && path[i] != '\0')
			continue;
		memcpy(part, path, i);
		part[i] = '\0';
		r = mkdirat(dirfd, part, MODE_DIR) != 0 && errno != EEXIST ?
		    -errno : 0;
	}
	return r;
}

static int
refuse_owner(const char *path, struct cordon_error *err)
{
	return cdn_err_sys(err, EPERM,
	    "'%s' belongs to somebody else (remove it, or use '--home host')",
	    path);
}

static int
check_base(int fd, uid_t uid, const char *path, struct cordon_error *err)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return cdn_err_sys(err, errno, "'%s'", path);
	if (st.st_uid != uid)
		return refuse_owner(path, err);
	if ((st.st_mode & (S_IWGRP | S_IWOTH)) != 0)
		return cdn_err_sys(err, EPERM,
		    "'%s' can be written by others (use 'chmod go-w')", path);
	return 0;
}

static int
open_base(const struct cdn_home_spec *spec, uid_t uid,
    struct cordon_error *err)
{
	const char *path = spec->base;
	int fd, r;

	if (path[0] != '/' || strlen(path) > CDN_PATH_MAX)
		return cdn_err(err, CORDON_E_INVALID,
		    "'%s' is no absolute path of at most %d bytes", path,
		    CDN_PATH_MAX);
	/* A name in /tmp that is there already is somebody else's. */
	if (spec->substitute && mkdir(path, MODE_DIR) != 0)
		return cdn_err_sys(err, errno, "cannot make directory '%s'",
		    path);
	fd = open_real(path);
	if (fd == -ENOENT) {
		r = make_parts(AT_FDCWD, path);
		fd = r == 0 ? open_real(path) : r;
	}
	if (fd < 0)
		return cdn_err_sys(err, -fd, "cannot use directory '%s'", path);
	r = check_base(fd, uid, path, err);
	if (r == 0)
		return fd;
	close(fd);
	return r;
}

/* ----- Directories of others -------------------------------------------------- */

static bool
is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

int
cdn_home_make(const char *path, struct cordon_error *err)
{
	int r;

	if (is_directory(path))
		return 0;
	r = make_parts(AT_FDCWD, path);
	if (r == 0 && !is_directory(path))
		r = -ENOTDIR;
	return r == 0 ? 0 : cdn_err_sys(err, -r,
	    "cannot make the agent's directory '%s' ('--agent none' does "
	    "without it)", path);
}

/* Inside of another run /tmp is not ours to change, for one. */
static bool
may_not_make(int error)
{
	return error == EACCES || error == EPERM || error == EROFS;
}

int
cdn_home_make_shared(const char *path, struct cordon_error *err)
{
	struct stat st;

	if (mkdir(path, MODE_DIR) != 0 && errno != EEXIST)
		return may_not_make(errno) ? 0 : cdn_err_sys(err, errno,
		    "cannot make directory '%s'", path);
	if (lstat(path, &st) != 0)
		return cdn_err_sys(err, errno, "'%s'", path);
	if (!S_ISDIR(st.st_mode))
		return cdn_err_sys(err, ENOTDIR, "'%s', where the agent keeps "
		    "what it works with, is no directory: somebody may have "
		    "put it there (remove it)", path);
	if (st.st_uid != geteuid())
		return cdn_err_sys(err, EPERM, "'%s', where the agent keeps "
		    "what it works with, belongs to somebody else (remove it, "
		    "or use '--agent none')", path);
	return 0;
}

/* ----- What lies in it --------------------------------------------------------- */

/* The part of path behind base, or NULL. */
static const char *
behind_base(const char *base, const char *path)
{
	size_t n = strlen(base);

	if (strncmp(path, base, n) != 0 || path[n] != '/' ||
	    path[n + 1] == '\0')
		return NULL;
	return path + n + 1;
}

/* The cage may have changed the mode of its own home. */
static int
check_own(int fd, uid_t uid, struct stat *ret)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return -errno;
	if (st.st_uid != uid)
		return -EPERM;
	if ((st.st_mode & 07777) != MODE_DIR && fchmod(fd, MODE_DIR) != 0)
		return -errno;
	*ret = st;
	return 0;
}

/* base is not for the cage to write, so what is wrong here stays wrong. */
static int
open_own(const struct cdn_home *home, const char *rel, const char *shown,
    struct stat *ret, struct cordon_error *err)
{
	int basefd = home->basefd;
	int fd = cdn_nest_open(basefd, rel, DIR_FLAGS);
	int r;

	if (fd == -ENOENT) {
		r = make_parts(basefd, rel);
		fd = r == 0 ? cdn_nest_open(basefd, rel, DIR_FLAGS) : r;
	}
	if (fd == -EACCES)
		fd = cdn_nest_open_dir(basefd, rel);
	if (fd == -ELOOP || fd == -ENOTDIR)
		return cdn_err_sys(err, -fd,
		    "'%s' is no directory (remove it)", shown);
	if (fd < 0)
		return cdn_err_sys(err, -fd, "cannot use '%s'", shown);
	r = check_own(fd, home->uid, ret);
	if (r == 0)
		return fd;
	close(fd);
	if (r == -EPERM)
		return refuse_owner(shown, err);
	return cdn_err_sys(err, -r, "cannot use '%s'", shown);
}

static int
not_below(const char *path, const char *base, struct cordon_error *err)
{
	return cdn_err(err, CORDON_E_INVALID, "'%s' does not lie below '%s'",
	    path, base);
}

/* For the end: what the run made of its credentials goes back. */
static void
remember_files(struct cdn_home *home, const struct cdn_home_spec *spec)
{
	int n = snprintf(home->record, sizeof(home->record),
	    "%s" CDN_HOME_RECORD, spec->home);

	if (n < 0 || n > CDN_PATH_MAX)
		return;
	home->statefd = fcntl(home->homefd, F_DUPFD_CLOEXEC, 3);
	home->files = spec->files;
	home->file_count = spec->file_count;
}

static int
open_home(struct cdn_home *home, const struct cdn_home_spec *spec,
    struct cordon_error *err)
{
	const char *rel = behind_base(spec->base, spec->home);
	struct stat st;

	if (rel == NULL)
		return not_below(spec->home, spec->base, err);
	home->homefd = open_own(home, rel, spec->home, &st, err);
	if (home->homefd < 0)
		return home->homefd;
	if (spec->file_count > 0)
		remember_files(home, spec);
	return spec->later ? 0 : cdn_home_furnish(home, spec, err);
}

/* ----- The tmp directory -------------------------------------------------------- */

/*
 * The directory that holds the tmp directories.  One without directories in it
 * (its links count them, where the file system counts) needs no sweep.
 */
static int
open_parent(struct cdn_home *home, const struct cdn_home_spec *spec,
    struct cordon_error *err)
{
	const char *rel = behind_base(spec->base, spec->tmp);
	const char *slash = rel == NULL ? NULL : strrchr(rel, '/');
	char parent[CDN_PATH_MAX + 1];
	struct stat st;
	size_t n;

	if (slash == NULL || slash[1] == '\0' || strlen(slash) > NAME_MAX)
		return not_below(spec->tmp, spec->base, err);
	n = (size_t)(slash - rel);
	if (n > CDN_PATH_MAX)
		return cdn_err_sys(err, ENAMETOOLONG, "'%s'", spec->tmp);
	memcpy(parent, rel, n);
	parent[n] = '\0';
	snprintf(home->tmp, sizeof(home->tmp), "%s", slash + 1);
	home->parentfd = open_own(home, parent, spec->tmp, &st, err);
	if (home->parentfd < 0)
		return home->parentfd;
	if (st.st_nlink != 2)
		cdn_lock_sweep(home->parentfd);
	return 0;
}

static int
open_tmp(struct cdn_home *home, const struct cdn_home_spec *spec,
    struct cordon_error *err)
{
	int r = open_parent(home, spec, err);

	if (r != 0)
		return r;
	home->lockfd = cdn_lock_make(home->basefd, home->parentfd, home->tmp);
	if (home->lockfd == -EBUSY)
		return cdn_err_sys(err, EBUSY,
		    "'%s' is used by another session", spec->tmp);
	if (home->lockfd < 0)
		return cdn_err_sys(err, -home->lockfd, "cannot make '%s'",
		    spec->tmp);
	return 0;
}

/* ----- Open and close ----------------------------------------------------------- */

static int
open_all(struct cdn_home *home, const struct cdn_home_spec *spec,
    struct cordon_error *err)
{
	int r = 0;

	if (spec->home[0] == '\0' && spec->tmp[0] == '\0')
		return 0;
	if (spec->substitute) {
		home->substitute = strdup(spec->base);
		if (home->substitute == NULL)
			return cdn_err_nomem(err);
	}
	home->basefd = open_base(spec, home->uid, err);
	if (home->basefd < 0)
		return home->basefd;
	if (spec->tmp[0] != '\0')
		r = open_tmp(home, spec, err);
	if (r == 0 && spec->granted && spec->home[0] != '\0' &&
	    spec->tmp[0] != '\0')
		r = cdn_furnish_granted(home->lockfd, spec, err);
	if (r == 0 && spec->home[0] != '\0')
		r = open_home(home, spec, err);
	return r;
}

int
cdn_home_open(const struct cdn_home_spec *spec, struct cdn_home **ret,
    struct cordon_error *err)
{
	struct cdn_home *home = calloc(1, sizeof(*home));
	int r;

	if (home == NULL)
		return cdn_err_nomem(err);
	home->uid = geteuid();
	home->basefd = home->parentfd = home->lockfd = home->homefd = -1;
	home->statefd = -1;
	r = open_all(home, spec, err);
	if (r != 0)
		cdn_home_close(home);
	else
		*ret = home;
	return r;
}

int
cdn_home_furnish(struct cdn_home *home, const struct cdn_home_spec *spec,
    struct cordon_error *err)
{
	int r = home->homefd < 0 ? 0 : cdn_furnish(home->homefd, spec, err);

	cdn_cleanup_fd_fn(&home->homefd);
	home->homefd = -1;
	return r;
}

void
cdn_home_ahead(struct cdn_home *home)
{
	if (home->lockfd < 0 || home->substitute != NULL)
		return;
	cdn_lock_ahead(home->basefd);
	home->leaves_tmp = true;
}

static void
remove_tmp(const struct cdn_home *home)
{
	size_t budget = CDN_HOME_WIPE_ENTRIES;

	if (home->leaves_tmp && cdn_lock_put_aside(home->basefd,
		home->parentfd, home->tmp, home->lockfd))
		return;
	(void)!cdn_wipe(home->parentfd, home->tmp, &budget);
}

/* Whoever can change the names in /tmp owns them, so this is the one made. */
static void
remove_substitute(char *base)
{
	char *slash = strrchr(base, '/');
	size_t budget = CDN_HOME_WIPE_ENTRIES;
	int fd;

	*slash = '\0';
	fd = open_real(base[0] == '\0' ? "/" : base);
	if (fd < 0)
		return;
	(void)!cdn_wipe(fd, slash + 1, &budget);
	close(fd);
}

void
cdn_home_close(struct cdn_home *home)
{
	if (home == NULL)
		return;
	if (home->statefd >= 0)
		(void)!cdn_sync_return(home->statefd, home->record,
		    home->files, home->file_count);
	if (home->lockfd >= 0)
		remove_tmp(home);
	if (home->substitute != NULL && home->basefd >= 0)
		remove_substitute(home->substitute);
	cdn_cleanup_fd_fn(&home->homefd);
	cdn_cleanup_fd_fn(&home->statefd);
	cdn_cleanup_fd_fn(&home->lockfd);
	cdn_cleanup_fd_fn(&home->parentfd);
	cdn_cleanup_fd_fn(&home->basefd);
	free(home->substitute);
	free(home);
}
