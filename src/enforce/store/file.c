#include "enforce/store/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK_BYTES    16384
#define NAME_ATTEMPTS  8
#define TEMPORARY_SIZE sizeof(".cordon-0123456789abcdef.tmp")

int
cdn_file_fail(int code, const struct cordon_error *why,
    struct cordon_error *err)
{
	if (err != NULL)
		*err = *why;
	return code;
}

int
cdn_file_split(const char *file, char dir[CDN_PATH_MAX + 1],
    const char **ret_name, struct cordon_error *err)
{
	const char *slash = strrchr(file, '/');
	const char *name = slash == NULL ? file : slash + 1;
	size_t n = slash == NULL ? 0 : (size_t)(slash - file);

	if (n > CDN_PATH_MAX)
		return cdn_err_sys(err, ENAMETOOLONG, "'%s'", file);
	if (name[0] == '\0' || strcmp(name, ".") == 0 ||
	    strcmp(name, "..") == 0)
		return cdn_err(err, CORDON_E_INVALID,
		    "'%s' is not the name of a file", file);
	memcpy(dir, file, n);
	if (n == 0)
		dir[n++] = slash == NULL ? '.' : '/';
	dir[n] = '\0';
	*ret_name = name;
	return 0;
}

/* ----- Opening ------------------------------------------------------------ */

static bool
is_link(int dirfd, const char *name)
{
	struct stat st;

	return fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    S_ISLNK(st.st_mode);
}

/* Cuts the last component off; false when there was only one. */
static bool
cut_last(char *path)
{
	size_t n = strlen(path);

	while (n > 0 && path[n - 1] != '/')
		n--;
	while (n > 0 && path[n - 1] == '/')
		n--;
	path[n] = '\0';
	return n > 0;
}

/*
 * A link that leads nowhere, in the last step or before, is no absence: a
 * policy kept on a disk that is not mounted must not look like no policy.
 */
static int
explain_missing(int dirfd, const char *name, const char *shown,
    struct cordon_error *err)
{
	char part[CDN_PATH_MAX + 1];
	struct stat st;

	snprintf(part, sizeof(part), "%s", name);
	do {
		if (fstatat(dirfd, part, &st, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		if (S_ISLNK(st.st_mode) && fstatat(dirfd, part, &st, 0) != 0)
			return cdn_err_sys(err, ENOENT,
			    "'%s' cannot be reached by the link '%s'", shown,
			    part);
		break;
	} while (cut_last(part));
	return cdn_err(err, CORDON_E_NOT_FOUND, "'%s' is not there", shown);
}

static int
explain_open(int dirfd, const char *name, const char *shown, int error,
    struct cordon_error *err)
{
	if (error == ENOENT || error == ENOTDIR)
		return explain_missing(dirfd, name, shown, err);
	if (error == ELOOP && is_link(dirfd, name))
		return cdn_err(err, CORDON_E_INVALID,
		    "'%s' is a symbolic link, which is not followed here; "
		    "put the file itself there",
		    shown);
	return cdn_err_sys(err, error, "cannot open '%s'", shown);
}

int
cdn_file_open(int dirfd, const char *name, const char *shown, bool follow,
    struct cordon_error *err)
{
	struct stat st;
	/* Neither waits for a FIFO's writer nor takes a terminal. */
	int fd = openat(dirfd, name,
	    O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC |
		(follow ? 0 : O_NOFOLLOW));

	if (fd < 0)
		return explain_open(dirfd, name, shown, errno, err);
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	return cdn_err(err, CORDON_E_INVALID, "'%s' is not a regular file",
	    shown);
}

int
cdn_file_open_dir(const char *dir, struct cordon_error *err)
{
	struct stat st;
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int error = errno;

	if (fd >= 0)
		return fd;
	if (error == ENOENT || (error == ENOTDIR && stat(dir, &st) != 0))
		return explain_missing(AT_FDCWD, dir, dir, err);
	return cdn_err_sys(err, error, "cannot open directory '%s'", dir);
}

/* ----- Reading ------------------------------------------------------------ */

static int
too_large(const char *shown, size_t max, struct cordon_error *err)
{
	return cdn_err(err, CORDON_E_INVALID, "'%s' is larger than %zu bytes",
	    shown, max);
}

static int
read_into(int fd, const char *shown, struct cdn_buf *buf,
    struct cordon_error *err)
{
	char chunk[CHUNK_BYTES];
	ssize_t n;

	for (;;) {
		n = read(fd, chunk, sizeof(chunk));
		if (n == 0)
			return 0;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return cdn_err_sys(err, errno, "cannot read '%s'",
			    shown);
		if ((size_t)n > buf->max - buf->n)
			return too_large(shown, buf->max, err);
		cdn_buf_add(buf, chunk, (size_t)n);
		if (cdn_buf_failed(buf))
			return cdn_err_nomem(err);
	}
}

int
cdn_file_read(int fd, const char *shown, size_t max, struct cdn_buf *ret,
    struct cordon_error *err)
{
	struct cdn_buf buf;
	struct stat st;
	int r;

	if (fstat(fd, &st) != 0)
		return cdn_err_sys(err, errno, "cannot read '%s'", shown);
	if (st.st_size > 0 && (uint64_t)st.st_size > max)
		return too_large(shown, max, err);
	cdn_buf_init(&buf, max);
	r = read_into(fd, shown, &buf, err);
	if (r != 0)
		cdn_buf_done(&buf);
	else
		*ret = buf;
	return r;
}

/* ----- Replacing ---------------------------------------------------------- */

/*
 * The name cannot be guessed and must be new, so nobody can have put a link
 * there.  It has no suffix that a store would list.
 */
static int
create_temporary(int dirfd, char name[TEMPORARY_SIZE])
{
	uint64_t random;
	int fd;

	for (int i = 0; i < NAME_ATTEMPTS; i++) {
		if (getrandom(&random, sizeof(random), 0) !=
		    (ssize_t)sizeof(random))
			return -1;
		snprintf(name, TEMPORARY_SIZE, ".cordon-%016llx.tmp",
		    (unsigned long long)random);
		fd = openat(dirfd, name,
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd >= 0 || errno != EEXIST)
			return fd;
	}
	return -1;
}

static int
write_all(int fd, cdn_str bytes)
{
	while (bytes.n > 0) {
		ssize_t n = write(fd, bytes.p, bytes.n);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		bytes = cdn_str_from(bytes, (size_t)n);
	}
	return 0;
}

/* Some file systems have no fsync for directories. */
static int
sync_dir(int dirfd)
{
	if (fsync(dirfd) == 0 || errno == EINVAL || errno == ENOTSUP)
		return 0;
	return -1;
}

static int
fill_and_rename(int dirfd, int fd, const char *temporary, const char *name,
    cdn_str bytes, unsigned mode)
{
	if (write_all(fd, bytes) != 0 || fchmod(fd, mode) != 0 ||
	    fsync(fd) != 0 || renameat(dirfd, temporary, dirfd, name) != 0) {
		int error = errno;

		(void)unlinkat(dirfd, temporary, 0);
		errno = error;
		return -1;
	}
	return sync_dir(dirfd);
}

int
cdn_file_replace(int dirfd, const char *name, const char *shown, cdn_str bytes,
    unsigned mode, struct cordon_error *err)
{
	char temporary[TEMPORARY_SIZE];
	cdn_cleanup_fd int fd = -1;
	struct stat st;

	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    !S_ISREG(st.st_mode))
		return cdn_err(err, CORDON_E_INVALID,
		    "'%s' is not a regular file and is left alone", shown);
	fd = create_temporary(dirfd, temporary);
	if (fd < 0 ||
	    fill_and_rename(dirfd, fd, temporary, name, bytes, mode) != 0)
		return cdn_err_sys(err, errno, "cannot write '%s'", shown);
	return 0;
}
