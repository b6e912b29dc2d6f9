#include "enforce/home/lock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "enforce/home/nest.h"
#include "enforce/home/wipe.h"

#define MODE_DIR     0700U
#define TAKE_TRIES   1000 /* a sweeper may have to wait for its turn */
#define TAKE_WAIT_NS 1000000L
#define BUFFER_BYTES 8192
#define AHEAD	     "next"
#define ASIDE	     "last"

/* A directory of that name to lock; its mode may be anything. */
static int
open_any(int dirfd, const char *name)
{
	int fd = cdn_nest_open(dirfd, name,
	    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd == -EACCES ? cdn_nest_open_dir(dirfd, name) : fd;
}

/* 0, -EBUSY, -EAGAIN when it was removed meanwhile, -ENOLCK without locks. */
static int
lock(int fd)
{
	struct stat st;

	if (flock(fd, LOCK_EX | LOCK_NB) != 0)
		return errno == EWOULDBLOCK ? -EBUSY : -ENOLCK;
	if (fstat(fd, &st) != 0)
		return -errno;
	return st.st_nlink == 0 ? -EAGAIN : 0;
}

/* ----- Making ------------------------------------------------------------------- */

/* With the lock in hand, what bears the name was left behind by the dead. */
static int
clear(int dirfd, const char *name)
{
	size_t budget = CDN_HOME_WIPE_ENTRIES;
	int r = cdn_wipe(dirfd, name, &budget);

	return r == 0 ? -EAGAIN : r;
}

static bool
is_empty(int fd)
{
	_Alignas(struct dirent64) char buffer[512];
	ssize_t n = getdents64(fd, (void *)buffer, sizeof(buffer));

	for (ssize_t at = 0; at < n;) {
		const struct dirent64 *entry = (const void *)(buffer + at);

		if (strcmp(entry->d_name, ".") != 0 &&
		    strcmp(entry->d_name, "..") != 0)
			return false;
		at += entry->d_reclen;
	}
	return n > 0;
}

/* Exactly as one that is made now; nobody else writes where it was kept. */
static bool
is_as_new(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_uid == geteuid() &&
	    (st.st_mode & 07777) == MODE_DIR && is_empty(fd);
}

/* What was made ahead, under its name now; -ENOENT: there is nothing. */
static int
take_ahead(int aheadfd, int dirfd, const char *name)
{
	int fd;

	if (aheadfd < 0 || renameat2(aheadfd, AHEAD, dirfd, name,
		RENAME_NOREPLACE) != 0)
		return -ENOENT;
	fd = cdn_nest_open(dirfd, name,
	    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && is_as_new(fd))
		return fd;
	if (fd >= 0)
		close(fd);
	(void)clear(dirfd, name);
	return -ENOENT;
}

void
cdn_lock_ahead(int aheadfd)
{
	(void)!mkdirat(aheadfd, AHEAD, MODE_DIR);
	(void)!unlinkat(aheadfd, ASIDE, AT_REMOVEDIR);
}

bool
cdn_lock_put_aside(int aheadfd, int dirfd, const char *name, int fd)
{
	return lseek(fd, 0, SEEK_SET) == 0 && is_empty(fd) &&
	    renameat2(dirfd, name, aheadfd, ASIDE, RENAME_NOREPLACE) == 0;
}

/* -EAGAIN and -EBUSY may be otherwise a moment later: somebody sweeps. */
static int
try_make(int aheadfd, int dirfd, const char *name)
{
	int fd = take_ahead(aheadfd, dirfd, name), r;
	bool made = fd >= 0 || mkdirat(dirfd, name, MODE_DIR) == 0;

	if (!made && errno != EEXIST)
		return -errno;
	if (fd < 0)
		fd = open_any(dirfd, name);
	if (fd < 0)
		return fd == -ENOENT ? -EAGAIN : fd;
	r = lock(fd);
	if (made && (r == 0 || r == -ENOLCK))
		return fd;
	if (r == 0)
		r = clear(dirfd, name);
	close(fd);
	return r == -ENOLCK ? -EBUSY : r;
}

int
cdn_lock_make(int aheadfd, int dirfd, const char *name)
{
	struct timespec pause = { .tv_nsec = TAKE_WAIT_NS };
	int r = -EAGAIN;

	for (int i = 0; i < TAKE_TRIES; i++) {
		r = try_make(aheadfd, dirfd, name);
		if (r != -EBUSY && r != -EAGAIN)
			return r;
		if (r == -EBUSY)
			(void)nanosleep(&pause, NULL);
	}
	return r;
}

/* ----- Leftovers -------------------------------------------------------------- */

#define ID_DIGITS 16

struct sweep {
	int dirfd;
	unsigned looks, removed;
	size_t budget;
};

/* 16 hex digits: nothing else was made by us. */
static bool
is_session_id(const char *name)
{
	return strlen(name) == ID_DIGITS &&
	    strspn(name, "0123456789abcdef") == ID_DIGITS;
}

static void
look_at(struct sweep *sweep, const struct dirent64 *entry)
{
	cdn_cleanup_fd int fd = -1;

	if (!is_session_id(entry->d_name) ||
	    (entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN))
		return;
	sweep->looks++;
	fd = open_any(sweep->dirfd, entry->d_name);
	if (fd < 0 || lock(fd) != 0)
		return;
	sweep->removed++;
	(void)!cdn_wipe(sweep->dirfd, entry->d_name, &sweep->budget);
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

	while ((n = getdents64(dirfd, (void *)buffer, sizeof(buffer))) > 0)
		for (ssize_t at = 0; at < n; at += entry->d_reclen) {
			entry = (const void *)(buffer + at);
			if (is_tired(&sweep))
				return;
			look_at(&sweep, entry);
		}
}
