/*
 * rename, link: what has two names.
 *
 *	find both directories -> lock -> look -> what the real call would refuse
 *	first -> judge -> the same call in those directories -> are they still
 *	where they were judged? -> unlock
 *
 * A file is judged by its two names; a directory may be renamed only if nothing
 * below it gets another verdict, else EXDEV: mv copies then, and every copy is
 * judged.  What is a file when we look must be one when the kernel does.  In
 * mixed regions only brokers change anything, ours under one lock; elsewhere
 * all are judged as directories.
 */
#include "enforce/broker/names.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "enforce/broker/inside.h"

struct moving {
	struct cdn_named from, to;
	unsigned flags;
};

/* ----- Renaming ------------------------------------------------------------------ */

static int
move(const struct cdn_named *from, const struct cdn_named *to, unsigned flags)
{
	return (int)cdn_raw(SYS_renameat2, from->in.fd, from->name, to->in.fd,
	    to->name, flags);
}

static int
check_flags(unsigned flags)
{
	if ((flags & ~(unsigned)(RENAME_NOREPLACE | RENAME_EXCHANGE |
		RENAME_WHITEOUT)) != 0)
		return -EINVAL;
	if ((flags & RENAME_EXCHANGE) != 0 && flags != RENAME_EXCHANGE)
		return -EINVAL;
	/* It leaves a device behind. */
	return (flags & RENAME_WHITEOUT) != 0 ? -EPERM : 0;
}

static bool
is_below(const struct cdn_object *object, const struct cdn_object *directory)
{
	size_t n = strlen(directory->path);

	return strncmp(object->path, directory->path, n) == 0 &&
	    object->path[n] == '/';
}

/* What the real call finds wrong before anybody's permission is asked. */
static int
check_names(const struct moving *moving)
{
	const struct cdn_named *from = &moving->from, *to = &moving->to;
	bool exchange = (moving->flags & RENAME_EXCHANGE) != 0;

	if ((moving->flags & RENAME_NOREPLACE) != 0 && to->at.mode != 0)
		return -EEXIST;
	if (exchange && to->at.mode == 0)
		return -ENOENT;
	if (exchange && !S_ISDIR(to->at.mode) && to->slash)
		return -ENOTDIR;
	if (!S_ISDIR(from->at.mode) &&
	    (from->slash || (!exchange && to->slash)))
		return -ENOTDIR;
	if (is_below(&to->at, &from->at))
		return -EINVAL;
	if (is_below(&from->at, &to->at))
		return exchange ? -EINVAL : -ENOTEMPTY;
	return 0;
}

static enum cdn_compound
what_it_is(const struct cdn_call *call, const struct moving *moving)
{
	if ((moving->flags & RENAME_EXCHANGE) != 0)
		return CDN_EXCHANGE;
	if (S_ISDIR(moving->from.at.mode) ||
	    cdn_call_is_native(call, &moving->from.in) ||
	    cdn_call_is_native(call, &moving->to.in))
		return CDN_RENAME_DIR;
	return CDN_RENAME;
}

/* The symlink that is called `from` gets the name `at`. */
static int
judge_link(struct cdn_call *call, const struct cdn_object *at,
    const struct cdn_named *from)
{
	int r = cdn_call_judge_link(call, at);

	return r < 0 ? r : cdn_call_check_link_at(call, at, from->in.fd,
	    from->name);
}

static int
judge(struct cdn_call *call, const struct moving *moving)
{
	const struct cdn_object *from = &moving->from.at, *to = &moving->to.at;
	int r = cdn_call_judge_pair(call, what_it_is(call, moving), from, to);

	if (r == 0 && S_ISLNK(from->mode))
		r = judge_link(call, to, &moving->from);
	if (r == 0 && (moving->flags & RENAME_EXCHANGE) != 0 &&
	    S_ISLNK(to->mode))
		r = judge_link(call, from, &moving->to);
	return r;
}

/*
 * A file that may go where a directory may not.  Whoever is outside could put a
 * directory in its place now, and when it arrived nobody could tell who brought
 * it.  But no kernel moves a directory over a file, so one is put there first.
 */
static int
move_file(const struct moving *moving)
{
	const struct cdn_named *from = &moving->from, *to = &moving->to;
	bool mine;
	int r;

	if (S_ISDIR(to->at.mode))
		return -EISDIR;
	mine = mknodat(to->in.fd, to->name, S_IFREG, 0) == 0;
	if (!mine && errno != EEXIST)
		return -errno;
	if (!mine && (moving->flags & RENAME_NOREPLACE) != 0)
		return -EEXIST;
	r = move(from, to, 0);
	if (r < 0 && mine)
		(void)unlinkat(to->in.fd, to->name, 0);
	return r;
}

static int
move_it(struct cdn_call *call, const struct moving *moving)
{
	if (what_it_is(call, moving) == CDN_RENAME &&
	    !cdn_call_is_same(call, &moving->from.at, &moving->to.at))
		return move_file(moving);
	return move(&moving->from, &moving->to, moving->flags);
}

static void
undo(struct moving *moving)
{
	struct cdn_named *from = &moving->from, *to = &moving->to;

	/* Only what came from there goes back. */
	if (cdn_named_look(to) == 0 && to->at.dev == from->at.dev &&
	    to->at.ino == from->at.ino)
		(void)move(to, from, (moving->flags & RENAME_EXCHANGE) != 0 ?
			RENAME_EXCHANGE : RENAME_NOREPLACE);
}

/* Did somebody outside move one of the directories?  Then judged again. */
static int
check_moved(struct cdn_call *call, struct moving *moving)
{
	int from = cdn_named_moved(call, &moving->from);
	int to = cdn_named_moved(call, &moving->to);
	int r = from < 0 ? from : to < 0 ? to : 0;

	if (r == 0 && (from == 1 || to == 1))
		r = judge(call, moving);
	if (r < 0)
		undo(moving);
	return r;
}

/*
 * Did somebody outside put a link in the place of what was judged?  Of two that
 * change places none can: nothing below them gets another verdict.
 */
static int
check_arrived(struct cdn_call *call, struct moving *moving)
{
	struct cdn_named *to = &moving->to;
	int r = 0;

	if (!S_ISLNK(moving->from.at.mode) && moving->flags != RENAME_EXCHANGE &&
	    cdn_named_look(to) == 0 && S_ISLNK(to->at.mode))
		r = cdn_call_judge_link(call, &to->at);
	if (r < 0)
		(void)unlinkat(to->in.fd, to->name, 0);
	return r;
}

/*
 * Of repositories: none is taken apart, and none is completed.  Two that change
 * places were there before.
 */
static int
check_parts(struct cdn_call *call, const struct moving *moving)
{
	int r = cdn_call_check_kept(call, moving->from.in.fd,
	    &moving->from.at);

	if (r == 0 && moving->flags == RENAME_EXCHANGE)
		return cdn_call_check_kept(call, moving->to.in.fd,
		    &moving->to.at);
	return r < 0 ? r : cdn_call_check_part(call, moving->to.in.fd,
	    &moving->to.at);
}

/* What the host's git obeys becomes a copy that was checked. */
static int
replace(struct cdn_call *call, const struct moving *moving)
{
	int r = cdn_call_replace_config(call, &moving->from, &moving->to);

	return r != CDN_REPLACE_JUDGED ? r :
	    cdn_call_replace_index(call, &moving->from, &moving->to);
}

static int
rename_at(struct cdn_call *call, struct moving *moving)
{
	int r;

	/* The kernel looks at the text alone, and knows which errno it is. */
	if (!moving->from.normal || !moving->to.normal)
		return move(&moving->from, &moving->to, moving->flags);
	r = cdn_named_look(&moving->from);
	if (r == 0 && moving->from.at.mode == 0)
		r = -ENOENT;
	if (r == 0)
		r = cdn_named_look(&moving->to);
	if (r == 0)
		r = check_names(moving);
	if (r == 0 && moving->flags == 0) {
		r = replace(call, moving);
		if (r != CDN_REPLACE_JUDGED)
			return r;
		r = 0;
	}
	if (r == 0)
		r = judge(call, moving);
	if (r < 0)
		return r;
	/*
	 * Sound although he may change the paths now: Landlock wants the right
	 * to remove here and to make there, for what the kernel really moves,
	 * and holds them only in open regions.
	 */
	if (cdn_named_is_native(call, &moving->from) &&
	    cdn_named_is_native(call, &moving->to))
		return CDN_NAMED_CONTINUE;
	r = check_parts(call, moving);
	if (r == 0)
		r = move_it(call, moving);
	if (r == 0 && moving->flags != RENAME_EXCHANGE)
		r = cdn_call_check_completed(call, moving->to.in.fd,
		    &moving->to.at);
	if (r < 0)
		return r;
	if (S_ISDIR(moving->from.at.mode))
		cdn_call_left(call, &moving->from.at);
	if (S_ISDIR(moving->to.at.mode))
		cdn_call_left(call, &moving->to.at);
	r = check_moved(call, moving);
	return r < 0 ? r : check_arrived(call, moving);
}

static int
rename_locked(struct cdn_call *call, struct moving *moving)
{
	int r;

	pthread_mutex_lock(&call->broker->family->naming);
	call->naming = true;
	r = rename_at(call, moving);
	call->naming = false;
	pthread_mutex_unlock(&call->broker->family->naming);
	return r;
}

static int
rename_paths(struct cdn_call *call, const int dirfds[2], char *const paths[2],
    unsigned flags)
{
	CDN_UNINITIALIZED struct moving moving;
	int r;

	if ((flags & RENAME_EXCHANGE) == 0 &&
	    cdn_passes_renamed(call, dirfds, paths))
		return CDN_NAMED_CONTINUE;
	r = cdn_named_find(call, dirfds[0], paths[0], &moving.from);
	if (r < 0)
		return r;
	moving.flags = flags;
	r = cdn_named_find(call, dirfds[1], paths[1], &moving.to);
	if (r == 0) {
		r = rename_locked(call, &moving);
		cdn_named_done(&moving.to);
	}
	cdn_named_done(&moving.from);
	return r;
}

void
cdn_handle_rename(struct cdn_call *call, struct cdn_call_answer *answer)
{
	const uint64_t *args = call->notif->data.args;
	bool at = call->notif->data.nr == SYS_renameat ||
	    call->notif->data.nr == SYS_renameat2;
	unsigned flags = call->notif->data.nr == SYS_renameat2 ?
	    (unsigned)args[4] : 0;
	int dirfds[2] = { at ? (int)args[0] : AT_FDCWD,
		at ? (int)args[2] : AT_FDCWD };
	char from[CDN_PATH_MAX + 1], to[CDN_PATH_MAX + 1];
	int r = check_flags(flags);

	if (r == 0)
		r = cdn_call_path(call, args[at], from);
	if (r >= 0)
		r = cdn_call_path(call, args[at ? 3 : 1], to);
	if (r >= 0)
		r = rename_paths(call, dirfds, (char *[2]){ from, to }, flags);
	cdn_named_answer(answer, r);
}

/* ----- Linking ------------------------------------------------------------------- */

struct linking {
	int dirfds[2];
	int flags;
	char from[CDN_PATH_MAX + 1];
	char to[CDN_PATH_MAX + 1];
};

static int
judge_name(struct cdn_call *call, const struct cdn_object *object,
    const struct cdn_named *to)
{
	int r = cdn_call_judge_pair(call, CDN_LINK, object, &to->at);

	if (r == 0 && S_ISLNK(object->mode))
		r = cdn_call_judge_link(call, &to->at);
	/* The descriptor is that of the symlink itself. */
	if (r == 0 && S_ISLNK(object->mode))
		r = cdn_call_check_link_at(call, &to->at, object->fd, "");
	return r;
}

/* Exactly what was judged gets the name, whatever stands in its place now. */
static int
link_it(struct cdn_call *call, const struct cdn_object *object,
    struct cdn_named *to)
{
	char name[16];
	int r;

	snprintf(name, sizeof(name), "%d", object->fd);
	pthread_mutex_lock(&call->broker->family->naming); /* it may be a link */
	r = cdn_call_check_part(call, to->in.fd, &to->at);
	if (r == 0)
		r = linkat(call->broker->fds_fd, name, to->in.fd, to->name,
		    AT_SYMLINK_FOLLOW) == 0 ? 0 : -errno;
	if (r == 0)
		r = cdn_call_check_completed(call, to->in.fd, &to->at);
	pthread_mutex_unlock(&call->broker->family->naming);
	if (r < 0)
		return r;
	r = cdn_named_moved(call, to);
	if (r == 1)
		r = judge_name(call, object, to);
	if (r < 0 && cdn_named_look(to) == 0 && to->at.dev == object->dev &&
	    to->at.ino == object->ino)
		(void)unlinkat(to->in.fd, to->name, 0);
	return r;
}

/*
 * A descriptor alone (AT_EMPTY_PATH) is judged by its real path, one of
 * O_TMPFILE by the name the kernel shows for it.  The real call wants that the
 * caller himself has opened it, or older kernels a capability; it is allowed to
 * give a name to what he may read and modify.
 */
static int
link_at(struct cdn_call *call, const struct linking *linking,
    const struct cdn_object *object, struct cdn_named *to)
{
	int r = cdn_named_look(to);

	if (r == 0)
		r = cdn_named_check_new(to, false);
	if (r < 0)
		return r;
	if (object->unnamed || object->on_proc)
		return -EXDEV;
	/* The kernel links no directory, and knows which errno it is. */
	if (S_ISDIR(object->mode))
		return link_it(call, object, to);
	r = judge_name(call, object, to);
	if (r < 0)
		return r;
	/* Sound as for rename. */
	if (linking->from[0] != '\0' && cdn_call_is_native(call, object) &&
	    cdn_named_is_native(call, to))
		return CDN_NAMED_CONTINUE;
	return link_it(call, object, to);
}

static int
link_paths(struct cdn_call *call, const struct linking *linking)
{
	CDN_UNINITIALIZED struct cdn_object object;
	CDN_UNINITIALIZED struct cdn_named to;
	unsigned how = 0;
	int r;

	if ((linking->flags & AT_SYMLINK_FOLLOW) == 0)
		how |= CDN_OBJECT_NOFOLLOW;
	if ((linking->flags & AT_EMPTY_PATH) != 0)
		how |= CDN_OBJECT_EMPTY;
	r = cdn_object_find(call, linking->dirfds[0], linking->from, how,
	    &object);
	if (r < 0)
		return r;
	r = cdn_named_find(call, linking->dirfds[1], linking->to, &to);
	if (r == 0) {
		r = link_at(call, linking, &object, &to);
		cdn_named_done(&to);
	}
	cdn_object_done(&object);
	return r;
}

void
cdn_handle_link(struct cdn_call *call, struct cdn_call_answer *answer)
{
	CDN_UNINITIALIZED struct linking linking;
	const uint64_t *args = call->notif->data.args;
	bool at = call->notif->data.nr == SYS_linkat;
	int r = 0;

	linking.dirfds[0] = at ? (int)args[0] : AT_FDCWD;
	linking.dirfds[1] = at ? (int)args[2] : AT_FDCWD;
	linking.flags = at ? (int)args[4] : 0;
	if ((linking.flags & ~(AT_SYMLINK_FOLLOW | AT_EMPTY_PATH)) != 0)
		r = -EINVAL;
	if (r == 0)
		r = cdn_call_path(call, args[at], linking.from);
	if (r >= 0)
		r = cdn_call_path(call, args[at ? 3 : 1], linking.to);
	if (r >= 0)
		r = link_paths(call, &linking);
	cdn_named_answer(answer, r);
}
