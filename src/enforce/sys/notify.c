#include "enforce/sys/notify.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434 /* the same on every architecture, as the next */
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif

#define PIDFD_THREAD_ O_EXCL

/* struct seccomp_notif_resp */
struct response {
	uint64_t id;
	int64_t value;
	int32_t error;
	uint32_t flags;
};

/* struct seccomp_notif_addfd */
struct add_fd {
	uint64_t id;
	uint32_t flags;
	uint32_t src_fd;
	uint32_t new_fd;
	uint32_t new_fd_flags;
};

/* struct iovec, on both sides */
struct span {
	uint64_t base;
	uint64_t size;
};

#define RECEIVE	  _IOWR('!', 0, struct cdn_notif)
#define SEND	  _IOWR('!', 1, struct response)
#define ID_VALID  _IOW('!', 2, uint64_t)
#define ADD_FD	  _IOW('!', 3, struct add_fd)
#define SET_FLAGS _IOW('!', 4, uint64_t)

#define FLAG_CONTINUE 1U
#define ADD_FD_SET    1U
#define ADD_FD_SEND   2U /* since 5.14 */
#define SYNC_WAKE_UP  1UL

_Static_assert(sizeof(struct cdn_notif) == 80, "as the kernel has it");

int
cdn_sys_notify_receive(int listener, struct cdn_notif *ret)
{
	long r;

	do {
		/* It must be zero, or the kernel refuses. */
		memset(ret, 0, sizeof(*ret));
		r = cdn_raw(SYS_ioctl, listener, RECEIVE, ret);
	} while (r == -EINTR);
	return (int)r;
}

bool
cdn_sys_notify_waits(int listener, uint64_t id)
{
	long r;

	do
		r = cdn_raw(SYS_ioctl, listener, ID_VALID, &id);
	while (r == -EINTR);
	return r == 0;
}

static int
send_response(int listener, const struct response *response)
{
	long r;

	do
		r = cdn_raw(SYS_ioctl, listener, SEND, response);
	while (r == -EINTR);
	return (int)r;
}

int
cdn_sys_notify_answer(int listener, uint64_t id, int64_t value, int error)
{
	struct response response = { .id = id, .value = value,
		.error = -error };

	return send_response(listener, &response);
}

int
cdn_sys_notify_continue(int listener, uint64_t id)
{
	struct response response = { .id = id, .flags = FLAG_CONTINUE };

	return send_response(listener, &response);
}

/*
 * Interrupted, it is undone: the kernel takes the request back.  Not so with
 * ADD_FD_SEND: who is stopped before the caller took the descriptor has answered
 * him already, with 0.  Nobody can block SIGSTOP, a debugger or the freezer.
 */
static int
add_fd(int listener, uint64_t id, int fd, unsigned flags, unsigned how,
    int place)
{
	struct add_fd add = { .id = id, .flags = how,
		.src_fd = (uint32_t)fd, .new_fd = (uint32_t)place,
		.new_fd_flags = flags & O_CLOEXEC };
	long r;

	do
		r = cdn_raw(SYS_ioctl, listener, ADD_FD, &add);
	while (r == -EINTR);
	return (int)r;
}

int
cdn_sys_notify_give(int listener, uint64_t id, int fd, unsigned flags)
{
	return add_fd(listener, id, fd, flags, ADD_FD_SEND, 0);
}

int
cdn_sys_notify_lend(int listener, uint64_t id, int fd, unsigned flags)
{
	return add_fd(listener, id, fd, flags, 0, 0);
}

int
cdn_sys_notify_replace(int listener, uint64_t id, int fd, unsigned flags,
    int place)
{
	return add_fd(listener, id, fd, flags, ADD_FD_SET, place);
}

int
cdn_sys_notify_sync(int listener)
{
	return (int)cdn_raw(SYS_ioctl, listener, SET_FLAGS, SYNC_WAKE_UP);
}

int
cdn_sys_pidfd_open(pid_t pid)
{
	return (int)cdn_raw(SYS_pidfd_open, pid, 0);
}

int
cdn_sys_pidfd_thread(pid_t tid)
{
	return (int)cdn_raw(SYS_pidfd_open, tid, PIDFD_THREAD_);
}

int
cdn_sys_pidfd_getfd(int pidfd, int fd)
{
	return (int)cdn_raw(SYS_pidfd_getfd, pidfd, fd, 0);
}

ssize_t
cdn_sys_peek(pid_t pid, uint64_t from, void *to, size_t size)
{
	struct span here = { (uintptr_t)to, size };
	struct span there = { from, size };

	return cdn_raw(SYS_process_vm_readv, pid, &here, 1, &there, 1, 0);
}

ssize_t
cdn_sys_poke(pid_t pid, uint64_t to, const void *from, size_t size)
{
	struct span here = { (uintptr_t)from, size };
	struct span there = { to, size };

	return cdn_raw(SYS_process_vm_writev, pid, &here, 1, &there, 1, 0);
}
