/*
 * spaces - namespaces of the run's own: processes, IPC, mounts, and network
 * where it has none.
 *
 *	us ──clone──> holder	first process of them; it mounts, then waits
 *	   └─ run ──setns──> the command, and all it starts
 *
 * No rule needs them.  What they add: nobody outside is seen, /tmp and /dev/shm
 * are private, and when the holder ends so does everybody, whatever they did to
 * get away.
 *
 * A process with a domain of Landlock may not mount, and whoever answers for
 * the run must be in one before the run exists.  So these are made by a process
 * of its own, beforehand, and entered.
 *
 * Everything is where it was, by the same name, except
 *
 *	/tmp, /dev/shm	the run's own tmp.  If the plan grants anything below
 *			them it is empty instead, and that is mounted there
 *			again.  If they are granted themselves, or may be
 *			modified, they stay.
 *	/proc		shows the processes of the run
 *
 * A watched place is bind-mounted over itself.  Its content, and what may be
 * done there, stay the same; but the kernel keeps a mark on a mount that any
 * path lookup which ends there clears (MNT_EXPIRE of umount(2)), also one whose
 * open Landlock refuses then.  After the run the mark tells whether the place
 * was looked up.
 */
#ifndef CDN_SPACES_SPACES_H
#define CDN_SPACES_SPACES_H

#include "base/arena.h"
#include "base/err.h"

#define CDN_SPACES_COVERS_MAX 2
/*
 * Places, one bit each.  To mount and mark one takes 10 us before the run; to
 * find it untouched afterwards takes 40 us, for the kernel unmounts it then.
 */
#define CDN_SPACES_WATCHED_MAX 8

/* Borrowed for the open. */
struct cdn_spaces_spec {
	const char *tmp; /* absolute, real; "": the host's stay */
	/* Absolute and real: what is granted there, parents first. */
	const char *const *kept;
	size_t kept_count;
	const char *covered[CDN_SPACES_COVERS_MAX + 1]; /* until NULL */
	bool network; /* of its own: without any interface that is up */
	/* Absolute and real, none below another; those that exist. */
	const char *const *watched;
	size_t watched_count; /* CDN_SPACES_WATCHED_MAX at most */
};

/*
 * A mount of the run that is none of ours, for whoever sees its paths: below
 * `inside` they are what we have below `outside`.  An object of that mount that
 * lies anywhere else has no name for us.
 */
struct cdn_spaces_mount {
	uint64_t id; /* as statx(2) tells it */
	const char *inside;
	const char *outside;
};

/* In the order in which they are entered. */
enum cdn_space {
	CDN_SPACE_USER,
	CDN_SPACE_PID, /* for whom one starts then */
	CDN_SPACE_MOUNT,
	CDN_SPACE_IPC,
	CDN_SPACE_NETWORK,
	CDN_SPACE_MAX
};

struct cdn_spaces {
	int pidfd; /* of the holder */
	int fds[CDN_SPACE_MAX]; /* -1: it is ours */
	int root_fd;	/* O_PATH: its root */
	int sockets_fd; /* NETLINK_SOCK_DIAG of its network; -1: it is ours */
	struct cdn_spaces_mount *mounts;
	size_t mount_count;
	const char *const *watched; /* as in the spec, copied */
	size_t watched_count;
	uint64_t marked; /* bit i: watched[i] could be mounted and marked */
	struct cdn_arena *arena; /* of these */
	int control_fd; /* its closing ends the holder */
};

/* Which of them are there to be covered.  Static strings; NULL behind. */
const char *const *cdn_spaces_covers(void);

/* CORDON_E_SYSTEM with the step that failed ("its own /proc"). */
CDN_MUST_USE int cdn_spaces_open(const struct cdn_spaces_spec *spec,
    struct cdn_spaces **ret, struct cordon_error *err);

/*
 * The path of an object that is open here (O_PATH will do), which the kernel
 * told us, in place: as rules have it.  Its length; -EACCES: it has none.
 */
CDN_MUST_USE int cdn_spaces_translate(const struct cdn_spaces *spaces, int fd,
    char *path, size_t n, size_t size);

/* From the one to before the other.  -errno.  CDN_BARE. */
CDN_MUST_USE int cdn_spaces_enter(const struct cdn_spaces *spaces,
    enum cdn_space from, enum cdn_space to);

/*
 * Kills every process in them at once.  Does not wait: the kernel ends the
 * first one only after whoever started the others reaped them.
 */
void cdn_spaces_kill(const struct cdn_spaces *spaces);

/* Bit i of each: watched[i]. */
struct cdn_spaces_look {
	uint64_t known; /* the mount is still there */
	uint64_t found; /* of them: it was looked up, or something below it */
};

/*
 * Which watched places did a process in the namespaces look up, by opening
 * something there or by stat(2) and the like?  After cdn_spaces_end(), once.
 * -errno: *ret is all zero.
 */
CDN_MUST_USE int cdn_spaces_look_back(const struct cdn_spaces *spaces,
    struct cdn_spaces_look *ret);

/* Ends everybody in them, and waits for that. */
void cdn_spaces_end(const struct cdn_spaces *spaces);

/* The same, and frees it.  NULL is fine. */
void cdn_spaces_close(struct cdn_spaces *spaces);

#endif
