/*
 * tools.h - the part of cordon.h for agent frameworks: the paths, commands
 * and tools of an agent, and the documents of its workers.
 */
#ifndef CORDON_TOOLS_H
#define CORDON_TOOLS_H

#ifndef CORDON_CORDON_H
#error "include <cordon/cordon.h>, which has this part of it"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ----- Tools: the agent's side of the boundary ----------------------------- */

/* Why a tool did not do it: the codes of `cordon tool`. */
enum cordon_refusal {
	CORDON_REFUSAL_NONE,
	CORDON_REFUSAL_OUTSIDE,	 /* not in the workspace or a declared root */
	CORDON_REFUSAL_SECRET,	 /* on the floor: nobody may */
	CORDON_REFUSAL_READONLY, /* it may be read, but not modified */
	CORDON_REFUSAL_DENIED,	 /* a rule says so */
	CORDON_REFUSAL_SUFFIX,
	CORDON_REFUSAL_SIZE,
	CORDON_REFUSAL_MISSING,	 /* it is not there */
	CORDON_REFUSAL_LOOP,	 /* links lead in a circle */
	CORDON_REFUSAL_APPROVAL, /* nobody approved it */
	CORDON_REFUSAL_MAX_COUNT,
	CORDON_REFUSAL_MAX_TOTAL_BYTES,
	CORDON_REFUSAL_PROGRAM,	 /* not among those that may be started */
	CORDON_REFUSAL_INVALID,
	CORDON_REFUSAL_OS,	 /* the system refused: see sys_errno */
	CORDON_REFUSAL_MAX
};

/* "outside" and so on; NULL for a value out of range. */
CORDON_API const char *cordon_refusal_name(enum cordon_refusal refusal);

/* What a structured answer to an agent needs. */
struct cordon_refused {
	enum cordon_refusal code;
	const char *profile; /* "workdir-sandbox", "daemon-secret-denylist" or
			      * the profile's name; static, or the session's */
	bool has_verdict;
	struct cordon_verdict verdict; /* when one decided; of the session */
};

/*
 * The paths that an agent may name, for one session.  Relative ones start at
 * the workspace, links and ".." are followed before judging, a leading '~' is
 * CORDON_E_INVALID.  The session must outlive it; threads may share it.
 *
 * Functions that judge return CORDON_E_DENIED, CORDON_E_INVALID, _LINKS,
 * _WORKSPACE, _RESOLVE or _NOT_FOUND, and then fill `refused` (may be NULL).
 */
struct cordon_path_policy;

/*
 * CORDON_E_INVALID when the workspace contains, or lies in, cordon's own state
 * or one of `private_dirs` (of the caller; absolute; may be missing yet).
 */
CORDON_API CORDON_MUST_USE int cordon_path_policy_new(
    const struct cordon_session *session, const char *const *private_dirs,
    size_t private_count, struct cordon_path_policy **ret,
    struct cordon_error *err);
CORDON_API void cordon_path_policy_free(struct cordon_path_policy *policy);

/* The real path into out (4097 bytes suffice); empty raw is the workspace. */
CORDON_API CORDON_MUST_USE int cordon_path_enforce(
    const struct cordon_path_policy *policy, enum cordon_op op,
    const char *raw, size_t len, char *out, size_t size,
    struct cordon_refused *refused, struct cordon_error *err);
/* The same as yes or no; no, too, when there is no answer. */
CORDON_API bool cordon_path_is_allowed(const struct cordon_path_policy *policy,
    enum cordon_op op, const char *raw, size_t len);

/*
 * A descriptor of what was judged: the check and the use are one object,
 * whatever is renamed meanwhile.  flags: O_RDONLY, O_WRONLY or O_RDWR, with
 * O_CREAT, O_EXCL, O_APPEND, O_TRUNC, O_DIRECTORY.  Regular files and
 * directories only.  Close-on-exec; the caller closes it.
 */
CORDON_API CORDON_MUST_USE int cordon_path_open(
    const struct cordon_path_policy *policy, const char *raw, size_t len,
    int flags, unsigned mode, int *ret_fd, struct cordon_refused *refused,
    struct cordon_error *err);

/*
 * DIR/name, which must stay in DIR (absolute, or relative to the workspace):
 * an absolute name, "..", a link that leaves are CORDON_E_DENIED.
 */
CORDON_API CORDON_MUST_USE int cordon_path_join_inside(
    const struct cordon_path_policy *policy, const char *dir,
    const char *name, size_t len, char *out, size_t size,
    struct cordon_refused *refused, struct cordon_error *err);

/* The block list for callers without a session; true when in doubt. */
CORDON_API bool cordon_is_write_blocked(const char *path, const char *data_dir,
    const char *config_path);
CORDON_API bool cordon_is_read_blocked(const char *path, const char *data_dir,
    const char *config_path);

/* ----- Shell commands ----- */

struct cordon_shell_query {
	size_t size;	     /* sizeof(struct cordon_shell_query) */
	const char *command; /* any bytes but NUL */
	size_t command_len;
	const char *cwd;     /* where it would start; NULL: the workspace */
	bool enforced;	     /* its run is held by the kernel in full, so that
			      * what a shell expands there need not be known */
};

struct cordon_shell_verdict {
	bool allowed;
	bool dynamic;	     /* it has expansions, or runs text as commands */
	bool simple;	     /* one command of plain words */
	char token[4097];    /* the first word that offends, or "" */
	char reason[512];    /* "" when allowed */
	struct cordon_refused refused;
};

/*
 * May an agent have this command run?  Every path in it that can be seen is
 * judged: a refusal with good words before anything starts, never the boundary.
 * What cannot be read is refused (allowed false, INVALID), as is a `cwd` that
 * may not be used.  0 when there is an answer.
 */
CORDON_API CORDON_MUST_USE int cordon_shell_check(
    const struct cordon_path_policy *policy,
    const struct cordon_shell_query *query, struct cordon_shell_verdict *ret,
    struct cordon_error *err);

/* What an approved command gets besides, for itself alone. */
struct cordon_grants {
	bool network;
	const char *const *read;
	size_t read_count;
	const char *const *write;
	size_t write_count;
	const char *const *sockets;
	size_t socket_count;
};

struct cordon_shell_rule {
	const char *pattern; /* the words that a command begins with */
	bool approval_required;
	struct cordon_grants grants;
};

enum cordon_shell_default {
	CORDON_SHELL_DEFAULT_NONE, /* what fits no rule is refused */
	CORDON_SHELL_DEFAULT_ALLOW,
	CORDON_SHELL_DEFAULT_ASK
};

struct cordon_shell_decision {
	enum cordon_decision decision;
	const struct cordon_shell_rule *rule; /* of the caller's, or NULL */
};

/*
 * The first rule whose words the command begins with.  Only one simple command
 * fits any: compound ones, expansions, redirections and assignments never do.
 */
CORDON_API CORDON_MUST_USE int cordon_shell_rules_match(
    const struct cordon_shell_rule *rules, size_t count,
    enum cordon_shell_default fallback, const char *command, size_t len,
    struct cordon_shell_decision *ret, struct cordon_error *err);

/* May this program be started?  `scoped`: an empty list allows none. */
struct cordon_program_verdict {
	bool allowed;
	const char *profile;	/* "proc.allowed_programs" */
	char matched_rule[512]; /* the list, or "<no allowed programs>" */
};
CORDON_API CORDON_MUST_USE int cordon_program_check(
    const char *const *programs, size_t count, bool scoped,
    const char *program, struct cordon_program_verdict *ret,
    struct cordon_error *err);

/* ----- Hooks: an agent that asks before it uses a tool ----- */

enum cordon_hook_agent {
	CORDON_HOOK_CLAUDE, /* Claude Code */
	CORDON_HOOK_CODEX,
	CORDON_HOOK_GEMINI, /* Gemini CLI */
	CORDON_HOOK_CURSOR,
	CORDON_HOOK_AGENT_MAX
};

/* "claude" and so on; NULL for a value out of range. */
CORDON_API const char *cordon_hook_agent_name(enum cordon_hook_agent agent);

struct cordon_hook_event {
	size_t size;	   /* sizeof(struct cordon_hook_event) */
	enum cordon_hook_agent agent;
	const char *text;  /* JSON, as the agent gave it to its hook */
	size_t len;
	const char *audit; /* the file to record it in; NULL: the user's own */
};

struct cordon_hook_answer {
	bool allowed;
	char *output;	   /* for the agent, in its own form; free() it */
	char reason[1024]; /* the same for people; "" when it is allowed */
};

/*
 * May the agent use that tool in that way?  Paths are judged as
 * cordon_path_enforce() does, commands as cordon_shell_check() does, tools that
 * nobody knows as cordon_mcp_check() does; the answer is recorded first.  An
 * error is no answer: agents go on when their hook fails, so the caller has to
 * block the call (exit status 2 does in each of them).
 */
CORDON_API CORDON_MUST_USE int cordon_hook_judge(
    const struct cordon_session *session,
    const struct cordon_hook_event *event, struct cordon_hook_answer *ret,
    struct cordon_error *err);

/*
 * The directory that the event says the agent works in, before there is a
 * session; free() it.  NULL when it says nothing: the current one.
 */
CORDON_API CORDON_MUST_USE int cordon_hook_workspace(
    const struct cordon_hook_event *event, char **ret,
    struct cordon_error *err);

/* The settings of an agent, with a hook of ours in them, or without. */
struct cordon_hook_install {
	size_t size;		 /* sizeof(struct cordon_hook_install) */
	enum cordon_hook_agent agent;
	const char *project;	 /* whose settings; NULL: the user's own */
	const char *program;	 /* the command `cordon`, absolute */
	const char *const *options; /* of the hook; or NULL */
	bool undo;
	/* When something is to be written; false: it is not.  NULL: do. */
	bool (*show)(const char *difference, void *arg);
	void *arg;
};

enum cordon_hook_state {
	CORDON_HOOK_ABSENT,
	CORDON_HOOK_OTHER,    /* one of ours, with another program or options */
	CORDON_HOOK_INSTALLED,
	CORDON_HOOK_OFF,      /* installed, and the settings turn hooks off */
	CORDON_HOOK_UNTRUSTED /* installed, and the agent does not run it yet */
};

struct cordon_hook_status {
	char file[4097]; /* the settings, there or not */
	enum cordon_hook_state state;
};

/*
 * Only the bytes that must change do, at once or not at all; undo gives back
 * what was there before.  Settings of somebody else, and those behind a
 * symbolic link, are refused.
 */
CORDON_API CORDON_MUST_USE int cordon_hook_install(
    const struct cordon_hook_install *install, struct cordon_error *err);
CORDON_API CORDON_MUST_USE int cordon_hook_status(
    const struct cordon_hook_install *install, struct cordon_hook_status *ret,
    struct cordon_error *err);

/* ----- Workers: documents of what one activity may do ----- */

/* As cordon_policy_load() and cordon_policy_parse(). */
CORDON_API CORDON_MUST_USE int cordon_worker_load(const char *file,
    struct cordon_diags *diags, struct cordon_worker **ret,
    struct cordon_error *err);
CORDON_API CORDON_MUST_USE int cordon_worker_parse(const char *text,
    size_t len, const char *source, struct cordon_diags *diags,
    struct cordon_worker **ret, struct cordon_error *err);
CORDON_API void cordon_worker_free(struct cordon_worker *worker);
/*
 * Documents to start from: "read-only" reads the host, "workspace-write" also
 * modifies the workspace and /tmp, "full-access" modifies everything and has a
 * network; none of them what is on the floor.  Static; NULL for another name.
 */
CORDON_API const char *cordon_worker_preset(const char *name);
/* Borrowed; "" when it has none. */
CORDON_API const char *cordon_worker_name(const struct cordon_worker *worker);
CORDON_API const char *cordon_worker_digest(
    const struct cordon_worker *worker);
/* One JSON object, which is YAML that loads again; free() it. */
CORDON_API CORDON_MUST_USE int cordon_worker_format(
    const struct cordon_worker *worker, char **ret, struct cordon_error *err);
/* The JSON Schema (2020-12) of documents of workers; free() the text. */
CORDON_API CORDON_MUST_USE int cordon_worker_schema(char **ret,
    struct cordon_error *err);
/* The older form (`sandboxes:`, sandbox_read_text) in the new one; free() it. */
CORDON_API CORDON_MUST_USE int cordon_worker_migrate(const char *file,
    struct cordon_diags *diags, char **ret, struct cordon_error *err);
/*
 * May the child be called by the parent?  What it does not say it inherits; if
 * it asks for more it is CORDON_E_INVALID, and err names what.
 */
CORDON_API CORDON_MUST_USE int cordon_worker_fits(
    const struct cordon_worker *parent, const struct cordon_worker *child,
    struct cordon_error *err);

/*
 * The session of a worker that is called: `caller` is how that of its caller
 * was made, and the new one is inside of it.  Whoever started the caller starts
 * the child, from outside of both cages: a run cannot cage another one.
 */
CORDON_API CORDON_MUST_USE int cordon_session_call(
    const struct cordon_session_options *caller,
    const struct cordon_worker *child, struct cordon_diags *diags,
    struct cordon_session **ret, struct cordon_error *err);

/*
 * What a tool lets through besides: of each worker of the session the entry of
 * `sandbox.paths` with the deepest root that holds the path.  Processes do not
 * know of it.
 */
struct cordon_filter {
	bool suffix_fits; /* the name ends in one of `suffixes`, or none are said */
	unsigned long long max_file_bytes; /* the smallest; ULLONG_MAX: none */
	const char *id;	    /* of the entry, the one that refuses if one does */
	const char *source; /* where it stands; all NULL and 0: no entry */
	unsigned line;
};
/* path: real, absolute, judged before. */
CORDON_API void cordon_session_filter(const struct cordon_session *session,
    const char *path, struct cordon_filter *ret);

/* ----- The tools of an agent ----- */

struct cordon_tool_info {
	const char *name;  /* "read_text"; all texts are static */
	const char *title; /* "Read a text file" */
	const char *description;
	bool read_only;	   /* it changes nothing */
	bool destructive;  /* it may overwrite or remove */
	bool idempotent;   /* once more changes nothing more */
	bool open_world;   /* it reaches beyond the files here */
};
/* One tool per call; false past the end. */
CORDON_API bool cordon_tool_info(size_t i, struct cordon_tool_info *ret);

enum cordon_tool_schema {
	CORDON_TOOL_INPUT, /* of the arguments; nothing else is taken */
	CORDON_TOOL_OUTPUT /* of "result" */
};
/* JSON Schema (2020-12) of tool i, one object in one line; free() it. */
CORDON_API CORDON_MUST_USE int cordon_tool_schema(size_t i,
    enum cordon_tool_schema which, char **ret, struct cordon_error *err);

/* What somebody is asked.  All of it lives during the call. */
struct cordon_approval {
	const char *tool;
	const char *prompt; /* one line of plain characters, what is granted
			     * included: "git push (requires network)" */
	const char *digest; /* 64 hex digits of tool, argv, cwd and grants:
			     * the answer is for this and nothing else */
	const char *const *argv; /* what would be executed; NULL: no command */
	const char *cwd;    /* real path; NULL: no command */
	const struct cordon_grants *grants;
	unsigned long long expires_ms; /* a later answer counts as no */
};

enum cordon_answer {
	CORDON_ANSWER_NO,
	CORDON_ANSWER_YES, /* this once */
	CORDON_ANSWER_NOBODY /* there is nobody to be asked */
};

struct cordon_tools_options {
	size_t size;	  /* sizeof(struct cordon_tools_options) */
	/* Its workers say what needs approval, which programs may start. */
	const struct cordon_session *session;
	/* How the session was made.  NULL: no command can be granted more than
	 * the session allows, and no worker be called. */
	const struct cordon_session_options *session_options;
	/* For commands, and for the audit of all: backend, enforcement,
	 * isolation, env, audit, notice, trace; NULL: defaults. */
	const struct cordon_run_options *run;
	/* NULL: whatever needs approval is refused.  From the thread that
	 * calls the tool. */
	enum cordon_answer (*approve)(const struct cordon_approval *approval,
	    void *arg);
	void *approve_arg;
	unsigned long long approve_ms; /* an answer counts so long; 0: 2 min */
};

/*
 * The tools over one session.  What the options point to must outlive them.
 * Any number of threads may call tools at once.
 */
struct cordon_tools;
CORDON_API CORDON_MUST_USE int cordon_tools_new(
    const struct cordon_tools_options *options, struct cordon_tools **ret,
    struct cordon_error *err);
CORDON_API void cordon_tools_free(struct cordon_tools *tools);

struct cordon_tool_call {
	size_t size;	   /* sizeof(struct cordon_tool_call) */
	const char *name;
	const char *arguments; /* one JSON object */
	size_t arguments_len;
	bool dry_run;	   /* only what would become of it */
	int cancel_fd;	   /* readable: stop; 0: none */
	/* Now and then: files looked at, bytes of output, ... */
	void (*progress)(unsigned long long done, void *arg);
	void *progress_arg;
};

struct cordon_tool_result {
	enum cordon_refusal code; /* NONE: it was done */
	enum cordon_decision decision; /* of a dry run */
	char *json; /* {"schema":1,"ok":true,"result":{..}}, or "ok":false and
		     * "error"; of a dry run of shell its "decision" */
	size_t json_len;
};

/*
 * Calls one of them.  0 when there is an answer to give to the agent, a refusal
 * too; CORDON_E_NOMEM, and what keeps the audit from being written, when not.
 */
CORDON_API CORDON_MUST_USE int cordon_tools_call(struct cordon_tools *tools,
    const struct cordon_tool_call *call, struct cordon_tool_result *ret,
    struct cordon_error *err);
CORDON_API void cordon_tool_result_done(struct cordon_tool_result *result);

#ifdef __cplusplus
}
#endif

#endif
