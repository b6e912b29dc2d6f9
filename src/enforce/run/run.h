/*
 * run - one supervised process tree, from spawn to its last descendant.
 *
 *	validate -> build the cage (backend) -> spawn -> enter -> exec
 *	         -> drain, wait, signal -> nobody of the tree is left
 *
 * The cost of a launch does not grow with the caller's memory.  Between clone
 * and exec there is nothing but system calls; a failure there comes back with
 * its step and errno.  Any number of runs may go on at once, from any threads;
 * no signal handler, mask or other process-wide state is left behind.
 */
#ifndef CDN_RUN_RUN_H
#define CDN_RUN_RUN_H

#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "enforce/run/bounds.h"
#include "enforce/spaces/spaces.h"

/* ----- What to run ---------------------------------------------------------- */

enum cdn_stdin_mode {
	CDN_STDIN_INHERIT, /* PTY: a terminal is not inherited, but closed */
	CDN_STDIN_NULL,
	CDN_STDIN_BYTES, /* written while output is drained; PTY: typed */
};

enum cdn_output_mode {
	CDN_OUTPUT_PASS,    /* the caller's own stdout and stderr */
	CDN_OUTPUT_CAPTURE, /* both, bounded, drained at once */
	CDN_OUTPUT_PTY,	    /* a new terminal; what it shows is captured */
};

/*
 * Who looks after orphans (children that called setsid or forked twice).
 * SELF: the calling process becomes a subreaper for good; for a command that
 * does nothing else.  The command dies with the *thread* that starts it.
 * SHEPHERD: a small process per run, so that the runs of one program cannot be
 * mixed up; all die with the process.
 */
enum cdn_reaper { CDN_REAPER_SHEPHERD, CDN_REAPER_SELF };

#define CDN_SHEPHERD_NAME "cordon-shepherd" /* as /proc/PID/comm has it */

/*
 * What the child does between clone and exec besides the standard steps.  With
 * an enter() those include an empty session keyring and no capabilities, for
 * root as well; all have no_new_privs, no core files and only stdio.
 * Called in the child: system calls only, no allocation, no locks, memory is
 * shared with the parent, whose calling thread does nothing meanwhile; the
 * stack has 128 KiB.  Every descriptor of the caller is still open, and closes
 * at exec.  0 or -errno.
 */
struct cdn_entry {
	/* pid: as the parent knows it. */
	int (*enter)(const void *arg, pid_t pid);
	const void *arg;
	/* Where enter notes what it is doing ("landlock"); NULL: "cage". */
	const char *const *step;
	/*
	 * Not NULL: what enter opens may become the caller's, under the same
	 * number.  Written before it is called: it does.  SELF only.
	 */
	bool *shares;
	/*
	 * The program is one that makes a sandbox around another: root keeps
	 * the one capability which that takes.
	 */
	bool wraps;
	/* Not NULL, and true when the process is made: whoever makes it has
	 * an empty session keyring already. */
	const bool *keyless;
};

/*
 * 0 = not limited.  Of the whole tree where cgroup v2 lets us divide our own
 * group (cgroup.h), else of each process: the result says which.
 *
 *			whole tree		each process
 *	cpu_ms		SIGXCPU, SIGKILL	the same; up to whole seconds
 *			a second later
 *	memory_bytes	all end by SIGKILL	allocation fails (RLIMIT_DATA:
 *						private and writable)
 *	processes	fork fails		the same, counts all of the
 *						user; means nothing to root
 *	open_files	-			open fails
 */
struct cdn_run_limits {
	uint64_t cpu_ms;
	uint64_t memory_bytes;
	uint64_t processes;
	uint64_t open_files;
	struct cdn_run_bounds bounds; /* where nothing is said of them */
};

enum cdn_run_tree {
	CDN_TREE_CPU = 1,
	CDN_TREE_MEMORY = 2,
	CDN_TREE_PROCESSES = 4,
};

enum cdn_run_scope { CDN_SCOPE_PROCESS, CDN_SCOPE_TREE };

/* What a run with them would hold for the tree, here and now: tries it. */
unsigned cdn_run_limits_probe(const struct cdn_run_limits *limits);

/* held: bits of enum cdn_run_tree.  TREE: all of them that could be. */
enum cdn_run_scope cdn_run_limits_scope(const struct cdn_run_limits *limits,
    unsigned held);

/* A directory, whatever it is called. */
struct cdn_run_place {
	dev_t dev;
	ino_t ino;
};

struct cdn_run_request {
	const char *program; /* the file to execute; a path, not looked up,
			      * seen from cwd when relative */
	char *const *argv;   /* NULL-terminated, argv[0] included */
	char *const *envp;   /* complete: nothing is added */
	const char *cwd;     /* NULL: the caller's */
	/* What cwd must be when the command is in it (-ESTALE), or NULL. */
	const struct cdn_run_place *cwd_is;
	uint64_t wall_ms;    /* 0 = no deadline */
	uint64_t grace_ms;   /* between SIGTERM and SIGKILL; 0 = 5000 */
	enum cdn_stdin_mode stdin_mode;
	cdn_str stdin_bytes;
	enum cdn_output_mode output_mode;
	size_t output_max; /* of stdout and of stderr; 0 = 1 MiB */
	/* Its 0, 1 and 2 instead; -1: as the modes say.  NULL: all of them. */
	const int *stdio;
	enum cdn_reaper reaper;
	bool foreground;	 /* job control on the caller's terminal; PTY:
				  * the new one follows its size */
	/*
	 * What the run has instead of the caller's terminal; stdio is set
	 * accordingly.  NULL: made here for each of its stdio that would be
	 * the controlling terminal.  With one the reaper is SHEPHERD.
	 */
	struct cdn_terminal *terminal;
	bool forward_signals;	 /* SIGINT, TERM, HUP and QUIT of the caller
				  * end it, USR1 and USR2 are passed on;
				  * a second one at once */
	bool tee;		 /* captured output also goes to stderr, with
				  * the secrets of envp redacted */
	struct cdn_run_limits limits;
	struct cdn_entry entry;	 /* enter NULL: no cage */
	/*
	 * Calls start(start_arg) on the thread that is to be the parent of the
	 * command, and returns what it returned; beside(start_arg) meanwhile,
	 * in any case and on the calling one.  NULL: start on that one.
	 */
	int (*via)(void *arg, int (*start)(void *start_arg),
	    void (*beside)(void *start_arg), void *start_arg);
	void *via_arg;
	/*
	 * What must be done before anything is executed: where there is
	 * somebody else to make the process, while it is made and enters its
	 * cage.  An error means that nothing was executed.  NULL: nothing.
	 */
	int (*meanwhile)(void *arg, struct cordon_error *err);
	void *meanwhile_arg;
	/*
	 * The program waits for a word of the caller's before it executes what
	 * the run is about.  So that is done beside it, where a signal can
	 * still end us at once: not when it has the terminal, nor when the
	 * signals are for other runs, too.
	 */
	bool waits;
	int stop_fd; /* when it is readable all are killed; 0 = none */
	/* When wake_fd is readable, by whoever waits for the run; 0 = none. */
	int wake_fd;
	void (*woken)(void *arg);
	void *woken_arg;
	/*
	 * SELF: before all children are killed, with woken_arg.  Whoever has
	 * some for other reasons ends those; NULL: nobody.
	 */
	void (*leaving)(void *arg);
	/*
	 * Namespaces to run in; NULL: ours.  Their holder is killed at the end,
	 * and all with it.  SHEPHERD only, and with a cwd.
	 */
	const struct cdn_spaces *spaces;
	/* Asked before anything is spawned; an error means nothing was. */
	int (*validate)(const struct cdn_run_request *request, void *arg,
	    struct cordon_error *err);
	void *validate_arg;
};

struct cdn_run_result {
	bool success;	/* exit code 0, not ended by us */
	bool has_exit_code; /* false on timeout */
	int exit_code;	/* 128+N when a signal ended it */
	int signal;	/* N, or 0 */
	bool timed_out;
	bool output_cut; /* more than output_max: the tree was ended */
	unsigned tree_limits; /* enum cdn_run_tree: limits of the whole tree */
	uint64_t duration_ms;
	struct cdn_buf out; /* captured; the caller calls cdn_buf_done() */
	struct cdn_buf err;
};

/*
 * Which descriptors of the caller a run would inherit as its stdio, -1 = none.
 * given: as in the request, or NULL.
 */
void cdn_run_inherits(enum cdn_stdin_mode stdin_mode,
    enum cdn_output_mode output_mode, const int *given, int ret[3]);

/*
 * Runs to the end.  0 when the program was started, whatever became of it;
 * otherwise nothing of it is left: CORDON_E_INVALID (request, validate),
 * CORDON_E_NOT_FOUND (no such program), CORDON_E_EXEC (it is there, but cannot
 * be executed), CORDON_E_SYSTEM with the step in the
 * text ("failed to spawn `x`: landlock: Operation not permitted").  After the
 * start only CORDON_E_NOMEM, and CORDON_E_SYSTEM when somebody of the tree
 * could not be ended.
 */
CDN_MUST_USE int cdn_run(const struct cdn_run_request *request,
    struct cdn_run_result *ret, struct cordon_error *err);
void cdn_run_result_done(struct cdn_run_result *result);

/*
 * Captured bytes as text: every byte that is not UTF-8 becomes U+FFFD, so it
 * may grow threefold.  Failure is the buffer's.
 */
void cdn_run_text(struct cdn_buf *out, cdn_str bytes);

/*
 * The same in steps, for callers with a loop of their own.  What the request
 * points to must stay until cdn_run_wait() returns.
 */
struct cdn_running;
CDN_MUST_USE int cdn_run_start(const struct cdn_run_request *request,
    struct cdn_running **ret, struct cordon_error *err);
/* A descriptor that becomes readable when cdn_run_step() has work. */
int cdn_run_fd(const struct cdn_running *running);
/* Does it without blocking.  True: it is over, cdn_run_wait() will not block. */
bool cdn_run_step(struct cdn_running *running);
pid_t cdn_run_pid(const struct cdn_running *running);
/*
 * The program wraps another, and that is a child of this process, the first of
 * a PID namespace: signals, but for SIGKILL, are for it and not the wrapper.
 */
void cdn_run_wraps(struct cdn_running *running, pid_t first);
/*
 * To the command's process group.  Any thread, until cdn_run_wait() returns
 * (SELF: only the one that waits).
 */
CDN_MUST_USE int cdn_run_signal(struct cdn_running *running, int signal,
    struct cordon_error *err);
/* All of them, at once; by who waits. */
void cdn_run_kill(struct cdn_running *running);
/* Frees running, whatever it returns. */
CDN_MUST_USE int cdn_run_wait(struct cdn_running *running,
    struct cdn_run_result *ret, struct cordon_error *err);

#endif
