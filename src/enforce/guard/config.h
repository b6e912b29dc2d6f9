/*
 * config - the file of an MCP client, put behind the guard, and back.
 *
 * The file is replaced at once or not at all, and only when it still holds what
 * was shown.  A symbolic link stays one: what it leads to is replaced.
 */
#ifndef CDN_GUARD_CONFIG_H
#define CDN_GUARD_CONFIG_H

#include "base/err.h"
#include "engine/wrap/wrap.h"

/* cordon_mcp_wrap(); its arguments were looked at. */
CDN_MUST_USE int cdn_config_wrap(const struct cordon_mcp_wrap *wrap,
    struct cordon_error *err);

/* A change of somebody's file that he is to see before it is made. */
struct cdn_config_change {
	cdn_str was;
	const struct cdn_wrap_result *edits;
	const char *file;
	bool (*show)(const char *difference, void *arg); /* NULL: to nobody */
	void *arg;
};

/* May it be made? */
CDN_MUST_USE int cdn_config_show(const struct cdn_config_change *change,
    bool *ret, struct cordon_error *err);

#endif
