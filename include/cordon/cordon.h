/*
 * cordon.h - the one public header of libcordon.  It brings its parts along:
 * run.h, tools.h, mcp.h and audit.h, which nobody includes alone.
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
 *     Session options that are set and not known here are an error.
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

/*
 * Outermost first, and each can only take away.  CORDON_LAYER_DEFAULTS stands
 * between the host's and the user's: what this machine would later execute.
 */
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
	CORDON_LAYER_DEFAULTS,
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

/*
 * The same for a document that is to be the second one of cordon_policy_merge():
 * an exception of denyModify that lifts nothing of its own rules is an error
 * after the merge, or where the policy is used without one.
 */
CORDON_API CORDON_MUST_USE int cordon_policy_load_part(const char *file,
    struct cordon_diags *diags, struct cordon_policy **ret,
    struct cordon_error *err);

/* cordon_policy_load() from memory; source is the name that positions will carry. */
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

/*
 * All that a document opens where it is trusted, and not otherwise: `unprotect`,
 * `env`, `runtime_write_roots`, `audit`, `mcp`, and of profiles `host`, `network`
 * and `sockets`.  what: "fsProfiles.dev.host.modify"; both live during the call.
 */
CORDON_API void cordon_policy_opens(const struct cordon_policy *policy,
    void (*opens)(const char *what, const char *value, void *arg), void *arg);

enum cordon_format { CORDON_FORMAT_YAML, CORDON_FORMAT_JSON,
	CORDON_FORMAT_SBPL, /* of plans only */
	CORDON_FORMAT_ARGV /* likewise */ };

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
struct cordon_worker;
struct cordon_grants;

/*
 * What one module of an agent (its file tools, its shell, its MCP servers) asks
 * for.  A root declared for one is open to all of them; `unrestricted` opens
 * everything but the floor.
 */
struct cordon_module {
	const char *name; /* filesystem, workspace, shell or mcp */
	bool unrestricted;
	const char *const *allowed_paths; /* absolute, "~", or relative to the
					   * workspace */
	size_t allowed_path_count;
};

/* Agents whose needs are known. */
enum cordon_agent {
	CORDON_AGENT_NONE,
	CORDON_AGENT_AUTO, /* by the name of `command`, unless that lies in the
			    * workspace */
	CORDON_AGENT_CLAUDE,
	CORDON_AGENT_CODEX,
	CORDON_AGENT_GEMINI,
	CORDON_AGENT_OPENCODE,
	CORDON_AGENT_MAX
};

CORDON_API const char *cordon_agent_name(enum cordon_agent agent);

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
	/*
	 * Workers, each called by the one before it (see tools.h); they must
	 * outlive the session.  All of them must allow; `sandbox.paths` are
	 * then the only roots.  The first is the user's own document and may
	 * open roots, unless `called` is set.  CORDON_E_INVALID names what a
	 * called worker asks for that its caller does not have.
	 */
	const struct cordon_worker *const *workers;
	size_t worker_count;
	/* What was approved for one command, besides; NULL: nothing. */
	const struct cordon_grants *grants;
	enum cordon_agent agent;      /* the one that is run: its own state is
				       * open to its processes, the network too
				       * unless something here closes it */
	/*
	 * An agent named the first worker, too: its caller is the session
	 * itself, and it can only narrow what the other options allow.
	 */
	bool called;
	/* Entries or groups of the defaults that may be modified (--allow). */
	const char *const *allow;
	size_t allow_count;
	/*
	 * The only paths that will be asked about, as they will be written; NULL:
	 * any.  Where all of them lie in the workspace, root is spared the look at
	 * /etc and /var/lib.  Nothing can be planned or started with such a
	 * session, and other paths have no answer: CORDON_E_INVALID.
	 */
	const char *const *asked;
	size_t asked_count;
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

/* Is that "/", or a home of this user (as cordon_is_home)? */
CORDON_API bool cordon_session_is_wide(const struct cordon_session *session);

/* Is it a home of this user, by HOME or by the password database? */
CORDON_API CORDON_MUST_USE int cordon_is_home(const char *dir, bool *ret,
    struct cordon_error *err);

struct cordon_document {
	enum cordon_layer layer;
	const char *file;   /* "": it was parsed from memory */
	const char *name;   /* metadata.name, or the worker's; "": none */
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

/* The boundary in words, for an agent's instructions; Markdown; free(). */
CORDON_API CORDON_MUST_USE int cordon_session_notice(
    const struct cordon_session *session, char **ret,
    struct cordon_error *err);

/* The floor as listed, one entry per call; false past the end. */
struct cordon_floor_entry {
	const char *path;   /* as listed, "~/.ssh" */
	bool read;	    /* reading is refused too */
	const char *why;
};
CORDON_API bool cordon_floor_entry(size_t i, struct cordon_floor_entry *ret);

/*
 * The defaults as listed: what this machine would later execute, and so may not
 * be modified in a workspace.  One entry per call; false past the end.
 */
struct cordon_default_entry {
	const char *pattern; /* relative to the workspace */
	const char *what;    /* "git hook" */
	const char *program; /* that executes it */
	const char *group;   /* its name for `allow`, beside the pattern */
};
CORDON_API bool cordon_default_entry(size_t i,
    struct cordon_default_entry *ret);
/* The groups; NULL past the end. */
CORDON_API const char *cordon_default_group(size_t i);

/* What `allow` and spec.unprotect took out of them; false past the end. */
struct cordon_unprotected {
	const char *rule;   /* a group, a pattern */
	const char *source; /* the file, or "<command line>" */
	unsigned line;	    /* 0: none */
};
CORDON_API bool cordon_session_unprotected(
    const struct cordon_session *session, size_t i,
    struct cordon_unprotected *ret);

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
 * DIR/.cordon/policy.yaml, and in ret_merged what it becomes over the user's
 * policy once it is trusted; NULL when the user has none.
 */
CORDON_API CORDON_MUST_USE int cordon_trust_preview(const char *dir,
    struct cordon_diags *diags, struct cordon_policy **ret,
    struct cordon_policy **ret_merged, struct cordon_error *err);
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

/* "0.1.0" */
CORDON_API const char *cordon_version(void);

#ifdef __cplusplus
}
#endif

/* The rest of it, in parts; they use what stands above. */
#include <cordon/run.h>
#include <cordon/tools.h>
#include <cordon/mcp.h>
#include <cordon/audit.h>

#endif
