/*
 * Signals, where the kernel's Landlock does not keep them in the cage yet
 * (before ABI 6).
 *
 * Who may be signalled is whom we may look into: the run's processes are in a
 * domain below ours, and nobody else is.  That is asked of a descriptor, so a
 * number that is given away meanwhile does not matter, and the signal goes to
 * the same descriptor.  The sender that a handler sees is cordon.
 */
#include "enforce/broker/call.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "enforce/broker/inside.h"
#include "enforce/sys/process.h"

#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif

static const char outside_rule[] = "<process outside>";

/* What is sent: of a queued one the caller's words, copied once. */
struct sent {
	int signal;
	siginfo_t info;
	bool queued;
};

/* ----- Whom ------------------------------------------------------------------ */

/* "Pid:\t123" in what the kernel tells of a descriptor; 0: it is gone. */
static pid_t
process_of(int pidfd)
{
	static const char name[] = "\nPid:";
	char path[64], text[1024];
	cdn_cleanup_fd int fd = -1;
	const char *at;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", pidfd);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (n <= 0)
		return 0;
	text[n] = '\0';
	at = strstr(text, name);
	return at == NULL ? 0 :
	    (pid_t)strtol(at + sizeof(name) - 1, NULL, 10);
}

/*
 * May we look into it?  It may have no descriptor 0; that is asked about only
 * when the answer to the first question is yes.
 */
static bool
is_inside(int pidfd)
{
	int fd = cdn_sys_pidfd_getfd(pidfd, 0);

	if (fd >= 0)
		close(fd);
	return fd >= 0 || fd == -EBADF;
}

static int
send_to(int pidfd, const struct sent *sent)
{
	return (int)cdn_raw(SYS_pidfd_send_signal, pidfd, sent->signal,
	    sent->queued ? &sent->info : NULL, 0);
}

static int
refuse(struct cdn_call *call)
{
	cdn_call_tell_floor(call, outside_rule, EPERM);
	return -EPERM;
}

/* -ESRCH: there is none; -EPERM: it is none of the run's. */
static int
signal_process(const struct cdn_call *call, pid_t pid,
    const struct sent *sent)
{
	cdn_cleanup_fd int pidfd = cdn_sys_pidfd_open(pid);

	if (pidfd < 0)
		return pidfd == -EINVAL ? -ESRCH : pidfd;
	if (!is_inside(pidfd) ||
	    cdn_call_has_our_memory(call, (unsigned long)pid))
		return -EPERM;
	return send_to(pidfd, sent);
}

/* ----- Many at once ------------------------------------------------------------ */

/* "PID (NAME) S PPID PGRP ...", and NAME may hold anything; 0: it is gone. */
static pid_t
group_of(pid_t pid)
{
	char path[64], text[1024];
	cdn_cleanup_fd int fd = -1;
	const char *at;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (n <= 0)
		return 0;
	text[n] = '\0';
	at = strrchr(text, ')');
	for (int i = 0; i < 3 && at != NULL; i++)
		at = strchr(at + 1, ' ');
	return at == NULL ? 0 : (pid_t)strtol(at, NULL, 10);
}

/* Of a group, or with 0 everybody but the caller himself. */
static bool
is_meant(const struct cdn_call *call, pid_t pid, pid_t group)
{
	return group == 0 ? pid != call->tgid : group_of(pid) == group;
}

/* As the kernel: 0 when one of them got it. */
static int
signal_many(struct cdn_call *call, pid_t group, const struct sent *sent)
{
	DIR *proc = opendir("/proc");
	const struct dirent *entry;
	int result = -ESRCH;

	if (proc == NULL)
		return -EPERM;
	while ((entry = readdir(proc)) != NULL) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
		int r;

		if (pid <= 0 || !is_meant(call, pid, group))
			continue;
		r = signal_process(call, pid, sent);
		if (r == -EPERM && group == 0)
			r = 0; /* who is out of reach is not meant */
		if (r == 0 || (r == -EPERM && result == -ESRCH))
			result = r;
	}
	closedir(proc);
	return result;
}

/* ----- The calls --------------------------------------------------------------- */

static void
answer_with(struct cdn_call *call, struct cdn_call_answer *answer, int r)
{
	if (r == -EPERM)
		r = refuse(call);
	if (r < 0) {
		cdn_answer_error(answer, r);
		return;
	}
	answer->kind = CDN_ANSWER_VALUE;
	answer->value = 0;
}

/*
 * CONTINUE is sound for his own process: while he waits in this call it lives,
 * so its number is nobody else's, and there is nothing in memory that says who
 * is meant.  It is sound for everybody in a PID namespace of the run's own,
 * where there is nobody else.
 */
static bool
goes_on(struct cdn_call *call, pid_t tgid, struct cdn_call_answer *answer)
{
	bool on = call->broker->spec.spaces != NULL ||
	    (cdn_call_tgid(call) == 0 && tgid == call->tgid);

	if (on)
		answer->kind = CDN_ANSWER_CONTINUE;
	return on;
}

static int
int_arg(const struct cdn_call *call, unsigned i)
{
	return (int)call->notif->data.args[i];
}

void
cdn_handle_kill(struct cdn_call *call, struct cdn_call_answer *answer)
{
	struct sent sent = { .signal = int_arg(call, 1) };
	int pid = int_arg(call, 0);

	if (goes_on(call, pid, answer))
		return;
	if (call->tgid == 0) {
		cdn_answer_error(answer, -ESRCH);
	} else if (pid > 0) {
		answer_with(call, answer, signal_process(call, pid, &sent));
	} else {
		pid_t group = pid == 0 ? group_of(call->tgid) :
		    pid == -1 ? 0 : pid == INT_MIN ? -1 : -pid;

		answer_with(call, answer, pid == 0 && group == 0 ? -ESRCH :
		    signal_many(call, group, &sent));
	}
}

/* A thread of his own process is named by both numbers to the kernel. */
void
cdn_handle_tkill(struct cdn_call *call, struct cdn_call_answer *answer)
{
	struct sent sent = { .signal = int_arg(call, 1) };
	int tid = int_arg(call, 0);
	int r = cdn_call_tgid(call);

	if (goes_on(call, r == 0 && tid == call->tid ? call->tgid : 0, answer))
		return;
	if (r < 0) {
		cdn_answer_error(answer, -ESRCH);
		return;
	}
	r = (int)cdn_raw(SYS_tgkill, call->tgid, tid, sent.signal);
	if (r == -ESRCH && tid > 0)
		r = signal_process(call, tid, &sent);
	answer_with(call, answer, r);
}

/* To a thread of another process it goes as to the process. */
void
cdn_handle_tgkill(struct cdn_call *call, struct cdn_call_answer *answer)
{
	struct sent sent = { .signal = int_arg(call, 2) };
	int tgid = int_arg(call, 0);

	if (!goes_on(call, tgid, answer))
		answer_with(call, answer, tgid <= 0 ? -EINVAL :
		    signal_process(call, tgid, &sent));
}

/* Of (pid, signal, info) or (tgid, tid, signal, info). */
static void
queue(struct cdn_call *call, struct cdn_call_answer *answer, unsigned at)
{
	struct sent sent = { .signal = int_arg(call, at), .queued = true };
	int pid = int_arg(call, 0), r;

	if (goes_on(call, pid, answer))
		return;
	r = cdn_call_copy(call, call->notif->data.args[at + 1], &sent.info,
	    sizeof(sent.info));
	sent.info.si_signo = sent.signal;
	if (r == 0)
		r = pid <= 0 ? -ESRCH : signal_process(call, pid, &sent);
	answer_with(call, answer, r);
}

void
cdn_handle_sigqueue(struct cdn_call *call, struct cdn_call_answer *answer)
{
	queue(call, answer, 1);
}

void
cdn_handle_tgsigqueue(struct cdn_call *call, struct cdn_call_answer *answer)
{
	queue(call, answer, 2);
}

/* His descriptor; a directory of /proc would do for the kernel, not for us. */
static int
signal_descriptor(struct cdn_call *call, struct sent *sent)
{
	cdn_cleanup_fd int pidfd = cdn_call_fetch(call, int_arg(call, 0));
	struct stat st;
	pid_t pid;

	if (pidfd < 0)
		return pidfd;
	if (fstat(pidfd, &st) != 0 || S_ISDIR(st.st_mode))
		return -EBADF;
	pid = process_of(pidfd);
	if (pid <= 0)
		return -ESRCH;
	/* Our own process counts as one we may look into. */
	if (!is_inside(pidfd) ||
	    cdn_call_has_our_memory(call, (unsigned long)pid))
		return -EPERM;
	return send_to(pidfd, sent);
}

void
cdn_handle_pidfd_signal(struct cdn_call *call, struct cdn_call_answer *answer)
{
	uint64_t info = call->notif->data.args[2];
	struct sent sent = { .signal = int_arg(call, 1), .queued = info != 0 };
	int r = int_arg(call, 3) != 0 ? -EINVAL : 0;

	if (goes_on(call, 0, answer))
		return;
	if (r == 0 && info != 0)
		r = cdn_call_copy(call, info, &sent.info, sizeof(sent.info));
	answer_with(call, answer, r != 0 ? r : signal_descriptor(call, &sent));
}
