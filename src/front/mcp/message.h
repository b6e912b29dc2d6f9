/*
 * message - one line from a client of the Model Context Protocol.
 *
 * Two eras.  The older one (2025-11-25 and before) opens with `initialize`; in
 * the newer (2026-07-28) each request names its version and what its client can
 * do in `_meta`.  Which one a request is of, it says itself: MCP_MODERN.
 *
 * Nothing is copied: a message lives as long as its line and its arena.
 */
#ifndef CDN_MCP_MESSAGE_H
#define CDN_MCP_MESSAGE_H

#include "base/json.h"

/* Codes of errors: JSON-RPC's, and those of 2026-07-28. */
enum mcp_code {
	MCP_PARSE_ERROR = -32700,
	MCP_INVALID_REQUEST = -32600,
	MCP_NO_METHOD = -32601,
	MCP_INVALID_PARAMS = -32602,
	MCP_INTERNAL_ERROR = -32603,
	MCP_WRONG_VERSION = -32022,
};

#define MCP_META(name) "io.modelcontextprotocol/" name

enum mcp_kind {
	MCP_REQUEST,
	MCP_NOTIFICATION,
	MCP_RESPONSE,
	MCP_BLANK, /* white space */
	MCP_BAD,   /* code and what */
};

struct mcp_message {
	struct cdn_json json;
	enum mcp_kind kind;
	cdn_str id;  /* as it stands in the line; empty: none that could be
		      * answered to */
	cdn_str key; /* the same for every spelling of it, and for no other */
	cdn_str method;
	const struct cdn_json_node *params; /* an object, or NULL */
	const struct cdn_json_node *meta;   /* of params, an object, or NULL */
	const struct cdn_json_node *result; /* of a response, or NULL */
	int code;
	char what[192];
};

/* line: without its newline.  False when memory ran out. */
CDN_MUST_USE bool mcp_message_read(cdn_str line, struct cdn_arena *arena,
    struct mcp_message *ret);

/* The version that a request names in its _meta; NULL when it names none. */
const struct cdn_json_node *mcp_version(const struct mcp_message *m);

/* A member of an object; NULL when there is none, or no object. */
const struct cdn_json_node *mcp_member(const struct mcp_message *m,
    const struct cdn_json_node *object, const char *key);

/* Is it a string or whole number?  Then its key, as above. */
CDN_MUST_USE bool mcp_id_key(const struct mcp_message *m,
    const struct cdn_json_node *node, struct cdn_arena *arena, cdn_str *ret);

/* Can the client ask its user?  capabilities: an object, or NULL. */
bool mcp_elicits(const struct mcp_message *m,
    const struct cdn_json_node *capabilities);

#endif
