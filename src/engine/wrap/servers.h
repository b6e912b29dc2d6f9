/*
 * servers - where the servers of a client's configuration stand in its text.
 *
 * Two languages, one list: what a server's command and arguments mean, and
 * which bytes say so.  Texts and lists lie in the arena, or are slices of the
 * configuration; both must live as long as the list.
 */
#ifndef CDN_WRAP_SERVERS_H
#define CDN_WRAP_SERVERS_H

#include "base/arena.h"
#include "base/err.h"

struct cdn_wrap_string {
	size_t start; /* quotes included */
	size_t end;
	cdn_str text; /* what it means */
};

/* A member of a server. */
struct cdn_wrap_member {
	bool is_there;
	size_t key; /* where its key begins */
	cdn_str prefix; /* of its key: "files." of files.command; or "" */
	size_t start; /* of its value */
	size_t end;
};

struct cdn_wrap_server {
	cdn_str name;
	struct cdn_wrap_member command, args;
	cdn_str program;		 /* what command means */
	struct cdn_wrap_string *words; /* of args */
	size_t n;
	bool remote;	 /* it has a url */
	bool other_type; /* it says that it is of a type that is not stdio */
	bool on_lines;	 /* members stand on lines of their own, no commas */
	bool begun;	 /* TOML: its table has a header */
	bool listed;	 /* opencode: one list, the program first; `command` is
			  * that word of it, `args` the list */
	bool stray;	 /* at a place that is not known; name: its path */
	const char *steers; /* what of it the guard itself would obey; or NULL */
};

struct cdn_wrap_servers {
	struct cdn_wrap_server *v;
	size_t n;
	size_t room;
	size_t strays; /* of n */
	bool found; /* there is a place for servers, even if it is empty */
};

/* NULL when memory ran out.  Those before may move. */
struct cdn_wrap_server *cdn_wrap_add(struct cdn_wrap_servers *servers,
    cdn_str name, struct cdn_arena *arena);

/* Does a key speak of servers?  "mcp", "context_servers", "amp.mcpServers". */
bool cdn_wrap_is_place(cdn_str key);
/*
 * What looks like a server where we know of none: a "command" below such a key.
 * Nobody can say what a client makes of it, so it is told and never changed.
 * CORDON_E_INVALID when there are too many.
 */
CDN_MUST_USE int cdn_wrap_stray(struct cdn_wrap_servers *servers,
    const cdn_str *path, size_t n, struct cdn_arena *arena,
    struct cordon_error *err);

/*
 * Both refuse with the line what they cannot read, and what is no server where
 * one should be.
 */
CDN_MUST_USE int cdn_wrap_read_json(cdn_str text, struct cdn_arena *arena,
    struct cdn_wrap_servers *ret, struct cordon_error *err);
CDN_MUST_USE int cdn_wrap_read_toml(cdn_str text, struct cdn_arena *arena,
    struct cdn_wrap_servers *ret, struct cordon_error *err);

/* ----- settings.c: a client starts the guard with them, not the server ------ */

/* Is a member the server's variables? */
bool cdn_wrap_is_env(cdn_str key);
/* A variable there: one that the guard obeys is told in steers. */
CDN_MUST_USE int cdn_wrap_variable(struct cdn_wrap_server *server,
    cdn_str name, struct cdn_arena *arena, struct cordon_error *err);
/* A member: so is a directory, a file of variables, an `env` that is no map. */
CDN_MUST_USE int cdn_wrap_setting(struct cdn_wrap_server *server, cdn_str key,
    bool is_map, struct cdn_arena *arena, struct cordon_error *err);

/* "line 7: TEXT", CORDON_E_INVALID. */
int cdn_wrap_bad(cdn_str text, size_t at, const char *what,
    struct cordon_error *err);

#endif
