#include "enforce/path/path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "enforce/path/path_internal.h"
#include "enforce/sys/sys.h"

#define PROC_MAGIC   0x00009fa0U
#define ATTEMPTS_MAX 4

/* A thread may have a descriptor table of its own. */
#define FD_DIRECTORY "/proc/thread-self/fd"

size_t
cdn_path_parent(const char *path, size_t len)
{
	while (len > 0 && path[--len] != '/')
		;
	return len;
}

void
cdn_path_fill(struct cdn_real *real, const struct stat *st)
{
	real->exists = true;
	real->is_directory = S_ISDIR(st->st_mode);
	real->dev = st->st_dev;
	real->ino = st->st_ino;
	real->nlink = st->st_nlink;
}

/* ----- The name the kernel has for a descriptor --------------------------- */

/*
 * What lies at /proc may be anything where nobody mounted one (a chroot), and
 * a link there would be believed: so it is asked what it is.
 */
static int
name_of_fd(int fd, struct cdn_real *real)
{
	char link[sizeof(FD_DIRECTORY) + 16];
	struct statfs fs;
	ssize_t n;

	if (statfs(FD_DIRECTORY, &fs) != 0)
		return -errno;
	if ((uint32_t)fs.f_type != PROC_MAGIC)
		return -ENOENT;
	snprintf(link, sizeof(link), "%s/%d", FD_DIRECTORY, fd);
	n = readlink(link, real->path, sizeof(real->path));
	if (n < 0)
		return -errno;
	if ((size_t)n == sizeof(real->path))
		return -ENAMETOOLONG;
	if (real->path[0] != '/')
		return -ENOENT; /* a pipe, a socket, ... */
	real->path[n] = '\0';
	real->len = (size_t)n;
	real->existing = (size_t)n;
	return 0;
}

/*
 * The name may lie: " (deleted)" is both a mark of the kernel and a possible
 * name, and below a detached mount names begin at its root.  So the object is
 * looked up under it.
 */
static int
is_at(const struct cdn_real *real, const struct stat *st)
{
	struct stat there;

	if (lstat(real->path, &there) != 0)
		return -errno;
	if (there.st_dev != st->st_dev || there.st_ino != st->st_ino)
		return -ESTALE;
	return 0;
}

int
cdn_path_of_fd(int fd, struct cdn_real *ret, struct cordon_error *err)
{
	struct cdn_real real = { 0 };
	struct stat st;
	int r = 0;

	for (int i = 0; i < ATTEMPTS_MAX; i++) {
		if (fstat(fd, &st) != 0)
			r = -errno;
		else
			r = name_of_fd(fd, &real);
		if (r < 0)
			break;
		r = is_at(&real, &st);
		if (r == 0)
			break;
	}
	if (r < 0) {
		(void)cdn_path_error(err, -r, cdn_str_of(real.path));
		return cdn_err_context(err, CORDON_E_RESOLVE,
		    "descriptor %d has no path", fd);
	}
	cdn_path_fill(&real, &st);
	*ret = real;
	return 0;
}

/* ----- From a name -------------------------------------------------------- */

static int
join(const char *base, cdn_str raw, char *out, size_t size)
{
	size_t n = 0;

	if (raw.n == 0 || raw.p[0] != '/') {
		n = strlen(base);
		if (n + 1 >= size)
			return -ENAMETOOLONG;
		memcpy(out, base, n);
		if (n == 0 || base[n - 1] != '/')
			out[n++] = '/';
	}
	if (raw.n >= size - n)
		return -ENAMETOOLONG;
	if (raw.n > 0)
		memcpy(out + n, raw.p, raw.n);
	out[n + raw.n] = '\0';
	return 0;
}

/* Nothing, "." or "..": no name of anything. */
static bool
is_dots(const char *name, size_t n)
{
	return n == 0 || (n <= 2 && name[0] == '.' && name[n - 1] == '.');
}

/* Names and single slashes: but for links it is a path already. */
static bool
is_plain(const char *path)
{
	const char *end;

	for (; *path == '/'; path = end) {
		end = strchrnul(path + 1, '/');
		if (is_dots(path + 1, (size_t)(end - path - 1)))
			return false;
	}
	return *path == '\0';
}

/* The directory path[0..slash), unless a link leads there. */
static int
open_parent(const char *path, size_t slash)
{
	static const struct cdn_open_how how = {
		.flags = O_PATH | O_DIRECTORY,
		.resolve = CDN_RESOLVE_NO_MAGICLINKS | CDN_RESOLVE_NO_SYMLINKS,
	};
	char parent[CDN_PATH_MAX];

	memcpy(parent, slash == 0 ? "/" : path, slash == 0 ? 1 : slash);
	parent[slash == 0 ? 1 : slash] = '\0';
	return cdn_sys_openat2(AT_FDCWD, parent, &how);
}

int
cdn_path_plain(const char *base, cdn_str raw, struct cdn_real *ret)
{
	char path[CDN_PATH_MAX];
	cdn_cleanup_fd int fd = -1;
	struct stat st;
	size_t slash, n;
	int r = join(base, raw, path, sizeof(path));

	if (r < 0)
		return r;
	if (!is_plain(path))
		return -EAGAIN;
	n = strlen(path);
	slash = cdn_path_parent(path, n);
	fd = open_parent(path, slash);
	if (fd < 0)
		return fd;
	r = fstatat(fd, path + slash + 1, &st, AT_SYMLINK_NOFOLLOW);
	if (r != 0 ? errno != ENOENT : S_ISLNK(st.st_mode))
		return -EAGAIN;
	memcpy(ret->path, path, n + 1);
	ret->len = n;
	ret->existing = r == 0 ? n : slash == 0 ? 1 : slash;
	ret->exists = ret->is_directory = false;
	ret->dev = 0;
	ret->ino = 0;
	ret->nlink = 0;
	if (r == 0)
		cdn_path_fill(ret, &st);
	return 0;
}

/* The descriptor is the caller's, whatever comes of it. */
static int
open_fast(const char *base, cdn_str raw, int *ret_fd, struct cdn_real *ret)
{
	static const struct cdn_open_how how = {
		.flags = O_PATH,
		.resolve = CDN_RESOLVE_NO_MAGICLINKS,
	};
	char path[CDN_PATH_MAX]; /* the kernel's own limit */
	struct cdn_real real = { 0 };
	struct stat st;
	int r = join(base, raw, path, sizeof(path));

	if (r < 0)
		return r;
	*ret_fd = cdn_sys_openat2(AT_FDCWD, path, &how);
	if (*ret_fd < 0)
		return *ret_fd;
	if (fstat(*ret_fd, &st) != 0)
		return -errno;
	r = name_of_fd(*ret_fd, &real);
	if (r < 0)
		return r;
	if (cdn_str_ends((cdn_str){ real.path, real.len },
		CDN_STR(" (deleted)")))
		return -EAGAIN;
	cdn_path_fill(&real, &st);
	*ret = real;
	return 0;
}

int
cdn_path_fast(const char *base, cdn_str raw, struct cdn_real *ret)
{
	cdn_cleanup_fd int fd = -1;

	return open_fast(base, raw, &fd, ret);
}

/*
 * A name that is not there, in a directory that is: most of what is going to be
 * written.  The directory is found as above, and the name asked of it; whatever
 * is not as simple as that is for the walk.
 */
static int
fast_new(const char *base, cdn_str raw, struct cdn_real *ret)
{
	size_t slash = cdn_path_parent(raw.p, raw.n);
	bool bare = raw.n == 0 || raw.p[slash] != '/';
	cdn_str name = cdn_str_from(raw, bare ? 0 : slash + 1);
	cdn_str parent = bare ? CDN_STR(".") : (cdn_str){ raw.p, slash + 1 };
	cdn_cleanup_fd int fd = -1;
	char text[NAME_MAX + 1];
	struct cdn_real real;
	struct stat st;
	size_t n;
	int r;

	if (name.n > NAME_MAX || is_dots(name.p, name.n))
		return -EAGAIN;
	real.len = 0;
	real.is_directory = false;
	r = open_fast(base, parent, &fd, &real);
	if (r < 0)
		return r;
	memcpy(text, name.p, name.n);
	text[name.n] = '\0';
	n = real.len > 1 ? real.len : 0; /* "/" has its slash already */
	if (!real.is_directory || n + 1 + name.n > CDN_PATH_MAX ||
	    fstatat(fd, text, &st, AT_SYMLINK_NOFOLLOW) == 0 ||
	    errno != ENOENT)
		return -EAGAIN;
	real.path[n] = '/';
	memcpy(real.path + n + 1, text, name.n + 1);
	real.len = n + 1 + name.n;
	real.exists = real.is_directory = false;
	real.dev = 0;
	real.ino = 0;
	real.nlink = 0;
	*ret = real;
	return 0;
}

static int
check_arguments(const char *base, cdn_str raw, struct cordon_error *err)
{
	if (raw.n > CDN_PATH_MAX || strlen(base) > CDN_PATH_MAX)
		return cdn_path_error(err, ENAMETOOLONG, raw);
	if (raw.n > 0 && memchr(raw.p, '\0', raw.n) != NULL)
		return cdn_err(err, CORDON_E_INVALID,
		    "path '%.*s' holds a NUL byte", CDN_STR_ARG(raw));
	if (base[0] != '/')
		return cdn_err(err, CORDON_E_INVALID,
		    "base '%s' is not an absolute path", base);
	return 0;
}

int
cdn_path_resolve(const char *base, cdn_str raw, struct cdn_real *ret,
    struct cordon_error *err)
{
	int r = check_arguments(base, raw, err);

	if (r < 0)
		return r;
	if (cdn_path_plain(base, raw, ret) == 0)
		return 0;
	r = cdn_path_fast(base, raw, ret);
	if (r == 0 || (r == -ENOENT &&
	    fast_new(base, raw, ret) == 0))
		return 0;
	return cdn_path_walk(base, raw, ret, err);
}

int
cdn_path_workspace(const char *dir, struct cdn_real *ret,
    struct cordon_error *err)
{
	char cwd[CDN_PATH_MAX + 1] = "/";
	struct cdn_real real = { 0 };
	int r;

	if (dir[0] != '/' && getcwd(cwd, sizeof(cwd)) == NULL) {
		(void)cdn_err_sys(err, errno,
		    "workspace '%s': no current directory", dir);
		if (err != NULL)
			err->code = CORDON_E_WORKSPACE;
		return CORDON_E_WORKSPACE;
	}
	r = cdn_path_resolve(cwd, cdn_str_of(dir), &real, err);
	if (r < 0)
		return cdn_err_context(err, r, "workspace '%s'", dir);
	if (!real.exists)
		return cdn_err(err, CORDON_E_WORKSPACE,
		    "workspace '%s' does not exist", dir);
	if (!real.is_directory)
		return cdn_err(err, CORDON_E_WORKSPACE,
		    "workspace '%s' is not a directory", dir);
	*ret = real;
	return 0;
}
