/*
 * arguments - every path that a message names, one after the other.
 *
 * All strings are looked at, in arrays and objects too, and the keys of objects
 * with them.  Whether a path is allowed is asked of the caller, who knows files
 * and the policy; the first refusal ends the walk.
 */
#ifndef CDN_RPC_ARGUMENTS_H
#define CDN_RPC_ARGUMENTS_H

#include "engine/rpc/message.h"
#include "engine/rpc/schema.h"
#include "engine/rpc/value.h"

#define CDN_RPC_LABEL_MAX 255 /* bytes of "edits[0].path"; then it ends in "..." */

struct cdn_rpc_path {
	const char *label; /* "files[1]"; "" for a value without a name */
	enum cdn_rpc_door door;
	enum cordon_op op; /* READ, or MODIFY where the tool says it writes */
	const struct cdn_rpc_form *form;
	bool word; /* no path when nothing of that name exists */
};

/*
 * What the walk asks.  allowed: 0.  Refused: 1.  A negative code: it could not
 * be found out, which ends the walk as well.
 */
struct cdn_rpc_judge {
	int (*path)(const struct cdn_rpc_path *path, void *arg,
	    struct cordon_error *err);
	/* An argument that the tool's schema rules out. */
	int (*undeclared)(const char *label, void *arg,
	    struct cordon_error *err);
	void *arg;
};

/* A tool as its server described it, or one of which nothing is known. */
struct cdn_rpc_tool {
	cdn_str name;
	const struct cdn_json *json; /* of the description, or NULL */
	const struct cdn_rpc_settings *settings;
};

/* The arguments of a call of it: any value. */
CDN_MUST_USE int cdn_rpc_walk(const struct cdn_rpc_tool *tool,
    const struct cdn_json *json, const struct cdn_json_node *arguments,
    const struct cdn_rpc_judge *judge, struct cdn_arena *arena,
    struct cordon_error *err);

/*
 * All that a request of a judged method holds: arguments, uri, what the user
 * answered meanwhile (inputResponses).  tool matters to tools/call alone.
 */
CDN_MUST_USE int cdn_rpc_walk_message(const struct cdn_rpc_message *message,
    const struct cdn_rpc_tool *tool, const struct cdn_rpc_judge *judge,
    struct cdn_arena *arena, struct cordon_error *err);

/* One uri: of a resource, of a root. */
CDN_MUST_USE int cdn_rpc_walk_uri(cdn_str uri, const char *label,
    const struct cdn_rpc_judge *judge, struct cdn_arena *arena,
    struct cordon_error *err);

#endif
