/*
 * agents - what the agents that are known keep where, as one table.
 *
 * The floor takes the places from here that are closed to every run but the
 * agent's own; the session and the Seatbelt compiler what that run may use and
 * what of it the agent later executes or obeys; the launch the variables.
 * Tables only: who runs, and where his places really lie, the session finds.
 */
#ifndef CDN_DECIDE_AGENTS_H
#define CDN_DECIDE_AGENTS_H

#include "engine/decide/floor.h"

enum cdn_agent_kind {
	CDN_AGENT_DIR,	/* a directory of its state */
	CDN_AGENT_FILE, /* a file directly in the home */
	CDN_AGENT_PART, /* of a directory: named for itself on the floor */
};

struct cdn_agent_place {
	struct cdn_floor_row row; /* "~/.claude"; closed to everybody else */
	enum cdn_agent_kind kind;
};

/* What it writes beside a file of its own; "~/..." */
struct cdn_agent_beside {
	const char *path;
	bool glob;
};

/* A file with its credentials, "~/...". */
struct cdn_agent_login {
	const char *path;
	/* JSON, an object of objects, each of the type "oauth" or "api": as
	 * another one it would steer the host's agent. */
	bool typed;
};

/*
 * Lists of names end with NULL.  A run of the agent has a state of its own, in
 * its private home: of the real one it reads what the agent obeys, gets copies
 * of the files that the agent rewrites itself, and gives back credentials.
 */
struct cdn_agent {
	const char *name;   /* of its program */
	const char *source; /* of its rules: "<agent claude>" */
	/* Moves the first directory, which then holds the files too. */
	const char *variable; /* NULL: nothing does */
	const struct cdn_agent_place *places;
	size_t place_count;
	const struct cdn_agent_beside *beside; /* its files */
	size_t beside_count;
	/* Of its directories, what it executes or obeys besides what every
	 * agent does: patterns for names in them. */
	const char *const *obeyed;
	/* Of these, directories whose entries are linked one by one, because
	 * the agent makes others beside them. */
	const char *const *spread;
	/* Names that no run reads: what other runs and the host did. */
	const char *const *private;
	const char *const *copied; /* "~/...": steers it, and it rewrites it */
	const struct cdn_agent_login *logins;
	size_t login_count;
	/* NAME=PATH: lets it keep its state in another home than HOME. */
	const char *const *moves;
	const char *const *set;	 /* NAME=VALUE inside a sandbox */
	const char *const *pass; /* of the caller's, patterns */
	const char *scratch; /* "/tmp/claude-", and the user's number; NULL */
	bool keychain; /* its credentials lie in that of macOS */
};

/* NULL past the end. */
const struct cdn_agent *cdn_agent(size_t i);
/* By the name of its program, or NULL. */
const struct cdn_agent *cdn_agent_find(const char *name);

/*
 * Below a directory of its state: what it later executes or obeys, a pattern.
 * NULL past the end.
 */
const char *cdn_agent_obeyed(const struct cdn_agent *agent, size_t i);

/* Is the name, right in such a directory, one of these and not private? */
bool cdn_agent_obeys(const struct cdn_agent *agent, const char *name);
/* Is it one that no run reads?  "plugins/store": of such a directory. */
bool cdn_agent_is_private(const struct cdn_agent *agent, const char *name);
/* Is it a directory whose entries are linked one by one? */
bool cdn_agent_spreads(const struct cdn_agent *agent, const char *name);

#endif
