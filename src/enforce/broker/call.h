/*
 * call - one trapped call, from the notification to the answer.
 *
 * A handler fills the answer; it must not keep anything of the call.  All
 * strings were copied once from the caller's memory: what they say now is what
 * was judged.  Handlers of one broker run at the same time on several threads.
 */
#ifndef CDN_BROKER_CALL_H
#define CDN_BROKER_CALL_H

#include <sys/stat.h>

#include "enforce/broker/broker.h"

/* What was allowed in the course of a call (notes.c). */
struct cdn_notes {
	size_t n;
	struct cdn_note {
		struct cordon_verdict verdict;
		cdn_str path; /* in space */
	} v[4];
	size_t used;
	char space[2 * (CDN_PATH_MAX + 1)]; /* of two names, at most */
};

/*
 * What a thread of ours keeps from one call to the next.  A descriptor of
 * /proc/TID/status is of that very thread: when it is gone nothing can be read
 * from it, whoever has the number by then.  What it knows of files is what
 * cannot change.
 */
struct cdn_kept {
	pid_t tid;
	int status; /* -1: none */
	/* Of the mount met last.  Its number is never given to another one. */
	uint64_t mount; /* 0: none */
	bool on_proc;
	bool may_fold;
	unsigned in_vain; /* relative paths not to be tried by passing.c */
};
#define CDN_KEPT_INIT { .status = -1 }

struct cdn_call {
	struct cdn_broker *broker;
	struct cdn_kept *kept;
	const struct cdn_notif *notif;
	const char *name; /* "openat" */
	pid_t tid;
	pid_t tgid; /* found when first needed; 0 = not yet */
	pid_t his_tgid, his_tid; /* as he sees himself; with tgid */
	bool naming; /* holds the lock of that name: nobody renames */
	bool replaces_index; /* of a repository, by a copy that was checked */
	bool in_repository; /* the last part that was checked: beside others */
	bool told;   /* that it was denied */
	bool routine; /* ... and ordinary programs expect that */
	struct cdn_notes *notes; /* NULL: nobody wants to know */
};

enum cdn_answer_kind {
	CDN_ANSWER_ERROR,    /* -error */
	CDN_ANSWER_VALUE,    /* the call was carried out by us */
	CDN_ANSWER_FD,	     /* a descriptor of ours for it; we close ours */
	CDN_ANSWER_CONTINUE, /* see broker.h */
};

struct cdn_call_answer {
	enum cdn_answer_kind kind;
	int error;
	int64_t value;
	int fd;
	bool cloexec;
	bool alone; /* ours is closed before he goes on: he may execute what he
		     * wrote, or see that nobody else holds a FIFO */
};

typedef void cdn_handler_fn(struct cdn_call *call,
    struct cdn_call_answer *answer);

/* dispatch.c: by system call number here; NULL: a trap nobody foresaw, which
 * is answered ENOSYS. */
cdn_handler_fn *cdn_handler_find(int nr, const char **ret_name);

/* ----- Memory of the caller (memory.c) -------------------------------------- */

/* Exactly size bytes; 0 or -errno (-EFAULT, -EPERM when it cannot be read). */
CDN_MUST_USE int cdn_call_copy(const struct cdn_call *call, uint64_t from,
    void *to, size_t size);
/*
 * A path; -ENAMETOOLONG beyond CDN_PATH_MAX.  The length.  That it was his is
 * known when cdn_object_find() has found something by it, and not before.
 */
CDN_MUST_USE int cdn_call_path(const struct cdn_call *call, uint64_t from,
    char to[CDN_PATH_MAX + 1]);
/* The same for what is no path: it was his. */
CDN_MUST_USE int cdn_call_text(const struct cdn_call *call, uint64_t from,
    char to[CDN_PATH_MAX + 1]);
/* Into the caller's memory, which he may change meanwhile: results only. */
CDN_MUST_USE int cdn_call_put(const struct cdn_call *call, uint64_t to,
    const void *from, size_t size);

/* What the kernel puts behind a path that leads nowhere any more. */
#define CDN_DELETED " (deleted)"

/* ----- Objects (object.c) ----------------------------------------------------- */

/* Ours, opened O_PATH; judged and used through the descriptor. */
struct cdn_object {
	int fd;	      /* -1: the last component is missing */
	int parent;   /* O_PATH of the directory that holds, or would hold, it;
		       * -1 unless asked for, and where name is "" */
	char name[256]; /* in parent; "" for a root or what came by descriptor */
	char path[CDN_PATH_MAX + 1]; /* real, unless unnamed */
	mode_t mode;  /* type and permissions; 0 when missing */
	dev_t dev;
	dev_t rdev;   /* of a device */
	ino_t ino;
	nlink_t nlink;
	bool on_proc; /* of a process or of the kernel, not a file */
	bool may_fold; /* its file system can ignore case */
	bool unnamed; /* a pipe, a memfd: has no place in the tree, and whoever
		       * reaches it has it already */
};

enum cdn_object_how { /* bits */
	CDN_OBJECT_NOFOLLOW = 1, /* a link at the end is the object */
	CDN_OBJECT_MISSING = 2,	 /* the last component may be missing */
	CDN_OBJECT_EMPTY = 4,	 /* AT_EMPTY_PATH */
	CDN_OBJECT_PARENT = 8,	 /* parent and name are wanted */
	CDN_OBJECT_FILE = 16,	 /* to be made: with a slash it is EISDIR */
};

/*
 * As the caller would see it: his cwd or directory descriptor, /proc/self and
 * its like are his, magic links of his own /proc are taken by hand.  Whether
 * he still waits is asked, and again after whatever of /proc/TID was opened.
 * 0 or -errno, the errno the real call would have given.
 */
CDN_MUST_USE int cdn_object_find(struct cdn_call *call, int dirfd,
    const char *path, unsigned how, struct cdn_object *ret);
/* What a descriptor of the caller refers to. */
CDN_MUST_USE int cdn_object_of_fd(struct cdn_call *call, int fd,
    struct cdn_object *ret);
void cdn_object_done(struct cdn_object *object);
/* Fills ret from a descriptor, which becomes its own, also on failure. */
CDN_MUST_USE int cdn_object_fill(struct cdn_call *call, int fd,
    struct cdn_object *ret);
/* The real path of a descriptor of ours, as the kernel tells it; -errno. */
CDN_MUST_USE int cdn_object_told(const struct cdn_call *call, int fd,
    char path[CDN_PATH_MAX + 1]);

/*
 * walk.c: the same by hand, name by name; for what the kernel must not resolve
 * in our place (/proc/self, magic links) and for names that are missing.  The
 * descriptor `at` becomes its own.
 */
CDN_MUST_USE int cdn_walk(struct cdn_call *call, int at, const char *path,
    unsigned how, struct cdn_object *ret);
/* Is it on a /proc, ours or another one? */
bool cdn_walk_is_proc(const struct cdn_call *call, int fd, dev_t dev);

/* Are the numbers in that /proc the caller's, or other ones for the same? */
bool cdn_call_counts(const struct cdn_call *call, dev_t proc);
/* A number in /proc: his own, of the process or the thread?  After tgid(). */
static inline bool
cdn_call_is_his(const struct cdn_call *call, unsigned long n)
{
	return n == (unsigned long)call->his_tgid ||
	    n == (unsigned long)call->his_tid;
}

/* ----- Judging (judge.c) -------------------------------------------------------- */

/* 0, or -errno to answer with: after the denial was told, or at the end. */
CDN_MUST_USE int cdn_call_judge(struct cdn_call *call, enum cordon_op op,
    const struct cdn_object *object);
/* Would its owner no longer see what lies in a directory of that mode? */
static inline bool
cdn_mode_closes(mode_t mode)
{
	return (~mode & (S_IRUSR | S_IXUSR)) != 0;
}
/* Before that is so.  Not by who holds call->naming. */
void cdn_call_last_look(struct cdn_call *call);
/*
 * No, whatever the policy says, which may only speak of names: told as a denial
 * by that rule of the floor.  -error; -ENOSYS at the end.
 */
CDN_MUST_USE int cdn_call_refuse(struct cdn_call *call, enum cordon_op op,
    const struct cdn_object *object, const char *rule, int error);
/* He got this error, and no path is to blame: told as that rule of the floor. */
void cdn_call_tell_floor(struct cdn_call *call, const char *rule, int error);
/* Is it our process, or the one that minds the child?  True in doubt. */
bool cdn_call_has_our_memory(const struct cdn_call *call, unsigned long pid);
/*
 * An operation with two names.  -EXDEV: each is allowed, but something below
 * would get another verdict.
 */
CDN_MUST_USE int cdn_call_judge_pair(struct cdn_call *call,
    enum cdn_compound what, const struct cdn_object *from,
    const struct cdn_object *to);
/* That a symbolic link is made, moved or gets a second name there. */
CDN_MUST_USE int cdn_call_judge_link(struct cdn_call *call,
    const struct cdn_object *at);
/*
 * May the file `to` be replaced by what `from` holds, if that differs only in
 * what git_config.h allows?  Nothing is told.
 */
bool cdn_call_may_configure(struct cdn_call *call,
    const struct cdn_object *from, const struct cdn_object *to);
/* Nothing below gets another verdict when the one becomes the other. */
bool cdn_call_is_same(const struct cdn_call *call,
    const struct cdn_object *from, const struct cdn_object *to);
/* Where a path leads by its text alone. */
struct cdn_spot {
	char path[CDN_PATH_MAX + 1]; /* absolute, without dots and links */
	size_t n;
	size_t base; /* of them where the caller stands; 0: the root */
	size_t in; /* of them the directory */
};
/*
 * Is all of it held by Landlock, and may the place be modified, and read if so
 * asked; or the one become the other?  Nobody is told.
 */
bool cdn_call_passes(const struct cdn_call *call,
    const struct cdn_spot *spot, bool reads);
bool cdn_call_passes_pair(const struct cdn_call *call, enum cdn_compound what,
    const struct cdn_spot *from, const struct cdn_spot *to);
/* About a socket or an endpoint; a denial is -error. */
CDN_MUST_USE int cdn_call_judge_question(struct cdn_call *call,
    const struct cdn_question *question, int error);
/* Is no address allowed but those of loopback?  True in doubt. */
bool cdn_call_network_is_local(const struct cdn_call *call);
/* Does it depend on the address where he may connect to? */
bool cdn_call_inet_is_judged(const struct cdn_call *call);

/* ----- Repositories (repository.c) ------------------------------------------------ */

/* Is it a name that a repository has, where none may come to be? */
bool cdn_call_makes_part(const struct cdn_call *call, const char *path);
/*
 * Before an entry appears in the directory `dir`, by who holds the lock for
 * names: 0, or -errno when it would complete a repository, which was told.
 */
CDN_MUST_USE int cdn_call_check_part(struct cdn_call *call, int dir,
    const struct cdn_object *at);
/*
 * The part was made, still under the lock: did another run make the rest of a
 * repository meanwhile?  Then it is moved aside, and refused.
 */
CDN_MUST_USE int cdn_call_check_completed(struct cdn_call *call, int dir,
    const struct cdn_object *at);
/* It loses its name: not a part of a repository.  0 or -errno, which was told. */
CDN_MUST_USE int cdn_call_check_kept(struct cdn_call *call, int dir,
    const struct cdn_object *at);
/* A symlink into or in a git directory: 0 or -errno, which was told. */
CDN_MUST_USE int cdn_call_check_link_text(struct cdn_call *call,
    const struct cdn_object *at, const char *text);
/* The same for the text of a symlink that is there; its new name is `at`. */
CDN_MUST_USE int cdn_call_check_link_at(struct cdn_call *call,
    const struct cdn_object *at, int dir, const char *name);
/* Does it lie right in a git directory of a guarded place? */
bool cdn_call_is_index_of(const struct cdn_call *call,
    const struct cdn_object *at);
/* led.c: the same for one that leads to the private directories of a run. */
CDN_MUST_USE int cdn_call_check_led(struct cdn_call *call,
    const struct cdn_object *at, const char *text);
/* Does its name alone say that it could? */
bool cdn_call_could_configure(const struct cdn_call *call, const char *path);
/*
 * The rule against modifying what configures a repository; NULL: it is none.
 * By its path now, so by who holds the lock for names.
 */
const char *cdn_call_configures(const struct cdn_call *call, const char *path);

/* ----- What was allowed (notes.c) --------------------------------------------------- */

/* As it was judged, by this name; while it may be asked. */
void cdn_call_note(struct cdn_call *call, const struct cordon_verdict *verdict,
    cdn_str path);
/* It was denied after all. */
void cdn_call_forget(struct cdn_call *call);
/* Perhaps; false: there is nothing to tell. */
bool cdn_call_has_to_tell(const struct cdn_call *call,
    const struct cdn_call_answer *answer);
/* When it is answered. */
void cdn_call_tell_allowed(struct cdn_call *call,
    const struct cdn_call_answer *answer);

/* ----- Regions (region.c) --------------------------------------------------------- */

/* The region it lies in is held by Landlock for every operation. */
bool cdn_call_is_native(const struct cdn_call *call,
    const struct cdn_object *object);
/* A directory was moved away or removed: regions in it are there no more. */
void cdn_call_left(const struct cdn_call *call,
    const struct cdn_object *object);

/* ----- The caller himself (caller.c) ---------------------------------------- */

/* Does he still wait?  What was opened of /proc/TID before was his, then. */
bool cdn_call_waits(const struct cdn_call *call);
/* May nobody look at him, who executes what he may not read? */
bool cdn_call_is_hidden(const struct cdn_call *call);
/* Has he put a filter on himself?  Also when nobody knows. */
bool cdn_call_has_own_filter(const struct cdn_call *call);
void cdn_kept_done(struct cdn_kept *kept);
/* His umask (8 to 17 us: only when something is made). */
CDN_MUST_USE int cdn_call_umask(struct cdn_call *call, mode_t *ret);
/* Is there a signal that would end, or stop, a call of his that waits? */
bool cdn_call_has_signal(const struct cdn_call *call);
/* Is the caller the only thread of its process?  False in doubt. */
bool cdn_call_is_single(const struct cdn_call *call);
/* call->tgid; -errno. */
CDN_MUST_USE int cdn_call_tgid(struct cdn_call *call);
/* The device of his controlling terminal, 0 = none; -errno. */
CDN_MUST_USE int cdn_call_terminal(struct cdn_call *call, dev_t *ret);
/*
 * In /proc: his working directory (AT_FDCWD) or a descriptor of his.  It is his
 * only if he still waits afterwards.
 */
#define CDN_BASE_LINK 48
void cdn_call_base_link(const struct cdn_call *call, int dirfd,
    char to[CDN_BASE_LINK]);
/* O_PATH of his working directory or of a descriptor of his; -errno. */
CDN_MUST_USE int cdn_call_base(const struct cdn_call *call, int dirfd);
/*
 * His very descriptor as one of ours, to be closed before he is answered.
 * -EBADF: he has none of that number.
 */
CDN_MUST_USE int cdn_call_fetch(struct cdn_call *call, int fd);

/* ----- Handlers --------------------------------------------------------------- */

void cdn_handle_exec(struct cdn_call *call, struct cdn_call_answer *answer);
void cdn_handle_open(struct cdn_call *call, struct cdn_call_answer *answer);
void cdn_handle_metadata(struct cdn_call *call, struct cdn_call_answer *answer);
void cdn_handle_mkdir(struct cdn_call *call, struct cdn_call_answer *answer);
void cdn_handle_mknod(struct cdn_call *call, struct cdn_call_answer *answer);
void cdn_handle_symlink(struct cdn_call *call, struct cdn_call_answer *answer);
void cdn_handle_unlink(struct cdn_call *call, struct cdn_call_answer *answer);
void cdn_handle_rmdir(struct cdn_call *call, struct cdn_call_answer *answer);
void cdn_handle_unlinkat(struct cdn_call *call, struct cdn_call_answer *answer);
void cdn_handle_rename(struct cdn_call *call, struct cdn_call_answer *answer);
void cdn_handle_link(struct cdn_call *call, struct cdn_call_answer *answer);
void cdn_handle_truncate(struct cdn_call *call, struct cdn_call_answer *answer);
void cdn_handle_socket(struct cdn_call *call, struct cdn_call_answer *answer);
void cdn_handle_connect(struct cdn_call *call, struct cdn_call_answer *answer);
void cdn_handle_bind(struct cdn_call *call, struct cdn_call_answer *answer);
void cdn_handle_rare(struct cdn_call *call, struct cdn_call_answer *answer);
void cdn_handle_ptrace(struct cdn_call *call, struct cdn_call_answer *answer);
void cdn_handle_listen(struct cdn_call *call, struct cdn_call_answer *answer);
void cdn_handle_sendto(struct cdn_call *call, struct cdn_call_answer *answer);
void cdn_handle_sendmsg(struct cdn_call *call, struct cdn_call_answer *answer);
void cdn_handle_sendmmsg(struct cdn_call *call,
    struct cdn_call_answer *answer);
/* Namespaces, or a process that shares file descriptors (message.c). */
void cdn_handle_clone(struct cdn_call *call, struct cdn_call_answer *answer);
/* inotify_add_watch */
void cdn_handle_watch(struct cdn_call *call, struct cdn_call_answer *answer);
/* TIOCGPTPEER */
void cdn_handle_pty(struct cdn_call *call, struct cdn_call_answer *answer);

/* signals.c */
void cdn_handle_kill(struct cdn_call *call, struct cdn_call_answer *answer);
void cdn_handle_tkill(struct cdn_call *call, struct cdn_call_answer *answer);
void cdn_handle_tgkill(struct cdn_call *call, struct cdn_call_answer *answer);
void cdn_handle_sigqueue(struct cdn_call *call,
    struct cdn_call_answer *answer);
void cdn_handle_tgsigqueue(struct cdn_call *call,
    struct cdn_call_answer *answer);
void cdn_handle_pidfd_signal(struct cdn_call *call,
    struct cdn_call_answer *answer);

/* What every handler ends with. */
static inline void
cdn_answer_error(struct cdn_call_answer *answer, int negative_errno)
{
	answer->kind = CDN_ANSWER_ERROR;
	answer->error = -negative_errno;
}

#endif
