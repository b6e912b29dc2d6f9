/*
 * open - a descriptor of what was judged.
 *
 * A name is resolved and judged, the object is opened by its real path with no
 * link followed on the way, and the path that the descriptor then has must be
 * the one that was judged.  If somebody moved things meanwhile, all of it
 * begins anew; nothing was read, written or cut until it fits.
 */
#include "enforce/gate/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "enforce/sys/sys.h"

#define KNOWN_FLAGS \
	(O_ACCMODE | O_CREAT | O_EXCL | O_APPEND | O_TRUNC | O_DIRECTORY | \
	    O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
/* What is opened never waits, never becomes a terminal, is never cut yet. */
#define ALWAYS	   (O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW)
#define NO_LINKS   (CDN_RESOLVE_NO_SYMLINKS | CDN_RESOLVE_NO_MAGICLINKS)

struct opening {
	const struct cordon_path_policy *policy;
	cdn_str raw;
	int flags;
	unsigned mode;
	struct cdn_real *real;
	struct cordon_refused *refused;
	struct cordon_error *err;
};

/* ----- Judging ---------------------------------------------------------------- */

static int
judge_all(const struct opening *o)
{
	int access = o->flags & O_ACCMODE;
	int code = 0;

	if (access != O_WRONLY)
		code = cdn_gate_judge(o->policy, CORDON_READ, o->real,
		    o->refused, o->err);
	if (code == 0 && (access != O_RDONLY ||
	    (o->flags & (O_CREAT | O_TRUNC)) != 0))
		code = cdn_gate_judge(o->policy, CORDON_MODIFY, o->real,
		    o->refused, o->err);
	return code;
}

static int
fail(const struct opening *o, int sys_errno, const char *what)
{
	cdn_gate_refuse(o->refused, CORDON_REFUSAL_OS);
	return cdn_err_sys(o->err, sys_errno, "cannot %s '%s'", what,
	    o->real->path);
}

static int
missing(const struct opening *o)
{
	cdn_gate_refuse(o->refused, CORDON_REFUSAL_MISSING);
	return cdn_err(o->err, CORDON_E_NOT_FOUND, "'%s' does not exist",
	    o->real->path);
}

static int
no_file(const struct opening *o)
{
	cdn_gate_refuse(o->refused, CORDON_REFUSAL_INVALID);
	return cdn_err(o->err, CORDON_E_INVALID,
	    "'%s' is neither a regular file nor a directory", o->real->path);
}

/* ----- Opening ------------------------------------------------------------------ */

int
cdn_gate_sys_open(const char *path, int flags)
{
	struct cdn_open_how how = {
		.flags = (uint64_t)(unsigned)flags,
		.resolve = NO_LINKS,
	};
	int fd = cdn_sys_openat2(AT_FDCWD, path, &how);

	return fd == -ELOOP || fd == -ENOENT || fd == -ENOTDIR ? -EAGAIN : fd;
}

static bool
is_same(int a, int b)
{
	struct stat one, other;

	return fstat(a, &one) == 0 && fstat(b, &other) == 0 &&
	    one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

int
cdn_gate_open_parent(const char *name, size_t len)
{
	struct cdn_real now;
	char path[CDN_PATH_MAX + 1];
	int fd;

	memcpy(path, name, len);
	path[len] = '\0';
	fd = cdn_gate_sys_open(len > 0 ? path : "/", O_PATH | O_DIRECTORY);
	if (fd < 0)
		return fd;
	if (cdn_path_of_fd(fd, &now, NULL) != 0 ||
	    strcmp(now.path, len > 0 ? path : "/") != 0) {
		close(fd);
		return -EAGAIN;
	}
	return fd;
}

/* Beside -errno: it would complete a git repository, or configure one. */
#define FORBIDDEN (-4096)

/* Its directory was opened again: what was judged is compared later. */
static int
check_existing(const struct opening *o)
{
	size_t len = (size_t)(strrchr(o->real->path, '/') - o->real->path);
	cdn_cleanup_fd int parent = -1;

	if ((o->flags & O_ACCMODE) == O_RDONLY)
		return 0;
	parent = cdn_gate_open_parent(o->real->path, len);
	if (parent < 0)
		return parent;
	return cdn_gate_forbids_part(o->policy->session, parent,
		   o->real->path, true) ? FORBIDDEN : 0;
}

/* Devices, pipes and sockets are not opened at all: that alone has effects. */
static int
open_existing(const struct opening *o)
{
	int keep = o->flags & (O_ACCMODE | O_APPEND | O_DIRECTORY);
	cdn_cleanup_fd int there = -1;
	struct stat st;
	int fd;

	if ((o->flags & O_EXCL) != 0)
		return -EEXIST;
	fd = check_existing(o);
	if (fd < 0)
		return fd;
	there = cdn_gate_sys_open(o->real->path, O_PATH | O_NOFOLLOW);
	if (there < 0)
		return there;
	if (fstat(there, &st) != 0)
		return -errno;
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return -ENODEV;
	if (!S_ISDIR(st.st_mode) && (o->flags & O_DIRECTORY) != 0)
		return -ENOTDIR;
	fd = cdn_gate_sys_open(o->real->path, keep | ALWAYS);
	if (fd >= 0 && !is_same(fd, there)) {
		close(fd);
		return -EAGAIN;
	}
	return fd;
}

static int
open_new(const struct opening *o)
{
	const char *slash = strrchr(o->real->path, '/');
	size_t len = (size_t)(slash - o->real->path);
	int keep = o->flags & (O_ACCMODE | O_APPEND);
	cdn_cleanup_fd int parent = -1;
	int fd;

	if (o->real->existing < len)
		return -ENOENT; /* its directory is not there either */
	parent = cdn_gate_open_parent(o->real->path, len);
	if (parent < 0)
		return parent;
	if (cdn_gate_forbids_part(o->policy->session, parent, o->real->path,
		false))
		return FORBIDDEN;
	fd = openat(parent, slash + 1, keep | O_CREAT | O_EXCL | ALWAYS,
	    o->mode);
	if (fd < 0)
		return errno == EEXIST || errno == ENOENT ? -EAGAIN : -errno;
	if (!cdn_gate_forbids_part(o->policy->session, parent, o->real->path,
		false))
		return fd;
	(void)unlinkat(parent, slash + 1, 0);
	close(fd);
	return FORBIDDEN;
}

/* What came out must be what went in, or as good. */
static int
confirm(const struct opening *o, int fd)
{
	struct cdn_real now;

	if (cdn_path_of_fd(fd, &now, NULL) != 0 ||
	    strcmp(now.path, o->real->path) != 0)
		return -EAGAIN;
	*o->real = now;
	return 0;
}

/* 0, a code of cordon.h, or 1: once more. */
static int
try_once(const struct opening *o, int *ret_fd)
{
	int code, fd;

	code = cdn_gate_enforce(o->policy, o->policy->base,
	    (o->flags & O_ACCMODE) == O_WRONLY ? CORDON_MODIFY : CORDON_READ,
	    o->raw, o->real, o->refused, o->err);
	if (code == 0)
		code = judge_all(o);
	if (code != 0)
		return code;
	if (!o->real->exists && (o->flags & O_CREAT) == 0)
		return missing(o);
	fd = o->real->exists ? open_existing(o) : open_new(o);
	if (fd == -EAGAIN)
		return 1;
	if (fd == FORBIDDEN)
		return cdn_gate_refuse_part(o->real->path, o->refused, o->err);
	if (fd == -ENOENT)
		return missing(o);
	if (fd == -ENODEV)
		return no_file(o);
	if (fd < 0)
		return fail(o, -fd, "open");
	if (confirm(o, fd) != 0) {
		close(fd);
		return 1;
	}
	/* The object may have other names, by which it is known now. */
	code = judge_all(o);
	if (code == 0 && (o->flags & O_TRUNC) != 0 && ftruncate(fd, 0) != 0)
		code = fail(o, errno, "cut");
	if (code == 0)
		*ret_fd = fd;
	else
		close(fd);
	return code;
}

int
cdn_gate_open(const struct cordon_path_policy *policy, cdn_str raw, int flags,
    unsigned mode, int *ret_fd, struct cdn_real *real,
    struct cordon_refused *refused, struct cordon_error *err)
{
	struct opening o = { policy, raw, flags, mode & 0777U, real, refused,
		err };
	int code = 1;

	if ((flags & ~KNOWN_FLAGS) != 0 || (flags & O_ACCMODE) == O_ACCMODE ||
	    ((flags & O_TRUNC) != 0 && (flags & O_ACCMODE) == O_RDONLY) ||
	    (flags & (O_CREAT | O_DIRECTORY)) == (O_CREAT | O_DIRECTORY)) {
		cdn_gate_refuse(refused, CORDON_REFUSAL_INVALID);
		return cdn_err(err, CORDON_E_INVALID,
		    "flags %#x for an open are not known here",
		    (unsigned)flags);
	}
	for (int i = 0; i < CDN_GATE_TRIES && code == 1; i++)
		code = try_once(&o, ret_fd);
	if (code != 1)
		return code;
	(void)fail(&o, EAGAIN, "open");
	return cdn_err_recode(err, CORDON_E_RESOLVE);
}
