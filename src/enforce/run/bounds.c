#include "enforce/run/bounds.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/base.h"

/* More than a large build with a browser and two runtimes beside it takes. */
#define ROOM 8192U

/* The number behind the last `mark` of a small file; 0: there is none. */
static uint64_t
read_number(const char *file, char mark)
{
	cdn_cleanup_fd int fd = open(file, O_RDONLY | O_CLOEXEC);
	char text[128];
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	const char *at;

	if (n <= 0)
		return 0;
	text[n] = '\0';
	at = mark == '\0' ? text : strchr(text, mark);
	return at == NULL ? 0 : strtoull(at + (mark != '\0'), NULL, 10);
}

/* Where nobody limits the user, the machine does. */
static uint64_t
all_processes(uint64_t hard)
{
	uint64_t threads = read_number("/proc/sys/kernel/threads-max", '\0');
	uint64_t pids = read_number("/proc/sys/kernel/pid_max", '\0');
	uint64_t most = threads < pids ? threads : pids;

	return hard < most ? hard : most;
}

static uint64_t
hard_limit(int resource)
{
	struct rlimit now;

	/* NOLINTNEXTLINE(bugprone-suspicious-enum-usage): glibc's own type */
	return getrlimit((unsigned)resource, &now) != 0 ? 0 : now.rlim_max;
}

void
cdn_run_bounds_find(struct cdn_run_bounds *ret)
{
	uint64_t most = all_processes(hard_limit(RLIMIT_NPROC));
	/* "0.20 0.18 0.12 1/80 11206": of all users, 80 */
	uint64_t now = read_number("/proc/loadavg", '/');
	uint64_t signals = hard_limit(RLIMIT_SIGPENDING);

	*ret = (struct cdn_run_bounds){ 0 };
	if (geteuid() != 0 && most > 0 && now > 0) {
		ret->processes = most / 2;
		if (ret->processes < now + ROOM)
			ret->processes = now + ROOM;
		if (ret->processes >= most)
			ret->processes = 0;
	}
	if (signals != RLIM_INFINITY && signals >= ROOM)
		ret->signals = signals / 2;
}
