#include "enforce/broker/replacement.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static const char own_name[] = "cordon.new"; /* in no allow list */

int
cdn_replacement_read(int dir, const char *name, struct cdn_buf *ret,
    struct stat *ret_st)
{
	cdn_cleanup_fd int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW |
	    O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	char part[65536];
	ssize_t n;

	if (fd < 0 || fstat(fd, ret_st) != 0)
		return -errno;
	if (!S_ISREG(ret_st->st_mode))
		return -EACCES;
	while ((n = read(fd, part, sizeof(part))) > 0)
		cdn_buf_add(ret, part, (size_t)n);
	if (n < 0)
		return -errno;
	return cdn_buf_failed(ret) ? -EFBIG : 0;
}

static int
write_all(int fd, cdn_str bytes)
{
	while (bytes.n > 0) {
		ssize_t n = write(fd, bytes.p, bytes.n);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n == 0 ? -ENOSPC : -errno;
		bytes = cdn_str_from(bytes, (size_t)n);
	}
	return 0;
}

/* One that a broker left when it was killed is removed. */
static int
make_own(int dir)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	int fd = openat(dir, own_name, flags, S_IRUSR | S_IWUSR);

	if (fd < 0 && errno == EEXIST && unlinkat(dir, own_name, 0) == 0)
		fd = openat(dir, own_name, flags, S_IRUSR | S_IWUSR);
	return fd < 0 ? -errno : fd;
}

static int
fill(int fd, const struct cdn_replacement_of *of)
{
	int r = write_all(fd, of->bytes);

	if (r == 0 && (fchmod(fd, of->mode) != 0 ||
	    (of->times != NULL && futimens(fd, of->times) != 0)))
		r = -errno;
	return r;
}

int
cdn_replacement_install(const struct cdn_replacement_of *of)
{
	int fd = make_own(of->dir), r;

	if (fd < 0)
		return fd;
	r = fill(fd, of);
	if (close(fd) != 0 && r == 0)
		r = -errno;
	if (r == 0 && renameat(of->dir, own_name, of->dir, of->name) != 0)
		r = -errno;
	if (r < 0) {
		(void)unlinkat(of->dir, own_name, 0);
		return r;
	}
	return unlinkat(of->dir, of->lock, 0) == 0 ? 0 : -errno;
}
