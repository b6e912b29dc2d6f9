/*
 * catalog - the tools that libcordon has, as MCP lists them.
 */
#ifndef CDN_MCP_CATALOG_H
#define CDN_MCP_CATALOG_H

#include "base/buf.h"
#include "base/err.h"

struct mcp_catalog {
	struct cdn_buf list; /* the JSON of the array, the same for all */
};

CDN_MUST_USE int mcp_catalog_init(struct mcp_catalog *catalog,
    struct cordon_error *err);
void mcp_catalog_done(struct mcp_catalog *catalog);

/* False when there is no tool of that name. */
CDN_MUST_USE bool mcp_catalog_find(cdn_str name,
    struct cordon_tool_info *ret);

#endif
