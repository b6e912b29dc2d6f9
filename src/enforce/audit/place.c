#include "enforce/audit/place.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define OPEN_FLAGS (O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
#define ATTEMPTS   4 /* while others make and remove the file */

#define FIRST_WAIT_NS 20000L
#define MOST_WAIT_NS  16000000L /* of a thousand who wait, few look at a time */
#define NS_PER_MS     1000000L

/* The directory of a file, with its last slash; "./" when it has none. */
static int
directory_of(const char *file, char ret[CDN_PATH_MAX + 1],
    struct cordon_error *err)
{
	const char *slash = strrchr(file, '/');
	size_t n = slash == NULL ? 0 : (size_t)(slash - file) + 1;

	if (n > CDN_PATH_MAX)
		return cdn_err_sys(err, ENAMETOOLONG, "audit file '%s'", file);
	memcpy(ret, file, n);
	ret[n] = '\0';
	if (n == 0)
		memcpy(ret, "./", sizeof("./"));
	return 0;
}

/* Every directory above the file that is not there yet. */
static int
make_directories(const char *file, struct cordon_error *err)
{
	char dir[CDN_PATH_MAX + 1];
	int r = directory_of(file, dir, err);

	if (r != 0)
		return r;
	for (char *p = dir + 1; *p != '\0'; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		if (mkdir(dir, 0700) != 0 && errno != EEXIST)
			return cdn_err_sys(err, errno,
			    "cannot make the directory '%s' for the audit file",
			    dir);
		*p = '/';
	}
	return 0;
}

static int
make(const char *file, int flags, struct cordon_error *err)
{
	int fd, r = make_directories(file, err);

	if (r != 0)
		return r;
	fd = open(file, OPEN_FLAGS | flags | O_CREAT | O_EXCL, 0600);
	if (fd >= 0 && fchmod(fd, 0600) != 0) { /* whatever the umask is */
		r = cdn_err_sys(err, errno, "cannot make audit file '%s'", file);
		close(fd);
		return r;
	}
	if (fd < 0)
		return cdn_err_sys(err, errno, "cannot make audit file '%s'",
		    file);
	return fd;
}

static int
refuse(const char *file, const char *why, struct cordon_error *err)
{
	return cdn_err(err, CORDON_E_INVALID,
	    "audit file '%s' %s; move it away or name another one", file, why);
}

static int
cannot_open(const char *file, int error, struct cordon_error *err)
{
	struct stat st;

	if (error == ELOOP && lstat(file, &st) == 0 && S_ISLNK(st.st_mode))
		return refuse(file, "is a symbolic link", err);
	if (error == EISDIR || error == ENXIO)
		return refuse(file, "is not a regular file", err);
	return cdn_err_sys(err, error, "cannot open audit file '%s'", file);
}

static int
check(int fd, const char *file, struct cordon_error *err)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return cdn_err_sys(err, errno, "cannot look at '%s'", file);
	if (!S_ISREG(st.st_mode))
		return refuse(file, "is not a regular file", err);
	if (st.st_uid != geteuid())
		return refuse(file, "belongs to somebody else", err);
	if ((st.st_mode & (S_IWGRP | S_IWOTH)) != 0)
		return refuse(file, "can be written by others", err);
	return 0;
}

/*
 * That a file of ours was read is of interest to nobody, and costs as much as
 * the reading.
 */
static int
open_there(const char *file, int flags)
{
	int fd = open(file, OPEN_FLAGS | flags | O_NOATIME);

	return fd < 0 && errno == EPERM ? open(file, OPEN_FLAGS | flags) : fd;
}

/* Without O_CREAT first: it is nearly always there. */
static int
open_or_make(const char *file, int flags, struct cordon_error *err)
{
	struct cordon_error why = { 0 };
	int fd = -1;

	for (int i = 0; i < ATTEMPTS; i++) {
		fd = open_there(file, flags);
		if (fd >= 0)
			return fd;
		if (errno != ENOENT)
			return cannot_open(file, errno, err);
		fd = make(file, flags, &why);
		if (fd >= 0)
			return fd;
		if (why.sys_errno != EEXIST)
			break;
	}
	if (err != NULL)
		*err = why;
	return fd;
}

int
cdn_place_open(const char *file, int flags, struct cordon_error *err)
{
	int fd = open_or_make(file, flags, err);
	int r = fd < 0 ? 0 : check(fd, file, err);

	if (r == 0)
		return fd;
	close(fd);
	return r;
}

int
cdn_place_check_dir(const char *file, struct cordon_error *err)
{
	char dir[CDN_PATH_MAX + 1];
	struct stat st;
	int r = directory_of(file, dir, err);

	if (r != 0)
		return r;
	if (stat(dir, &st) != 0)
		return cdn_err_sys(err, errno, "cannot look at '%s'", dir);
	if ((st.st_mode & S_IWOTH) != 0 && (st.st_mode & S_ISVTX) == 0)
		return refuse(file, "lies where anybody could replace it", err);
	return 0;
}

/* ----- Taking turns ----------------------------------------------------- */

/* Has anybody written since?  Who holds it then does not hang, but has a turn. */
static bool
goes_on(int fd, struct timespec *since)
{
	struct timespec then = *since;
	struct stat st;

	if (fstat(fd, &st) != 0)
		return false;
	*since = st.st_mtim;
	return then.tv_sec != since->tv_sec || then.tv_nsec != since->tv_nsec;
}

/* -1 and errno.  Waits in steps: the kernel's own wait knows no end. */
int
cdn_place_lock(int fd, bool write)
{
	struct flock range = { .l_type = write ? F_WRLCK : F_RDLCK,
		.l_whence = SEEK_SET };
	long waited = 0, wait = FIRST_WAIT_NS;
	struct timespec since = { 0, 0 };

	for (;;) {
		struct timespec pause = { .tv_nsec = wait };

		if (fcntl(fd, F_OFD_SETLK, &range) == 0)
			return 0;
		if (errno != EAGAIN && errno != EACCES && errno != EINTR)
			return -1;
		if (wait == FIRST_WAIT_NS)
			(void)goes_on(fd, &since);
		if (waited > CDN_AUDIT_WAIT_MS * NS_PER_MS) {
			if (!goes_on(fd, &since)) {
				errno = ETIMEDOUT;
				return -1;
			}
			waited = 0;
		}
		(void)nanosleep(&pause, NULL);
		waited += wait;
		if (wait < MOST_WAIT_NS)
			wait *= 2;
	}
}

void
cdn_place_unlock(int fd)
{
	struct flock range = { .l_type = F_UNLCK, .l_whence = SEEK_SET };

	(void)fcntl(fd, F_OFD_SETLK, &range);
}
