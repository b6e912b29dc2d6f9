/*
 * dialect - what agents ask before they use a tool, and how they are answered.
 *
 *	{"hook_event_name":"PreToolUse","tool_name":"Edit",
 *	 "tool_input":{"file_path":"src/a.c",...},"cwd":"/w",...}
 *
 * Each agent has a language of its own for the same question.  What differs is
 * data: the names of events, of tools and of their arguments, the form of an
 * answer, the place of its settings.  What an event asks for becomes questions
 * here, and somebody else judges.  Nothing that is not understood is waved
 * through: an event, a tool or an argument that is not in the tables is either
 * an error, or left to be looked at as a call of an unknown MCP tool.
 */
#ifndef CDN_DIALECT_DIALECT_H
#define CDN_DIALECT_DIALECT_H

#include "base/json.h"

/* What is asked about one argument of a tool. */
enum cdn_want {
	CDN_WANT_NOTHING, /* it is text, and named here so as to be passed over */
	CDN_WANT_READ,
	CDN_WANT_MODIFY,
	CDN_WANT_BASE,	  /* to be read; the other names begin there */
	CDN_WANT_OLD_BASE, /* the same in some versions, in others nothing */
	CDN_WANT_PATTERN, /* a glob: the directory it begins in is read */
	CDN_WANT_SHELL,	  /* a command */
	CDN_WANT_TYPED,	  /* lines for a shell that runs; nothing: it is looked at */
	CDN_WANT_INTERPRETER, /* the shell that a command is for */
	CDN_WANT_PATCH,	  /* text that names files: see patch.c */
	CDN_WANT_EDITS,	  /* a list of changes; one may name a file of its own */
	CDN_WANT_URL,	  /* of the network, and of no file */
	CDN_WANT_NEVER,	  /* a way out of the agent's own sandbox */
};

struct cdn_dialect_argument {
	const char *name;
	enum cdn_want want;
};

#define CDN_DIALECT_ARGUMENTS 7

struct cdn_dialect_tool {
	unsigned agents; /* bits: 1 << CORDON_HOOK_... */
	const char *name;
	struct cdn_dialect_argument arguments[CDN_DIALECT_ARGUMENTS];
	bool text;  /* none of its arguments is looked at */
	bool bare;  /* it may be called without any of them */
	bool whole; /* the arguments are the event's own members */
};

/* NULL: not in the table. */
const struct cdn_dialect_tool *cdn_dialect_tool_find(enum cordon_hook_agent agent,
    cdn_str name);
/* How an argument is asked about; false: the row does not know it. */
CDN_MUST_USE bool cdn_dialect_tool_want(const struct cdn_dialect_tool *tool, cdn_str name,
    enum cdn_want *ret);
/* The name that its server gave to an MCP tool; false: it is none. */
CDN_MUST_USE bool cdn_dialect_tool_mcp(enum cordon_hook_agent agent, cdn_str name,
    cdn_str *ret);
/*
 * Is an argument of this name a command, whatever the tool?  mcp: of a tool of a
 * server, where a script is as likely one for a browser.
 */
bool cdn_dialect_is_command(cdn_str name, bool mcp);
/* A shell of the system, by its name or its usual path. */
bool cdn_dialect_is_interpreter(cdn_str name);
/* By its name, of which nothing else is known: does it change things? */
bool cdn_dialect_tool_writes(cdn_str name);

/* ----- Agents ---------------------------------------------------------------- */

/* The forms that answers, and entries in settings, have. */
enum cdn_dialect_form {
	CDN_FORM_CLAUDE, /* hookSpecificOutput */
	CDN_FORM_GEMINI, /* decision */
	CDN_FORM_CURSOR, /* permission */
};

struct cdn_dialect_event {
	const char *name;
	const char *tool; /* it is about this one; NULL: it says which */
	bool mcp;	  /* what it names is a tool of a server */
	bool install;	  /* a hook is put there */
};

#define CDN_DIALECT_EVENTS 4

struct cdn_dialect {
	const char *name;
	enum cdn_dialect_form form;
	struct cdn_dialect_event events[CDN_DIALECT_EVENTS];
	const char *session; /* the member that names the conversation */
	const char *roots;   /* the list of directories it works in, or NULL */
	/* Settings. */
	const char *dir;      /* below the home, or a project: ".claude" */
	const char *variable; /* names another one for the user's; or NULL */
	const char *file;     /* "settings.json" */
	const char *opening;  /* what a new file has besides; or "" */
	const char *extra;    /* members of an entry besides its command */
	const char *off[2];   /* a switch that turns hooks off, and its group */
	bool off_when;	      /* by this value */
	bool trusts; /* it runs no hook that nobody has trusted */
};

/* NULL for a value out of range. */
const struct cdn_dialect *cdn_dialect(enum cordon_hook_agent agent);

/* ----- Events ------------------------------------------------------------------ */

struct cdn_dialect_call {
	const struct cdn_dialect *dialect;
	enum cordon_hook_agent agent;
	const struct cdn_dialect_event *event;
	cdn_str tool;		     /* as the agent calls it */
	const struct cdn_dialect_tool *row;  /* or NULL: a tool nobody knows */
	bool mcp;
	cdn_str mcp_tool;	     /* as its server calls it */
	cdn_str cwd;		     /* "" when it is not said */
	cdn_str session;	     /* the same */
	cdn_str root;		     /* the first of the roots, or "" */
	const struct cdn_json *json; /* of the arguments */
	const struct cdn_json_node *input; /* always an object */
};

/*
 * Reads one event.  CORDON_E_INVALID when it is none that can be judged; texts
 * lie in the arena or in `text`.
 */
CDN_MUST_USE int cdn_dialect_read(enum cordon_hook_agent agent, cdn_str text,
    struct cdn_arena *arena, struct cdn_dialect_call *ret,
    struct cordon_error *err);

/* ----- Answers ------------------------------------------------------------------- */

/* One line of JSON, in the form of the agent.  reason NULL: it is allowed. */
void cdn_dialect_answer(const struct cdn_dialect *dialect,
    const struct cdn_dialect_event *event, const char *reason,
    struct cdn_buf *out);

/* ----- Patches --------------------------------------------------------------------- */

struct cdn_patch_file {
	cdn_str path;
	bool unknown; /* a line that should name one, and does not; path: it */
};

/*
 * Every file that the text of an apply_patch names, in order; also where the
 * text stands inside of a shell command.  The index to begin with is 0; false
 * when there are no more.
 */
CDN_MUST_USE bool cdn_patch_next(cdn_str text, size_t *at,
    struct cdn_patch_file *ret);
/* Is there a patch in it at all? */
bool cdn_patch_is(cdn_str text);

/* ----- Names ------------------------------------------------------------------------ */

/* Without the white space at its ends that an agent may cut off. */
cdn_str cdn_name_trim(cdn_str s);
/* Would it be another name when an agent composes its characters? */
bool cdn_name_is_composed(cdn_str name);

#endif
