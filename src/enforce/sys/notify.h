/*
 * notify - the supervisor's side of a filter: calls that wait for an answer.
 *
 * The house rules of sys.h.  UAPI copies; since 5.0, ADDFD since 5.9, its
 * atomic reply since 5.14.
 */
#ifndef CDN_SYS_NOTIFY_H
#define CDN_SYS_NOTIFY_H

#include <sys/types.h>

#include "enforce/sys/seccomp.h"

/* struct seccomp_notif */
struct cdn_notif {
	uint64_t id;
	uint32_t pid; /* the thread that waits, in our PID namespace */
	uint32_t flags;
	struct cdn_seccomp_data data;
};

/* The next call.  0 or -errno; -ENOENT: the caller died meanwhile, go on. */
CDN_MUST_USE int cdn_sys_notify_receive(int listener, struct cdn_notif *ret);

/* Is it still waiting?  Asked after whatever was opened of /proc/PID. */
bool cdn_sys_notify_waits(int listener, uint64_t id);

/* value or -error; 0 or -errno (-ENOENT: nobody waits any more). */
int cdn_sys_notify_answer(int listener, uint64_t id, int64_t value, int error);

/* The kernel carries it out as if nobody had looked. */
int cdn_sys_notify_continue(int listener, uint64_t id);

/*
 * Gives it the descriptor fd as its result, in one step with the answer.
 * flags: O_CLOEXEC or 0.  The number it got, or -errno.
 */
int cdn_sys_notify_give(int listener, uint64_t id, int fd, unsigned flags);

/*
 * The same without the answer, which is to be its number: so ours can be closed
 * before the caller goes on.  Sound only if nothing but death interrupts him
 * (CDN_SECCOMP_WAIT_KILLABLE); otherwise he may keep one he does not know of.
 */
int cdn_sys_notify_lend(int listener, uint64_t id, int fd, unsigned flags);

/*
 * The same in the place of one of his own, as dup2(2) does.  The answer is
 * still to be given.
 */
int cdn_sys_notify_replace(int listener, uint64_t id, int fd, unsigned flags,
    int place);

/* Since 6.6: who answers wakes the caller on his own CPU.  0 or -errno. */
int cdn_sys_notify_sync(int listener);

/* ----- Looking into the caller ---------------------------------------------- */

/* Since 5.3.  A descriptor, or -errno. */
CDN_MUST_USE int cdn_sys_pidfd_open(pid_t pid);
/* Since 6.9: of any thread.  -EINVAL before. */
CDN_MUST_USE int cdn_sys_pidfd_thread(pid_t tid);
/* Since 5.6.  His descriptor as one of ours, or -errno. */
CDN_MUST_USE int cdn_sys_pidfd_getfd(int pidfd, int fd);

/* Of his memory; the number of bytes, which may be fewer, or -errno. */
CDN_MUST_USE ssize_t cdn_sys_peek(pid_t pid, uint64_t from, void *to,
    size_t size);
CDN_MUST_USE ssize_t cdn_sys_poke(pid_t pid, uint64_t to, const void *from,
    size_t size);

#endif
