/*
 * tool - what an agent may call: files, commands, other workers.
 *
 *	JSON ─► arguments ─► approve ─► enforce ─► run ─► result
 *	           ▲                       │
 *	         table                     └─► audit
 *
 * One table (table.c) says which tools there are, what they take and give:
 * schemas, the reader of arguments and the manual come from it.  A tool never
 * opens a path: it names one to the enforcement helper (enforce.c), which goes
 * through the gate, records what was judged, and gives back a descriptor or a
 * refusal.
 */
#ifndef CDN_TOOL_TOOL_H
#define CDN_TOOL_TOOL_H

#include "base/json.h"
#include "enforce/gate/gate.h"
#include "enforce/launch/launch.h"
#include "engine/worker/worker.h"

/* ----- The table (table.c) --------------------------------------------------- */

enum cdn_tool_type {
	CDN_TOOL_TEXT,
	CDN_TOOL_PATH,	 /* a text that names a file */
	CDN_TOOL_NUMBER, /* from min to max */
	CDN_TOOL_BOOL,
	CDN_TOOL_PATHS,	 /* a list of them, at most max */
	CDN_TOOL_OBJECT, /* any; for another tool */
	CDN_TOOL_ROWS,	 /* results only: a list of objects */
	CDN_TOOL_TYPE_MAX
};

enum {
	CDN_TOOL_OPTIONAL = 0,
	CDN_TOOL_NEEDED = 1, /* results: always there */
	CDN_TOOL_NULLABLE = 2, /* results: or null */
};

struct cdn_tool_field {
	const char *name; /* NULL ends a list */
	enum cdn_tool_type type;
	unsigned flags;
	const char *text;
	int64_t min, max; /* NUMBER, PATHS */
	const struct cdn_tool_field *row; /* ROWS */
};

#define CDN_TOOL_ARGUMENTS_MAX 8 /* fields that one tool takes */

struct cdn_tool_call;
struct cdn_tool {
	struct cordon_tool_info info;
	const struct cdn_tool_field *takes;
	const struct cdn_tool_field *gives;
	/* Puts the members of "result", or refuses. */
	int (*run)(struct cdn_tool_call *call);
	/* The same for a dry run; NULL: run() up to the point of doing it. */
	int (*plan)(struct cdn_tool_call *call);
};

const struct cdn_tool *cdn_tool_get(size_t i); /* NULL past the end */
/* By name; CORDON_E_INVALID, with the new name of an older one in the text. */
CDN_MUST_USE int cdn_tool_find(cdn_str name, const struct cdn_tool **ret,
    struct cordon_error *err);

/* schema.c */
CDN_MUST_USE int cdn_tool_schema(const struct cdn_tool *tool,
    enum cordon_tool_schema which, struct cdn_buf *out,
    struct cordon_error *err);

/* ----- One call ------------------------------------------------------------------ */

/* The value of an argument, by its place in the table. */
struct cdn_tool_value {
	bool given;
	cdn_str text; /* TEXT, PATH; of an OBJECT its JSON */
	int64_t number;
	bool flag;
	const cdn_str *list;
	size_t count;
};

struct cordon_tools {
	struct cdn_arena *arena; /* owns it all */
	struct cordon_tools_options options;
	struct cordon_session_options made; /* those of options, if given */
	struct cordon_run_options run; /* the caller's, or defaults */
	struct cordon_path_policy policy;
	struct cdn_terms terms;
	const char **roots; /* of the worker, real, by path */
	size_t root_count;
	struct cdn_tool_limit *limit; /* approve.h; the caller's, if called */
	bool called; /* by a worker that has tools of its own */
	char id[17]; /* of all it records */
	struct cdn_record *record; /* NULL: nothing is kept */
};

struct cdn_tool_call {
	struct cordon_tools *tools;
	const struct cdn_tool *tool;
	const struct cordon_tool_call *asked;
	struct cdn_arena *arena;
	struct cdn_tool_value v[CDN_TOOL_ARGUMENTS_MAX];
	struct cdn_json_writer *result; /* inside "result" */
	enum cordon_decision decision;	/* of a dry run */
	struct cordon_refused refused;
	struct cordon_error err; /* of a refusal */
	const char *kept; /* what the audit says in its place; NULL: the same */
	struct cordon_error broken; /* of what is no answer to the agent */
};

/*
 * Functions of a tool return 0, CDN_TOOL_REFUSED with refused and err filled,
 * or a code of cordon.h with broken filled: then there is no answer.
 */
#define CDN_TOOL_REFUSED 1

/* Refuses; the text as cdn_err().  Always CDN_TOOL_REFUSED. */
int cdn_tool_refuse(struct cdn_tool_call *call, enum cordon_refusal why,
    const char *fmt, ...) CDN_PRINTF(3, 4);
int cdn_tool_refuse_sys(struct cdn_tool_call *call, int sys_errno,
    const char *what, cdn_str path);
/* What a function of another room said: refused when that is an answer. */
int cdn_tool_result_of(struct cdn_tool_call *call, int code);
int cdn_tool_nomem(struct cdn_tool_call *call);
/* Is somebody waiting for it to stop?  Then it is refused. */
CDN_MUST_USE int cdn_tool_check_cancel(struct cdn_tool_call *call);

/* arguments.c: fills v from the JSON. */
CDN_MUST_USE int cdn_tool_arguments(struct cdn_tool_call *call);

/* tools.c: something that belongs to the call, into the audit. */
CDN_MUST_USE int cdn_tool_event(struct cdn_tool_call *call,
    enum cdn_event_kind kind, const struct cdn_event_field *fields, size_t n);

/* ----- The enforcement helper (enforce.c) ----------------------------------------- */

/* What was opened: the object that was judged. */
struct cdn_tool_file {
	int fd; /* the caller closes it */
	struct cdn_real real;
	struct cordon_verdict verdict; /* that allowed it */
	uint64_t size;
	struct timespec changed;
	bool is_directory;
};

/*
 * Opens what an agent named, judges it, records the verdict either way.  flags
 * as cordon_path_open().
 */
CDN_MUST_USE int cdn_tool_open(struct cdn_tool_call *call, cdn_str raw,
    int flags, struct cdn_tool_file *ret);

/* Begins to replace what an agent named; cdn_gate_replace_done() in any case. */
CDN_MUST_USE int cdn_tool_replace(struct cdn_tool_call *call, cdn_str raw,
    struct cdn_replacement *ret);

/* filter.c: does the worker take files of this suffix and size there? */
CDN_MUST_USE int cdn_tool_filter(struct cdn_tool_call *call,
    const struct cdn_real *real, uint64_t size);
/* The same as yes or no. */
bool cdn_tool_filter_takes(const struct cdn_tool_call *call,
    const struct cdn_real *real, uint64_t size);

/* All of a file's bytes from offset on, at most max of them. */
CDN_MUST_USE int cdn_tool_read(struct cdn_tool_call *call,
    const struct cdn_tool_file *file, uint64_t offset, size_t max,
    struct cdn_buf *out);

/* The path as results show it: below the workspace relative to it. */
cdn_str cdn_tool_shown(const struct cdn_tool_call *call,
    const struct cdn_real *real);

/* ----- The tools --------------------------------------------------------------------- */

int cdn_tool_read_text(struct cdn_tool_call *call);
int cdn_tool_write_text(struct cdn_tool_call *call);
int cdn_tool_edit_text(struct cdn_tool_call *call);
int cdn_tool_list_files(struct cdn_tool_call *call);
int cdn_tool_glob(struct cdn_tool_call *call);
int cdn_tool_grep(struct cdn_tool_call *call);

int cdn_tool_shell(struct cdn_tool_call *call);
int cdn_tool_shell_plan(struct cdn_tool_call *call);
int cdn_tool_worker_call(struct cdn_tool_call *call);

/* What a command that is not simple is given to. */
extern const char cdn_tool_shell_path[];
#define CDN_TOOL_SHELL cdn_tool_shell_path

/* rules.c: the workers, the one that was called last behind all others. */
const struct cordon_worker *cdn_tool_worker(const struct cordon_tools *tools,
    size_t i); /* NULL past the end */
/* Its tool_rules about approval. */
enum cdn_said cdn_tool_rule(const struct cordon_worker *worker,
    const char *tool);
/* programs.c: does any of them have a list of programs? */
bool cdn_tool_programs_given(const struct cordon_tools *tools);

/* filter.c: finds the roots of the worker, if there is one. */
CDN_MUST_USE int cdn_tool_roots(struct cordon_tools *tools,
    struct cordon_error *err);

/* ----- All of it (tools.c) ------------------------------------------------------------ */

CDN_MUST_USE int cdn_tools_new(const struct cordon_tools_options *options,
    struct cordon_tools **ret, struct cordon_error *err);
/*
 * A session is made anew from names, for a called worker or a granted command,
 * while the agent can change what the names lead to.  Has `now` the workspace of
 * `was`, and its documents, byte for byte, before those of its own?
 */
bool cdn_tool_same_session(const struct cordon_session *was,
    const struct cordon_session *now);
/* Those of a worker that is called by one with these; they must outlive them. */
CDN_MUST_USE int cdn_tools_new_below(const struct cordon_tools *caller,
    const struct cordon_tools_options *options, struct cordon_tools **ret,
    struct cordon_error *err);
void cdn_tools_free(struct cordon_tools *tools);
CDN_MUST_USE int cdn_tools_call(struct cordon_tools *tools,
    const struct cordon_tool_call *asked, struct cordon_tool_result *ret,
    struct cordon_error *err);

#endif
