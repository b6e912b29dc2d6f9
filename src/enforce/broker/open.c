/*
 * open, openat, creat.
 *
 *	flags -> find -> what the real call would refuse first -> judge -> open
 *
 * What exists is opened again through the descriptor that was judged.  What
 * does not is made in the directory that was judged, by the name that was, and
 * only if it still does not exist.  Nothing happens before the verdict.
 */
#include "enforce/broker/call.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "enforce/broker/inside.h"
#include "enforce/broker/names.h"
#include "enforce/sys/sys.h"

#define TMPFILE_BIT (O_TMPFILE & ~O_DIRECTORY)
#define MODE_BITS   07777U
#define SET_ID	    (S_ISUID | S_ISGID)
#define DEVICE_TTY  makedev(5, 0)
#define DEVICE_PTMX makedev(5, 2)
/* What the kernel of open(2) knows; it ignores the others, and so do we. */
#define KNOWN_FLAGS                                                      \
	(O_ACCMODE | O_CREAT | O_EXCL | O_NOCTTY | O_TRUNC | O_APPEND |  \
	    O_NONBLOCK | O_SYNC | O_ASYNC | O_DIRECT | O_LARGEFILE |     \
	    O_DIRECTORY | O_NOFOLLOW | O_NOATIME | O_CLOEXEC | O_PATH |  \
	    TMPFILE_BIT)

struct request {
	int dirfd;
	uint64_t path; /* there */
	int flags;
	mode_t mode;
};

/* ----- The arguments ------------------------------------------------------------- */

static void
decode(const struct cdn_notif *notif, struct request *ret)
{
	const uint64_t *args = notif->data.args;

	ret->dirfd = AT_FDCWD;
	if (notif->data.nr == SYS_openat)
		ret->dirfd = (int)*args++;
	ret->path = *args++;
#ifdef SYS_creat
	if (notif->data.nr == SYS_creat) {
		ret->flags = O_CREAT | O_WRONLY | O_TRUNC;
		ret->mode = (mode_t)(*args & MODE_BITS);
		return;
	}
#endif
	ret->flags = (int)*args++ & KNOWN_FLAGS;
	ret->mode = (mode_t)(*args & MODE_BITS);
}

static int
check_flags(int flags)
{
	bool writes = (flags & O_ACCMODE) != O_RDONLY;

	if ((flags & O_ACCMODE) == O_ACCMODE)
		return -EINVAL; /* the filter's answer, too */
	if ((flags & TMPFILE_BIT) != 0 &&
	    ((flags & O_DIRECTORY) == 0 || (flags & O_CREAT) != 0 || !writes))
		return -EINVAL;
	if ((flags & O_CREAT) != 0 && (flags & O_DIRECTORY) != 0)
		return -EINVAL; /* since 6.4; it made a file before */
	return 0;
}

static unsigned
how_to_find(int flags)
{
	unsigned how = 0;

	if ((flags & O_NOFOLLOW) != 0)
		how |= CDN_OBJECT_NOFOLLOW;
	if ((flags & O_CREAT) != 0)
		how |= CDN_OBJECT_MISSING | CDN_OBJECT_FILE;
	if ((flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL))
		how |= CDN_OBJECT_NOFOLLOW;
	return how;
}

/* What the real call finds wrong before anybody's permission is asked. */
static int
check_type(const struct cdn_object *object, int flags)
{
	bool writes = (flags & O_ACCMODE) != O_RDONLY ||
	    (flags & (O_TRUNC | O_CREAT)) != 0;

	if (object->fd < 0)
		return 0;
	if ((flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL))
		return -EEXIST;
	if ((flags & O_DIRECTORY) != 0 && !S_ISDIR(object->mode))
		return -ENOTDIR;
	if (S_ISLNK(object->mode))
		return -ELOOP;
	if (S_ISDIR(object->mode) && writes && (flags & TMPFILE_BIT) == 0)
		return -EISDIR;
	return 0;
}

/* ----- The verdict --------------------------------------------------------------- */

/* A file without a name is judged by the one the kernel shows for it. */
static int
judge_tmpfile(struct cdn_call *call, const struct cdn_object *directory)
{
	CDN_UNINITIALIZED struct cdn_object file;
	int n;

	memcpy(&file, directory, sizeof(file));
	n = snprintf(file.path, sizeof(file.path), "%s/#0",
	    directory->path[1] == '\0' ? "" : directory->path);
	if (n < 0 || (size_t)n >= sizeof(file.path))
		return -ENAMETOOLONG;
	return cdn_call_judge(call, CORDON_MODIFY, &file);
}

/* As for chmod: whoever runs it after the run would be its owner. */
static int
judge_mode(struct cdn_call *call, const struct cdn_object *object,
    const struct request *request)
{
	bool makes = object->fd < 0 || (request->flags & TMPFILE_BIT) != 0;

	return makes && (request->mode & SET_ID) != 0 ?
	    cdn_call_refuse(call, CORDON_MODIFY, object, "a set-ID bit",
		EPERM) : 0;
}

static int
judge(struct cdn_call *call, const struct cdn_object *object, int flags)
{
	bool reads = (flags & O_ACCMODE) != O_WRONLY;
	bool writes = (flags & O_ACCMODE) != O_RDONLY ||
	    (flags & O_TRUNC) != 0 || object->fd < 0;
	int r = 0;

	if ((flags & TMPFILE_BIT) != 0)
		return judge_tmpfile(call, object);
	if (reads)
		r = cdn_call_judge(call, CORDON_READ, object);
	if (r == 0 && writes)
		r = cdn_call_judge(call, CORDON_MODIFY, object);
	return r;
}

/* ----- Opening ------------------------------------------------------------------- */

static int
reopen(const struct cdn_call *call, int fd, int flags, mode_t mode)
{
	char name[16];
	int r;

	snprintf(name, sizeof(name), "%d", fd);
	r = openat(call->broker->fds_fd, name, flags, mode);
	return r < 0 ? -errno : r;
}

/*
 * The caller's terminal.  Ours if we share a session; else the one of its
 * number, if it is where such ones are.
 */
static int
open_tty(struct cdn_call *call, const struct cdn_object *object, int flags)
{
	char path[64];
	struct stat st;
	dev_t tty;
	int fd, r = cdn_call_terminal(call, &tty);

	if (r < 0)
		return r;
	if (tty == 0)
		return -ENXIO;
	if (getsid(call->tid) == getsid(0))
		return reopen(call, object->fd, flags, 0);
	snprintf(path, sizeof(path), "/dev/pts/%u", minor(tty));
	fd = open(path, flags);
	if (fd < 0)
		return errno == ENOENT ? -ENXIO : -errno;
	if (fstat(fd, &st) == 0 && st.st_rdev == tty)
		return fd;
	close(fd);
	return -ENXIO;
}

/* A new terminal, whose other end he may open by its name then. */
static int
open_ptmx(struct cdn_call *call, const struct cdn_object *object, int flags)
{
	int fd = reopen(call, object->fd, flags, 0);
	int r = fd < 0 ? fd : cdn_pty_made(call, fd);

	if (r == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return r;
}

/* A device that waits for a carrier would make us wait. */
static int
open_device(struct cdn_call *call, const struct cdn_object *object, int flags)
{
	int fd;

	if (object->rdev == DEVICE_TTY)
		fd = open_tty(call, object, flags | O_NONBLOCK);
	else if (object->rdev == DEVICE_PTMX)
		fd = open_ptmx(call, object, flags | O_NONBLOCK);
	else
		fd = reopen(call, object->fd, flags | O_NONBLOCK, 0);
	if (fd >= 0 && (flags & O_NONBLOCK) == 0)
		(void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	return fd;
}

/* With the caller's mask, which is this thread's alone (worker.c). */
static int
take_umask(struct cdn_call *call)
{
	mode_t mask = 0;
	int r = cdn_call_umask(call, &mask);

	if (r == 0)
		(void)umask(mask);
	return r;
}

/* A sysctl; some kernels show it to root only, and most systems set it. */
static int
protection(const char *name)
{
	char path[64], text[8] = "1";
	cdn_cleanup_fd int fd = -1;

	snprintf(path, sizeof(path), "/proc/sys/fs/protected_%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd >= 0 && read(fd, text, sizeof(text) - 1) > 0 ? text[0] - '0' :
								 1;
}

/*
 * In a directory where anybody may put files, O_CREAT does not open those of
 * others.  The kernel asks that only of who says O_CREAT, which we do not.
 */
static int
check_sticky(const struct cdn_object *object)
{
	struct stat dir, file;
	int level;

	if (object->parent < 0 || fstat(object->parent, &dir) != 0 ||
	    (dir.st_mode & S_ISVTX) == 0 || fstat(object->fd, &file) != 0)
		return 0;
	if ((!S_ISREG(file.st_mode) && !S_ISFIFO(file.st_mode)) ||
	    file.st_uid == dir.st_uid || file.st_uid == geteuid())
		return 0;
	level = protection(S_ISREG(file.st_mode) ? "regular" : "fifos");
	return (level > 0 && (dir.st_mode & S_IWOTH) != 0) ||
		(level > 1 && (dir.st_mode & S_IWGRP) != 0) ?
	    -EACCES :
	    0;
}

static int
open_existing(struct cdn_call *call, const struct cdn_object *object,
    const struct request *request)
{
	int flags = (request->flags & ~(O_CREAT | O_EXCL | O_NOFOLLOW)) |
	    O_NOCTTY | O_CLOEXEC;
	int r;

	r = (request->flags & O_CREAT) != 0 ? check_sticky(object) : 0;
	if (r < 0)
		return r;
	if ((flags & TMPFILE_BIT) != 0) {
		r = take_umask(call);
		/* O_EXCL says that it will never have a name. */
		return r < 0 ? r : reopen(call, object->fd, flags |
			    (request->flags & O_EXCL), request->mode);
	}
	if (S_ISCHR(object->mode))
		return open_device(call, object, flags);
	if (S_ISFIFO(object->mode) && (flags & O_NONBLOCK) == 0 &&
	    (flags & O_ACCMODE) != O_RDWR)
		return cdn_slow_open(call, object, flags);
	return reopen(call, object->fd, flags, 0);
}

/*
 * It was made where we were told to; is that still where it was judged?  Who
 * moved the directory meanwhile has moved the file, too: judged again there,
 * and if it may not be there it is not.
 */
static int
check_made(struct cdn_call *call, struct cdn_object *object, int fd, int flags)
{
	CDN_UNINITIALIZED struct cdn_object made;
	struct stat st;
	int own, r;

	if (cdn_object_told(call, fd, made.path) >= 0 &&
	    strcmp(made.path, object->path) == 0)
		return 0;
	own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (own < 0)
		return -errno;
	made.parent = -1;
	r = cdn_object_fill(call, own, &made);
	if (r == 0 && strcmp(made.path, object->path) != 0)
		r = judge(call, &made, flags | O_TRUNC);
	if (r < 0 && fstatat(object->parent, object->name, &st,
		AT_SYMLINK_NOFOLLOW) == 0 &&
	    st.st_dev == made.dev && st.st_ino == made.ino)
		(void)unlinkat(object->parent, object->name, 0);
	cdn_object_done(&made);
	return r;
}

/* The descriptor, or -errno: then it is closed. */
static int
check_completed(struct cdn_call *call, const struct cdn_object *object, int fd)
{
	int r = cdn_call_check_completed(call, object->parent, object);

	if (r == 0)
		return fd;
	close(fd);
	return r;
}

/* Of a part of a repository it is asked what lies beside it, under a lock. */
static int
make_name(struct cdn_call *call, const struct cdn_object *object,
    const struct cdn_open_how *how)
{
	pthread_mutex_t *naming = &call->broker->family->naming;
	int r;

	if (!cdn_call_makes_part(call, object->path))
		return cdn_sys_openat2(object->parent, object->name, how);
	pthread_mutex_lock(naming);
	r = cdn_call_check_part(call, object->parent, object);
	if (r == 0)
		r = cdn_sys_openat2(object->parent, object->name, how);
	if (r >= 0)
		r = check_completed(call, object, r);
	pthread_mutex_unlock(naming);
	return r;
}

static int
make(struct cdn_call *call, struct cdn_object *object,
    const struct request *request)
{
	struct cdn_open_how how = { .mode = request->mode,
		.flags = (uint64_t)(request->flags | O_EXCL | O_NOCTTY |
		    O_CLOEXEC),
		.resolve = CDN_RESOLVE_BENEATH | CDN_RESOLVE_NO_SYMLINKS };
	int fd, r = take_umask(call);

	if (r < 0)
		return r;
	fd = make_name(call, object, &how);
	if (fd < 0)
		return fd;
	r = check_made(call, object, fd, request->flags);
	if (r == 0)
		return fd;
	close(fd);
	return r;
}

/* ----- The whole ----------------------------------------------------------------- */

/* Only something new comes of it, whatever stands at the path by then. */
static bool
makes_only(int flags)
{
	return (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL) ||
	    (flags & TMPFILE_BIT) != 0;
}

/*
 * Of what is there already Landlock knows the directory, not the file: a second
 * name of a denied one, in an open region, would be opened there by who changes
 * the path now.  So whatever may open such a thing is done by us, on the object
 * that was judged.  With O_EXCL, or without a name, the kernel opens nothing
 * that was there, follows no link at the end, and Landlock grants the making
 * only where the policy allows everything.
 *
 * Never a set-ID file.  Before ABI 3 Landlock lets O_RDONLY|O_TRUNC pass.
 */
static bool
may_continue(const struct cdn_call *call, const struct request *request)
{
	int flags = request->flags;

	if (!makes_only(flags) || (request->mode & SET_ID) != 0)
		return false;
	if ((flags & O_TRUNC) != 0 && (flags & O_ACCMODE) == O_RDONLY)
		return false;
	return !call->broker->spec.reads;
}

/* The same, told by the text of the path; without a name it ends elsewhere. */
static bool
passes(const struct cdn_call *call, const struct request *request,
    const char *path)
{
	return may_continue(call, request) &&
	    (request->flags & O_CREAT) != 0 &&
	    cdn_passes_made(call, request->dirfd, path,
		(request->flags & O_ACCMODE) != O_WRONLY);
}

/*
 * A descriptor, -errno, or -EAGAIN: it appeared meanwhile, begin anew.  For
 * CONTINUE there is no descriptor.
 */
static int
try_open(struct cdn_call *call, const struct request *request,
    const char *path, struct cdn_call_answer *answer)
{
	CDN_UNINITIALIZED struct cdn_object object;
	int r = cdn_object_find(call, request->dirfd, path,
	    how_to_find(request->flags), &object);

	if (r < 0)
		return r;
	r = check_type(&object, request->flags);
	if (r == 0)
		r = judge(call, &object, request->flags);
	if (r == 0)
		r = judge_mode(call, &object, request);
	if (r == 0 && may_continue(call, request) &&
	    cdn_call_is_native(call, &object)) {
		/* Sound although he may change the path now: see above. */
		answer->kind = CDN_ANSWER_CONTINUE;
	} else if (r == 0 && object.fd >= 0) {
		r = open_existing(call, &object, request);
		answer->alone = S_ISFIFO(object.mode);
	} else if (r == 0) {
		r = make(call, &object, request);
		if (r == -EEXIST && (request->flags & O_EXCL) == 0)
			r = -EAGAIN;
	}
	cdn_object_done(&object);
	return r;
}

void
cdn_handle_open(struct cdn_call *call, struct cdn_call_answer *answer)
{
	char path[CDN_PATH_MAX + 1];
	struct request request;
	int r;

	decode(call->notif, &request);
	if ((request.flags & O_PATH) != 0) {
		/*
		 * Opens nothing: it gives no more than stat(2), which nobody
		 * traps, and whatever is done with it later is judged then.
		 * So there is no verdict that a changed path could evade, and
		 * the kernel gives such a descriptor away to nobody.
		 */
		answer->kind = CDN_ANSWER_CONTINUE;
		return;
	}
	r = check_flags(request.flags);
	if (r == 0)
		r = cdn_call_path(call, request.path, path);
	if (r < 0) {
		cdn_answer_error(answer, r);
		return;
	}
	if (passes(call, &request, path)) {
		answer->kind = CDN_ANSWER_CONTINUE;
		return;
	}
	for (int i = 0; i < CDN_BROKER_AGAIN; i++)
		if ((r = try_open(call, &request, path, answer)) != -EAGAIN)
			break;
	if (answer->kind == CDN_ANSWER_CONTINUE)
		return;
	if (r < 0) {
		cdn_answer_error(answer, r);
		return;
	}
	answer->kind = CDN_ANSWER_FD;
	answer->fd = r;
	answer->cloexec = (request.flags & O_CLOEXEC) != 0;
	/* flock(1) makes its file and opens it for reading. */
	answer->alone |= (request.flags & O_ACCMODE) != O_RDONLY ||
	    (request.flags & O_CREAT) != 0;
}
