/*
 * run.h - the part of cordon.h that acts: plans, caged runs, and the proof
 * that the kernel agrees.
 */
#ifndef CORDON_RUN_H
#define CORDON_RUN_H

#ifndef CORDON_CORDON_H
#error "include <cordon/cordon.h>, which has this part of it"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ----- Plans and runs ----------------------------------------------------- */

enum cordon_enforcement {
	CORDON_ENFORCEMENT_POLICY, /* what the documents say, else required */
	CORDON_ENFORCEMENT_BEST_EFFORT,
	CORDON_ENFORCEMENT_DEGRADED,
	CORDON_ENFORCEMENT_REQUIRED,
	CORDON_ENFORCEMENT_MAX
};

enum cordon_backend {
	CORDON_BACKEND_AUTO,
	CORDON_BACKEND_NATIVE,
	CORDON_BACKEND_BWRAP,
	CORDON_BACKEND_SEATBELT,
	CORDON_BACKEND_NONE, /* no cage at all; best-effort only */
	CORDON_BACKEND_MAX
};

enum cordon_isolation {
	CORDON_ISOLATION_POLICY,
	CORDON_ISOLATION_NONE,
	CORDON_ISOLATION_AUTO,
	CORDON_ISOLATION_NAMESPACES,
	CORDON_ISOLATION_MAX
};

CORDON_API const char *cordon_enforcement_name(enum cordon_enforcement value);
CORDON_API const char *cordon_backend_name(enum cordon_backend value);
CORDON_API const char *cordon_isolation_name(enum cordon_isolation value);

enum cordon_stdin {
	CORDON_STDIN_INHERIT,
	CORDON_STDIN_NULL,
	CORDON_STDIN_BYTES /* written while output is drained */
};

enum cordon_output {
	CORDON_OUTPUT_PASS,    /* the caller's own stdout and stderr */
	CORDON_OUTPUT_CAPTURE, /* both, bounded */
	CORDON_OUTPUT_PTY      /* a new terminal, captured */
};

enum cordon_environment {
	CORDON_ENV_COMPOSED, /* from the caller's by policy; env is added */
	CORDON_ENV_EXACT,    /* env and nothing else */
	CORDON_ENV_INHERIT   /* the caller's; only where there is no cage */
};

/* What the broker refused.  Everything in it lives during the call. */
struct cordon_denial {
	const char *call; /* "openat" */
	int pid;	  /* of the thread that asked */
	const char *path; /* real path, or HOST:PORT; "" of a process that lets
			   * nobody look at what it asks for */
	struct cordon_verdict verdict;
	int error;	  /* errno that it got */
};

/* What the validate callback returns to let the program start. */
#define CORDON_GO 0x676f

struct cordon_run_options {
	size_t size;		  /* sizeof(struct cordon_run_options) */
	const char *const *argv;  /* NULL-terminated; argv[0] is the program,
				   * looked up on PATH when it has no slash */
	const char *cwd;	  /* NULL: the caller's */
	unsigned long long timeout_ms; /* 0: what the profile says */
	enum cordon_stdin stdin_mode;
	const char *stdin_bytes;
	size_t stdin_len;
	enum cordon_output output;
	size_t output_max;	  /* of each stream; 0: the profile, or 1 MiB */
	enum cordon_environment environment;
	const char *const *env;	  /* NAME=VALUE, or NAME: the caller's */
	size_t env_count;
	enum cordon_backend backend;
	enum cordon_enforcement enforcement;
	enum cordon_isolation isolation;
	/*
	 * Job control on the caller's controlling terminal, of which a run has
	 * a pty of its own in front in any case.  Without it keys are relayed
	 * when the run asks for them, and one run of a process at a time.
	 */
	bool foreground;
	bool forward_signals;	  /* SIGINT and SIGTERM of the caller end it */
	bool sole;		  /* this process does nothing else: it becomes
				   * the reaper of the run's orphans itself */
	bool debug;		  /* captured output goes to stderr as well,
				   * secrets redacted */
	const char *audit;	  /* file; NULL: the user's own; "": none */
	/*
	 * Asked last before anything is spawned.  Only CORDON_GO starts the
	 * program: a callback that returns 0, or nothing sensible, refuses.
	 */
	int (*validate)(const char *program, const char *const *argv,
	    void *arg, struct cordon_error *err);
	void *validate_arg;
	/* What a person should know: what is not enforced, and so on. */
	void (*notice)(const char *text, void *arg);
	void *notice_arg;
	/* Each refusal as it happens; from threads of ours, one at a time. */
	void (*denied)(const struct cordon_denial *denial, void *arg);
	void *denied_arg;
	bool trace;		  /* slower: what the kernel would refuse by
				   * itself is seen and attributed, too */
	/*
	 * A program that calls cordon_stand_in() when CORDON_STAND_IN is its
	 * first argument, such as the command `cordon`: then a run inside of
	 * another one is handed to that one.  NULL: it is refused.
	 */
	const char *stand_in;
};

#define CORDON_STAND_IN "--stand-in"

/*
 * What must be enforced for one launch on this host.  The options may be NULL.
 * The session must outlive the plan.
 */
struct cordon_plan;
CORDON_API CORDON_MUST_USE int cordon_plan_new(
    const struct cordon_session *session,
    const struct cordon_run_options *options, struct cordon_plan **ret,
    struct cordon_error *err);
CORDON_API void cordon_plan_free(struct cordon_plan *plan);
/* Text for people, or the JSON of `cordon plan --json`; free() it.  ARGV: of
 * bwrap and a command, quoted for a shell.  SBPL: the profile of seatbelt. */
CORDON_API CORDON_MUST_USE int cordon_plan_format(
    const struct cordon_plan *plan, enum cordon_format format, char **ret,
    struct cordon_error *err);
/* Would a run start?  CORDON_E_ENFORCE with the reason when not. */
CORDON_API CORDON_MUST_USE int cordon_plan_accept(
    const struct cordon_plan *plan, struct cordon_error *err);

struct cordon_run_result {
	char run[17];	    /* its id in the audit */
	char *audit;	    /* the file it was recorded in; NULL: in none */
	bool success;	    /* exit code 0, not ended by us */
	bool has_exit_code; /* false on timeout */
	int exit_code;	    /* 128+N when a signal ended it */
	int signal;	    /* N, or 0 */
	bool timed_out;
	bool output_cut;    /* more than output_max: it was ended */
	bool audit_lost;    /* something of it could not be recorded */
	unsigned long denials; /* refusals by the broker */
	unsigned long long duration_ms;
	char *out;	    /* captured, made UTF-8, NUL-terminated; or NULL */
	size_t out_len;
	char *err;
	size_t err_len;
};

/*
 * Plans, builds the cage, spawns, waits until nobody of the process tree is
 * left.  0 when the program was started, whatever became of it.  Otherwise
 * nothing was: CORDON_E_NOT_FOUND (no such program), CORDON_E_EXEC (the policy
 * or the kernel refuses to execute it), CORDON_E_ENFORCE, or what else failed.
 * Any number of runs of one session may go on at once, from any threads; they
 * share its home and tmp.
 */
CORDON_API CORDON_MUST_USE int cordon_run(
    const struct cordon_session *session,
    const struct cordon_run_options *options, struct cordon_run_result *ret,
    struct cordon_error *err);
CORDON_API void cordon_run_result_done(struct cordon_run_result *result);

/*
 * The same in steps.  What the options point to must stay until cordon_wait()
 * has returned; it frees the process, whatever it returns.
 */
struct cordon_process;
CORDON_API CORDON_MUST_USE int cordon_spawn(
    const struct cordon_session *session,
    const struct cordon_run_options *options, struct cordon_process **ret,
    struct cordon_error *err);
CORDON_API int cordon_process_pid(const struct cordon_process *process);
/* Becomes readable when cordon_process_step() has work. */
CORDON_API int cordon_process_fd(const struct cordon_process *process);
/* Never blocks.  True: it is over. */
CORDON_API bool cordon_process_step(struct cordon_process *process);
CORDON_API CORDON_MUST_USE int cordon_process_signal(
    struct cordon_process *process, int signal, struct cordon_error *err);
CORDON_API CORDON_MUST_USE int cordon_wait(struct cordon_process *process,
    struct cordon_run_result *ret, struct cordon_error *err);

/*
 * In the program that stands for a command which the run around this one
 * executes: to its end.  The exit status of the command, or an error below 0;
 * ended by a signal when the command was.
 */
CORDON_API CORDON_MUST_USE int cordon_stand_in(struct cordon_error *err);

/*
 * Puts the calling process itself into the cage, for good: what it starts is
 * in it too.  For processes with one thread; CORDON_E_INVALID otherwise.
 * Nobody stays outside to judge its calls, so what Landlock and a filter cannot
 * hold is not held: such a policy is CORDON_E_ENFORCE unless less is accepted.
 * Descriptors that are open stay open.  After a failure past the planning the
 * process may be partly confined and should end.  The audit has its start, with
 * the arguments of the process, and no more: nobody is left who could write.
 */
CORDON_API CORDON_MUST_USE int cordon_restrict_self(
    const struct cordon_session *session,
    const struct cordon_run_options *options, struct cordon_error *err);

/*
 * A session of the preset `protect` in which DATA_DIR/data and
 * DATA_DIR/config.toml are closed besides the floor, whether they exist yet or
 * not: for programs that start tools and keep secrets of their own.  The
 * network is open and packages can be installed.
 */
CORDON_API CORDON_MUST_USE int cordon_protected_command(const char *data_dir,
    struct cordon_session **ret, struct cordon_error *err);

/*
 * The opposite of a session, for who has good reasons: no document of the user
 * or the project is asked, nothing is caged.  Only the floor holds, for tools
 * (`source` of a verdict is "<unguarded>").  `why` is told to the audit, without
 * which there is none; a host policy that requires enforcement, and a cage
 * around the caller, are CORDON_E_ENFORCE.
 */
CORDON_API CORDON_MUST_USE int cordon_unguarded(const char *workspace,
    const char *why, struct cordon_session **ret, struct cordon_error *err);

/* ----- Does the kernel agree? ---------------------------------------------- */

enum cordon_outcome {
	CORDON_AGREES,	   /* the kernel did as the policy says */
	CORDON_LEAKS,	   /* denied by the policy, and it worked */
	CORDON_REFUSES,	   /* allowed by the policy, and it was refused */
	CORDON_KNOWN,	   /* one of these two, but the plan says so itself */
	CORDON_NOT_PROBED, /* it says nothing: outside it does not work either */
	CORDON_OUTCOME_MAX
};

CORDON_API const char *cordon_outcome_name(enum cordon_outcome outcome);

/* One thing that was tried.  Everything in it lives during the call. */
struct cordon_finding {
	enum cordon_outcome outcome;
	const char *path;      /* or HOST:PORT, or the name of a way out */
	const char *operation; /* a word of cordon_op_name(), or "escape" */
	const char *call;      /* how: "open for writing" */
	struct cordon_verdict verdict; /* what the policy says */
	bool worked;	       /* what the kernel said */
	const char *why;       /* both sides in words; "" when they agree */
};

struct cordon_verify_options {
	size_t size;		 /* sizeof(struct cordon_verify_options) */
	unsigned long long seed; /* the same one tries the same paths */
	void (*found)(const struct cordon_finding *finding, void *arg);
	void (*progress)(size_t done, size_t of, void *arg); /* now and then */
	bool (*stop)(void *arg); /* asked now and then; true: no more */
	void *arg;		 /* of all three, which may be NULL */
};

struct cordon_verify_result {
	unsigned long agree;
	unsigned long leaks;
	unsigned long refuses;
	unsigned long known;
	unsigned long not_probed;
};

/*
 * Builds the cage of a run with these options, enters it with a prober of our
 * own, and compares what the kernel answers with the verdicts of the session:
 * for files of the workspace, the floor and the view, at the boundary of every
 * rule, at random; then known ways out.  Of each it is tried first whether it
 * works where there is no cage.
 *
 * What is there is opened and closed, never changed.  Where the run may write,
 * names that do not exist (empty files and directories, links, sockets) are
 * made inside and removed at once.  Nothing is executed, no packet leaves the
 * machine, nothing is recorded.
 *
 * 0 when it was tried, whatever came of it; as cordon_run() when nothing could
 * be started.
 */
CORDON_API CORDON_MUST_USE int cordon_verify(
    const struct cordon_session *session,
    const struct cordon_run_options *run,
    const struct cordon_verify_options *options,
    struct cordon_verify_result *ret, struct cordon_error *err);

#ifdef __cplusplus
}
#endif

#endif
