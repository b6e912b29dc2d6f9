/*
 * origin - questions of a server, marked as such.
 *
 * To a client the guard and the server behind it are one: a server could ask its
 * user in the guard's words.  So what a server asks a person begins with a mark
 * that no question of the guard has.  Prompts for a model are marked only where
 * they speak of cordon.
 */
#ifndef CDN_RPC_ORIGIN_H
#define CDN_RPC_ORIGIN_H

#include "engine/rpc/message.h"

#define CDN_RPC_ORIGIN "[from the MCP server, not from cordon] "

/* Where the mark belongs: offsets in the text of the message, ascending. */
struct cdn_rpc_origin {
	uint32_t *v; /* in the arena */
	size_t n;
	size_t room;
};

/*
 * Looks at a request of the server, at a result (inputRequests) or an error
 * (elicitations).  False when memory ran out.
 */
CDN_MUST_USE bool cdn_rpc_origin_find(const struct cdn_rpc_message *message,
    struct cdn_arena *arena, struct cdn_rpc_origin *ret);

/* What an error asks its user to do before (URLs to visit), or NULL. */
const struct cdn_json_node *cdn_rpc_origin_required(
    const struct cdn_json *json);

/* The message with its marks. */
void cdn_rpc_origin_put(const struct cdn_rpc_message *message,
    const struct cdn_rpc_origin *origin, struct cdn_buf *out);

#endif
