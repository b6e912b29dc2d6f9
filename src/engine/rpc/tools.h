/*
 * tools - what a server says that it can do, and whether it said so before.
 *
 * A list of tools comes with descriptions that a model believes, so it is
 * pinned: what was seen first is kept, and a tool that is described otherwise
 * later is taken out of the list.  Taken out, too, is what a person could take
 * for another: names of other characters than [A-Za-z0-9_./-], and a name that
 * is there twice.
 */
#ifndef CDN_RPC_TOOLS_H
#define CDN_RPC_TOOLS_H

#include "base/json.h"

/* Is it a name for a tool: 1 to 128 of those characters? */
bool cdn_rpc_tool_name(cdn_str name);

/*
 * Do two descriptions promise the same?  Compared are all members but _meta
 * and icons, as they stand; their order does not matter.  When they differ
 * *ret_member is the key of one that does (of either text, quotes excluded).
 */
bool cdn_rpc_tool_same(const struct cdn_json *a, const struct cdn_json_node *x,
    const struct cdn_json *b, const struct cdn_json_node *y,
    cdn_str *ret_member);

/*
 * The text of `json` on out, without those children of `parent` (an array or an
 * object) whose bit in drop (one bool each) is set; everything else byte for
 * byte.
 */
void cdn_rpc_cut(const struct cdn_json *json,
    const struct cdn_json_node *parent, const bool *drop, struct cdn_buf *out);

#endif
