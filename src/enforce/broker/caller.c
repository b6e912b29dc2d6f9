/*
 * What /proc says of the thread that waits.  A number may be given away again
 * when it died, so whatever is found here counts only if it still waits then.
 */
#include "enforce/broker/call.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "enforce/broker/inside.h"
#include "enforce/sys/process.h"

#define STATUS_MAX 4096 /* the first lines of it; Umask is the second */

bool
cdn_call_waits(const struct cdn_call *call)
{
	return cdn_sys_notify_waits(call->broker->listener, call->notif->id);
}

/* As the memory of a process its directory is for those who may trace it. */
bool
cdn_call_is_hidden(const struct cdn_call *call)
{
	char path[CDN_BASE_LINK];
	cdn_cleanup_fd int fd = -1;

	cdn_call_base_link(call, AT_FDCWD, path);
	fd = open(path, O_PATH | O_CLOEXEC);
	return fd < 0 && (errno == EACCES || errno == EPERM) &&
	    cdn_call_waits(call);
}

static int
open_proc(const struct cdn_call *call, const char *name)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)call->tid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	return fd;
}

/* As a string; it counts if he still waits. */
static int
end_text(const struct cdn_call *call, char text[STATUS_MAX], ssize_t n)
{
	if (n <= 0 || n >= STATUS_MAX)
		return n < 0 ? -errno : -ESRCH;
	text[n] = '\0';
	return cdn_call_waits(call) ? 0 : -ESRCH;
}

/* The beginning of /proc/TID/stat. */
static int
read_stat(const struct cdn_call *call, char text[STATUS_MAX])
{
	cdn_cleanup_fd int fd = open_proc(call, "stat");

	if (fd < 0)
		return fd;
	return end_text(call, text, read(fd, text, STATUS_MAX - 1));
}

void
cdn_kept_done(struct cdn_kept *kept)
{
	if (kept->status >= 0)
		close(kept->status);
	kept->status = -1;
}

/* The beginning of /proc/TID/status. */
static int
read_status(const struct cdn_call *call, char text[STATUS_MAX])
{
	struct cdn_kept *kept = call->kept;
	ssize_t n = kept->status >= 0 && kept->tid == call->tid ?
	    pread(kept->status, text, STATUS_MAX - 1, 0) : -1;
	int r;

	if (n > 0)
		return end_text(call, text, n);
	cdn_kept_done(kept);
	r = open_proc(call, "status");
	if (r < 0)
		return r;
	kept->status = r;
	kept->tid = call->tid;
	return end_text(call, text, pread(r, text, STATUS_MAX - 1, 0));
}

/* The last number of the line, or 0: the innermost namespace's. */
static unsigned long
last_number(const char *status, const char *name)
{
	const char *line = strstr(status, name);
	unsigned long n = 0;
	char *end;

	line = line == NULL ? "" : line + strlen(name);
	while (*line == '\t' || *line == ' ') {
		n = strtoul(line, &end, 10);
		if (end == line)
			return 0;
		line = end;
	}
	return n;
}

/* The number behind "\nNAME:". */
static int
status_number(const struct cdn_call *call, const char *name, int base,
    unsigned long *ret)
{
	char text[STATUS_MAX];
	int r = read_status(call, text);
	const char *line = r < 0 ? NULL : strstr(text, name);

	if (line == NULL)
		return r < 0 ? r : -EPERM;
	*ret = strtoul(line + strlen(name), NULL, base);
	return 0;
}

static uint64_t
signals_of(const char *status, const char *name)
{
	const char *line = strstr(status, name);

	return line == NULL ? 0 : strtoull(line + strlen(name), NULL, 16);
}

/* Those that end him do so without us. */
bool
cdn_call_has_signal(const struct cdn_call *call)
{
	const uint64_t stops = CDN_SIGNAL_BIT(SIGSTOP) |
	    CDN_SIGNAL_BIT(SIGTSTP) | CDN_SIGNAL_BIT(SIGTTIN) |
	    CDN_SIGNAL_BIT(SIGTTOU);
	char text[STATUS_MAX];
	uint64_t came, caught;

	if (read_status(call, text) < 0)
		return false;
	came = (signals_of(text, "\nSigPnd:") | signals_of(text, "\nShdPnd:")) &
	    ~signals_of(text, "\nSigBlk:");
	caught = signals_of(text, "\nSigCgt:");
	return (came & (caught | (stops & ~signals_of(text, "\nSigIgn:")))) !=
	    0;
}

int
cdn_call_umask(struct cdn_call *call, mode_t *ret)
{
	unsigned long n;
	int r = status_number(call, "\nUmask:", 8, &n);

	if (r == 0)
		*ret = (mode_t)(n & 0777);
	return r;
}

/*
 * A thread is counted before it runs and until it has given up its file
 * descriptors; one that ended before the others is counted, too.
 */
bool
cdn_call_is_single(const struct cdn_call *call)
{
	unsigned long n;

	return status_number(call, "\nThreads:", 10, &n) == 0 && n == 1;
}

/* A process has its own run's filter, and ours, which it came from. */
bool
cdn_call_has_own_filter(const struct cdn_call *call)
{
	static const char name[] = "\nSeccomp_filters:";
	struct cdn_call own = *call;
	unsigned long his, ours;

	own.tid = gettid();
	return status_number(call, name, 10, &his) < 0 ||
	    status_number(&own, name, 10, &ours) < 0 || his != ours + 1;
}

bool
cdn_call_counts(const struct cdn_call *call, dev_t proc)
{
	return call->broker->spec.spaces == NULL ||
	    proc == call->broker->proc_dev;
}

int
cdn_call_tgid(struct cdn_call *call)
{
	static const char name[] = "\nTgid:";
	char text[STATUS_MAX];
	const char *line;
	int r;

	if (call->tgid != 0)
		return 0;
	r = read_status(call, text);
	line = r < 0 ? NULL : strstr(text, name);
	if (line == NULL)
		return r < 0 ? r : -EPERM;
	call->his_tgid = (pid_t)last_number(text, "\nNStgid:");
	call->his_tid = (pid_t)last_number(text, "\nNSpid:");
	call->tgid = (pid_t)strtoul(line + sizeof(name) - 1, NULL, 10);
	return 0;
}

/* "PID (NAME) S PPID PGRP SESSION TTY ...", and NAME may hold anything. */
int
cdn_call_terminal(struct cdn_call *call, dev_t *ret)
{
	char text[STATUS_MAX];
	int r = read_stat(call, text);
	const char *at = r < 0 ? NULL : strrchr(text, ')');
	unsigned long tty;

	for (int i = 0; i < 5 && at != NULL; i++)
		at = strchr(at + 1, ' ');
	if (at == NULL)
		return r < 0 ? r : -EPERM;
	tty = strtoul(at, NULL, 10);
	/* As the kernel packs it: the upper bits of the minor come last. */
	*ret = makedev((unsigned)(tty >> 8 & 0xfff),
	    (unsigned)((tty & 0xff) | (tty >> 12 & 0xfff00)));
	return 0;
}

/* Before 6.9 there are none of threads; they nearly always share a table. */
static int
open_caller(struct cdn_call *call)
{
	int pidfd = cdn_sys_pidfd_thread(call->tid), r;

	if (pidfd != -EINVAL)
		return pidfd;
	r = cdn_call_tgid(call);
	return r < 0 ? r : cdn_sys_pidfd_open(call->tgid);
}

int
cdn_call_fetch(struct cdn_call *call, int fd)
{
	cdn_cleanup_fd int pidfd = open_caller(call);
	int own;

	if (pidfd < 0)
		return pidfd;
	own = cdn_sys_pidfd_getfd(pidfd, fd);
	if (own < 0 || cdn_call_waits(call))
		return own;
	close(own);
	return -ESRCH;
}

void
cdn_call_base_link(const struct cdn_call *call, int dirfd,
    char to[CDN_BASE_LINK])
{
	if (dirfd == AT_FDCWD)
		snprintf(to, CDN_BASE_LINK, "/proc/%d/cwd", (int)call->tid);
	else
		snprintf(to, CDN_BASE_LINK, "/proc/%d/fd/%d", (int)call->tid,
		    dirfd);
}

int
cdn_call_base(const struct cdn_call *call, int dirfd)
{
	char path[CDN_BASE_LINK];
	int fd;

	cdn_call_base_link(call, dirfd, path);
	fd = dirfd < 0 && dirfd != AT_FDCWD ? -1 :
	    open(path, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return dirfd != AT_FDCWD && (dirfd < 0 || errno == ENOENT) ?
		    -EBADF : -errno;
	if (cdn_call_waits(call))
		return fd;
	close(fd);
	return -ESRCH;
}
