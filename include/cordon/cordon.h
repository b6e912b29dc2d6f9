/*
 * cordon.h - the one public header of libcordon.
 *
 * cordon answers questions about a boundary that people write once, in YAML:
 *
 *	policy   a document: load, merge, print
 *	profile  one named set of ordered rules of a policy, denies included
 *	session  documents + profile + workspace + preset, ready to be asked
 *	verdict  allow, deny or ask, with the rule and the line that said so
 *
 * House rules of this header
 *
 *   - A function that can fail returns 0 or a negative CORDON_E_... code and
 *     takes a `struct cordon_error *` last, which may be NULL.  It is left
 *     alone on success and filled completely on failure.
 *   - Out parameters are named ret and written on success only.
 *   - Every object is opaque, owned by the caller, and given back with its
 *     _free function, which accepts NULL.
 *   - Finished objects are immutable: any number of threads may share one.
 *     Building and freeing belong to one thread.
 *   - The library never prints, never exits, installs no signal handlers.
 *   - Strings are NUL-terminated UTF-8 unless a length stands beside them.
 *   - Options structures begin with their own size, so they can grow without
 *     breaking callers: `struct cordon_query q = { .size = sizeof(q) };`
 */
#ifndef CORDON_CORDON_H
#define CORDON_CORDON_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define CORDON_API	__attribute__((visibility("default")))
#define CORDON_MUST_USE __attribute__((warn_unused_result))
#else
#define CORDON_API
#define CORDON_MUST_USE
#endif

/* ----- Errors ----------------------------------------------------------- */

enum cordon_code {
	CORDON_OK = 0,
	CORDON_E_INVALID = -1,	  /* InvalidInput: a document or an argument */
	CORDON_E_NOMEM = -2,	  /* OutOfMemory */
	CORDON_E_SYSTEM = -3,	  /* SystemError: see sys_errno */
	CORDON_E_NOT_FOUND = -4,  /* NotFound: no such policy, file, entry */
	CORDON_E_WORKSPACE = -5,  /* WorkspaceMissing: its root is not there */
	CORDON_E_LINKS = -6,	  /* TooManyLinks: more than 40, or a loop */
	CORDON_E_RESOLVE = -7,	  /* ResolveFailed: see sys_errno */
	CORDON_E_EXEC = -8,	  /* ExecFailed: found, but refused or no program */
	CORDON_E_ENFORCE = -9,	  /* NotEnforceable: this host cannot hold it */
	CORDON_E_DENIED = -10	  /* PermissionDenied: to a tool, with a reason */
};

/* "InvalidInput" and so on; never NULL. */
CORDON_API const char *cordon_code_name(int code);

/*
 * Details of a failure, owned by the caller.  It holds no pointers, so there
 * is nothing to free and it can report that memory ran out.
 */
struct cordon_error {
	int code;	  /* enum cordon_code */
	int sys_errno;	  /* errno of the failing call, or 0 */
	unsigned line;	  /* 1-based; 0 = no position */
	unsigned column;  /* 1-based, counted in bytes */
	char source[128]; /* file of the position; "..." + tail if long */
	char text[512];	  /* one sentence, no newline */
};

/* ----- Findings: everything wrong with a document ------------------------ */

enum cordon_severity { CORDON_ERROR, CORDON_WARNING };

struct cordon_diag {
	enum cordon_severity severity;
	const char *id;	    /* stable, such as "P014" */
	const char *source; /* file name as given; "" = none */
	unsigned line;	    /* 1-based; 0 = no position */
	unsigned column;
	const char *text;
	const char *hint;   /* what to do, or NULL */
};

struct cordon_diags;

/* NULL when memory ran out.  Collects from any number of calls. */
CORDON_API struct cordon_diags *cordon_diags_new(void);
CORDON_API void cordon_diags_free(struct cordon_diags *diags);
CORDON_API size_t cordon_diags_count(const struct cordon_diags *diags);
/* Borrowed until the list changes or goes; NULL past the end. */
CORDON_API const struct cordon_diag *cordon_diags_get(
    const struct cordon_diags *diags, size_t i);
/* How many errors there were, those beyond the kept maximum included. */
CORDON_API size_t cordon_diags_errors(const struct cordon_diags *diags);
/* How many findings were counted but not kept. */
CORDON_API size_t cordon_diags_omitted(const struct cordon_diags *diags);

/* ----- Vocabulary ------------------------------------------------------- */

enum cordon_op {
	CORDON_READ,
	CORDON_MODIFY,
	CORDON_EXEC,
	CORDON_CONNECT,
	CORDON_BIND,
	CORDON_OP_MAX
};

enum cordon_as {
	CORDON_AS_PROCESS, /* may a process of the run do this? */
	CORDON_AS_AGENT,   /* may the agent name this to a tool? */
	CORDON_AS_POLICY,  /* the documents alone, on a string */
	CORDON_AS_BLOCK,   /* the block list: absolute paths only */
	CORDON_AS_MAX
};

enum cordon_decision { CORDON_DENY, CORDON_ALLOW, CORDON_ASK };

/* Outermost first; each layer can only take away. */
enum cordon_layer {
	CORDON_LAYER_FLOOR,
	CORDON_LAYER_HOST,
	CORDON_LAYER_USER,
	CORDON_LAYER_PROJECT,
	CORDON_LAYER_POLICY,
	CORDON_LAYER_WORKER,
	CORDON_LAYER_WORKDIR,
	CORDON_LAYER_PRESET,
	CORDON_LAYER_BLOCK,
	CORDON_LAYER_MAX
};

enum cordon_preset {
	CORDON_PRESET_WORKSPACE, /* the default */
	CORDON_PRESET_PROTECT,
	CORDON_PRESET_STRICT,
	CORDON_PRESET_MAX
};

/* The words of the command line and of JSON; NULL for a value out of range. */
CORDON_API const char *cordon_op_name(enum cordon_op op);
CORDON_API const char *cordon_as_name(enum cordon_as as);
CORDON_API const char *cordon_decision_name(enum cordon_decision decision);
CORDON_API const char *cordon_layer_name(enum cordon_layer layer);
CORDON_API const char *cordon_preset_name(enum cordon_preset preset);

/* ----- Policies: documents ---------------------------------------------- */

struct cordon_policy;

/*
 * Reads, parses and validates one document.  The bytes hashed are the bytes
 * parsed.  All findings go to diags (may be NULL), errors and warnings alike;
 * on failure err holds the first error.
 */
CORDON_API CORDON_MUST_USE int cordon_policy_load(const char *file,
    struct cordon_diags *diags, struct cordon_policy **ret,
    struct cordon_error *err);

/* The same from memory; source is the name that positions will carry. */
CORDON_API CORDON_MUST_USE int cordon_policy_parse(const char *text, size_t len,
    const char *source, struct cordon_diags *diags, struct cordon_policy **ret,
    struct cordon_error *err);

/*
 * Workspace profiles replace global ones by name, denies accumulate, the
 * result is validated again.  A profile that the global policy seals is not
 * replaced: that is an error.  Both inputs may be freed afterwards.
 */
CORDON_API CORDON_MUST_USE int cordon_policy_merge(
    const struct cordon_policy *global, const struct cordon_policy *workspace,
    struct cordon_diags *diags, struct cordon_policy **ret,
    struct cordon_error *err);

CORDON_API void cordon_policy_free(struct cordon_policy *policy);

/* Borrowed from the policy.  description is NULL when there is none. */
CORDON_API const char *cordon_policy_name(const struct cordon_policy *policy);
CORDON_API const char *cordon_policy_description(
    const struct cordon_policy *policy);
/* SHA-256 of the bytes as 64 hex digits; "" for a merged policy. */
CORDON_API const char *cordon_policy_digest(const struct cordon_policy *policy);
CORDON_API size_t cordon_policy_profile_count(
    const struct cordon_policy *policy);
CORDON_API const char *cordon_policy_profile_name(
    const struct cordon_policy *policy, size_t i); /* NULL past the end */
/* After a merge: profiles that grant more than the global policy did. */
CORDON_API const char *cordon_policy_widened(
    const struct cordon_policy *policy, size_t i); /* NULL past the end */

enum cordon_format { CORDON_FORMAT_YAML, CORDON_FORMAT_JSON,
	CORDON_FORMAT_SBPL /* of plans only */ };

/* The whole policy, rules as authored; the caller frees *ret with free(). */
CORDON_API CORDON_MUST_USE int cordon_policy_format(
    const struct cordon_policy *policy, enum cordon_format format, char **ret,
    struct cordon_error *err);

/*
 * What is legal but probably not meant: shadowed rules, rules that match
 * nothing below workspace (NULL: not looked at), and so on.  Findings are
 * warnings; 0 also when there are some.
 */
CORDON_API CORDON_MUST_USE int cordon_policy_lint(
    const struct cordon_policy *policy, const char *workspace,
    struct cordon_diags *diags, struct cordon_error *err);

/* The JSON Schema (2020-12) of policy documents; free() the text. */
CORDON_API CORDON_MUST_USE int cordon_policy_schema(char **ret,
    struct cordon_error *err);

/* The reference page of all keys, Markdown; free() the text. */
CORDON_API CORDON_MUST_USE int cordon_policy_reference(char **ret,
    struct cordon_error *err);

/* A commented policy to start from (`cordon policy init`).  Static. */
CORDON_API const char *cordon_policy_starter(void);

/* ----- Verdicts ---------------------------------------------------------- */

/*
 * Strings are borrowed from the profile or session that gave the verdict and
 * live as long as that.
 */
struct cordon_verdict {
	enum cordon_decision decision;
	bool allowed; /* decision == CORDON_ALLOW */
	enum cordon_as as;
	enum cordon_op operation;
	enum cordon_layer layer;   /* the one that decided */
	const char *profile;	   /* name asked for; NULL for block */
	const char *matched_rule;  /* the contract string, never NULL */
	const char *rule_text;	   /* as authored, or NULL */
	const char *source;	   /* file as given, "<floor>", ... or NULL */
	unsigned line;		   /* 0 = none */
	unsigned column;
	const char *deny_rule;	   /* the deny behind "[]", or NULL */
};

/* For callers that know only yes or no and why. */
struct cordon_policy_decision {
	bool allow;
	char reason[512]; /* "<op> <path>: <rule> (<source>)"; "" when allow */
};

CORDON_API void cordon_decision_from_verdict(
    const struct cordon_verdict *verdict, const char *path,
    struct cordon_policy_decision *ret);
/* matched_rule borrows decision->reason. */
CORDON_API void cordon_verdict_from_decision(
    const struct cordon_policy_decision *decision, enum cordon_op op,
    struct cordon_verdict *ret);

/* ----- Profiles: the string contract ------------------------------------- */

struct cordon_profile;

struct cordon_rule {
	const char *pattern;  /* normalised, without '!' */
	bool negated;
	const char *text;     /* as authored */
	const char *source;   /* or NULL */
	unsigned line;
	unsigned column;
};

/*
 * The effective profile: rules in order, global denies appended as negated
 * rules.  name NULL means "unrestricted", which exists even when the policy
 * does not define it; any other missing name is CORDON_E_INVALID.  The policy
 * may be freed before the profile.
 */
CORDON_API CORDON_MUST_USE int cordon_profile_resolve(
    const struct cordon_policy *policy, const char *name,
    struct cordon_profile **ret, struct cordon_error *err);
CORDON_API void cordon_profile_free(struct cordon_profile *profile);
CORDON_API const char *cordon_profile_name(
    const struct cordon_profile *profile);
CORDON_API size_t cordon_profile_rule_count(
    const struct cordon_profile *profile, enum cordon_op op);
/* False past the end. */
CORDON_API bool cordon_profile_rule(const struct cordon_profile *profile,
    enum cordon_op op, size_t i, struct cordon_rule *ret);
/* One JSON object as `cordon policy show --json` prints it; free() it. */
CORDON_API CORDON_MUST_USE int cordon_profile_format(
    const struct cordon_profile *profile, enum cordon_format format,
    char **ret, struct cordon_error *err);

/*
 * One question about a workspace-relative string (for CONNECT and BIND a
 * HOST:PORT).  No file system, no floor, no preset.  Allocates nothing.
 */
CORDON_API CORDON_MUST_USE int cordon_profile_check(
    const struct cordon_profile *profile, enum cordon_op op, const char *path,
    size_t len, struct cordon_verdict *ret, struct cordon_error *err);

/* Calls back for every rule that matched, in order. */
CORDON_API CORDON_MUST_USE int cordon_profile_explain(
    const struct cordon_profile *profile, enum cordon_op op, const char *path,
    size_t len, void (*matched)(const struct cordon_rule *rule, void *arg),
    void *arg, struct cordon_error *err);

/* ----- The strings themselves -------------------------------------------- */

/* A NUL-terminated normalised copy into out (size > len always suffices). */
CORDON_API CORDON_MUST_USE int cordon_path_normalize(const char *path,
    size_t len, char *out, size_t size, struct cordon_error *err);
/* The same for a rule; a leading '!' is kept. */
CORDON_API CORDON_MUST_USE int cordon_rule_normalize(const char *rule,
    size_t len, char *out, size_t size, struct cordon_error *err);
/* One pattern, one path, both normalised first; 1, 0 or a negative code. */
CORDON_API CORDON_MUST_USE int cordon_glob_match(const char *pattern,
    const char *path, size_t path_len, struct cordon_error *err);
/* The syntactic relation that validation uses. */
CORDON_API CORDON_MUST_USE int cordon_rule_covers(const char *read_rule,
    const char *modify_rule, struct cordon_error *err);
/* Is this a name for a policy, worker or profile file? */
CORDON_API CORDON_MUST_USE int cordon_name_check(const char *name, size_t len,
    struct cordon_error *err);
/* "500ms", "30s", "10m", "1h"; without a unit seconds.  In milliseconds. */
CORDON_API CORDON_MUST_USE int cordon_duration_parse(const char *text,
    unsigned long long *ret_ms, struct cordon_error *err);
/* fsProfile, else ORBIT_ACTIVITY_FS_PROFILE, else "unrestricted". */
CORDON_API const char *cordon_profile_default(const char *fs_profile);

/* ----- Sessions: everything that holds for one workspace ------------------ */

struct cordon_session;

/*
 * What one module of an agent (its file tools, its shell, its MCP servers) asks
 * for.  A root declared for one is open to all of them; `unrestricted` opens
 * everything but the floor.
 */
struct cordon_module {
	const char *name;
	bool unrestricted;
	const char *const *allowed_paths; /* absolute, "~", or relative to the
					   * workspace */
	size_t allowed_path_count;
};

struct cordon_session_options {
	size_t size;		      /* sizeof(struct ...) */
	const char *workspace;	      /* NULL: the current directory */
	const char *const *policies;  /* --policy files, in order */
	size_t policy_count;
	const char *profile;	      /* NULL: see cordon_profile_default() */
	enum cordon_preset preset;
	const char *const *read;      /* extra roots to read */
	size_t read_count;
	const char *const *write;     /* extra roots to read and modify */
	size_t write_count;
	const char *network;	      /* none|loopback|full|list; NULL: policy */
	bool host_home;		      /* the real home instead of one of its own */
	bool nested_git;	      /* .git may appear and go in the workspace */
	const char *const *protect;   /* paths closed besides the floor */
	size_t protect_count;
	const char *command;	      /* the program to be run, or NULL: its own
				       * package directory becomes readable */
	const struct cordon_module *modules; /* of an agent: see Tools */
	size_t module_count;
};

/*
 * Finds and loads the documents (host, user, project, or --policy), compiles
 * all layers and the floor.  Reads HOME, XDG_CONFIG_HOME, XDG_STATE_HOME,
 * PATH and ORBIT_ACTIVITY_FS_PROFILE.  An absent document is no layer; an
 * unreadable or invalid one fails.
 */
CORDON_API CORDON_MUST_USE int cordon_session_new(
    const struct cordon_session_options *options, struct cordon_diags *diags,
    struct cordon_session **ret, struct cordon_error *err);
CORDON_API void cordon_session_free(struct cordon_session *session);
CORDON_API const char *cordon_session_profile(
    const struct cordon_session *session);
/* The real path of the workspace. */
CORDON_API const char *cordon_session_workspace(
    const struct cordon_session *session);

/* Is it a home of this user, by HOME or by the password database? */
CORDON_API CORDON_MUST_USE int cordon_is_home(const char *dir, bool *ret,
    struct cordon_error *err);

struct cordon_document {
	enum cordon_layer layer;
	const char *file;
	const char *name;   /* metadata.name */
	const char *digest; /* 64 hex digits */
	bool trusted;	    /* false: it can only narrow */
};
/* The documents loaded, outermost first; false past the end. */
CORDON_API bool cordon_session_document(const struct cordon_session *session,
    size_t i, struct cordon_document *ret);

struct cordon_query {
	size_t size;		/* sizeof(struct cordon_query) */
	enum cordon_as as;
	enum cordon_op op;
	const char *path;	/* any bytes but NUL */
	size_t path_len;
	const char *data_dir;	/* block only, required there */
	const char *config_path; /* block only, may be NULL */
	char *real_path;	/* where to put the real path, or NULL */
	size_t real_path_size;	/* 4097 always suffices */
};

/*
 * One question.  0 means a verdict was given (deny is a verdict); a negative
 * code means there is none: CORDON_E_INVALID, _WORKSPACE, _LINKS, _RESOLVE.
 * real_path becomes "" where the question has none.
 */
CORDON_API CORDON_MUST_USE int cordon_check(
    const struct cordon_session *session, const struct cordon_query *query,
    struct cordon_verdict *ret, struct cordon_error *err);

/* One rule that matched, layer by layer, outermost first, in rule order. */
struct cordon_step {
	enum cordon_layer layer;
	const char *rule;   /* normalised, without '!' */
	const char *text;   /* as authored */
	bool negated;
	const char *source; /* or NULL */
	unsigned line;
	unsigned column;
};
CORDON_API CORDON_MUST_USE int cordon_explain(
    const struct cordon_session *session, const struct cordon_query *query,
    void (*step)(const struct cordon_step *step, void *arg), void *arg,
    struct cordon_error *err);

/* The effective profile as `policy show` prints it (all layers); free(). */
CORDON_API CORDON_MUST_USE int cordon_session_format(
    const struct cordon_session *session, enum cordon_format format,
    char **ret, struct cordon_error *err);

/* The floor as listed, one entry per call; false past the end. */
struct cordon_floor_entry {
	const char *path;   /* as listed, "~/.ssh" */
	bool read;	    /* reading is refused too */
	const char *why;
};
CORDON_API bool cordon_floor_entry(size_t i, struct cordon_floor_entry *ret);

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

/* ----- Workers: documents of what one activity may do ----- */

struct cordon_worker;

/* As cordon_policy_load() and cordon_policy_parse(). */
CORDON_API CORDON_MUST_USE int cordon_worker_load(const char *file,
    struct cordon_diags *diags, struct cordon_worker **ret,
    struct cordon_error *err);
CORDON_API CORDON_MUST_USE int cordon_worker_parse(const char *text,
    size_t len, const char *source, struct cordon_diags *diags,
    struct cordon_worker **ret, struct cordon_error *err);
CORDON_API void cordon_worker_free(struct cordon_worker *worker);
/* Borrowed; "" when it has none. */
CORDON_API const char *cordon_worker_name(const struct cordon_worker *worker);
CORDON_API const char *cordon_worker_digest(
    const struct cordon_worker *worker);
/* One JSON object, which is YAML that loads again; free() it. */
CORDON_API CORDON_MUST_USE int cordon_worker_format(
    const struct cordon_worker *worker, char **ret, struct cordon_error *err);
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

/* ----- Host --------------------------------------------------------------- */

enum cordon_enforces {
	CORDON_ENFORCES_NONE,	  /* nothing can be confined here */
	CORDON_ENFORCES_DEGRADED, /* some of it; a plan lists what not */
	CORDON_ENFORCES_REQUIRED, /* all of it */
	CORDON_ENFORCES_MAX
};

/*
 * What this machine can enforce, what is missing and how to get it, as `cordon
 * doctor` prints it: one JSON object, or text (any other format); free().
 * ret_enforces may be NULL.  What it speaks of is really tried, in children
 * that no wait() sees: a millisecond, or a few seconds where bwrap hangs.
 */
CORDON_API CORDON_MUST_USE int cordon_doctor(enum cordon_format format,
    char **ret, enum cordon_enforces *ret_enforces, struct cordon_error *err);

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
	bool foreground;	  /* job control on the caller's terminal */
	bool forward_signals;	  /* SIGINT and SIGTERM of the caller end it */
	bool sole;		  /* this process does nothing else: it becomes
				   * the reaper of the run's orphans itself */
	bool debug;		  /* captured output goes to stderr as well,
				   * secrets redacted */
	const char *audit;	  /* file; NULL: the user's own; "": none */
	/* Asked last before anything is spawned; not 0: nothing is. */
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
};

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
/* Text for people, the JSON of `cordon plan --json`, or, with the backend
 * seatbelt, its profile; free() it. */
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

/* ----- Tools of MCP servers ------------------------------------------------ */

/* A call of a tool, before it is sent to its server. */
struct cordon_mcp_call {
	size_t size;	  /* sizeof(struct cordon_mcp_call) */
	const char *tool; /* its name */
	/* As the server listed it: {"name":..,"inputSchema":..}; or NULL. */
	const char *definition;
	size_t definition_len;
	const char *arguments; /* JSON */
	size_t arguments_len;
};

struct cordon_mcp_refusal {
	bool refused;	    /* false: the rest says nothing */
	char field[256];    /* "files[1]" */
	const char *reason; /* static: "schema" when the field is known to hold
			     * a path, "heuristic" when it looks like one */
	bool has_verdict;   /* false: it could not be judged; text says why */
	struct cordon_verdict verdict; /* borrowed from the session */
	char path[4097];    /* as it was judged */
	char text[1024];    /* for the model: what, which rule, the remedy */
};

/*
 * Does the call name a path that an agent may not use?  Every string of the
 * arguments is looked at, in arrays and objects too.  0 when an answer was
 * given; CORDON_E_INVALID when the arguments are no JSON that two programs
 * would understand in the same way.  What the server then opens is for its
 * cage to decide.
 */
CORDON_API CORDON_MUST_USE int cordon_mcp_check(
    const struct cordon_session *session, const struct cordon_mcp_call *call,
    struct cordon_mcp_refusal *ret, struct cordon_error *err);

struct cordon_mcp_options {
	size_t size;  /* sizeof(struct cordon_mcp_options) */
	int in_fd;    /* what the client says */
	int out_fd;   /* what it is told: nothing but the protocol */
};

/*
 * Runs an MCP server (of stdio) in a cage and stands between it and its client
 * until the server has ended, as cordon_run() does; argv is the server, stdin
 * and output of the options mean nothing.  Every call is judged as
 * cordon_mcp_check() does before the server sees it, and recorded; a refusal is
 * answered with its rule and remedy.  Tools are pinned: one that is described
 * otherwise than when it was first seen is taken out of the list.  Everything
 * else is passed on byte for byte, both ways, and nobody is read from faster
 * than the other side takes it.
 *
 * When in_fd ends, the server sees the end of its input; a few seconds later it
 * is told to end.  The descriptors stay the caller's.
 */
CORDON_API CORDON_MUST_USE int cordon_mcp_guard(
    const struct cordon_session *session,
    const struct cordon_run_options *run,
    const struct cordon_mcp_options *options, struct cordon_run_result *ret,
    struct cordon_error *err);

/* A server whose tools are pinned.  Strings live during the call. */
struct cordon_mcp_pin {
	const char *name;    /* 16 hex digits, of its command line */
	const char *command; /* for people */
	const char *file;    /* where the tools are kept */
	size_t tools;
};
CORDON_API CORDON_MUST_USE int cordon_mcp_pins(
    void (*each)(const struct cordon_mcp_pin *pin, void *arg), void *arg,
    struct cordon_error *err);
/* Its tools are taken anew as they are then; name: a beginning will do. */
CORDON_API CORDON_MUST_USE int cordon_mcp_forget(const char *name,
    struct cordon_error *err);

/*
 * The configuration of an MCP client, rewritten so that the servers it starts
 * run behind the guard, or as it was before.  Only those bytes change.
 */
struct cordon_mcp_wrap {
	size_t size;	      /* sizeof(struct cordon_mcp_wrap) */
	const char *file;     /* JSON; TOML when its name ends so */
	const char *command;  /* the guard's program */
	const char *place;    /* the same, absolute; or NULL */
	const char *const *options; /* of the guard; or NULL */
	bool undo;
	/* left: why nothing was done about it; open: nobody guards it. */
	void (*server)(const char *name, const char *left, bool open, void *arg);
	/* When something is to be written; false: it is not.  NULL: do. */
	bool (*show)(const char *difference, void *arg);
	void *arg;
};
CORDON_API CORDON_MUST_USE int cordon_mcp_wrap(
    const struct cordon_mcp_wrap *wrap, struct cordon_error *err);

/* ----- Named policies and trust ------------------------------------------ */

struct cordon_store_entry {
	const char *name;
	enum cordon_layer layer; /* HOST or USER */
	const char *file;
};

/*
 * Every named policy below the host and user directories, host first, sorted
 * by name.  An invalid document fails the listing and says which.
 */
CORDON_API CORDON_MUST_USE int cordon_store_list(
    void (*entry)(const struct cordon_store_entry *entry, void *arg),
    void *arg, struct cordon_diags *diags, struct cordon_error *err);

/*
 * One named policy: host and user merged when both have it, else the one;
 * CORDON_E_NOT_FOUND when neither does.  The name is checked before any path
 * is built from it.
 */
CORDON_API CORDON_MUST_USE int cordon_store_get(const char *name,
    struct cordon_diags *diags, struct cordon_policy **ret,
    struct cordon_error *err);

/* The same three over any one directory: list, get, put (atomic, 0600). */
CORDON_API CORDON_MUST_USE int cordon_store_list_dir(const char *dir,
    void (*entry)(const struct cordon_store_entry *entry, void *arg),
    void *arg, struct cordon_diags *diags, struct cordon_error *err);
CORDON_API CORDON_MUST_USE int cordon_store_get_dir(const char *dir,
    const char *name, struct cordon_diags *diags, struct cordon_policy **ret,
    struct cordon_error *err);
CORDON_API CORDON_MUST_USE int cordon_store_put_dir(const char *dir,
    const char *name, const char *text, size_t len,
    struct cordon_diags *diags, struct cordon_error *err);

struct cordon_trust_entry {
	const char *dir;    /* real path of the workspace */
	const char *digest; /* 64 hex digits of the trusted bytes */
	bool current;	    /* the file there still has that digest */
};

/*
 * Records the digest of DIR/.cordon/policy.yaml, which must be valid.  With a
 * digest (of what the user was shown) other bytes are CORDON_E_INVALID; NULL
 * takes what is there.
 */
CORDON_API CORDON_MUST_USE int cordon_trust_add(const char *dir,
    const char *digest, struct cordon_diags *diags, struct cordon_error *err);
CORDON_API CORDON_MUST_USE int cordon_trust_revoke(const char *dir,
    struct cordon_error *err); /* CORDON_E_NOT_FOUND when it was not there */
CORDON_API CORDON_MUST_USE int cordon_trust_list(
    void (*entry)(const struct cordon_trust_entry *entry, void *arg),
    void *arg, struct cordon_error *err);

/* ----- The audit ---------------------------------------------------------- */

/*
 * A log is a file of one JSON object per line, and the parts of it that were
 * put away when it was full (FILE.1, FILE.48211: named by their first line).
 * FILE NULL is the user's own.  Whoever wrote it: to these functions it is
 * input.
 */

/* Where the user's own lies; free() it. */
CORDON_API CORDON_MUST_USE int cordon_audit_file(char **ret,
    struct cordon_error *err);

struct cordon_audit_verified {
	bool intact;		       /* nothing was changed, as far as seen */
	bool has_head;		       /* else a cut end cannot be seen */
	unsigned long findings;	       /* that break the chain */
	unsigned long files;
	unsigned long long lines;
	unsigned long long first, last; /* their numbers; 0 = none */
	size_t unfinished;	       /* bytes of half a line at the end */
};

/*
 * Is the log as it was written?  Findings go to diags (may be NULL): errors
 * break the chain, warnings do not.  0 also when there are some.
 */
CORDON_API CORDON_MUST_USE int cordon_audit_verify(const char *file,
    struct cordon_diags *diags, struct cordon_audit_verified *ret,
    struct cordon_error *err);

/* One run, by its events.  Strings live during the call that tells it. */
struct cordon_audit_run {
	const char *run;       /* its id */
	const char *start;     /* when; "" = its beginning is not in the log */
	const char *end;       /* "" = it goes on, or was killed */
	const char *command;   /* as a shell would be told; redacted */
	const char *workspace;
	const char *profile;
	const char *refused;   /* why it was not started, or NULL */
	bool enforced;	       /* all of what was asked for */
	bool itself;	       /* a process that confined itself: no end */
	bool has_exit_code;
	long long exit_code;
	long long signal;
	bool timed_out;
	long long duration_ms;
	unsigned long denials; /* events of them */
	unsigned long lost;    /* denials that could not be recorded */
	unsigned long allowed; /* accesses that the broker allowed */
	unsigned long unrecorded; /* of them, those that found no room */
};
/* In the order they began. */
CORDON_API CORDON_MUST_USE int cordon_audit_runs(const char *file,
    void (*each)(const struct cordon_audit_run *run, void *arg), void *arg,
    struct cordon_error *err);

/* The whole id of the run that begins so; free() it. */
CORDON_API CORDON_MUST_USE int cordon_audit_find(const char *file,
    const char *beginning, char **ret, struct cordon_error *err);

/* How often something was denied. */
struct cordon_audit_count {
	const char *op;
	const char *path;   /* NULL when counted by rule */
	const char *rule;   /* NULL when counted by path */
	const char *source; /* of the rule; NULL when it has none */
	const char *layer;
	unsigned line;	    /* 0 = none */
	unsigned long count;
};
enum cordon_audit_by { CORDON_AUDIT_BY_RULE, CORDON_AUDIT_BY_PATH };
/* Most often first; run NULL: of all of them, else a whole id. */
CORDON_API CORDON_MUST_USE int cordon_audit_denials(const char *file,
    const char *run, enum cordon_audit_by by,
    void (*each)(const struct cordon_audit_count *count, void *arg), void *arg,
    struct cordon_error *err);

/*
 * One HTML file that needs no network and no script; run NULL: of all runs,
 * else a whole id.  It also looks, now, at the directories that the runs could
 * write to, for files that this machine would execute.  free() it.
 */
CORDON_API CORDON_MUST_USE int cordon_audit_report(const char *file,
    const char *run, char **ret, struct cordon_error *err);

/* ----- Reading it line by line ----- */

struct cordon_audit;

/* Strings live until the next call. */
struct cordon_audit_event {
	const char *line;	   /* as it stands there, no newline */
	size_t len;
	const char *file;	   /* which part */
	unsigned long long number; /* of the line in that file */
	bool is_event; /* false: the line is no event; what follows is "" or 0 */
	unsigned long long seq;
	const char *time;
	const char *run;
	const char *kind;
	const char *story; /* in one line for people; any bytes */
};

CORDON_API CORDON_MUST_USE int cordon_audit_open(const char *file,
    struct cordon_audit **ret, struct cordon_error *err);
CORDON_API void cordon_audit_free(struct cordon_audit *audit);
/*
 * 1, 0 at the end, or a negative code.  After the end it may be asked again,
 * and gives what was added meanwhile, also when the file was put away.
 */
CORDON_API CORDON_MUST_USE int cordon_audit_next(struct cordon_audit *audit,
    struct cordon_audit_event *ret, struct cordon_error *err);
/* Does the event given last hold these bytes in any of its values? */
CORDON_API bool cordon_audit_holds(const struct cordon_audit *audit,
    const char *text, size_t len);
/*
 * The event given last as one OpenTelemetry log record: an object of the
 * OTLP/JSON form that collectors read line by line, no newline; free() it.
 */
CORDON_API CORDON_MUST_USE int cordon_audit_otel(
    const struct cordon_audit *audit, char **ret, struct cordon_error *err);
/* At the end: bytes of half a line.  Somebody writes, or was killed. */
CORDON_API size_t cordon_audit_unfinished(const struct cordon_audit *audit);

/* "0.1.0" */
CORDON_API const char *cordon_version(void);

#ifdef __cplusplus
}
#endif

#endif
