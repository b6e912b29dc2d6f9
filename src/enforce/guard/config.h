/*
 * config - the file of an MCP client, put behind the guard, and back.
 *
 * The file is replaced at once or not at all, and only when it still holds what
 * was shown.  A symbolic link stays one: what it leads to is replaced.
 */
#ifndef CDN_GUARD_CONFIG_H
#define CDN_GUARD_CONFIG_H

#include "base/err.h"

/* cordon_mcp_wrap(); its arguments were looked at. */
CDN_MUST_USE int cdn_config_wrap(const struct cordon_mcp_wrap *wrap,
    struct cordon_error *err);

#endif
