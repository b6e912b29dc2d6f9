/*
 * server - one conversation; for the files of this room.
 */
#ifndef CDN_MCP_SERVER_H
#define CDN_MCP_SERVER_H

#include "base/lines.h"
#include "front/mcp/call.h"
#include "front/mcp/catalog.h"
#include "front/mcp/message.h"
#include "front/mcp/serve.h"

struct mcp_server {
	const struct mcp_serve_options *options;
	struct mcp_calls calls;
	struct mcp_catalog catalog;
	struct mcp_states states;
	struct cdn_lines in;
	struct cdn_outlet out;
	bool legacy;  /* somebody said `initialize` */
	bool elicits; /* and can ask its user */
	unsigned long long questions; /* asked so far */
	bool failed; /* memory ran out: answers would be missing */
};

uint64_t mcp_now_ms(void);

/* Sends the line that was put on it, and empties it. */
void mcp_send(struct mcp_server *server, struct cdn_buf *line);

/* requests.c: one message of the client. */
void mcp_handle(struct mcp_server *server, const struct mcp_message *m,
    struct cdn_arena *arena);

/* outcome.c: what became of a call, and what one wants meanwhile. */
void mcp_conclude(struct mcp_server *server, struct mcp_call *call);
void mcp_attend(struct mcp_server *server, uint64_t now_ms);

#endif
