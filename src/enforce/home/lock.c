#include "enforce/home/lock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "enforce/home/wipe.h"

#define SUFFIX	     ".lock"
#define SUFFIX_LEN   (sizeof(SUFFIX) - 1)
#define TAKE_TRIES   64
#define TAKE_WAIT_NS 1000000L
#define BUFFER_BYTES 8192

/*
 * A sweep may hold a new lock for a moment, and may have removed the file
 * between our open and our flock: then the lock is on nothing.
 */
static int
try_take(int dirfd, const char *file)
{
	struct stat st;
	int fd = openat(dirfd, file,
	    O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	int r;

	if (fd < 0)
		return -errno;
	if (flock(fd, LOCK_EX | LOCK_NB) != 0)
		r = errno == EWOULDBLOCK ? -EBUSY : -errno;
	else if (fstat(fd, &st) != 0)
		r = -errno;
	else if (st.st_nlink == 0)
		r = -EAGAIN;
	else
		return fd;
	close(fd);
	return r;
}

static int
lock_name(char out[NAME_MAX + 1], const char *name)
{
	if (strlen(name) + SUFFIX_LEN > NAME_MAX)
		return -ENAMETOOLONG;
	snprintf(out, NAME_MAX + 1, "%s" SUFFIX, name);
	return 0;
}

int
cdn_lock_take(int dirfd, const char *name)
{
	struct timespec pause = { .tv_nsec = TAKE_WAIT_NS };
	char file[NAME_MAX + 1];
	int r = lock_name(file, name);

	for (int i = 0; r == 0 || r == -EBUSY || r == -EAGAIN; i++) {
		r = try_take(dirfd, file);
		if (r >= 0 || i == TAKE_TRIES)
			return r;
		if (r == -EBUSY)
			(void)nanosleep(&pause, NULL);
	}
	return r;
}

void
cdn_lock_remove(int dirfd, const char *name)
{
	char file[NAME_MAX + 1];

	if (lock_name(file, name) == 0)
		(void)unlinkat(dirfd, file, 0);
}

/* ----- Leftovers -------------------------------------------------------------- */

struct sweep {
	int dirfd;
	unsigned looks, removed;
	size_t budget;
};

/* True when nobody holds it, and then it is ours until fd is closed. */
static bool
is_free(int fd)
{
	struct stat st;

	return flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &st) == 0 &&
	    st.st_nlink > 0;
}

static void
look_at(struct sweep *sweep, const char *file)
{
	char name[NAME_MAX + 1];
	size_t n = strlen(file);
	cdn_cleanup_fd int fd = -1;

	if (n <= SUFFIX_LEN || n > NAME_MAX ||
	    strcmp(file + n - SUFFIX_LEN, SUFFIX) != 0)
		return;
	sweep->looks++;
	fd = openat(sweep->dirfd, file,
	    O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || !is_free(fd))
		return;
	memcpy(name, file, n - SUFFIX_LEN);
	name[n - SUFFIX_LEN] = '\0';
	sweep->removed++;
	if (cdn_wipe(sweep->dirfd, name, &sweep->budget) == 0)
		(void)unlinkat(sweep->dirfd, file, 0);
}

static bool
is_tired(const struct sweep *sweep)
{
	return sweep->looks >= CDN_HOME_CLEAN_LOOKS ||
	    sweep->removed >= CDN_HOME_CLEAN_MAX || sweep->budget == 0;
}

void
cdn_lock_sweep(int dirfd)
{
	CDN_UNINITIALIZED char buffer[BUFFER_BYTES]
	    __attribute__((aligned(8)));
	struct sweep sweep = { dirfd, 0, 0, CDN_HOME_CLEAN_ENTRIES };
	const struct dirent64 *entry;
	ssize_t n;

	while ((n = getdents64(dirfd, buffer, sizeof(buffer))) > 0)
		for (ssize_t at = 0; at < n; at += entry->d_reclen) {
			entry = (const void *)(buffer + at);
			if (is_tired(&sweep))
				return;
			if (entry->d_name[0] != '.')
				look_at(&sweep, entry->d_name);
		}
}
