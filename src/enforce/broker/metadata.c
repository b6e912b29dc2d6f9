/*
 * chmod, chown, utimes and the like, by path and by descriptor.
 *
 *	arguments -> find, or fetch -> judge -> what no name tells -> change
 *
 * Landlock sees none of them, and those by descriptor work on one that is open
 * for reading only.  So all of them are performed, on the object that was
 * judged, and never continued.  The kernel checks the rest: our threads are
 * the same user as the caller and have no capabilities either.
 *
 * To be allowed to modify is not enough for
 *
 *	a device	that one may write to /dev/null is no reason to change
 *			its mode; terminals of the run are its own
 *	a set-ID bit	whoever runs such a file after the run is its owner; on
 *			a directory it only says which group files get
 *	a namespace	has no name, but belongs to others, too
 *
 * Pipes, sockets and memory files have no name and are whose they are: the
 * kernel's answer.  A file that was removed is judged by the name it had.
 */
#include "enforce/broker/metadata.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "enforce/broker/inside.h"

#define MODE_BITS 07777U
#define SET_ID	  (S_ISUID | S_ISGID)
#define NO_ARG	  (-1)

static int
result(int r)
{
	return r < 0 ? -errno : 0;
}

/* ----- Modes and owners ------------------------------------------------------------ */

static int
apply_mode(const struct cdn_call *call, const struct cdn_object *object,
    const struct cdn_change *change)
{
	char name[CDN_OWN_NAME_SIZE];

	(void)call;
	if (change->own)
		return result(fchmod(object->fd, change->u.mode));
	return result(chmod(cdn_own_name(object->fd, name), change->u.mode));
}

static int
read_mode(uint64_t arg, struct cdn_change *ret)
{
	ret->apply = apply_mode;
	ret->u.mode = (mode_t)(arg & MODE_BITS);
	ret->closes = cdn_mode_closes(ret->u.mode);
	return 0;
}

static int
read_mode_1(const struct cdn_call *call, const uint64_t *args,
    struct cdn_change *ret)
{
	(void)call;
	return read_mode(args[1], ret);
}

static int
read_mode_2(const struct cdn_call *call, const uint64_t *args,
    struct cdn_change *ret)
{
	(void)call;
	return read_mode(args[2], ret);
}

static int
apply_owner(const struct cdn_call *call, const struct cdn_object *object,
    const struct cdn_change *change)
{
	uid_t uid = change->u.owner.uid;
	gid_t gid = change->u.owner.gid;

	(void)call;
	if (change->own)
		return result(fchown(object->fd, uid, gid));
	return result(fchownat(object->fd, "", uid, gid, AT_EMPTY_PATH));
}

static int
read_owner(uint64_t uid, uint64_t gid, struct cdn_change *ret)
{
	ret->apply = apply_owner;
	ret->u.owner.uid = (uid_t)uid;
	ret->u.owner.gid = (gid_t)gid;
	return 0;
}

static int
read_owner_1(const struct cdn_call *call, const uint64_t *args,
    struct cdn_change *ret)
{
	(void)call;
	return read_owner(args[1], args[2], ret);
}

static int
read_owner_2(const struct cdn_call *call, const uint64_t *args,
    struct cdn_change *ret)
{
	(void)call;
	return read_owner(args[2], args[3], ret);
}

/* ----- Times --------------------------------------------------------------------- */

static int
apply_times(const struct cdn_call *call, const struct cdn_object *object,
    const struct cdn_change *change)
{
	const struct timespec *times =
	    change->u.times.now ? NULL : change->u.times.at;

	(void)call;
	if (change->own)
		return result(futimens(object->fd, times));
	return result(utimensat(object->fd, "", times, AT_EMPTY_PATH));
}

static int
read_timespecs(const struct cdn_call *call, const uint64_t *args,
    struct cdn_change *ret)
{
	struct timespec *at = ret->u.times.at;
	int r;

	ret->apply = apply_times;
	ret->u.times.now = args[2] == 0;
	if (ret->u.times.now)
		return 0;
	r = cdn_call_copy(call, args[2], at, sizeof(ret->u.times.at));
	ret->nothing = r == 0 && at[0].tv_nsec == UTIME_OMIT &&
	    at[1].tv_nsec == UTIME_OMIT;
	return r;
}

#ifdef SYS_utime
static int
read_timevals(const struct cdn_call *call, uint64_t from,
    struct cdn_change *ret)
{
	struct timeval times[2];
	int r;

	ret->apply = apply_times;
	ret->u.times.now = from == 0;
	if (from == 0)
		return 0;
	r = cdn_call_copy(call, from, times, sizeof(times));
	for (int i = 0; i < 2 && r == 0; i++) {
		if (times[i].tv_usec < 0 || times[i].tv_usec >= 1000000)
			return -EINVAL;
		ret->u.times.at[i].tv_sec = times[i].tv_sec;
		ret->u.times.at[i].tv_nsec = times[i].tv_usec * 1000;
	}
	return r;
}

static int
read_timevals_1(const struct cdn_call *call, const uint64_t *args,
    struct cdn_change *ret)
{
	return read_timevals(call, args[1], ret);
}

static int
read_timevals_2(const struct cdn_call *call, const uint64_t *args,
    struct cdn_change *ret)
{
	return read_timevals(call, args[2], ret);
}

static int
read_seconds(const struct cdn_call *call, const uint64_t *args,
    struct cdn_change *ret)
{
	time_t times[2] = { 0, 0 };
	int r;

	ret->apply = apply_times;
	ret->u.times.now = args[1] == 0;
	if (args[1] == 0)
		return 0;
	r = cdn_call_copy(call, args[1], times, sizeof(times));
	for (int i = 0; i < 2 && r == 0; i++)
		ret->u.times.at[i] = (struct timespec){ times[i], 0 };
	return r;
}
#endif

/* ----- Forms ----------------------------------------------------------------------- */

enum form_is { /* bits */
	LINK = 1,	/* the link itself */
	NULL_IS_FD = 2, /* without a path it is the descriptor */
	NULL_IS_EMPTY = 4, /* with AT_EMPTY_PATH; and O_PATH will not do */
};

static const struct form {
	int nr;
	signed char dirfd, path, flags; /* among the arguments */
	unsigned is;
	cdn_change_read_fn *read;
} forms[] = {
#define BY_FD(name, read)     { SYS_##name, 0, NO_ARG, NO_ARG, 0, read }
#define BY_PATH(name, read)   { SYS_##name, NO_ARG, 0, NO_ARG, 0, read }
#define BY_LINK(name, read)   { SYS_##name, NO_ARG, 0, NO_ARG, LINK, read }
#define BY_AT(name, flags, is, read) { SYS_##name, 0, 1, flags, is, read }
	BY_FD(fchmod, read_mode_1),
	BY_AT(fchmodat, NO_ARG, 0, read_mode_2),
	BY_AT(fchmodat2, 3, 0, read_mode_2),
	BY_FD(fchown, read_owner_1),
	BY_AT(fchownat, 4, 0, read_owner_2),
	BY_AT(utimensat, 3, NULL_IS_FD, read_timespecs),
	BY_PATH(setxattr, cdn_change_read_xattr),
	BY_LINK(lsetxattr, cdn_change_read_xattr),
	BY_FD(fsetxattr, cdn_change_read_xattr),
	BY_AT(setxattrat, 2, NULL_IS_EMPTY, cdn_change_read_xattrat),
	BY_PATH(removexattr, cdn_change_read_unxattr),
	BY_LINK(lremovexattr, cdn_change_read_unxattr),
	BY_FD(fremovexattr, cdn_change_read_unxattr),
	BY_AT(removexattrat, 2, NULL_IS_EMPTY, cdn_change_read_unxattrat),
	BY_AT(file_setattr, 4, NULL_IS_EMPTY, cdn_change_read_file_attr),
	BY_FD(ioctl, cdn_change_read_ioctl),
#ifdef SYS_chmod
	BY_PATH(chmod, read_mode_1),
	BY_PATH(chown, read_owner_1),
	BY_LINK(lchown, read_owner_1),
	BY_PATH(utime, read_seconds),
	BY_PATH(utimes, read_timevals_1),
	BY_AT(futimesat, NO_ARG, NULL_IS_FD, read_timevals_2),
#endif
#undef BY_AT
#undef BY_LINK
#undef BY_PATH
#undef BY_FD
};

static const struct form *
form_of(int nr)
{
	for (size_t i = 0; i < CDN_LEN(forms); i++)
		if (forms[i].nr == nr)
			return &forms[i];
	return NULL;
}

/* ----- The object ------------------------------------------------------------------ */

static int
fetch(struct cdn_call *call, int fd, struct cdn_change *change,
    struct cdn_object *ret)
{
	int own = cdn_call_fetch(call, fd), r;

	if (own < 0)
		return own;
	if ((fcntl(own, F_GETFL) & O_PATH) != 0) {
		close(own);
		return -EBADF;
	}
	change->own = true;
	ret->parent = -1;
	ret->name[0] = '\0';
	r = cdn_object_fill(call, own, ret);
	if (r < 0)
		cdn_object_done(ret);
	return r;
}

static int
find_at(struct cdn_call *call, const struct form *form, int flags,
    struct cdn_change *change, struct cdn_object *ret)
{
	const uint64_t *args = call->notif->data.args;
	int dirfd = form->dirfd == NO_ARG ? AT_FDCWD : (int)args[form->dirfd];
	bool strict = (form->is & NULL_IS_EMPTY) != 0;
	bool empty = (flags & AT_EMPTY_PATH) != 0;
	char path[CDN_PATH_MAX + 1] = "";
	unsigned how = empty ? CDN_OBJECT_EMPTY : 0;
	int r = 0;

	if ((flags & AT_SYMLINK_NOFOLLOW) != 0)
		how |= CDN_OBJECT_NOFOLLOW;
	if (!strict || !empty || args[form->path] != 0)
		r = cdn_call_path(call, args[form->path], path);
	if (r < 0)
		return r;
	if (strict && path[0] == '\0' && empty && dirfd != AT_FDCWD)
		return fetch(call, dirfd, change, ret);
	return cdn_object_find(call, dirfd, path, how, ret);
}

static int
find(struct cdn_call *call, const struct form *form,
    struct cdn_change *change, struct cdn_object *ret)
{
	const uint64_t *args = call->notif->data.args;
	int flags = form->flags == NO_ARG ? 0 : (int)args[form->flags];

	if (form->path == NO_ARG)
		return fetch(call, (int)args[form->dirfd], change, ret);
	if ((flags & ~(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH)) != 0)
		return -EINVAL;
	if ((form->is & NULL_IS_FD) != 0 && args[form->path] == 0 &&
	    (int)args[form->dirfd] != AT_FDCWD)
		return flags != 0 ? -EINVAL :
		    fetch(call, (int)args[form->dirfd], change, ret);
	if ((form->is & LINK) != 0)
		flags |= AT_SYMLINK_NOFOLLOW;
	return find_at(call, form, flags, change, ret);
}

/* ----- The verdict ----------------------------------------------------------------- */

static int
judge(struct cdn_call *call, const struct cdn_object *object,
    const struct cdn_change *change)
{
	int r = cdn_call_judge(call, CORDON_MODIFY, object);

	if (r < 0)
		return r;
	if ((S_ISCHR(object->mode) || S_ISBLK(object->mode)) &&
	    strncmp(object->path, "/dev/pts/", 9) != 0)
		return cdn_call_refuse(call, CORDON_MODIFY, object,
		    "a device", EPERM);
	if (object->unnamed && object->path[0] != '/' &&
	    !S_ISFIFO(object->mode) && !S_ISSOCK(object->mode))
		return cdn_call_refuse(call, CORDON_MODIFY, object,
		    "not a file", EPERM);
	/* A link has no mode: the kernel says so. */
	if (change->apply == apply_mode && (change->u.mode & SET_ID) != 0 &&
	    !S_ISDIR(object->mode) && !S_ISLNK(object->mode))
		return cdn_call_refuse(call, CORDON_MODIFY, object,
		    "a set-ID bit", EPERM);
	return 0;
}

static int
change_it(struct cdn_call *call, const struct form *form,
    struct cdn_change *change)
{
	CDN_UNINITIALIZED struct cdn_object object;
	int r = find(call, form, change, &object);

	if (r < 0)
		return r;
	r = judge(call, &object, change);
	if (r == 0 && change->closes && S_ISDIR(object.mode))
		cdn_call_last_look(call);
	if (r == 0)
		r = change->apply(call, &object, change);
	cdn_object_done(&object);
	return r;
}

void
cdn_handle_metadata(struct cdn_call *call, struct cdn_call_answer *answer)
{
	const struct form *form = form_of(call->notif->data.nr);
	CDN_UNINITIALIZED struct cdn_change change;
	int r = -ENOSYS;

	change.own = change.nothing = change.closes = false;
	change.apply = NULL;
	if (form != NULL)
		r = form->read(call, call->notif->data.args, &change);
	if (r == 0) {
		if (!change.nothing)
			r = change_it(call, form, &change);
		cdn_change_done(&change);
	}
	if (r < 0) {
		cdn_answer_error(answer, r);
		return;
	}
	answer->kind = CDN_ANSWER_VALUE;
	answer->value = 0;
}
