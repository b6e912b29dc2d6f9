/*
 * mcp.h - the part of cordon.h for servers of the Model Context Protocol.
 */
#ifndef CORDON_MCP_H
#define CORDON_MCP_H

#ifndef CORDON_CORDON_H
#error "include <cordon/cordon.h>, which has this part of it"
#endif

#ifdef __cplusplus
extern "C" {
#endif

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
	const char *name;    /* 16 hex digits: workspace, program, argv */
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

#ifdef __cplusplus
}
#endif

#endif
