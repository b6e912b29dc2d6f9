/*
 * page - no more at a time than every client takes.
 *
 * Clients give up on a line of 10 MiB.  A file is read in parts, and the tool
 * says where the rest begins: a part is made small enough here.
 */
#ifndef CDN_MCP_PAGE_H
#define CDN_MCP_PAGE_H

#include "front/mcp/message.h"

/*
 * The arguments of a call of that tool: as they were given (NULL: {}), or with
 * a smaller limit.  False when memory ran out.
 */
CDN_MUST_USE bool mcp_page_arguments(const char *tool,
    const struct mcp_message *m, const struct cdn_json_node *given,
    struct cdn_arena *arena, cdn_str *ret);

#endif
