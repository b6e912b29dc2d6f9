/*
 * message - one line of the Model Context Protocol: what is it?
 *
 * A message is classified by its bytes alone, strictly: whatever two programs
 * could understand differently (a batch, a key that is spelled almost like one
 * of the protocol's, an id that is no id, a request that is a response as well)
 * is bad, and says what to answer.  The protocol of both eras, up to 2025-11-25
 * and from 2026-07-28 on, is the same here but for `modern`.
 *
 * Pure, as all of the engine.  Nothing is copied: a message lives as long as
 * its line and its arena.
 */
#ifndef CDN_RPC_MESSAGE_H
#define CDN_RPC_MESSAGE_H

#include "base/json.h"

enum cdn_rpc_kind {
	CDN_RPC_REQUEST,
	CDN_RPC_NOTIFICATION, /* a request that nobody answers */
	CDN_RPC_RESPONSE,
	CDN_RPC_BLANK, /* nothing but white space */
	CDN_RPC_BAD,   /* see code and what */
};

/* The codes of JSON-RPC that we answer with. */
enum cdn_rpc_code {
	CDN_RPC_PARSE_ERROR = -32700,
	CDN_RPC_INVALID_REQUEST = -32600,
	CDN_RPC_INVALID_PARAMS = -32602,
	CDN_RPC_INTERNAL_ERROR = -32603,
	CDN_RPC_REFUSED = 403, /* ours: outside what JSON-RPC reserves */
};

/* Those that matter to a guard; every other name is passed on. */
enum cdn_rpc_method {
	CDN_RPC_OTHER,	/* none that we know */
	CDN_RPC_HARMLESS, /* known, and holds nothing to judge */
	CDN_RPC_TOOLS_CALL,
	CDN_RPC_TOOLS_LIST,
	CDN_RPC_RESOURCES_READ, /* and subscribe: what has a uri */
	CDN_RPC_PROMPTS_GET,
	CDN_RPC_COMPLETE,
	CDN_RPC_TASKS_UPDATE,
	CDN_RPC_ROOTS_LIST,
	CDN_RPC_CANCELLED,
};

/* Is it judged before it reaches a server? */
bool cdn_rpc_is_judged(enum cdn_rpc_method method);

enum cdn_rpc_id_type {
	CDN_RPC_ID_NONE,
	CDN_RPC_ID_NULL,
	CDN_RPC_ID_NUMBER,
	CDN_RPC_ID_TEXT,
};

struct cdn_rpc_id {
	enum cdn_rpc_id_type type;
	int64_t number;
	cdn_str text; /* what it means, unescaped */
	cdn_str raw;  /* as it stands in the line, to be answered with */
};

bool cdn_rpc_id_same(const struct cdn_rpc_id *a, const struct cdn_rpc_id *b);
/* False when the node is neither a string nor a whole number (of 53 bits). */
CDN_MUST_USE bool cdn_rpc_id_read(const struct cdn_json *json,
    const struct cdn_json_node *node, struct cdn_arena *arena,
    struct cdn_rpc_id *ret);

struct cdn_rpc_message {
	struct cdn_json json;
	enum cdn_rpc_kind kind;
	struct cdn_rpc_id id; /* BAD: as far as it could be found */
	enum cdn_rpc_method method;
	cdn_str name;			    /* of the method */
	const struct cdn_json_node *params; /* an object, or NULL */
	const struct cdn_json_node *result; /* of a response, or NULL */
	bool calls;  /* there is a method; BAD: as far as could be seen */
	bool modern; /* the request names its version in _meta */
	int code;    /* BAD: enum cdn_rpc_code */
	char what[256]; /* BAD: why, one line */
};

/*
 * line: without its newline (a '\r' at its end is white space).  0, or
 * CORDON_E_NOMEM; that it is bad is no failure.
 */
CDN_MUST_USE int cdn_rpc_read(cdn_str line, struct cdn_arena *arena,
    struct cdn_rpc_message *ret, struct cordon_error *err);

/*
 * Can the client show its user a form?  By what `initialize` says, or, in the
 * newer era, the request itself.
 */
bool cdn_rpc_elicits(const struct cdn_rpc_message *message);

/*
 * The id of a line that could not be read, looked for without strictness, to
 * address a complaint with: never to judge by.  Type NONE when there is none.
 * *ret_calls: there is a method as well, so the id is of its sender's choice.
 */
struct cdn_rpc_id cdn_rpc_salvage(cdn_str line, bool *ret_calls);

#endif
