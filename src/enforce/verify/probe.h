/*
 * probe - one thing to try, what is expected of it, and what came of it.
 *
 *	sample ─► probes ─► expect ─► prober (outside, then inside) ─► compare
 *
 * The files of this room share it; nobody else does.  A probe is made by the
 * outer side and lies in memory that the prober shares: it writes what came of
 * its turn and nothing else.
 */
#ifndef CDN_VERIFY_PROBE_H
#define CDN_VERIFY_PROBE_H

#include <sys/socket.h>
#include <sys/un.h>

#include "enforce/session/session.h"

/* How something is tried; the table of tries.c says more of each. */
enum cdn_try {
	/* What is there; nothing is changed by it. */
	CDN_TRY_READ,
	CDN_TRY_LIST,
	CDN_TRY_WRITE,
	CDN_TRY_XATTR,
	CDN_TRY_TMPFILE,
	CDN_TRY_EXEC,
	/* What is not: made, and removed at once. */
	CDN_TRY_CREATE,
	CDN_TRY_MKDIR,
	CDN_TRY_SYMLINK,
	CDN_TRY_FIFO,
	CDN_TRY_BIND_UNIX,
	CDN_TRY_REREAD, /* made, then read */
	CDN_TRY_CHMOD,	/* made, then changed */
	CDN_TRY_TRUNCATE,
	CDN_TRY_RENAME, /* made, then given its other name */
	CDN_TRY_LINK,
	/* Sockets that the outer side listens on, or nobody does. */
	CDN_TRY_CONNECT_UNIX,
	CDN_TRY_CONNECT_TCP,
	CDN_TRY_CONNECT_UDP, /* sends nothing */
	CDN_TRY_BIND_TCP,
	CDN_TRY_ESCAPE,
	CDN_TRY_MAX
};

#define CDN_NOT_TRIED INT_MIN	   /* it was not this one's turn */
#define CDN_NOT_MADE  (INT_MIN + 1) /* what it was to be tried on was not */
#define CDN_NOT_SAME  (INT_MIN + 2) /* the name means another object there */
#define CDN_DIED      4096	   /* -(this + N): signal N ended who tried */

union cdn_probe_address {
	struct sockaddr any;
	struct sockaddr_un un;
	struct sockaddr_storage storage;
};

struct cdn_probe {
	enum cdn_try how;
	unsigned escape;    /* which one */
	const char *path;   /* real; HOST:PORT; the name of an escape */
	const char *parent; /* of what is made */
	const char *other;  /* RENAME, LINK: its other name, beside it */
	const union cdn_probe_address *address;
	socklen_t address_size;

	bool expected; /* there is a verdict */
	struct cordon_verdict verdict;

	/* 0, -errno, or one of the above: */
	int control; /* outside */
	int result;  /* inside */
	int alone;   /* inside, with nobody but Landlock to refuse it */
	bool there;  /* it was refused inside, and yet the name appeared */
	uint64_t dev, ino; /* of what is there, or of parent, outside; or 0 */
	/* Landlock must refuse it by itself: what goes on natively rests on it. */
	bool native;
};

enum cdn_prober_turn {
	CDN_TURN_CONTROL, /* no cage; what is not there is not made */
	CDN_TURN_CAGE,
	CDN_TURN_ALONE, /* the cage without a broker; native ones only */
};

/* What the prober is given. */
struct cdn_prober {
	struct cdn_probe *probes;
	size_t n;
	enum cdn_prober_turn turn;
	long exec_check;  /* flag of execveat() that executes nothing */
	/* For the escapes. */
	long victim;	  /* a process outside */
	const char *victim_environ; /* /proc/N/environ */
	const char *victim_root;    /* /proc/N/root */
	const char *canary; /* a byte of its memory */
	const union cdn_probe_address *abstract;
	socklen_t abstract_size;
};

/* ----- prober.c: in the child ----------------------------------------------- */

#define CDN_PROBER_LINK "cordon-verify" /* where links lead that it makes */

/* Goes through all of them.  CDN_BARE; arg is a struct cdn_prober. */
void cdn_prober_run(void *arg);
/* -errno as it is told: does the call that gave it work? */
bool cdn_prober_worked(const struct cdn_probe *probe, int result);

/* ----- tries.c: what there is to know of each -------------------------------- */

struct cdn_try_row {
	const char *call;   /* "open for reading" */
	enum cordon_op op;
	bool makes;	    /* a name, for a moment */
	bool covered;	    /* Landlock has a right for it */
	int reached;	    /* this errno means that it was let through; or 0 */
	const char *known;  /* ids of shortfalls that explain it: "a b" */
};
extern const struct cdn_try_row cdn_tries[CDN_TRY_MAX];

/* ----- escapes.c -------------------------------------------------------------- */

struct cdn_escape {
	const char *name; /* "io_uring_setup" */
	const char *what; /* what it would be good for */
	long (*run)(const struct cdn_prober *prober); /* CDN_BARE */
	int reached; /* this errno means that it was let through; or 0 */
	const char *known;
	bool network; /* no escape where the network is open */
};
extern const struct cdn_escape cdn_escapes[];
extern const size_t cdn_escape_count;

/* ----- outside.c: what is listened on, and who is attacked --------------------- */

struct cdn_outside {
	int unix_fd, abstract_fd, tcp_fd, tcp6_fd;
	unsigned tcp_port, tcp6_port;
	unsigned free_port; /* nobody had it a moment ago */
	char dir[64];	    /* a directory of ours below /tmp; "" = none */
	const char *socket; /* in it */
	union cdn_probe_address abstract;
	socklen_t abstract_size;
	int victim;	    /* pid; -1 = none */
	void *victim_stack;
};

/* What cannot be had is left out.  It must be closed in any case. */
void cdn_outside_open(struct cdn_outside *outside, struct cdn_arena *arena);
void cdn_outside_close(struct cdn_outside *outside);
/* A byte that the victim has at the same place. */
extern const char cdn_outside_canary;

/* ----- sample.c, examples.c ---------------------------------------------------- */

struct cdn_plan;

/* A list of probes that grows in an arena. */
struct cdn_sample {
	struct cdn_arena *arena;
	const struct cordon_session *session;
	const struct cdn_plan *plan;
	struct cdn_outside *outside;
	uint64_t random; /* state */
	char tag[32];	 /* part of every name that is made up */
	unsigned names;	 /* made up so far */
	struct cdn_probe *v;
	size_t n, capacity;
	uint64_t *seen;	 /* hashes of paths; look.c */
	bool nomem;
};

CDN_MUST_USE int cdn_sample_take(struct cdn_sample *sample,
    struct cordon_error *err);
/* 0 to n - 1. */
size_t cdn_sample_chance(struct cdn_sample *sample, size_t n);
/* Adds one; path is copied.  NULL when there is no room. */
struct cdn_probe *cdn_sample_add(struct cdn_sample *sample, enum cdn_try how,
    const char *path);
/* What can be tried on what is there, or on a name that is not. */
void cdn_sample_path(struct cdn_sample *sample, const char *path);

/* network.c: sockets and addresses. */
void cdn_sample_network(struct cdn_sample *sample);

/*
 * Paths that a pattern matches, and some beside it: `tag` where it leaves a
 * choice, `dir` (a relative path, may be "") where it leaves one of directories.
 * Relative to the workspace if the pattern is.  Pure.
 */
typedef void cdn_example_fn(const char *path, void *arg);
void cdn_examples(cdn_str pattern, const char *tag, const char *dir,
    cdn_example_fn *example, void *arg);

/* ----- expect.c ----------------------------------------------------------------- */

/* Asks the decision function; without an answer expected stays false. */
void cdn_expect(const struct cordon_session *session, struct cdn_probe *probe);
/* Of a file that was to be renamed or linked: may EXDEV be the answer? */
bool cdn_expect_split(const struct cordon_session *session,
    const struct cdn_probe *probe);

#endif
