#include "enforce/bubble/orphans.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "enforce/sys/raw.h"

#define ENDS_MS	   1000 /* who is killed is gone by then */
#define ROUNDS_MAX 16	/* who is not is waited for no longer */

#define SOCKET "socket:["

/*
 * 0: it is none.  By the text of its link, and not by asking the file: somebody
 * else's may be on a file system that does not answer.
 */
static ino_t
socket_number(int dirfd, const char *name)
{
	char text[64];
	ssize_t n = readlinkat(dirfd, name, text, sizeof(text) - 1);

	text[n < 0 ? 0 : n] = '\0';
	return strncmp(text, SOCKET, sizeof(SOCKET) - 1) != 0 ? 0 :
	    (ino_t)strtoul(text + sizeof(SOCKET) - 1, NULL, 10);
}

/* fd: of a directory of descriptors; is given away. */
static bool
holds_one(int fd, const struct cdn_run_place *theirs,
    const struct cdn_run_place *ours)
{
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	bool is_theirs = false, is_ours = false;
	struct dirent *entry;

	if (dir == NULL) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	while ((entry = readdir(dir)) != NULL) {
		ino_t number = socket_number(dirfd(dir), entry->d_name);

		is_theirs |= number != 0 && number == theirs->ino;
		is_ours |= number != 0 && number == ours->ino;
	}
	closedir(dir);
	return is_theirs && !is_ours;
}

static bool
is_orphan(int proc, const char *pid, const struct cdn_run_place *theirs,
    const struct cdn_run_place *ours)
{
	char name[32];

	snprintf(name, sizeof(name), "%.16s/fd", pid);
	return holds_one(openat(proc, name, O_RDONLY | O_DIRECTORY |
	    O_CLOEXEC), theirs, ours);
}

/* By a descriptor: its number could be another's by then. */
static bool
end(int proc, const char *pid, const struct cdn_run_place *theirs,
    const struct cdn_run_place *ours)
{
	cdn_cleanup_fd int fd = (int)cdn_raw(SYS_pidfd_open,
	    strtol(pid, NULL, 10), 0);
	struct pollfd gone = { .fd = fd, .events = POLLIN };

	if (fd < 0 || !is_orphan(proc, pid, theirs, ours) ||
	    cdn_raw(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0) < 0)
		return false;
	(void)poll(&gone, 1, ENDS_MS);
	return true;
}

/* Once more after each that was found: it may have made another. */
void
cdn_orphans_end(const struct cdn_run_place *theirs,
    const struct cdn_run_place *ours)
{
	DIR *dir = opendir("/proc");
	bool any = dir != NULL;
	struct dirent *entry;

	for (int i = 0; any && i < ROUNDS_MAX; i++) {
		any = false;
		rewinddir(dir);
		while ((entry = readdir(dir)) != NULL)
			if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' &&
			    is_orphan(dirfd(dir), entry->d_name, theirs, ours))
				any |= end(dirfd(dir), entry->d_name, theirs,
				    ours);
	}
	if (dir != NULL)
		closedir(dir);
}
