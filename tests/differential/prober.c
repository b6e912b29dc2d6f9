/*
 * Tries what it is told, in the cage, and says what came of it: acts.h.
 *
 * It uses plain calls of the C library, as any program would.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "acts.h"

/* ----- Single calls ------------------------------------------------------- */

static int
outcome(int r)
{
	return r == 0 ? 0 : errno;
}

static int
try_read(const char *path)
{
	char c;
	int fd = open(path, O_RDONLY | O_CLOEXEC), r;

	if (fd < 0)
		return errno;
	r = (int)read(fd, &c, 1);
	r = r < 0 ? errno : r == 0 ? RESULT_EMPTY : 0;
	close(fd);
	return r;
}

static int
try_list(const char *path)
{
	DIR *dir = opendir(path);
	int r;

	if (dir == NULL)
		return errno;
	errno = 0;
	r = readdir(dir) == NULL ? errno : 0;
	closedir(dir);
	return r;
}

static int
try_exec(const char *path)
{
	volatile int failed = 0; /* the child has our memory */
	char word[] = "cordon-prober";
	char *argv[] = { word, NULL }, *envp[] = { NULL };
	int status;
	pid_t pid = vfork();

	if (pid == 0) {
		execve(path, argv, envp);
		failed = errno;
		_exit(1);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return errno;
	return failed;
}

static int
try_write(const char *path)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC), r;

	if (fd < 0)
		return errno;
	r = write(fd, "!", 1) == 1 ? 0 : errno;
	close(fd);
	return r;
}

static int
try_create(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644), r;

	if (fd < 0)
		return errno;
	r = write(fd, "new", 3) == 3 ? 0 : errno;
	close(fd);
	return r;
}

/* ----- Several ------------------------------------------------------------ */

static int
try_back(const char *path)
{
	return try_create(path) != 0 ? RESULT_NO_SETUP : try_read(path);
}

static int
try_below(const char *path, const char *dir)
{
	return mkdir(dir, 0755) != 0 ? RESULT_NO_SETUP : try_create(path);
}

static int
try_remake(const char *path)
{
	if (unlink(path) != 0)
		return RESULT_NO_SETUP;
	return try_create(path);
}

static int
try_renew(const char *path, const char *dir)
{
	if (rmdir(dir) != 0)
		return RESULT_NO_SETUP;
	return mkdir(dir, 0755) != 0 ? RESULT_HALF : try_create(path);
}

static ino_t
number(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 ? st.st_ino : 0;
}

static int
try_exchange(const char *path, const char *other)
{
	ino_t one = number(path), two = number(other);

	if (renameat2(AT_FDCWD, path, AT_FDCWD, other, RENAME_EXCHANGE) != 0)
		return errno;
	if (number(path) != two || number(other) != one)
		return RESULT_NOTHING;
	return renameat2(AT_FDCWD, other, AT_FDCWD, path,
	    RENAME_EXCHANGE) == 0 ? 0 : RESULT_HALF;
}

static int
try_act(enum act act, const char *path, const char *other)
{
	switch (act) {
	case ACT_READ:
	case ACT_LATER_READ:
		return try_read(path);
	case ACT_LIST:
		return try_list(path);
	case ACT_EXEC:
		return try_exec(path);
	case ACT_WRITE:
	case ACT_LATER_WRITE:
		return try_write(path);
	case ACT_TRUNCATE:
		return outcome(truncate(path, 0));
	case ACT_CHMOD:
		return outcome(chmod(path, 0700));
	case ACT_EXCHANGE:
		return try_exchange(path, other);
	case ACT_CREATE:
		return try_create(path);
	case ACT_MKDIR:
		return outcome(mkdir(path, 0755));
	case ACT_SYMLINK:
		return outcome(symlink("nowhere", path));
	case ACT_LINK:
		return outcome(link(path, other));
	case ACT_RENAME:
	case ACT_RENAME_DIR:
	case ACT_REPLACE:
		return outcome(rename(path, other));
	case ACT_LATER_LINK:
		return try_read(other);
	case ACT_BACK:
		return try_back(path);
	case ACT_BELOW:
		return try_below(path, other);
	case ACT_DELETE:
		return outcome(unlink(path));
	case ACT_RMDIR:
		return outcome(rmdir(path));
	case ACT_REMAKE:
		return try_remake(path);
	case ACT_RENEW:
		return try_renew(path, other);
	default:
		return ENOSYS;
	}
}

/* ----- Requests ----------------------------------------------------------- */

static bool
take(void *to, size_t n)
{
	size_t done = 0;

	while (done < n) {
		ssize_t r = read(0, (char *)to + done, n - done);

		if (r <= 0)
			return false;
		done += (size_t)r;
	}
	return true;
}

static bool
give(const void *from, size_t n)
{
	return write(1, from, n) == (ssize_t)n;
}

int
main(void)
{
	static char text[REQUEST_MAX + 1];
	static int32_t results[QUESTIONS_MAX];
	struct request_head head;

	umask(022);
	/* Whatever comes now comes later than the plan of the run. */
	if (!give(results, sizeof(results[0])))
		return 3;
	while (take(&head, sizeof(head))) {
		const char *at = text;

		if (head.bytes > REQUEST_MAX || head.count > QUESTIONS_MAX ||
		    !take(text, head.bytes))
			return 2;
		for (size_t i = 0; i < head.count; i++) {
			const char *path = at + 1;
			const char *other = path + strlen(path) + 1;

			results[i] = try_act((enum act)at[0], path, other);
			at = other + strlen(other) + 1;
		}
		if (!give(results, head.count * sizeof(results[0])))
			return 3;
	}
	return 0;
}
