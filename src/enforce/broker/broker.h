/*
 * broker - answers the calls that the kernel alone cannot judge.
 *
 *	receive -> decode (arguments copied once) -> resolve to an object of ours
 *	        -> decide on its real path -> act -> inject, or refuse -> event
 *
 * It never decides on memory that the caller can still change, and whatever it
 * lets happen it does itself, on the object it judged.  Where it answers
 * CONTINUE a comment says why that is sound.
 *
 * It is itself an authority, so it is confined first: its threads have no
 * capabilities and a Landlock domain that is the outer bound of the policy.
 * The order matters:
 *
 *	open	the launch thread: no_new_privs, no capabilities, the domain
 *	via	runs the spawn on that thread, so that the child's domain lies
 *		below ours and we may look into it
 *	took	the caller of via has the listener; with the first call come
 *		threads that answer: as many as are busy, and one that is not
 *	close	they end; whoever still waits gets ENOSYS
 *
 * Threads inherit the domain from the one that made them: a second one made of
 * the same rules would be a stranger to the child's.
 *
 * Its death kills the run: the child is bound to the launch thread.
 */
#ifndef CDN_BROKER_BROKER_H
#define CDN_BROKER_BROKER_H

#include <sys/types.h>

#include "enforce/sys/notify.h"
#include "enforce/spaces/spaces.h"
#include "engine/decide/decide.h"

struct cdn_broker;

/* What it refuses, once; called from any of its threads, one at a time. */
struct cdn_denial {
	const char *call; /* "openat" */
	pid_t pid;	  /* of the thread */
	/*
	 * Path or endpoint, op.  Of a caller at whom nobody may look (he
	 * executes what he may not read) the path is empty: what he wanted is
	 * not known.
	 */
	const struct cdn_question *question;
	const struct cordon_verdict *verdict;
	int error; /* what the caller got: EACCES, EXDEV, ... */
	bool routine; /* ordinary programs try it: for the record only */
};
typedef void cdn_denial_fn(const struct cdn_denial *denial, void *arg);

/*
 * What it allowed and carried out, or judged and let go on (a program that is
 * executed).  Reading and modifying in native regions is not told: Landlock
 * grants it, whether it comes by here or not.  After the caller has his answer;
 * from any of its threads, several at a time.
 */
struct cdn_allowance {
	const char *call;
	pid_t pid;
	cdn_str path; /* or endpoint; lives during the call */
	const struct cordon_verdict *verdict;
	int error; /* what the caller got; 0 done; -1: it went on */
};
typedef void cdn_allowance_fn(const struct cdn_allowance *allowance,
    void *arg);

/*
 * Has an object with more than one link, which was allowed under this name,
 * another one that is denied?  Then the verdict becomes that denial.  Called
 * from any of its threads, several at a time.
 */
typedef void cdn_other_names_fn(const struct cdn_question *question, dev_t dev,
    ino_t ino, struct cordon_verdict *verdict, void *arg);

/*
 * What decides where a directory ignores case, about names in the spelling of
 * cdn_fold().  NULL: it cannot be had, and nothing is allowed then.  Called
 * like the one above; what it gives is borrowed like the spec.
 */
typedef const struct cdn_authority *cdn_folded_fn(void *arg);

/*
 * What decides whether the configuration of a repository may be replaced by one
 * that differs only in what git_config.h allows.  NULL: it may not.  Called like
 * the one above.
 */
typedef const struct cdn_authority *cdn_configuring_fn(void *arg);

/*
 * What else decides about a modification of this path, one after the other; it
 * may take a while until it can.  False: there is no more.  *ret NULL: it cannot
 * be had, and nothing is allowed then.  Called like the one above.
 */
typedef bool cdn_surveyed_fn(size_t i, cdn_str path,
    const struct cdn_authority **ret, void *arg);

/*
 * A directory is about to be closed to its own owner, and so to us: what lies
 * below can be looked at for the last time.  Called like the one above.
 */
typedef void cdn_last_look_fn(void *arg);

/*
 * Where a process of the run asks for a run of its own, inside of this one: it
 * connects a unix socket to this name, at which nobody can ever be (/proc takes
 * no files).
 */
#define CDN_BROKER_NESTED "/proc/self/cordon-nested"

/*
 * fd, a stream, is the callee's from now on; its other end is what the process
 * has instead of its socket.  0 or -errno, then fd is closed by the caller.
 * From any of its threads, which are confined: whatever is to be done is done
 * by another one.
 */
typedef int cdn_nested_fn(int fd, void *arg);

struct cdn_broker_region {
	const char *path;
	/*
	 * Open, fixed, host or device: Landlock holds what is made, removed
	 * and moved there.  Not what is opened, which may have other names.
	 */
	bool native;
};

/* All that it points to is borrowed until close. */
struct cdn_broker_spec {
	const struct cdn_authority *authority;
	/* Regions where every call may go on natively: held by Landlock. */
	const struct cdn_broker_region *regions; /* sorted as by strcmp */
	size_t region_count;
	const struct cdn_spaces *spaces; /* where the run is; NULL: with us */
	bool reads; /* mode C: an open is performed, never continued */
	bool trace; /* nothing at all goes on unseen */
	bool strict; /* no process is traced, not even one of the run's */
	/*
	 * The child that is started is itself in the cage: when nobody is left
	 * there the launch thread has nothing to stay for.
	 */
	bool own_child;
	/*
	 * Calls are answered before anything is executed, too: the listener
	 * must be taken while start() still runs.
	 */
	bool at_once;
	cdn_denial_fn *denied; /* may be NULL */
	void *denied_arg;
	cdn_allowance_fn *allowed; /* may be NULL */
	void *allowed_arg;
	cdn_other_names_fn *other_names; /* may be NULL */
	cdn_last_look_fn *last_look; /* may be NULL */
	void *other_names_arg; /* of both */
	cdn_folded_fn *folded; /* NULL: no directory ignores case */
	void *folded_arg;
	cdn_surveyed_fn *surveyed; /* NULL: the authority knows all */
	void *surveyed_arg;
	cdn_configuring_fn *configuring; /* NULL: none is replaced */
	void *configuring_arg;
	cdn_nested_fn *nested; /* NULL: there are no runs inside */
	void *nested_arg;
	/*
	 * The broker of the run that this one lies in; NULL: none.  What one
	 * of them renames is known to all, and one lock is around it.  It may
	 * be closed before, but not by then be told anything.
	 */
	struct cdn_broker *outer;
	/*
	 * Directories, absolute, below which no git repository comes to be and
	 * none is configured.  None of their regions is open.
	 */
	const char *const *guarded;
	size_t guarded_count;
	/*
	 * Directories, absolute, in which a run may make repositories: no
	 * symlink in a guarded one leads there.
	 */
	const char *const *private;
	size_t private_count;
};

/*
 * Starts the launch thread, which gives up its privileges meanwhile; nothing is
 * answered yet.  Without openat2 or /proc nothing can be judged:
 * CORDON_E_SYSTEM.
 */
CDN_MUST_USE int cdn_broker_open(const struct cdn_broker_spec *spec,
    struct cdn_broker **ret, struct cordon_error *err);

/*
 * Its own domain (outer bound), which may be made while the launch thread begins
 * and is entered before anything is started; -1: no Landlock here.  ruleset is
 * the broker's from now on.  Once, and never left out.
 */
void cdn_broker_bound(struct cdn_broker *broker, int ruleset);

/*
 * What the child and we have in common until its exec (CLONE_VM).  All zero is
 * not a fresh one: CDN_OFFER_INIT.
 */
struct cdn_offer {
	int listener;	/* in the child; -1 none yet, -2 there will be none */
	uint32_t taken; /* futex: 0 waits, 1 taken, 2 given up */
	bool shared; /* its descriptors are ours: there is nothing to take */
	int pidfd; /* of the child, among our descriptors; -1: by its pid */
	pid_t pid; /* as we see it; 0: as it sees itself */
	/*
	 * A pidfd of ours, for a child that does not die with us: who waits
	 * for the dead would wait for ever.  -1: it does.
	 */
	int caller_fd;
};
#define CDN_OFFER_INIT { .listener = -1, .pidfd = -1, .caller_fd = -1 }

/*
 * Calls start(arg) on the launch thread, with the signal mask of the caller,
 * and returns what it returned.  While it runs, the calling thread calls
 * beside(arg) if that is not NULL, in any case; and before that it waits for
 * the listener at `where`: the child stores its number there
 * (cdn_broker_offer(), between clone and exec) and goes on when it was taken.
 * Its calls are answered from then on, its exec being the first of them.  One
 * that shares our descriptors goes on at once; not where exec is to be answered
 * (reads, trace).
 * Once in the life of a broker.  -errno without start being called: the launch
 * thread could not be confined, or nobody would answer.  Wait for the child's
 * end before the close: it dies with the launch thread.
 */
int cdn_broker_via(struct cdn_broker *broker, struct cdn_offer *where,
    int (*start)(void *arg), void (*beside)(void *arg), void *arg);

/* For the child: CDN_BARE, 0 or -errno. */
CDN_MUST_USE int cdn_broker_offer(struct cdn_offer *where, int listener);

/*
 * last_look() now, while nobody renames: for whoever is not confined, before a
 * run begins inside of this one whose broker sees less.
 */
void cdn_broker_look(struct cdn_broker *broker);

/*
 * Ends the threads; who still waits gets ENOSYS, and a child that still lives
 * is told so by the signal it asked for (PR_SET_PDEATHSIG).  A thread that
 * hangs in the kernel (a dead network disk) is left there, after a moment: it
 * touches nothing of the caller's any more.  NULL is fine.
 */
void cdn_broker_close(struct cdn_broker *broker);

/*
 * Did any of the runs make a name, in a guarded directory that is no repository,
 * that could become a part of one?
 */
bool cdn_broker_made_part(const struct cdn_broker *broker);

/*
 * Has the launch thread, and so whoever it starts, an empty session keyring?
 * For that thread and its children to look at, as long as there is the broker.
 */
const bool *cdn_broker_keyless(const struct cdn_broker *broker);

#endif
