/*
 * unlink, rmdir, mkdir, mknod, symlink, truncate.
 *
 *	find the directory -> look -> what the real call would refuse first
 *	                   -> judge -> the same call, in that directory
 *
 * Where the directory and the name lie in native regions the call goes on by
 * itself; most of these are told by their text (passing.c).  That is sound
 * although he may change the path now: the kernel checks the directory it really
 * uses against Landlock, which holds the rights to make and remove only in open
 * regions, where the policy allows everything.
 */
#include "enforce/broker/names.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "enforce/broker/inside.h"

/* ----- Making -------------------------------------------------------------------- */

struct making {
	int dirfd;
	uint64_t path; /* there */
	mode_t mode;   /* with the type: S_IFDIR, S_IFLNK, ... */
	const char *text; /* of a link */
};

/* With the caller's mask, which is this thread's alone (worker.c). */
static int
take_umask(struct cdn_call *call, mode_t *ret)
{
	int r = cdn_call_umask(call, ret);

	if (r == 0)
		(void)umask(*ret);
	return r;
}

static int
make_now(const struct making *making, const struct cdn_named *named)
{
	int r;

	if (making->text != NULL)
		r = symlinkat(making->text, named->in.fd, named->name);
	else if (S_ISDIR(making->mode))
		r = mkdirat(named->in.fd, named->name,
		    making->mode & ~(mode_t)S_IFMT);
	else
		r = mknodat(named->in.fd, named->name, making->mode, 0);
	return r == 0 ? 0 : -errno;
}

/*
 * Neither a directory nor a symlink may come to be while a rename has seen a
 * file (rename.c), nor a part of a repository beside another one.
 */
static int
make_locked(struct cdn_call *call, const struct making *making,
    const struct cdn_named *named)
{
	pthread_mutex_t *naming = &call->broker->family->naming;
	int r;

	pthread_mutex_lock(naming);
	r = cdn_call_check_part(call, named->in.fd, &named->at);
	if (r == 0)
		r = make_now(making, named);
	if (r == 0)
		r = cdn_call_check_completed(call, named->in.fd, &named->at);
	pthread_mutex_unlock(naming);
	return r;
}

static int
make_it(struct cdn_call *call, const struct making *making,
    const struct cdn_named *named)
{
	mode_t mask = 0;
	int r = making->text != NULL ? 0 : take_umask(call, &mask);

	if (r < 0)
		return r;
	if (S_ISDIR(making->mode) && cdn_mode_closes(making->mode & ~mask))
		cdn_call_last_look(call);
	if (S_ISDIR(making->mode) || making->text != NULL ||
	    cdn_call_makes_part(call, named->at.path))
		return make_locked(call, making, named);
	return make_now(making, named);
}

static int
judge_made(struct cdn_call *call, const struct making *making,
    const struct cdn_named *named)
{
	int r;

	if (making->text == NULL)
		return cdn_call_judge(call, CORDON_MODIFY, &named->at);
	r = cdn_call_judge_link(call, &named->at);
	return r < 0 ? r : cdn_call_check_link_text(call, &named->at,
	    making->text);
}

/*
 * Who moved the directory meanwhile has moved what was made, too: judged again
 * there, and if it may not be there it is not.
 */
static int
check_made(struct cdn_call *call, const struct making *making,
    struct cdn_named *named)
{
	int r = cdn_named_moved(call, named);

	if (r == 1)
		r = judge_made(call, making, named);
	if (r < 0 && cdn_named_look(named) == 0 &&
	    (named->at.mode & S_IFMT) == (making->mode & S_IFMT))
		(void)unlinkat(named->in.fd, named->name,
		    S_ISDIR(making->mode) ? AT_REMOVEDIR : 0);
	return r;
}

static bool
has_set_id(const struct making *making)
{
	return !S_ISDIR(making->mode) &&
	    (making->mode & (S_ISUID | S_ISGID)) != 0;
}

static int
make_at(struct cdn_call *call, const struct making *making,
    struct cdn_named *named)
{
	int r = cdn_named_look(named);

	if (r == 0)
		r = cdn_named_check_new(named, S_ISDIR(making->mode));
	if (r == 0)
		r = judge_made(call, making, named);
	if (r == 0 && has_set_id(making))
		r = cdn_call_refuse(call, CORDON_MODIFY, &named->at,
		    "a set-ID bit", EPERM);
	if (r < 0)
		return r;
	if (cdn_named_is_native(call, named))
		return CDN_NAMED_CONTINUE;
	r = make_it(call, making, named);
	return r < 0 ? r : check_made(call, making, named);
}

static int
make_path(struct cdn_call *call, const struct making *making, const char *path)
{
	CDN_UNINITIALIZED struct cdn_named named;
	int r;

	if (making->text != NULL ?
		cdn_passes_linked(call, making->dirfd, path) :
		!has_set_id(making) &&
		cdn_passes_made(call, making->dirfd, path, false))
		return CDN_NAMED_CONTINUE;
	r = cdn_named_find(call, making->dirfd, path, &named);
	if (r < 0)
		return r;
	r = make_at(call, making, &named);
	cdn_named_done(&named);
	return r;
}

static void
make(struct cdn_call *call, const struct making *making,
    struct cdn_call_answer *answer)
{
	char path[CDN_PATH_MAX + 1];
	int r = cdn_call_path(call, making->path, path);

	cdn_named_answer(answer, r < 0 ? r : make_path(call, making, path));
}

void
cdn_handle_mkdir(struct cdn_call *call, struct cdn_call_answer *answer)
{
	const uint64_t *args = call->notif->data.args;
	bool at = call->notif->data.nr == SYS_mkdirat;
	struct making making = { .dirfd = at ? (int)args[0] : AT_FDCWD,
		.path = args[at],
		.mode = (mode_t)(args[at + 1] & 07777) | S_IFDIR };

	make(call, &making, answer);
}

/* Devices are nobody's.  A socket that nobody has bound is only a name. */
static int
check_type(mode_t *mode)
{
	switch (*mode & S_IFMT) {
	case 0:
		*mode |= S_IFREG;
		return 0;
	case S_IFREG:
	case S_IFIFO:
	case S_IFSOCK:
		return 0;
	case S_IFCHR:
	case S_IFBLK:
	case S_IFDIR:
		return -EPERM;
	default:
		return -EINVAL;
	}
}

void
cdn_handle_mknod(struct cdn_call *call, struct cdn_call_answer *answer)
{
	const uint64_t *args = call->notif->data.args;
	bool at = call->notif->data.nr == SYS_mknodat;
	struct making making = { .dirfd = at ? (int)args[0] : AT_FDCWD,
		.path = args[at],
		.mode = (mode_t)(args[at + 1] & 0177777) };
	int r = check_type(&making.mode);

	if (r < 0)
		cdn_answer_error(answer, r);
	else
		make(call, &making, answer);
}

void
cdn_handle_symlink(struct cdn_call *call, struct cdn_call_answer *answer)
{
	const uint64_t *args = call->notif->data.args;
	bool at = call->notif->data.nr == SYS_symlinkat;
	char text[CDN_PATH_MAX + 1];
	struct making making = { .dirfd = at ? (int)args[1] : AT_FDCWD,
		.path = args[at + 1], .mode = S_IFLNK, .text = text };
	int r = cdn_call_text(call, args[0], text);

	if (r == 0)
		r = -ENOENT; /* of no length */
	if (r < 0)
		cdn_answer_error(answer, r);
	else
		make(call, &making, answer);
}

/* ----- Removing ------------------------------------------------------------------ */

static int
remove_at(struct cdn_call *call, struct cdn_named *named, int flags)
{
	int r = cdn_named_look(named);

	/* The kernel looks at the text alone, and knows which errno it is. */
	if (r == 0 && named->normal) {
		if (named->at.mode == 0)
			return -ENOENT;
		r = cdn_call_judge(call, CORDON_MODIFY, &named->at);
		if (r == 0)
			r = cdn_call_check_kept(call, named->in.fd, &named->at);
	}
	if (r < 0)
		return r;
	if (cdn_named_is_native(call, named))
		return CDN_NAMED_CONTINUE;
	if (unlinkat(named->in.fd, named->name, flags) != 0)
		return -errno;
	if ((flags & AT_REMOVEDIR) != 0)
		cdn_call_left(call, &named->at);
	return 0;
}

static int
remove_path(struct cdn_call *call, int dirfd, const char *path, int flags)
{
	CDN_UNINITIALIZED struct cdn_named named;
	int r;

	if (cdn_passes_removed(call, dirfd, path))
		return CDN_NAMED_CONTINUE;
	r = cdn_named_find(call, dirfd, path, &named);
	if (r < 0)
		return r;
	r = remove_at(call, &named, flags);
	cdn_named_done(&named);
	return r;
}

static void
remove_name(struct cdn_call *call, int dirfd, uint64_t from, int flags,
    struct cdn_call_answer *answer)
{
	char path[CDN_PATH_MAX + 1];
	int r = cdn_call_path(call, from, path);

	cdn_named_answer(answer,
	    r < 0 ? r : remove_path(call, dirfd, path, flags));
}

void
cdn_handle_unlinkat(struct cdn_call *call, struct cdn_call_answer *answer)
{
	const uint64_t *args = call->notif->data.args;
	int flags = (int)args[2];

	if ((flags & ~AT_REMOVEDIR) != 0)
		cdn_answer_error(answer, -EINVAL);
	else
		remove_name(call, (int)args[0], args[1], flags, answer);
}

void
cdn_handle_unlink(struct cdn_call *call, struct cdn_call_answer *answer)
{
	remove_name(call, AT_FDCWD, call->notif->data.args[0], 0, answer);
}

void
cdn_handle_rmdir(struct cdn_call *call, struct cdn_call_answer *answer)
{
	remove_name(call, AT_FDCWD, call->notif->data.args[0], AT_REMOVEDIR,
	    answer);
}

/* ----- Truncating ---------------------------------------------------------------- */

/* RLIMIT_FSIZE is his, and so is the signal that tells of it. */
static int
check_limit(struct cdn_call *call, const struct cdn_object *object,
    const char *path, off_t size)
{
	struct rlimit limit;
	struct stat st;
	int r;

	if (prlimit(call->tid, RLIMIT_FSIZE, NULL, &limit) != 0)
		return -errno;
	if ((rlim_t)size <= limit.rlim_cur || fstat(object->fd, &st) != 0 ||
	    size <= st.st_size || faccessat(AT_FDCWD, path, W_OK, AT_EACCESS))
		return 0; /* or the kernel has another reason */
	r = cdn_call_tgid(call);
	if (r < 0)
		return r;
	(void)cdn_raw(SYS_tgkill, call->tgid, call->tid, SIGXFSZ);
	return -EFBIG;
}

/* By the descriptor that was judged: truncate(2) takes a path only. */
static int
truncate_it(struct cdn_call *call, const struct cdn_object *object, off_t size)
{
	char path[64];
	int r;

	if (S_ISDIR(object->mode))
		return -EISDIR;
	if (!S_ISREG(object->mode))
		return -EINVAL;
	r = cdn_call_judge(call, CORDON_MODIFY, object);
	if (r < 0)
		return r;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", object->fd);
	r = check_limit(call, object, path, size);
	if (r < 0)
		return r;
	return truncate(path, size) == 0 ? 0 : -errno;
}

/* Never continued: before ABI 3 Landlock does not look at it. */
void
cdn_handle_truncate(struct cdn_call *call, struct cdn_call_answer *answer)
{
	CDN_UNINITIALIZED struct cdn_object object;
	const uint64_t *args = call->notif->data.args;
	char path[CDN_PATH_MAX + 1];
	int r = (int64_t)args[1] < 0 ? -EINVAL :
	    cdn_call_path(call, args[0], path);

	if (r >= 0)
		r = cdn_object_find(call, AT_FDCWD, path, 0, &object);
	if (r >= 0) {
		r = truncate_it(call, &object, (off_t)args[1]);
		cdn_object_done(&object);
	}
	cdn_named_answer(answer, r);
}
