/*
 * child - entries of a directory, each judged by its own path.
 *
 * No link is followed: what is in a directory is what is shown and opened, and
 * who wants to go through a link has to name it.
 */
#include "enforce/gate/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static int
gone(const char *name, struct cordon_refused *refused,
    struct cordon_error *err)
{
	cdn_gate_refuse(refused, CORDON_REFUSAL_MISSING);
	return cdn_err(err, CORDON_E_NOT_FOUND, "'%s' is not there any more",
	    name);
}

static int
fail(int sys_errno, const char *name, struct cordon_refused *refused,
    struct cordon_error *err)
{
	if (sys_errno == ENOENT)
		return gone(name, refused, err);
	cdn_gate_refuse(refused, CORDON_REFUSAL_OS);
	return cdn_err_sys(err, sys_errno, "cannot look at '%s'", name);
}

/* dir/name, without looking. */
static int
join(const struct cdn_real *dir, const char *name, struct cdn_real *ret,
    struct cordon_error *err)
{
	size_t n = strlen(name);
	size_t slash = dir->len > 1; /* not behind "/" */

	if (n == 0 || dir->len + slash + n > CDN_PATH_MAX)
		return cdn_err(err, CORDON_E_INVALID,
		    "path is longer than %d bytes", CDN_PATH_MAX);
	memcpy(ret->path, dir->path, dir->len);
	ret->path[dir->len] = '/';
	memcpy(ret->path + dir->len + slash, name, n + 1);
	ret->len = dir->len + slash + n;
	return 0;
}

static void
fill(struct cdn_child *child, const struct stat *st)
{
	child->real.existing = child->real.len;
	child->real.exists = true;
	child->real.is_directory = S_ISDIR(st->st_mode);
	child->real.dev = st->st_dev;
	child->real.ino = st->st_ino;
	child->real.nlink = st->st_nlink;
	child->mode = st->st_mode;
	child->size = st->st_size > 0 ? (uint64_t)st->st_size : 0;
}

int
cdn_gate_child(const struct cordon_path_policy *policy, int dir,
    const struct cdn_real *dir_real, const char *name, struct cdn_child *ret,
    struct cordon_refused *refused, struct cordon_error *err)
{
	struct stat st;
	int code = join(dir_real, name, &ret->real, err);

	if (code != 0) {
		cdn_gate_refuse(refused, CORDON_REFUSAL_INVALID);
		return code;
	}
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return fail(errno, name, refused, err);
	fill(ret, &st);
	return cdn_gate_judge(policy, CORDON_READ, &ret->real, refused, err);
}

/* Devices, pipes, sockets and links are none of them. */
static bool
is_file(int fd, struct cdn_child *ret)
{
	struct stat st;

	if (fstat(fd, &st) != 0 ||
	    (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)))
		return false;
	fill(ret, &st);
	return true;
}

/* Where it is must be where it was named: somebody may have moved it. */
static bool
is_there(int fd, const struct cdn_child *child)
{
	struct cdn_real now;

	return cdn_path_of_fd(fd, &now, NULL) == 0 &&
	    strcmp(now.path, child->real.path) == 0;
}

int
cdn_gate_child_open(const struct cordon_path_policy *policy, int dir,
    const struct cdn_real *dir_real, const char *name, int *ret_fd,
    struct cdn_child *ret, struct cordon_refused *refused,
    struct cordon_error *err)
{
	cdn_cleanup_fd int there = -1;
	char self[64];
	int fd;
	int code = cdn_gate_child(policy, dir, dir_real, name, ret, refused,
	    err);

	if (code != 0)
		return code;
	there = openat(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (there < 0)
		return fail(errno, name, refused, err);
	if (!is_file(there, ret) || !is_there(there, ret))
		return gone(name, refused, err);
	/* The object may be another one than was judged above. */
	code = cdn_gate_judge(policy, CORDON_READ, &ret->real, refused, err);
	if (code != 0)
		return code;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", there);
	fd = open(self, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return fail(errno, name, refused, err);
	*ret_fd = fd;
	return 0;
}
