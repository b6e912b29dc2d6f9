/*
 * Steps that open, and what is done with what was opened.
 */
#include "exercise.h"

#include <dirent.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/wait.h>

#define BYTES 8192

/* ----- Opening ------------------------------------------------------------------- */

static int
any_flags(void)
{
	static const int bits[] = { O_EXCL, O_TRUNC, O_APPEND, O_NOFOLLOW,
		O_DIRECTORY, O_CLOEXEC, O_NONBLOCK, O_NOATIME, O_SYNC, O_DSYNC,
		O_NOCTTY, O_LARGEFILE, O_ASYNC, 0x40000000 };
	int flags = (int)PICK(O_RDONLY, O_WRONLY, O_RDWR, O_RDWR);

	if (one_in(2))
		flags |= O_CREAT;
	for (size_t i = 0; i < LEN(bits); i++)
		if (one_in(9))
			flags |= bits[i];
	if (one_in(15))
		flags = O_PATH |
		    (flags & (O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_CREAT));
	if (one_in(25))
		flags |= O_TMPFILE & ~O_DIRECTORY;
	return flags;
}

/* One that waits for another process would wait for ever. */
static int
never_wait(int dirfd, const char *path, int flags)
{
	return is_fifo(dirfd, path) ? flags | O_NONBLOCK : flags;
}

static void
open_told(const struct way *way, int flags, mode_t mode, bool at)
{
	int fd;

	flags = never_wait(at ? way->dirfd : AT_FDCWD, way->path, flags);
	if (way->magic && (flags & O_PATH) != 0)
		flags &= ~O_NOFOLLOW; /* the mode of a link there is no state */
	fd = at ? (int)syscall(SYS_openat, way->dirfd, way->path, flags, mode) :
		  (int)syscall(SYS_open, way->path, flags, mode);
	TELL_NAME(way->magic && (flags & O_CREAT) != 0, fd, "open%s %s %#x %o",
	    at ? "at" : "", way->told, (unsigned)flags, mode);
	if (fd >= 0)
		tell_fd(fd);
	tell_state(way->dirfd, way->path);
	keep(fd);
}

static void
step_open(void)
{
	struct way way;
	int flags = any_flags();

	any_path(&way);
	open_told(&way, flags, any_mode(), false);
}

static void
step_openat(void)
{
	struct way way;
	int flags = any_flags();

	any_way(&way);
	open_told(&way, flags, any_mode(), true);
}

/* So that there is something to work with. */
static void
step_open_usual(void)
{
	struct way way = { .dirfd = AT_FDCWD };
	int flags = (int)PICK(O_RDWR | O_CREAT, O_RDWR | O_CREAT | O_TRUNC,
	    O_RDONLY, O_WRONLY | O_APPEND | O_CREAT, O_RDONLY | O_DIRECTORY);

	snprintf(way.path, sizeof(way.path), "%c", (char)('a' + below(6)));
	memcpy(way.told, way.path, 2);
	open_told(&way, flags, 0644, true);
}

static void
step_open_device(void)
{
	static const char *const paths[] = { "/dev/null", "/dev/zero",
		"/dev/full", "/dev/null/", "/etc/passwd", "/etc/",
		"/usr/bin/env", "/proc/self/status", "/proc/self/",
		"/proc/version", "/proc/mounts", "/proc/self/exe" };
	struct way way = { .dirfd = AT_FDCWD };
	int flags = O_RDONLY |
	    (any_flags() &
		(O_CLOEXEC | O_NOFOLLOW | O_DIRECTORY | O_NONBLOCK | O_PATH));
	int fd;

	snprintf(way.path, sizeof(way.path), "%s", paths[below(LEN(paths))]);
	if (strncmp(way.path, "/dev", 4) == 0)
		flags |= (int)PICK(O_RDONLY, O_WRONLY, O_RDWR, O_RDWR | O_TRUNC,
		    O_RDWR | O_CREAT, O_RDWR | O_APPEND);
	fd = open(way.path, flags, 0644);
	tell(fd, "open %s %#x", way.path, (unsigned)flags);
	if (fd >= 0)
		printf(" fl%x", (unsigned)(fcntl(fd, F_GETFL) & ~O_NOFOLLOW));
	if (fd >= 0)
		close(fd);
}

static void
step_creat(void)
{
	struct way way;
	mode_t mode = any_mode();
	int fd;

	any_path(&way);
	if (is_fifo(AT_FDCWD, way.path))
		return;
	fd = (int)syscall(SYS_creat, way.path, mode);
	TELL_NAME(way.magic, fd, "creat %s %o", way.told, mode);
	tell_state(AT_FDCWD, way.path);
	keep(fd);
}

static void
step_tmpfile(void)
{
	struct way way;
	int flags = O_TMPFILE | (int)PICK(O_RDWR, O_WRONLY, O_RDONLY) |
	    (one_in(4) ? O_EXCL : 0) | (one_in(4) ? O_CLOEXEC : 0);
	mode_t mode = any_mode();
	int fd;

	any_way(&way);
	if (one_in(2))
		snprintf(way.path, sizeof(way.path), ".");
	fd = openat(way.dirfd, way.path, flags, mode);
	tell(fd, "tmpfile %s %#x %o", way.told, (unsigned)flags, mode);
	if (fd >= 0)
		tell_fd(fd);
	keep(fd);
}

static void
step_reopen(void)
{
	struct way way;
	int fd = any_fd();

	way.dirfd = AT_FDCWD;
	way.magic = true;
	snprintf(way.path, sizeof(way.path), "/%s/%d",
	    one_in(2) ? "proc/self/fd" : "dev/fd", fd);
	memcpy(way.told, way.path, sizeof(way.path));
	open_told(&way, any_flags() & ~(O_TMPFILE & ~O_DIRECTORY), any_mode(),
	    one_in(2));
}

/* Another process, whose /proc/self is another one. */
static void
step_child(void)
{
	struct way way;
	int flags = any_flags() & ~(O_TMPFILE & ~O_DIRECTORY);
	mode_t mode = any_mode();
	int status = 0;
	pid_t pid;

	any_way(&way);
	flags = never_wait(way.dirfd, way.path, flags);
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		int fd = openat(way.dirfd, way.path, flags, mode);

		_exit(fd < 0 ? errno : fchmod(fd, 0640) == 0 ? 0 : errno);
	}
	(void)waitpid(pid, &status, 0);
	errno = WEXITSTATUS(status);
	TELL_NAME(way.magic && (flags & O_CREAT) != 0, errno == 0 ? 0 : -1,
	    "child opens %s %#x %o", way.told, (unsigned)flags, mode);
	tell_state(way.dirfd, way.path);
}

/* ----- What is open -------------------------------------------------------------- */

static void
step_close(void)
{
	int *slot = &slots[below(SLOTS)];

	if (*slot < 0)
		return;
	tell(close(*slot), "close %d", *slot);
	*slot = -1;
}

static void
step_dup(void)
{
	int fd = any_fd(),
	    own = fcntl(fd, one_in(2) ? F_DUPFD : F_DUPFD_CLOEXEC, 0);

	tell(own, "dup %d", fd);
	keep(own);
}

static bool
may_wait(int fd)
{
	return !is_regular(fd) && (fcntl(fd, F_GETFL) & O_NONBLOCK) == 0;
}

static void
step_read(void)
{
	char bytes[BYTES];
	int fd = any_fd();
	size_t size = (size_t)PICK(1, 10, 100, BYTES);
	unsigned sum = 0;
	ssize_t n;

	if (may_wait(fd))
		return;
	n = one_in(2) ? read(fd, bytes, size) :
			pread(fd, bytes, size, (off_t)below(100));
	for (ssize_t i = 0; i < n; i++)
		sum = sum * 31 + (unsigned char)bytes[i];
	tell(n, "read %d %zu %08x", fd, size, sum);
}

static void
step_write(void)
{
	char bytes[BYTES];
	int fd = any_fd();
	size_t size = (size_t)PICK(1, 10, 100, 5000);

	if (may_wait(fd))
		return;
	memset(bytes, (int)('A' + below(26)), sizeof(bytes));
	tell(one_in(2) ? write(fd, bytes, size) :
			 pwrite(fd, bytes, size, (off_t)below(5000)),
	    "write %d %zu", fd, size);
	tell_fd(fd);
}

static void
step_seek(void)
{
	int fd = any_fd();

	tell(lseek(fd, (off_t)below(3000),
		 (int)PICK(SEEK_SET, SEEK_CUR, SEEK_END, SEEK_DATA, SEEK_HOLE)),
	    "lseek %d", fd);
}

static void
step_truncate(void)
{
	struct way way;
	long size = PICK(0, 0, 1, 4096, 10000, 123, -1);

	any_path(&way);
	tell(truncate(way.path, size), "truncate %s %ld", way.told, size);
	tell_state(AT_FDCWD, way.path);
}

static void
step_ftruncate(void)
{
	int fd = any_fd();
	long size = PICK(0, 1, 4096, 10000, 123, -1);

	tell(one_in(4) ? fallocate(fd, 0, 0, size) : ftruncate(fd, size),
	    "ftruncate %d %ld", fd, size);
	tell_fd(fd);
}

/* What is written there is in the file. */
static void
step_map(void)
{
	int fd = any_fd();
	int prot = (int)PICK(PROT_READ, PROT_READ | PROT_WRITE, PROT_WRITE,
	    PROT_READ | PROT_EXEC);
	bool shared = !one_in(4);
	struct stat st;
	char *at;

	if (!is_regular(fd) || fstat(fd, &st) != 0)
		return;
	at = mmap(NULL, 4096, prot, shared ? MAP_SHARED : MAP_PRIVATE, fd, 0);
	if (at == MAP_FAILED) {
		tell(-1, "mmap %d %d %d", fd, prot, shared);
		return;
	}
	if (st.st_size > 0 && (prot & PROT_WRITE) != 0)
		at[below((size_t)(st.st_size > 4096 ? 4096 : st.st_size))] =
		    '!';
	tell(munmap(at, 4096), "mmap %d %d %d", fd, prot, shared);
}

static void
step_lock(void)
{
	struct flock lock = { .l_type = (short)PICK(F_RDLCK, F_WRLCK, F_UNLCK),
		.l_whence = SEEK_SET,
		.l_start = (off_t)below(3),
		.l_len = 2 };
	int fd = any_fd();
	int how = (int)PICK(LOCK_SH, LOCK_EX, LOCK_UN) | LOCK_NB;

	if (one_in(2))
		tell(flock(fd, how), "flock %d %d", fd, how);
	else
		tell(fcntl(fd, F_OFD_SETLK, &lock), "lock %d %d", fd,
		    lock.l_type);
}

static void
step_flags(void)
{
	int fd = any_fd();
	int flags = (int)PICK(0, O_APPEND, O_NONBLOCK, O_NOATIME);

	tell(one_in(2) ? fcntl(fd, F_SETFD, (int)PICK(0, FD_CLOEXEC)) :
			 fcntl(fd, F_SETFL, flags),
	    "fcntl %d %x", fd, (unsigned)flags);
	tell_fd(fd);
}

static void
step_copy(void)
{
	int from = any_fd(), to = any_fd();

	if (!is_regular(from) || !is_regular(to))
		return;
	tell(one_in(2) ? sendfile(to, from, NULL, 100) :
			 copy_file_range(from, NULL, to, NULL, 100, 0),
	    "copy %d %d", from, to);
}

static int
by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void
step_list(void)
{
	struct way way;
	struct dirent **entries = NULL;
	int n;

	any_path(&way);
	if (strstr(way.path, "/fd") != NULL)
		return;
	n = scandir(way.path, &entries, NULL, by_name);
	tell(n, "list %s", way.told);
	for (int i = 0; i < n; i++) {
		printf(" %d", entries[i]->d_type);
		for (const char *c = entries[i]->d_name; *c != '\0'; c++)
			printf("%c", *c < ' ' ? '?' : *c);
		free(entries[i]);
	}
	free(entries);
}

struct step file_steps[] = {
	{ .name = "open", .weight = 60, .run = step_open },
	{ .name = "openat", .weight = 60, .run = step_openat },
	{ .name = "open_usual", .weight = 60, .run = step_open_usual },
	{ .name = "open_device", .weight = 15, .run = step_open_device },
	{ .name = "creat", .weight = 15, .run = step_creat },
	{ .name = "tmpfile", .weight = 20, .run = step_tmpfile },
	{ .name = "reopen", .weight = 25, .run = step_reopen },
	{ .name = "child", .weight = 5, .run = step_child },
	{ .name = "close", .weight = 10, .run = step_close },
	{ .name = "dup", .weight = 5, .run = step_dup },
	{ .name = "read", .weight = 15, .run = step_read },
	{ .name = "write", .weight = 25, .run = step_write },
	{ .name = "seek", .weight = 5, .run = step_seek },
	{ .name = "truncate", .weight = 15, .run = step_truncate },
	{ .name = "ftruncate", .weight = 12, .run = step_ftruncate },
	{ .name = "map", .weight = 12, .run = step_map },
	{ .name = "lock", .weight = 15, .run = step_lock },
	{ .name = "flags", .weight = 8, .run = step_flags },
	{ .name = "copy", .weight = 8, .run = step_copy },
	{ .name = "list", .weight = 10, .run = step_list },
	{ .name = NULL },
};
